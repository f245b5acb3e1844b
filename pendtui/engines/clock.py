"""The payment clock: it runs from the day the claim was received, in calendar days."""

from datetime import date, timedelta
from typing import NamedTuple

from pendtui.engines.facts import Claim, ClaimFacts
from pendtui.engines.policy import AS_OF_REGISTER, AS_OF_TODAY, ClockRule, Policy
from pendtui.engines.vocabulary import ClockState


class Clock(NamedTuple):
    """A claim's clock with every term of its sum. All counts are calendar days.

    `state`, `deadline_days`, `deadline_on` and `days_left` are None only where the rule leaves the days to
    a provider contract and nobody has entered them. `pend_state` and `pend_elapsed_days` are what the usual
    mistake, counting from the pend date, would have shown.
    """

    state: ClockState | None
    rule: ClockRule
    received_on: date
    pended_on: date
    as_of: date
    elapsed_days: int
    deadline_days: int | None
    deadline_on: date | None
    days_left: int | None
    pend_elapsed_days: int
    pend_state: ClockState | None

    @property
    def must_escalate(self) -> bool:
        """Whether the claim has to be worked or escalated today, or should have been."""
        return self.state in (ClockState.ESCALATE_NOW, ClockState.BREACHED)


def read_clock(facts: ClaimFacts, as_of: date, policy: Policy) -> Clock:
    """Read a claim's clock on a day.

    elapsed = as-of - received; BREACHED when elapsed > deadline; ESCALATE-NOW when not breached and
    deadline - elapsed is within the policy's window (5 days in PR-2026); else WITHIN-CLOCK. A deadline is
    never moved for a weekend or holiday: neither 42 CFR 422.520 nor 447.45 does.
    """
    rule = policy.clock.rule_for(facts, policy.plan)
    days = _deadline_days(rule, facts, policy)
    window = policy.clock.escalate_within_days
    elapsed = (as_of - facts.received_on).days
    pend_elapsed = (as_of - facts.pended_on).days
    return Clock(
        state=None if days is None else clock_state(days, elapsed, window),
        rule=rule,
        received_on=facts.received_on,
        pended_on=facts.pended_on,
        as_of=as_of,
        elapsed_days=elapsed,
        deadline_days=days,
        deadline_on=None if days is None else facts.received_on + timedelta(days=days),
        days_left=None if days is None else days - elapsed,
        pend_elapsed_days=pend_elapsed,
        pend_state=None if days is None else clock_state(days, pend_elapsed, window),
    )


def clock_state(deadline_days: int, elapsed_days: int, escalate_within_days: int) -> ClockState:
    """The state of a clock, from its deadline, what has elapsed and the escalation window, in days."""
    if elapsed_days > deadline_days:
        return ClockState.BREACHED
    if deadline_days - elapsed_days <= escalate_within_days:
        return ClockState.ESCALATE_NOW
    return ClockState.WITHIN_CLOCK


def as_of_day(facts: ClaimFacts, as_of: str | date, today: date) -> date:
    """The day a claim's clock is read on, from the policy's or the desk's as-of setting."""
    if isinstance(as_of, date):
        return as_of
    if as_of == AS_OF_TODAY:
        return today
    assert as_of == AS_OF_REGISTER
    return facts.register_read_on


def most_urgent_clock(claim: Claim, as_of: str | date, today: date, policy: Policy) -> Clock | None:
    """The claim's clock; where record and row disagree, the one with fewer days left. None without facts."""
    clocks = [
        read_clock(facts, as_of_day(facts, as_of, today), policy)
        for facts in (claim.facts, claim.alternative)
        if facts is not None
    ]
    if not clocks:
        return None
    return min(clocks, key=lambda clock: float("inf") if clock.days_left is None else clock.days_left)


def _deadline_days(rule: ClockRule, facts: ClaimFacts, policy: Policy) -> int | None:
    if rule.by_contract:
        return facts.contract_days or policy.plan.contract_days
    if rule.months is not None:
        return (_months_later(facts.received_on, rule.months) - facts.received_on).days
    return rule.days


def _months_later(day: date, months: int) -> date:
    year, month = divmod(day.year * 12 + day.month - 1 + months, 12)
    for last in (day.day, 30, 29, 28):
        try:
            return date(year, month + 1, last)
        except ValueError:
            continue
    raise AssertionError("every month has 28 days")
