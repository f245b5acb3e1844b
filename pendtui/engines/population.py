"""Where the percentile standards stand: shares of a month's claims, of which a pend queue holds only some.

The regulations ask for a share of a population, by the date of receipt: 95% of clean non-contracted Medicare
Advantage claims in 30 days (42 CFR 422.520(a)(1)), 90% and 99% of clean Medicaid claims in 30 and 90 days
(42 CFR 447.45(d)(2), (3)). Which of them apply, and to which claims, is said by the policy's clock rules.
"""

import calendar
from collections.abc import Iterable, Iterator, Mapping
from datetime import date, timedelta
from typing import NamedTuple

from pendtui.engines.policy import Policy
from pendtui.errors import ConfigError

LAGS = (30, 60, 90)
"""Upper ends, in days, of the first buckets of age and lag; the last one has none."""

NO_DENOMINATOR = "no denominator"
"""The month's total is not known, and a share of pended claims is not the standard's."""
PROVISIONAL = "provisional"
"""Neither met nor failed yet: days have still to pass, or the share paid in time is not known."""
MET = "met"
NOT_MET = "not met"


class Standard(NamedTuple):
    """A share of the claims under one clock rule that has to be paid within so many days of receipt."""

    rule_id: str
    percent: int
    days: int
    cite: str


class PendedClaims(NamedTuple):
    """Claims of this queue that are alike: same clock rule, same day of receipt, same day of decision."""

    rule_id: str
    received_on: date
    decided_on: date | None
    """When it was decided to pay or deny them; None while they are open."""
    claims: int


class MonthTotal(NamedTuple):
    """What the payer's own reports say of a standard's claims received in one month."""

    received: int
    """All such claims, pended or not: the denominator."""
    in_time: int | None = None
    """Of these, paid within the standard's days so far; None where nobody has said."""


class Cohort(NamedTuple):
    """One standard over the claims received in one month. All counts are claims."""

    standard: Standard
    month: str
    """As in 2026-08."""
    decided_in_time: int
    decided_late: int
    open_in_time: int
    open_late: int
    last_days: int
    """Of those open in time, those within the escalation window of the standard's last day."""
    last_day: int
    """Of those, the ones for which the as-of day is the last."""
    total: MonthTotal | None
    settles_on: date
    """The day after which no claim of the month can still be in time."""
    verdict: str
    reason: str

    @property
    def pended(self) -> int:
        """The claims of the cohort that this queue holds or held."""
        return self.decided_in_time + self.decided_late + self.open_in_time + self.open_late

    @property
    def late(self) -> int:
        """The claims of this queue that are past the standard's days."""
        return self.decided_late + self.open_late

    @property
    def may_be_late(self) -> int | None:
        """How many of the month's claims may be late before the standard fails; None without the denominator."""
        return None if self.total is None else self.total.received - _needed(self.standard, self.total.received)

    @property
    def headroom(self) -> int | None:
        """How many more may turn late, as far as this queue knows; negative when the standard has failed."""
        return None if self.may_be_late is None else self.may_be_late - self.late

    @property
    def share(self) -> float | None:
        """Paid in time, of all received; None where either is not known."""
        if self.total is None or self.total.in_time is None or not self.total.received:
            return None
        return self.total.in_time / self.total.received


class Lags(NamedTuple):
    """Claims by days, in the buckets of LAGS: 0-30, 31-60, 61-90, over 90."""

    line: str
    """The clock rule's id."""
    counts: tuple[int, int, int, int]


class Population(NamedTuple):
    """Where every standard stands, and the two ageing views, which are never mixed."""

    as_of: date
    cohorts: tuple[Cohort, ...]
    inventory_age: tuple[Lags, ...]
    """Open claims by days since receipt."""
    lag_of_decided: tuple[Lags, ...]
    """Decided claims by days from receipt to the decision to pay or deny."""


def standards(policy: Policy) -> tuple[Standard, ...]:
    """The population standards that a policy's clock rules state, second marks included."""
    found = []
    for rule in policy.clock.rules:
        if rule.standard_pct is not None and rule.days is not None:
            found.append(Standard(rule.id, rule.standard_pct, rule.days, rule.cite))
        if rule.second_mark is not None:
            mark = rule.second_mark
            found.append(Standard(rule.id, mark.standard_pct, mark.days, mark.cite))
    return tuple(found)


