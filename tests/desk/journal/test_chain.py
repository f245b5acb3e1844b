"""The chain: whoever changes the file behind the journal's back is found out, at the row where it begins."""

import re
from pathlib import Path

import pytest

from pendtui.desk.journal import Fault, Head, Journal
from pendtui.desk.journal.rows import COLUMNS, row_hash
from tests.desk.journal.stores import FileTool, Tool, behind_its_back
from tests.journals import START, decision, fill


@pytest.fixture
def filled(place: Path | str) -> Path | str:
    fill(place, 8)
    return place


def faults(path: Path | str, sealed: Head | None = None) -> tuple[Fault, ...]:
    with Journal.open(path, read_only=True) as journal:
        return journal.verify(sealed)


def test_a_journal_that_nobody_touched_is_without_fault(filled: Path | str) -> None:
    with behind_its_back(filled):
        pass
    assert faults(filled) == ()


def test_an_empty_journal_is_without_fault(place: Path | str) -> None:
    Journal.open(place).close()
    assert faults(place) == ()


def test_each_row_carries_the_hash_of_the_one_before(filled: Path | str) -> None:
    with Journal.open(filled) as journal:
        rows = list(journal.entries())
        assert [row.previous_hash for row in rows] == ["0" * 64, *(row.hash for row in rows[:-1])]
        assert journal.head().hash == rows[-1].hash
        assert all(re.fullmatch("[0-9a-f]{64}", row.hash) for row in rows)
        assert len({row.hash for row in rows}) == 8


@pytest.mark.parametrize("column", [name for name in COLUMNS if name not in ("seq", "undoes", "action")])
def test_a_change_in_any_column_is_found_at_its_row(filled: Path | str, column: str) -> None:
    with behind_its_back(filled) as db:
        db.run(f"UPDATE decision SET {column} = {column} || ' ' WHERE seq = 5")
    assert faults(filled)[0].seq == 5


@pytest.mark.parametrize("seq", [1, 4, 8])
def test_a_removed_row_is_found(filled: Path | str, seq: int) -> None:
    with behind_its_back(filled) as db:
        db.run("DELETE FROM decision WHERE seq = ?", seq)
    assert faults(filled) == (Fault(seq, "the row was removed"),)


def test_removed_rows_are_found_as_a_range(filled: Path | str) -> None:
    with behind_its_back(filled) as db:
        db.run("DELETE FROM decision WHERE seq BETWEEN 3 AND 5")
    assert faults(filled) == (Fault(3, "rows 3 to 5 were removed"),)


def test_an_emptied_journal_is_found(filled: Path | str) -> None:
    with behind_its_back(filled) as db:
        db.run("DELETE FROM decision")
    assert faults(filled) == (Fault(1, "rows 1 to 8 were removed"),)


def test_removed_rows_are_found_although_the_others_were_numbered_anew(filled: Path | str) -> None:
    with behind_its_back(filled) as db:
        db.run("DELETE FROM decision WHERE seq = 3")
        db.run("UPDATE decision SET seq = seq - 1 WHERE seq > 3")
        if isinstance(db, FileTool):  # a server's numbers come from the rows themselves
            db.run("UPDATE sqlite_sequence SET seq = 7")
    assert faults(filled)[0].seq == 3


def test_swapped_rows_are_found_at_the_first_of_them(filled: Path | str) -> None:
    with behind_its_back(filled) as db:
        for old, new in ((3, 99), (4, 3), (99, 4)):
            db.run("UPDATE decision SET seq = ? WHERE seq = ?", new, old)
    assert faults(filled)[0].seq == 3


def _insert_forged(db: Tool, seq: int, *, chained: bool) -> None:
    for later in range(8, seq - 1, -1):
        db.run("UPDATE decision SET seq = seq + 1 WHERE seq = ?", later)
    row = dict(zip(COLUMNS, db.rows("SELECT * FROM decision WHERE seq = ?", seq - 1)[0], strict=True))
    row.update(seq=seq, record_id="PC-9999", note="forged")
    if chained:
        row["previous_hash"] = row["hash"]
        row["hash"] = row_hash([row[name] for name in COLUMNS[:-1]])
    db.run(f"INSERT INTO decision VALUES ({', '.join('?' * len(COLUMNS))})", *row.values())


def test_an_inserted_row_is_found(filled: Path | str) -> None:
    with behind_its_back(filled) as db:
        _insert_forged(db, 4, chained=False)
    assert faults(filled)[0].seq == 4


def test_an_inserted_row_with_a_good_hash_is_found_by_the_row_after_it(filled: Path | str) -> None:
    with behind_its_back(filled) as db:
        _insert_forged(db, 4, chained=True)
    assert faults(filled)[0].seq == 5


def test_a_row_changed_together_with_its_hash_is_found_by_the_row_after_it(filled: Path | str) -> None:
    with behind_its_back(filled) as db:
        row = list(db.rows("SELECT * FROM decision WHERE seq = 5")[0])
        row[COLUMNS.index("note")] = "rewritten"
        db.run("UPDATE decision SET note = 'rewritten', hash = ? WHERE seq = 5", row_hash(row[:-1]))
    (fault,) = faults(filled)
    assert fault.seq == 6
    assert "does not follow the one before" in fault.what


def test_every_bad_row_is_listed_and_not_only_the_first(filled: Path | str) -> None:
    with behind_its_back(filled) as db:
        db.run("UPDATE decision SET note = 'x' WHERE seq IN (2, 7)")
    assert [fault.seq for fault in faults(filled)] == [2, 7]


def test_the_journal_goes_on_after_a_fault_and_keeps_showing_it(filled: Path | str) -> None:
    with behind_its_back(filled) as db:
        db.run("UPDATE decision SET note = 'x' WHERE seq = 2")
    with Journal.open(filled) as journal:
        journal.append(decision("PC-0100", at=START), expected_last=None)
        assert [fault.seq for fault in journal.verify()] == [2]
