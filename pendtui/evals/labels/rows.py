"""claims.json read a second time: one row a claim, and whether it agrees with the record."""

from collections.abc import Mapping
from datetime import date
from typing import NamedTuple

from pendtui.evals.labels.report import Failure, day_of, one_of, shown
from pendtui.evals.labels.words import DELIVERIES, EVIDENCE, LINES


class Row(NamedTuple):
    """What the other systems say of a claim. The last three are None where the row does not say."""

    id: str
    claim_id: str
    title: str
    line_of_business: str
    clean: bool
    contracted: bool
    received_on: date
    pended_on: date
    register_read_on: date
    evidence: str
    private_fee_for_service: bool | None = None
    medicaid_delivery: str | None = None
    contract_days: int | None = None


_DAYS = ("received_on", "pended_on", "register_read_on")


def read_row(record_id: str, given: Mapping[str, object]) -> tuple[Row | None, list[Failure]]:
    """The row as a value, or None with what is wrong with it."""
    failures: list[Failure] = []

    def fault(field: str, expected: str) -> None:
        failures.append(Failure(record_id, field, expected, shown(given.get(field))))

    for field in ("claim_id", "title"):
        if not isinstance(given.get(field), str) or not given[field]:
            fault(field, "a text")
    for field, words in (("line_of_business", LINES), ("evidence", EVIDENCE)):
        if given.get(field) not in words:
            fault(field, one_of(words))
    for field in ("clean", "contracted"):
        if not isinstance(given.get(field), bool):
            fault(field, "true or false")
    days = {field: day_of(given.get(field)) for field in _DAYS}
    for field, day in days.items():
        if day is None:
            fault(field, "a date, YYYY-MM-DD")
    service, delivery = given.get("private_fee_for_service"), given.get("medicaid_delivery")
    contract = given.get("contract_days")
    if service is not None and not isinstance(service, bool):
        fault("private_fee_for_service", "true or false")
    if delivery is not None and delivery not in DELIVERIES:
        fault("medicaid_delivery", one_of(DELIVERIES))
    if contract is not None and (type(contract) is not int or contract < 1):
        fault("contract_days", "a whole number of days, 1 or more")
    if failures:
        return None, failures
    row = Row(
        record_id,
        str(given["claim_id"]),
        str(given["title"]),
        str(given["line_of_business"]),
        given["clean"] is True,
        given["contracted"] is True,
        days["received_on"] or date.min,
        days["pended_on"] or date.min,
        days["register_read_on"] or date.min,
        str(given["evidence"]),
        service if isinstance(service, bool) else None,
        str(delivery) if delivery is not None else None,
        contract if isinstance(contract, int) else None,
    )
    early = (field for field in ("pended_on", "register_read_on") if getattr(row, field) < row.received_on)
    return row, [Failure(record_id, field, "a day not before receipt", shown(given[field])) for field in early]


_FACTS = {
    "Claim id": ("claim_id", None),
    "Line of business": ("line_of_business", {"Medicare Advantage": "MA", "Medicaid": "MEDICAID"}),
    "Billing provider": ("contracted", {"contracted": True, "non-contracted": False}),
    "Claim type": ("clean", {"clean claim": True, "not a clean claim": False}),
    "Received on": ("received_on", None),
    "Pended on": ("pended_on", None),
    "Register read as at": ("register_read_on", None),
}


def compare(row: Row | None, record_id: str, facts: Mapping[str, str]) -> list[Failure]:
    """Where CLAIM FACTS says nothing, something unreadable, or another thing than the row does."""
    failures: list[Failure] = []
    for label, (field, words) in _FACTS.items():
        written = facts.get(label)
        if written is None:
            failures.append(Failure(record_id, field, f"{label} in CLAIM FACTS", "nothing"))
            continue
        said: object = written
        if words is not None:
            said = words.get(written)
        elif field in _DAYS:
            said = day_of(written)
        if said is None:
            readable = " or ".join(words) if words else "a date, YYYY-MM-DD"
            failures.append(Failure(record_id, field, f"{label}: {readable}", shown(written)))
        elif row is not None and getattr(row, field) != said:
            rows_word = getattr(row, field)
            if words is not None:
                rows_word = next(word for word, value in words.items() if value == rows_word)
            failures.append(
                Failure(
                    record_id,
                    field,
                    f"{shown(written)}, as the record has it",
                    f"{shown(rows_word)} in claims.json",
                )
            )
    return failures