def measure(
    claims: Iterable[PendedClaims], policy: Policy, as_of: date, totals: Mapping[tuple[str, str, int], MonthTotal]
) -> Population:
    """Measure the standards on a day. `totals` are by month, clock rule and days, as `month_totals` gives them.

    A claim received on day 0 is in time up to and including day `days`. The months run from the first with a claim
    or a total to the last.
    """
    held = list(claims)
    window = policy.clock.escalate_within_days
    cohorts = []
    for standard in standards(policy):
        months = {f"{group.received_on:%Y-%m}" for group in held if group.rule_id == standard.rule_id}
        months |= {month for month, rule_id, days in totals if (rule_id, days) == (standard.rule_id, standard.days)}
        for month in sorted(months):
            of_month = [
                group
                for group in held
                if group.rule_id == standard.rule_id and f"{group.received_on:%Y-%m}" == month
            ]
            total = totals.get((month, standard.rule_id, standard.days))
            cohorts.append(_cohort(standard, month, of_month, as_of=as_of, window=window, total=total))
    return Population(
        as_of,
        tuple(cohorts),
        _lags(
            (group.rule_id, (as_of - group.received_on).days, group.claims)
            for group in held
            if not group.decided_on
        ),
        _lags(
            (group.rule_id, (group.decided_on - group.received_on).days, group.claims)
            for group in held
            if group.decided_on is not None
        ),
    )


def month_totals(table: Mapping[str, object], policy: Policy, where: str) -> dict[tuple[str, str, int], MonthTotal]:
    """The settings' month totals: month, then clock rule (or rule/days for a second mark), then the two numbers.

    Raises ConfigError that names the month and the rule.
    """
    known = {_key(standard, policy): standard for standard in standards(policy)}
    totals = {}
    for month, given in table.items():
        place = f"[population.months.{month}]"
        if not _is_month(month) or not isinstance(given, dict):
            raise ConfigError(f"{place} is no month", where=where, remedy="Write [population.months.2026-08]")
        for name, numbers in given.items():
            standard = known.get(name)
            if standard is None:
                names = ", ".join(known) or "none"
                raise ConfigError(
                    f"{place} {name} is no population standard of {policy.policy_id}",
                    where=where,
                    remedy=f"Its standards are {names}",
                )
            totals[month, standard.rule_id, standard.days] = _total(numbers, f"{place} {name}", where)
    return totals


def standard_name(standard: Standard, policy: Policy) -> str:
    """How settings and reports name a standard: its clock rule, with the days where that rule has two marks."""
    return _key(standard, policy)


def _key(standard: Standard, policy: Policy) -> str:
    first = next(one for one in standards(policy) if one.rule_id == standard.rule_id)
    return standard.rule_id if standard == first else f"{standard.rule_id}/{standard.days}"


def _total(numbers: object, place: str, where: str) -> MonthTotal:
    example = "Write {received = 12000, in_time = 11800}; in_time may be left out"
    if not isinstance(numbers, dict) or not {"received"} <= set(numbers) <= {"received", "in_time"}:
        raise ConfigError(f"{place} does not give the month's numbers", where=where, remedy=example)
    for name, value in numbers.items():
        if isinstance(value, bool) or not isinstance(value, int) or value < 0:
            raise ConfigError(f"{place}: {name} is no number of claims", where=where, remedy=example)
    total = MonthTotal(numbers["received"], numbers.get("in_time"))
    if total.in_time is not None and total.in_time > total.received:
        raise ConfigError(f"{place}: more claims in time than received", where=where, remedy=example)
    return total


