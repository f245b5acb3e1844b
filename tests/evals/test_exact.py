"""Exact intervals and McNemar's test, against published values and against the sums that define them."""

from fractions import Fraction
from math import comb

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pendtui.evals.exact import interval, mcnemar


@pytest.mark.parametrize(
    ("n", "of", "low", "high"),
    [
        # Newcombe, Statistics in Medicine 17 (1998), table I, method 5
        (81, 263, 0.2527, 0.3676),
        (15, 148, 0.0578, 0.1617),
        (0, 20, 0.0, 0.1684),
        (1, 29, 0.0009, 0.1776),
    ],
)
def test_the_interval_is_the_published_one(n: int, of: int, low: float, high: float) -> None:
    found = interval(n, of)
    assert found is not None
    assert (round(found.low, 4), round(found.high, 4)) == (low, high)


@given(st.integers(1, 400))
def test_none_of_n_has_the_upper_bound_that_can_be_written_down(of: int) -> None:
    found = interval(0, of)
    assert found is not None
    assert found.low == 0
    assert found.high == pytest.approx(1 - 0.025 ** (1 / of), rel=1e-9)


def at_least(n: int, of: int, rate: Fraction) -> Fraction:
    return sum((comb(of, k) * rate**k * (1 - rate) ** (of - k) for k in range(n, of + 1)), Fraction(0))


@settings(max_examples=60, deadline=None)
@given(st.integers(1, 120).flatmap(lambda of: st.tuples(st.integers(0, of), st.just(of))))
def test_each_end_leaves_two_and_a_half_percent_outside(counts: tuple[int, int]) -> None:
    n, of = counts
    found = interval(n, of)
    assert found is not None
    assert 0 <= found.low <= n / of <= found.high <= 1
    if n > 0:
        assert float(at_least(n, of, Fraction(found.low))) == pytest.approx(0.025, rel=1e-7)
    if n < of:
        assert float(1 - at_least(n + 1, of, Fraction(found.high))) == pytest.approx(0.025, rel=1e-7)


@settings(max_examples=40, deadline=None)
@given(st.integers(1, 30), st.fractions(Fraction(1, 50), Fraction(49, 50), max_denominator=50))
def test_an_interval_holds_the_true_rate_at_least_as_often_as_it_says(of: int, rate: Fraction) -> None:
    held = Fraction(0)
    for n in range(of + 1):
        found = interval(n, of)
        assert found is not None
        if found.low <= rate <= found.high:
            held += comb(of, n) * rate**n * (1 - rate) ** (of - n)
    assert held >= Fraction(95, 100)


@given(st.integers(0, 200), st.integers(0, 200))
def test_the_interval_of_the_opposite_is_the_mirror(n: int, rest: int) -> None:
    of = n + rest
    found, mirrored = interval(n, of), interval(rest, of)
    if of == 0:
        assert found is None
        return
    assert found is not None and mirrored is not None
    assert found.low == pytest.approx(1 - mirrored.high, abs=1e-12)


def test_large_counts_come_out_as_the_normal_curve_says() -> None:
    found = interval(50_000, 100_000)
    assert found is not None
    assert found.low == pytest.approx(0.5 - 1.96 * (0.25 / 100_000) ** 0.5, abs=2e-5)
    rare = interval(1, 1_000_000)
    assert rare is not None
    # exact Poisson limits of one event
    assert rare.low * 1e6 == pytest.approx(0.0253, abs=1e-4)
    assert rare.high * 1e6 == pytest.approx(5.5716, abs=1e-3)


@pytest.mark.parametrize(("n", "of"), [(None, None), (None, 3), (0, 0), (2, None)])
def test_what_was_not_measured_has_no_interval(n: int | None, of: int | None) -> None:
    assert interval(n, of) is None


@pytest.mark.parametrize(("n", "of"), [(-1, 3), (4, 3)])
def test_what_is_no_count_is_refused(n: int, of: int) -> None:
    with pytest.raises(ValueError, match="is no count"):
        interval(n, of)


@pytest.mark.parametrize(
    ("first", "second", "p"),
    [
        (0, 0, 1.0),
        (1, 0, 1.0),
        (5, 5, 1.0),
        (1, 9, 22 / 1024),
        (0, 6, 2 / 64),
        (8, 1, 20 / 512),
        (2, 10, 158 / 4096),
    ],
)
def test_mcnemar_is_the_sum_that_can_be_done_by_hand(first: int, second: int, p: float) -> None:
    assert mcnemar(first, second) == pytest.approx(p, rel=1e-12)


@given(st.integers(0, 300), st.integers(0, 300))
def test_mcnemar_does_not_care_which_run_is_named_first(first: int, second: int) -> None:
    assert mcnemar(first, second) == mcnemar(second, first)
    assert 0 <= mcnemar(first, second) <= 1
