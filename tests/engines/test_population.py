"""The percentile standards: what a cohort counts, and what may be said of it."""

from collections.abc import Sequence
from datetime import date, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pendtui.engines.facts import ClaimFacts
from pendtui.engines.population import (
    COLUMNS,
    MET,
    NO_DENOMINATOR,
    NOT_MET,
    PROVISIONAL,
    Cohort,
    MonthTotal,
    PendedClaims,
    Population,
    Standard,
    measure,
    month_totals,
    rows,
    standard_name,
    standards,
)
from pendtui.engines.vocabulary import CauseClass, LineOfBusiness
from pendtui.errors import ConfigError
from tests.policies import policy

PR = policy("pr-2026")
AUGUST = "2026-08"
FIRST = date(2026, 8, 1)
CLAIM = PendedClaims("CL-3", FIRST, None, 1)


def august(population: Population, rule_id: str = "CL-3", days: int = 30) -> Cohort:
    return next(
        cohort
        for cohort in population.cohorts
        if (cohort.month, cohort.standard.rule_id, cohort.standard.days) == (AUGUST, rule_id, days)
    )


def measured(
    claims: Sequence[PendedClaims], as_of: date, total: MonthTotal | None = None, days: int = 30
) -> Cohort:
    totals = {(AUGUST, "CL-3", days): total} if total is not None else {}
    return august(measure(claims, PR, as_of, totals), days=days)


def test_the_policy_states_three_standards() -> None:
    assert standards(PR) == (
        Standard("CL-1", 95, 30, "42 CFR 422.520(a)(1)"),
        Standard("CL-3", 90, 30, "42 CFR 447.45(d)(2)"),
        Standard("CL-3", 99, 90, "42 CFR 447.45(d)(3)"),
    )
    assert [standard_name(each, PR) for each in standards(PR)] == ["CL-1", "CL-3", "CL-3/90"]
    assert {(each.percent, each.days) for each in standards(policy("rg-2026"))} == {(95, 30), (90, 30), (99, 90)}


@pytest.mark.parametrize(
    ("elapsed", "open_in_time", "last_days", "last_day", "open_late"),
    [(0, 1, 0, 0, 0), (24, 1, 0, 0, 0), (25, 1, 1, 0, 0), (30, 1, 1, 1, 0), (31, 0, 0, 0, 1)],
)
def test_an_open_claim_is_in_time_up_to_and_with_its_last_day(
    elapsed: int, open_in_time: int, last_days: int, last_day: int, open_late: int
) -> None:
    cohort = measured([CLAIM], FIRST + timedelta(days=elapsed))
    counted = (cohort.open_in_time, cohort.last_days, cohort.last_day, cohort.open_late)
    assert counted == (open_in_time, last_days, last_day, open_late)


@pytest.mark.parametrize(("lag", "in_time"), [(0, True), (30, True), (31, False), (90, False)])
def test_a_decided_claim_counts_by_its_lag_whenever_it_is_looked_at(lag: int, in_time: bool) -> None:
    decided = CLAIM._replace(decided_on=FIRST + timedelta(days=lag))
    for looked_at in (decided.decided_on or FIRST, date(2027, 1, 1)):
        cohort = measured([decided], looked_at)
        assert (cohort.decided_in_time, cohort.decided_late) == (int(in_time), int(not in_time))
        assert cohort.open_in_time + cohort.open_late == 0


def test_a_clean_medicaid_claim_has_two_marks() -> None:
    population = measure([CLAIM], PR, FIRST + timedelta(days=60), {})
    assert (august(population, days=30).open_late, august(population, days=90).open_late) == (1, 0)


EARLY, SETTLED = date(2026, 8, 20), date(2026, 10, 1)


@pytest.mark.parametrize(
    ("total", "late", "as_of", "verdict", "headroom"),
    [
        (None, 0, SETTLED, NO_DENOMINATOR, None),
        (None, 500, SETTLED, NO_DENOMINATOR, None),
        (MonthTotal(1000), 0, EARLY, PROVISIONAL, 100),
        (MonthTotal(1000), 100, SETTLED, PROVISIONAL, 0),
        (MonthTotal(1000), 101, SETTLED, NOT_MET, -1),
        (MonthTotal(1000, 899), 0, EARLY, PROVISIONAL, 100),
        (MonthTotal(1000, 899), 0, SETTLED, NOT_MET, 100),
        (MonthTotal(1000, 900), 0, EARLY, MET, 100),
        (MonthTotal(1000, 900), 100, SETTLED, MET, 0),
        (MonthTotal(1001, 900), 0, SETTLED, NOT_MET, 100),
        (MonthTotal(1001, 901), 0, SETTLED, MET, 100),
        (MonthTotal(3), 5, SETTLED, NO_DENOMINATOR, -5),
    ],
)
def test_nothing_is_met_or_failed_without_the_months_total(
    total: MonthTotal | None, late: int, as_of: date, verdict: str, headroom: int | None
) -> None:
    claims = [PendedClaims("CL-3", FIRST - timedelta(days=365), None, 1)]
    if late:
        claims.append(CLAIM._replace(claims=late, decided_on=FIRST + timedelta(days=45)))
    cohort = measured(claims, as_of, total) if late or total else measured([*claims, CLAIM], as_of, total)
    assert cohort.verdict == verdict
    assert cohort.headroom == headroom
    assert cohort.reason


