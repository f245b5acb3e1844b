"""A record beside its row: what agrees, what does not, and what that means for the claim."""

import pytest

from pendtui.engines.facts import claim_of, parse_row
from pendtui.engines.record import parse_record
from pendtui.engines.vocabulary import Evidence, LineOfBusiness
from pendtui.errors import QueueError
from tests.records import record_text, row, row_object


def test_a_record_that_agrees_with_its_row_has_no_fault() -> None:
    claim = claim_of(parse_record(record_text(), "PC-0001"), row(evidence="awaited"))
    assert claim.faults == ()
    assert claim.facts is not None and claim.facts.evidence is Evidence.AWAITED
    assert claim.alternative is None


def test_a_record_without_a_row_takes_its_facts_from_the_record_and_its_register_is_unknown() -> None:
    text = record_text(line_of_business="Medicaid", provider="non-contracted", claim_type="not a clean claim")
    claim = claim_of(parse_record(text, "PC-0001"), None)
    assert claim.faults == ()
    assert claim.facts is not None
    assert claim.facts.line_of_business is LineOfBusiness.MEDICAID
    assert (claim.facts.clean, claim.facts.contracted) == (False, False)
    assert claim.facts.evidence is None
    assert not claim.has_row


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        (
            {"received_on": "2026-08-09"},
            "the record gives received on '2026-08-10', claims.json received_on '2026-08-09'",
        ),
        ({"pended_on": "2026-08-13"}, "pended on"),
        ({"register_read_on": "2026-09-02"}, "register read as at"),
        ({"line_of_business": "MEDICAID"}, "line of business"),
        ({"claim_id": "CLM-9"}, "claim id"),
        ({"clean": False}, "claims.json clean 'false'"),
        ({"contracted": False}, "claims.json contracted 'false'"),
    ],
)
def test_each_disagreement_is_a_fault_in_words(changes: dict[str, object], said: str) -> None:
    claim = claim_of(parse_record(record_text(), "PC-0001"), row(**changes))  # type: ignore[arg-type]
    assert len(claim.faults) == 1
    assert said in claim.faults[0]
    assert claim.alternative is not None


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (record_text(received_on="2026-08-32"), "'Received on' cannot be read from '2026-08-32'"),
        (record_text(line_of_business="Dental"), "'Line of business' cannot be read from 'Dental'"),
        (record_text().replace("  Pended on ", "  Suspended "), "does not give 'Pended on'"),
        (record_text(received_on="2026-08-13"), "received on 2026-08-13, after it pended on 2026-08-12"),
        (record_text(register_read_on="2026-08-01"), "before receipt"),
    ],
)
def test_what_is_wrong_with_the_facts_is_said_where_there_is_no_row(text: str, said: str) -> None:
    claim = claim_of(parse_record(text, "PC-0001"), None)
    assert any(said in fault for fault in claim.faults)


@pytest.mark.parametrize(
    ("obj", "said"),
    [
        ([], "a row must be an object"),
        ({}, "id is missing"),
        (row_object(evidence="found"), "evidence 'found' is none of"),
        (row_object(line_of_business="Medicare Advantage"), "is none of MA, MEDICAID"),
        (row_object(clean="yes"), "clean is missing or is not true or false"),
        (row_object(received_on="10.08.2026"), "received_on is missing or is not a date"),
        (row_object(received_on=None), "received_on is missing"),
        (row_object(contract_days=0), "contract_days is not a number of days"),
        (row_object(billed_amount=-1), "billed_amount is not an amount"),
        (row_object(billed_amount="12"), "billed_amount is not an amount"),
        (row_object(billed_amount=float("nan")), "billed_amount is not an amount"),
        (row_object(medicaid_delivery="by post"), "medicaid_delivery is none of"),
    ],
)
def test_a_row_that_cannot_be_used_is_refused_by_field(obj: object, said: str) -> None:
    with pytest.raises(QueueError) as fault:
        parse_row(obj, "claims.json, row 3")
    assert said in str(fault.value)
    assert "claims.json, row 3" in str(fault.value)
