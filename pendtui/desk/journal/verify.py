"""Whether the journal is what was once written: the chain of hashes, the list of claims, and what guards them."""

from collections.abc import Iterator

from pendtui.desk.journal.database import Database, Row
from pendtui.desk.journal.projection import folded, parts_of, saved_states
from pendtui.desk.journal.rows import COLUMNS, NO_ROW_BEFORE, SELECT, Fault, Head, row_hash
from pendtui.errors import JournalError

_UNDOES = COLUMNS.index("undoes")
_LIST_OF_CLAIMS = 2
"""The schema version from which there is a list of claims."""


def faults_of(db: Database, sealed: Head | None = None) -> tuple[Fault, ...]:
    """What is wrong, rows first and in order, then the store as a whole. Read in one snapshot."""
    with db.reading():
        faults = tuple(row_faults(db, sealed))
        if not faults and db.version >= _LIST_OF_CLAIMS:
            faults = tuple(_claim_faults(db))
        return (*faults, *db.faults())


def row_faults(db: Database, sealed: Head | None = None) -> Iterator[Fault]:
    """What is wrong with the rows themselves; inside `reading`."""
    last, previous = 0, NO_ROW_BEFORE
    at_seal = NO_ROW_BEFORE if sealed is not None and not sealed.rows else None
    try:
        for row in db.stream(f"{SELECT} ORDER BY seq"):
            yield from _row_fault(row, last, previous)
            last, previous = row[0], row[-1]
            if sealed is not None and last == sealed.rows:
                at_seal = previous
        once = _rows_once(db)
    except JournalError as fault:
        yield Fault(last + 1, f"the store is damaged from here on: {fault.what}")
        return
    if sealed is not None and sealed.rows > max(once, last):
        yield _missing(last + 1, sealed.rows)
    elif once > last:
        yield _missing(last + 1, once)
    elif sealed is not None and at_seal != sealed.hash:
        yield Fault(sealed.rows or None, "the journal up to here is not the one that was sealed")


def _rows_once(db: Database) -> int:
    """How many rows there were at some time, as far as anything but the rows themselves shows it."""
    counts = [0]
    if db.version >= _LIST_OF_CLAIMS:
        counts += [row[0] or 0 for row in db.rows("SELECT max(last_seq) FROM claim")]
    if db.path is not None:
        counts += [row[0] for row in db.rows("SELECT seq FROM sqlite_sequence WHERE name = 'decision'")]
    return max(counts)


def _row_fault(row: Row, last: int, previous: str) -> Iterator[Fault]:
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


def _hash(values: Row) -> str:
    try:
        return row_hash(values)
    except TypeError:
        return ""


def _claim_faults(db: Database) -> Iterator[Fault]:
    """Where the list of claims says something else than the rows. The rows are what counts."""
    undone = [row[0] for row in db.rows("SELECT undoes FROM decision WHERE undoes IS NOT NULL")]
    states = folded((parts_of(COLUMNS, row) for row in db.stream(f"{SELECT} ORDER BY seq")), undone)
    for claim, state in saved_states(db):
        if states.pop(claim, None) != state:
            yield Fault(state.last_seq, f"the list of claims does not say of {claim[1]} what its rows say")
    for _, record_id in states:
        yield Fault(None, f"{record_id} is missing from the list of claims")
