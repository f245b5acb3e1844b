"""The replies already bought, and how many calls were begun on a day. Rows are only ever added.

One SQLite file beside the stored runs. A reply is on disk before anybody is told of it, so a read that was cut
short, by whatever, buys nothing again that it already holds. Several programs may use the file at once: they
share its replies and the day's budget.
"""

import json
import os
import sqlite3
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import NamedTuple, Self

from pendtui.errors import RunError

FILE_NAME = "replies.db"
"""What the file is called in the folder of runs."""
VERSION = 1
TIMEOUT = 30.0
"""Seconds that a write waits for another program's."""

_SCHEMA = (
    """
    CREATE TABLE IF NOT EXISTS reply (
        seq INTEGER PRIMARY KEY AUTOINCREMENT,
        at TEXT NOT NULL,
        record_sha256 TEXT NOT NULL,
        prompt_sha256 TEXT NOT NULL,
        model TEXT NOT NULL,
        base_url TEXT NOT NULL,
        call TEXT NOT NULL
    )
    """,
    """
    CREATE INDEX IF NOT EXISTS reply_by_question
    ON reply (record_sha256, prompt_sha256, model, base_url, seq)
    """,
    """
    CREATE TABLE IF NOT EXISTS call_begun (
        seq INTEGER PRIMARY KEY AUTOINCREMENT,
        day TEXT NOT NULL,
        at TEXT NOT NULL
    )
    """,
    "CREATE INDEX IF NOT EXISTS call_begun_by_day ON call_begun (day)",
    f"PRAGMA user_version = {VERSION}",
)


_INSERT = "INSERT INTO reply (at, record_sha256, prompt_sha256, model, base_url, call) VALUES (?, ?, ?, ?, ?, ?)"


class Question(NamedTuple):
    """What was asked of whom. Two equal questions need one reply."""

    record_sha256: str
    """Of the record's bytes."""
    prompt_sha256: str
    """Of everything else that was sent."""
    model: str
    base_url: str


class _Unkept:
    """A reply that is not on disk yet, and whether it is by now."""

    def __init__(self, row: tuple[str, ...]) -> None:
        self.row = row
        self.kept = False


class ReplyStore:
    """The open file. Any thread may use it; calls wait for each other."""

    def __init__(self, db: sqlite3.Connection, path: Path) -> None:
        self.path = path
        self._db = db
        self._lock = threading.Lock()
        self._queueing = threading.Lock()
        self._unkept: list[_Unkept] = []

    @classmethod
    def open(cls, folder: Path) -> Self:
        """Open the file in a folder of runs, making folder (0700) and file (0600) where they are missing.

        Raises RunError: no access, no database, or one of a later version.
        """
        path = folder / FILE_NAME
        try:
            folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            os.close(os.open(path, os.O_RDWR | os.O_CREAT, 0o600))
            db = sqlite3.connect(path, timeout=TIMEOUT, isolation_level=None, check_same_thread=False)
        except (OSError, sqlite3.Error) as fault:
            raise _unusable(path, fault) from None
        try:
            version = db.execute("PRAGMA user_version").fetchone()[0]
            if version > VERSION:
                raise RunError(
                    f"holds replies in a form of version {version}; this program knows {VERSION}", where=str(path)
                )
            db.execute("PRAGMA journal_mode = WAL")
            if version < VERSION:
                db.execute("BEGIN IMMEDIATE")
                for statement in _SCHEMA:
                    db.execute(statement)
                db.execute("COMMIT")
        except sqlite3.Error as fault:
            db.close()
            raise _unusable(path, fault) from None
        except RunError:
            db.close()
            raise
        return cls(db, path)

    def close(self) -> None:
        """Let go of the file."""
        with self._lock:
            self._db.close()

    def held(self, question: Question) -> Mapping[str, object] | None:
        """The newest reply to a question, with all that was noted of its call; None where there is none."""
        with self._using() as db:
            row = db.execute(
                "SELECT call FROM reply WHERE record_sha256 = ? AND prompt_sha256 = ? AND model = ?"
                " AND base_url = ? ORDER BY seq DESC LIMIT 1",
                question,
            ).fetchone()
        if row is None:
            return None
        call: Mapping[str, object] = json.loads(row[0])
        return call

    def hold(self, question: Question, call: Mapping[str, object]) -> None:
        """Keep a reply. It is on disk when this returns; replies that come in together share the wait for it."""
        mine = _Unkept((_now().isoformat(), *question, json.dumps(call, allow_nan=False)))
        with self._queueing:
            self._unkept.append(mine)
        with self._using() as db:
            if mine.kept:
                return
            with self._queueing:
                group, self._unkept = self._unkept, []
            try:
                db.execute("PRAGMA synchronous = FULL")
                db.execute("BEGIN IMMEDIATE")
                db.executemany(_INSERT, [each.row for each in group])
                db.execute("COMMIT")
            except BaseException:
                # the others try for themselves, and hear of it where that fails as well
                with self._queueing:
                    self._unkept += [each for each in group if each is not mine]
                raise
            for each in group:
                each.kept = True

    def begin_call(self, limit: int | None) -> bool:
        """Note that a call begins, unless as many as `limit` have begun on this day (UTC) already.

        To be asked before each call: however many workers and programs ask at once, no more than `limit` get
        a yes on one day.
        """
        now = _now()
        day = now.date().isoformat()
        with self._using() as db:
            # a count may be lost with the power, though not with the program: waiting for the disk here as well
            # would hold up every worker twice
            db.execute("PRAGMA synchronous = NORMAL")
            db.execute("BEGIN IMMEDIATE")
            begun: int = db.execute("SELECT count(*) FROM call_begun WHERE day = ?", (day,)).fetchone()[0]
            if limit is not None and begun >= limit:
                db.execute("COMMIT")
                return False
            db.execute("INSERT INTO call_begun (day, at) VALUES (?, ?)", (day, now.isoformat()))
            db.execute("COMMIT")
        return True

    def calls_today(self) -> int:
        """How many calls have begun on this day (UTC)."""
        with self._using() as db:
            day = _now().date().isoformat()
            begun: int = db.execute("SELECT count(*) FROM call_begun WHERE day = ?", (day,)).fetchone()[0]
        return begun

    @contextmanager
    def _using(self) -> Iterator[sqlite3.Connection]:
        with self._lock:
            try:
                yield self._db
            except BaseException as fault:
                if self._db.in_transaction:
                    self._db.execute("ROLLBACK")
                if isinstance(fault, sqlite3.Error):
                    raise _unusable(self.path, fault) from None
                raise


def _now() -> datetime:
    return datetime.now(UTC)


def _unusable(path: Path, fault: Exception) -> RunError:
    reason = fault.strerror if isinstance(fault, OSError) else str(fault)
    return RunError(f"the replies already bought cannot be used: {reason}", where=str(path))
