"""Asking the queue index: which records, in what order, and how each line of the queue reads."""

from __future__ import annotations

import json
import sqlite3
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from datetime import date, datetime
from typing import TYPE_CHECKING, Any, NamedTuple

from pendtui.desk.index_file import CHECKED_COLUMNS, NO_VALUE, DamagedError, checksum, stretches
from pendtui.desk.journal.claims import ClaimState, Lease, Waiting
from pendtui.desk.journal.rows import Status, instant_text
from pendtui.desk.order import ClockOrder, row_numbers
from pendtui.desk.overview import DECIDED, Overview, read_overview
from pendtui.desk.query import DUE, OPEN, STALE, Setting, condition
from pendtui.engines.policy import Policy
from pendtui.engines.vocabulary import ClockState, Resolution

if TYPE_CHECKING:
    from pendtui.engines.population import PendedClaims


class QueueRow(NamedTuple):
    """One line of the queue as indexed, and how the desk stands with it."""

    rid: int
    id: str
    sha256: str
    title: str
    claim_id: str
    line_of_business: str
    queue_name: str
    """The queue that the record names."""
    claim_type: str
    """As the record prints it."""
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
    answered: bool
    """Whether the reader was asked about it: in a large queue it is listed before."""
    days_left: int | None
    state: ClockState | None
    status: str
    """open, accepted, changed, parked, second look or faulty."""
    decided: str
    """The resolution that was decided."""
    who: str
    """The operating system's user who decided."""
    by: str
    """That examiner's name as shown."""
    assignee: str
    """Whose the claim is: an operating system's user, or a specialist queue."""
    waiting: str
    """One of Waiting."""
    asked: str
    """Who was asked for something."""
    due_on: str
    """The day by which an answer is expected."""
    in_use_by: str
    """Who has the claim open in another program now."""
    stale: bool
    """The record or the policy has changed since it was decided."""


FINAL = tuple(word for word in Resolution if word not in (Resolution.PEND_EXTERNAL, Resolution.ROUTE_SPECIALIST))
"""The resolutions that pay or deny; with the others a claim stays pended."""

SORTS = ("clock", "received", "record", "cause", "resolution", "status")
"""The orders the queue can be listed in."""

_ORDER_BY = {
    "received": "record.received_on, record.id",
    "record": "record.id",
    "cause": "record.cause, {rank}, record.id",
    "resolution": "record.resolution, {rank}, record.id",
    "status": "CASE WHEN record.fault != '' THEN 'faulty' ELSE COALESCE(c.status, '') END, {rank}, record.id",
}
_INDEXED = QueueRow._fields[: QueueRow._fields.index("days_left")]
"""The fields of a row that stand in the index as they are."""
_FAULT = _INDEXED.index("fault")
_OF_CLAIM = ("status", "resolution", "who", "by", "assignee", "waiting", "asked", "due_on")
_COLUMNS = ", ".join(
    (
        *(f"record.{name}" for name in _INDEXED),
        "{days}",
        *(f"COALESCE(c.{name}, '')" for name in _OF_CLAIM),
        "COALESCE(l.by, '')",
        STALE,
    )
)
_FROM = "FROM record LEFT JOIN claim c ON c.record_id = record.id"
_ROW_FROM = f"{_FROM} LEFT JOIN lease l ON l.record_id = record.id"
SECOND = f"(c.status = '{Status.SECOND_LOOK}' AND c.who != :who)"
"""The condition that a claim is in want of a second look, and this examiner may give it."""
BACK = f"(record.fault = '' AND (c.waiting = '{Waiting.ANSWERED}' OR {DUE}))"
"""The condition that a sound claim that waited is to be taken up again."""
_ON_TOP = f"""
SELECT record.rid, record.{{column}} FROM claim c CROSS JOIN record ON record.id = c.record_id
WHERE c.waiting != '' AND (c.waiting = '{Waiting.ANSWERED}' OR {DUE})
ORDER BY {{rank}}, record.id
"""
_CHECKED = f"SELECT checksum, {', '.join(CHECKED_COLUMNS)} FROM record WHERE rid IN"
_KEEP = (
    f"INSERT INTO claim VALUES ({', '.join('?' * len(ClaimState._fields))}) ON CONFLICT (record_id)"
    f" DO UPDATE SET {', '.join(f'{name} = excluded.{name}' for name in ClaimState._fields[1:])}"
    " WHERE excluded.last_seq >= claim.last_seq"
)


class Counts(NamedTuple):
    """How the queue stands: records in all, by clock state, and faulty ones. `no_clock` have no deadline known."""

    records: int
    breached: int
    escalate: int
    within: int
    no_clock: int
    faulty: int
    oldest_register: date | None
    newest_register: date | None


