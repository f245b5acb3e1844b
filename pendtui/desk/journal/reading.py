"""Decisions out of the journal, and how each claim stands after all of them."""

import os
from collections.abc import Iterator
from datetime import datetime
from sys import intern
from typing import Any

from pendtui import __version__
from pendtui.desk.journal.claims import ClaimState
from pendtui.desk.journal.database import Database
from pendtui.desk.journal.projection import STATE_COLUMNS
from pendtui.desk.journal.rows import (
    COLUMNS,
    NO_ROW_BEFORE,
    SELECT,
    Action,
    Entry,
    Head,
    Standing,
    Status,
    storable,
    unreadable,
)

_CHUNK = 1000
_CLAIMS_CHUNK = 5000
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
_STATUSES = {str(status): status for status in Status}
_OF_CLAIM = "WHERE queue = ? AND record_id = ?"
_DECIDES = "action IN ('accept', 'change', 'park', 'undo', 'confirm')"
_NOT_UNDONE = (
    "action IN ('accept', 'change', 'park', 'confirm')"
    " AND NOT EXISTS (SELECT 1 FROM decision u WHERE u.undoes = decision.seq)"
)


class Reading:
    """What can be asked of an open journal."""

    def __init__(self, db: Database) -> None:
        self.path = db.path
        """The journal's file; None where the journal is not one."""
        self.where = db.where
        """How messages name the journal: its file, or its address without the password."""
        self._db = db
        self._host = os.uname().nodename
        self._program = f"pendtui {__version__}"
        self._seen = db.data_version()

    def history(self, queue: str, record_id: str) -> tuple[Entry, ...]:
        """Every row of a claim, oldest first, undone ones and undos included."""
        return self._rows(f"{_OF_CLAIM} ORDER BY seq", storable(queue), storable(record_id))

    def standing(self, queue: str, record_id: str) -> Standing | None:
        """How a claim stands; None when it is open."""
        claim = storable(queue), storable(record_id)
        found = self._db.row(f"SELECT status, decision_seq FROM claim {_OF_CLAIM}", *claim)
        entry = self._one("WHERE seq = ?", found[1]) if found and found[0] else None
        return Standing(_STATUSES[found[0]], entry) if found and entry else None

    def standings(self, queue: str) -> dict[str, Standing]:
        """How every claim of a queue stands, by record id. Open claims are not in it."""
        of_queue = storable(queue)
        states = self._db.rows("SELECT decision_seq, status FROM claim WHERE queue = ? AND status <> ''", of_queue)
        statuses = {seq: _STATUSES[status] for seq, status in states}
        found = self._rows(
            "WHERE seq IN (SELECT decision_seq FROM claim WHERE queue = ? AND status <> '')", of_queue
        )
        return {entry.record_id: Standing(statuses[entry.seq], entry) for entry in found if entry.seq in statuses}

    def claims(self, queue: str, since: int = 0) -> Iterator[ClaimState]:
        """Where each claim of a queue stands that has a row after `since`, in the order of their last rows.

        Ask next time with the `last_seq` of the last one. No lock is held between two of them, and a claim
        that gets another row meanwhile comes once more.
        """
        of_queue = storable(queue)
        query = f"SELECT {STATE_COLUMNS} FROM claim WHERE queue = ? AND last_seq > ? ORDER BY last_seq LIMIT ?"
        while chunk := self._db.rows(query, of_queue, since, _CLAIMS_CHUNK):
            yield from map(ClaimState._make, chunk)
            since = chunk[-1][1]

    def claim(self, queue: str, record_id: str) -> ClaimState:
        """Where one claim stands; the state of a claim without rows when there are none."""
        found = self._db.row(f"SELECT {STATE_COLUMNS} FROM claim {_OF_CLAIM}", storable(queue), storable(record_id))
        return ClaimState._make(found) if found else ClaimState(record_id, 0)

    def entry(self, seq: int) -> Entry | None:
        """The row at a position; None when there is none."""
        return self._one("WHERE seq = ?", seq)

    def last_by(self, queue: str, who: str) -> Entry | None:
        """The last decision of an examiner (by operating system user) in a queue that was not taken back.

        A second look is one of them.
        """
        last = f"WHERE queue = ? AND who = ? AND {_NOT_UNDONE} ORDER BY seq DESC LIMIT 1"
        return self._one(last, storable(queue), storable(who))

    def entries(self, queue: str | None = None, since: int | None = None) -> Iterator[Entry]:
        """Rows in order, of one queue or of all, after row `since`. No lock is held between two of them."""
        seq = since or 0
        only, values = ("", ()) if queue is None else ("AND queue = ?", (storable(queue),))
        while chunk := self._rows(f"WHERE seq > ? {only} ORDER BY seq LIMIT {_CHUNK}", seq, *values):
            yield from chunk
            seq = chunk[-1].seq

    def newest(self, queue: str | None = None, before: int | None = None) -> Iterator[Entry]:
        """Rows from the last one backwards, of one queue or of all, before row `before`."""
        seq = before if before is not None else self.head().rows + 1
        only, values = ("", ()) if queue is None else ("AND queue = ?", (storable(queue),))
        while chunk := self._rows(f"WHERE seq < ? {only} ORDER BY seq DESC LIMIT {_CHUNK}", seq, *values):
            yield from chunk
            seq = chunk[-1].seq

    def changed(self) -> bool:
        """Whether another program or Journal has written since the last call (at first: since opening).

        Cheap enough to ask several times a second; never waits. What was written may be a row, a lease or a
        filter. Raises JournalError once the connection is lost, until it is there again.
        """
        version = self._db.data_version()
        changed, self._seen = version != self._seen, version
        return changed

    def data_version(self) -> int:
        """A number that changes when another program or Journal has written. Cheap enough to poll."""
        return self._db.data_version()

    def head(self) -> Head:
        """How many rows there are, and the hash of the last."""
        return self._head()

    def _head(self) -> Head:
        last = self._db.row("SELECT seq, hash FROM decision ORDER BY seq DESC LIMIT 1")
        return Head(*last) if last else Head(0, NO_ROW_BEFORE)

    def _last_row(self, queue: str, record_id: str) -> Entry | None:
        return self._one(f"{_OF_CLAIM} ORDER BY seq DESC LIMIT 1", queue, record_id)

    def _last_decision(self, queue: str, record_id: str) -> Entry | None:
        return self._one(f"{_OF_CLAIM} AND {_DECIDES} ORDER BY seq DESC LIMIT 1", queue, record_id)

    def _standing_row(self, queue: str, record_id: str) -> Entry | None:
        return self._one(f"{_OF_CLAIM} AND {_NOT_UNDONE} ORDER BY seq DESC LIMIT 1", queue, record_id)

    def _one(self, where: str, *values: object) -> Entry | None:
        row = self._db.row(f"{SELECT} {where}", *values)
        return entry_of(row) if row else None

    def _rows(self, where: str, *values: object) -> tuple[Entry, ...]:
        return tuple(entry_of(row) for row in self._db.rows(f"{SELECT} {where}", *values))


def entry_of(row: tuple[Any, ...]) -> Entry:
    """A row of the table as a value. Raises JournalError for one that no journal has written."""
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
    return Entry._make(values)
