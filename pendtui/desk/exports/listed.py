"""The listed claims as a file: for spreadsheets, for programs, for a message and for paper."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from datetime import date
from typing import NamedTuple, TextIO

from pendtui.desk.exports import html, markdown
from pendtui.desk.exports.made import PROPOSES, Made
from pendtui.desk.listing import Listing, QueueRow
from pendtui.desk.words import count, left_or_over
from pendtui.engines.gate import release_for
from pendtui.engines.policy import Policy
from pendtui.errors import QueueError
from pendtui.tables import print_rows

CHUNK = 500
"""Rows read at once."""

COLUMNS = (
    *("record_id", "claim_id", "title", "line_of_business", "claim_type", "queue", "received_on", "clock"),
    *("days_left", "clock_rule", "proposed_cause", "proposed_resolution", "rule", "release", "evidence", "status"),
    *("decided_resolution", "decided_by", "assignee", "waiting", "asked", "due_on", "in_use_by", "stale"),
    *("worth_a_call", "fault"),
)
"""What CSV and JSON lines hold of each claim."""

HEADS = ("record", "claim", "line", "received", "clock", "cause", "resolution", "register", "status", "whose")
"""What a printed list shows of each claim."""


class Wanted(NamedTuple):
    """Which claims, and in what order."""

    sort: str = "clock"
    search: str = ""
    """A filter line; see `query.WORDS`."""
    ids: tuple[str, ...] = ()
    """These records and no others; the filter line is left aside then."""


class Chosen(NamedTuple):
    """The claims of an export, not yet read."""

    total: int
    rows: Iterator[QueueRow]
    described: str
    """Which they are, in words."""


def choose(
    listing: Listing, wanted: Wanted, day: str | date, *, today: date = date.min, me: Sequence[str] = ()
) -> Chosen:
    """The claims that are wanted. Raises FilterError, and QueueError for an id that the queue does not hold."""
    if wanted.ids:
        named = {_rid(listing, record_id, day) for record_id in wanted.ids}
        order = listing.order(day, wanted.sort, "", today=today, me=me)
        rids: Sequence[int] = [rid for rid in order if rid in named]
        described = f"{count(len(rids), 'claim')} by {wanted.sort}, chosen one by one"
    else:
        rids = listing.order(day, wanted.sort, wanted.search, today=today, me=me)
        which = f" that match “{wanted.search}”" if wanted.search else ", the whole queue"
        described = f"{count(len(rids), 'claim')} by {wanted.sort}{which}"
    return Chosen(len(rids), _rows(listing, rids, day), described)


def _rid(listing: Listing, record_id: str, day: str | date) -> int:
    row = listing.row_of(record_id, day)
    if row is None:
        raise QueueError(
            "no such record in the queue", where=record_id, remedy="`pendtui clock` lists those it has"
        )
    return row.rid


def _rows(listing: Listing, rids: Sequence[int], day: str | date) -> Iterator[QueueRow]:
    for first in range(0, len(rids), CHUNK):
        yield from listing.rows(rids[first : first + CHUNK], day)


def write_list(
    chosen: Chosen,
    format: str,
    out: TextIO,
    *,
    policy: Policy,
    made: Made,
    step: Callable[[int], None] = lambda n: None,
) -> int:
    """Write the claims in one of LIST_FORMATS; how many there were. `step` is told now and then how many so far."""
    counted = _Counted(chosen.rows, step)
    if format in ("csv", "jsonl"):
        release = release_for(policy)
        print_rows(COLUMNS, (_cells(row, release) for row in counted), format, out)
    elif format == "md":
        out.writelines(_markdown(chosen, counted, made))
    else:
        out.writelines(_page(chosen, counted, made))
    return counted.seen


class _Counted:
    def __init__(self, rows: Iterable[QueueRow], step: Callable[[int], None]) -> None:
        self._rows = rows
        self._step = step
        self.seen = 0

    def __iter__(self) -> Iterator[QueueRow]:
        for row in self._rows:
            if self.seen % CHUNK == 0:
                self._step(self.seen)
            self.seen += 1
            yield row


def _cells(row: QueueRow, release: str) -> tuple[object, ...]:
    cells = (
        *(row.id, row.claim_id, row.title, row.line_of_business, row.claim_type, row.queue_name, row.received_on),
        *(row.state, row.days_left, row.clock_rule, row.cause, row.resolution, row.rule, release, row.evidence),
        *(row.status, row.decided, row.by, row.assignee, row.waiting, row.asked, row.due_on, row.in_use_by),
        *(row.stale, row.unsure, row.fault),
    )
    return tuple(None if cell == "" else cell for cell in cells)


def _printed(row: QueueRow) -> tuple[str, ...]:
    """A claim as a printed list has it, in the order of HEADS."""
    clock = "no days" if row.days_left is None else f"{row.state}, {left_or_over(row.days_left)}"
    status = f"{row.status}{' (stale)' if row.stale else ''}"
    if row.by:
        decided = f" {row.decided}" if row.decided and row.decided != row.resolution else ""
        status += f"{decided} by {row.by}"
    whose = [row.assignee] if row.assignee else []
    whose += [f"{row.waiting}: {row.asked}, {row.due_on}"] if row.waiting else []
    resolution = f"{row.resolution} by {row.rule}" if row.rule else row.resolution or "blocked"
    return (
        *(row.id, row.claim_id, row.line_of_business, row.received_on or "unknown", clock),
        *(row.cause or "not read", row.fault or resolution, row.evidence or "unknown", status, "; ".join(whose)),
    )


def _about(chosen: Chosen, made: Made) -> tuple[str, ...]:
    day = {"register": "each register's own reading"}.get(str(made.as_of), str(made.as_of))
    return (
        f"{chosen.described}; queue {made.queue}, policy {made.policy_id}, as of {day}",
        f"{PROPOSES} Cause and resolution are the program's proposals; the status says what was decided.",
        f"Made by {made.by} on {made.when} with {made.program}.",
    )


def _markdown(chosen: Chosen, rows: Iterable[QueueRow], made: Made) -> Iterator[str]:
    yield "# Pended claims\n\n"
    yield from (f"{markdown.text(line)}  \n" for line in _about(chosen, made))
    yield "\n"
    yield from markdown.table(HEADS, map(_printed, rows))


def _page(chosen: Chosen, rows: Iterable[QueueRow], made: Made) -> Iterator[str]:
    first, proposes, foot = (html.text(line) for line in _about(chosen, made))
    body = (
        part
        for parts in (
            (f'<h1>Pended claims</h1>\n<p>{first}</p>\n<p class="proposes">{proposes}</p>\n',),
            html.table(HEADS, map(_printed, rows)),
            (f"<footer><p>{foot}</p></footer>\n",),
        )
        for part in parts
    )
    return html.page("Pended claims", body, wide=True)
