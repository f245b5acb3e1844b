"""Any reading, put through the rules: the cause is kept, everything else is computed anew."""

from datetime import date
from typing import NamedTuple

from pendtui.engines.citation import locate
from pendtui.engines.clock import Clock, most_urgent_clock
from pendtui.engines.facts import Claim
from pendtui.engines.gate import release_for
from pendtui.engines.policy import Blocked, Policy, Resolved
from pendtui.engines.readers import Reading
from pendtui.engines.record import Span
from pendtui.engines.vocabulary import CauseClass, Release


class Override(NamedTuple):
    """One answer of a reading that the recheck replaced, and the rule that says otherwise."""

    field: str
    raw: str
    recomputed: str
    rule: str


class Answers(NamedTuple):
    """The four answers to a pended claim, as the examiner is shown them."""

    cause: CauseClass | None
    """Why it pended; None when no class was read."""
    quote: str | None
    span: Span | None
    """Where the quote stands in the record's original text; None when it is not there."""
    resolution: Resolved | Blocked
    clock: Clock | None
    """None when neither record nor row gives enough facts."""
    release: Release
    overrides: tuple[Override, ...] = ()


def recheck(reading: Reading, claim: Claim, policy: Policy, as_of: str | date, today: date) -> Answers:
    """The four answers from a reading.

    Only the cause class is taken from the reading, and its quote is searched for in the record. Resolution,
    clock and release come from the policy and the claim's facts, whatever the reading said of them; each
    difference is listed.
    """
    facts = claim.facts
    resolution = policy.resolve(reading.cause, facts.evidence if facts else None)
    clock = most_urgent_clock(claim, as_of, today, policy)
    release = release_for(policy)
    span = reading.span
    if reading.quote is not None and span is None:
        span = locate(claim.record.text, reading.quote)
    overrides = []
    if reading.raw is not None:
        if isinstance(resolution, Resolved):
            overrides += _override("resolution", reading.raw.resolution, resolution.resolution, resolution.rule.id)
        if clock is not None and clock.state is not None:
            overrides += _override("clock", reading.raw.clock, clock.state, clock.rule.id)
        overrides += _override("release", reading.raw.release, release, "release gate")
    return Answers(reading.cause, reading.quote, span, resolution, clock, release, tuple(overrides))


def _override(field: str, raw: str | None, recomputed: str, rule: str) -> list[Override]:
    return [Override(field, raw, recomputed, rule)] if raw is not None and raw != recomputed else []
