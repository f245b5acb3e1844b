"""The file of a queue index: its tables, and how it is opened, or built anew when it cannot be used."""

import sqlite3
import zlib
from collections.abc import Iterable, Iterator
from pathlib import Path

from pendtui.errors import QueueError

FORMAT = 7
"""Raised whenever a table or a record's row would come out differently, so that older indexes are built anew."""

NO_VALUE = 1 << 40
"""How the tally writes a number of days that is not known."""

RECORD_COLUMNS = (
    *("id", "size", "mtime_ns", "row_key", "sha256", "title", "claim_id", "line_of_business", "queue_name"),
    *("claim_type", "received_on", "received_day", "register_day", "evidence", "fault", "cause", "unsure"),
    *("resolution", "rule", "clock_rule", "deadline_day", "register_left", "answered", "search"),
)
"""What is kept of a record, in the order that it is written."""

CHECKED_COLUMNS = tuple(name for name in RECORD_COLUMNS if name not in ("size", "mtime_ns"))
"""What a row's checksum is made from. Size and time of change are not shown, and if wrong only read once more."""

TALLIES = {
    "register_left": f"COALESCE(register_left, {NO_VALUE})",
    "deadline_day": f"COALESCE(deadline_day, {NO_VALUE})",
    "register_day": f"COALESCE(register_day, {NO_VALUE})",
    "faulty": "fault != ''",
}
"""What is counted over all records: an expression over one row. Whoever writes records keeps the tally right."""

GROUPED = 4_000
"""Rows that are grouped at once: SQLite sorts them in memory, where a million rows take more than the program."""

_SCHEMA = f"""
CREATE TABLE IF NOT EXISTS meta (key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS record (
    rid INTEGER PRIMARY KEY,
    id TEXT NOT NULL UNIQUE,
    size INTEGER NOT NULL, mtime_ns INTEGER NOT NULL, row_key TEXT NOT NULL,
    sha256 TEXT NOT NULL, title TEXT NOT NULL, claim_id TEXT NOT NULL, line_of_business TEXT NOT NULL,
    queue_name TEXT NOT NULL, claim_type TEXT NOT NULL, received_on TEXT NOT NULL, received_day INTEGER,
    register_day INTEGER, evidence TEXT NOT NULL, fault TEXT NOT NULL, cause TEXT NOT NULL, unsure TEXT NOT NULL,
    resolution TEXT NOT NULL, rule TEXT NOT NULL, clock_rule TEXT NOT NULL,
    deadline_day INTEGER, register_left INTEGER, answered INTEGER NOT NULL, search TEXT NOT NULL,
    checksum INTEGER NOT NULL
);
CREATE INDEX IF NOT EXISTS record_by_register_left ON record (register_left, id);
CREATE INDEX IF NOT EXISTS record_by_deadline ON record (deadline_day, id);
CREATE INDEX IF NOT EXISTS record_unanswered ON record (register_left, id) WHERE answered = 0;
CREATE TABLE IF NOT EXISTS claim_row (
    record_id TEXT PRIMARY KEY, position INTEGER NOT NULL, again INTEGER, key TEXT NOT NULL, text TEXT NOT NULL
) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS tally (
    kind TEXT NOT NULL, value INTEGER NOT NULL, records INTEGER NOT NULL, PRIMARY KEY (kind, value)
) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS claim (
    record_id TEXT PRIMARY KEY, last_seq INTEGER NOT NULL, status TEXT NOT NULL, decision_seq INTEGER,
    who TEXT NOT NULL, by TEXT NOT NULL, decided_at TEXT NOT NULL, resolution TEXT NOT NULL,
    record_sha256 TEXT NOT NULL, policy_sha256 TEXT NOT NULL, assignee TEXT NOT NULL, waiting TEXT NOT NULL,
    request_seq INTEGER, asked TEXT NOT NULL, due_on TEXT NOT NULL
) WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS claim_waiting ON claim (waiting) WHERE waiting != '';
CREATE INDEX IF NOT EXISTS claim_decided ON claim (decided_at) WHERE status IN ('accepted', 'changed');
INSERT OR IGNORE INTO meta VALUES ('checked', strftime('%s', 'now'));
PRAGMA user_version = {FORMAT};
"""

