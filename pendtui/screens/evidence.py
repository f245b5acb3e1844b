"""The evidence view: what the readers were shown to do, each figure with the records behind it."""

from collections.abc import Callable

from rich.text import Text
from textual import on, work
from textual.app import ComposeResult
from textual.content import Content
from textual.coordinate import Coordinate
from textual.widgets import DataTable, Static

from pendtui.actions import EVIDENCE, Action
from pendtui.desk.claim_view import ClaimView
from pendtui.desk.desk import Desk
from pendtui.errors import PendtuiError
from pendtui.evals.evidence import Column
from pendtui.evals.exhibit import Exhibit, exhibit
from pendtui.plain import plain
from pendtui.screens.bindings import actions_here, bindings_at
from pendtui.screens.drawing import pen_for
from pendtui.screens.evidence_runs import calls_table, history_table, runs_table
from pendtui.screens.evidence_tables import (
    QUIET,
    RIGHT,
    WRONG,
    Entry,
    Size,
    Table,
    arms_table,
    confusion_table,
    recheck_table,
    reliability_table,
)
from pendtui.screens.place import ViewScreen
from pendtui.screens.widgets.key_bar import KeyBar
from pendtui.screens.widgets.tour import TourBar

VIEWS = ("arms", "confusion", "reliability", "recheck", "calls", "history", "stored")
"""In the order of their keys."""
OF_ONE_ARM = ("confusion", "reliability", "recheck", "calls")
STYLES = {RIGHT: "bold", WRONG: "bold underline", QUIET: "dim"}
FIRST = Coordinate(0, 1)
"""Where the cursor stands in a table that was just opened."""
_AROUND = 9
"""Lines of the screen that no table can have: title, names, head, detail and keys."""


