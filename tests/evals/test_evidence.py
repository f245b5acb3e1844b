"""The values behind reports and screen: cells, confusion, reliability, what the recheck did, history."""

from pathlib import Path

import pytest

from pendtui.config import Config
from pendtui.desk.offline_runs import start
from pendtui.engines.vocabulary import CauseClass
from pendtui.evals.evidence import NO_ANSWER, NOTHING_READ, board, columns, confusion, effects, history, reliability
from pendtui.evals.exact import interval
from pendtui.evals.gold import GoldAnswer
from pendtui.evals.ground import Ground, grade
from pendtui.evals.scorecard import rows, rows_with_intervals
from tests.evals.queue_runs import built_ground, run_on


@pytest.fixture(scope="module")
def ground(tmp_path_factory: pytest.TempPathFactory) -> Ground:
    return built_ground(tmp_path_factory.mktemp("built") / "queue")


def every_third_wrong(key: GoldAnswer) -> dict[str, object]:
    """The recheck restores the resolution of every third record and spoils the one after it."""
    n = int(key.id[-2:])
    raw = {"cause_class": key.cause_class, "resolution": key.resolution, "clock": key.clock, "release": key.release}
    if n % 3 == 0:
        return {"raw": {**raw, "resolution": "DENY-CLAIM" if key.resolution != "DENY-CLAIM" else "DENY-LINE"}}
    if n % 3 == 1:
        return {"resolution": None}
    return {"raw": None} if n == 2 else {}


def test_a_model_s_run_gives_two_columns_and_an_offline_one_gives_one(ground: Ground) -> None:
    offline = start(Config(queue=ground.folder), "phrase").run()
    arms = columns(ground, [offline, run_on(ground)])
    assert [arm.title for arm in arms] == ["phrase", "model (small-1) raw", "model (small-1) rechecked"]
    assert [arm.raw for arm in arms] == [False, True, False]


def test_every_cell_of_the_board_is_the_figure_that_the_score_prints(ground: Ground) -> None:
    runs = [start(Config(queue=ground.folder), "phrase").run(), run_on(ground, every_third_wrong)]
    arms = columns(ground, runs)
    shown = dict(board(arms).rows)
    for place, arm in enumerate(arms):
        printed = {row[0]: row for row in rows_with_intervals(arm.score, percent=False)}
        for name, cells in shown.items():
            cell = cells[place]
            if cell is None:
                assert name not in printed
                continue
            ends = cell.interval or (None, None)
            assert printed[name][1:6] == (cell.measure.n, cell.measure.of, cell.measure.share, *ends)
            if cell.measure.n is not None and cell.measure.of is not None:
                assert len(cell.measure.counted) == cell.measure.n
                assert len(cell.others) == cell.measure.of - cell.measure.n
                assert set(cell.measure.counted) <= set(cell.measure.over) <= set(ground.gold)


def test_the_rows_with_intervals_are_the_rows_without_and_two_ends(ground: Ground) -> None:
    graded = grade(ground, run_on(ground, every_third_wrong))
    for percent in (True, False):
        for plain, wide in zip(
            rows(graded, percent=percent), rows_with_intervals(graded, percent=percent), strict=True
        ):
            assert (*wide[:4], wide[6]) == plain
    for wide, measure in zip(rows_with_intervals(graded, percent=False), graded.measures, strict=True):
        assert wide[4:6] == tuple(interval(measure.n, measure.of) or (None, None))


