"""`pendtui doctor`: each thing that can be wrong, said in words."""

import json
import os
import pty
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

import pytest

import pendtui
from pendtui.commands import doctor
from tests.commands.conftest import Program
from tests.journals import decision
from tests.queues import FIVE, write_queue


@pytest.fixture
def queue(tmp_path: Path) -> Path:
    return write_queue(tmp_path / "queue", FIVE)


def findings(program: Program, code: int, *arguments: object) -> dict[str, tuple[str, str]]:
    outcome = program("doctor", "--format", "json", *arguments)
    assert outcome.code == code, outcome.out
    return {row["check"]: (row["state"], row["detail"]) for row in json.loads(outcome.out)}


def test_a_sound_desk_has_nothing_broken(program: Program, queue: Path) -> None:
    found = findings(program, 0)
    assert {state for state, _ in found.values()} <= {"ok", "note"}
    assert found["queue"] == ("ok", "5 records and 5 rows in queue, none faulty")
    assert found["policy"][0] == "ok" and "PR-2026" in found["policy"][1]
    assert found["packages"][0] == "ok" and "textual" in found["packages"][1]
    assert found["python"][1].startswith(sys.version.split()[0])
    assert "is made at the first decision" in found["journal"][1]


def test_looking_changes_nothing(program: Program, queue: Path, tmp_path: Path) -> None:
    before = sorted(tmp_path.rglob("*"))
    findings(program, 0)
    assert sorted(tmp_path.rglob("*")) == before


def test_no_queue_is_broken_and_says_how_to_name_one(program: Program) -> None:
    state, detail = findings(program, 1)["queue"]
    assert state == "broken" and "--queue" in detail


def test_an_empty_folder_is_no_queue(program: Program, tmp_path: Path) -> None:
    (tmp_path / "queue").mkdir()
    state, detail = findings(program, 1)["queue"]
    assert state == "broken" and detail.startswith("0 records")


def test_faulty_records_are_a_note_with_the_first_reason(program: Program, queue: Path) -> None:
    (queue / "PC-0002.txt").write_text("", encoding="utf-8")
    (queue / "PC-0004.txt").write_text("", encoding="utf-8")
    state, detail = findings(program, 0)["queue"]
    assert state == "note"
    assert "2 faulty (PC-0002: the file is empty and 1 more)" in detail


def test_a_policy_that_cannot_be_used_is_broken_and_the_rest_is_still_looked_at(
    program: Program, queue: Path, tmp_path: Path
) -> None:
    (tmp_path / "p.toml").write_text("policy_id = 3\n", encoding="utf-8")
    found = findings(program, 1, "--policy", "p.toml")
    assert found["policy"][0] == "broken"
    assert found["queue"][0] == "ok"


def test_a_wrong_settings_file_is_broken(program: Program, queue: Path, tmp_path: Path) -> None:
    (tmp_path / "config.toml").write_text("[desk]\ncolour = 1\n", encoding="utf-8")
    state, detail = findings(program, 1)["settings"]
    assert state == "broken" and "unknown key colour" in detail


