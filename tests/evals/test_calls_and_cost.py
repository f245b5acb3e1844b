"""What calls took and cost: measured from the server's counts, and worked out under other prices."""

from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pendtui.desk.model.calls import Usage
from pendtui.desk.model.tariff import Rate, Tariff, parse_tariff
from pendtui.desk.run_file import Run, RunRecord
from pendtui.evals.calls import AMOUNTS, CallNote, amounts, calls_of, distribution, histogram
from pendtui.evals.cost import (
    ARITHMETIC,
    MEASURED,
    Figure,
    costs_under,
    only_unsure,
    projected,
    spent,
    split,
    under,
)
from tests.evals.test_scorer import HEADER

PEAK = parse_tariff(
    """
    name = "by the hour"
    currency = "EUR"
    [[rate]]
    name = "peak"
    begins = "08:00"
    ends = "18:00"
    prompt = 2.0
    cached = 0.2
    completion = 20.0
    [[rate]]
    name = "night"
    prompt = 1.0
    cached = 0.1
    completion = 10.0
    """,
    "test",
)
USAGE = {"prompt_tokens": 2_000, "completion_tokens": 300, "cached_tokens": 1_500, "reasoning_tokens": 200}
AT_NIGHT = (500 * 1.0 + 1_500 * 0.1 + 300 * 10.0) / 1e6
AT_PEAK = 2 * AT_NIGHT


def noted(hour: int, seconds: float | None = 1.0, **changes: object) -> dict[str, object]:
    at = f"2026-12-01T{hour:02d}:30:00.000Z"
    rate = PEAK.rate_at(datetime.fromisoformat(at)).name
    amount = AT_PEAK if rate == "peak" else AT_NIGHT
    return {
        "started_at": at,
        "seconds": seconds,
        "first_token_seconds": None,
        "usage": USAGE,
        "cost": {"amount": amount, "currency": "EUR", "rate": rate},
        "attempts": [],
        "held": False,
    } | changes


def calls(*notes: dict[str, object] | None) -> tuple[CallNote, ...]:
    records = tuple(RunRecord(f"C{n}", "model", call=note) for n, note in enumerate(notes, 1))
    return calls_of(Run(HEADER, records, None))


def named(figures: list[Figure], name: str) -> Figure:
    return next(figure for figure in figures if figure.name == name)


def test_a_record_nobody_was_asked_about_has_no_call() -> None:
    assert [call.id for call in calls(noted(9), None, noted(3))] == ["C1", "C3"]


def test_quantiles_are_amounts_that_were_measured() -> None:
    spread = distribution("seconds", calls(*(noted(9, float(n)) for n in (5, 1, 4, 2, 3))))
    assert [spread.quantile(share) for share in (0, 0.2, 0.5, 0.8, 0.81, 1)] == [1, 1, 3, 4, 5, 5]
    assert spread.total == 15


def test_what_a_server_does_not_report_is_not_measured_and_not_0() -> None:
    found = calls(noted(9, usage={"prompt_tokens": 5}, cost=None, seconds=None), noted(9))
    for name in ("seconds", "completion_tokens", "cached_tokens", "cost"):
        assert distribution(name, found).unmeasured == ("C1",)
    nothing = calls(noted(9, usage=None, cost=None, seconds=None))
    for name in AMOUNTS:
        spread = distribution(name, nothing)
        assert (spread.values, spread.quantile(0.5), spread.total) == ((), None, None)
        assert histogram(spread) == ()
    assert set(amounts(nothing).values()) == {None}
    assert amounts(found)["cost/mean"] is None


@given(st.lists(st.floats(0.01, 900), min_size=1, max_size=60), st.integers(1, 20))
def test_a_histogram_holds_every_call_once_within_its_step(seconds: list[float], bins: int) -> None:
    spread = distribution("seconds", calls(*(noted(9, each) for each in seconds)))
    steps = histogram(spread, bins)
    assert sorted(record_id for step in steps for record_id in step.ids) == sorted(i for _, i in spread.values)
    values = {record_id: value for value, record_id in spread.values}
    for step in steps:
        for record_id in step.ids:
            assert step.low - 1e-6 <= values[record_id] <= step.high + 1e-6


def test_a_call_that_failed_is_dated_by_its_first_attempt() -> None:
    (call,) = calls({"failure": "timeout", "status": None, "attempts": [{"at": "2026-12-01T09:00:00.000Z"}]})
    assert call.failed and call.started_at == datetime(2026, 12, 1, 9, tzinfo=UTC)
    assert call.seconds is None


_counts = st.none() | st.integers(0, 100_000)


