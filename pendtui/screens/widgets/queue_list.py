"""The queue as a list that asks for and paints only the rows in view."""

import contextlib
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace

from rich.cells import cell_len, set_cell_size
from rich.segment import Segment
from rich.style import Style
from textual import events
from textual.geometry import Region, Size
from textual.message import Message
from textual.scroll_view import ScrollView
from textual.strip import Strip

from pendtui.desk.listing import QueueRow
from pendtui.engines.vocabulary import ClockState
from pendtui.plain import plain
from pendtui.screens.wording import cause_word, clock_mark, days_left, resolution_word, status_word


@dataclass(frozen=True, slots=True)
class Column:
    """One column of the list: its heading, its width in cells, and what it shows of a row."""

    title: str
    width: int
    text: Callable[[QueueRow], str]


CLOCK = Column("Clock", 11, lambda row: f"{clock_mark(row.state)} {days_left(row.days_left)}")
RECORD = Column("Record", 7, lambda row: row.id)
STATUS = Column("Status", 9, status_word)
"""The columns that stay when the others move aside. The record's widens with the longest id seen."""
MOVING = (
    Column("Cause", 17, cause_word),
    Column("Resolution", 18, resolution_word),
    Column("Register", 12, lambda row: row.evidence or "unknown"),
    Column("Line", 8, lambda row: row.line_of_business),
    Column("Received", 10, lambda row: row.received_on),
    Column("Claim id", 15, lambda row: row.claim_id),
    Column("By", 12, lambda row: row.by),
    Column("For", 14, lambda row: row.assignee),
    Column("Title", 44, lambda row: row.title),
)
"""The columns that the left and right keys move through."""

HEADING_LINES = 1
MARK = "+"
"""Before the id of a record that is marked."""


