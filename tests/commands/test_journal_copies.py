"""`pendtui journal seal|backup|restore|move` on both kinds of store, and what is said when there is no way in."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from pendtui.desk.journal import Head, Journal
from tests.commands.conftest import Program
from tests.desk.journal.stores import behind_its_back
from tests.journals import fill
from tests.postgres import PASSWORD, Server


@pytest.fixture
def store(place: Path | str, program: Program, monkeypatch: pytest.MonkeyPatch) -> Path | str:
    """A journal of six rows, named by the settings."""
    fill(place, 6)
    monkeypatch.setenv("PENDTUI_JOURNAL" if isinstance(place, Path) else "PENDTUI_STORE", str(place))
    return place


def test_a_seal_is_printed_and_taken_again(store: Path | str, program: Program) -> None:
    seal = program("journal", "seal").out
    with Journal.open(store, read_only=True) as journal:
        assert Head.parse(seal) == journal.head()
    assert program("journal", "verify", "--seal", seal.strip()).code == 0


def test_a_tail_that_was_cut_off_is_found_by_the_seal(store: Path | str, program: Program) -> None:
    seal = program("journal", "seal").out.strip()
    with behind_its_back(store) as tool:
        tool.run("DELETE FROM claim WHERE last_seq > 4")
        tool.run("DELETE FROM decision WHERE seq > 4")
        if isinstance(store, Path):
            tool.run("UPDATE sqlite_sequence SET seq = 4 WHERE name = 'decision'")
    assert program("journal", "verify").code == 0  # the journal alone does not show it
    found = program("journal", "verify", "--seal", seal)
    assert (found.code, found.out) == (1, "row 5: rows 5 to 6 were removed\n")


def test_a_journal_written_anew_is_found_by_the_seal(store: Path | str, program: Program, tmp_path: Path) -> None:
    fill(tmp_path / "other.db", 7)
    with Journal.open(tmp_path / "other.db") as journal:
        other = Head(6, next(entry.hash for entry in journal.entries() if entry.seq == 6))
    seal = f"6:{'f' * 64}"
    assert str(other) != seal
    found = program("journal", "verify", "--seal", seal)
    assert (found.code, found.out) == (1, "row 6: the journal up to here is not the one that was sealed\n")


def test_what_does_not_verify_is_not_sealed(store: Path | str, program: Program) -> None:
    with behind_its_back(store) as tool:
        tool.run("UPDATE decision SET note = 'x' WHERE seq = 2")
    outcome = program("journal", "seal")
    assert (outcome.code, outcome.out) == (1, "")
    assert "does not verify: row 2" in outcome.err and PASSWORD not in outcome.err


@pytest.mark.parametrize("seal", ["", "6", "6:abc", f"x:{'f' * 64}", f"6:{'g' * 64}"])
def test_what_is_no_seal_is_refused(store: Path | str, program: Program, seal: str) -> None:
    outcome = program("journal", "verify", "--seal", seal)
    assert outcome.code == 2
    assert outcome.err.startswith("pendtui: --seal: a seal is ") and outcome.err.count("\n") == 1


def test_a_backup_is_restored_and_verifies_against_the_seal_of_the_first(
    store: Path | str, program: Program, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    seal = program("journal", "seal").out.strip()
    outcome = program("journal", "backup", "copy.db")
    assert (outcome.code, outcome.out) == (0, f"copy.db: 6 rows, verified; head {seal.partition(':')[2]}\n")
    monkeypatch.delenv("PENDTUI_STORE", raising=False)
    monkeypatch.setenv("PENDTUI_JOURNAL", str(tmp_path / "new.db"))
    assert program("journal", "restore", "copy.db").code == 0
    assert program("journal", "verify", "--seal", seal).code == 0
    again = program("journal", "restore", "copy.db")
    assert again.code == 2 and "holds decisions already" in again.err


def test_a_move_to_a_server_ends_with_the_same_head(
    program: Program, postgres: Server, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    fill(tmp_path / "one.db", 6)
    monkeypatch.setenv("PENDTUI_JOURNAL", str(tmp_path / "one.db"))
    seal = program("journal", "seal").out.strip()
    target = postgres.new_store()
    outcome = program("journal", "move", target)
    assert outcome.code == 0
    assert outcome.out.startswith(f"6 rows moved and verified; head {seal.partition(':')[2]}\n")
    monkeypatch.setenv("PENDTUI_STORE", target)
    assert program("journal", "verify", "--seal", seal).code == 0


@pytest.mark.parametrize(
    ("arguments", "what"),
    [
        (("backup",), "needs another place. Name it: FILE"),
        (("move",), "needs another place. Name it: TO, a file or postgresql://"),
        (("backup", "postgresql://u@h/d"), "a backup is a file"),
        (("verify", "x.db"), "takes no other place"),
        (("seal", "--seal", "x"), "only journal verify takes a seal"),
        (("restore", "nowhere.db"), "nowhere.db: there is no journal here yet"),
        (("backup", "nowhere/copy.db"), "nowhere/copy.db: its folder does not exist"),
    ],
)
def test_what_is_missing_or_too_much_is_one_line_and_exit_code_2(
    store: Path | str, program: Program, arguments: tuple[str, ...], what: str
) -> None:
    outcome = program("journal", *arguments)
    assert outcome.code == 2
    assert what in outcome.err
    assert outcome.err.count("\n") == 1 and PASSWORD not in outcome.err


def test_a_queue_with_a_name_of_its_own_is_found_by_it(
    program: Program, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    fill(tmp_path / "one.db", 3)
    (tmp_path / "q").mkdir()
    monkeypatch.setenv("PENDTUI_JOURNAL", str(tmp_path / "one.db"))
    assert program("journal", "list", "--queue", "q", "--format", "jsonl").out == ""
    monkeypatch.setenv("PENDTUI_QUEUE_NAME", "/srv/queue")
    assert program("journal", "list", "--queue", "q", "--format", "jsonl").out.count("\n") == 3


@pytest.mark.parametrize("command", [("journal", "verify"), ("journal", "list"), ("doctor",)])
def test_a_wrong_password_is_said_without_any_password(
    program: Program, postgres: Server, monkeypatch: pytest.MonkeyPatch, command: tuple[str, ...]
) -> None:
    monkeypatch.setenv("PENDTUI_STORE", postgres.new_store().replace(PASSWORD, "s3cr3tw0rd"))
    outcome = program(*command)
    said = outcome.out + outcome.err
    assert outcome.code in (1, 2)
    assert "authentication failed" in said
    assert "s3cr3tw0rd" not in said and PASSWORD not in said


def test_doctor_says_how_a_store_stands(
    program: Program, postgres: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    place = postgres.new_store()
    monkeypatch.setenv("PENDTUI_STORE", place)
    assert "answers; the tables are made at the first start" in program("doctor").out
    fill(place, 2)
    said = program("doctor").out
    assert "decisions saved: 2, all verify" in said and PASSWORD not in said
    with behind_its_back(place) as tool:
        tool.run("UPDATE decision SET note = 'x' WHERE seq = 2")
    assert "does not verify (row 2" in program("doctor").out


def test_without_the_driver_a_command_names_the_extra_to_install(tmp_path: Path) -> None:
    code = (
        "import sys; sys.modules['psycopg'] = None\n"
        "from pendtui.cli import main; sys.exit(main(['journal', 'list']))"
    )
    environ = {**os.environ, "PENDTUI_STORE": "postgresql://u:s3cr3tw0rd@127.0.0.1:1/db"}
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=False, env=environ, cwd=tmp_path
    )
    assert done.returncode == 2
    assert done.stderr == (
        "pendtui: postgresql://u@127.0.0.1:1/db: a PostgreSQL store needs the driver psycopg."
        " Install it with: pip install 'pendtui[postgres]'\n"
    )
