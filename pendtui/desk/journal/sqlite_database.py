"""A journal in a SQLite file: made for its owner alone, kept up to date, with its failures in plain words."""

import errno
import os
import sqlite3
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from pendtui.desk.journal.database import APPLICATION_ID, Row, newer_schema
from pendtui.desk.journal.rows import Fault
from pendtui.desk.journal.sqlite_schema import MIGRATIONS, VERSION
from pendtui.errors import JournalError, NoJournalError

_MAGIC = b"SQLite format 3\0"


class SqliteDatabase:
    """An open file, in the terms of `Database`.

    A new file gets mode 0600 and a new folder 0700; SQLite gives its side files the mode of the file. An
    existing file keeps the mode that its owner gave it.
    """

    def __init__(self, path: Path, timeout: float, read_only: bool) -> None:
        self.path: Path | None = path
        self.where = str(path)
        self.version = 0
        self.timeout = self._patience = timeout
        try:
            if not read_only:
                _create(path)
            elif not path.is_file():
                raise NoJournalError(
                    "there is no journal here yet", where=str(path), remedy="The first decision creates it"
                )
            _check_kind(path)
            uri = f"{path.absolute().as_uri()}?mode={'ro' if read_only else 'rw'}"
            self._db = sqlite3.connect(uri, uri=True, timeout=timeout, isolation_level=None)
        except (sqlite3.Error, OSError) as fault:
            raise self._in_plain_words(fault) from fault
        try:
            self._prepare_patiently(read_only)
        except sqlite3.Error as fault:
            self._db.close()
            raise self._in_plain_words(fault) from fault
        except BaseException:
            self._db.close()
            raise

    def close(self) -> None:
        """Let go of the file."""
        self._db.close()

    def run(self, statement: str, *values: object) -> int:
        """Carry out a statement; how many rows it has written."""
        try:
            return self._db.execute(statement, values).rowcount
        except sqlite3.ProgrammingError:  # misuse by the program itself is no failure of the store
            raise
        except sqlite3.Error as fault:
            raise self._in_plain_words(fault) from fault

    def run_each(self, statement: str, rows: Iterable[Row]) -> None:
        """Carry out a statement once for each row of values."""
        try:
            self._db.executemany(statement, rows)
        except sqlite3.ProgrammingError:
            raise
        except sqlite3.Error as fault:
            raise self._in_plain_words(fault) from fault

    def row(self, statement: str, *values: object) -> Row | None:
        """The first row that a query finds."""
        try:
            found: Row | None = self._db.execute(statement, values).fetchone()
        except sqlite3.ProgrammingError:
            raise
        except sqlite3.Error as fault:
            raise self._in_plain_words(fault) from fault
        return found

    def rows(self, statement: str, *values: object) -> list[Row]:
        """All rows that a query finds."""
        try:
            return self._db.execute(statement, values).fetchall()
        except sqlite3.ProgrammingError:
            raise
        except sqlite3.Error as fault:
            raise self._in_plain_words(fault) from fault

    def stream(self, statement: str, *values: object) -> Iterator[Row]:
        """All rows that a query finds, one after the other."""
        try:
            yield from self._db.execute(statement, values)
        except sqlite3.ProgrammingError:
            raise
        except sqlite3.Error as fault:
            raise self._in_plain_words(fault) from fault

    @contextmanager
    def reading(self) -> Iterator[None]:
        """One look at the file: every query inside sees the same state."""
        self.run("BEGIN")
        try:
            yield
        finally:
            self._roll_back()

    @contextmanager
    def writing(self, what: str = "decision", patience: float | None = None) -> Iterator[None]:
        """One transaction that holds the file's write lock from its start, whatever it writes."""
        with self._waiting(self.timeout if patience is None else patience):
            self.run("BEGIN IMMEDIATE")
        try:
            yield
            self.run("COMMIT")
        except BaseException:
            self._roll_back()
            raise

    @contextmanager
    def _waiting(self, seconds: float) -> Iterator[None]:
        """Wait for another program's lock for so long and not for `timeout`."""
        if seconds == self.timeout:
            yield
            return
        self._patience = seconds
        self._db.execute(f"PRAGMA busy_timeout={round(seconds * 1000)}")
        try:
            yield
        finally:
            self._patience = self.timeout
            self._db.execute(f"PRAGMA busy_timeout={round(self.timeout * 1000)}")

    def _roll_back(self) -> None:
        if self._db.in_transaction:
            with suppress(sqlite3.Error):
                self._db.execute("ROLLBACK")

    def now(self) -> int:
        """Microseconds since 1970, UTC, by this machine's clock."""
        return time.time_ns() // 1000

    def data_version(self) -> int:
        """A number that changes when another connection has written."""
        with self._waiting(0):
            row = self.row("PRAGMA data_version")
        return int(row[0]) if row else 0

    def copy_to(self, target: Path) -> None:
        """Write the file as it is now into a new one, while others go on writing. `target` is there and empty."""
        try:
            copy = sqlite3.connect(target, isolation_level=None)
            try:
                self._db.backup(copy)
                copy.execute("PRAGMA journal_mode=DELETE")  # a copy is one file, without side files
                if self.version > 1:
                    copy.execute("DELETE FROM lease")  # nobody has a claim open in a copy
            finally:
                copy.close()
        except sqlite3.Error as fault:
            raise self._in_plain_words(fault) from fault

    def faults(self) -> Iterator[Fault]:
        """What is wrong with the tables, the guards and the file's own structure."""
        try:
            found = dict(self._db.execute("SELECT name, sql FROM sqlite_master WHERE sql IS NOT NULL"))
            for name, statement in _expected(self.version).items():
                if " ".join(str(found.get(name)).split()) != " ".join(statement.split()):
                    yield Fault(None, f"{name} is missing or altered: the journal's guards were taken off")
            for (line,) in self._db.execute("PRAGMA integrity_check"):
                if line != "ok":
                    yield Fault(None, f"the file is inconsistent: {line}")
        except sqlite3.DatabaseError as fault:
            yield Fault(None, f"the file is damaged: {fault}")

    # Opening

    def _prepare_patiently(self, read_only: bool) -> None:
        # A side file that another user's program is just making is not yet the group's, for a moment.
        until = time.monotonic() + min(self.timeout, SIDE_FILE_SECONDS)
        while True:
            try:
                return self._prepare(read_only)
            except sqlite3.OperationalError as fault:
                if fault.sqlite_errorcode & 0xFF != sqlite3.SQLITE_CANTOPEN or time.monotonic() > until:
                    raise
            time.sleep(0.01)

    def _prepare(self, read_only: bool) -> None:
        self.version = self._recognised()
        if read_only:
            if not self.version:
                raise JournalError("there is nothing in the journal yet", where=self.where)
            return
        self._keep_ahead()
        self._db.execute("PRAGMA synchronous=FULL")
        if self.version < VERSION:
            # Rows are carried over as they are, with whatever somebody has done to them.
            self._db.execute("PRAGMA foreign_keys=OFF")
            self._db.execute("PRAGMA ignore_check_constraints=ON")
            with self.writing():
                self._migrate()
            self._db.execute("PRAGMA ignore_check_constraints=OFF")
        self._db.execute("PRAGMA foreign_keys=ON")

    def _recognised(self) -> int:
        # A database of somebody else's is left as it was found, so this comes before anything that writes.
        # Tables are counted first: another program may just be making this file a journal, in one transaction.
        (tables,) = self._db.execute("SELECT count(*) FROM sqlite_master").fetchone()
        (application,) = self._db.execute("PRAGMA application_id").fetchone()
        (version,) = self._db.execute("PRAGMA user_version").fetchone()
        if application != APPLICATION_ID and (application or tables):
            raise JournalError(
                "is a database, but not a journal of pendtui",
                where=self.where,
                remedy="Name another journal file",
            )
        if version > VERSION:
            raise newer_schema(version, VERSION, self.where)
        return int(version)

    def _keep_ahead(self) -> None:
        # The change of mode does not wait for a lock as other statements do, and here two programs that open a
        # new file meet.
        until = time.monotonic() + self.timeout
        while True:
            try:
                (mode,) = self._db.execute("PRAGMA journal_mode=WAL").fetchone()
                break
            except sqlite3.OperationalError as fault:
                if fault.sqlite_errorcode & 0xFF != sqlite3.SQLITE_BUSY or time.monotonic() > until:
                    raise
                time.sleep(0.01)
        if mode != "wal":
            raise JournalError(
                "this file system cannot hold a write-ahead log",
                where=self.where,
                remedy="Keep the journal on a local disk",
            )

    def _migrate(self) -> None:
        self.version = self._recognised()
        for statements in MIGRATIONS[self.version :]:
            for statement in statements:
                self._db.execute(statement)
        if self.version < VERSION:
            from pendtui.desk.journal.projection import catch_up

            catch_up(self)
            self._db.execute(f"PRAGMA application_id={APPLICATION_ID}")
            self._db.execute(f"PRAGMA user_version={VERSION}")
            self.version = VERSION

    def _in_plain_words(self, fault: sqlite3.Error | OSError) -> JournalError:
        if isinstance(fault, OSError):
            what = f"the journal cannot be opened: {fault.strerror or fault}"
            full = fault.errno in (errno.ENOSPC, errno.EDQUOT)
            return JournalError(what, where=self.where, remedy="Free some space" if full else _ANOTHER_PLACE)
        # Extended codes (SQLITE_IOERR_WRITE) share their first two words with the code they belong to.
        name = "_".join(str(getattr(fault, "sqlite_errorname", "")).split("_")[:2])
        what, remedy = _PLAIN.get(name, (f"the journal refused: {fault}", "Nothing was saved"))
        return JournalError(what.replace("{for}", _how_long(self._patience)), where=self.where, remedy=remedy)


