"""Whether the journal is what was once written: the chain of hashes, the file, and what guards it."""

import sqlite3
from collections.abc import Iterator

from pendtui.desk.journal.rows import NO_ROW_BEFORE, Fault, row_hash
from pendtui.desk.journal.schema import MIGRATIONS, SELECT


def faults_of(db: sqlite3.Connection) -> tuple[Fault, ...]:
    """What is wrong, rows first and in order, then the file as a whole. Read in one snapshot."""
    db.execute("BEGIN")
    try:
        return (*_row_faults(db), *_file_faults(db))
    finally:
        db.execute("ROLLBACK")


def _row_faults(db: sqlite3.Connection) -> Iterator[Fault]:
    last, previous = 0, NO_ROW_BEFORE
    try:
        for row in db.execute(f"{SELECT} ORDER BY seq"):
            yield from _row_fault(row, last, previous)
            last, previous = row[0], row[-1]
    except sqlite3.DatabaseError as fault:
        yield Fault(last + 1, f"the file is damaged from here on: {fault}")
        return
    sequence = db.execute("SELECT seq FROM sqlite_sequence WHERE name = 'decision'").fetchone()
    if sequence is not None and sequence[0] != last:
        yield _missing(last + 1, sequence[0])


def _row_fault(row: tuple[object, ...], last: int, previous: str) -> Iterator[Fault]:
    seq = row[0]
    assert isinstance(seq, int)
    in_place = seq == last + 1
    if not in_place:
        yield _missing(last + 1, seq - 1)
    if row[-1] != _hash(row[:-1]):
        yield Fault(seq, "the row is not as it was written: it was changed, or moved from another place")
    elif in_place and row[-2] != previous:
        yield Fault(seq, "the row does not follow the one before: rows were put in, moved or rewritten here")


def _missing(first: int, last: int) -> Fault:
    return Fault(first, "the row was removed" if first == last else f"rows {first} to {last} were removed")


def _hash(values: tuple[object, ...]) -> str:
    try:
        return row_hash(values)
    except TypeError:
        return ""


def _file_faults(db: sqlite3.Connection) -> Iterator[Fault]:
    try:
        found = dict(db.execute("SELECT name, sql FROM sqlite_master WHERE sql IS NOT NULL"))
        for statement in (text.strip() for statements in MIGRATIONS for text in statements):
            name = statement.split()[3 if statement.startswith("CREATE UNIQUE") else 2]
            if found.get(name) != statement:
                yield Fault(None, f"{name} is missing or altered: the journal's guards were taken off")
        for (line,) in db.execute("PRAGMA integrity_check"):
            if line != "ok":
                yield Fault(None, f"the file is inconsistent: {line}")
    except sqlite3.DatabaseError as fault:
        yield Fault(None, f"the file is damaged: {fault}")
