"""A stored run replayed: the recorded arm by itself, on the desk, and in the index."""

from pathlib import Path

import pytest

from pendtui.desk.desk import Desk
from pendtui.desk.queue_folder import read_record
from pendtui.desk.recorded import ARM, RecordedReader
from pendtui.desk.run_archive import write_copy
from pendtui.desk.run_file import Run, read_run
from pendtui.engines.vocabulary import CauseClass
from pendtui.errors import RunError
from pendtui.evals.gold import GoldAnswer
from pendtui.evals.ground import Ground, ground_of
from tests.desks import config_for
from tests.evals.queue_runs import Change, built_ground, run_on


@pytest.fixture
def ground(tmp_path: Path) -> Ground:
    return built_ground(tmp_path / "queue")


def keep(ground: Ground, change: Change = lambda key: {}, **header: object) -> Path:
    folder = ground.folder.parent / "runs"
    folder.mkdir(exist_ok=True)
    run = run_on(ground, change, **header)
    write_copy(run, path := folder / f"{run.header.run_id}.jsonl")
    return path


def other_cause(key: GoldAnswer) -> dict[str, object]:
    classes = list(CauseClass)
    return {"cause_class": classes[classes.index(CauseClass(key.cause_class)) - 1]}


def desk_replaying(ground: Ground, named: str) -> Desk:
    return Desk(config_for(ground.folder.parent, ground.folder, recorded=named))


def test_the_desk_shows_what_the_run_read_in_its_list_and_in_its_records(ground: Ground) -> None:
    keep(ground, other_cause, run_id="m")
    desk = desk_replaying(ground, "m")
    try:
        desk.refresh()
        stored = {record.id: record for record in read_run(ground.folder.parent / "runs" / "m.jsonl").records}
        for row in desk.rows(desk.order("record", "")):
            assert row.cause == stored[row.id].cause_class
            view = desk.open(row.id)
            assert (view.reading.arm, view.answers.cause) == (ARM, stored[row.id].cause_class)
            assert (view.answers.span, view.reading.confidence) == (stored[row.id].span, stored[row.id].confidence)
    finally:
        desk.close()


def test_two_runs_that_are_replayed_have_an_index_each(ground: Ground) -> None:
    keep(ground, run_id="right")
    keep(ground, other_cause, run_id="wrong")
    causes = {}
    for name in ("right", "wrong", ""):
        desk = desk_replaying(ground, name)
        desk.refresh()
        causes[name] = [row.cause for row in desk.rows(desk.order("record", ""))]
        desk.close()
    assert causes["right"] == [ground.gold[record_id].cause_class for record_id in sorted(ground.gold)]
    assert not [pair for pair in zip(causes["right"], causes["wrong"], strict=True) if pair[0] == pair[1]]
    assert causes[""] != causes["wrong"]


def test_a_record_that_has_changed_since_is_not_given_the_old_reading(ground: Ground) -> None:
    keep(ground, run_id="m")
    path = ground.folder / "PC-0003.txt"
    path.write_text(path.read_text(encoding="utf-8") + "\n", encoding="utf-8")
    desk = desk_replaying(ground, "m")
    try:
        view = desk.open("PC-0003")
        assert view.answers.cause is None
        assert view.reading.unsure == "run m read other bytes of PC-0003 than it has now"
        assert desk.open("PC-0004").answers.cause == ground.gold["PC-0004"].cause_class
    finally:
        desk.close()


def test_what_a_run_did_not_read_is_said_with_the_reason(ground: Ground) -> None:
    def change(key: GoldAnswer) -> dict[str, object]:
        changes: dict[str, dict[str, object]] = {
            "PC-0001": {"cause_class": None, "error": "timed out"},
            "PC-0002": {"cause_class": "WEATHER"},
            "PC-0003": {"cause_class": None},
        }
        return changes.get(key.id, {})

    reader = RecordedReader(run_on(ground, change))
    said = {
        record_id: reader.read(read_record(str(ground.folder / f"{record_id}.txt"), record_id).record).unsure
        for record_id in ("PC-0001", "PC-0002", "PC-0003", "PC-0004")
    }
    assert said == {
        "PC-0001": "run made-up read no cause in PC-0001: timed out",
        "PC-0002": "run made-up gives PC-0002 the cause 'WEATHER', which is no cause class",
        "PC-0003": "run made-up read no cause in PC-0003: nothing in it showed one",
        "PC-0004": "",
    }


def test_a_record_that_the_run_does_not_hold_has_no_reading(ground: Ground) -> None:
    run = run_on(ground)
    few = Run(run.header, run.records[:2], run.finished_at)
    record = read_record(str(ground.folder / "PC-0009.txt"), "PC-0009").record
    reading = RecordedReader(few).read(record)
    assert (reading.cause, reading.unsure) == (None, "run made-up holds no reading of PC-0009")


def test_a_run_without_hashes_of_its_records_is_replayed_on_its_own_queue_alone(ground: Ground) -> None:
    run = run_on(ground, lambda key: {"record_sha256": None})
    record = read_record(str(ground.folder / "PC-0009.txt"), "PC-0009").record
    assert RecordedReader(run, queue_sha256=ground.queue.sha256).refusal(record) == ""
    assert "was made on another queue" in RecordedReader(run, queue_sha256="0" * 64).refusal(record)


def test_the_replies_own_answers_are_there_to_be_compared(ground: Ground) -> None:
    keep(ground, lambda key: {"raw": {"cause_class": key.cause_class, "release": "AUTO-RELEASE"}}, run_id="m")
    desk = desk_replaying(ground, "m")
    try:
        view = desk.open("PC-0001")
        assert view.answers.release == "EXAMINER-APPLIES"
        (override,) = [one for one in view.answers.overrides if one.field == "release"]
        assert (override.raw, override.recomputed) == ("AUTO-RELEASE", "EXAMINER-APPLIES")
    finally:
        desk.close()


def test_a_run_that_is_not_there_is_named_before_the_desk_opens(ground: Ground) -> None:
    with pytest.raises(RunError, match="there is no run 'nowhere'"):
        desk_replaying(ground, "nowhere")


def test_the_desk_leaves_the_run_as_it_is(ground: Ground) -> None:
    path = keep(ground, run_id="m")
    before = path.read_bytes()
    desk = desk_replaying(ground, "m")
    desk.refresh()
    desk.open("PC-0001")
    desk.close()
    assert path.read_bytes() == before
    assert ground_of(desk.config).queue.sha256 == ground.queue.sha256
