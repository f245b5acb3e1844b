"""The payment clock: from receipt, in calendar days."""

from datetime import date, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pendtui.engines.clock import as_of_day, clock_state, most_urgent_clock, read_clock
from pendtui.engines.facts import ClaimFacts, claim_of
from pendtui.engines.record import parse_record
from pendtui.engines.vocabulary import ClockState, Evidence, LineOfBusiness
from tests.policies import policy
from tests.records import facts, record_text, row

PR, RG = policy("pr-2026"), policy("rg-2026")
RECEIVED = date(2026, 3, 1)
SEVERITY = {ClockState.WITHIN_CLOCK: 0, ClockState.ESCALATE_NOW: 1, ClockState.BREACHED: 2}

FACTS = st.builds(
    ClaimFacts,
    claim_id=st.just("CLM-1"),
    line_of_business=st.sampled_from(LineOfBusiness),
    clean=st.booleans(),
    contracted=st.booleans(),
    received_on=st.dates(date(2024, 1, 1), date(2026, 12, 31)),
    pended_on=st.dates(date(2024, 1, 1), date(2027, 12, 31)),
    register_read_on=st.dates(date(2024, 1, 1), date(2027, 12, 31)),
    evidence=st.none() | st.sampled_from(Evidence),
    private_fee_for_service=st.none() | st.booleans(),
    medicaid_delivery=st.none() | st.sampled_from(["managed-care", "fee-for-service"]),
    contract_days=st.none() | st.integers(1, 120),
)


@pytest.mark.parametrize(
    ("business", "clean", "contracted", "rule", "days"),
    [
        ("MA", True, False, "CL-1", 30),
        ("MA", True, True, "CL-2", 60),
        ("MA", False, False, "CL-2", 60),
        ("MA", False, True, "CL-2", 60),
        ("MEDICAID", True, True, "CL-3", 30),
        ("MEDICAID", True, False, "CL-3", 30),
        ("MEDICAID", False, True, "CL-4", 90),
        ("MEDICAID", False, False, "CL-4", 90),
    ],
)
def test_the_deadline_of_pr_2026_follows_line_clean_and_contracted(
    business: str, clean: bool, contracted: bool, rule: str, days: int
) -> None:
    claim = facts(line_of_business=business, clean=clean, contracted=contracted)
    clock = read_clock(claim, date(2026, 9, 1), PR)
    assert (clock.rule.id, clock.deadline_days) == (rule, days)


@pytest.mark.parametrize(
    ("elapsed", "state"),
    [
        (0, ClockState.WITHIN_CLOCK),
        (24, ClockState.WITHIN_CLOCK),
        (25, ClockState.ESCALATE_NOW),
        (30, ClockState.ESCALATE_NOW),
        (31, ClockState.BREACHED),
    ],
)
def test_a_thirty_day_claim_is_in_time_on_day_thirty_and_breached_a_day_later(
    elapsed: int, state: ClockState
) -> None:
    claim = facts(line_of_business="MEDICAID", received_on="2026-03-01", pended_on="2026-03-01")
    clock = read_clock(claim, RECEIVED + timedelta(days=elapsed), PR)
    assert clock.state is state
    assert clock.elapsed_days == elapsed
    assert clock.days_left == 30 - elapsed
    assert clock.deadline_on == date(2026, 3, 31)


def test_the_clock_runs_from_receipt_and_the_sum_from_the_pend_date_stands_beside_it() -> None:
    claim = facts(line_of_business="MEDICAID", received_on="2026-08-01", pended_on="2026-08-20")
    clock = read_clock(claim, date(2026, 9, 1), PR)
    assert (clock.state, clock.elapsed_days) == (ClockState.BREACHED, 31)
    assert (clock.pend_state, clock.pend_elapsed_days) == (ClockState.WITHIN_CLOCK, 12)


@pytest.mark.parametrize(
    ("changes", "rule", "days"),
    [
        ({"contracted": False}, "RC-1", 30),
        ({"contracted": True, "private_fee_for_service": True}, "RC-1", 30),
        ({"contracted": False, "clean": False}, "RC-2", 60),
        ({"contracted": True}, "RC-3", None),
        ({"contracted": True, "contract_days": 45}, "RC-3", 45),
        ({"line_of_business": "MEDICAID"}, "RC-4", 30),
        ({"line_of_business": "MEDICAID", "clean": False, "medicaid_delivery": "fee-for-service"}, "RC-5", 365),
        ({"line_of_business": "MEDICAID", "clean": False}, "RC-6", None),
    ],
)
def test_the_policy_close_to_the_regulations_invents_no_days(
    changes: dict[str, object], rule: str, days: int | None
) -> None:
    clock = read_clock(facts(**changes), date(2026, 9, 1), RG)
    assert (clock.rule.id, clock.deadline_days) == (rule, days)
    assert (clock.state is None) == (days is None)


def test_twelve_months_from_the_last_day_of_february_end_on_a_day_that_exists() -> None:
    claim = facts(
        line_of_business="MEDICAID",
        clean=False,
        medicaid_delivery="fee-for-service",
        received_on="2024-02-29",
        pended_on="2024-03-01",
    )
    assert read_clock(claim, date(2024, 6, 1), RG).deadline_on == date(2025, 2, 28)


@given(FACTS, st.dates(date(2024, 1, 1), date(2028, 1, 1)))
def test_any_claim_has_exactly_one_clock(claim: ClaimFacts, as_of: date) -> None:
    clock = read_clock(claim, as_of, PR)
    assert clock.state is not None
    assert clock.days_left is not None and clock.deadline_days is not None
    assert clock.days_left == clock.deadline_days - clock.elapsed_days
    assert clock.must_escalate == (clock.days_left <= 5)
    applying = [rule for rule in PR.clock.rules if rule.applies(claim, PR.plan)]
    assert clock.rule is applying[0]


@given(FACTS, st.dates(date(2024, 1, 1), date(2028, 1, 1)), st.integers(0, 400))
def test_a_later_day_never_makes_a_clock_less_urgent(claim: ClaimFacts, as_of: date, later: int) -> None:
    for rulebook in (PR, RG):
        first = read_clock(claim, as_of, rulebook)
        second = read_clock(claim, as_of + timedelta(days=later), rulebook)
        if first.state is not None and second.state is not None:
            assert SEVERITY[first.state] <= SEVERITY[second.state]


@given(st.integers(1, 400), st.integers(-50, 800), st.integers(1, 30))
def test_a_state_is_breached_only_past_the_deadline(deadline: int, elapsed: int, window: int) -> None:
    state = clock_state(deadline, elapsed, window)
    assert (state is ClockState.BREACHED) == (elapsed > deadline)
    assert (state is ClockState.WITHIN_CLOCK) == (deadline - elapsed > window)


def test_the_as_of_day_is_the_register_reading_today_or_a_date() -> None:
    claim, today = facts(), date(2026, 12, 1)
    assert as_of_day(claim, "register", today) == date(2026, 9, 1)
    assert as_of_day(claim, "today", today) == today
    assert as_of_day(claim, date(2026, 10, 5), today) == date(2026, 10, 5)


def test_where_record_and_row_disagree_the_more_urgent_clock_is_shown() -> None:
    record = parse_record(record_text(), "PC-0001")
    for received in ("2026-06-01", "2026-08-11"):
        claim = claim_of(record, row(received_on=received))
        clock = most_urgent_clock(claim, "register", date(2026, 12, 1), PR)
        assert clock is not None
        assert clock.received_on == min(date(2026, 8, 10), date.fromisoformat(received))
