"""Asking the queue index: which records, in what order, and how each line of the queue reads."""

import sqlite3
from array import array
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import date
from typing import Any

from pendtui.engines.policy import AS_OF_REGISTER, Policy
from pendtui.engines.vocabulary import ClockState


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
    unsure: str
    """Why a call to a model may be worth its price; empty where the offline reader is sure."""
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
    "unsure": "unsure != ''",
    "stale": "s.id IS NOT NULL AND (s.record_sha256 != sha256 OR s.policy_sha256 != :policy)",
}
_INDEXED = (
    "rid",
    "id",
    "sha256",
    "title",
    "claim_id",
    "line_of_business",
    "received_on",
    "evidence",
    "fault",
    "cause",
    "unsure",
    "resolution",
    "rule",
    "clock_rule",
)
"""The fields of a row that stand in the index as they are."""

_COLUMNS = (
    ", ".join(f"record.{name}" for name in _INDEXED)
    + ", {days} AS days_left, s.status, s.who,"
    + " s.id IS NOT NULL AND (s.record_sha256 != record.sha256 OR s.policy_sha256 != :policy)"
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


def unknown_clock_rank(policy: Policy) -> float:
    """Where a clock that nobody can read is listed: it may be urgent, so right after those known to be."""
    return policy.clock.escalate_within_days + 0.5


class Listing:
    """The records of an index as lists. What the journal says of them is kept beside, for this connection only."""

    def __init__(self, db: sqlite3.Connection, policy: Policy) -> None:
        self._db = db
        self._policy = policy
        self._unknown_rank = unknown_clock_rank(policy)
        db.execute(
            "CREATE TEMP TABLE status (id TEXT PRIMARY KEY, status TEXT NOT NULL, who TEXT NOT NULL,"
            " record_sha256 TEXT NOT NULL, policy_sha256 TEXT NOT NULL) WITHOUT ROWID"
        )

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
        rank = f"COALESCE({days}, {self._unknown_rank})"
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

    def starting_with(self, start: str, limit: int, as_of: str | date) -> list[QueueRow]:
        """The rows whose record id begins so, in order of their ids; at most `limit`."""
        last = start + "\U0010ffff"
        found = self._db.execute(
            "SELECT rid FROM record WHERE id >= ? AND id < ? ORDER BY id LIMIT ?", (start, last, limit)
        )
        return self.rows([rid for (rid,) in found], as_of)

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

    def _row(self, values: tuple[Any, ...]) -> QueueRow:
        indexed, (left, status, who, stale) = values[: len(_INDEXED)], values[len(_INDEXED) :]
        fault = indexed[8]
        return QueueRow(
            **dict(zip(_INDEXED, indexed, strict=True)),
            days_left=left,
            state=self._state(left),
            status=status or ("faulty" if fault else "open"),
            who=who or "",
            stale=bool(stale),
        )

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
