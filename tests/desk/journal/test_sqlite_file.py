"""The journal's file: whose it is, what is refused, and what is said when a disk or a lock is in the way."""

import multiprocessing
import os
import shutil
import sqlite3
import stat
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from multiprocessing.connection import Connection
from pathlib import Path

import pytest

from pendtui.desk.journal import Journal
from pendtui.desk.journal.database import APPLICATION_ID
from pendtui.desk.journal.sqlite_schema import VERSION
from pendtui.desk.journal.store import TIMEOUT
from pendtui.errors import JournalError
from tests.journals import QUEUE, decide_until_full, decision, fill, hold_locked

SPAWN = multiprocessing.get_context("spawn")


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


@pytest.mark.parametrize("umask", [0o000, 0o022, 0o077])
def test_the_file_its_side_files_and_its_folder_are_for_the_owner_alone(tmp_path: Path, umask: int) -> None:
    path = tmp_path / "state" / "journal.db"
    before = os.umask(umask)
    try:
        with Journal.open(path) as journal:
            journal.append(decision(), expected_last=None)
            assert mode(path.parent) == 0o700
            files = sorted(file.name for file in path.parent.iterdir())
            assert files == ["journal.db", "journal.db-shm", "journal.db-wal"]
            assert {mode(file) for file in path.parent.iterdir()} == {0o600}
    finally:
        os.umask(before)


def test_a_file_that_its_owner_shares_with_a_group_stays_shared(tmp_path: Path) -> None:
    path = tmp_path / "journal.db"
    fill(path, 1)
    path.chmod(0o660)
    with Journal.open(path) as journal:
        journal.append(decision("PC-0002"), expected_last=None)
        assert {mode(file) for file in tmp_path.iterdir()} == {0o660}


def test_every_commit_waits_for_the_disk_and_for_other_programs(tmp_path: Path) -> None:
    with Journal.open(tmp_path / "journal.db") as journal:
        settings = {
            name: journal._db.rows(f"PRAGMA {name}")[0][0]
            for name in ("journal_mode", "synchronous", "busy_timeout", "application_id", "user_version")
        }
    assert TIMEOUT >= 5
    assert settings == {
        "journal_mode": "wal",
        "synchronous": 2,
        "busy_timeout": TIMEOUT * 1000,
        "application_id": APPLICATION_ID,
        "user_version": VERSION,
    }


@pytest.mark.parametrize(
    ("statement", "what"),
    [
        ("UPDATE decision SET note = 'x' WHERE seq = 1", "never updated"),
        ("UPDATE decision SET seq = 9 WHERE seq = 3", "never updated"),
        ("DELETE FROM decision WHERE seq = 3", "never deleted"),
        ("DELETE FROM decision", "never deleted"),
        ("INSERT OR REPLACE INTO decision SELECT * FROM decision WHERE seq = 2", "at the end"),
        ("INSERT INTO decision SELECT seq + 10, {rest} FROM decision WHERE seq = 3", "at the end"),
        ("INSERT INTO decision SELECT seq + 1, {rest} FROM decision WHERE seq = 3", "at the end"),
    ],
)
def test_the_database_itself_refuses_to_change_what_is_saved(tmp_path: Path, statement: str, what: str) -> None:
    fill(tmp_path / "journal.db", 3)
    db = sqlite3.connect(tmp_path / "journal.db")
    rest = ", ".join(name for _, name, *_ in db.execute("PRAGMA table_info(decision)") if name != "seq")
    with pytest.raises(sqlite3.IntegrityError, match=what):
        db.execute(statement.format(rest=rest))
    db.close()
    with Journal.open(tmp_path / "journal.db") as journal:
        assert journal.head().rows == 3
        assert journal.verify() == ()


def test_the_database_itself_refuses_an_open_release(tmp_path: Path) -> None:
    fill(tmp_path / "journal.db", 1)
    db = sqlite3.connect(tmp_path / "journal.db")
    names = [name for _, name, *_ in db.execute("PRAGMA table_info(decision)")]
    changed = {"seq": "2", "previous_hash": "hash", "decided": """'{"release":"AUTO-RELEASE"}'"""}
    values = ", ".join(changed.get(name, name) for name in names)
    with pytest.raises(sqlite3.IntegrityError, match="CHECK constraint"):
        db.execute(f"INSERT INTO decision SELECT {values} FROM decision")
    db.close()


def test_a_journal_of_a_newer_program_is_refused_and_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "journal.db"
    fill(path, 1)
    db = sqlite3.connect(path)
    db.execute(f"PRAGMA user_version={VERSION + 1}")
    db.close()
    before = path.read_bytes()
    for read_only in (False, True):
        with pytest.raises(JournalError, match=f"newer pendtui .schema {VERSION + 1}"):
            Journal.open(path, read_only=read_only)
    assert path.read_bytes() == before


def test_somebody_elses_database_is_refused_and_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "other.db"
    db = sqlite3.connect(path)
    db.execute("CREATE TABLE claim (id TEXT)")
    db.close()
    before = path.read_bytes()
    with pytest.raises(JournalError, match="not a journal of pendtui"):
        Journal.open(path)
    assert path.read_bytes() == before
    assert [file.name for file in tmp_path.iterdir()] == ["other.db"]