def _cohort(
    standard: Standard,
    month: str,
    groups: list[PendedClaims],
    *,
    as_of: date,
    window: int,
    total: MonthTotal | None,
) -> Cohort:
    def count(*, decided: bool, low: int = -1, high: int | None = None) -> int:
        """Claims, decided or open, by days from receipt to decision or as-of day: over `low`, up to `high`."""
        found = 0
        for group in groups:
            days = ((group.decided_on or as_of) - group.received_on).days
            if (group.decided_on is not None) == decided and days > low and (high is None or days <= high):
                found += group.claims
        return found

    last = standard.days
    cohort = Cohort(
        standard,
        month,
        decided_in_time=count(decided=True, high=last),
        decided_late=count(decided=True, low=last),
        open_in_time=count(decided=False, high=last),
        open_late=count(decided=False, low=last),
        last_days=count(decided=False, low=last - window - 1, high=last),
        last_day=count(decided=False, low=last - 1, high=last),
        total=total,
        settles_on=_last_day_of(month) + timedelta(days=last),
        verdict=NO_DENOMINATOR,
        reason="the month's total is not in the settings, and pended claims are not the population",
    )
    verdict, reason = _verdict(cohort, as_of)
    return cohort._replace(verdict=verdict, reason=reason)


def _verdict(cohort: Cohort, as_of: date) -> tuple[str, str]:
    total, headroom = cohort.total, cohort.headroom
    if total is None or headroom is None:
        return cohort.verdict, cohort.reason
    if total.received < cohort.pended:
        return (
            NO_DENOMINATOR,
            f"the total of {total.received:,} is less than the {cohort.pended:,} claims pended here",
        )
    needed = _needed(cohort.standard, total.received)
    if headroom < 0:
        return NOT_MET, f"{cohort.late:,} late here alone, and {cohort.may_be_late or 0:,} may be"
    if total.in_time is not None and total.in_time >= needed:
        return MET, f"{total.in_time:,} in time, {needed:,} needed"
    if as_of <= cohort.settles_on:
        return (
            PROVISIONAL,
            f"{cohort.open_in_time:,} open here in time; settles after {cohort.settles_on.isoformat()}",
        )
    if total.in_time is None:
        return PROVISIONAL, "how many were paid in time is not in the settings"
    return NOT_MET, f"{total.in_time:,} in time, {needed:,} needed"


def _needed(standard: Standard, received: int) -> int:
    """The least number in time that is the standard's share: exact, and rounded up."""
    return -(-received * standard.percent // 100)


def _lags(found: Iterable[tuple[str, int, int]]) -> tuple[Lags, ...]:
    by_rule: dict[str, list[int]] = {}
    for rule_id, days, claims in found:
        counts = by_rule.setdefault(rule_id, [0] * (len(LAGS) + 1))
        counts[next((n for n, last in enumerate(LAGS) if days <= last), len(LAGS))] += claims
    return tuple(Lags(rule_id, (a, b, c, d)) for rule_id, (a, b, c, d) in sorted(by_rule.items()))


def _is_month(text: str) -> bool:
    try:
        return len(text) == 7 and bool(date.fromisoformat(f"{text}-01"))
    except ValueError:
        return False


def _last_day_of(month: str) -> date:
    first = date.fromisoformat(f"{month}-01")
    return first.replace(day=calendar.monthrange(first.year, first.month)[1])


COLUMNS = (
    *("standard", "percent", "days", "cite", "month", "as_of", "pended", "decided_in_time", "decided_late"),
    *("open_in_time", "last_days", "last_day", "open_late", "received", "in_time", "may_be_late", "headroom"),
    *("settles_on", "verdict", "reason"),
)
"""The columns of `rows`: a row a cohort."""


def rows(population: Population, policy: Policy) -> Iterator[tuple[object, ...]]:
    """The cohorts as rows of COLUMNS; what is not known is None."""
    for cohort in population.cohorts:
        standard, total = cohort.standard, cohort.total
        yield (
            *(standard_name(standard, policy), standard.percent, standard.days, standard.cite, cohort.month),
            *(population.as_of, cohort.pended, cohort.decided_in_time, cohort.decided_late),
            *(cohort.open_in_time, cohort.last_days, cohort.last_day, cohort.open_late),
            *((total.received, total.in_time) if total is not None else (None, None)),
            *(cohort.may_be_late, cohort.headroom, cohort.settles_on, cohort.verdict, cohort.reason),
        )
