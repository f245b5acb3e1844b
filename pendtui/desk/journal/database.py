"""The one thing that differs between the stores: SQLite in a file for one host, PostgreSQL for many.

Statements are written once, for both, with `?` for each value. What only one of them says otherwise (the schema,
locks, guards, the words of a failure) is in that one's own module.
"""

from collections.abc import Iterable, Iterator
from contextlib import AbstractContextManager
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from pendtui.errors import JournalError

if TYPE_CHECKING:
    from pendtui.desk.journal.rows import Fault

Row = tuple[Any, ...]

APPLICATION_ID = 0x70656E64
"""What marks a database as a journal ("pend")."""

URL_STARTS = ("postgresql://", "postgres://")
"""How the address of a PostgreSQL store begins. Anything else is the path of a file."""


class Database(Protocol):
    """An open store. Every method raises JournalError when the store fails; its message holds no password."""

    where: str
    """How messages name the store: the file's path, or the address without its password."""
    path: Path | None
    """The file; None for a store that is none."""
    version: int
    """The schema version that the store has."""
    timeout: float
    """Seconds that a write waits for another program's write."""

    def run(self, statement: str, *values: object) -> int:
        """Carry out a statement; how many rows it has written."""
        ...

    def run_each(self, statement: str, rows: Iterable[Row]) -> None:
        """Carry out a statement once for each row of values."""
        ...

    def row(self, statement: str, *values: object) -> Row | None:
        """The first row that a query finds."""
        ...

    def rows(self, statement: str, *values: object) -> list[Row]:
        """All rows that a query finds."""
        ...

    def stream(self, statement: str, *values: object) -> Iterator[Row]:
        """The same one after the other, for any number of them; only inside `reading` or `writing`."""
        ...

    def reading(self) -> AbstractContextManager[None]:
        """One look at the store: every query inside sees the same state."""
        ...

    def writing(self, what: str = "decision", patience: float | None = None) -> AbstractContextManager[None]:
        """One transaction: all of it is on disk at the end, or none of it.

        Two that write the same (decision or lease) wait for each other: for `patience` seconds, or `timeout`.
        Raises UnknownOutcomeError where the connection was lost at the very end.
        """
        ...

    def now(self) -> int:
        """The clock that leases go by: microseconds since 1970, UTC."""
        ...

    def data_version(self) -> int:
        """A number that changes when another connection has written. Never waits."""
        ...

    def faults(self) -> "Iterator[Fault]":
        """What is wrong with the store's structure and guards; inside `reading`."""
        ...

    def close(self) -> None:
        """Let go of the store."""
        ...


def newer_schema(found: int, known: int, where: str) -> JournalError:
    """What to say of a journal that this program is too old for."""
    return JournalError(
        f"was written by a newer pendtui (schema {found}; this program knows up to {known})",
        where=where,
        remedy="Use that version or a newer one",
    )


def open_database(where: Path | str, *, timeout: float, read_only: bool) -> Database:
    """Open a store by path or address, creating it or bringing its schema up to date where it has to.

    Raises JournalError: no access, not a journal, a newer schema, locked for longer than `timeout` seconds.
    """
    if isinstance(where, str) and where.startswith(URL_STARTS):
        from pendtui.desk.journal.postgres_database import PostgresDatabase

        return PostgresDatabase(where, timeout, read_only)
    from pendtui.desk.journal.sqlite_database import SqliteDatabase

    return SqliteDatabase(Path(where), timeout, read_only)