@pytest.mark.parametrize("garbage", [b"not a database at all\n" * 200, b"\x00\xff" * 4096, b"x"])
def test_a_file_that_is_no_database_is_refused_and_left_alone(tmp_path: Path, garbage: bytes) -> None:
    path = tmp_path / "journal.db"
    path.write_bytes(garbage)
    with pytest.raises(JournalError, match="is not a journal"):
        Journal.open(path)
    assert path.read_bytes() == garbage


def test_an_empty_file_left_by_a_program_that_was_killed_becomes_a_journal(tmp_path: Path) -> None:
    path = tmp_path / "journal.db"
    path.touch(mode=0o600)
    fill(path, 1)
    with Journal.open(path) as journal:
        assert journal.head().rows == 1


@pytest.mark.parametrize("place", ["folder", "file/journal.db"])
def test_a_place_that_cannot_hold_a_file_is_named(tmp_path: Path, place: str) -> None:
    (tmp_path / "folder").mkdir()
    (tmp_path / "file").touch()
    with pytest.raises(JournalError, match="cannot be opened") as refused:
        Journal.open(tmp_path / place)
    assert refused.value.where == str(tmp_path / place)
    assert "\n" not in str(refused.value)


def test_reading_creates_nothing(tmp_path: Path) -> None:
    with pytest.raises(JournalError, match="no journal here yet"):
        Journal.open(tmp_path / "state" / "journal.db", read_only=True)
    assert list(tmp_path.iterdir()) == []


def test_a_journal_opened_for_reading_is_not_written(tmp_path: Path) -> None:
    fill(tmp_path / "journal.db", 2)
    with Journal.open(tmp_path / "journal.db", read_only=True) as journal:
        with pytest.raises(JournalError, match="read but not written"):
            journal.append(decision("PC-0009"), expected_last=None)
        assert journal.head().rows == 2


@pytest.fixture
def shared_folder() -> Iterator[Path]:
    """A folder that other users can reach, as pytest's own cannot be."""
    folder = Path(tempfile.mkdtemp(prefix="pendtui-test-"))
    folder.chmod(0o755)
    yield folder
    folder.chmod(0o755)
    shutil.rmtree(folder)


def open_without_rights(path: Path, told: Connection) -> None:
    if os.geteuid() == 0:
        os.setuid(65534)
    try:
        Journal.open(path)
        told.send("opened")
    except JournalError as fault:
        told.send(str(fault))


@pytest.mark.parametrize("file_mode", [0o444, 0o000])
def test_a_file_that_may_not_be_written_is_refused_in_one_line(shared_folder: Path, file_mode: int) -> None:
    path = shared_folder / "journal.db"
    fill(path, 1)
    path.chmod(file_mode)
    shared_folder.chmod(0o555)
    ours, theirs = multiprocessing.Pipe()
    # Forked, because a user without rights may not be able to read the interpreter's packages either.
    program = multiprocessing.get_context("fork").Process(target=open_without_rights, args=(path, theirs))
    program.start()
    said = ours.recv()
    program.join()
    assert said == (
        f"{path}: the journal cannot be opened: Permission denied. "
        "Give yourself write access to the file and its folder, or name another journal file"
    )


def test_a_full_disk_is_said_and_what_was_saved_stays_whole(tmp_path: Path) -> None:
    path = tmp_path / "journal.db"
    ours, theirs = SPAWN.Pipe()
    program = SPAWN.Process(target=decide_until_full, args=(path, 150_000, theirs))
    program.start()
    saved, said, retried = ours.recv()
    program.join()
    assert program.exitcode == 0
    assert len(saved) > 3
    assert "Nothing was saved. Free some space" in said
    assert "\n" not in said
    assert retried == len(saved) + 1
    with Journal.open(path) as journal:
        assert journal.verify() == ()
        assert [entry.seq for entry in journal.entries()] == [*saved, retried]
        assert journal.last_by(QUEUE, "ann") == list(journal.entries())[-1]


def test_a_journal_locked_by_another_program_is_said_and_can_be_tried_again(tmp_path: Path) -> None:
    path = tmp_path / "journal.db"
    fill(path, 1)
    ours, theirs = SPAWN.Pipe()
    program = SPAWN.Process(target=hold_locked, args=(path, theirs))
    program.start()
    assert ours.recv() == "locked"
    with Journal.open(path, timeout=0.3) as journal:
        with pytest.raises(JournalError, match=r"locked for 0\.3 s\. Nothing was saved"):
            journal.append(decision("PC-0009"), expected_last=None)
        assert journal.head().rows == 1
        ours.send("let go")
        program.join()
        assert journal.append(decision("PC-0009"), expected_last=None).seq == 2


def test_opening_the_journal_loads_nothing_slow() -> None:
    code = (
        "import sys, pendtui.desk.journal as j\n"
        "slow = {'getpass', 'socket', 'platform', 'asyncio', 'uuid', 'tempfile', 'subprocess', 'textual'}\n"
        "print(sorted(slow & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"
