"""The facts of one claim: what the record prints, what the claims system's row says, and where they part."""

from collections.abc import Callable, Mapping
from datetime import date
from typing import NamedTuple

from pendtui.engines.record import Record, parse_day
from pendtui.engines.vocabulary import Evidence, LineOfBusiness
from pendtui.errors import QueueError

_LINES_OF_BUSINESS = {
    "medicare advantage": LineOfBusiness.MA,
    "ma": LineOfBusiness.MA,
    "medicaid": LineOfBusiness.MEDICAID,
    "medicaid managed care": LineOfBusiness.MEDICAID,
}
_CONTRACTED = {"contracted": True, "non-contracted": False, "not contracted": False, "noncontracted": False}
_CLEAN = {
    "clean claim": True,
    "clean": True,
    "not a clean claim": False,
    "not clean": False,
    "non-clean claim": False,
    "unclean claim": False,
}
_EVIDENCE: Mapping[str, Evidence] = {each.value: each for each in Evidence}
_BUSINESS: Mapping[str, LineOfBusiness] = {each.value: each for each in LineOfBusiness}

DELIVERIES = ("managed-care", "fee-for-service")
"""How a Medicaid claim reached the payer; only some policies ask."""


class ClaimFacts(NamedTuple):
    """What the rules and the clock read. `evidence` is None where nobody has said what the register holds."""

    claim_id: str
    line_of_business: LineOfBusiness
    clean: bool
    contracted: bool
    received_on: date
    pended_on: date
    register_read_on: date
    evidence: Evidence | None = None
    private_fee_for_service: bool | None = None
    """Medicare Advantage private fee-for-service; None leaves it to the policy's [plan]."""
    medicaid_delivery: str | None = None
    """One of DELIVERIES; None leaves it to the policy's [plan]."""
    contract_days: int | None = None
    """Days the provider's contract gives, where a policy leaves the deadline to the contract."""
    billed_amount: float | None = None
    """What was billed, in the plan's currency, where the row gives it."""


class ClaimRow(NamedTuple):
    """One row of claims.json: what other systems know of a claim."""

    id: str
    title: str
    facts: ClaimFacts


class Claim(NamedTuple):
    """A record beside its row.

    `facts` are the row's where there is a row, else the record's, and None where neither gives enough
    for a clock. `alternative` are the record's where the two disagree. `faults` are the reasons why the
    claim can be parked and not accepted; empty for a sound claim.
    """

    record: Record
    facts: ClaimFacts | None
    alternative: ClaimFacts | None = None
    faults: tuple[str, ...] = ()
    has_row: bool = False


def parse_row(obj: object, where: str) -> ClaimRow:
    """A row of claims.json as a value.

    Raises QueueError, naming the field, when a field is missing, unknown in its vocabulary or of the
    wrong type. Fields that this program does not know are let through: the row is another system's.
    """
    if not isinstance(obj, dict):
        raise QueueError("a row must be an object", where=where)
    row: dict[str, object] = obj
    record_id = _text(row, "id", where)
    where = f"{where} ({record_id})"
    evidence = _text(row, "evidence", where)
    if evidence not in _EVIDENCE:
        raise QueueError(f"evidence '{evidence}' is none of {', '.join(Evidence)}", where=where)
    business = _text(row, "line_of_business", where)
    if business not in _BUSINESS:
        raise QueueError(f"line_of_business '{business}' is none of {', '.join(LineOfBusiness)}", where=where)
    delivery = row.get("medicaid_delivery")
    if delivery is not None and delivery not in DELIVERIES:
        raise QueueError(f"medicaid_delivery is none of {', '.join(DELIVERIES)}", where=where)
    days = row.get("contract_days")
    if days is not None and (not isinstance(days, int) or isinstance(days, bool) or days < 1):
        raise QueueError("contract_days is not a number of days", where=where)
    fee_for_service = row.get("private_fee_for_service")
    if fee_for_service is not None and not isinstance(fee_for_service, bool):
        raise QueueError("private_fee_for_service is not true or false", where=where)
    billed = row.get("billed_amount")
    if billed is not None and (isinstance(billed, bool) or not isinstance(billed, int | float) or not billed >= 0):
        raise QueueError("billed_amount is not an amount", where=where)
    facts = ClaimFacts(
        claim_id=_text(row, "claim_id", where),
        line_of_business=_BUSINESS[business],
        clean=_flag(row, "clean", where),
        contracted=_flag(row, "contracted", where),
        received_on=_day(row, "received_on", where),
        pended_on=_day(row, "pended_on", where),
        register_read_on=_day(row, "register_read_on", where),
        evidence=_EVIDENCE[evidence],
        private_fee_for_service=fee_for_service,
        medicaid_delivery=str(delivery) if delivery is not None else None,
        contract_days=days,
        billed_amount=billed,
    )
    return ClaimRow(record_id, str(row.get("title") or ""), facts)


