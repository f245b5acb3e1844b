"""The facts of an invented claim: its dates, its flags, its service, and the words that fill a sentence's slots."""

from collections.abc import Mapping
from datetime import date, timedelta
from itertools import product
from random import Random
from typing import NamedTuple

from pendtui.engines.clock import read_clock
from pendtui.engines.facts import ClaimFacts
from pendtui.engines.policy import Policy
from pendtui.engines.vocabulary import CauseClass, ClockState, Evidence, LineOfBusiness
from pendtui.evals.corpus.draw import below, between, pick
from pendtui.evals.corpus.plan import PROVIDER_OR_THIRD_PARTY, Cell
from pendtui.evals.corpus.pools import Service

REGISTER_READ_ON = date(2026, 9, 1)
"""The day every register of the corpus was read, and so the day every clock is read on."""

Flags = tuple[LineOfBusiness, bool, bool]
"""Line of business, clean, contracted."""

_EDIT_BASES: Mapping[CauseClass, int] = {
    CauseClass.AUTH_MISSING: 1300,
    CauseClass.ELIG_MISMATCH: 2000,
    CauseClass.COB_UNRESOLVED: 2500,
    CauseClass.PROV_ENROLL: 1000,
    CauseClass.DUP_SUSPECT: 5000,
    CauseClass.PRICE_UNAVAILABLE: 6100,
    CauseClass.CODE_EDIT: 4200,
    CauseClass.DOC_REQUIRED: 7400,
}
_VAGUE_EDIT_BASE = 9000
_LETTERS = "ABCDEFGHJKLMNPRSTVW"
_DESK_ABBREVIATIONS = frozenset(
    (
        "PA",
        "MA",
        "PT",
        "ED",
        "LN",
        "MD",
        "RN",
        "NP",
        "DR",
        "MR",
        "MS",
        "ST",
        "SSN",
        "MBR",
        "DME",
        "PCP",
        "DEA",
        "LTC",
        "SNF",
    )
)
_MODIFIERS = ("25", "26", "50", "57", "78", "GT", "TC", "KX", "XS")
_SCHEDULES = ("2026Q2", "2026Q3", "26-B", "JUL26", "26-C")


class Deadlines(NamedTuple):
    """What the policy's clock table asks, by clock rule: which flags lead to it and how many days it gives."""

    flags: Mapping[str, tuple[Flags, ...]]
    days: Mapping[str, int]
    window: int

    @classmethod
    def of(cls, policy: Policy) -> "Deadlines":
        """Ask the policy's own clock for every combination of flags."""
        flags: dict[str, list[Flags]] = {}
        days: dict[str, int] = {}
        for business, clean, contracted in product(LineOfBusiness, (True, False), (True, False)):
            day = REGISTER_READ_ON
            facts = ClaimFacts("CLM", business, clean, contracted, day, day, day)
            clock = read_clock(facts, day, policy)
            if clock.deadline_days is not None:
                flags.setdefault(clock.rule.id, []).append((business, clean, contracted))
                days[clock.rule.id] = clock.deadline_days
        return cls({rule: tuple(found) for rule, found in flags.items()}, days, policy.clock.escalate_within_days)


def draw_facts(rng: Random, cell: Cell, claim_id: str, deadlines: Deadlines) -> ClaimFacts:
    """Flags and dates that put a claim under the cell's clock rule and into its clock state.

    Where the claim must escalate, it lay long enough before it pended that a count from the pend date
    would show another state.
    """
    flags = deadlines.flags[cell.clock_rule]
    if cell.cause in PROVIDER_OR_THIRD_PARTY:
        flags = tuple(flag for flag in flags if not flag[1])
    business, clean, contracted = pick(rng, flags)
    deadline, window = deadlines.days[cell.clock_rule], deadlines.window
    if cell.clock is ClockState.BREACHED:
        over = between(rng, 1, 9)
        elapsed = deadline + over
        lag = between(rng, over, over + 8)
    elif cell.clock is ClockState.ESCALATE_NOW:
        left = between(rng, 0, window)
        elapsed = deadline - left
        lag = between(rng, window + 1 - left, window + 10 - left)
    else:
        elapsed = between(rng, 9, deadline - window - 1)
        lag = between(rng, 1, min(12, elapsed - 6))
    received = REGISTER_READ_ON - timedelta(days=elapsed)
    return ClaimFacts(
        claim_id=claim_id,
        line_of_business=business,
        clean=clean,
        contracted=contracted,
        received_on=received,
        pended_on=received + timedelta(days=lag),
        register_read_on=REGISTER_READ_ON,
        evidence=Evidence(cell.evidence),
    )


def tags_of(facts: ClaimFacts) -> frozenset[str]:
    """The conditions of pool entries that the claim's flags meet."""
    business = "ma" if facts.line_of_business is LineOfBusiness.MA else "medicaid"
    return frozenset((business, "contracted" if facts.contracted else "noncontracted"))


def draw_slots(rng: Random, facts: ClaimFacts, service: Service, printed: CauseClass | None) -> dict[str, str]:
    """The words for the slots of every sentence of one record, the same throughout it.

    `printed` is the class whose edit the pend message prints; None where the message is vague.
    """
    first = 0 if "pairs" in service.tags else below(rng, len(service.codes))
    second = (first + between(rng, 1, len(service.codes) - 1)) % len(service.codes)
    served = facts.received_on - timedelta(days=between(rng, 4, 34))
    month_end = served.replace(day=1) - timedelta(days=1)
    next_month = (served.replace(day=1) + timedelta(days=32)).replace(day=1)
    worked = facts.pended_on + timedelta(days=between(rng, 1, (REGISTER_READ_ON - facts.pended_on).days - 1))
    units = between(rng, 4, 24)
    line = between(rng, 1, 4)
    npi = between(rng, 1000, 9899)
    first_desk = _initials(rng, "")
    second_desk = _initials(rng, first_desk)
    edit = (_VAGUE_EDIT_BASE if printed is None else _EDIT_BASES[printed]) + below(rng, 80)
    return {
        "cpt": service.codes[first],
        "cpt2": service.codes[second],
        "pos": service.place,
        "dos": _short(served),
        "term": _short(month_end),
        "eff": _short(next_month),
        "wd": _short(worked),
        "units": str(units),
        "fewer": str(between(rng, 1, units - 1)),
        "line": f"0{line}",
        "line2": f"0{line + between(rng, 1, 3)}",
        "npi": str(npi),
        "npi2": str(npi + between(rng, 1, 99)),
        "edit": str(edit),
        "other": f"CLM-2026-3{below(rng, 100_000):05d}",
        "batch": str(between(rng, 110, 989)),
        "loc": str(between(rng, 12, 68)),
        "n": str(between(rng, 2, 9)),
        "pages": str(between(rng, 3, 46)),
        "mod": pick(rng, _MODIFIERS),
        "sched": pick(rng, _SCHEDULES),
        "ini": first_desk,
        "ini2": second_desk,
    }


def _short(day: date) -> str:
    return f"{day.month}/{day.day}"


def _initials(rng: Random, other_than: str) -> str:
    """Two or three letters that stand for nobody, and for nothing else on a claims desk."""
    while True:
        letters = "".join(pick(rng, _LETTERS) for _ in range(between(rng, 2, 3)))
        if letters != other_than and letters not in _DESK_ABBREVIATIONS:
            return letters
