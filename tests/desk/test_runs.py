"""Stored runs: written as they go, readable after a crash, found by id or path."""

import json
import os
import signal
import stat
import subprocess
import sys
from datetime import UTC, date, datetime
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import pendtui
from pendtui.desk.queue_folder import queue_hash, read_record, read_rows, record_files
from pendtui.desk.run_file import (
    FIELDS,
    RunHeader,
    RunRecord,
    RunWriter,
    as_of_value,
    read_run,
    run_path,
    run_summary,
)
from pendtui.desk.runs import find_run, new_header, new_run_id, queue_state, run_files, run_record
from pendtui.engines.clock import read_clock
from pendtui.engines.facts import claim_of
from pendtui.engines.readers import RawAnswers, Reading
from pendtui.engines.recheck import Override, recheck
from pendtui.engines.record import parse_record
from pendtui.engines.vocabulary import CauseClass
from pendtui.errors import RunError
from tests.policies import policy
from tests.queues import FIVE, write_queue
from tests.records import MESSAGE, record_text, row

ROOT = Path(pendtui.__file__).parent.parent

HEADER = RunHeader(
    run_id="a",
    arm="model",
    model="small-1",
    started_at="2026-12-01T13:15:00.000Z",
    program="pendtui 0.1.0",
    queue="/queues/monday",
    queue_sha256="1" * 64,
    policy_id="PR-2026",
    policy_sha256="2" * 64,
    prompt_sha256="3" * 64,
    as_of="register",
    records=2,
)
FULL = RunRecord(
    id="PC-0001",
    arm="model",
    cause_class="AUTH-MISSING",
    citation="no auth on file for “this” stay",
    span=(10, 40),
    resolution="PEND-EXTERNAL",
    rule="PR-9",
    clock="WITHIN-CLOCK",
    clock_rule="CL-2",
    deadline_days=60,
    elapsed_days=22,
    days_left=38,
    release="EXAMINER-APPLIES",
    confidence=0.75,
    overrides=(Override("clock", "BREACHED", "WITHIN-CLOCK", "CL-2"),),
    raw={"cause_class": "AUTH-MISSING", "clock": "BREACHED", "why": "nothing on file"},
)
EMPTY = RunRecord("PC-0002", "model", error="the file is empty")


def written(folder: Path, *records: RunRecord, header: RunHeader = HEADER, finish: bool = True) -> Path:
    with RunWriter(folder, header) as writer:
        for record in records:
            writer.add(record)
        if finish:
            writer.finish()
    return writer.path


def test_a_run_is_read_back_as_it_was_written(tmp_path: Path) -> None:
    run = read_run(written(tmp_path, FULL, EMPTY))
    assert run.header == HEADER
    assert run.records == (FULL, EMPTY)
    assert run.finished_at is not None and datetime.fromisoformat(run.finished_at).tzinfo == UTC


def test_the_file_is_the_contracts_lines_in_their_order(tmp_path: Path) -> None:
    first, record, end = [
        json.loads(line) for line in written(tmp_path, FULL).read_text(encoding="utf-8").splitlines()
    ]
    assert list(first)[:3] == ["type", "format", "run_id"]
    assert (first["type"], first["format"]) == ("run", 1)
    assert list(record) == ["type", *FIELDS, "raw"]
    assert record["span"] == [10, 40]
    assert record["overrides"] == [
        {"field": "clock", "raw": "BREACHED", "recomputed": "WITHIN-CLOCK", "rule": "CL-2"}
    ]
    assert (end["type"], end["records"]) == ("end", 1)


def test_a_call_is_stored_under_its_key_and_read_back(tmp_path: Path) -> None:
    call = {"text": "{}", "usage": {"input": None}, "cost_usd": None, "departures": ["why is missing"]}
    path = written(tmp_path, FULL._replace(call=call), EMPTY)
    assert read_run(path).records == (FULL._replace(call=call), EMPTY)
    _, first, second, _ = map(json.loads, path.read_text(encoding="utf-8").splitlines())
    assert first["call"] == call
    assert "call" not in second


