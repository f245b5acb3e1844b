"""`pendtui read --arm model` against a real server in a process of its own."""

import json
import os
import signal
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

import pendtui
from pendtui.desk.run_file import FIELDS, read_run
from pendtui.engines.prompt import build_prompt
from tests.commands.conftest import Program
from tests.desk.batches import calls_of, sixty
from tests.desk.chat_server import ChatServer, running
from tests.policies import policy
from tests.queues import CAUSE_LINES, FIVE, write_queue

ROOT = Path(pendtui.__file__).parent.parent
KEY = "sk-test-4f9a2c71d0b84e6f"
TARIFF = """
name = "test prices"
currency = "EUR"

[[rate]]
name = "flat"
prompt = 1.0
cached = 0.1
completion = 10.0
"""
COST = (500 * 1.0 + 1_500 * 0.1 + 100 * 10.0) / 1e6
"""Of one call, from the server's usage."""


@pytest.fixture
def server() -> Iterator[ChatServer]:
    with running(0.02) as started:
        yield started


@pytest.fixture
def desk(tmp_path: Path, server: ChatServer, program: Program, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with a queue of five, prices, and settings that name the server."""
    for variable in ("PROVIDER", "MAX_CALLS_PER_DAY", "EVAL_WORKERS"):
        monkeypatch.delenv(variable, raising=False)
    monkeypatch.setenv("BASE_URL", server.base_url)
    monkeypatch.setenv("MODEL", "small-1")
    monkeypatch.setenv("API_KEY", KEY)
    write_queue(tmp_path / "queue", FIVE)
    (tmp_path / "tariff.toml").write_text(TARIFF, encoding="utf-8")
    settings = '[model]\ntariff = "tariff.toml"\nmax_answer_tokens = 500\n'
    (tmp_path / "config.toml").write_text(settings, encoding="utf-8")
    return tmp_path


def test_a_line_a_record_is_printed_in_the_queues_order_with_the_contracts_fields(
    program: Program, desk: Path, server: ChatServer
) -> None:
    outcome = program("read", "--arm", "model", "--run-id", "a", "--format", "jsonl")
    assert outcome.code == 0, outcome.err
    read = [json.loads(line) for line in outcome.out.splitlines()]
    assert [line["id"] for line in read] == list(FIVE)
    assert all(list(line) == list(FIELDS) for line in read)
    first = read[0]
    assert (first["arm"], first["cause_class"], first["confidence"]) == ("model", "AUTH-MISSING", 0.75)
    text = (desk / "queue" / "PC-0001.txt").read_text(encoding="utf-8")
    assert text[slice(*first["span"])] == first["citation"] == CAUSE_LINES["AUTH-MISSING"]
    assert (first["resolution"], first["release"], first["error"]) == ("PEND-EXTERNAL", "EXAMINER-APPLIES", None)
    late = read[1]
    assert (late["clock"], late["days_left"]) == ("BREACHED", -4)
    assert {"field": "clock", "raw": "WITHIN-CLOCK", "recomputed": "BREACHED", "rule": "CL-3"} in late["overrides"]
    assert sorted(server.asked()) == list(FIVE)
    assert "5 of 5 done, 0 failed" in outcome.err and "run a asks chat API, small-1 at 127.0.0.1" in outcome.err


def test_the_run_says_how_every_reply_was_come_by(program: Program, desk: Path, server: ChatServer) -> None:
    program("read", "--arm", "model", "--run-id", "a")
    run = read_run(desk / "runs" / "a.jsonl")
    header = run.header
    assert (header.arm, header.model, header.policy_sha256) == ("model", "small-1", policy().sha256)
    assert header.prompt_sha256 == build_prompt(policy(), "").sha256 and run.finished_at is not None
    calls = calls_of(run)
    assert set(calls) == set(FIVE)
    for call in calls.values():
        assert json.loads(str(call["text"]))["cause_class"] == "AUTH-MISSING"
        usage, cost = call["usage"], call["cost"]
        assert isinstance(usage, dict) and isinstance(cost, dict)
        assert (usage["prompt_tokens"], usage["cached_tokens"], usage["reasoning_tokens"]) == (2_000, 1_500, None)
        assert cost == {"amount": pytest.approx(COST), "currency": "EUR", "rate": "flat"}
        assert isinstance(call["seconds"], float) and isinstance(call["first_token_seconds"], float)
        assert isinstance(call["attempts"], list) and len(call["attempts"]) == 1
        assert (call["base_url"], call["held"], call["departures"]) == (server.base_url, False, [])
        assert len(str(call["reply_sha256"])) == len(str(call["record_sha256"])) == 64


def test_the_key_reaches_the_server_and_no_file_and_no_screen(
    program: Program, desk: Path, server: ChatServer
) -> None:
    outcome = program("read", "--arm", "model", "--run-id", "a", "--format", "json")
    assert server.has_seen(KEY), "it went to the server"
    assert KEY not in outcome.out + outcome.err
    files = [path for path in desk.rglob("*") if path.is_file()]
    assert {"a.jsonl", "replies.db"} <= {path.name for path in files}
    assert not [path for path in files if KEY.encode() in path.read_bytes()]


def test_a_second_read_buys_nothing_and_says_so(program: Program, desk: Path, server: ChatServer) -> None:
    first = program("read", "--arm", "model", "--format", "jsonl")
    second = program("read", "--arm", "model", "--format", "jsonl")
    assert (second.code, second.out) == (0, first.out)
    assert len(server.asked()) == 5
    assert "0 calls, 5 held already" in second.err
    program("read", "--arm", "model", "--fresh")
    assert len(server.asked()) == 10


def test_a_budget_is_never_passed_and_the_run_goes_on_with_another(
    program: Program, desk: Path, server: ChatServer
) -> None:
    # one call can cost its prompt's bytes at 1.0 and 500 tokens at 10.0 a million: some 0.017
    outcome = program("read", "--arm", "model", "--run-id", "a", "--budget", "0.021", "--workers", "5")
    spent = len(server.asked())
    assert outcome.code == 1 and 0 < spent < 5
    assert spent * COST <= 0.021
    assert "stopped: the next call could cost" in outcome.err and "`--run-id a` goes on" in outcome.err
    assert read_run(desk / "runs" / "a.jsonl").finished_at is None
    outcome = program("read", "--arm", "model", "--run-id", "a", "--budget", "1")
    assert (outcome.code, len(server.asked())) == (0, 5)
    assert max(Counter(server.asked()).values()) == 1
    assert read_run(desk / "runs" / "a.jsonl").finished_at is not None


def test_a_budget_without_prices_is_refused_before_any_call(
    program: Program, desk: Path, server: ChatServer
) -> None:
    (desk / "config.toml").write_text("", encoding="utf-8")
    outcome = program("read", "--arm", "model", "--budget", "1")
    assert (outcome.code, outcome.out, server.asked()) == (2, "", [])
    assert "a spending limit needs to know what calls cost" in outcome.err and outcome.err.count("\n") == 1
    (desk / "config.toml").write_text('[model]\ntariff = "tariff.toml"\n', encoding="utf-8")
    outcome = program("read", "--arm", "model", "--budget", "1")
    assert outcome.code == 2 and "Set max_answer_tokens" in outcome.err


def test_the_days_budget_holds_over_several_calls_of_the_program(
    program: Program, desk: Path, server: ChatServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MAX_CALLS_PER_DAY", "3")
    outcome = program("read", "--arm", "model")
    assert (outcome.code, len(server.asked())) == (1, 3)
    assert "the day's budget of 3 calls is used up" in outcome.err
    assert program("read", "--arm", "model", "--fresh").code == 1
    assert len(server.asked()) == 3


def test_a_record_that_carries_what_it_must_not_is_named_by_place_and_not_sent(
    program: Program, desk: Path, server: ChatServer
) -> None:
    path = desk / "queue" / "PC-0002.txt"
    path.write_text(path.read_text(encoding="utf-8").replace("Monday", "SSN 536-22-1847"), encoding="utf-8")
    outcome = program("read", "--arm", "model")
    assert outcome.code == 0 and "1 not sent" in outcome.err
    assert "not sent: the record holds ssn on line" in outcome.out
    assert "536-22-1847" not in outcome.out + outcome.err
    assert not server.has_seen("536-22-1847") and len(server.asked()) == 4


def test_only_what_the_floor_is_unsure_of_is_asked_about(program: Program, desk: Path, server: ChatServer) -> None:
    from pendtui.desk.queue_folder import read_record
    from pendtui.engines.readers import offline_reader

    sixty_queue = ROOT / "queue"
    floor = offline_reader("floor")
    paths = sorted(sixty_queue.glob("*.txt"))
    unsure = {path.stem for path in paths if floor.read(read_record(path, path.stem).record).unsure}
    outcome = program("read", "--arm", "model", "--only-unsure", "--run-id", "a", "--queue", sixty_queue)
    assert outcome.code == 0, outcome.err
    assert set(server.asked()) == unsure and len(server.asked()) == len(unsure)
    run = read_run(desk / "runs" / "a.jsonl")
    assert {record.id for record in run.records if record.arm == "model"} == unsure
    assert {record.id for record in run.records if record.arm == "floor"} == {p.stem for p in paths} - unsure
    assert f"{60 - len(unsure)} sure by the floor" in outcome.err


def test_a_failed_call_is_told_and_the_exit_code_says_so(
    program: Program, desk: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with running(broken="PC-0003", status=400) as server:
        monkeypatch.setenv("BASE_URL", server.base_url)
        outcome = program("read", "--arm", "model", "--format", "jsonl", "--run-id", "a")
    assert outcome.code == 1 and "1 failed" in outcome.err
    failed = json.loads(outcome.out.splitlines()[2])
    assert failed["id"] == "PC-0003" and "out of order" in failed["error"]
    assert (failed["cause_class"], failed["resolution"]) == (None, None)
    assert (failed["clock"], failed["release"]) == ("ESCALATE-NOW", "EXAMINER-APPLIES")
    call = calls_of(read_run(desk / "runs" / "a.jsonl"))["PC-0003"]
    assert call["failure"] == "bad_request" and isinstance(call["attempts"], list)


@pytest.mark.usefixtures("desk")
@pytest.mark.parametrize(
    ("arguments", "variables", "said"),
    [
        ((), {"BASE_URL": "", "MODEL": ""}, "no model is set up"),
        ((), {"MODEL": ""}, "no model is named"),
        ((), {"PROVIDER": "openai", "BASE_URL": "", "API_KEY": ""}, "needs a key"),
        (("--only", "PC-0999"), {}, "there is no record PC-0999"),
        (("--run-id", "../a"), {}, "cannot name a run"),
        (("--queue", "nowhere"), {}, "is not a folder"),
        (("--budget", "free"), {}, "'free' is not an amount above 0"),
        (("--workers", "0"), {}, "not a whole number above 0"),
    ],
)
def test_a_wrong_call_is_one_line_and_exit_2(
    program: Program,
    monkeypatch: pytest.MonkeyPatch,
    arguments: tuple[str, ...],
    variables: dict[str, str],
    said: str,
) -> None:
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    outcome = program("read", "--arm", "model", *arguments)
    assert (outcome.code, outcome.out) == (2, "")
    assert said in outcome.err and outcome.err.count("\n") == 1


@pytest.mark.parametrize("option", [("--only-unsure",), ("--budget", "1"), ("--fresh",)])
def test_what_only_a_model_can_do_is_refused_for_an_offline_reader(
    program: Program, desk: Path, option: tuple[str, ...]
) -> None:
    outcome = program("read", *option)
    assert outcome.code == 2 and f"{option[0]} goes with --arm model" in outcome.err


def started(desk: Path, server: ChatServer, *named: str) -> "subprocess.Popen[str]":
    environ = {
        **{name: value for name, value in os.environ.items() if not name.startswith("PENDTUI_")},
        "BASE_URL": server.base_url,
        "MODEL": "small-1",
        "PENDTUI_RUNS": str(desk / "runs"),
        "PYTHONPATH": str(ROOT),
    }
    command = [sys.executable, "-m", "pendtui", "read", "--arm", "model", *named]
    command += ["--queue", str(desk / "many")]
    return subprocess.Popen(
        command, cwd=desk, env=environ, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )


def test_an_interrupted_read_ends_with_130_and_can_be_taken_up(
    program: Program, desk: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    sixty(desk / "many", 30)
    with running(0.15) as server:
        with started(desk, server, "--run-id", "a") as reading:
            while server.answered() < 10:
                assert reading.poll() is None
            reading.send_signal(signal.SIGINT)
            out, err = reading.communicate(timeout=30)
        assert (reading.returncode, out) == (130, ""), err
        assert "interrupted; `--run-id a` goes on with the run" in err and "Traceback" not in err
        run = read_run(desk / "runs" / "a.jsonl")
        assert run.finished_at is None and 5 <= len(run.records) < 30
        bought = {record.id for record in run.records}
        monkeypatch.setenv("BASE_URL", server.base_url)
        outcome = program("read", "--arm", "model", "--run-id", "a", "--queue", desk / "many")
        assert outcome.code == 0, outcome.err
        asked = Counter(server.asked())
        assert len(asked) == 30 and all(asked[record_id] == 1 for record_id in bought)
        assert sum(asked.values()) <= 30 + 5, "only what was under way is asked again"
    run = read_run(desk / "runs" / "a.jsonl")
    assert run.finished_at is not None and len(run.records) == 30


def test_a_killed_read_is_taken_up_and_buys_nothing_twice(
    program: Program, desk: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    sixty(desk / "many", 30)
    with running(0.15) as server:
        with started(desk, server, "--run-id", "a") as reading:
            while server.answered() < 12:
                assert reading.poll() is None
            reading.kill()
            reading.communicate(timeout=30)
        run = read_run(desk / "runs" / "a.jsonl")
        bought = {record.id for record in run.records}
        assert run.finished_at is None and bought
        monkeypatch.setenv("BASE_URL", server.base_url)
        assert program("read", "--arm", "model", "--run-id", "a", "--queue", desk / "many").code == 0
        asked = Counter(server.asked())
        assert all(asked[record_id] == 1 for record_id in bought)
        assert sum(asked.values()) <= 30 + 5
    assert len(read_run(desk / "runs" / "a.jsonl").records) == 30


def test_readers_that_start_together_each_have_a_run_and_share_the_days_budget(
    program: Program, desk: Path, server: ChatServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    sixty(desk / "many", 10)
    monkeypatch.setenv("MAX_CALLS_PER_DAY", "12")
    readings = [started(desk, server) for _ in range(4)]
    for reading in readings:
        _, err = reading.communicate(timeout=60)
        assert reading.returncode in (0, 1) and "Traceback" not in err, err
        assert (reading.returncode == 1) == ("the day's budget of 12 calls is used up" in err), err
    runs = [read_run(path) for path in sorted((desk / "runs").glob("*.jsonl"))]
    assert len({run.header.run_id for run in runs}) == 4
    assert {run.header.run_id for run in runs} == {path.stem for path in (desk / "runs").glob("*.jsonl")}
    assert 10 <= len(server.asked()) <= 12
