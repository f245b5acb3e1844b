"""The journal as a whole from one place to another: nothing is lost, added or renumbered on the way."""

import multiprocessing
import sqlite3
import stat
from pathlib import Path

import pytest

from pendtui.desk.journal import Entry, Head, Journal
from pendtui.desk.journal.transfer import back_up, move, restore
from pendtui.errors import JournalError
from tests.desk.journal.stores import behind_its_back
from tests.disks import fill_up, small_disk
from tests.journals import QUEUE, START, answers, decide_many, decision
from tests.postgres import PASSWORD, Server

SPAWN = multiprocessing.get_context("spawn")


def worked(place: Path | str, claims: int = 12) -> tuple[Head, list[Entry]]:
    """A journal in which everything has happened that can."""
    with Journal.open(place) as journal:
        for n in range(1, claims + 1):
            entry = journal.append(decision(f"PC-{n:04}", note=f"ñ \\x00 {n}"), expected_last=None)
        journal.undo(entry, who="ann", at=START)
        second = decision("PC-0100", decided=answers(second_look="x"))
        journal.confirm(journal.append(second, expected_last=None), who="bob", at=START)
        journal.assign(QUEUE, "PC-0001", "bob", who="ann", at=START)
        journal.request(QUEUE, "PC-0001", asked="clinic", due_on=START.date(), what="x", who="ann", at=START)
        journal.save_filter("ann", "late", "left:<0")
        return journal.head(), list(journal.entries())


def assert_is(place: Path | str, head: Head, entries: list[Entry]) -> None:
    with Journal.open(place, read_only=True) as journal:
        assert journal.head() == head
        assert list(journal.entries()) == entries
        assert journal.verify(head) == ()
        assert journal.claim(QUEUE, "PC-0001").asked == "clinic"
        assert journal.filters("ann") == {"late": "left:<0"}
        assert journal.leases() == ()


def test_a_backup_is_the_journal_as_one_file_for_its_owner_alone(place: Path | str, tmp_path: Path) -> None:
    head, entries = worked(place)
    with Journal.open(place) as journal:
        journal.take_lease(QUEUE, "PC-0001", token="t", who="ann", by="")
        assert back_up(place, tmp_path / "copy.db", timeout=5) == head
    assert_is(tmp_path / "copy.db", head, entries)
    assert stat.S_IMODE((tmp_path / "copy.db").stat().st_mode) == 0o600
    assert [file.name for file in tmp_path.iterdir() if file.is_file()] == ["copy.db"]


def test_a_backup_while_others_decide_is_one_moment_of_it_and_holds_nobody_up(
    place: Path | str, tmp_path: Path
) -> None:
    Journal.open(place).close()
    barrier = SPAWN.Barrier(3)
    programs = [SPAWN.Process(target=decide_many, args=(place, who, 150, barrier)) for who in "ab"]
    for program in programs:
        program.start()
    barrier.wait()
    heads = [back_up(place, tmp_path / f"copy-{n}.db", timeout=5) for n in range(4)]
    for program in programs:
        program.join()
    assert [program.exitcode for program in programs] == [0, 0]
    for n, head in enumerate(heads):
        with Journal.open(tmp_path / f"copy-{n}.db", read_only=True) as copy:
            assert copy.head() == head
            assert copy.verify(head) == ()
    with Journal.open(place) as journal:
        assert journal.head().rows == 300
        assert all(journal.verify(head) == () for head in heads)


def test_a_backup_comes_back_into_an_empty_store_of_either_kind(
    place: Path | str, tmp_path: Path, postgres: Server
) -> None:
    head, entries = worked(place)
    back_up(place, tmp_path / "copy.db", timeout=5)
    for target in (tmp_path / "again.db", postgres.new_store()):
        assert restore(tmp_path / "copy.db", target, timeout=5) == head
        assert_is(target, head, entries)
        with Journal.open(target) as journal:
            assert journal.append(decision("PC-0500"), expected_last=None).seq == head.rows + 1
            assert journal.verify(head) == ()


def test_nothing_is_ever_put_into_a_store_with_rows(place: Path | str, tmp_path: Path) -> None:
    worked(tmp_path / "one.db")
    before = worked(place, 3)
    for act in (restore, move):
        with pytest.raises(JournalError, match=r"holds decisions already\. Name an empty store") as told:
            act(tmp_path / "one.db", place, timeout=5)
        assert PASSWORD not in str(told.value)
    assert_is(place, *before)


