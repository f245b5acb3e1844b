"""The journal itself: decisions in, decisions out, and how each claim stands after all of them."""

import os
import sqlite3
from collections.abc import Iterator
from dataclasses import replace
from datetime import datetime
from pathlib import Path
from sys import intern
from types import TracebackType
from typing import Any, Self

from pendtui import __version__
from pendtui.desk.journal.rows import (
    COLUMNS,
    NO_ROW_BEFORE,
    STATUS_AFTER,
    Action,
    ConflictError,
    Entry,
    Fault,
    Head,
    NewEntry,
    Standing,
    answers_json,
    instant_text,
    row_hash,
    storable,
    unreadable,
)
from pendtui.desk.journal.schema import SELECT, connect, plain_faults, transaction
from pendtui.desk.journal.verify import faults_of

TIMEOUT = 10.0
"""Seconds that a write waits for another program's write."""

_CHUNK = 1000
_AT, _ACTION, _PROPOSED, _DECIDED = (COLUMNS.index(name) for name in ("at", "action", "proposed", "decided"))
_REPEATED = tuple(
    COLUMNS.index(name)
    for name in (
        "who",
        "display_name",
        "host",
        "program",
        "queue",
        "policy_id",
        "policy_sha256",
        "reader",
        "note",
    )
)
_ACTIONS = {str(action): action for action in Action}
_INSERT = f"INSERT INTO decision ({', '.join(COLUMNS)}) VALUES ({', '.join('?' * len(COLUMNS))})"
_NOT_UNDONE = "action <> 'undo' AND NOT EXISTS (SELECT 1 FROM decision u WHERE u.undoes = decision.seq)"


