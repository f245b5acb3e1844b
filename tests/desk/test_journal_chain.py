"""The chain: whoever changes the file behind the journal's back is found out, at the row where it begins."""

import re
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from pendtui.desk.journal import Fault, Journal
from pendtui.desk.journal.rows import COLUMNS, row_hash
from tests.journals import START, decision, fill


@pytest.fixture
def path(tmp_path: Path) -> Path:
    fill(tmp_path / "journal.db", 8)
    return tmp_path / "journal.db"


@contextmanager
def behind_its_back(path: Path) -> Iterator[sqlite3.Connection]:
    """The file as somebody with a database tool has it, who puts the guards back afterwards."""
    db = sqlite3.connect(path, isolation_level=None)
    guards = list(db.execute("SELECT name, sql FROM sqlite_master WHERE type = 'trigger'"))
    assert len(guards) == 3
    for name, _ in guards:
        db.execute(f"DROP TRIGGER {name}")
    db.execute("PRAGMA ignore_check_constraints = ON")
    yield db
    for _, statement in guards:
        db.execute(statement)
    db.close()


def faults(path: Path) -> tuple[Fault, ...]:
    with Journal.open(path, read_only=True) as journal:
        return journal.verify()


def test_a_journal_that_nobody_touched_is_without_fault(path: Path) -> None:
    with behind_its_back(path):
        pass
    assert faults(path) == ()


def test_an_empty_journal_is_without_fault(tmp_path: Path) -> None:
    Journal.open(tmp_path / "new.db").close()
    assert faults(tmp_path / "new.db") == ()


def test_each_row_carries_the_hash_of_the_one_before(path: Path) -> None:
    with Journal.open(path) as journal:
        rows = list(journal.entries())
        assert [row.previous_hash for row in rows] == ["0" * 64, *(row.hash for row in rows[:-1])]
        assert journal.head().hash == rows[-1].hash
        assert all(re.fullmatch("[0-9a-f]{64}", row.hash) for row in rows)
        assert len({row.hash for row in rows}) == 8


@pytest.mark.parametrize("column", [name for name in COLUMNS if name not in ("seq", "undoes", "action")])
def test_a_change_in_any_column_is_found_at_its_row(path: Path, column: str) -> None:
    with behind_its_back(path) as db:
        db.execute(f"UPDATE decision SET {column} = {column} || ' ' WHERE seq = 5")
    assert faults(path)[0].seq == 5


@pytest.mark.parametrize(
    "change",
    [
        "action = 'change'",
        "undoes = 2",
        "note = NULLIF(1, 1)",
        "note = CAST('note 5' AS BLOB)",
        "note = 5",
        "decided = replace(decided, 'EXAMINER-APPLIES', 'AUTO-RELEASE')",
    ],
)
def test_another_kind_of_value_is_found_at_its_row(path: Path, change: str) -> None:
    with behind_its_back(path) as db:
        db.execute("PRAGMA writable_schema = ON")
        db.execute("UPDATE sqlite_master SET sql = replace(sql, 'note TEXT NOT NULL', 'note BLOB')")
        db.execute("PRAGMA writable_schema = RESET")
        db.execute(f"UPDATE decision SET {change} WHERE seq = 5")
    assert faults(path)[0].seq == 5


def test_one_changed_byte_of_the_file_is_found_at_its_row(path: Path) -> None:
    data = path.read_bytes()
    assert data.count(b"note 6") == 1
    path.write_bytes(data.replace(b"note 6", b"note 7"))
    assert faults(path) == (
        Fault(6, "the row is not as it was written: it was changed, or moved from another place"),
    )


@pytest.mark.parametrize("seq", [1, 4, 8])
def test_a_removed_row_is_found(path: Path, seq: int) -> None:
    with behind_its_back(path) as db:
        db.execute("DELETE FROM decision WHERE seq = ?", (seq,))
    assert faults(path) == (Fault(seq, "the row was removed"),)


def test_removed_rows_are_found_as_a_range(path: Path) -> None:
    with behind_its_back(path) as db:
        db.execute("DELETE FROM decision WHERE seq BETWEEN 3 AND 5")
    assert faults(path) == (Fault(3, "rows 3 to 5 were removed"),)


def test_an_emptied_journal_is_found(path: Path) -> None:
    with behind_its_back(path) as db:
        db.execute("DELETE FROM decision")
    assert faults(path) == (Fault(1, "rows 1 to 8 were removed"),)


def test_removed_rows_are_found_although_the_others_were_numbered_anew(path: Path) -> None:
    with behind_its_back(path) as db:
        db.execute("DELETE FROM decision WHERE seq = 3")
        db.execute("UPDATE decision SET seq = seq - 1 WHERE seq > 3")
        db.execute("UPDATE sqlite_sequence SET seq = 7")
    assert faults(path)[0].seq == 3


