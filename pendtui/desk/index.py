"""The queue index: one SQLite row a record, so that a list can paint without reading the folder again.

It is a cache. It is rebuilt when it is missing or damaged, follows the folder by size and time of change,
and may be deleted at any time. The journal is kept elsewhere.
"""

import hashlib
import os
import sqlite3
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from datetime import date
from pathlib import Path

from pendtui.desk.listing import Listing, unknown_clock_rank
from pendtui.desk.queue_folder import RecordFile, Rows, claim_in, read_record, read_rows, record_files
from pendtui.engines.clock import most_urgent_clock, read_clock
from pendtui.engines.facts import Claim
from pendtui.engines.policy import AS_OF_REGISTER, Policy, Resolved
from pendtui.engines.readers import Reader
from pendtui.errors import QueueError

FORMAT = 4
"""Raised whenever a record's row would come out differently, so that older indexes are built anew."""

BATCH = 500
"""Records indexed in one transaction."""

_SCHEMA = """
CREATE TABLE IF NOT EXISTS meta (key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS record (
    rid INTEGER PRIMARY KEY,
    id TEXT NOT NULL UNIQUE,
    size INTEGER NOT NULL, mtime_ns INTEGER NOT NULL, row_key TEXT NOT NULL,
    sha256 TEXT NOT NULL, title TEXT NOT NULL, claim_id TEXT NOT NULL, line_of_business TEXT NOT NULL,
    received_on TEXT NOT NULL, register_day INTEGER, evidence TEXT NOT NULL, fault TEXT NOT NULL,
    cause TEXT NOT NULL, unsure TEXT NOT NULL, resolution TEXT NOT NULL,
    rule TEXT NOT NULL, clock_rule TEXT NOT NULL,
    deadline_day INTEGER, register_left INTEGER, register_sort REAL NOT NULL, search TEXT NOT NULL
);
CREATE INDEX IF NOT EXISTS record_by_register_clock ON record (register_sort, id);
"""


_COLUMNS = (
    *("id", "size", "mtime_ns", "row_key", "sha256", "title", "claim_id", "line_of_business", "received_on"),
    *("register_day", "evidence", "fault", "cause", "unsure", "resolution", "rule", "clock_rule"),
    *("deadline_day", "register_left", "register_sort", "search"),
)
"""The columns of a record, in the order that `_indexed` gives them."""

_UPSERT = (
    f"INSERT INTO record ({', '.join(_COLUMNS)}) VALUES ({', '.join('?' * len(_COLUMNS))})"
    f" ON CONFLICT (id) DO UPDATE SET {', '.join(f'{name} = excluded.{name}' for name in _COLUMNS[1:])}"
)