@given(
    st.builds(Usage, _counts, _counts, _counts, _counts, _counts),
    st.builds(
        Rate,
        st.just("any"),
        st.floats(0, 50),
        st.floats(0, 50),
        st.none() | st.floats(0, 50),
        st.none() | st.floats(0, 50),
        st.just(tuple(range(7))),
        st.just(0),
        st.just(24 * 60),
    ),
)
def test_the_parts_of_a_call_add_up_to_what_the_tariff_says_it_cost(usage: Usage, rate: Rate) -> None:
    parts = split(usage, rate)
    cost = Tariff("any", "EUR", None, (rate,)).cost(usage, datetime(2026, 12, 1, tzinfo=UTC))
    if parts is not None:
        assert cost is not None
        assert parts.total == pytest.approx(cost.amount, rel=1e-9, abs=1e-12)
        assert min(parts) >= 0


def test_what_was_spent_is_the_sum_at_the_rates_then_in_force() -> None:
    figures = spent(calls(noted(9), noted(3), noted(3, held=True), noted(3, cost=None)))
    assert named(figures, "calls").value == 3
    cost = named(figures, "cost")
    assert cost.value == pytest.approx(AT_PEAK + AT_NIGHT)
    assert (cost.unit, cost.basis, cost.note) == ("EUR", MEASURED, "of 2 calls; 1 of unknown cost")
    assert named(figures, "at rate peak").value == pytest.approx(AT_PEAK)
    assert named(figures, "cached share of the prompt").value == 0.75
    assert named(figures, "reasoning share of the completion").value == pytest.approx(2 / 3)


def test_a_run_without_a_tariff_has_no_cost() -> None:
    figures = spent(calls(noted(9, cost=None)))
    assert named(figures, "cost").value is None


def test_a_tariff_prices_the_same_calls_at_their_hours_and_says_what_drives_the_cost() -> None:
    figures = under(PEAK, calls(noted(9, cost=None), noted(3, cost=None)))
    assert named(figures, "cost").value == pytest.approx(AT_PEAK + AT_NIGHT)
    assert named(figures, "prompt read anew (cache misses)").value == pytest.approx((500 * 2 + 500) / 1e6)
    assert named(figures, "reasoning").value == pytest.approx((200 * 20 + 200 * 10) / 1e6)
    assert named(figures, "all at rate night").value == pytest.approx(2 * AT_NIGHT)
    assert named(figures, "all at rate peak").value == pytest.approx(2 * AT_PEAK)
    assert {figure.basis for figure in figures} == {ARITHMETIC}
    parts = ("prompt read anew (cache misses)", "prompt from the cache", "prompt written to the cache", "answers")
    total = sum(named(figures, name).value or 0 for name in (*parts, "reasoning"))
    assert total == pytest.approx(AT_PEAK + AT_NIGHT)


def test_a_call_whose_hour_or_counts_are_unknown_has_no_price() -> None:
    unknown = calls(noted(9, started_at=None), noted(9, usage={"prompt_tokens": 9, "completion_tokens": 9}))
    assert costs_under(PEAK, unknown) == {"C1": None, "C2": None}
    assert under(PEAK, unknown)[0].value is None


def test_a_projection_is_the_mean_times_the_records_and_says_that_it_is_arithmetic() -> None:
    figures = spent(calls(noted(3), noted(3)))
    found = projected(figures, 2, 10_000)
    assert found.value == pytest.approx(AT_NIGHT * 10_000)
    assert (found.basis, found.note) == (ARITHMETIC, "at the mean of 2 calls")
    assert projected(spent(calls(noted(3, cost=None))), 1, 10_000).value is None


def test_asking_only_where_the_floor_is_unsure_saves_the_others() -> None:
    made = calls(noted(3), noted(3), noted(9), noted(9))
    costs = {call.id: call.cost for call in made}
    figures = only_unsure(made, costs, {"C1", "C3", "elsewhere"})
    assert named(figures, "calls with --only-unsure").value == 2
    saved = named(figures, "saved by --only-unsure")
    assert saved.value == pytest.approx(AT_NIGHT + AT_PEAK)
    assert saved.note == "50.0% of the cost"
    unknown = only_unsure(made, {**costs, "C2": None}, {"C1"})
    assert named(unknown, "saved by --only-unsure").value is None


def test_a_rate_is_that_of_the_utc_hour() -> None:
    east = timedelta(hours=9)
    at = (datetime(2026, 12, 1, 9, tzinfo=UTC) + east).isoformat().replace("+00:00", "+09:00")
    (call,) = calls(noted(3, started_at=at))
    assert call.started_at is not None
    assert costs_under(PEAK, (call,)) == {"C1": pytest.approx(AT_PEAK)}
