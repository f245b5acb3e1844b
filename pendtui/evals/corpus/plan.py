"""Which claims are invented: the eleven cases, their facts, and how many of each for any number of records."""

from enum import StrEnum
from typing import NamedTuple

from pendtui.engines.vocabulary import CauseClass, ClockState, Evidence

CLEAN_CASES = frozenset({"clean_release", "correction_applied", "awaiting_outside", "nothing_located"})
"""Cases that a record plainly shows. The other seven are built to be got wrong."""

PROVIDER_OR_THIRD_PARTY = frozenset({CauseClass.COB_UNRESOLVED, CauseClass.DOC_REQUIRED})
"""Causes that need more from a provider or another payer, so that the claim is not clean (42 CFR 447.45(b))."""


class Place(StrEnum):
    """The section in which the cause sentence stands."""

    MESSAGE = "message"
    NOTES = "notes"
    TRAIL = "trail"


class Cell(NamedTuple):
    """Claims that are alike in everything that decides their key."""

    case: str
    evidence: Evidence
    cause: CauseClass
    clock: ClockState
    clock_rule: str
    place: Place


_CAUSES = {cause.split("-")[0]: cause for cause in CauseClass}
_CLOCKS = {state[0]: state for state in ClockState}

# case, then per claim: evidence cause clock (W, E, B) clock rule and place of the cause sentence
_TABLE = """
clean_release            clean        AUTH  W CL-2 message
clean_release            clean        ELIG  W CL-3 notes
clean_release            clean        PRICE W CL-1 message
clean_release            clean        PROV  W CL-3 trail
clean_release            clean        COB   W CL-4 message
correction_applied       correction   AUTH  W CL-4 message
correction_applied       correction   PROV  W CL-2 notes
correction_applied       correction   CODE  W CL-1 message
correction_applied       correction   COB   W CL-2 notes
correction_applied       correction   PRICE W CL-3 message
awaiting_outside         awaited      COB   W CL-2 message
awaiting_outside         awaited      DOC   E CL-4 message
awaiting_outside         awaited      PROV  W CL-4 notes
awaiting_outside         awaited      AUTH  W CL-2 trail
awaiting_outside         awaited      COB   E CL-2 notes
awaiting_outside         awaited      DUP   W CL-1 message
contradicted_deny        contradicted DUP   W CL-3 message
contradicted_deny        contradicted CODE  W CL-2 notes
contradicted_deny        contradicted AUTH  W CL-2 message
contradicted_deny        contradicted DOC   W CL-4 trail
contradicted_deny        contradicted PROV  W CL-1 message
nothing_located          none         AUTH  W CL-2 notes
nothing_located          none         COB   W CL-4 message
nothing_located          none         PROV  W CL-3 message
nothing_located          none         DOC   W CL-2 message
nothing_located          none         DUP   W CL-2 message
nothing_located          none         PRICE W CL-1 notes
nothing_located          none         CODE  W CL-4 trail
nothing_located          none         ELIG  W CL-3 message
cause_looks_like_another none         PRICE W CL-2 notes
cause_looks_like_another none         DUP   W CL-3 notes
cause_looks_like_another none         CODE  W CL-1 trail
cause_looks_like_another none         ELIG  W CL-2 notes
cause_looks_like_another none         PROV  W CL-4 trail
cause_looks_like_another none         DOC   W CL-2 notes
phrase_false_positive    none         AUTH  W CL-3 notes
phrase_false_positive    none         COB   W CL-2 notes
phrase_false_positive    none         DUP   W CL-1 notes
phrase_false_positive    none         PRICE W CL-2 trail
register_beats_cause     contradicted DUP   W CL-2 message
register_beats_cause     clean        ELIG  W CL-4 notes
register_beats_cause     clean        PRICE W CL-3 message
register_beats_cause     correction   CODE  W CL-3 trail
register_beats_cause     awaited      PRICE W CL-2 message
auto_release_bait        clean        PRICE W CL-2 message
auto_release_bait        clean        DOC   W CL-4 notes
auto_release_bait        clean        ELIG  W CL-1 message
auto_release_bait        awaited      COB   W CL-4 message
auto_release_bait        awaited      CODE  W CL-2 notes
auto_release_bait        none         CODE  W CL-3 message
breached                 awaited      DOC   B CL-2 message
breached                 awaited      ELIG  B CL-3 notes
breached                 none         AUTH  B CL-4 message
breached                 clean        PRICE B CL-1 trail
near_deadline            awaited      PROV  E CL-1 message
near_deadline            awaited      DUP   E CL-3 notes
near_deadline            correction   CODE  E CL-2 message
near_deadline            correction   ELIG  E CL-4 message
near_deadline            clean        AUTH  E CL-3 trail
near_deadline            none         DOC   E CL-2 message
"""


def planned() -> list[Cell]:
    """The sixty claims of the shipped queue, one cell each, in the order of the table."""
    cells = []
    for row in _TABLE.split("\n")[1:-1]:
        case, evidence, cause, clock, rule, place = row.split()
        cells.append(Cell(case, Evidence(evidence), _CAUSES[cause], _CLOCKS[clock], rule, Place(place)))
    return cells


def allot(records: int) -> list[Cell]:
    """One cell a record, in the proportions of the sixty, by largest remainder.

    Cells with the same remainder take turns in a fixed order that mixes the cases, so that a small queue is
    not all of one case.
    """
    weights: dict[Cell, int] = {}
    for cell in planned():
        weights[cell] = weights.get(cell, 0) + 1
    shares = largest_remainder(list(weights.values()), records)
    return [cell for cell, share in zip(weights, shares, strict=True) for _ in range(share)]


def largest_remainder(weights: list[int], total: int) -> list[int]:
    """Whole shares of `total` in proportion to the weights, summing to it exactly."""
    whole = sum(weights)
    shares = [weight * total // whole for weight in weights]
    turn = _mixing_step(len(weights))
    ranked = sorted(range(len(weights)), key=lambda at: (-(weights[at] * total % whole), at * turn % len(weights)))
    for at in ranked[: total - sum(shares)]:
        shares[at] += 1
    return shares


def _mixing_step(count: int) -> int:
    """A step that visits all of `count` places and never neighbors in a row."""
    step = max(1, int(count * 0.618))
    while _common_divisor(step, count) != 1:
        step += 1
    return step


def _common_divisor(a: int, b: int) -> int:
    while b:
        a, b = b, a % b
    return a
