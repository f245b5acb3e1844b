"""The journal itself: opened, asked, written to, verified, closed."""

from pathlib import Path
from types import TracebackType
from typing import Self

from pendtui.desk.journal.database import open_database
from pendtui.desk.journal.deciding import Deciding
from pendtui.desk.journal.rows import Fault, Head
from pendtui.desk.journal.sharing import Sharing

TIMEOUT = 10.0
"""Seconds that a write waits for another program's write."""


class Journal(Deciding, Sharing):
    """An open journal. Use it from the thread that opened it; each thread and each process opens its own."""

    @classmethod
    def open(cls, where: Path | str, *, timeout: float = TIMEOUT, read_only: bool = False) -> Self:
        """Open a journal: a file, or with postgresql://user@host/database?schema=name a PostgreSQL store.

        It is created, and its schema brought up to date, unless it is only to be read. `timeout` in seconds.
        Raises JournalError: no access, not a journal, a newer schema, locked for longer than the timeout.
        """
        return cls(open_database(where, timeout=timeout, read_only=read_only))

    def close(self) -> None:
        """Let go of the store."""
        self._db.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, fault: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def verify(self, sealed: Head | None = None) -> tuple[Fault, ...]:
        """Everything wrong with the journal, by row: changed, removed, inserted or reordered ones.

        What the journal alone does not show is that it was written anew or put back to an earlier copy, or had
        its tail cut off with all traces: that takes a head that was kept elsewhere, given as `sealed`.
        """
        from pendtui.desk.journal.verify import faults_of

        return faults_of(self._db, sealed)
