"""From the desk to a file: hand-over sheets, and lists written by a connection of their own."""

import threading
from collections.abc import Callable, Iterable, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, TextIO

from pendtui.desk.claim_view import ClaimView
from pendtui.desk.export_file import export_file
from pendtui.desk.exports import LIST_FORMATS, SHEET_FORMATS, format_of, html, markdown
from pendtui.desk.exports.listed import Wanted, choose, write_list
from pendtui.desk.exports.made import Made, made_at
from pendtui.desk.exports.sheet import Sheet, sheet_json, sheet_of
from pendtui.errors import PendtuiError

if TYPE_CHECKING:
    from pendtui.desk.desk import Desk


class CancelledError(PendtuiError):
    """An export that was cancelled. No file was written."""


def sheet_for(desk: "Desk", view: ClaimView, made: Made) -> Sheet:
    """The hand-over sheet of an opened claim, with its journal rows. Raises JournalError."""
    history = desk.journal.history(desk.queue_name, view.id)
    obstacle = desk.decisions.obstacle(view)
    return sheet_of(view, history, desk.policy, desk.today, made, obstacle=obstacle)


def write_sheets(sheets: Sequence[Sheet], format: str, out: TextIO) -> None:
    """Write hand-over sheets in one of SHEET_FORMATS."""
    if format == "jsonl":
        out.writelines(f"{sheet_json(sheet)}\n" for sheet in sheets)
    else:
        parts: Iterable[str] = html.sheets_page(sheets) if format == "html" else markdown.sheets_markdown(sheets)
        out.writelines(parts)


def write_sheet_file(desk: "Desk", view: ClaimView, path: Path) -> None:
    """Write one claim's sheet to a new file whose ending says the format. Raises PendtuiError."""
    format_ = format_of(path, SHEET_FORMATS)
    sheet = sheet_for(desk, view, made_at(desk, datetime.now(UTC)))
    with export_file(path) as out:
        write_sheets([sheet], format_, out)


def write_list_file(
    desk: "Desk", wanted: Wanted, path: Path, *, stop: threading.Event, step: Callable[[int, int], None]
) -> int:
    """Write the claims to a new file whose ending says the format, by a connection of its own, for another thread.

    Gives how many they were. `step` is told how many of how many so far. Raises PendtuiError, and CancelledError
    once `stop` is set.
    """
    format_ = format_of(path, LIST_FORMATS)
    with desk.listing_elsewhere() as listing, export_file(path) as out:
        chosen = choose(listing, wanted, desk.day, today=desk.today, me=desk.mine)

        def stepped(seen: int) -> None:
            if stop.is_set():
                raise CancelledError("cancelled", where=str(path), remedy="No file was written")
            step(seen, chosen.total)

        made = made_at(desk, datetime.now(UTC))
        return write_list(chosen, format_, out, policy=desk.policy, made=made, step=stepped)
