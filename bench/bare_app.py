"""The reference: a Textual app with nothing but one table of 60 rows; Enter shows a text on a screen of its own.

Usage: bare_app.py [FOLDER]    the texts are the folder's PC-0001.txt and so on
"""

import sys
from pathlib import Path

from textual.app import App, ComposeResult
from textual.screen import Screen
from textual.widgets import DataTable, Static


class BareScreen(Screen[None]):
    """One Static."""

    BINDINGS = [("escape", "dismiss", "Back")]

    def __init__(self, text: str) -> None:
        super().__init__()
        self._text = text

    def compose(self) -> ComposeResult:
        yield Static(self._text, markup=False)


class BareApp(App[None]):
    """One DataTable."""

    def compose(self) -> ComposeResult:
        yield DataTable(cursor_type="row")

    def on_mount(self) -> None:
        table: DataTable[str] = self.query_one(DataTable)
        table.add_columns("Record", "Cause", "Resolution", "Received")
        table.add_rows((f"PC-{n:04}", "AUTH-MISSING", "PEND-EXTERNAL", "2026-08-10") for n in range(1, 61))

    def on_data_table_row_selected(self, event: DataTable.RowSelected) -> None:
        text = Path(sys.argv[1], f"PC-{event.cursor_row + 1:04}.txt").read_text(encoding="utf-8")
        self.push_screen(BareScreen(text))


if __name__ == "__main__":
    BareApp().run()
