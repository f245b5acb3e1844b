"""The journal's file: made for its owner alone, recognised, kept up to date, its failures in plain words."""

import errno
import os
import sqlite3
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from pendtui.desk.journal.rows import COLUMNS, NO_ROW_BEFORE
from pendtui.errors import JournalError

APPLICATION_ID = 0x70656E64
"""What marks a database as a journal ("pend")."""

_MAGIC = b"SQLite format 3\0"

_APPEND_ONLY = "SELECT RAISE(ABORT, 'the journal is append-only: rows are never {what}')"

MIGRATIONS: tuple[tuple[str, ...], ...] = (
    (
        """
        CREATE TABLE decision (
            seq INTEGER PRIMARY KEY AUTOINCREMENT,
            at TEXT NOT NULL,
            who TEXT NOT NULL,
            display_name TEXT NOT NULL,
            host TEXT NOT NULL,
            program TEXT NOT NULL,
            queue TEXT NOT NULL,
            record_id TEXT NOT NULL,
            record_sha256 TEXT NOT NULL,
            policy_id TEXT NOT NULL,
            policy_sha256 TEXT NOT NULL,
            action TEXT NOT NULL CHECK (action IN ('accept', 'change', 'park', 'undo')),
            reader TEXT NOT NULL,
            proposed TEXT NOT NULL CHECK (json_extract(proposed, '$.release') IS 'EXAMINER-APPLIES'),
            decided TEXT NOT NULL CHECK (json_extract(decided, '$.release') IS 'EXAMINER-APPLIES'),
            note TEXT NOT NULL,
            undoes INTEGER REFERENCES decision (seq) CHECK ((undoes IS NOT NULL) = (action = 'undo')),
            previous_hash TEXT NOT NULL,
            hash TEXT NOT NULL
        )
        """,
        "CREATE INDEX decision_by_record ON decision (queue, record_id, seq, action)",
        "CREATE INDEX decision_by_examiner ON decision (queue, who, seq)",
        "CREATE UNIQUE INDEX decision_undone ON decision (undoes) WHERE undoes IS NOT NULL",
        f"""
        CREATE TRIGGER decision_never_updated BEFORE UPDATE ON decision
        BEGIN {_APPEND_ONLY.format(what="updated")}; END
        """,
        f"""
        CREATE TRIGGER decision_never_deleted BEFORE DELETE ON decision
        BEGIN {_APPEND_ONLY.format(what="deleted")}; END
        """,
        # INSERT OR REPLACE deletes without firing the trigger above, so a row may only go after the last one.
        f"""
        CREATE TRIGGER decision_only_appended BEFORE INSERT ON decision
        WHEN NEW.seq IS NOT (SELECT coalesce(max(seq), 0) + 1 FROM decision)
            OR NEW.previous_hash IS NOT
                coalesce((SELECT hash FROM decision ORDER BY seq DESC LIMIT 1), '{NO_ROW_BEFORE}')
        BEGIN {_APPEND_ONLY.format(what="put anywhere but at the end")}; END
        """,
    ),
)
"""What takes a journal from each schema version to the next. Only ever added to."""

VERSION = len(MIGRATIONS)
"""The schema version this program writes."""

SELECT = f"SELECT {', '.join(COLUMNS)} FROM decision"


def connect(path: Path, timeout: float, read_only: bool) -> sqlite3.Connection:
    """Open the journal's file, creating it or bringing its schema up to date where it has to.

    A new file gets mode 0600 and a new folder 0700; SQLite gives its side files the mode of the file. An
    existing file keeps the mode that its owner gave it. `timeout` is in seconds. Raises JournalError.
    """
    with plain_faults(path, timeout):
        if not read_only:
            _create(path)
        elif not path.is_file():
            raise JournalError(
                "there is no journal here yet", where=str(path), remedy="The first decision creates it"
            )
        _check_kind(path)
        uri = f"{path.absolute().as_uri()}?mode={'ro' if read_only else 'rw'}"
        db = sqlite3.connect(uri, uri=True, timeout=timeout, isolation_level=None)
        try:
            _prepare(db, path, timeout, read_only)
        except BaseException:
            db.close()
            raise
        return db


def _check_kind(path: Path) -> None:
    # SQLite takes a file that is shorter than a page for an empty one, and would write over it.
    with open(path, "rb") as file:
        start = file.read(len(_MAGIC))
    if start and start != _MAGIC:
        what, remedy = _PLAIN["SQLITE_NOTADB"]
        raise JournalError(what, where=str(path), remedy=remedy)


def _create(path: Path) -> None:
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    os.close(os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600))


def _prepare(db: sqlite3.Connection, path: Path, timeout: float, read_only: bool) -> None:
    version = _recognised(db, path)
    if read_only:
        if version < VERSION:
            raise JournalError("there is nothing in the journal yet", where=str(path))
        return
    _keep_ahead(db, path, timeout)
    db.execute("PRAGMA synchronous=FULL")
    db.execute("PRAGMA foreign_keys=ON")
    if version < VERSION:
        with transaction(db):
            _migrate(db, path)


