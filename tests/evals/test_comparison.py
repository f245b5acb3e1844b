"""Two runs side by side: each figure and each parted record worked out by hand on five claims."""

import pytest

from pendtui.errors import RunError
from pendtui.evals.comparison import Paired, compare
from pendtui.evals.exact import interval, mcnemar
from tests.evals.test_scorer import HEADER, scored

FIRST = scored({"C1": {"cause_class": "CODE-EDIT"}, "C2": {"clock": "WITHIN-CLOCK"}})
SECOND = scored(
    {"C1": {"cause_class": "CODE-EDIT"}, "C3": {"cause_class": None}, "C4": {"cause_class": "COB-UNRESOLVED"}}
)


def paired(name: str) -> Paired:
    return next(each for each in compare(FIRST, SECOND).paired if each.name == name)


def test_each_field_is_split_by_who_has_it_right() -> None:
    cause = paired("cause_class")
    assert (cause.both, cause.only_first, cause.only_second, cause.neither) == (
        ("C2", "C5"),
        ("C3", "C4"),
        (),
        ("C1",),
    )
    assert cause.p == mcnemar(2, 0) == 0.5
    clock = paired("clock")
    assert (clock.only_first, clock.only_second, clock.p) == ((), ("C2",), 1.0)
    whole = paired("all_correct")
    assert (whole.both, whole.only_first, whole.only_second, whole.neither) == (
        ("C5",),
        ("C3", "C4"),
        ("C2",),
        ("C1",),
    )


def test_each_figure_stands_beside_the_others_with_its_interval() -> None:
    figures = {each.name: each for each in compare(FIRST, SECOND).figures}
    cause = figures["cause_class"]
    assert (cause.first.n, cause.second.n) == (4, 2)
    assert cause.difference == pytest.approx(-0.4)
    assert (cause.first_interval, cause.second_interval) == (interval(4, 5), interval(2, 5))


def test_what_was_not_measured_is_never_differenced() -> None:
    figures = {each.name: each for each in compare(FIRST, SECOND).figures}
    for name in ("raw/cause_class", "confidence/brier", "null/citation"):
        assert figures[name].difference is None
        assert figures[name].first_interval is None
    # one wrong clock in the first run and none in the second: the denominators are other records
    assert figures["wrong_clock_by_pend_date"].difference is None


def test_a_figure_that_one_run_lacks_is_blank_on_its_side() -> None:
    sure = scored({"C1": {"confidence": 0.97}})
    figures = {each.name: each for each in compare(FIRST, sure).figures}
    band = figures["confidence/0.95-1.00"]
    assert (band.first.n, band.second.n, band.difference) == (None, 1, None)


def test_each_record_that_parts_them_is_listed_with_the_key() -> None:
    parted = compare(FIRST, SECOND).parted
    assert [(each.id, each.field) for each in parted] == [
        ("C2", "clock"),
        ("C3", "cause_class"),
        ("C4", "cause_class"),
    ]
    assert parted[0][2:] == ("WITHIN-CLOCK", "BREACHED", "BREACHED", False, True)
    assert parted[1].second is None


def test_an_error_and_a_record_never_got_to_are_said() -> None:
    failed = compare(FIRST, scored({"C5": {"error": "timed out"}}, left_out=("C4",))).parted
    said = {each.id: each.second for each in failed if each.field == "release"}
    assert said == {"C5": "(timed out)", "C4": None}


def test_runs_on_other_ground_are_not_compared() -> None:
    with pytest.raises(RunError, match="queue hash"):
        compare(FIRST, scored(header=HEADER._replace(queue_sha256="9" * 64)), across_readers=True)