def test_swapped_rows_are_found_at_the_first_of_them(path: Path) -> None:
    with behind_its_back(path) as db:
        for old, new in ((3, 99), (4, 3), (99, 4)):
            db.execute("UPDATE decision SET seq = ? WHERE seq = ?", (new, old))
    assert faults(path)[0].seq == 3


def _insert_forged(db: sqlite3.Connection, seq: int, *, chained: bool) -> None:
    for later in range(8, seq - 1, -1):
        db.execute("UPDATE decision SET seq = seq + 1 WHERE seq = ?", (later,))
    row = dict(zip(COLUMNS, db.execute("SELECT * FROM decision WHERE seq = ?", (seq - 1,)).fetchone(), strict=True))
    row.update(seq=seq, record_id="PC-9999", note="forged")
    if chained:
        row["previous_hash"] = row["hash"]
        row["hash"] = row_hash([row[name] for name in COLUMNS[:-1]])
    db.execute(f"INSERT INTO decision VALUES ({', '.join('?' * len(COLUMNS))})", tuple(row.values()))


def test_an_inserted_row_is_found(path: Path) -> None:
    with behind_its_back(path) as db:
        _insert_forged(db, 4, chained=False)
    assert faults(path)[0].seq == 4


def test_an_inserted_row_with_a_good_hash_is_found_by_the_row_after_it(path: Path) -> None:
    with behind_its_back(path) as db:
        _insert_forged(db, 4, chained=True)
    assert faults(path)[0].seq == 5


def test_a_row_changed_together_with_its_hash_is_found_by_the_row_after_it(path: Path) -> None:
    with behind_its_back(path) as db:
        row = list(db.execute("SELECT * FROM decision WHERE seq = 5").fetchone())
        row[COLUMNS.index("note")] = "rewritten"
        db.execute("UPDATE decision SET note = 'rewritten', hash = ? WHERE seq = 5", (row_hash(row[:-1]),))
    (fault,) = faults(path)
    assert fault.seq == 6
    assert "does not follow the one before" in fault.what


def test_every_bad_row_is_listed_and_not_only_the_first(path: Path) -> None:
    with behind_its_back(path) as db:
        db.execute("UPDATE decision SET note = 'x' WHERE seq IN (2, 7)")
    assert [fault.seq for fault in faults(path)] == [2, 7]


@pytest.mark.parametrize("guard", ["decision_never_updated", "decision_never_deleted", "decision_only_appended"])
def test_a_guard_that_was_taken_off_is_said(path: Path, guard: str) -> None:
    db = sqlite3.connect(path)
    db.execute(f"DROP TRIGGER {guard}")
    db.close()
    (fault,) = faults(path)
    assert fault == Fault(None, f"{guard} is missing or altered: the journal's guards were taken off")


def test_an_index_that_hides_a_row_is_said(path: Path) -> None:
    db = sqlite3.connect(path, isolation_level=None)
    (kept,) = db.execute("SELECT rootpage FROM sqlite_master WHERE name = 'decision_by_record'").fetchone()
    (other,) = db.execute("SELECT rootpage FROM sqlite_master WHERE name = 'decision_by_examiner'").fetchone()
    db.execute("PRAGMA writable_schema = ON")
    db.execute("UPDATE sqlite_master SET rootpage = ? WHERE name = 'decision_by_record'", (other,))
    db.execute("UPDATE sqlite_master SET rootpage = ? WHERE name = 'decision_by_examiner'", (kept,))
    db.close()
    assert any("inconsistent" in fault.what and fault.seq is None for fault in faults(path))


def test_a_page_of_zeros_in_the_middle_is_a_fault_and_not_a_crash(tmp_path: Path) -> None:
    path = tmp_path / "journal.db"
    fill(path, 60)
    data = bytearray(path.read_bytes())
    size = int.from_bytes(data[16:18], "big")
    start = data.index(b"note 30") // size * size
    data[start : start + size] = bytes(size)
    path.write_bytes(data)
    found = faults(path)
    assert found and found[0].seq is not None and 1 < found[0].seq <= 30


def test_the_journal_goes_on_after_a_fault_and_keeps_showing_it(path: Path) -> None:
    with behind_its_back(path) as db:
        db.execute("UPDATE decision SET note = 'x' WHERE seq = 2")
    with Journal.open(path) as journal:
        journal.append(decision("PC-0100", at=START), expected_last=None)
        assert [fault.seq for fault in journal.verify()] == [2]
