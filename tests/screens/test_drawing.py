"""Drawings in characters: the time line and bars."""

from datetime import date, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len

from pendtui.engines.clock import read_clock
from pendtui.engines.facts import ClaimFacts
from pendtui.engines.vocabulary import LineOfBusiness
from pendtui.screens.drawing import ASCII, LINES, Pen, bar, pen_for, timeline
from tests.policies import policy

PR = policy()
RECEIVED = date(2026, 8, 3)


def drawn(elapsed: int, *, width: int = 61, pen: Pen = ASCII, trail: tuple[int, ...] = ()) -> tuple[str, str]:
    """A clean Medicaid claim, 30 days, pended the day after receipt, so many days on."""
    as_of = RECEIVED + timedelta(days=elapsed)
    facts = ClaimFacts("C", LineOfBusiness.MEDICAID, True, False, RECEIVED, RECEIVED + timedelta(days=1), as_of)
    days = [RECEIVED + timedelta(days=n) for n in trail]
    return timeline(read_clock(facts, as_of, PR), days, as_of, window_days=5, width=width, pen=pen)


def test_the_line_runs_from_receipt_to_the_deadline_with_the_window_before_it() -> None:
    line, legend = drawn(12, trail=(4,))
    assert line == "R-P-----.---------------A-------------------------==========D"
    assert legend == "R received 08-03  P pended 08-04  T today 08-15  A as of 08-15  D deadline 09-02"


def test_days_past_the_deadline_are_drawn_differently() -> None:
    line, _ = drawn(40, width=41)
    assert line == "RP-----------------------=====DxxxxxxxxxA"


@given(
    st.integers(0, 400),
    st.integers(10, 200),
    st.lists(st.integers(0, 400), max_size=9),
    st.sampled_from([ASCII, LINES]),
)
def test_a_line_is_as_wide_as_asked_and_in_the_order_of_the_days(
    elapsed: int, width: int, trail: list[int], pen: Pen
) -> None:
    line, _ = drawn(elapsed, width=width, pen=pen, trail=tuple(trail))
    assert cell_len(line) == width
    assert line[0] in "RPATD"
    if {"A", "D"} <= set(line):
        assert (line.index("A") > line.index("D")) == (elapsed > 30)


def test_a_day_long_after_the_claim_does_not_squeeze_the_line() -> None:
    as_of = RECEIVED + timedelta(days=12)
    facts = ClaimFacts("C", LineOfBusiness.MEDICAID, True, False, RECEIVED, RECEIVED, as_of)
    line, legend = timeline(read_clock(facts, as_of, PR), [], date(2027, 8, 3), window_days=5, width=61, pen=ASCII)
    assert "T" not in line and "today" not in legend and line.endswith("D")


@pytest.mark.parametrize(
    ("environ", "pen"),
    [
        ({"LANG": "C.UTF-8"}, LINES),
        ({"LC_ALL": "POSIX", "LANG": "C.UTF-8"}, ASCII),
        ({"LC_CTYPE": "en_US.utf8"}, LINES),
        ({}, ASCII),
    ],
)
def test_lines_are_drawn_only_where_the_locale_has_them(environ: dict[str, str], pen: Pen) -> None:
    assert pen_for(environ) is pen


@pytest.mark.parametrize(
    ("value", "drawn_bar"),
    [(0, ""), (1, "-"), (50, "#####"), (55, "#####-"), (100, "##########"), (900, "##########")],
)
def test_a_bar_is_as_long_as_its_share(value: int, drawn_bar: str) -> None:
    assert bar(value, 100, 10, ASCII) == drawn_bar
