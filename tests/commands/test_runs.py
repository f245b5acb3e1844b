"""`pendtui runs` on a folder of runs."""

import json
from pathlib import Path

from pendtui.desk.run_file import RunRecord, RunWriter
from tests.commands.conftest import Program
from tests.desk.test_runs import HEADER


def store(folder: Path, run_id: str, started_at: str, read: int = 2, *, finish: bool = True) -> Path:
    with RunWriter(folder, HEADER._replace(run_id=run_id, started_at=started_at)) as writer:
        for n in range(read):
            writer.add(RunRecord(f"PC-{n}", "model"))
        if finish:
            writer.finish()
    return writer.path


def test_runs_are_listed_the_newest_first(program: Program, tmp_path: Path) -> None:
    store(tmp_path / "runs", "b", "2026-12-01T09:00:00.000Z")
    store(tmp_path / "runs", "a", "2026-12-02T09:00:00.000Z")
    store(tmp_path / "runs", "c", "2026-11-30T09:00:00.000Z", read=1, finish=False)
    outcome = program("runs", "--format", "json")
    assert (outcome.code, outcome.err) == (0, "")
    listed = json.loads(outcome.out)
    assert [row["run_id"] for row in listed] == ["a", "b", "c"]
    assert listed[0] == {
        "run_id": "a",
        "arm": "model",
        "model": "small-1",
        "queue": "/queues/monday",
        "queue_sha256": "1" * 64,
        "policy": "PR-2026",
        "policy_sha256": "2" * 64,
        "prompt_sha256": "3" * 64,
        "records": 2,
        "finished": True,
        "started_at": "2026-12-02T09:00:00.000Z",
        "cost": None,
        "currency": None,
    }
    assert (listed[2]["records"], listed[2]["finished"]) == (1, False)
    last = program("runs").out.splitlines()[-1]
    assert "no, of 2" in last and " monday " in last
    assert " 111111111111 " in last and "1" * 13 not in last


def test_a_file_that_is_no_run_is_named_and_hides_no_other(program: Program, tmp_path: Path) -> None:
    store(tmp_path / "runs", "a", "2026-12-02T09:00:00.000Z")
    (tmp_path / "runs" / "broken.jsonl").write_text("not a run\n")
    (tmp_path / "runs" / "b\x1b[2J.jsonl").write_bytes(b"\xff\n")
    (tmp_path / "runs" / "folder.jsonl").mkdir()
    outcome = program("runs", "--format", "jsonl")
    assert outcome.code == 0
    assert [json.loads(line)["run_id"] for line in outcome.out.splitlines()] == ["a"]
    assert outcome.err.count("\n") == 3
    for name in ("broken.jsonl", "folder.jsonl"):
        assert name in outcome.err
    assert "\x1b" not in outcome.err


def test_no_runs_is_an_empty_list(program: Program) -> None:
    outcome = program("runs", "--format", "json")
    assert (outcome.code, json.loads(outcome.out), outcome.err) == (0, [], "")
    assert program("runs").out.splitlines()[0].startswith("run_id")


def test_a_run_just_made_is_listed_with_its_queue(program: Program, tmp_path: Path) -> None:
    from tests.queues import FIVE, write_queue

    write_queue(tmp_path / "queue", FIVE)
    program("read", "--arm", "phrase", "--run-id", "monday")
    (row,) = json.loads(program("runs", "--format", "json").out)
    assert (row["run_id"], row["arm"], row["records"], row["finished"]) == ("monday", "phrase", 5, True)
    assert row["queue"] == str((tmp_path / "queue").resolve())
