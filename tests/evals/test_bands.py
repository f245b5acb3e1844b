"""Bands: derived from earlier runs, blank where nothing was measured, and never typed in."""

import pytest

from pendtui.desk.run_file import RunHeader
from pendtui.evals.bands import (
    CODE,
    NEVER,
    NOT_MEASURED,
    ONE_RUN,
    WATCHED_COUNTS,
    Band,
    Watched,
    bands,
    comparable_before,
    what_changed,
)
from tests.evals.test_scorer import HEADER, scored

MODEL = HEADER._replace(arm="model", model="small-1", prompt_sha256="5" * 64, settings={"temperature": 0.0})
WRONG: dict[str, object] = {"cause_class": "CODE-EDIT"}


def run(
    day: int, *wrong: str, header: RunHeader = MODEL, amounts: dict[str, float | None] | None = None
) -> Watched:
    begun = header._replace(run_id=f"r{day}", started_at=f"2026-12-{day:02d}T09:00:00Z")
    return Watched(scored(dict.fromkeys(wrong, WRONG), header=begun), amounts or {})


def band(found: list[Band], name: str) -> Band:
    return next(each for each in found if each.name == name)


def test_every_watched_figure_is_one_that_a_score_has() -> None:
    names = {measure.name for measure in scored().measures}
    assert set(WATCHED_COUNTS) <= names


def test_without_an_earlier_run_nothing_has_a_band() -> None:
    found = bands(run(1), [])
    assert all(each.low is None and not each.breaks for each in found)
    assert band(found, "cause_class").basis == NEVER


@pytest.mark.parametrize(
    ("wrong", "breaks"), [((), False), (("C1",), False), (("C1", "C2"), False), (("C1", "C2", "C3"), True)]
)
def test_one_earlier_run_of_a_model_leaves_one_record_either_side(wrong: tuple[str, ...], breaks: bool) -> None:
    found = band(bands(run(2, *wrong), [run(1, "C1")]), "cause_class")
    assert (found.low, found.high, found.of) == (3, 5, 5)
    assert found.basis == "one record of 5 either side"
    assert found.breaks is breaks


def test_repeated_runs_say_how_far_a_count_goes() -> None:
    earlier = [run(1, "C1"), run(2, "C1", "C2"), run(3, "C1")]
    found = band(bands(run(4), earlier), "cause_class")
    assert (found.low, found.high, found.value, found.breaks) == (3, 4, 5, True)
    assert found.basis == "what 3 runs gave"


def test_runs_that_agree_leave_no_room() -> None:
    found = band(bands(run(3, "C1", "C2"), [run(1, "C1"), run(2, "C1")]), "cause_class")
    assert (found.low, found.high, found.breaks) == (4, 4, True)
    assert found.basis == "the same in 2 runs"


def test_code_leaves_no_room_from_the_first_run_on() -> None:
    found = bands(run(2, "C1", header=HEADER), [run(1, header=HEADER)])
    assert band(found, "cause_class").basis == CODE
    assert band(found, "cause_class").breaks
    of_a_model = bands(run(2), [run(1)])
    assert band(of_a_model, "false_releases")[3:] == (0, 0, CODE)


def test_one_false_release_breaks_its_band() -> None:
    header = MODEL._replace(started_at="2026-12-02T09:00:00Z")
    now = Watched(scored({"C4": {"release": "AUTO-RELEASE"}}, header=header), {})
    assert band(bands(now, [run(1)]), "false_releases").breaks


def test_a_figure_that_was_not_measured_has_no_band_and_breaks_none() -> None:
    found = band(bands(run(3), [run(1), run(2)]), "raw/cause_class")
    assert found == Band("raw/cause_class", None, None, None, None, NOT_MEASURED)
    assert not found.breaks


def test_an_amount_needs_two_runs_and_is_widened_by_their_difference() -> None:
    earlier = [run(1, amounts={"seconds/median": 2.0}), run(2, amounts={"seconds/median": 2.5})]
    now = run(3, amounts={"seconds/median": 3.1, "cost/mean": None})
    found = band(bands(now, earlier), "seconds/median")
    assert (found.low, found.high, found.breaks) == (1.5, 3.0, True)
    assert band(bands(now, earlier[:1]), "seconds/median").basis == ONE_RUN
    assert band(bands(now, earlier), "cost/mean").basis == NOT_MEASURED


def test_only_earlier_finished_runs_that_hold_every_guard_count() -> None:
    now = run(5)
    unfinished = Watched(run(2).score._replace(finished=False), {})
    others = [run(6), run(3), run(1), run(4, header=HEADER), unfinished]
    assert [each.score.run.run_id for each in comparable_before(now, others)] == ["r1", "r3"]


def test_what_changed_names_the_program_and_the_records() -> None:
    before = run(1, "C1")
    after = run(2, "C2")
    newer = after._replace(score=after.score._replace(run=after.score.run._replace(program="pendtui 9.9")))
    lines = what_changed(before, newer)
    assert "program: pendtui 0.1.0 then, pendtui 9.9 now" in lines
    assert "C1: cause_class won" in lines
    assert "C2: cause_class lost" in lines
    assert not [line for line in lines if line.startswith(("C3", "C4", "C5", "queue"))]


def test_what_changed_names_the_server_that_answered() -> None:
    def answered(day: int, model: str) -> Watched:
        header = MODEL._replace(started_at=f"2026-12-{day:02d}T09:00:00Z")
        return Watched(scored({"C1": {"call": {"model": model, "step": "json_schema"}}}, header=header), {})

    lines = what_changed(answered(1, "small-1-0901"), answered(2, "small-1-1201"))
    assert "model: small-1-0901 then, small-1-1201 now" in lines
    assert not [line for line in lines if line.startswith("step")]
