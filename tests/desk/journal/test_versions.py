"""Schema versions: brought up to date under several programs at once, and refused where they are newer."""

import multiprocessing
import sqlite3
from pathlib import Path

import pytest

from pendtui.desk.journal import Journal
from pendtui.desk.journal.sqlite_schema import VERSION
from pendtui.errors import JournalError
from tests.desk.journal.stores import tool
from tests.desk.journal.versions import write_version_1
from tests.journals import QUEUE, decision, fill, open_and_decide
from tests.postgres import PASSWORD, Server

SPAWN = multiprocessing.get_context("spawn")


def test_a_file_of_the_first_version_keeps_every_row_as_it_was(tmp_path: Path) -> None:
    path = tmp_path / "journal.db"
    write_version_1(path, 12)
    with Journal.open(path, read_only=True) as journal:
        before, head = list(journal.entries()), journal.head()
        assert journal.verify() == ()
    with Journal.open(path) as journal:
        assert (list(journal.entries()), journal.head()) == (before, head)
        assert journal.verify() == ()
        # Every fourth row of it is an undo of the one before.
        claims = {claim.record_id: claim.status for claim in journal.claims(QUEUE)}
        assert claims == {f"PC-{n:04}": "" if n % 4 == 3 else "accepted" for n in range(1, 12) if n % 4}
        journal.assign(QUEUE, "PC-0003", "bob", who="ann", at=before[0].at)
        assert journal.verify() == ()


@pytest.mark.parametrize("attempt", range(3))
def test_four_programs_that_bring_a_file_up_to_date_at_once_lose_nothing(tmp_path: Path, attempt: int) -> None:
    path, barrier = tmp_path / "journal.db", SPAWN.Barrier(4)
    write_version_1(path, 40)
    programs = [SPAWN.Process(target=open_and_decide, args=(path, who, barrier)) for who in "abcd"]
    for program in programs:
        program.start()
    for program in programs:
        program.join()
    assert [program.exitcode for program in programs] == [0, 0, 0, 0]
    with Journal.open(path) as journal:
        assert journal.head().rows == 44
        assert journal.verify() == ()


def test_a_migration_that_is_cut_off_leaves_the_file_at_the_version_before(tmp_path: Path) -> None:
    path = tmp_path / "journal.db"
    write_version_1(path, 8)
    with sqlite3.connect(path) as db:
        db.execute("CREATE TABLE saved_filter (in_the_way TEXT)")  # what the migration makes last
    with pytest.raises(JournalError, match=r"saved_filter already exists"):
        Journal.open(path)
    with sqlite3.connect(path) as db:
        assert db.execute("PRAGMA user_version").fetchone() == (1,)
        db.execute("DROP TABLE saved_filter")
    with Journal.open(path) as journal:
        assert (journal.head().rows, journal.verify()) == (8, ())


def test_a_store_of_a_newer_program_is_refused_in_one_line_and_left_alone(postgres: Server) -> None:
    place = postgres.new_store()
    fill(place, 1)
    with tool(place) as behind:
        behind.run("INSERT INTO journal_schema (version, at) VALUES (?, now())", VERSION + 1)
        before = behind.rows("SELECT * FROM decision"), behind.rows("SELECT * FROM journal_schema")
        for read_only in (False, True):
            with pytest.raises(JournalError, match=rf"newer pendtui \(schema {VERSION + 1}; this") as refused:
                Journal.open(place, read_only=read_only)
            assert "Use that version or a newer one" in str(refused.value)
            assert "\n" not in str(refused.value) and PASSWORD not in str(refused.value)
        assert (behind.rows("SELECT * FROM decision"), behind.rows("SELECT * FROM journal_schema")) == before


def test_a_schema_with_tables_of_something_else_is_refused_and_left_alone(postgres: Server) -> None:
    place = postgres.new_store()
    schema = place.partition("schema=")[2]
    with tool(place) as behind:
        behind.run(f"CREATE SCHEMA {schema}")
        behind.run(f"CREATE TABLE {schema}.claim (id text)")
        with pytest.raises(JournalError, match=r"holds tables of something else\. Name another schema"):
            Journal.open(place)
        assert behind.rows("SELECT tablename FROM pg_tables WHERE schemaname = ?", schema) == [("claim",)]


def test_what_is_not_there_yet_is_not_made_by_reading(postgres: Server) -> None:
    place = postgres.new_store()
    with pytest.raises(JournalError, match="no journal here yet"):
        Journal.open(place, read_only=True)
    with tool(place) as behind:
        names = behind.rows("SELECT nspname FROM pg_namespace WHERE nspname = ?", place.partition("schema=")[2])
        assert names == []


def test_a_store_opened_for_reading_is_not_written(postgres: Server) -> None:
    place = postgres.new_store()
    fill(place, 2)
    with Journal.open(place, read_only=True) as journal:
        with pytest.raises(JournalError, match="read but not written"):
            journal.append(decision("PC-0009"), expected_last=None)
        assert journal.head().rows == 2
        assert journal.verify() == ()