def test_an_unfinished_run_is_taken_up_under_the_instant_it_was_begun(tmp_path: Path) -> None:
    written(tmp_path, FULL, finish=False)
    with (tmp_path / "a.jsonl").open("a", encoding="utf-8") as file:
        file.write('{"type": "record", "cut')
    later = HEADER._replace(started_at="2026-12-02T08:00:00.000Z", program="pendtui 9.9")
    with RunWriter(tmp_path, later, take_up=True) as writer:
        writer.add(EMPTY)
        writer.add(FULL)
        writer.finish()
    run = read_run(tmp_path / "a.jsonl")
    assert run.header == later._replace(started_at=HEADER.started_at)
    assert run.records == (EMPTY, FULL) and run.finished_at is not None


@pytest.mark.parametrize(
    ("field", "value"),
    [("model", "other"), ("queue_sha256", "9" * 64), ("prompt_sha256", "9" * 64), ("only", ("PC-0001",))],
)
def test_an_unfinished_run_of_another_question_is_left_alone(tmp_path: Path, field: str, value: object) -> None:
    path = written(tmp_path, FULL, finish=False)
    before = path.read_bytes()
    other = HEADER._replace(**{field: value})  # type: ignore[arg-type]
    with pytest.raises(RunError, match="asked something else"):
        RunWriter(tmp_path, other, take_up=True)
    assert path.read_bytes() == before


def test_a_finished_run_is_not_taken_up(tmp_path: Path) -> None:
    path = written(tmp_path, FULL)
    before = path.read_bytes()
    with pytest.raises(RunError, match="already a run called a"):
        RunWriter(tmp_path, HEADER, take_up=True)
    assert path.read_bytes() == before


def test_a_run_that_is_being_written_is_not_taken_up(tmp_path: Path) -> None:
    with RunWriter(tmp_path, HEADER) as writer:
        writer.add(FULL)
        with pytest.raises(RunError, match="is being written by another program"):
            RunWriter(tmp_path, HEADER, take_up=True)
    assert len(read_run(tmp_path / "a.jsonl").records) == 1
    with RunWriter(tmp_path, HEADER, take_up=True) as again:
        again.finish()


_texts = st.none() | st.text(max_size=12)
_numbers = st.none() | st.integers(-9999, 9999)
_records = st.builds(
    RunRecord,
    id=st.text(min_size=1, max_size=12),
    arm=st.sampled_from(("phrase", "floor", "model")),
    cause_class=_texts,
    citation=_texts,
    span=st.none() | st.tuples(st.integers(0, 99), st.integers(100, 200)),
    resolution=_texts,
    rule=_texts,
    clock=_texts,
    clock_rule=_texts,
    deadline_days=_numbers,
    elapsed_days=_numbers,
    days_left=_numbers,
    release=_texts,
    confidence=st.none() | st.floats(0, 1),
    overrides=st.lists(st.builds(Override, *[st.text(max_size=5)] * 4), max_size=2).map(tuple),
    error=_texts,
    raw=st.none() | st.dictionaries(st.text(max_size=5), _texts | st.floats(0, 1), max_size=3),
    call=st.none() | st.dictionaries(st.text(max_size=5), _texts | st.floats(0, 1), max_size=3),
)


@given(st.lists(_records, max_size=4, unique_by=lambda record: record.id))
def test_any_answers_survive_the_file(tmp_path_factory: pytest.TempPathFactory, records: list[RunRecord]) -> None:
    path = written(tmp_path_factory.mktemp("runs"), *records)
    assert read_run(path).records == tuple(records)
    assert run_summary(path).records == len(records)


def test_a_file_name_that_is_not_utf8_survives_the_file(tmp_path: Path) -> None:
    strange = EMPTY._replace(id=os.fsdecode(b"PC-\xff"))
    assert read_run(written(tmp_path, strange)).records == (strange,)


def test_folder_and_file_are_for_their_owner_only(tmp_path: Path) -> None:
    path = written(tmp_path / "state" / "runs", FULL)
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert stat.S_IMODE(path.parent.stat().st_mode) == 0o700


def test_a_run_that_is_being_written_can_be_read(tmp_path: Path) -> None:
    with RunWriter(tmp_path, HEADER) as writer:
        assert read_run(writer.path).records == ()
        writer.add(FULL)
        run = read_run(writer.path)
        assert (run.records, run.finished_at) == ((FULL,), None)
        summary = run_summary(writer.path)
        assert (summary.records, summary.finished_at) == (1, None)


