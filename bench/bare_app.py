"""The reference for start-up: a Textual app with nothing but one table of 60 rows."""

from textual.app import App, ComposeResult
from textual.widgets import DataTable


class BareApp(App[None]):
    """One DataTable."""

    def compose(self) -> ComposeResult:
        yield DataTable(cursor_type="row")

    def on_mount(self) -> None:
        table: DataTable[str] = self.query_one(DataTable)
        table.add_columns("Record", "Cause", "Resolution", "Received")
        table.add_rows((f"PC-{n:04}", "AUTH-MISSING", "PEND-EXTERNAL", "2026-08-10") for n in range(1, 61))


if __name__ == "__main__":
    BareApp().run()