def claim_of(record: Record, row: ClaimRow | None) -> Claim:
    """Set a record beside its row and say everything that keeps the claim from being accepted."""
    printed, unread = _printed_facts(record)
    faults = [*record.faults, *unread]
    if row is None:
        faults += _date_faults(printed)
        return Claim(record, printed, None, tuple(faults))
    disagreements = _disagreements(record, printed, row.facts)
    faults += disagreements
    faults += _date_faults(row.facts)
    alternative = None
    if disagreements and printed is not None:
        alternative = row.facts._replace(**{name: getattr(printed, name) for name in _LABELS})
    return Claim(record, row.facts, alternative, tuple(faults), has_row=True)


def _printed_facts(record: Record) -> tuple[ClaimFacts | None, list[str]]:
    """The facts that CLAIM FACTS prints, and what of it is missing or not understood."""
    values: dict[str, object] = {}
    faults = []
    if not record.facts:
        return None, []
    for name, (label, key, read) in _LABELS.items():
        printed = record.facts.get(key)
        if printed is None:
            faults.append(f"CLAIM FACTS does not give '{label}'")
            continue
        value = read(printed)
        if value is None:
            faults.append(f"CLAIM FACTS: '{label}' cannot be read from '{printed}'")
        else:
            values[name] = value
    if faults:
        return None, faults
    return ClaimFacts(**values), []  # type: ignore[arg-type]


def _word(words: Mapping[str, object]) -> Callable[[str], object | None]:
    return lambda printed: words.get(printed.lower())


def _label(label: str, read: Callable[[str], object | None]) -> tuple[str, str, Callable[[str], object | None]]:
    return label, label.lower(), read


_LABELS: Mapping[str, tuple[str, str, Callable[[str], object | None]]] = {
    "claim_id": _label("Claim id", str),
    "line_of_business": _label("Line of business", _word(_LINES_OF_BUSINESS)),
    "contracted": _label("Billing provider", _word(_CONTRACTED)),
    "clean": _label("Claim type", _word(_CLEAN)),
    "received_on": _label("Received on", parse_day),
    "pended_on": _label("Pended on", parse_day),
    "register_read_on": _label("Register read as at", parse_day),
}
"""The first fields of ClaimFacts: how a record labels each, the label in lower case, and how it is read."""


def _disagreements(record: Record, printed: ClaimFacts | None, facts: ClaimFacts) -> list[str]:
    if printed is not None and printed[: len(_LABELS)] == facts[: len(_LABELS)]:
        return []
    found = []
    for name, (_, key, read) in _LABELS.items():
        text = record.facts.get(key)
        value = read(text) if text is not None else None
        if value is not None and value != getattr(facts, name):
            said = getattr(facts, name)
            if isinstance(said, bool):
                said = str(said).lower()
            found.append(f"the record gives {key} '{text}', claims.json {name} '{said}'")
    return found


def _date_faults(facts: ClaimFacts | None) -> list[str]:
    if facts is None:
        return []
    faults = []
    if facts.received_on > facts.pended_on:
        faults.append(f"received on {facts.received_on}, after it pended on {facts.pended_on}")
    if facts.register_read_on < facts.received_on:
        faults.append(f"the register was read on {facts.register_read_on}, before receipt on {facts.received_on}")
    return faults


def _text(row: dict[str, object], name: str, where: str) -> str:
    value = row.get(name)
    if not isinstance(value, str) or not value:
        raise QueueError(f"{name} is missing or is not text", where=where)
    return value


def _flag(row: dict[str, object], name: str, where: str) -> bool:
    value = row.get(name)
    if not isinstance(value, bool):
        raise QueueError(f"{name} is missing or is not true or false", where=where)
    return value


def _day(row: dict[str, object], name: str, where: str) -> date:
    value = row.get(name)
    day = parse_day(value) if isinstance(value, str) else None
    if day is None:
        raise QueueError(f"{name} is missing or is not a date like 2026-08-10", where=where)
    return day
