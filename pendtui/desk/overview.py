"""How the undecided part of a queue stands: what turns urgent on which day, how old it is, and whose it is."""

import sqlite3
from collections import Counter
from collections.abc import Callable, Mapping
from datetime import date, datetime, time, timedelta
from typing import NamedTuple

from pendtui.desk.index_file import stretches
from pendtui.desk.journal.rows import Status, instant_text
from pendtui.desk.query import STALE

DAYS_AHEAD = 14
"""Days that are looked ahead."""
AGES = ("0-30", "31-60", "61-90", "over 90")
"""Days since receipt, as aged inventory is reported."""

DECIDED = f"(COALESCE(c.status, '') IN ('{Status.ACCEPTED}', '{Status.CHANGED}') AND NOT {STALE})"
"""The condition that a claim stands as decided, on the record and the policy as they are."""
_FROM = "FROM record LEFT JOIN claim c ON c.record_id = record.id"


class DayAhead(NamedTuple):
    """What one coming day brings if nobody works the queue."""

    day: date | None
    """None where each claim has an as-of day of its own, the day its register was read."""
    offset: int
    """Days after the as-of day."""
    escalate: int
    """Claims that turn escalate-now on this day."""
    breached: int
    """Claims that turn breached on this day."""


class Ages(NamedTuple):
    """The undecided claims of one line of business by days since receipt."""

    line_of_business: str
    counts: tuple[int, int, int, int]
    """As in AGES."""
    unknown: int
    """Claims without a readable receipt date."""


class Overview(NamedTuple):
    """How the queue stands on its as-of day. All counts are of undecided claims unless they say otherwise."""

    as_of: date | None
    """None where each claim has an as-of day of its own, the day its register was read."""
    undecided: int
    breached: int
    escalate: int
    ahead: tuple[DayAhead, ...]
    ages: tuple[Ages, ...]
    due: int
    """Undecided claims on their last day or past it."""
    due_decided: int
    """Claims decided today that were on their last day or past it."""
    decided_today: int
    decided_by: tuple[tuple[str, int], ...]
    """Claims decided today, by examiner, most first."""
    assigned: tuple[tuple[str, int], ...]
    """Undecided claims by whose they are, most first; an empty name for nobody's."""


def read_overview(
    db: sqlite3.Connection, days: str, age: str, *, window: int, policy_sha256: str, base: date | None, today: date
) -> Overview:
    """Ask an index. `days` and `age` are SQL for the days left and the days since receipt of a record.

    `base` is the as-of day where the whole queue has one; `today` says which decisions are of today. Reads
    the whole index: at a million records about a second.
    """
    policy = {"policy": policy_sha256}
    undecided = f"{_FROM} WHERE NOT {DECIDED}"
    bucket = f"CASE WHEN {age} IS NULL THEN NULL WHEN {age} <= 30 THEN 0 WHEN {age} <= 60 THEN 1"
    bucket += f" WHEN {age} <= 90 THEN 2 ELSE 3 END"
    grouped = (
        f"SELECT record.line_of_business, {bucket} AS bucket, {days} AS left_now, count(*) {undecided}"
        " AND record.rid BETWEEN :first AND :last GROUP BY 1, bucket, left_now"
    )
    by_days: Counter[int | None] = Counter()
    ages: dict[str, Counter[int | None]] = {}
    for first, last in stretches(db):
        stretch = {"first": first, "last": last, **policy}
        for line, bucket_of, left, records in db.execute(grouped, stretch):
            by_days[left] += records
            ages.setdefault(line, Counter())[bucket_of] += records
    start, end = (instant_text(at) for at in _day_of(today))
    decided_today = "c.decided_at >= :start AND c.decided_at < :end AND c.status IN ('accepted', 'changed')"
    between = {"start": start, "end": end}
    done = f"FROM claim c LEFT JOIN record ON record.id = c.record_id WHERE {decided_today}"
    (due_decided,) = db.execute(f"SELECT count(*) {done} AND {days} <= 0", between).fetchone()
    by_examiner = Counter(
        dict(
            db.execute(f"SELECT COALESCE(NULLIF(c.by, ''), c.who) AS name, count(*) {done} GROUP BY name", between)
        )
    )
    assignees = f"FROM claim c JOIN record ON record.id = c.record_id WHERE c.assignee != '' AND NOT {DECIDED}"
    assigned = Counter(dict(db.execute(f"SELECT c.assignee, count(*) {assignees} GROUP BY 1", policy)))
    if of_nobody := by_days.total() - assigned.total():
        assigned[""] = of_nobody
    return Overview(
        as_of=base,
        undecided=by_days.total(),
        breached=_sum(by_days, lambda left: left < 0),
        escalate=_sum(by_days, lambda left: 0 <= left <= window),
        ahead=tuple(
            DayAhead(
                base + timedelta(days=offset) if base is not None else None,
                offset,
                by_days.get(window + offset, 0),
                by_days.get(offset - 1, 0),
            )
            for offset in range(1, DAYS_AHEAD + 1)
        ),
        ages=tuple(_ages(line, counts) for line, counts in sorted(ages.items())),
        due=_sum(by_days, lambda left: left <= 0),
        due_decided=due_decided,
        decided_today=sum(by_examiner.values()),
        decided_by=tuple(by_examiner.most_common()),
        assigned=tuple(assigned.most_common()),
    )


def _ages(line: str, counts: Mapping[int | None, int]) -> Ages:
    by_bucket = (counts.get(0, 0), counts.get(1, 0), counts.get(2, 0), counts.get(3, 0))
    return Ages(line, by_bucket, counts.get(None, 0))


def _sum(by_days: Mapping[int | None, int], holds: Callable[[int], bool]) -> int:
    return sum(records for left, records in by_days.items() if left is not None and holds(left))


def _day_of(day: date) -> tuple[datetime, datetime]:
    """The first instant of a day where the examiner sits, and that of the next one."""
    return (
        datetime.combine(day, time()).astimezone(),
        datetime.combine(day + timedelta(days=1), time()).astimezone(),
    )