def test_a_killed_process_leaves_every_record_it_got_to(tmp_path: Path) -> None:
    script = (
        "import os, sys\n"
        "from pathlib import Path\n"
        "from pendtui.desk.run_file import RunHeader, RunRecord, RunWriter\n"
        "header = RunHeader('a', 'floor', None, 'now', 'p', 'q', '1', 'P', '2', None, 'register', 9)\n"
        "writer = RunWriter(Path(sys.argv[1]), header)\n"
        "for n in range(3):\n"
        "    writer.add(RunRecord(f'PC-{n}', 'floor'))\n"
        "os.kill(os.getpid(), 9)\n"
    )
    ended = subprocess.run([sys.executable, "-c", script, str(tmp_path)], cwd=ROOT, check=False)
    assert ended.returncode == -signal.SIGKILL
    run = read_run(run_path(tmp_path, "a"))
    assert [record.id for record in run.records] == ["PC-0", "PC-1", "PC-2"]
    assert run.finished_at is None


@pytest.mark.parametrize("kept", [1, 20, 200])
def test_a_line_cut_short_is_left_out_and_the_run_is_unfinished(tmp_path: Path, kept: int) -> None:
    path = written(tmp_path, FULL, EMPTY)
    lines = path.read_bytes().splitlines(keepends=True)
    path.write_bytes(b"".join(lines[:2]) + lines[2][:kept])
    run = read_run(path)
    assert (run.records, run.finished_at) == ((FULL,), None)
    assert run_summary(path).records == 1


def test_a_full_disk_is_told_in_one_line_and_keeps_what_was_written(tmp_path: Path) -> None:
    write_queue(tmp_path / "queue", FIVE)
    script = (
        "import resource, sys\n"
        "resource.setrlimit(resource.RLIMIT_FSIZE, (2000, 2000))\n"
        "from pendtui.cli import main\n"
        "sys.exit(main(['read', '--queue', 'queue', '--run-id', 'a']))\n"
    )
    environ = {**os.environ, "PENDTUI_RUNS": str(tmp_path / "runs"), "PYTHONPATH": str(ROOT)}
    ended = subprocess.run(
        [sys.executable, "-B", "-c", script],
        cwd=tmp_path,
        env=environ,
        capture_output=True,
        text=True,
        check=False,
    )
    assert ended.returncode == 2
    assert "Traceback" not in ended.stderr
    assert "the run could not be written on" in ended.stderr
    run = read_run(tmp_path / "runs" / "a.jsonl")
    assert 1 <= len(run.records) < 5 and run.finished_at is None


def test_a_taken_id_is_refused_and_the_stored_run_stays(tmp_path: Path) -> None:
    path = written(tmp_path, FULL)
    before = path.read_bytes()
    with pytest.raises(RunError, match="already a run called a"):
        RunWriter(tmp_path, HEADER)
    assert path.read_bytes() == before


@pytest.mark.parametrize(
    "run_id",
    [
        "",
        ".",
        "..",
        "../a",
        "a/b",
        "/a",
        ".hidden",
        "-a",
        "a b",
        "a\nb",
        "a\x1b[2J",
        "ä",
        "a.",
        "x" * 101,
        "a.jsonl",
    ],
)
def test_an_id_that_is_no_safe_file_name_is_refused(tmp_path: Path, run_id: str) -> None:
    with pytest.raises(RunError, match="cannot name a run"):
        RunWriter(tmp_path, HEADER._replace(run_id=run_id))
    assert list(tmp_path.iterdir()) == []


def test_a_folder_of_runs_that_is_a_file_is_told(tmp_path: Path) -> None:
    (tmp_path / "runs").write_text("")
    with pytest.raises(RunError, match=r"is not a folder|cannot be stored"):
        RunWriter(tmp_path / "runs", HEADER)


def test_a_new_id_is_the_reader_and_the_time_and_never_one_that_is_taken(tmp_path: Path) -> None:
    taken = set()
    for _ in range(3):
        run_id = new_run_id(tmp_path, "floor")
        assert run_id not in taken
        taken.add(run_id)
        written(tmp_path, header=HEADER._replace(run_id=run_id))
    arm, _, when = min(taken, key=len).partition("-")
    assert arm == "floor"
    at = datetime.strptime(when, "%Y%m%dT%H%M%SZ").replace(tzinfo=UTC)
    assert abs((datetime.now(UTC) - at).total_seconds()) < 60


