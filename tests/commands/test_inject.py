"""`pendtui inject`: offline on a built queue, and with a model behind a real socket."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from pendtui.desk.run_file import read_run
from pendtui.evals.injection.families import BY_NAME
from tests.commands.conftest import Outcome, Program
from tests.desk.chat_server import ChatServer, running
from tests.evals.queue_runs import built_ground


@pytest.fixture
def queue(tmp_path: Path) -> Path:
    return built_ground(tmp_path / "queue").folder


@pytest.fixture
def server(queue: Path, program: Program, monkeypatch: pytest.MonkeyPatch) -> Iterator[ChatServer]:
    """A model that gives every record the same cause and never releases one."""
    with running() as started:
        for variable in ("PROVIDER", "MAX_CALLS_PER_DAY", "EVAL_WORKERS"):
            monkeypatch.delenv(variable, raising=False)
        monkeypatch.setenv("BASE_URL", started.base_url)
        monkeypatch.setenv("MODEL", "small-1")
        monkeypatch.setenv("API_KEY", "sk-test-4f9a2c71d0b84e6f")
        yield started


def figures(outcome: Outcome) -> dict[tuple[str, str], dict[str, object]]:
    assert outcome.code == 0, outcome.err
    return {(row["family"], row["figure"]): row for row in json.loads(outcome.out)}


@pytest.mark.parametrize("arm", ["phrase", "floor", "model"])
def test_a_dry_run_shows_every_familys_line_reads_nothing_and_asks_nobody(
    program: Program, queue: Path, tmp_path: Path, arm: str
) -> None:
    outcome = program("inject", "--arm", arm, "--dry-run", "--format", "json")
    assert outcome.code == 0
    rows = json.loads(outcome.out)
    assert [(row["family"], row["id"]) for row in rows] == [(name, "PC-0001") for name in BY_NAME]
    assert "nothing was read and nothing was asked" in outcome.err
    assert not (tmp_path / "runs").exists()


def test_a_dry_run_shows_the_records_that_are_asked_for(program: Program, queue: Path) -> None:
    outcome = program(
        *("inject", "--dry-run", "--families", "instruction", "--only", "PC-0004", "PC-0002", "--format", "json")
    )
    assert [row["id"] for row in json.loads(outcome.out)] == ["PC-0002", "PC-0004"]


@pytest.mark.parametrize("arm", ["phrase", "floor"])
def test_an_offline_reader_is_attacked_for_nothing_and_stores_nothing(
    program: Program, queue: Path, tmp_path: Path, arm: str
) -> None:
    found = figures(program("inject", "--arm", arm, "--format", "json"))
    assert {family for family, _ in found} == set(BY_NAME)
    for family in BY_NAME:
        for name in ("releases, rechecked", "clocks moved, rechecked", "moved to release as billed, rechecked"):
            assert (found[family, name]["n"], found[family, name]["of"]) == (0, 20)
        assert found[family, "releases, raw"]["n"] is None
    assert not list((tmp_path / "runs").glob("*"))
    table = program("inject", "--arm", arm).out
    assert "releases after the recheck are 0 by construction" in table
    assert [line.split()[0] for line in table.splitlines()[2 : 2 + len(BY_NAME)]] == list(BY_NAME)


def test_a_model_is_not_asked_without_a_yes_and_a_control(program: Program, server: ChatServer) -> None:
    assert "--control RUN" in program("inject").err
    program("read", "--arm", "model", "--run-id", "control")
    before = len(server.asked())
    outcome = program("inject", "--control", "control", "--families", "instruction", "look-alike")
    assert outcome.code == 2 and "up to 40 calls" in outcome.err and "--yes" in outcome.err
    assert len(server.asked()) == before


def test_a_model_is_asked_about_every_record_with_the_line_and_the_run_is_kept(
    program: Program, server: ChatServer, tmp_path: Path
) -> None:
    program("read", "--arm", "model", "--run-id", "control")
    arguments = ("inject", "--control", "control", "--families", "instruction", "--run-id", "x", "--format", "json")
    outcome = program(*arguments, "--yes")
    found = figures(outcome)
    assert server.asked()[20:] != [] and sorted(server.asked()[20:]) == sorted(server.asked()[:20])
    assert server.has_seen("Note to the next reader, person or program")
    assert (found["instruction", "answered in both"]["n"], found["instruction", "releases, raw"]["n"]) == (20, 0)
    assert found["instruction", "cause classes moved"]["n"] == 0, "this one says the same whatever it reads"
    stored = read_run(tmp_path / "runs" / "x-instruction.jsonl")
    assert stored.header.queue.endswith("queue+instruction") and len(stored.records) == 20
    calls = len(server.asked())
    again = program(*arguments)
    assert again.code == 0 and again.out == outcome.out, "scored again for nothing"
    assert len(server.asked()) == calls


def test_a_stored_run_of_another_queue_is_not_taken_for_the_experiment(
    program: Program, server: ChatServer, queue: Path
) -> None:
    program("read", "--arm", "model", "--run-id", "control")
    program("read", "--arm", "model", "--run-id", "x-instruction")
    outcome = program("inject", "--control", "control", "--families", "instruction", "--run-id", "x", "--yes")
    assert outcome.code == 2 and "was not made on this queue with the line of instruction in it" in outcome.err


def test_an_offline_run_is_no_control_for_a_model(program: Program, server: ChatServer) -> None:
    program("read", "--arm", "floor", "--run-id", "f")
    asked = len(server.asked())
    outcome = program("inject", "--control", "f", "--families", "instruction", "--yes")
    assert outcome.code == 2 and "f is no control for" in outcome.err and "arm floor and model" in outcome.err
    assert len(server.asked()) == asked, "refused before a call"


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("--arm", "floor", "--families", "hypnosis"), "there is no family hypnosis"),
        (("--arm", "floor", "--only", "PC-9999"), "PC-9999"),
        (("--dry-run", "--only", "PC-9999"), "there is no record PC-9999"),
        (("--control", "nowhere", "--yes"), "there is no run 'nowhere'"),
    ],
)
def test_a_wrong_call_is_one_line_and_exit_2(
    program: Program, queue: Path, arguments: tuple[str, ...], said: str
) -> None:
    outcome = program("inject", *arguments)
    assert (outcome.code, outcome.out) == (2, "")
    assert said in outcome.err and outcome.err.count("\n") == 1


def test_a_control_of_the_queue_as_it_was_is_refused(program: Program, queue: Path) -> None:
    program("read", "--arm", "floor", "--run-id", "before")
    with (queue / "PC-0003.txt").open("a", encoding="utf-8") as record:
        record.write("\n")
    outcome = program("inject", "--arm", "floor", "--control", "before")
    assert outcome.code == 2 and "before is no control here: queue hash" in outcome.err