def test_the_confusion_matrix_holds_every_record_once(ground: Ground) -> None:
    def change(key: GoldAnswer) -> dict[str, object]:
        changes: dict[str, dict[str, object]] = {
            "PC-0001": {"cause_class": None},
            "PC-0002": {"error": "timed out"},
            "PC-0003": {"cause_class": "WEATHER"},
        }
        return changes.get(key.id, {})

    found = confusion(grade(ground, run_on(ground, change)))
    assert sorted(record_id for ids in found.cells.values() for record_id in ids) == sorted(ground.gold)
    assert found.keys == tuple(CauseClass)
    assert found.read == (*CauseClass, "WEATHER", NOTHING_READ, NO_ANSWER)
    assert found.cells[ground.gold["PC-0001"].cause_class, NOTHING_READ] == ("PC-0001",)
    assert found.cells[ground.gold["PC-0002"].cause_class, NO_ANSWER] == ("PC-0002",)
    assert found.cells[ground.gold["PC-0003"].cause_class, "WEATHER"] == ("PC-0003",)
    diagonal = {record_id for (key, read), ids in found.cells.items() if key == read for record_id in ids}
    assert diagonal == set(ground.gold) - {"PC-0001", "PC-0002", "PC-0003"}


def test_reliability_sets_what_was_said_beside_what_was_right(ground: Ground) -> None:
    def change(key: GoldAnswer) -> dict[str, object]:
        n = int(key.id[-2:])
        if n == 1:
            return {}
        if n == 2:
            return {"confidence": 0.99, "error": "timed out"}
        if n <= 6:
            return {"confidence": 0.9 + n / 1000, "cause_class": None if n == 6 else key.cause_class}
        return {"confidence": 0.99}

    found = reliability(grade(ground, run_on(ground, change)))
    assert [(point.low, point.high, point.right.n, point.right.of) for point in found.points] == [
        (0.9, 0.95, 3, 4),
        (0.95, 1.0, 14, 14),
    ]
    assert found.points[0].said == pytest.approx(0.9045)
    assert found.points[0].right.over == ("PC-0003", "PC-0004", "PC-0005", "PC-0006")
    assert found.unsaid == ("PC-0001",)
    assert found.brier is not None and 0.04 < found.brier < 0.06


def test_a_reader_that_never_says_how_sure_it_is_has_no_reliability(ground: Ground) -> None:
    found = reliability(grade(ground, run_on(ground)))
    assert (found.points, found.brier, len(found.unsaid)) == ((), None, len(ground.gold))


def test_where_the_recheck_helped_and_where_it_hurt_is_told_record_by_record(ground: Ground) -> None:
    found = {effect.field: effect for effect in effects(grade(ground, run_on(ground, every_third_wrong)))}
    resolution = found["resolution"]
    assert resolution.helped == ("PC-0003", "PC-0006", "PC-0009", "PC-0012", "PC-0015", "PC-0018")
    assert resolution.hurt == ("PC-0001", "PC-0004", "PC-0007", "PC-0010", "PC-0013", "PC-0016", "PC-0019")
    assert resolution.no_reply == ("PC-0002",)
    assert (len(resolution.both_right), resolution.both_wrong) == (6, ())
    for effect in found.values():
        parts = (effect.helped, effect.hurt, effect.both_right, effect.both_wrong, effect.no_reply)
        assert sorted(record_id for part in parts for record_id in part) == sorted(ground.gold)


def test_the_history_is_in_the_order_of_time_and_has_no_point_for_what_was_not_measured(ground: Ground) -> None:
    late = grade(ground, run_on(ground, run_id="late", started_at="2026-12-03T09:00:00Z"))
    early = grade(
        ground, run_on(ground, lambda key: {"raw": None}, run_id="early", started_at="2026-12-02T09:00:00Z")
    )
    found = history([late, early])
    assert [moment.run_id for moment in found["cause_class"]] == ["early", "late"]
    assert [moment.run_id for moment in found["raw/cause_class"]] == ["late"]
    assert "null/citation" not in found


def test_a_ground_without_a_key_is_refused(tmp_path: Path) -> None:
    from pendtui.errors import QueueError

    ground = built_ground(tmp_path / "queue")
    (ground.folder / "gold.jsonl").unlink()
    from pendtui.evals.ground import ground_of

    with pytest.raises(QueueError, match="there is no answer key"):
        ground_of(Config(queue=ground.folder))