def test_a_run_is_found_by_its_id_and_by_its_path(tmp_path: Path) -> None:
    path = written(tmp_path / "runs", FULL)
    moved = tmp_path / "elsewhere.jsonl"
    moved.write_bytes(path.read_bytes())
    assert find_run(tmp_path / "runs", "a") == path
    assert find_run(tmp_path / "runs", str(moved)) == moved
    for missing in ("b", "../runs/a", str(tmp_path)):
        with pytest.raises(RunError, match="there is no run"):
            find_run(tmp_path / "runs", missing)


LINES = [
    json.dumps({"type": "run", "format": 1, **{n: getattr(HEADER, n) for n in HEADER._fields}}),
    json.dumps({"type": "record", **dict(zip(FIELDS, FULL.values(), strict=True)), "raw": None}),
    json.dumps({"type": "end", "finished_at": "2026-12-01T13:16:00Z", "records": 1}),
]


@pytest.mark.parametrize(
    ("lines", "said"),
    [
        ([], "is not a stored run"),
        (["PEND RECORD PC-0001 -- a record"], "is not a stored run"),
        (["[1]"], "is not a stored run"),
        (['{"id": "PC-0001", "cause_class": "AUTH-MISSING"}'], "is not a stored run"),
        ([LINES[0].replace('"format": 1', '"format": 2')], "is a run of format 2; this program reads 1"),
        ([LINES[0].replace('"arm": "model"', '"arm": 7')], "line 1: arm is not text"),
        ([LINES[0].replace('"as_of": "register"', '"as_of": "soon"')], "as_of 'soon' is neither"),
        ([LINES[0], "{", LINES[1]], "line 2: is not a JSON object"),
        ([LINES[0], '{"type": "other"}'], "line 2: is neither a record nor the end"),
        ([LINES[0], LINES[1], LINES[1]], "line 3: answers PC-0001 a second time"),
        ([LINES[0], LINES[2], LINES[1]], "line 3: goes on after its end"),
        ([LINES[0], LINES[1].replace("[10, 40]", '[10, "40"]')], "line 2: span is not"),
        ([LINES[0], LINES[1].replace("[10, 40]", "[10]")], "line 2: span is not"),
        (
            [LINES[0], LINES[1].replace('"days_left": 38', '"days_left": 38.5')],
            "days_left is not a whole number",
        ),
        (
            [LINES[0], LINES[1].replace('"confidence": 0.75', '"confidence": "high"')],
            "confidence is not a number",
        ),
        ([LINES[0], LINES[1].replace('"raw": null', '"raw": "text"')], "raw is not an object"),
        ([LINES[0], LINES[1].replace('"rule": "CL-2"}]', '"rule": null}]')], "rule is missing"),
        ([LINES[0], LINES[1].replace('"id": "PC-0001"', '"id": null')], "id is missing"),
    ],
)
def test_a_file_that_is_no_run_or_is_damaged_within_is_refused(tmp_path: Path, lines: list[str], said: str) -> None:
    path = tmp_path / "a.jsonl"
    path.write_text("".join(line + "\n" for line in lines), encoding="utf-8")
    with pytest.raises(RunError) as refused:
        read_run(path)
    assert said in str(refused.value)
    assert str(path) in str(refused.value)


def test_a_run_file_that_cannot_be_opened_is_refused(tmp_path: Path) -> None:
    with pytest.raises(RunError, match="cannot be read"):
        read_run(tmp_path)
    with pytest.raises(RunError, match="cannot be read"):
        run_summary(tmp_path / "gone.jsonl")


def test_only_run_files_are_listed_and_no_folder_is_no_runs(tmp_path: Path) -> None:
    assert run_files(tmp_path / "runs") == []
    path = written(tmp_path / "runs", FULL)
    (tmp_path / "runs" / "notes.txt").write_text("")
    assert run_files(tmp_path / "runs") == [path]