LOCK_SECONDS = 10.0
"""How long to wait for another program that is writing to the file."""

ORDINARY_CACHE_KB = 2_000
"""Memory for pages of the file while it is only read."""


_TROUBLE = {
    *(sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED, sqlite3.SQLITE_FULL, sqlite3.SQLITE_READONLY),
    *(sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_NOMEM, sqlite3.SQLITE_PERM, sqlite3.SQLITE_IOERR),
}
"""Faults that come from around the file and say nothing against what stands in it."""


class DamagedError(sqlite3.DatabaseError):
    """A row of the index is not as it was written."""


class NotKeptError(QueueError):
    """No index can be kept where it was to be."""


def is_damage(fault: sqlite3.Error) -> bool:
    """Whether a fault means that the file has to be made anew."""
    code = getattr(fault, "sqlite_errorcode", sqlite3.SQLITE_CORRUPT)
    if code in (sqlite3.SQLITE_IOERR_SHORT_READ, sqlite3.SQLITE_IOERR_CORRUPTFS):
        return True
    return isinstance(fault, sqlite3.DatabaseError) and code & 0xFF not in _TROUBLE


def checksum(values: Iterable[object]) -> int:
    """The checksum of a row, from its values in the order of CHECKED_COLUMNS."""
    return zlib.crc32("\x1f".join(map(str, values)).encode())


def open_index(path: Path) -> sqlite3.Connection:
    """Open an index file, making it where it is missing, of another format or damaged.

    Raises NotKeptError where that cannot be done, and QueueError where another program keeps it locked.
    """
    try:
        return _connect(path)
    except sqlite3.DatabaseError as fault:
        locked = getattr(fault, "sqlite_errorcode", 0) & 0xFF in {sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED}
        # Nobody takes so long over making a file: an empty one was cut off under the program that has it open.
        if locked and _size(path):
            raise QueueError("the queue index is locked by another program", where=str(path)) from None
    try:
        discard(path)
        return _connect(path)
    except (sqlite3.Error, OSError) as fault:
        raise NotKeptError(f"the queue index cannot be kept: {fault}", where=str(path)) from None


def _size(path: Path) -> int:
    try:
        return path.stat().st_size
    except OSError:
        return 0


def stretches(db: sqlite3.Connection) -> Iterator[tuple[int, int]]:
    """First and last row numbers of stretches that together hold every record, to be grouped one by one."""
    (last,) = db.execute("SELECT COALESCE(max(rid), 0) FROM record").fetchone()
    return ((start, start + GROUPED - 1) for start in range(1, last + 1, GROUPED))


def discard(path: Path) -> None:
    """Remove an index file with its companions. Programs that have it open keep what they opened."""
    for suffix in ("", "-wal", "-shm"):
        Path(f"{path}{suffix}").unlink(missing_ok=True)


def _connect(path: Path) -> sqlite3.Connection:
    db = sqlite3.connect(path, timeout=LOCK_SECONDS, isolation_level=None, cached_statements=256)
    try:
        db.execute("PRAGMA temp_store = MEMORY")
        db.execute(f"PRAGMA cache_size = -{ORDINARY_CACHE_KB}")
        db.execute("PRAGMA synchronous = NORMAL")
        (found,) = db.execute("PRAGMA user_version").fetchone()
        if found != FORMAT:
            if found:
                raise sqlite3.DatabaseError("another format")
            db.execute("PRAGMA journal_mode = WAL")
            db.executescript(f"BEGIN IMMEDIATE;{_SCHEMA}COMMIT;")
        # Reading a row of each table finds most kinds of damage at once.
        for table in ("record", "tally", "claim", "claim_row", "meta"):
            db.execute(f"SELECT * FROM {table} LIMIT 1").fetchone()
    except UnicodeDecodeError as fault:
        # What SQLite says of a damaged file may hold the damage itself.
        db.close()
        raise sqlite3.DatabaseError(str(fault)) from None
    except BaseException:
        db.close()
        raise
    return db