class EvidenceScreen(ViewScreen):
    """Shows the exhibit as tables; Enter shows what is behind a cell, Esc goes back."""

    PLACE = EVIDENCE
    BINDINGS = bindings_at(EVIDENCE)

    def __init__(self, desk: Desk, claim: ClaimView | None = None) -> None:
        super().__init__(desk, claim)
        self._exhibit: Exhibit | None = None
        self._fault = ""
        self._view_name = VIEWS[0]
        self._arm = 0
        self._pen = pen_for()
        self._table: Table | None = None
        self._above: list[tuple[Table, Coordinate]] = []
        """The tables that Esc leads back to, and where the cursor was in them."""

    def compose(self) -> ComposeResult:
        yield Static(id="view-title")
        yield Static(id="view-names")
        yield Static(id="view-lines")
        yield DataTable(id="cells", fixed_columns=1, cell_padding=0)
        yield Static(id="row")
        yield TourBar()
        yield KeyBar(EVIDENCE)

    def begin(self) -> None:
        self._cells.focus()
        self._paint()
        self._gather()

    def fit(self) -> None:
        """Build the view for another size; what was opened of it stays open."""
        if self._exhibit is not None and not self._above:
            at = self._cells.cursor_coordinate
            self._table = self._built()
            self._paint(at)

    @work(thread=True, exclusive=True)
    def _gather(self) -> None:
        try:
            found = exhibit(self.desk.config)
        except PendtuiError as fault:
            self.app.call_from_thread(self._gathered, None, str(fault))
        else:
            self.app.call_from_thread(self._gathered, found, "")

    def _gathered(self, found: Exhibit | None, fault: str) -> None:
        if not self.is_attached:
            return
        self._exhibit, self._fault = found, fault
        if found is not None:
            self._arm = len(found.columns) - 1
            self._open_view(self._view_name)
        else:
            self._paint()

    # What is shown

    @property
    def table(self) -> Table | None:
        """The table that is shown."""
        return self._table

    @property
    def entry(self) -> Entry | None:
        """The entry under the cursor."""
        at = self._cells.cursor_coordinate
        if self._table is None or at.row >= len(self._table.rows):
            return None
        entries = self._table.rows[at.row][1]
        return entries[max(0, at.column - 1)] if entries else None

    @property
    def _cells(self) -> "DataTable[Text]":
        return self.query_one("#cells", DataTable)

    @property
    def _column(self) -> Column | None:
        found = self._exhibit
        return found.columns[self._arm] if found is not None and found.columns else None

    def _open_view(self, name: str) -> None:
        self._view_name = name
        self._above.clear()
        self._table = self._built()
        self._paint()

    def _built(self) -> Table | None:
        found, arm = self._exhibit, self._column
        if found is None or arm is None:
            return None
        size = Size(max(40, self.app.size.width - 2), max(8, self.app.size.height - _AROUND))
        build: dict[str, Callable[[], Table]] = {
            "arms": lambda: arms_table(found, size),
            "confusion": lambda: confusion_table(arm, size),
            "reliability": lambda: reliability_table(arm, size, self._pen),
            "recheck": lambda: recheck_table(arm),
            "calls": lambda: calls_table(found, arm, size, self._pen),
            "history": lambda: history_table(found, self._pen),
            "stored": lambda: runs_table(found),
        }
        return build[self._view_name]()

    def _paint(self, at: Coordinate = FIRST) -> None:
        """Show the table as it is, with the cursor there."""
        self.query_one("#view-title", Static).update(self.title_line())
        self.query_one("#view-names", Static).update(self._names())
        lines = self._table.lines if self._table is not None else (self._fault or "reading the runs …",)
        above = self.query_one("#view-lines", Static)
        above.display = bool(lines)
        above.update(Content("\n").join(Content(plain(line)) for line in lines))
        cells = self._cells
        cells.display = self._table is not None and bool(self._table.rows)
        cells.clear(columns=True)
        if self._table is not None and self._table.rows:
            self._fill(cells, self._table)
            row = min(at.row, len(self._table.rows) - 1)
            cells.cursor_coordinate = Coordinate(row, min(max(1, at.column), len(self._table.columns)))
            cells.focus()
        self._say_in_full()

    def _fill(self, cells: "DataTable[Text]", table: Table) -> None:
        for head in (table.head, *table.columns):
            cells.add_column(Text(f"{plain(head)} "))
        width = len(table.columns)
        for label, entries in table.rows:
            texts = [_text(entry) for entry in entries]
            texts += [Text("")] * (width - len(texts))
            cells.add_row(Text(f"{plain(label)} "), *texts, height=table.height)

    def title_line(self) -> Content:
        if self._table is not None:
            return Content(plain(f"Evidence: {self._table.title}"))
        return Content(plain(f"Evidence on {self.desk.folder.resolve().name}"))

    def _names(self) -> Content:
        """The views by their keys, the shown one marked."""
        named: dict[str, Action] = {action.name: action for action in actions_here(self, EVIDENCE)}
        parts = []
        for name in VIEWS:
            action = named[name]
            text = f"{action.shown} {action.label}"
            parts.append(Content.styled(f"[{text}]", "bold") if name == self._view_name else Content(f" {text} "))
        return Content("").join(parts)

    @on(DataTable.CellHighlighted)
    def _moved(self) -> None:
        self._say_in_full()

    def _say_in_full(self) -> None:
        entry = self.entry
        more = ""
        if entry is not None and entry.record:
            more = "Enter opens the record."
        elif entry is not None and entry.opens is not None:
            more = "Enter shows what is behind it."
        said = f"{entry.detail}\n{more}" if entry is not None else ""
        self.query_one("#row", Static).update(Content("\n").join(Content(plain(line)) for line in said.split("\n")))

    # Actions

    def action_arms(self) -> None:
        self._open_view("arms")

    def action_confusion(self) -> None:
        self._open_view("confusion")

    def action_reliability(self) -> None:
        self._open_view("reliability")

    def action_recheck(self) -> None:
        self._open_view("recheck")

    def action_calls(self) -> None:
        self._open_view("calls")

    def action_history(self) -> None:
        self._open_view("history")

    def action_stored(self) -> None:
        self._open_view("stored")

    def action_next_view(self) -> None:
        self._open_view(VIEWS[(VIEWS.index(self._view_name) + 1) % len(VIEWS)])

    def action_next_arm(self) -> None:
        if self._exhibit is None:
            return
        if self._view_name not in OF_ONE_ARM:
            self.say("This shows every arm already; 2 to 5 show one at a time.")
            return
        self._arm = (self._arm + 1) % len(self._exhibit.columns)
        self._open_view(self._view_name)

    def action_look_behind(self) -> None:
        entry = self.entry
        if entry is None or self._table is None:
            return
        if entry.record:
            self.open(entry.record)
        elif entry.opens is not None:
            self._above.append((self._table, self._cells.cursor_coordinate))
            self._table = entry.opens()
            self._paint()
        else:
            self.say("There is nothing behind this one.")

    @on(DataTable.CellSelected)
    def _chosen(self) -> None:
        self.action_look_behind()

    def action_leave(self) -> None:
        if not self._above:
            super().action_leave()
            return
        self._table, at = self._above.pop()
        self._paint(at)

    def action_left(self) -> None:
        self._cells.action_cursor_left()

    def action_right(self) -> None:
        self._cells.action_cursor_right()

    def action_scroll_down(self) -> None:
        self._cells.action_cursor_down()

    def action_scroll_up(self) -> None:
        self._cells.action_cursor_up()

    def action_page_down(self) -> None:
        self._cells.action_page_down()

    def action_page_up(self) -> None:
        self._cells.action_page_up()

    def action_scroll_home(self) -> None:
        self._cells.action_scroll_top()

    def action_scroll_end(self) -> None:
        self._cells.action_scroll_bottom()


def _text(entry: Entry) -> Text:
    lines = (f"{plain(line)} " for line in entry.text.split("\n"))
    return Text("\n".join(lines), style=STYLES.get(entry.style, ""), no_wrap=True)