def test_the_queues_hash_is_the_one_over_its_records_as_they_are_read(tmp_path: Path) -> None:
    folder = write_queue(tmp_path / "queue", FIVE)
    (folder / "PC-0006.txt").write_bytes(b"\xff not UTF-8")
    state = queue_state(folder)
    hashes = {file.id: read_record(file.path, file.id).sha256 for file in record_files(folder)}
    assert dict(state.hashes) == hashes
    assert state.sha256 == queue_hash(hashes, read_rows(folder).sha256)
    with (folder / "PC-0001.txt").open("a", encoding="utf-8") as file:
        file.write("\n")
    assert queue_state(folder).sha256 != state.sha256


def test_a_header_says_what_was_read_with_what(tmp_path: Path) -> None:
    folder = write_queue(tmp_path / "queue", FIVE)
    queue, rules = queue_state(folder), policy()
    header = new_header(
        "a",
        "floor",
        folder=folder,
        queue=queue,
        policy=rules,
        as_of=date(2026, 9, 4),
        records=2,
        only=["PC-0001", "PC-0003"],
    )
    assert (header.queue, header.queue_sha256) == (str(folder.resolve()), queue.sha256)
    assert (header.policy_id, header.policy_sha256) == ("PR-2026", rules.sha256)
    assert (header.records, header.only) == (2, ("PC-0001", "PC-0003"))
    assert as_of_value(header) == date(2026, 9, 4)
    assert as_of_value(header._replace(as_of="register")) == "register"
    assert read_run(written(tmp_path, header=header)).header == header


def answers_for(text: str, given_row: bool = True, **changes: str) -> RunRecord:
    record = parse_record(text, "PC-0001")
    claim = claim_of(record, row(**changes) if given_row else None)
    reading = Reading("floor", CauseClass.AUTH_MISSING, MESSAGE)
    return run_record(claim, reading, recheck(reading, claim, policy(), "register", date(2026, 12, 1)))


def test_a_sound_record_is_stored_with_the_four_answers() -> None:
    stored = answers_for(record_text())
    assert stored.error is None
    assert (stored.cause_class, stored.citation) == ("AUTH-MISSING", MESSAGE)
    assert stored.span is not None and record_text()[slice(*stored.span)] == MESSAGE
    assert (stored.resolution, stored.rule) == ("PEND-EXTERNAL", "PR-9")
    assert (stored.clock, stored.clock_rule) == ("WITHIN-CLOCK", "CL-2")
    assert (stored.elapsed_days, stored.deadline_days, stored.days_left) == (22, 60, 38)
    assert (stored.release, stored.raw) == ("EXAMINER-APPLIES", None)


def test_a_faulty_record_keeps_its_more_urgent_clock_and_proposes_no_resolution() -> None:
    stored = answers_for(record_text(), received_on="2026-07-01", pended_on="2026-07-02")
    assert stored.error is not None and "received on '2026-08-10'" in stored.error
    assert (stored.resolution, stored.rule) == (None, None)
    urgent = read_clock(row(received_on="2026-07-01", pended_on="2026-07-02").facts, date(2026, 9, 1), policy())
    assert stored.days_left == urgent.days_left == -2
    assert stored.clock == "BREACHED"


def test_a_record_without_a_row_has_no_resolution_and_no_error() -> None:
    stored = answers_for(record_text(), given_row=False)
    assert (stored.resolution, stored.rule, stored.error) == (None, None, None)
    assert stored.clock == "WITHIN-CLOCK"


def test_what_a_reply_said_itself_is_stored_beside_the_recheck() -> None:
    claim = claim_of(parse_record(record_text(), "PC-0001"), row())
    raw = RawAnswers(cause_class="AUTH-MISSING", clock="BREACHED", release="AUTO-RELEASE")
    reading = Reading("model", CauseClass.AUTH_MISSING, MESSAGE, raw=raw)
    stored = run_record(claim, reading, recheck(reading, claim, policy(), "register", date(2026, 12, 1)))
    assert stored.raw is not None
    assert (stored.raw["clock"], stored.raw["release"]) == ("BREACHED", "AUTO-RELEASE")
    assert (stored.clock, stored.release) == ("WITHIN-CLOCK", "EXAMINER-APPLIES")
    assert [override.field for override in stored.overrides] == ["clock", "release"]