class QueueIndex:
    """The index of one queue under one policy and one reader. Use it from the thread that opened it."""

    def __init__(self, path: Path, folder: Path, policy: Policy, reader: Reader) -> None:
        self.path = path
        self._folder = folder
        self._policy = policy
        self._reader = reader
        self._db = self._open()
        self.listing = Listing(self._db, policy)
        """The records as lists."""

    @classmethod
    def at(cls, index_folder: Path, folder: Path, policy: Policy, reader: Reader) -> "QueueIndex":
        """The index of a queue folder, under `index_folder`, or in a temporary folder if that cannot be written."""
        key = "\n".join((str(folder.resolve()), policy.sha256, reader.name, str(FORMAT)))
        name = f"{folder.resolve().name[:40]}-{hashlib.sha256(key.encode()).hexdigest()[:16]}.db"
        try:
            index_folder.mkdir(parents=True, exist_ok=True, mode=0o700)
            if not os.access(index_folder, os.W_OK):
                raise PermissionError
        except OSError:
            import tempfile

            index_folder = Path(tempfile.mkdtemp(prefix="pendtui-index-"))
        return cls(index_folder / name, folder, policy, reader)

    def close(self) -> None:
        """Let go of the file."""
        self._db.close()

    # Following the folder

    def refresh(self) -> Iterator[tuple[int, int]]:
        """Bring the index up to the folder, a batch at a time, yielding records done and to do after each.

        Raises QueueError when the folder or claims.json cannot be read.
        """
        files = record_files(self._folder)
        known = {
            record_id: (size, mtime_ns, row_key)
            for record_id, size, mtime_ns, row_key in self._db.execute(
                "SELECT id, size, mtime_ns, row_key FROM record"
            )
        }
        stamp = self._claims_stamp()
        rows_changed = not known or stamp != self._indexed_claims_stamp()
        rows = read_rows(self._folder) if rows_changed else None
        due = [file for file in files if _is_due(file, known.get(file.id), rows)]
        if due and rows is None:
            rows = read_rows(self._folder)
        done = 0
        for start in range(0, len(due), BATCH):
            assert rows is not None
            batch = due[start : start + BATCH]
            self._write([self._indexed(file, rows) for file in batch])
            done += len(batch)
            yield done, len(due)
        gone = known.keys() - {file.id for file in files}
        with self._transaction():
            self._db.executemany("DELETE FROM record WHERE id = ?", [(record_id,) for record_id in gone])
            self._db.execute("INSERT OR REPLACE INTO meta VALUES ('claims', ?)", (stamp,))
        if not due:
            yield 0, 0

    def _indexed(self, file: RecordFile, rows: Rows) -> tuple[object, ...]:
        loaded = read_record(file.path, file.id)
        claim = claim_in(loaded.record, rows)
        reading = self._reader.read(claim.record)
        facts = claim.facts
        register = most_urgent_clock(claim, AS_OF_REGISTER, date.min, self._policy)
        left = register.days_left if register else None
        resolved = self._policy.resolve(reading.cause, facts.evidence if facts else None)
        cause = reading.cause or ""
        resolution = resolved.resolution if isinstance(resolved, Resolved) else ""
        evidence = facts.evidence if facts and facts.evidence else ""
        claim_id = facts.claim_id if facts else ""
        business = facts.line_of_business if facts else ""
        row = rows.rows.get(file.id)
        title = claim.record.title or (row.title if row else "")
        return (
            file.id,
            file.size,
            file.mtime_ns,
            _row_key(rows, file.id),
            loaded.sha256,
            title,
            claim_id,
            business,
            facts.received_on.isoformat() if facts else "",
            facts.register_read_on.toordinal() if facts else None,
            evidence,
            "; ".join(claim.faults),
            cause,
            reading.unsure,
            resolution,
            resolved.rule.id if isinstance(resolved, Resolved) else "",
            register.rule.id if register else "",
            self._deadline_day(claim),
            left,
            unknown_clock_rank(self._policy) if left is None else left,
            " ".join((file.id, claim_id, business, cause, resolution, evidence or "unknown", title)).lower(),
        )

    def _deadline_day(self, claim: Claim) -> int | None:
        deadlines = [
            clock.deadline_on.toordinal()
            for facts in (claim.facts, claim.alternative)
            if facts is not None
            and (clock := read_clock(facts, facts.received_on, self._policy)).deadline_on is not None
            and clock.deadline_on is not None
        ]
        return min(deadlines, default=None)

    @contextmanager
    def _transaction(self) -> Iterator[None]:
        self._db.execute("BEGIN IMMEDIATE")
        with self._db:
            yield

    def _write(self, indexed: Iterable[tuple[object, ...]]) -> None:
        with self._transaction():
            self._db.executemany(_UPSERT, indexed)

    def _indexed_claims_stamp(self) -> str:
        held = self._db.execute("SELECT value FROM meta WHERE key = 'claims'").fetchone()
        return str(held[0]) if held else ""

    def _claims_stamp(self) -> str:
        try:
            stat = (self._folder / "claims.json").stat()
        except OSError:
            return "none"
        return f"{stat.st_size} {stat.st_mtime_ns}"

    def _open(self) -> sqlite3.Connection:
        try:
            return self._connect()
        except sqlite3.DatabaseError:
            for suffix in ("", "-wal", "-shm"):
                Path(f"{self.path}{suffix}").unlink(missing_ok=True)
        try:
            return self._connect()
        except sqlite3.Error as fault:
            raise QueueError(f"the queue index cannot be kept: {fault}", where=str(self.path)) from None

    def _connect(self) -> sqlite3.Connection:
        db = sqlite3.connect(self.path, timeout=10, isolation_level=None)
        db.execute("PRAGMA journal_mode=WAL")
        db.execute("PRAGMA synchronous=NORMAL")
        db.executescript(_SCHEMA)
        db.execute("SELECT count(*) FROM (SELECT * FROM record LIMIT 1)").fetchone()
        return db


def _is_due(file: RecordFile, held: tuple[int, int, str] | None, rows: Rows | None) -> bool:
    """Whether a file has to be indexed: it is new, or it or its row (where rows were read anew) has changed."""
    if held is None or held[:2] != (file.size, file.mtime_ns):
        return True
    return rows is not None and held[2] != _row_key(rows, file.id)


def _row_key(rows: Rows, record_id: str) -> str:
    row = rows.rows.get(record_id)
    whole = f"{row.title}\n{row.facts}" if row else ""
    return hashlib.sha256(f"{whole}\n{rows.faults.get(record_id, '')}".encode()).hexdigest()[:16]
