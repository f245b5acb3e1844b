"""A journal on a PostgreSQL server, for examiners on many hosts, with its failures in plain words.

The driver is loaded only when such a store is opened; it is the extra `postgres`.
"""

import time
import zlib
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import get_ident
from typing import TYPE_CHECKING, Any

from pendtui.desk.journal.database import APPLICATION_ID, Row, newer_schema
from pendtui.desk.journal.postgres_address import Address
from pendtui.desk.journal.postgres_schema import MIGRATIONS, TABLES, VERSION
from pendtui.desk.journal.rows import Fault, UnknownOutcomeError
from pendtui.errors import JournalError, NoJournalError

if TYPE_CHECKING:
    import psycopg

QUICK_CONNECT = 2
"""Seconds that a poll spends on making a lost connection again."""
REST = 10
"""How many times as long as the attempt took a poll then leaves it alone, and at least QUICK_CONNECT seconds."""

_STREAMED = 1000
_AGAIN = "Nothing was saved. Try again; the connection is made anew"


class PostgresDatabase:
    """A connection, in the terms of `Database`. One that was lost is made again at the next call."""

    path: Path | None = None

    def __init__(self, url: str, timeout: float, read_only: bool) -> None:
        self._address = Address.parse(url)
        self.where = self._address.shown
        self.version = 0
        self.timeout = self._patience = timeout
        self._read_only = read_only
        self._thread = get_ident()
        self._statements: dict[str, str] = {}
        self._written = 0
        self._streams = 0
        self._inside = False
        self._down: tuple[float, JournalError] | None = None
        try:
            import psycopg
        except ImportError:
            raise JournalError(
                "a PostgreSQL store needs the driver psycopg",
                where=self.where,
                remedy="Install it with: pip install 'pendtui[postgres]'",
            ) from None
        self._driver = psycopg
        self._db = self._connected(None)

    def close(self) -> None:
        """Let go of the connection."""
        self._db.close()

    def run(self, statement: str, *values: object) -> int:
        """Carry out a statement; how many rows it has written."""
        return self._execute(statement, values).rowcount

    def run_each(self, statement: str, rows: Iterable[Row]) -> None:
        """Carry out a statement once for each row of values."""
        db = self._ready()
        try:
            with db.cursor() as cursor:
                cursor.executemany(self._worded(statement), rows)
        except self._driver.Error as fault:
            raise self._in_plain_words(fault) from fault

    def row(self, statement: str, *values: object) -> Row | None:
        """The first row that a query finds."""
        cursor = self._execute(statement, values)
        return cursor.fetchone()

    def rows(self, statement: str, *values: object) -> list[Row]:
        """All rows that a query finds."""
        return self._execute(statement, values).fetchall()

    def stream(self, statement: str, *values: object) -> Iterator[Row]:
        """All rows that a query finds, from the server in portions."""
        self._streams += 1
        try:
            with self._db.cursor(f"stream_{self._streams}") as cursor:
                cursor.itersize = _STREAMED
                cursor.execute(self._worded(statement), values or None)
                yield from cursor
        except self._driver.Error as fault:
            raise self._in_plain_words(fault) from fault

    @contextmanager
    def reading(self) -> Iterator[None]:
        """One look at the store: every query inside sees the same state."""
        self.run("BEGIN ISOLATION LEVEL REPEATABLE READ READ WRITE")
        self._inside = True
        try:
            yield
        finally:
            self._roll_back()

    @contextmanager
    def writing(self, what: str = "decision", patience: float | None = None) -> Iterator[None]:
        """One transaction, alone among those that write the same; everybody who listens is told of it."""
        self.run("BEGIN")
        self._inside = True
        try:
            if patience is not None:
                self.run("SELECT set_config('lock_timeout', ?, true)", f"{round(patience * 1000)}")
            self._patience = self.timeout if patience is None else patience
            self.run("SELECT pg_advisory_xact_lock(?, ?)", APPLICATION_ID, self._lock(what))
            yield
            self.run("SELECT pg_notify(?, '')", self._channel)
        except BaseException:
            self._roll_back()
            raise
        self._commit()

    def _commit(self) -> None:
        try:
            self.run("COMMIT")
            self._inside = False
        except JournalError as fault:
            self._inside = False
            if self._db.closed:
                raise UnknownOutcomeError(
                    "the connection to the store was lost while the change was being saved",
                    where=self.where,
                    remedy="It may or may not have been saved. Look at the claim again once the store answers",
                ) from fault
            self._roll_back()
            raise

    def _roll_back(self) -> None:
        self._inside = False
        if self._db.closed:
            return
        try:
            self._db.execute("ROLLBACK")
        except self._driver.Error:
            self._db.close()

    def now(self) -> int:
        """Microseconds since 1970, UTC, by the server's clock."""
        row = self.row("SELECT (extract(epoch FROM clock_timestamp()) * 1000000)::bigint")
        return int(row[0]) if row else 0

    def data_version(self) -> int:
        """A number that changes when another connection has written, or when this one had to be made again."""
        if self._db.closed:
            self._reconnect_quickly()
        connection = self._db.pgconn
        try:
            connection.consume_input()
            while notice := connection.notifies():
                self._heard(notice.be_pid, self._db)
        except self._driver.Error as fault:
            raise self._in_plain_words(fault) from fault
        return self._written

    def faults(self) -> Iterator[Fault]:
        """What is wrong with the tables and the guards."""
        from pendtui.desk.journal.postgres_guards import guard_faults

        return guard_faults(self)

    # Statements

    def _execute(self, statement: str, values: Row) -> "psycopg.Cursor[Any]":
        db = self._ready()
        try:
            return db.execute(self._worded(statement), values or None)
        except self._driver.Error as fault:
            said = self._in_plain_words(fault)
            if self._inside or not db.closed:
                raise said from fault
        # The line was cut while nothing was under way, as by a server that was started anew: a look or the begin
        # of a transaction is simply tried once more.
        try:
            return self._ready().execute(self._worded(statement), values or None)
        except self._driver.Error as fault:
            raise self._in_plain_words(fault) from fault

    def _worded(self, statement: str) -> Any:  # the driver wants literal text, against injection; ours is constant
        try:
            return self._statements[statement]
        except KeyError:
            worded = self._statements[statement] = statement.replace("?", "%s")
            return worded

    def _lock(self, what: str) -> int:
        number = zlib.crc32(f"{self._address.schema} {what}".encode())
        return number - (1 << 32) if number >= 1 << 31 else number

    @property
    def _channel(self) -> str:
        return f"pendtui {self._address.schema}"

    # The connection

    def _ready(self) -> "psycopg.Connection[Any]":
        if get_ident() != self._thread:
            raise RuntimeError("a journal is used from the thread that opened it")
        if self._db.closed:
            if self._inside:  # what the transaction has done so far is gone with its connection
                raise self._lost()
            self._db = self._connected(None)
            self._written += 1  # whatever was written meanwhile went unheard
        return self._db

    def _reconnect_quickly(self) -> None:
        if self._down is not None and time.monotonic() < self._down[0]:
            raise self._down[1]
        started = time.monotonic()
        try:
            self._db = self._connected(QUICK_CONNECT)
        except JournalError as fault:
            # A server that does not answer at all must not keep the screen from answering.
            now = time.monotonic()
            self._down = now + max(QUICK_CONNECT, REST * (now - started)), fault
            raise
        self._down = None
        self._written += 1

    def _connected(self, seconds: int | None) -> "psycopg.Connection[Any]":
        """A new connection with everything set as the journal needs it."""
        try:
            db: psycopg.Connection[Any] = self._driver.connect(
                self._address.with_defaults(seconds or max(2, int(self.timeout))), autocommit=True
            )
        except self._driver.Error as fault:
            raise JournalError(
                f"the store cannot be reached: {self._address.scrubbed(str(fault))}",
                where=self.where,
                remedy="Check the address under [store] url, and that the server is up and lets you in",
            ) from None
        try:
            self._set_up(db)
        except self._driver.Error as fault:
            db.close()
            raise self._in_plain_words(fault) from fault
        except BaseException:
            db.close()
            raise
        return db

    def _set_up(self, db: "psycopg.Connection[Any]") -> None:
        db.add_notify_handler(lambda notice: self._heard(notice.pid, db))
        settings = {
            "search_path": f'"{self._address.schema}", pg_temp',
            "lock_timeout": f"{round(self.timeout * 1000)}",
            # A program that was cut off in the middle must not keep everybody else from writing for long.
            "idle_in_transaction_session_timeout": "60000",
            "tcp_keepalives_idle": "30",
            "tcp_keepalives_interval": "10",
            "tcp_keepalives_count": "3",
            "default_transaction_read_only": "on" if self._read_only else "off",
        }
        for name, value in settings.items():
            db.execute("SELECT set_config(%s, %s, false)", (name, value))
        ours = "SELECT current_setting('server_encoding'), current_setting('synchronous_commit')"
        found = db.execute(ours).fetchone()
        encoding, commits = found or ("", "")
        if encoding != "UTF8":
            raise JournalError(
                f"the database holds text as {encoding}", where=self.where, remedy="Use one with the encoding UTF8"
            )
        if commits != "remote_apply":
            db.execute("SET synchronous_commit TO on")
        self.version = self._recognised(db)
        if self._read_only and not self.version:
            raise NoJournalError(
                "there is no journal here yet", where=self.where, remedy="The first decision creates it"
            )
        if not self._read_only:
            if self.version < VERSION:
                self._migrate(db)
            db.execute(f'LISTEN "{self._channel}"'.encode())

    def _heard(self, pid: int, db: "psycopg.Connection[Any]") -> None:
        if pid != db.pgconn.backend_pid:  # what this connection wrote is no news
            self._written += 1

    # The schema

    def _recognised(self, db: "psycopg.Connection[Any]") -> int:
        schema = self._address.schema
        names = db.execute(
            "SELECT c.relname FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace"
            " WHERE n.nspname = %s AND c.relname = ANY(%s)",
            (schema, ["journal_schema", *TABLES]),
        ).fetchall()
        if not names:
            return 0
        if ("journal_schema",) not in names:
            raise JournalError(
                f"the schema {schema} holds tables of something else",
                where=self.where,
                remedy="Name another schema in the address: ?schema=NAME",
            )
        row = db.execute("SELECT max(version) FROM journal_schema").fetchone()
        version = int(row[0] or 0) if row else 0
        if version > VERSION:
            raise newer_schema(version, VERSION, self.where)
        return version

    def _migrate(self, db: "psycopg.Connection[Any]") -> None:
        schema = self._address.schema
        with db.transaction():
            db.execute("SELECT pg_advisory_xact_lock(%s, %s)", (APPLICATION_ID, self._lock("schema")))
            self.version = self._recognised(db)
            if self.version >= VERSION:
                return
            if db.execute("SELECT 1 FROM pg_namespace WHERE nspname = %s", (schema,)).fetchone() is None:
                db.execute(f'CREATE SCHEMA "{schema}"'.encode())
            if not self.version:
                db.execute("CREATE TABLE journal_schema (version integer PRIMARY KEY, at timestamptz NOT NULL)")
            for statements in MIGRATIONS[self.version :]:
                for statement in statements:
                    db.execute(statement.encode())
            db.execute("INSERT INTO journal_schema (version, at) VALUES (%s, now())", (VERSION,))
        self.version = VERSION

    # Failures

    def _lost(self) -> JournalError:
        return JournalError("the connection to the store was lost", where=self.where, remedy=_AGAIN)

    def _in_plain_words(self, fault: "psycopg.Error") -> JournalError:
        code = fault.sqlstate or ""
        said = self._address.scrubbed(fault.diag.message_primary or str(fault))
        if code.startswith("57P") or code in ("25P03", "25P04"):
            self._db.close()  # the server is about to close it
        if hasattr(self, "_db") and self._db.closed:
            return self._lost()
        if code == "53100" or (code == "XX000" and said.startswith(("could not extend", "could not write"))):
            what, remedy = "the server's disk is full", "Nothing was saved. Free some space there, then try again"
        elif code == "58030":
            what = "the server's disk did not take or give the data (failing)"
            remedy = "Nothing was saved. Check that disk, then try again"
        elif code == "55P03":
            what = f"another program has kept the journal locked for {self._patience:g} s"
            remedy = "Nothing was saved. Try again in a moment"
        elif code == "25006":
            what, remedy = "the journal may be read but not written", "Nothing was saved"
        elif code == "42501":
            what = f"access was refused: {said}"
            remedy = "Nothing was saved. Ask for the right, or name another store"
        elif code in ("40001", "40P01", "57014"):
            what, remedy = f"another program was in the way: {said}", "Nothing was saved. Try again in a moment"
        elif code.startswith("XX"):
            what = f"the store is damaged: {said}"
            remedy = "Nothing was saved. Keep it as it is, and restore a backup"
        else:
            what, remedy = f"the journal refused: {said}", "Nothing was saved"
        return JournalError(what, where=self.where, remedy=remedy)