class Mark(NamedTuple):
    """Up to which row of the journal its claims are known here."""

    seq: int
    hash: str


class Listing:
    """The records of an index as lists.

    What the journal says of claims is kept in the index file, so that a start need not ask for all of it again.
    Leases live for this connection only.
    """

    def __init__(self, db: sqlite3.Connection, policy: Policy) -> None:
        self._db = db
        self._policy = policy
        self._window = policy.clock.escalate_within_days
        self._in_file = True
        self.unreadable = False
        """Whether a list could not be read: the file is damaged, and the lists that were taken are of no use."""
        db.execute("CREATE TEMP TABLE lease (record_id TEXT PRIMARY KEY, by TEXT NOT NULL) WITHOUT ROWID")

    # What the journal says

    def mark(self) -> Mark | None:
        """The journal row up to which `set_claims` and `add_claims` were told; None before any."""
        held = self._db.execute("SELECT value FROM meta WHERE key = 'journal'").fetchone()
        if held is None or not self._in_file:
            return None
        seq, _, hash_ = str(held[0]).partition(" ")
        return Mark(int(seq), hash_)

    def set_claims(self, claims: Iterable[ClaimState], mark: Mark | None = None) -> None:
        """Replace what the journal says of the claims, as it was after row `mark`."""
        self._keep(claims, mark, anew=True)

    def add_claims(self, claims: Iterable[ClaimState], mark: Mark | None = None) -> None:
        """Take over what the journal says of some claims. A newer state stays as it is."""
        self._keep(claims, mark, anew=False)

    def set_leases(self, leases: Iterable[Lease], own_token: str) -> None:
        """Replace who has which claim open; one's own do not count."""
        self._db.execute("DELETE FROM lease")
        self._db.executemany(
            "INSERT OR REPLACE INTO lease VALUES (?, ?)",
            [(lease.record_id, lease.by or lease.who) for lease in leases if lease.token != own_token],
        )

    def decided_between(self, start: datetime, end: datetime) -> int:
        """How many claims stand as accepted or changed since a decision taken from `start` up to before `end`."""
        (found,) = self._db.execute(
            "SELECT count(*) FROM claim"
            " WHERE status IN ('accepted', 'changed') AND decided_at >= ? AND decided_at < ?",
            (instant_text(start), instant_text(end)),
        ).fetchone()
        return int(found)

    def _keep(self, claims: Iterable[ClaimState], mark: Mark | None, *, anew: bool) -> None:
        rows = list(claims)
        try:
            self._write_claims(rows, mark, anew=anew)
        except sqlite3.OperationalError:
            # A cache that cannot be written (a full disk, a lock) must not hide a decision that is saved.
            if self._in_file:
                self._db.execute("CREATE TEMP TABLE claim AS SELECT * FROM main.claim")
                self._db.execute("CREATE UNIQUE INDEX temp.claim_by_record ON claim (record_id)")
                self._in_file = False
            self._write_claims(rows, mark, anew=anew)

    def _write_claims(self, rows: list[ClaimState], mark: Mark | None, *, anew: bool) -> None:
        self._db.execute("BEGIN IMMEDIATE" if self._in_file else "BEGIN")
        with self._db:
            if anew:
                self._db.execute("DELETE FROM claim")
            self._db.executemany(_KEEP, rows)
            if mark is not None and self._in_file:
                self._db.execute("INSERT OR REPLACE INTO meta VALUES ('journal', ?)", (f"{mark.seq} {mark.hash}",))

    # Lists

    def order(
        self,
        as_of: str | date,
        sort: str = "clock",
        search: str = "",
        *,
        today: date = date.min,
        me: Collection[str] = (),
    ) -> Sequence[int]:
        """The row numbers of the records that match, in order. Raises FilterError.

        By the clock, claims whose answer is in, or was expected by `today`, come before all others.
        """
        rank = self._rank(as_of)
        where, values = condition(search, self._setting(as_of, today, me))
        top: dict[int, int | None] = {}
        if sort == "clock":
            on_top = _ON_TOP.format(column=self._column(as_of), rank=rank)
            top = dict(self._db.execute(on_top, {"today": today.isoformat()}))
            if not where:
                return ClockOrder(self._db, self._column(as_of), self._groups(as_of), top, self._found_unreadable)
            return self._by_clock(as_of, where, values, top)
        by = _ORDER_BY[sort].format(rank=rank)
        found = self._db.execute(f"SELECT rid {_FROM} {'WHERE' if where else ''} {where} ORDER BY {by}", values)
        return row_numbers(rid for (rid,) in found)

    def _by_clock(
        self, as_of: str | date, where: str, values: Mapping[str, object], top: Collection[int]
    ) -> Sequence[int]:
        """The row numbers that match: those on top, then the others as the index of the clock has them.

        They are ticked off first and put in order then: SQLite's own sorting of a million takes 50 MB.
        """
        (last,) = self._db.execute("SELECT COALESCE(max(rid), 0) FROM record").fetchone()
        matching = bytearray(last + 1)
        for (rid,) in self._db.execute(f"SELECT rid {_FROM} WHERE ({where}) AND rid <= {last}", values):
            matching[rid] = True
        rids = row_numbers(rid for rid in top if rid <= last and matching[rid])
        for rid in rids:
            matching[rid] = False
        for part in self._parts(as_of):
            found = self._db.execute(
                f"SELECT rid FROM record WHERE {part} AND rid <= {last} ORDER BY {self._column(as_of)}, id"
            )
            rids.extend(rid for (rid,) in found if matching[rid])
        return rids

    def rows(self, rids: Sequence[int], as_of: str | date) -> list[QueueRow]:
        """The rows of these numbers, in the order asked for; a row that has gone is left out."""
        marks = ",".join("?" * len(rids))
        for written, *values in self._db.execute(f"{_CHECKED} ({marks})", tuple(rids)):
            if checksum(values) != written:
                raise DamagedError("a row of the index is not as it was written")
        sql = f"SELECT {_COLUMNS} {_ROW_FROM} WHERE rid IN ({marks})".format(days=self._days(as_of))
        sql = sql.replace(":policy", f"'{self._policy.sha256}'")
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

    def next_to_work(
        self,
        who: str,
        mine: Collection[str],
        as_of: str | date,
        skip: Collection[str] = (),
        today: date = date.min,
    ) -> QueueRow | None:
        """The claim with the fewest days left that is there to be worked by `who`; None when there is none.

        It is open (or its decision stale, or in want of another's second look, or the answer that it waited for is
        in or was due by `today`), not open in another program, assigned to nobody or to one of `mine`, and none of
        `skip`. One that waits for an answer that is not yet due is left alone.
        """
        values: dict[str, object] = {
            "who": who,
            "mine": json.dumps(["", *mine]),
            "policy": self._policy.sha256,
            "today": today.isoformat(),
        }
        values |= {f"s{n}": record_id for n, record_id in enumerate(skip)}
        skipped = f"AND record.id NOT IN ({', '.join(f':s{n}' for n in range(len(skip)))})" if skip else ""
        for part in self._parts(as_of):
            found = self._db.execute(
                f"SELECT rid {_FROM} WHERE {part} AND ({OPEN} OR {STALE} OR {SECOND} OR {BACK}) {skipped}"
                " AND COALESCE(c.assignee, '') IN (SELECT value FROM json_each(:mine))"
                f" AND (COALESCE(c.waiting, '') != '{Waiting.ASKED}' OR {DUE})"
                " AND NOT EXISTS (SELECT 1 FROM lease l WHERE l.record_id = record.id)"
                f" ORDER BY {self._column(as_of)}, record.id LIMIT 1",
                values,
            ).fetchone()
            if found is not None:
                return self.rows([found[0]], as_of)[0]
        return None

    def overview(self, as_of: str | date, today: date) -> Overview:
        """How the undecided claims stand; reads the whole index."""
        setting = self._setting(as_of, today, ())
        read_on = [day for day in self._tally("register_day") if day is not None]
        base = as_of if isinstance(as_of, date) else None
        if base is None and len(read_on) == 1:
            base = date.fromordinal(read_on[0])
        return read_overview(
            self._db,
            setting.days,
            setting.age,
            window=self._window,
            policy_sha256=self._policy.sha256,
            base=base,
            today=today,
        )

    def urgency(self, as_of: str | date) -> bytes:
        """How urgent each undecided claim is, by its row number: 0 not, 1 it must escalate, 2 it is breached."""
        days = self._days(as_of)
        column = self._column(as_of)
        last = self._window + (as_of.toordinal() if isinstance(as_of, date) else 0)
        (rows,) = self._db.execute("SELECT COALESCE(max(rid), 0) FROM record").fetchone()
        levels = bytearray(rows + 1)
        found = self._db.execute(
            f"SELECT rid, 1 + ({days} < 0) {_FROM}"
            f" WHERE record.{column} <= {last} AND NOT {DECIDED} AND rid <= {rows}",
            {"policy": self._policy.sha256},
        )
        for rid, level in found:
            levels[rid] = level
        return bytes(levels)

    def pended_claims(self) -> Iterator[PendedClaims]:
        """The claims by clock rule, day of receipt, and the day they were decided to be paid or denied."""
        from pendtui.engines.population import PendedClaims

        final = ", ".join(f"'{resolution}'" for resolution in FINAL)
        standing = "CASE WHEN c.status IN ('accepted', 'changed')"
        decided = f"{standing} AND c.resolution IN ({final}) THEN date(c.decided_at, 'localtime') END"
        grouped = (
            f"SELECT record.clock_rule, record.received_day, {decided} AS decided_on, count(*) {_FROM}"
            " WHERE record.received_day IS NOT NULL AND record.clock_rule != '' AND record.rid BETWEEN ? AND ?"
            " GROUP BY record.clock_rule, record.received_day, decided_on"
        )
        counted: Counter[tuple[str, int, str | None]] = Counter()
        for stretch in stretches(self._db):
            for rule_id, received, decided_on, claims in self._db.execute(grouped, stretch):
                counted[rule_id, received, decided_on] += claims
        for (rule_id, received, decided_on), claims in counted.items():
            day = date.fromisoformat(decided_on) if decided_on else None
            yield PendedClaims(rule_id, date.fromordinal(received), day, claims)

    def counts(self, as_of: str | date) -> Counts:
        """How the whole queue stands on its as-of day."""
        offset = as_of.toordinal() if isinstance(as_of, date) else 0
        by_days = [(None if value is None else value - offset, records) for value, records in self._groups(as_of)]
        total = sum(records for _, records in by_days)
        no_clock = sum(records for days, records in by_days if days is None)
        breached = sum(records for days, records in by_days if days is not None and days < 0)
        escalate = sum(records for days, records in by_days if days is not None and 0 <= days <= self._window)
        faulty = self._tally("faulty").get(1, 0)
        read_on = [day for day in self._tally("register_day") if day is not None]
        return Counts(
            total,
            breached,
            escalate,
            total - breached - escalate - no_clock,
            no_clock,
            faulty,
            date.fromordinal(min(read_on)) if read_on else None,
            date.fromordinal(max(read_on)) if read_on else None,
        )

    # Parts

    def _found_unreadable(self) -> None:
        self.unreadable = True

    def _row(self, values: tuple[Any, ...]) -> QueueRow:
        indexed, (left, status, *claim, stale) = values[: len(_INDEXED)], values[len(_INDEXED) :]
        fault = indexed[_FAULT]
        status = status or ("faulty" if fault else "open")
        return QueueRow._make((*indexed, left, self._state(left), status, *claim, bool(stale)))

    def _state(self, days_left: int | None) -> ClockState | None:
        if days_left is None:
            return None
        if days_left < 0:
            return ClockState.BREACHED
        return ClockState.WITHIN_CLOCK if days_left > self._window else ClockState.ESCALATE_NOW

    def _tally(self, kind: str) -> dict[int | None, int]:
        found = self._db.execute("SELECT value, records FROM tally WHERE kind = ? AND records > 0", (kind,))
        return {None if value == NO_VALUE else value: records for value, records in found}

    def _groups(self, as_of: str | date) -> list[tuple[int | None, int]]:
        """Day counts of the column that the order goes by, in order, with the number of records of each."""
        offset = as_of.toordinal() if isinstance(as_of, date) else 0
        tally = self._tally(self._column(as_of))
        return sorted(tally.items(), key=lambda item: self._unknown if item[0] is None else item[0] - offset)

    @property
    def _unknown(self) -> float:
        """Where a clock that nobody can read is listed: it may be urgent, so right after those known to be."""
        return self._window + 0.5

    def _setting(self, as_of: str | date, today: date, me: Collection[str]) -> Setting:
        day = as_of.toordinal() if isinstance(as_of, date) else "record.register_day"
        age = f"({day} - record.received_day)"
        return Setting(self._days(as_of), age, self._window, self._policy.sha256, me, today)

    @staticmethod
    def _column(as_of: str | date) -> str:
        return "deadline_day" if isinstance(as_of, date) else "register_left"

    @staticmethod
    def _days(as_of: str | date) -> str:
        return f"(record.deadline_day - {as_of.toordinal()})" if isinstance(as_of, date) else "record.register_left"

    def _rank(self, as_of: str | date) -> str:
        return f"COALESCE({self._days(as_of)}, {self._unknown})"

    def _parts(self, as_of: str | date) -> tuple[str, str, str]:
        """Conditions that cut the clock order in three, each one stretch of its index."""
        column = f"record.{self._column(as_of)}"
        last = self._window + (as_of.toordinal() if isinstance(as_of, date) else 0)
        return f"{column} <= {last}", f"{column} IS NULL", f"{column} > {last}"