def _create(path: Path) -> None:
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    os.close(os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600))


def _check_kind(path: Path) -> None:
    # SQLite takes a file that is shorter than a page for an empty one, and would write over it.
    with open(path, "rb") as file:
        start = file.read(len(_MAGIC))
    if start and start != _MAGIC:
        what, remedy = _PLAIN["SQLITE_NOTADB"]
        raise JournalError(what, where=str(path), remedy=remedy)


def _expected(version: int) -> dict[str, str]:
    # How SQLite words a table that was renamed is its own affair, so it is asked.
    db = sqlite3.connect(":memory:", isolation_level=None)
    try:
        for statements in MIGRATIONS[:version]:
            for statement in statements:
                db.execute(statement)
        return dict(db.execute("SELECT name, sql FROM sqlite_master WHERE sql IS NOT NULL"))
    finally:
        db.close()


def _how_long(seconds: float) -> str:
    return f" for {seconds:g} s" if seconds else ""


SIDE_FILE_SECONDS = 0.5
"""How long a file that cannot be opened is tried again."""
_ANOTHER_PLACE = "Give yourself write access to the file and its folder, or name another journal file"
_PLAIN = {
    "SQLITE_BUSY": (
        "another program has kept the journal locked{for}",
        "Nothing was saved. Try again in a moment",
    ),
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