def _recognised(db: sqlite3.Connection, path: Path) -> int:
    # A database of somebody else's is left as it was found, so this comes before anything that writes.
    # Tables are counted first: another program may just be making this file a journal, in one transaction.
    (tables,) = db.execute("SELECT count(*) FROM sqlite_master").fetchone()
    (application,) = db.execute("PRAGMA application_id").fetchone()
    (version,) = db.execute("PRAGMA user_version").fetchone()
    if application != APPLICATION_ID and (application or tables):
        raise JournalError(
            "is a database, but not a journal of pendtui",
            where=str(path),
            remedy="Name another journal file",
        )
    if version > VERSION:
        raise JournalError(
            f"was written by a newer pendtui (schema {version}; this program knows up to {VERSION})",
            where=str(path),
            remedy="Use that version or a newer one",
        )
    return int(version)


def _keep_ahead(db: sqlite3.Connection, path: Path, timeout: float) -> None:
    # The change of mode does not wait for a lock as other statements do, and here two programs that open a
    # new file meet.
    until = time.monotonic() + timeout
    while True:
        try:
            (mode,) = db.execute("PRAGMA journal_mode=WAL").fetchone()
            break
        except sqlite3.OperationalError as fault:
            if fault.sqlite_errorcode & 0xFF != sqlite3.SQLITE_BUSY or time.monotonic() > until:
                raise
            time.sleep(0.01)
    if mode != "wal":
        raise JournalError(
            "this file system cannot hold a write-ahead log",
            where=str(path),
            remedy="Keep the journal on a local disk",
        )


def _migrate(db: sqlite3.Connection, path: Path) -> None:
    version = _recognised(db, path)
    for statements in MIGRATIONS[version:]:
        for statement in statements:
            db.execute(statement)
    db.execute(f"PRAGMA application_id={APPLICATION_ID}")
    db.execute(f"PRAGMA user_version={VERSION}")


@contextmanager
def transaction(db: sqlite3.Connection) -> Iterator[None]:
    """One write transaction that holds the write lock from its start: all of it is saved, or none."""
    db.execute("BEGIN IMMEDIATE")
    try:
        yield
        db.execute("COMMIT")
    except BaseException:
        if db.in_transaction:
            with suppress(sqlite3.Error):
                db.execute("ROLLBACK")
        raise


@contextmanager
def plain_faults(path: Path, timeout: float) -> Iterator[None]:
    """Turn a failure of the file system or of SQLite into a JournalError that says what to do.

    Misuse by the program itself (a closed journal, another thread) is no such failure and passes unchanged.
    """
    try:
        yield
    except sqlite3.ProgrammingError:
        raise
    except sqlite3.Error as fault:
        what, remedy = _in_plain_words(fault, timeout)
        raise JournalError(what, where=str(path), remedy=remedy) from fault
    except OSError as fault:
        what = f"the journal cannot be opened: {fault.strerror or fault}"
        full = fault.errno in (errno.ENOSPC, errno.EDQUOT)
        raise JournalError(what, where=str(path), remedy="Free some space" if full else _ANOTHER_PLACE) from fault


_ANOTHER_PLACE = "Give yourself write access to the file and its folder, or name another journal file"
_PLAIN = {
    "SQLITE_LOCKED": ("the journal is locked by this program itself", "Nothing was saved. Try again"),
    "SQLITE_FULL": ("the disk is full", "Nothing was saved. Free some space, then try again"),
    "SQLITE_IOERR": (
        "the disk did not take or give the data (full, over quota or failing)",
        "Nothing was saved. Free some space or check the disk, then try again",
    ),
    "SQLITE_READONLY": ("the journal may be read but not written", f"Nothing was saved. {_ANOTHER_PLACE}"),
    "SQLITE_CANTOPEN": ("the journal cannot be opened", _ANOTHER_PLACE),
    "SQLITE_PERM": ("access to the journal was refused", _ANOTHER_PLACE),
    "SQLITE_NOTADB": ("is not a journal: the file is something else or damaged", "Name another journal file"),
    "SQLITE_CORRUPT": (
        "the journal's file is damaged",
        "Nothing was saved. Keep the file as it is, and restore a copy of it",
    ),
}


def _in_plain_words(fault: sqlite3.Error, timeout: float) -> tuple[str, str]:
    # Extended codes (SQLITE_IOERR_WRITE) share their first two words with the code they belong to.
    name = "_".join(str(getattr(fault, "sqlite_errorname", "")).split("_")[:2])
    if name == "SQLITE_BUSY":
        return (
            f"another program has kept the journal locked for {timeout:g} s",
            "Nothing was saved. Try again in a moment",
        )
    return _PLAIN.get(name, (f"the journal refused: {fault}", "Nothing was saved"))
