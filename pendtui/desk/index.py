"""The queue index: one SQLite row a record, so that a list can paint without reading the folder again.

It is a cache. It is rebuilt when it is missing or damaged, follows the folder by size and time of change,
and may be deleted at any time. The journal is kept elsewhere.
"""

import hashlib
import json
import os
import sqlite3
import time
from array import array
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import date
from pathlib import Path

from pendtui.desk.queue_folder import RecordFile, Rows, claim_in, read_record, read_rows, record_files
from pendtui.engines.clock import most_urgent_clock, read_clock
from pendtui.engines.facts import Claim, ClaimRow
from pendtui.engines.policy import AS_OF_REGISTER, Policy, Resolved
from pendtui.engines.readers import Reader
from pendtui.engines.vocabulary import ClockState
from pendtui.errors import QueueError

FORMAT = 3
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
    cause TEXT NOT NULL, resolution TEXT NOT NULL, rule TEXT NOT NULL, clock_rule TEXT NOT NULL,
    deadline_day INTEGER, register_left INTEGER, register_sort REAL NOT NULL, search TEXT NOT NULL
);
CREATE INDEX IF NOT EXISTS record_by_register_clock ON record (register_sort, id);
"""


@dataclass(frozen=True, slots=True)
class QueueRow:
    """One line of the queue as indexed, and how the desk stands with it."""

    rid: int
    id: str
    sha256: str
    title: str
    claim_id: str
    line_of_business: str
    received_on: str
    evidence: str
    """What the register holds; empty where it is unknown."""
    fault: str
    """What keeps the claim from being accepted; empty for a sound one."""
    cause: str
    resolution: str
    rule: str
    clock_rule: str
    days_left: int | None
    state: ClockState | None
    status: str
    """open, accepted, changed, parked or faulty."""
    who: str
    stale: bool
    """The record or the policy has changed since it was decided."""


@dataclass(frozen=True, slots=True)
class StatusRow:
    """What the journal says of one record, handed to the index so that it can sort and filter by it."""

    id: str
    status: str
    who: str
    record_sha256: str
    policy_sha256: str


SORTS = ("clock", "received", "record", "cause", "resolution", "status")
"""The orders the queue can be listed in."""

_ORDER_BY = {
    "received": "received_on, id",
    "record": "id",
    "cause": "cause, {left}, id",
    "resolution": "resolution, {left}, id",
    "status": "CASE WHEN fault != '' THEN 'faulty' ELSE COALESCE(s.status, '') END, {left}, id",
}
_STATUS_WORDS = {
    "open": "fault = '' AND s.status IS NULL",
    "accepted": "s.status = 'accepted'",
    "changed": "s.status = 'changed'",
    "parked": "s.status = 'parked'",
    "faulty": "fault != ''",
    "stale": "s.id IS NOT NULL AND (s.record_sha256 != sha256 OR s.policy_sha256 != :policy)",
}
_COLUMNS = (
    "rid, record.id, sha256, title, claim_id, line_of_business, received_on, evidence, fault, cause, resolution,"
    " rule, clock_rule, {days} AS days_left, s.status, s.who,"
    " s.id IS NOT NULL AND (s.record_sha256 != sha256 OR s.policy_sha256 != :policy)"
)
_FROM = "FROM record LEFT JOIN status s ON s.id = record.id"


@dataclass(frozen=True, slots=True)
class Counts:
    """How the queue stands: records in all, by clock state, and faulty ones. `no_clock` have no deadline known."""

    records: int
    breached: int
    escalate: int
    within: int
    no_clock: int
    faulty: int
    oldest_register: date | None
    newest_register: date | None


class QueueIndex:
    """The index of one queue under one policy and one reader. Use it from the thread that opened it."""

    def __init__(self, path: Path, folder: Path, policy: Policy, reader: Reader) -> None:
        self.path = path
        self._folder = folder
        self._policy = policy
        self._reader = reader
        self._db = self._open()

    @classmethod
    def at(cls, index_folder: Path, folder: Path, policy: Policy, reader: Reader) -> "QueueIndex":
        """The index of a queue folder, kept under `index_folder`; in a temporary folder where that cannot be written."""
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

    def another(self) -> "QueueIndex":
        """The same index through a connection of its own, for another thread."""
        return QueueIndex(self.path, self._folder, self._policy, self._reader)

    def close(self) -> None:
        """Let go of the file."""
        self._db.close()

    # Following the folder

    def refresh(self) -> Iterator[tuple[int, int]]:
        """Bring the index up to the folder, a batch at a time, yielding records done and to do after each.

        Raises QueueError when the folder or claims.json cannot be read.
        """
        files = {file.id: file for file in record_files(self._folder)}
        known = {
            record_id: (size, mtime_ns, row_key)
            for record_id, size, mtime_ns, row_key in self._db.execute(
                "SELECT id, size, mtime_ns, row_key FROM record"
            )
        }
        rows, rows_changed = self._rows(bool(known))
        keys = {row.id: _row_key(row) for row in rows.rows.values()} if rows_changed else {}
        due = []
        for file in files.values():
            held = known.get(file.id)
            if held is None or held[:2] != (file.size, file.mtime_ns):
                due.append(file)
            elif rows_changed and held[2] != keys.get(file.id, "") + rows.faults.get(file.id, ""):
                due.append(file)
        if due and not rows_changed:
            rows = read_rows(self._folder)
            keys = {row.id: _row_key(row) for row in rows.rows.values()}
        gone = [record_id for record_id in known if record_id not in files]
        done = 0
        for start in range(0, len(due), BATCH):
            batch = due[start : start + BATCH]
            self._write([self._indexed(file, rows, keys) for file in batch])
            done += len(batch)
            yield done, len(due)
        with self._transaction():
            self._db.executemany("DELETE FROM record WHERE id = ?", [(record_id,) for record_id in gone])
            self._db.execute("INSERT OR REPLACE INTO meta VALUES ('claims', ?)", (self._claims_stamp(),))
        if gone or not due:
            yield done, len(due)

    def refresh_for(self, seconds: float) -> Iterator[tuple[int, int]] | None:
        """Refresh until the time is up. Gives the rest of the work, or None when all is done."""
        until = time.monotonic() + seconds
        work = self.refresh()
        for _ in work:
            if time.monotonic() > until:
                return work
        return None

    def _indexed(self, file: RecordFile, rows: Rows, keys: Mapping[str, str]) -> tuple[object, ...]:
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
            keys.get(file.id, "") + rows.faults.get(file.id, ""),
            loaded.sha256,
            title,
            claim_id,
            business,
            facts.received_on.isoformat() if facts else "",
            facts.register_read_on.toordinal() if facts else None,
            evidence,
            "; ".join(claim.faults),
            cause,
            resolution,
            resolved.rule.id if isinstance(resolved, Resolved) else "",
            register.rule.id if register else "",
            self._deadline_day(claim),
            left,
            self._unknown_clock_rank() if left is None else left,
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

    def _unknown_clock_rank(self) -> float:
        # A clock that nobody can read may be urgent: it is listed right after those known to be.
        return self._policy.clock.escalate_within_days + 0.5

    @contextmanager
    def _transaction(self) -> Iterator[None]:
        self._db.execute("BEGIN IMMEDIATE")
        with self._db:
            yield

    def _write(self, indexed: Iterable[tuple[object, ...]]) -> None:
        with self._transaction():
            self._db.executemany(
                "INSERT INTO record (id, size, mtime_ns, row_key, sha256, title, claim_id, line_of_business,"
                " received_on, register_day, evidence, fault, cause, resolution, rule, clock_rule, deadline_day,"
                " register_left, register_sort, search) VALUES (?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?)"
                " ON CONFLICT (id) DO UPDATE SET size=excluded.size, mtime_ns=excluded.mtime_ns,"
                " row_key=excluded.row_key, sha256=excluded.sha256, title=excluded.title,"
                " claim_id=excluded.claim_id, line_of_business=excluded.line_of_business,"
                " received_on=excluded.received_on, register_day=excluded.register_day,"
                " evidence=excluded.evidence, fault=excluded.fault, cause=excluded.cause,"
                " resolution=excluded.resolution, rule=excluded.rule, clock_rule=excluded.clock_rule,"
                " deadline_day=excluded.deadline_day, register_left=excluded.register_left,"
                " register_sort=excluded.register_sort, search=excluded.search",
                indexed,
            )

    def _rows(self, has_records: bool) -> tuple[Rows, bool]:
        """The claim rows, and whether they may differ from those indexed; unread when they do not."""
        held = self._db.execute("SELECT value FROM meta WHERE key = 'claims'").fetchone()
        if has_records and held and held[0] == self._claims_stamp():
            return Rows({}, {}, ""), False
        return read_rows(self._folder), True

    def _claims_stamp(self) -> str:
        try:
            stat = (self._folder / "claims.json").stat()
        except OSError:
            return "none"
        return f"{stat.st_size} {stat.st_mtime_ns}"

    # Asking

    def set_statuses(self, statuses: Iterable[StatusRow]) -> None:
        """Replace what the journal says of the records."""
        self._db.execute("DELETE FROM status")
        self.add_statuses(statuses)

    def add_statuses(self, statuses: Iterable[StatusRow]) -> None:
        """Set what the journal says of some records."""
        self._db.executemany(
            "INSERT OR REPLACE INTO status VALUES (?, ?, ?, ?, ?)",
            [(s.id, s.status, s.who, s.record_sha256, s.policy_sha256) for s in statuses],
        )

    def remove_status(self, record_id: str) -> None:
        """Say that the journal holds no decision for a record (any more)."""
        self._db.execute("DELETE FROM status WHERE id = ?", (record_id,))

    def order(self, as_of: str | date, sort: str = "clock", search: str = "") -> Sequence[int]:
        """The row numbers of the records that match, in order. The search is words, each of which has to match."""
        days = self._days(as_of)
        rank = f"COALESCE({days}, {self._unknown_clock_rank()})"
        if sort == "clock":
            by = "register_sort, record.id" if as_of == AS_OF_REGISTER else f"{rank}, record.id"
        else:
            by = _ORDER_BY[sort].format(left=rank).replace(" id", " record.id")
            by = "record.id" if by == "id" else by
        where, values = self._where(search, days)
        joined = _FROM if "s." in where or "s." in by else "FROM record"
        found = self._db.execute(f"SELECT rid {joined} {where} ORDER BY {by}", values)
        return array("q", (rid for (rid,) in found))

    def rows(self, rids: Sequence[int], as_of: str | date) -> list[QueueRow]:
        """The rows of these numbers, in the order asked for; a row that has gone is left out."""
        days = self._days(as_of)
        marks = ",".join("?" * len(rids))
        sql = f"SELECT {_COLUMNS.format(days=days)} {_FROM} WHERE rid IN ({marks})".replace(
            ":policy", f"'{self._policy.sha256}'"
        )
        found = {values[0]: self._row(values) for values in self._db.execute(sql, tuple(rids))}
        return [found[rid] for rid in rids if rid in found]

    def row_of(self, record_id: str, as_of: str | date) -> QueueRow | None:
        """The row of a record id."""
        rid = self._db.execute("SELECT rid FROM record WHERE id = ?", (record_id,)).fetchone()
        return next(iter(self.rows([rid[0]], as_of)), None) if rid else None

    def counts(self, as_of: str | date) -> Counts:
        """How the whole queue stands on its as-of day."""
        days = self._days(as_of)
        window = self._policy.clock.escalate_within_days
        records, breached, escalate, no_clock, faulty, oldest, newest = self._db.execute(
            f"SELECT count(*), count(*) FILTER (WHERE {days} < 0),"
            f" count(*) FILTER (WHERE {days} BETWEEN 0 AND {window}), count(*) FILTER (WHERE {days} IS NULL),"
            " count(*) FILTER (WHERE fault != ''), min(register_day), max(register_day) FROM record"
        ).fetchone()
        return Counts(
            records,
            breached,
            escalate,
            records - breached - escalate - no_clock,
            no_clock,
            faulty,
            date.fromordinal(oldest) if oldest else None,
            date.fromordinal(newest) if newest else None,
        )

    def _row(self, values: tuple[object, ...]) -> QueueRow:
        *fixed, days_left, status, who, stale = values
        left = days_left if isinstance(days_left, int) else None
        fault = str(fixed[8])
        shown = str(status) if status else "faulty" if fault else "open"
        return QueueRow(*fixed, left, self._state(left), shown, str(who or ""), bool(stale))  # type: ignore[arg-type]

    def _state(self, days_left: int | None) -> ClockState | None:
        if days_left is None:
            return None
        if days_left < 0:
            return ClockState.BREACHED
        within = days_left > self._policy.clock.escalate_within_days
        return ClockState.WITHIN_CLOCK if within else ClockState.ESCALATE_NOW

    @staticmethod
    def _days(as_of: str | date) -> str:
        return f"(deadline_day - {as_of.toordinal()})" if isinstance(as_of, date) else "register_left"

    def _where(self, search: str, days: str) -> tuple[str, dict[str, str]]:
        window = self._policy.clock.escalate_within_days
        states = {
            "breached": f"{days} < 0",
            "escalate": f"{days} BETWEEN 0 AND {window}",
            "escalate-now": f"{days} BETWEEN 0 AND {window}",
            "within": f"{days} > {window}",
            "within-clock": f"{days} > {window}",
        }
        values = {"policy": self._policy.sha256}
        conditions = []
        for n, word in enumerate(search.lower().split()):
            if (condition := _STATUS_WORDS.get(word) or states.get(word)) is not None:
                conditions.append(condition)
            else:
                values[f"w{n}"] = "%" + "".join(f"\\{c}" if c in "%_\\" else c for c in word) + "%"
                conditions.append(f"(search LIKE :w{n} ESCAPE '\\' OR COALESCE(s.who, '') LIKE :w{n} ESCAPE '\\')")
        return (f"WHERE {' AND '.join(conditions)}" if conditions else ""), values

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
        db.execute(
            "CREATE TEMP TABLE status (id TEXT PRIMARY KEY, status TEXT NOT NULL, who TEXT NOT NULL,"
            " record_sha256 TEXT NOT NULL, policy_sha256 TEXT NOT NULL) WITHOUT ROWID"
        )
        return db


def _row_key(row: ClaimRow) -> str:
    return hashlib.sha256(json.dumps((row.title, repr(row.facts))).encode()).hexdigest()[:16]