def test_a_month_settles_when_its_last_claim_can_no_longer_be_in_time() -> None:
    assert measured([CLAIM], FIRST, MonthTotal(10)).settles_on == date(2026, 9, 30)
    assert measured([], date(2026, 9, 30), MonthTotal(10, 2)).verdict == PROVISIONAL
    assert measured([], date(2026, 10, 1), MonthTotal(10, 2)).verdict == NOT_MET


_groups = st.lists(
    st.builds(
        PendedClaims,
        st.sampled_from(["CL-1", "CL-2", "CL-3", "CL-4"]),
        st.dates(date(2026, 1, 1), date(2026, 9, 1)),
        st.none() | st.dates(date(2026, 9, 1), date(2026, 10, 1)),
        st.integers(1, 9),
    ),
    max_size=30,
)


@given(_groups, st.dates(date(2026, 10, 1), date(2026, 12, 31)))
def test_every_claim_is_counted_once_in_each_standard_of_its_rule(groups: list[PendedClaims], as_of: date) -> None:
    population = measure(groups, PR, as_of, {})
    for standard in standards(PR):
        pended = sum(cohort.pended for cohort in population.cohorts if cohort.standard == standard)
        assert pended == sum(group.claims for group in groups if group.rule_id == standard.rule_id)
    open_claims = sum(group.claims for group in groups if group.decided_on is None)
    decided = sum(group.claims for group in groups if group.decided_on is not None)
    assert sum(sum(lags.counts) for lags in population.inventory_age) == open_claims
    assert sum(sum(lags.counts) for lags in population.lag_of_decided) == decided


@given(_groups)
def test_rows_have_the_columns_that_are_promised(groups: list[PendedClaims]) -> None:
    population = measure(groups, PR, date(2026, 10, 1), {(AUGUST, "CL-1", 30): MonthTotal(7, 3)})
    assert {len(row) for row in rows(population, PR)} == {len(COLUMNS)}


def test_month_totals_name_month_and_standard() -> None:
    given_ = {AUGUST: {"CL-1": {"received": 10, "in_time": 9}, "CL-3/90": {"received": 20}}}
    assert month_totals(given_, PR, "test") == {
        (AUGUST, "CL-1", 30): MonthTotal(10, 9),
        (AUGUST, "CL-3", 90): MonthTotal(20),
    }


@pytest.mark.parametrize(
    ("table", "said"),
    [
        ({"August": {}}, "months.August. is no month"),
        ({"2026-13": {}}, "is no month"),
        ({"2026-8": {}}, "is no month"),
        ({AUGUST: 3}, "is no month"),
        ({AUGUST: {"CL-2": {"received": 1}}}, "CL-2 is no population standard of PR-2026"),
        ({AUGUST: {"CL-1": 12}}, "does not give the month's numbers"),
        ({AUGUST: {"CL-1": {"in_time": 12}}}, "does not give the month's numbers"),
        ({AUGUST: {"CL-1": {"received": "12"}}}, "received is no number of claims"),
        ({AUGUST: {"CL-1": {"received": True}}}, "received is no number of claims"),
        ({AUGUST: {"CL-1": {"received": 1, "in_time": 2}}}, "more claims in time than received"),
    ],
)
def test_month_totals_that_cannot_be_are_refused_by_name(table: dict[str, object], said: str) -> None:
    with pytest.raises(ConfigError, match=said):
        month_totals(table, PR, "config.toml")


@pytest.mark.parametrize(
    ("line", "clean", "cause", "said"),
    [
        ("MEDICAID", True, "DOC-REQUIRED", "flagged as clean"),
        ("MEDICAID", True, "COB-UNRESOLVED", "flagged as clean"),
        ("MEDICAID", False, "PRICE-UNAVAILABLE", "flagged as not clean"),
        ("MEDICAID", True, "PRICE-UNAVAILABLE", ""),
        ("MEDICAID", False, "DOC-REQUIRED", ""),
        ("MEDICAID", True, "PROV-ENROLL", ""),
        ("MA", True, "DOC-REQUIRED", "flagged as clean"),
        ("MA", False, "PRICE-UNAVAILABLE", ""),
        ("MA", True, None, ""),
    ],
)
def test_a_clean_flag_that_contradicts_the_cause_is_told(
    line: str, clean: bool, cause: str | None, said: str
) -> None:
    facts = ClaimFacts("C", LineOfBusiness(line), clean, False, FIRST, FIRST, FIRST)
    warning = PR.clean_warning(facts, CauseClass(cause) if cause else None)
    assert said in warning if said else not warning