class Journal:
    """An open journal. Use it from the thread that opened it; each thread and each process opens its own.

    Every write is one transaction that is on disk when the call returns. Where a call raises, nothing was
    saved and the journal can be used again.
    """

    def __init__(self, db: sqlite3.Connection, path: Path, timeout: float) -> None:
        self.path = path
        self._db = db
        self._timeout = timeout
        self._host = os.uname().nodename
        self._program = f"pendtui {__version__}"

    @classmethod
    def open(cls, path: Path, *, timeout: float = TIMEOUT, read_only: bool = False) -> Self:
        """Open a journal, creating file and folder unless it is only to be read. `timeout` in seconds.

        Raises JournalError: no access, not a journal, a newer schema, locked for longer than the timeout.
        """
        return cls(connect(path, timeout, read_only), path, timeout)

    def close(self) -> None:
        """Let go of the file."""
        self._db.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, fault: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    # Writing

    def append(self, entry: NewEntry, *, expected_last: int | None) -> Entry:
        """Save a decision, if the claim's last row is still the one the examiner saw (None: no row yet).

        Raises ConflictError with the claim's last row when it is not, GateError for a release answer other than
        EXAMINER-APPLIES, JournalError when the file could not be written.
        """
        if entry.action not in STATUS_AFTER:
            raise ValueError(f"'{entry.action}' is not accept, change or park")
        where = storable(entry.record_id)
        proposed, decided = answers_json(entry.proposed, where), answers_json(entry.decided, where)
        unsaved = Entry(
            seq=0,
            at=entry.at,
            who=storable(entry.who),
            display_name=storable(entry.display_name),
            host=storable(self._host),
            program=self._program,
            queue=storable(entry.queue),
            record_id=where,
            record_sha256=entry.record_sha256,
            policy_id=storable(entry.policy_id),
            policy_sha256=entry.policy_sha256,
            action=Action(entry.action),
            reader=storable(entry.reader),
            proposed_json=proposed,
            decided_json=decided,
            note=storable(entry.note),
            undoes=None,
            previous_hash="",
            hash="",
        )
        with plain_faults(self.path, self._timeout), transaction(self._db):
            last = self._last_row(unsaved.queue, where)
            if (last.seq if last else None) != expected_last:
                raise ConflictError(last, where=where)
            return self._insert(unsaved)

    def undo(self, entry: Entry, *, who: str, at: datetime, display_name: str = "", note: str = "") -> Entry:
        """Take a decision back with a new row, so that the claim stands as it did before it.

        Raises ConflictError with the claim's last row when that decision is no longer the one that stands,
        JournalError when the file could not be written. Whose decision it may be is for the caller to say
        (see `last_by`).
        """
        if entry.action is Action.UNDO:
            raise ValueError("an undo is not undone; decide the claim anew")
        unsaved = replace(
            entry,
            at=at,
            who=storable(who),
            display_name=storable(display_name),
            host=storable(self._host),
            program=self._program,
            action=Action.UNDO,
            note=storable(note),
            undoes=entry.seq,
        )
        with plain_faults(self.path, self._timeout), transaction(self._db):
            standing = self._standing_row(entry.queue, entry.record_id)
            if standing != entry:
                raise ConflictError(self._last_row(entry.queue, entry.record_id), where=entry.record_id)
            return self._insert(unsaved)

    def _insert(self, unsaved: Entry) -> Entry:
        head = self._head()
        values = (
            head.rows + 1,
            instant_text(unsaved.at),
            unsaved.who,
            unsaved.display_name,
            unsaved.host,
            unsaved.program,
            unsaved.queue,
            unsaved.record_id,
            unsaved.record_sha256,
            unsaved.policy_id,
            unsaved.policy_sha256,
            str(unsaved.action),
            unsaved.reader,
            unsaved.proposed_json,
            unsaved.decided_json,
            unsaved.note,
            unsaved.undoes,
            head.hash,
        )
        saved = (*values, row_hash(values))
        self._db.execute(_INSERT, saved)
        return _entry(saved)

    # Reading

    def history(self, queue: str, record_id: str) -> tuple[Entry, ...]:
        """Every row of a claim, oldest first, undone ones and undos included."""
        claim = (storable(queue), storable(record_id))
        return self._rows("WHERE queue = ? AND record_id = ? ORDER BY seq", *claim)

    def standing(self, queue: str, record_id: str) -> Standing | None:
        """How a claim stands; None when it is open."""
        with plain_faults(self.path, self._timeout):
            entry = self._standing_row(storable(queue), storable(record_id))
        return Standing(STATUS_AFTER[entry.action], entry) if entry else None

    def standings(self, queue: str) -> dict[str, Standing]:
        """How every claim of a queue stands, by record id. Open claims are not in it."""
        last = f"SELECT max(seq) FROM decision WHERE queue = ? AND {_NOT_UNDONE} GROUP BY record_id"
        found = self._rows(f"WHERE seq IN ({last})", storable(queue))
        return {entry.record_id: Standing(STATUS_AFTER[entry.action], entry) for entry in found}

    def last_by(self, queue: str, who: str) -> Entry | None:
        """The last decision of an examiner (by operating system user) in a queue that was not taken back."""
        last = f"WHERE queue = ? AND who = ? AND {_NOT_UNDONE} ORDER BY seq DESC LIMIT 1"
        with plain_faults(self.path, self._timeout):
            return self._one(last, storable(queue), storable(who))

    def entries(self, queue: str | None = None, since: int | None = None) -> Iterator[Entry]:
        """Rows in order, of one queue or of all, after row `since`. No lock is held between two of them."""
        seq = since or 0
        only, values = ("", ()) if queue is None else ("AND queue = ?", (storable(queue),))
        while chunk := self._rows(f"WHERE seq > ? {only} ORDER BY seq LIMIT {_CHUNK}", seq, *values):
            yield from chunk
            seq = chunk[-1].seq

    def data_version(self) -> int:
        """A number that changes when another program or Journal has written. Cheap enough to poll."""
        with plain_faults(self.path, self._timeout):
            return int(self._db.execute("PRAGMA data_version").fetchone()[0])

    def head(self) -> Head:
        """How many rows there are, and the hash of the last."""
        with plain_faults(self.path, self._timeout):
            return self._head()

    def verify(self) -> tuple[Fault, ...]:
        """Everything wrong with the journal, by row: changed, removed, inserted or reordered ones.

        What it cannot see is a whole journal written anew, or one put back to an earlier copy.
        """
        with plain_faults(self.path, self._timeout):
            return faults_of(self._db)

    def _head(self) -> Head:
        last = self._db.execute("SELECT seq, hash FROM decision ORDER BY seq DESC LIMIT 1").fetchone()
        return Head(*last) if last else Head(0, NO_ROW_BEFORE)

    def _last_row(self, queue: str, record_id: str) -> Entry | None:
        return self._one("WHERE queue = ? AND record_id = ? ORDER BY seq DESC LIMIT 1", queue, record_id)

    def _standing_row(self, queue: str, record_id: str) -> Entry | None:
        return self._one(
            f"WHERE queue = ? AND record_id = ? AND {_NOT_UNDONE} ORDER BY seq DESC LIMIT 1", queue, record_id
        )

    def _one(self, where: str, *values: object) -> Entry | None:
        row = self._db.execute(f"{SELECT} {where}", values).fetchone()
        return _entry(row) if row else None

    def _rows(self, where: str, *values: object) -> tuple[Entry, ...]:
        with plain_faults(self.path, self._timeout):
            return tuple(_entry(row) for row in self._db.execute(f"{SELECT} {where}", values))


def _entry(row: tuple[Any, ...]) -> Entry:
    values = list(row)
    try:
        values[_AT] = datetime.fromisoformat(values[_AT])
        values[_ACTION] = _ACTIONS[values[_ACTION]]
        # Tens of thousands of rows say the same in these columns: one copy in memory serves them all.
        for at in _REPEATED:
            values[at] = intern(values[at])
    except (TypeError, ValueError, KeyError):
        raise unreadable(row[0]) from None
    if values[_DECIDED] == values[_PROPOSED]:
        values[_DECIDED] = values[_PROPOSED]
    return Entry(*values)
