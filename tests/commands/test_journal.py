"""`pendtui journal`: what it lists, writes and says, and with which exit code."""

import csv
import json
import os
import pty
import sqlite3
import stat
import subprocess
import sys
from datetime import timedelta
from pathlib import Path

import pytest

from pendtui.cli import main
from pendtui.desk.journal import Journal
from pendtui.desk.journal.export import ANSWER_FIELDS
from tests.journals import QUEUE, START, answers, decision

FORMULAS = ["=1+1", "+1", "-1", "@SUM(A1)", "\tx", "\rx"]
ESCAPE = "\x1b[2J\x1b]0;owned\x07 \x9b31m"


@pytest.fixture
def path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A journal with an acceptance, a change, its undo, and a claim parked in another queue."""
    path = tmp_path / "state" / "journal.db"
    monkeypatch.setenv("PENDTUI_JOURNAL", str(path))
    monkeypatch.chdir(tmp_path)
    with Journal.open(path) as journal:
        journal.append(decision("PC-0001", display_name="Ann B."), expected_last=None)
        changed = journal.append(
            decision("PC-0002", "change", who="bob", decided=answers("DOC-REQUIRED"), note="see trail"),
            expected_last=None,
        )
        journal.undo(changed, who="bob", at=START + timedelta(seconds=1))
        other = str((tmp_path / "other").resolve())
        journal.append(decision("PC-0001", "park", queue=other, note="asked the plan"), expected_last=None)
    return path


def save(path: Path, note: str) -> None:
    with Journal.open(path) as journal:
        journal.append(decision(f"PC-1{journal.head().rows:03}", note=note), expected_last=None)


def test_the_list_shows_who_did_what_to_which_claim(path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["journal", "list"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].split() == (
        "seq at who action record_id proposed_cause cause_class resolution clock undoes note".split()
    )
    assert [line.split()[:5] for line in lines[2:]] == [
        ["1", "2026-09-01T08:30:00.000000Z", "Ann", "B.", "accept"],
        ["2", "2026-09-01T08:30:00.000000Z", "bob", "change", "PC-0002"],
        ["3", "2026-09-01T08:30:01.000000Z", "bob", "undo", "PC-0002"],
        ["4", "2026-09-01T08:30:00.000000Z", "ann", "park", "PC-0001"],
    ]
    assert lines[3].split()[5:] == "AUTH-MISSING DOC-REQUIRED PEND-EXTERNAL WITHIN-CLOCK see trail".split()


def test_a_queue_that_is_named_narrows_the_list(path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["journal", "list", "--queue", "other", "--format", "json"]) == 0
    (row,) = json.loads(capsys.readouterr().out)
    assert (row["seq"], row["action"], row["note"]) == (4, "park", "asked the plan")


def test_an_export_in_json_lines_holds_every_field(path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["journal", "export", "--format", "jsonl"]) == 0
    rows = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert [row["seq"] for row in rows] == [1, 2, 3, 4]
    assert rows[1]["proposed"] == answers() and rows[1]["decided"] == answers("DOC-REQUIRED")
    assert (rows[2]["action"], rows[2]["undoes"], rows[2]["previous_hash"]) == ("undo", 2, rows[1]["hash"])
    with Journal.open(path, read_only=True) as journal:
        saved = list(journal.entries())
    assert [row["hash"] for row in rows] == [entry.hash for entry in saved]
    assert rows[0] | {"proposed": 0, "decided": 0} == {
        "seq": 1,
        "at": "2026-09-01T08:30:00.000000Z",
        "who": "ann",
        "display_name": "Ann B.",
        "host": os.uname().nodename,
        "program": "pendtui 0.1.0",
        "queue": QUEUE,
        "record_id": "PC-0001",
        "record_sha256": "a" * 64,
        "policy_id": "PR-2026",
        "policy_sha256": "b" * 64,
        "action": "accept",
        "reader": "floor",
        "proposed": 0,
        "decided": 0,
        "note": "",
        "undoes": None,
        "previous_hash": "0" * 64,
        "hash": saved[0].hash,
    }


def test_an_export_is_csv_unless_told_otherwise_with_both_sets_of_answers(
    path: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["journal", "export", "--out", str(tmp_path / "out.csv")]) == 0
    assert capsys.readouterr().out == ""
    with open(tmp_path / "out.csv", encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    assert [row["seq"] for row in rows] == ["1", "2", "3", "4"]
    for name in ANSWER_FIELDS:
        value = answers("DOC-REQUIRED")[name]
        assert rows[1][f"decided_{name}"] == (json.dumps(value) if isinstance(value, list) else str(value))
    assert rows[1]["proposed_cause_class"] == "AUTH-MISSING"
    assert [row["undoes"] for row in rows] == ["", "", "2", ""]


@pytest.mark.parametrize("start", FORMULAS)
def test_no_exported_cell_is_a_formula(path: Path, tmp_path: Path, start: str) -> None:
    save(path, start)
    assert main(["journal", "export", "--format", "csv", "--out", str(tmp_path / "out.csv")]) == 0
    with open(tmp_path / "out.csv", encoding="utf-8", newline="") as file:
        *_, last = csv.DictReader(file)
    assert last["note"].startswith("'")
    assert last["note"].endswith(start.strip())


def test_an_exported_file_is_for_its_owner_alone_and_appears_whole(path: Path, tmp_path: Path) -> None:
    out = tmp_path / "exports" / "out.jsonl"
    assert main(["journal", "export", "--format", "jsonl", "--out", str(out)]) == 2
    out.parent.mkdir()
    before = os.umask(0)
    try:
        assert main(["journal", "export", "--format", "jsonl", "--out", str(out)]) == 0
    finally:
        os.umask(before)
    assert stat.S_IMODE(out.stat().st_mode) == 0o600
    assert [file.name for file in out.parent.iterdir()] == ["out.jsonl"]
    assert len(out.read_text(encoding="utf-8").splitlines()) == 4


def test_an_export_never_writes_over_the_journal(path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["journal", "export", "--out", str(path)]) == 2
    assert "is the journal itself" in capsys.readouterr().err
    assert main(["journal", "verify"]) == 0


def test_an_export_is_not_one_json_array(path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["journal", "export", "--format", "json"]) == 2
    assert capsys.readouterr().err == (
        "pendtui: an export is CSV or JSON lines. Use --format csv or --format jsonl\n"
    )


@pytest.mark.parametrize("arguments", [["list"], ["list", "--format", "csv"], ["export"]])
def test_a_terminal_obeys_nothing_in_a_note(path: Path, arguments: list[str]) -> None:
    save(path, ESCAPE)
    ours, theirs = pty.openpty()
    command = [sys.executable, "-m", "pendtui", "journal", *arguments]
    env = {**os.environ, "PYTHONPATH": str(Path(__file__).resolve().parents[2])}
    program = subprocess.Popen(command, stdout=theirs, env=env)
    os.close(theirs)
    shown = b""
    while True:
        try:
            part = os.read(ours, 65536)
        except OSError:
            break
        if not part:
            break
        shown += part
    os.close(ours)
    assert program.wait() == 0
    text = shown.decode()
    assert "owned" in text
    assert {char for char in text if not char.isprintable()} == {"\r", "\n"}


def test_a_sound_journal_is_verified_with_its_head(path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with Journal.open(path, read_only=True) as journal:
        head = journal.head()
    assert main(["journal", "verify"]) == 0
    assert capsys.readouterr().out == f"{path}: 4 rows, each as it was written; head {head.hash}\n"


def test_a_changed_row_is_named_and_the_exit_code_is_1(path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    db = sqlite3.connect(path)
    db.execute("DROP TRIGGER decision_never_updated")
    db.execute("UPDATE decision SET note = 'something else' WHERE seq = 2")
    db.commit()
    db.close()
    assert main(["journal", "verify"]) == 1
    first, second = capsys.readouterr().out.splitlines()
    assert first.startswith("row 2: the row is not as it was written")
    assert second.startswith("decision_never_updated is missing")
    assert main(["journal", "verify", "--format", "jsonl"]) == 1
    assert json.loads(capsys.readouterr().out.splitlines()[0])["seq"] == 2


def test_a_row_that_cannot_be_read_is_one_line_and_no_traceback(
    path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    db = sqlite3.connect(path)
    db.execute("DROP TRIGGER decision_never_updated")
    db.execute("UPDATE decision SET at = 'yesterday' WHERE seq = 2")
    db.commit()
    db.close()
    assert main(["journal", "list"]) == 2
    said = capsys.readouterr().err
    assert said == "pendtui: the journal: row 2 is not as it was written. Run `pendtui journal verify`\n"


@pytest.mark.parametrize("action", ["list", "export", "verify"])
def test_without_a_journal_one_line_says_so_and_none_is_created(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], action: str
) -> None:
    monkeypatch.setenv("PENDTUI_JOURNAL", str(tmp_path / "none.db"))
    monkeypatch.chdir(tmp_path)
    assert main(["journal", action]) == 2
    assert capsys.readouterr().err.startswith(f"pendtui: {tmp_path}/none.db: there is no journal here yet")
    assert list(tmp_path.iterdir()) == []