class QueueList(ScrollView, can_focus=True, inherit_bindings=False):
    """A list of records over row numbers. `fetch` gives the rows of some of them; nothing else is held.

    `highlighted` is called with the row under the cursor, or None. It is no message, so that what it paints
    goes to the terminal together with the cursor.
    """

    COMPONENT_CLASSES = {
        "queue-list--heading",
        "queue-list--row",
        "queue-list--cursor",
        "queue-list--breached",
        "queue-list--escalate",
        "queue-list--decided",
        "queue-list--faulty",
    }

    @dataclass
    class Chosen(Message):
        """A row was chosen with the mouse."""

        row: QueueRow

    def __init__(
        self,
        fetch: Callable[[Sequence[int]], list[QueueRow]],
        highlighted: Callable[[QueueRow | None], None],
        *,
        id: str | None = None,
    ) -> None:
        super().__init__(id=id)
        self._fetch = fetch
        self._highlighted = highlighted
        self._rids: Sequence[int] = ()
        self._rows: dict[int, QueueRow] = {}
        self._first_moving = 0
        self._frozen = (CLOCK, RECORD, STATUS)
        self.cursor = 0
        """Position of the row under the cursor in the present order."""
        self.marked: set[str] = set()
        """The ids of the records that are marked, listed or not."""

    # What is listed

    @property
    def rids(self) -> Sequence[int]:
        """The row numbers listed, in order."""
        return self._rids

    @property
    def row(self) -> QueueRow | None:
        """The row under the cursor."""
        return self._row_at(self.cursor)

    def show(self, rids: Sequence[int], keep: int | None = None) -> None:
        """List these row numbers, with the cursor on row number `keep` where it is among them."""
        self._rids = rids
        self._rows.clear()
        if keep is not None:
            with contextlib.suppress(ValueError):
                self.cursor = rids.index(keep)
        self.cursor = max(0, min(self.cursor, len(rids) - 1))
        self.virtual_size = Size(self.size.width, len(rids) + HEADING_LINES)
        self._bring_into_view()
        self.refresh()
        self._tell()

    def refresh_row(self, rid: int) -> None:
        """Paint one row anew after its values have changed."""
        self._rows.pop(rid, None)
        for line in range(self.size.height):
            at = self._position(line)
            if at is not None and self._rids[at] == rid:
                self._refresh_line(line)
        if self._rids and self._rids[self.cursor] == rid:
            self._tell()

    def move_to(self, position: int) -> None:
        """Put the cursor on a position of the list and bring it into view."""
        if not self._rids:
            return
        before = self._line(self.cursor)
        self.cursor = max(0, min(position, len(self._rids) - 1))
        if not self._bring_into_view():
            self._refresh_line(before)
            self._refresh_line(self._line(self.cursor))
        self._tell()

    def move_to_row(self, rid: int) -> None:
        """Put the cursor on a row number, where it is listed."""
        with contextlib.suppress(ValueError):
            self.move_to(self._rids.index(rid))

    def move_by(self, rows: int) -> None:
        """Move the cursor down (or up) by so many rows."""
        self.move_to(self.cursor + rows)

    def mark(self) -> None:
        """Mark the record under the cursor, or unmark it, and go one down."""
        if self.row is not None:
            self.marked ^= {self.row.id}
            self._refresh_line(self._line(self.cursor))
            self.move_by(1)

    def mark_these(self, record_ids: Iterable[str]) -> None:
        """Mark these records as well."""
        self.marked.update(record_ids)
        self.refresh()

    def unmark(self, record_ids: Iterable[str]) -> None:
        """Take the mark off these records."""
        self.marked.difference_update(record_ids)
        self.refresh()

    def mark_none(self) -> None:
        """Take every mark off."""
        self.marked.clear()
        self.refresh()

    @property
    def page(self) -> int:
        """How many rows one page shows."""
        return max(1, self.size.height - HEADING_LINES)

    def move_columns(self, by: int) -> None:
        """Bring columns further right (or left) into view."""
        last = max(0, len(MOVING) - 1)
        self._first_moving = max(0, min(self._first_moving + by, last))
        self.refresh()

    # Painting

    def render_line(self, y: int) -> Strip:
        width = self.scrollable_content_region.width
        if y < HEADING_LINES:
            return self._heading(width)
        at = self._position(y)
        row = self._row_at(at) if at is not None else None
        if row is None:
            return Strip.blank(width, self.get_component_rich_style("queue-list--row"))
        return self._line_of(row, at == self.cursor, width)

    def _heading(self, width: int) -> Strip:
        style = self.get_component_rich_style("queue-list--heading")
        moving = self._moving(width, self._first_moving)
        text = "".join(set_cell_size(column.title, column.width + 1) for column in (*self._frozen, *moving))
        hidden = len(MOVING) - len(moving)
        if hidden:
            after = len(MOVING) - self._first_moving - len(moving)
            more = (f"◂{self._first_moving}" if self._first_moving else "") + (f"▸{after}" if after else "")
            text = set_cell_size(text, max(0, width - cell_len(more))) + more
        return Strip([Segment(set_cell_size(text, width), style)], width)

    def _line_of(self, row: QueueRow, under_cursor: bool, width: int) -> Strip:
        columns = (*self._frozen, *self._moving(width, self._first_moving))
        cells = [set_cell_size(plain(column.text(row)), column.width) for column in columns]
        clock, rest = cells[0], " ".join(cells[1:])
        base = self.get_component_rich_style(self._row_class(row))
        clock_style = base + self._clock_style(row.state)
        if under_cursor:
            cursor = self.get_component_rich_style("queue-list--cursor")
            base, clock_style = base + cursor, clock_style + cursor
        room = max(0, width - CLOCK.width - 1)
        mark = MARK if row.id in self.marked else " "
        segments = [Segment(f"{clock}{mark}", clock_style), Segment(set_cell_size(rest, room), base)]
        return Strip(segments, width).crop(0, width)

    def _row_class(self, row: QueueRow) -> str:
        if row.status == "faulty":
            return "queue-list--faulty"
        return "queue-list--row" if row.status == "open" or row.stale else "queue-list--decided"

    def _clock_style(self, state: ClockState | None) -> Style:
        if state is ClockState.BREACHED:
            return self.get_component_rich_style("queue-list--breached", partial=True)
        if state is ClockState.ESCALATE_NOW:
            return self.get_component_rich_style("queue-list--escalate", partial=True)
        return Style.null()

    def _moving(self, width: int, first: int) -> tuple[Column, ...]:
        room = width - sum(column.width + 1 for column in self._frozen)
        shown: list[Column] = []
        for column in MOVING[first:]:
            needed = column.width + (1 if shown else 0)
            if needed > room and shown:
                break
            shown.append(column)
            room -= needed
        return tuple(shown)

    def _fit_record_column(self) -> None:
        longest = max((cell_len(plain(row.id)) for row in self._rows.values()), default=0)
        width = min(max(self._frozen[1].width, longest), 24)
        if width != self._frozen[1].width:
            self._frozen = (CLOCK, replace(RECORD, width=width), STATUS)
            self.refresh()

    # Positions

    def _row_at(self, at: int | None) -> QueueRow | None:
        if at is None or not 0 <= at < len(self._rids):
            return None
        rid = self._rids[at]
        if rid not in self._rows:
            first = max(0, min(self.scroll_offset.y, at))
            wanted = self._rids[first : max(first + self.size.height, at + 1)]
            self._rows = {row.rid: row for row in self._fetch(wanted)}
            self._fit_record_column()
        return self._rows.get(rid)

    def _position(self, line: int) -> int | None:
        at = self.scroll_offset.y + line - HEADING_LINES
        return at if line >= HEADING_LINES and 0 <= at < len(self._rids) else None

    def _line(self, position: int) -> int:
        return position - self.scroll_offset.y + HEADING_LINES

    def _bring_into_view(self) -> bool:
        """Scroll so that the cursor is in view; whether that was needed."""
        if not self.size.height:
            return False
        top, bottom = self.scroll_offset.y, self.scroll_offset.y + self.page - 1
        if self.cursor < top:
            self.scroll_to(y=self.cursor, animate=False, force=True, immediate=True)
        elif self.cursor > bottom:
            self.scroll_to(y=self.cursor - self.page + 1, animate=False, force=True, immediate=True)
        else:
            return False
        return True

    def _refresh_line(self, line: int) -> None:
        self.refresh(Region(0, line, self.size.width, 1))

    def _tell(self) -> None:
        self._highlighted(self.row)

    # Events

    def on_resize(self) -> None:
        self.virtual_size = Size(self.size.width, len(self._rids) + HEADING_LINES)
        self.move_columns(0)
        self._bring_into_view()

    def on_click(self, event: events.Click) -> None:
        at = self._position(event.y)
        if at is None:
            return
        again = at == self.cursor
        self.move_to(at)
        if again and self.row is not None:
            self.post_message(self.Chosen(self.row))