def test_a_file_that_is_there_is_not_written_over_by_a_backup(place: Path | str, tmp_path: Path) -> None:
    worked(place)
    (tmp_path / "copy.db").write_text("mine")
    with pytest.raises(JournalError, match="is there already"):
        back_up(place, tmp_path / "copy.db", timeout=5)
    assert (tmp_path / "copy.db").read_text() == "mine"


def test_a_journal_moves_from_a_file_to_a_server_and_back(tmp_path: Path, postgres: Server) -> None:
    head, entries = worked(tmp_path / "one.db")
    store = postgres.new_store()
    assert move(tmp_path / "one.db", store, timeout=5) == head
    assert_is(store, head, entries)
    assert_is(tmp_path / "one.db", head, entries)  # it stays as it was
    assert move(store, tmp_path / "two.db", timeout=5) == head
    assert_is(tmp_path / "two.db", head, entries)


def test_a_journal_in_use_is_not_moved(place: Path | str, tmp_path: Path) -> None:
    worked(place)
    with Journal.open(place) as journal:
        journal.take_lease(QUEUE, "PC-0001", token="t", who="ann", by="Ann")
    with pytest.raises(JournalError, match=r"is in use: Ann on .* has PC-0001 open"):
        move(place, tmp_path / "two.db", timeout=5)
    assert not (tmp_path / "two.db").exists()


def test_nobody_decides_while_a_journal_is_moved(place: Path | str, tmp_path: Path) -> None:
    worked(place)
    locked = pytest.raises(JournalError, match=r"locked for 0\.2 s")
    with Journal.open(place, timeout=0.2) as journal, Journal.open(place) as mover, mover._db.writing(), locked:
        journal.append(decision("PC-0500"), expected_last=None)


def test_a_store_is_not_moved_onto_itself(place: Path | str) -> None:
    worked(place)
    with pytest.raises(JournalError, match="is the store that is in use"):
        move(place, place, timeout=5)


@pytest.mark.parametrize("act", [back_up, restore, move])
def test_what_does_not_verify_is_not_copied(place: Path | str, tmp_path: Path, act: object) -> None:
    worked(place)
    source = place
    if act is restore:
        back_up(place, tmp_path / "copy.db", timeout=5)
        source = tmp_path / "copy.db"
    with behind_its_back(source) as tool:
        tool.run("UPDATE decision SET note = 'x' WHERE seq = 5")
    with pytest.raises(JournalError, match=r"does not verify \(row 5: the row is not as it was written"):
        act(source, tmp_path / "two.db", timeout=5)  # type: ignore[operator]
    left = tmp_path / "two.db"
    if left.exists():
        with Journal.open(left) as journal:
            assert journal.head().rows == 0


def test_a_backup_onto_a_full_disk_leaves_no_half_of_it(place: Path | str, tmp_path: Path) -> None:
    worked(place)
    with small_disk(tmp_path / "small", 64) as disk:
        fill_up(disk)
        with pytest.raises(JournalError, match=r"full|cannot be") as told:
            back_up(place, disk / "copy.db", timeout=5)
        assert "\n" not in str(told.value)
        assert [file.name for file in disk.iterdir()] == ["ballast"]


def test_a_backup_that_was_tampered_with_is_found_by_the_seal(tmp_path: Path) -> None:
    head, _ = worked(tmp_path / "one.db")
    back_up(tmp_path / "one.db", tmp_path / "copy.db", timeout=5)
    with sqlite3.connect(tmp_path / "copy.db") as db:  # cut off the tail with all its traces
        for name in ("decision_never_deleted",):
            db.execute(f"DROP TRIGGER {name}")
        db.execute("DELETE FROM decision WHERE seq > 3")
        db.execute("UPDATE sqlite_sequence SET seq = 3 WHERE name = 'decision'")
        db.execute("DELETE FROM claim WHERE last_seq > 3")
    with Journal.open(tmp_path / "copy.db", read_only=True) as journal:
        assert any(f"rows 4 to {head.rows} were removed" in fault.what for fault in journal.verify(head))
