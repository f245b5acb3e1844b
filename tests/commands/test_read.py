"""`pendtui read` on queues on disk."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

import pendtui
from pendtui.config import Config
from pendtui.desk.offline_runs import start
from pendtui.desk.run_file import FIELDS, read_run
from pendtui.desk.runs import queue_state
from pendtui.errors import QueueError
from tests.commands.conftest import Program
from tests.policies import policy
from tests.queues import CAUSE_LINES, FIVE, write_queue
from tests.records import record_text

CONTRACT = [
    "id",
    "arm",
    "cause_class",
    "citation",
    "span",
    "resolution",
    "rule",
    "clock",
    "clock_rule",
    "deadline_days",
    "elapsed_days",
    "days_left",
    "release",
    "confidence",
    "overrides",
    "error",
]


@pytest.fixture
def queue(tmp_path: Path) -> Path:
    return write_queue(tmp_path / "queue", FIVE)


def lines(out: str) -> list[dict[str, object]]:
    return [json.loads(line) for line in out.splitlines()]


def test_a_line_a_record_holds_the_contracts_fields_in_their_order(program: Program, queue: Path) -> None:
    outcome = program("read", "--arm", "phrase", "--format", "jsonl")
    assert outcome.code == 0
    read = lines(outcome.out)
    assert [list(line) for line in read] == [CONTRACT] * 5 == [list(FIELDS)] * 5
    second = read[1]
    span = second["span"]
    assert isinstance(span, list)
    text = (queue / "PC-0002.txt").read_text(encoding="utf-8")
    assert text[span[0] : span[1]] == second["citation"] == CAUSE_LINES["DUP-SUSPECT"]
    assert (second["arm"], second["cause_class"]) == ("phrase", "DUP-SUSPECT")
    assert (second["resolution"], second["rule"]) == ("ROUTE-SPECIALIST", "PR-5")
    assert (second["clock"], second["clock_rule"]) == ("BREACHED", "CL-3")
    assert (second["deadline_days"], second["elapsed_days"], second["days_left"]) == (30, 34, -4)
    assert (second["release"], second["overrides"], second["error"]) == ("EXAMINER-APPLIES", [], None)


def test_what_is_printed_is_what_is_stored(program: Program, queue: Path, tmp_path: Path) -> None:
    outcome = program("read", "--run-id", "monday", "--format", "jsonl")
    run = read_run(tmp_path / "runs" / "monday.jsonl")
    assert [list(line.values()) for line in lines(outcome.out)] == [list(r.values()) for r in run.records]
    assert run.finished_at is not None
    header = run.header
    assert (header.run_id, header.arm, header.model, header.records) == ("monday", "floor", None, 5)
    assert (header.queue, header.queue_sha256) == (str(queue.resolve()), queue_state(queue).sha256)
    assert (header.policy_id, header.policy_sha256) == ("PR-2026", policy().sha256)
    assert (header.as_of, header.only, header.program) == ("register", None, f"pendtui {pendtui.__version__}")
    assert "run monday: 5 records read with floor, 0 with an error" in outcome.err


def test_every_format_says_the_same(program: Program, queue: Path) -> None:
    as_lines = lines(program("read", "--format", "jsonl").out)
    assert json.loads(program("read", "--format", "json").out) == as_lines
    table = program("read").out.splitlines()
    assert table[0].split() == [
        "id",
        "cause_class",
        "resolution",
        "rule",
        "clock",
        "days_left",
        "release",
        "note",
    ]
    assert len(table) == 2 + 5
    header, *cells = program("read", "--format", "csv").out.splitlines()
    assert header.split(",") == CONTRACT
    assert len(cells) == 5


def test_some_records_can_be_asked_for_and_the_run_says_which(
    program: Program, queue: Path, tmp_path: Path
) -> None:
    out = program("read", "--only", "PC-0004", "PC-0002", "PC-0004", "--run-id", "two", "--format", "jsonl").out
    assert [line["id"] for line in lines(out)] == ["PC-0002", "PC-0004"]
    header = read_run(tmp_path / "runs" / "two.jsonl").header
    assert (header.only, header.records) == (("PC-0002", "PC-0004"), 2)
    assert header.queue_sha256 == queue_state(queue).sha256
    out = program("read", "--limit", 3, "--format", "jsonl").out
    assert [line["id"] for line in lines(out)] == ["PC-0001", "PC-0002", "PC-0003"]


def test_an_unknown_id_is_named_and_nothing_is_stored(program: Program, queue: Path, tmp_path: Path) -> None:
    outcome = program("read", "--only", "PC-0002", "PC-0999", "PC-0777")
    assert (outcome.code, outcome.out) == (2, "")
    assert "there is no record PC-0777, PC-0999" in outcome.err
    assert outcome.err.count("\n") == 1
    assert not (tmp_path / "runs").exists()


def test_a_taken_or_unsafe_run_id_is_refused(program: Program, queue: Path, tmp_path: Path) -> None:
    assert program("read", "--run-id", "a").code == 0
    before = (tmp_path / "runs" / "a.jsonl").read_bytes()
    taken = program("read", "--run-id", "a")
    assert (taken.code, taken.out) == (2, "")
    assert "already a run called a" in taken.err
    assert (tmp_path / "runs" / "a.jsonl").read_bytes() == before
    unsafe = program("read", "--run-id", "../a")
    assert unsafe.code == 2 and "cannot name a run" in unsafe.err


def test_faulty_records_say_why_and_hide_no_other(program: Program, queue: Path) -> None:
    (queue / "PC-0001.txt").write_bytes(b"\xff\xfe")
    (queue / "PC-0003.txt").write_text("", encoding="utf-8")
    other = record_text("PC-0004", received_on="2026-06-01", claim_id="CLM-2026-400004")
    (queue / "PC-0004.txt").write_text(other, encoding="utf-8")
    (queue / "PC-0006.txt").write_text("just a note\n", encoding="utf-8")
    outcome = program("read", "--format", "jsonl")
    assert outcome.code == 0
    read = {str(line["id"]): line for line in lines(outcome.out)}
    assert "not UTF-8" in str(read["PC-0001"]["error"])
    assert "the file is empty" in str(read["PC-0003"]["error"])
    assert "received on" in str(read["PC-0004"]["error"])
    assert "the first line is not" in str(read["PC-0006"]["error"])
    assert [read[name]["error"] for name in ("PC-0002", "PC-0005")] == [None, None]
    assert read["PC-0002"]["resolution"] == "ROUTE-SPECIALIST"
    for name in ("PC-0001", "PC-0003", "PC-0004"):
        assert read[name]["clock"] is not None, "the row still gives a clock"
        assert read[name]["resolution"] is None
    # 60 days from the 2026-06-01 of the record are more urgent than 30 from the 2026-08-01 of the row
    assert (read["PC-0004"]["days_left"], read["PC-0004"]["clock"]) == (-32, "BREACHED")
    assert (read["PC-0006"]["clock"], read["PC-0006"]["release"]) == (None, "EXAMINER-APPLIES")
    assert "4 with an error" in outcome.err


def test_a_record_without_a_row_is_read_and_waits_for_what_the_register_holds(
    program: Program, tmp_path: Path
) -> None:
    write_queue(tmp_path / "queue", {"PC-0001": FIVE["PC-0001"]}, rows=False)
    outcome = program("read", "--format", "jsonl")
    (line,) = lines(outcome.out)
    assert (line["resolution"], line["rule"], line["error"]) == (None, None, None)
    assert (line["cause_class"], line["clock"]) == ("AUTH-MISSING", "WITHIN-CLOCK")
    assert "0 with an error, 1 without a resolution yet" in outcome.err
    assert "what the register holds is not known" in program("read").out


def test_the_clock_can_be_read_on_another_day_and_the_run_says_so(
    program: Program, queue: Path, tmp_path: Path
) -> None:
    out = program("read", "--as-of", "2026-09-21", "--run-id", "later", "--format", "jsonl").out
    assert [line["days_left"] for line in lines(out)] == [0, -24, -17, -21, -15]
    assert read_run(tmp_path / "runs" / "later.jsonl").header.as_of == "2026-09-21"
    from datetime import date

    before = date.today()
    program("read", "--as-of", "today", "--run-id", "now")
    assert read_run(tmp_path / "runs" / "now.jsonl").header.as_of in (str(before), str(date.today()))


def test_text_of_a_record_reaches_no_terminal_as_a_control_sequence(program: Program, tmp_path: Path) -> None:
    folder = tmp_path / "queue"
    folder.mkdir()
    strange = "EDIT 4410 - no precert\x1b[2J \x9b31m number on file \u202eyats."
    (folder / "PC-0001.txt").write_text(record_text(message=[strange]), encoding="utf-8")
    for form in ("table", "json", "jsonl", "csv"):
        outcome = program("read", "--format", form)
        assert outcome.code == 0
        assert not {"\x1b", "\x9b", "\u202e"} & set(outcome.out), form
    (line,) = lines(program("read", "--format", "jsonl").out)
    assert line["citation"] == strange, "JSON escapes it and loses nothing"


def test_a_record_that_changes_under_the_reader_ends_the_run(queue: Path) -> None:
    reading = start(Config(queue=queue), "floor")
    (queue / "PC-0003.txt").write_text("another text", encoding="utf-8")
    answers = reading.answers()
    assert [next(answers)[0].id, next(answers)[0].id] == ["PC-0001", "PC-0002"]
    with pytest.raises(QueueError, match="PC-0003: the record changed while it was being read"):
        next(answers)


@pytest.mark.parametrize("form", ["table", "json", "jsonl", "csv"])
def test_a_file_name_that_is_not_utf8_is_a_record_like_any_other(
    program: Program, queue: Path, tmp_path: Path, form: str
) -> None:
    name = os.fsdecode(b"PC-\xff")
    (queue / f"{name}.txt").write_text(record_text("PC-0009"), encoding="utf-8")
    assert program("read", "--run-id", "a", "--format", form).code == 0
    last = read_run(tmp_path / "runs" / "a.jsonl").records[-1]
    assert last.id == name and last.error is not None
    assert program("clock", "--format", form).code == 0


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("--queue", "nowhere"), "is not a folder"),
        (("--queue", "."), "holds no *.txt records"),
        (("--policy", "nothing"), "there is no such policy file"),
        (("--as-of", "soon"), "as-of 'soon' is not register, today or a date"),
        (("--limit", "0"), "not a whole number above 0"),
        (("--arm", "oracle"), "invalid choice"),
    ],
)
def test_a_wrong_call_is_one_line_and_exit_2(
    program: Program, queue: Path, arguments: tuple[str, ...], said: str
) -> None:
    outcome = program("read", *arguments)
    assert (outcome.code, outcome.out) == (2, "")
    assert said in outcome.err and outcome.err.count("\n") == 1


def test_the_program_itself_gives_the_exit_codes(queue: Path, tmp_path: Path) -> None:
    root = Path(pendtui.__file__).parent.parent
    environ = {**os.environ, "PENDTUI_RUNS": str(tmp_path / "runs"), "PYTHONPATH": str(root)}

    def call(*arguments: str) -> subprocess.CompletedProcess[str]:
        command = [sys.executable, "-m", "pendtui", "read", "--queue", str(queue), *arguments]
        return subprocess.run(command, cwd=tmp_path, env=environ, capture_output=True, text=True, check=False)

    fine = call("--run-id", "a", "--format", "jsonl")
    assert (fine.returncode, len(lines(fine.stdout))) == (0, 5)
    again = call("--run-id", "a")
    assert (again.returncode, again.stdout) == (2, "")
    assert "Traceback" not in again.stderr


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs a device that is always full")
def test_output_that_cannot_be_written_is_one_line_and_exit_2(queue: Path, tmp_path: Path) -> None:
    root = Path(pendtui.__file__).parent.parent
    environ = {**os.environ, "PENDTUI_RUNS": str(tmp_path / "runs"), "PYTHONPATH": str(root)}
    command = [sys.executable, "-m", "pendtui", "read", "--queue", str(queue), "--format", "jsonl"]
    with Path("/dev/full").open("w") as full:
        ended = subprocess.run(
            command, cwd=tmp_path, env=environ, stdout=full, stderr=subprocess.PIPE, text=True, check=False
        )
    assert ended.returncode == 2
    assert ended.stderr == "pendtui: No space left on device\n"


def test_a_reader_of_the_output_that_goes_away_is_no_fault(queue: Path, tmp_path: Path) -> None:
    root = Path(pendtui.__file__).parent.parent
    environ = {**os.environ, "PENDTUI_RUNS": str(tmp_path / "runs"), "PYTHONPATH": str(root)}
    command = [sys.executable, "-m", "pendtui", "read", "--queue", str(queue), "--format", "jsonl"]
    away, ours = os.pipe()
    os.close(away)
    ended = subprocess.run(
        command, cwd=tmp_path, env=environ, stdout=ours, stderr=subprocess.PIPE, text=True, check=False
    )
    os.close(ours)
    assert (ended.returncode, "Traceback" in ended.stderr) == (0, False)
