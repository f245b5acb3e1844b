"""Pend records and rows for tests, put together from parts."""

from collections.abc import Sequence

from pendtui.engines.facts import ClaimFacts, ClaimRow, parse_row

MESSAGE = "EDIT 4410 - no precertification number on file for this stay."
REGISTER = "nothing has been located in the payer's own systems."


def record_text(
    record_id: str = "PC-0001",
    *,
    message: Sequence[str] = (MESSAGE,),
    notes: Sequence[str] = ("Worked from the Monday list.",),
    trail: Sequence[tuple[str, str]] = (("2026-08-10", "claim received"), ("2026-08-12", "claim pended")),
    register: str = REGISTER,
    title: str = "Outpatient claim",
    claim_id: str = "CLM-2026-400001",
    line_of_business: str = "Medicare Advantage",
    provider: str = "contracted",
    claim_type: str = "clean claim",
    received_on: str = "2026-08-10",
    pended_on: str = "2026-08-12",
    register_read_on: str = "2026-09-01",
) -> str:
    """A pend record in the format of the contract."""
    facts = {
        "Claim id": claim_id,
        "Line of business": line_of_business,
        "Billing provider": provider,
        "Claim type": claim_type,
        "Received on": received_on,
        "Pended on": pended_on,
        "Register read as at": register_read_on,
        "Queue": "general pend queue at a test plan",
    }
    lines = [f"PEND RECORD {record_id} -- {title}", "", "CLAIM FACTS"]
    lines += [f"  {label:<30}{value}" for label, value in facts.items()]
    lines += ["", "PEND MESSAGE -- as printed", "", *(f"  {line}" for line in message), "", "DESK NOTES", ""]
    for paragraph in notes:
        lines += [paragraph, ""]
    lines += ["CORRESPONDENCE AND SYSTEM TRAIL", "", *(f"  {day}  {text}" for day, text in trail), ""]
    lines += ["ADJUDICATION REGISTER -- what was located", "", f"  {register}"]
    return "\n".join(lines) + "\n"


def row_object(record_id: str = "PC-0001", **changes: object) -> dict[str, object]:
    """A row of claims.json that agrees with `record_text`, with changes."""
    return {
        "id": record_id,
        "claim_id": "CLM-2026-400001",
        "title": "Outpatient claim",
        "line_of_business": "MA",
        "clean": True,
        "contracted": True,
        "received_on": "2026-08-10",
        "pended_on": "2026-08-12",
        "register_read_on": "2026-09-01",
        "evidence": "none",
    } | changes


def row(record_id: str = "PC-0001", **changes: object) -> ClaimRow:
    """The same as a value."""
    return parse_row(row_object(record_id, **changes), "claims.json")


def facts(**changes: object) -> ClaimFacts:
    """The facts of such a row."""
    return row(**changes).facts  # type: ignore[arg-type]