@pytest.fixture
def journal(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A journal with one decision, named in the environment."""
    from pendtui.desk.journal import Journal

    path = tmp_path / "decisions" / "journal.db"
    monkeypatch.setenv("PENDTUI_JOURNAL", str(path))
    with Journal.open(path) as entries:
        entries.append(decision("PC-0001"), expected_last=None)
    return path


def test_a_journal_that_verifies_is_counted(program: Program, queue: Path, journal: Path) -> None:
    assert findings(program, 0)["journal"] == ("ok", f"{journal}: decisions saved: 1, all verify, mode 0600")


def test_a_journal_that_others_can_open_is_broken(program: Program, queue: Path, journal: Path) -> None:
    journal.chmod(0o644)
    state, detail = findings(program, 1)["journal"]
    assert state == "broken" and "mode 0644" in detail and "chmod 600" in detail


def test_a_journal_that_was_tampered_with_is_broken(program: Program, queue: Path, journal: Path) -> None:
    import sqlite3

    with sqlite3.connect(journal) as db:
        db.execute("DROP TRIGGER decision_never_updated")
        db.execute("UPDATE decision SET who = 'somebody else'")
    state, detail = findings(program, 1)["journal"]
    assert state == "broken" and "does not verify" in detail


def test_a_file_that_is_no_journal_is_broken(
    program: Program, queue: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "journal.db").write_text("not a database", encoding="utf-8")
    (tmp_path / "journal.db").chmod(0o600)
    monkeypatch.setenv("PENDTUI_JOURNAL", str(tmp_path / "journal.db"))
    assert findings(program, 1)["journal"][0] == "broken"


def test_a_folder_that_is_a_file_is_broken(
    program: Program, queue: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "taken").write_text("", encoding="utf-8")
    monkeypatch.setenv("PENDTUI_RUNS", str(tmp_path / "taken" / "runs"))
    monkeypatch.setenv("PENDTUI_INDEX_FOLDER", str(tmp_path / "taken"))
    monkeypatch.setenv("PENDTUI_JOURNAL", str(tmp_path / "taken" / "journal.db"))
    found = findings(program, 1)
    assert [found[name][0] for name in ("runs", "index", "journal")] == ["broken"] * 3


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write anywhere")
def test_a_folder_that_cannot_be_written_is_broken(
    program: Program, queue: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "locked").mkdir(mode=0o500)
    monkeypatch.setenv("PENDTUI_RUNS", str(tmp_path / "locked" / "runs"))
    assert findings(program, 1)["runs"][0] == "broken"


def test_of_the_key_only_its_presence_is_said(
    program: Program, queue: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert findings(program, 0)["key"] == ("ok", "API_KEY is absent; the offline readers need none")
    monkeypatch.setenv("API_KEY", "s3cret-value")
    outcome = program("doctor")
    assert "API_KEY is present" in outcome.out and "s3cret" not in outcome.out + outcome.err


@pytest.mark.parametrize(
    ("environ", "state"),
    [
        ({"LANG": "C.UTF-8"}, "ok"),
        ({"LANG": "de_DE.utf8"}, "ok"),
        ({"LANG": "C.UTF-8", "LC_ALL": "C"}, "note"),
        ({"LANG": "C", "LC_CTYPE": "en_US.UTF-8"}, "ok"),
        ({"LANG": "en_US.ISO-8859-1"}, "note"),
        ({}, "note"),
    ],
)
def test_the_locale_that_wins_has_to_be_utf8(environ: Mapping[str, str], state: str) -> None:
    assert doctor.encoding(environ).state == state


@pytest.mark.parametrize(
    ("environ", "state"), [({"TERM": "xterm-256color"}, "ok"), ({"TERM": "dumb"}, "note"), ({}, "note")]
)
def test_a_terminal_has_to_say_what_it_is(environ: Mapping[str, str], state: str) -> None:
    assert doctor.terminal_kind(environ).state == state


def test_no_color_is_heard() -> None:
    found = doctor.colours({"NO_COLOR": "1", "COLORTERM": "truecolor"})
    assert found.state == "note" and "NO_COLOR" in found.detail
    assert doctor.colours({"COLORTERM": "truecolor"}).detail == "16 million"


@pytest.mark.parametrize(("columns", "lines", "state"), [(80, 24, "ok"), (79, 24, "note"), (80, 23, "note")])
def test_a_terminal_below_80_by_24_is_a_note(
    queue: Path, tmp_path: Path, columns: int, lines: int, state: str
) -> None:
    import fcntl
    import struct
    import termios

    parent, child = pty.openpty()
    try:
        fcntl.ioctl(child, termios.TIOCSWINSZ, struct.pack("HHHH", lines, columns, 0, 0))
        environ = {
            **os.environ,
            "PYTHONPATH": str(Path(pendtui.__file__).parent.parent),
            "PENDTUI_JOURNAL": str(tmp_path / "journal.db"),
        }
        ended = subprocess.run(
            [sys.executable, "-m", "pendtui", "doctor", "--queue", str(queue), "--format", "json"],
            stdin=child,
            stdout=subprocess.PIPE,
            stderr=child,
            cwd=tmp_path,
            env=environ,
            check=False,
        )
    finally:
        os.close(child)
        os.close(parent)
    (size,) = [row for row in json.loads(ended.stdout) if row["check"] == "size"]
    assert size["state"] == state
    assert size["detail"].startswith(f"{columns} by {lines}")
