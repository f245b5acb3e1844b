"""Files from the screens: the listed or marked claims, and one claim's hand-over sheet."""

import threading
from functools import partial
from pathlib import Path

from pendtui.desk.claim_view import ClaimView
from pendtui.desk.exports.listed import Wanted
from pendtui.desk.exports.write import CancelledError, write_list_file, write_sheet_file
from pendtui.desk.words import count
from pendtui.errors import PendtuiError
from pendtui.screens.dialogs import Field, FormDialog
from pendtui.screens.place import PlaceScreen


class ListExport:
    """Writes claims to a file in a thread of its own, so that a large queue does not keep the examiner waiting."""

    def __init__(self, screen: PlaceScreen, leaving: threading.Event) -> None:
        """`leaving` is set once the program ends, which gives up what is under way."""
        self._screen = screen
        self._leaving = leaving
        self._stop: threading.Event | None = None

    def ask(self, wanted: Wanted, total: int) -> None:
        """Ask for the file's name and begin; or stop the export that is under way."""
        if self._stop is not None:
            self.stop()
            return
        which = "marked" if wanted.ids else "listed"
        question = f"Export {count(total, f'{which} claim')} to a file that ends in .csv, .jsonl, .md or .html"
        self._screen.app.push_screen(
            FormDialog(question, [Field("File", "queue.csv")]), partial(self._begin, wanted)
        )

    def stop(self) -> None:
        """Give up the export that is under way; no file is left."""
        if self._stop is not None:
            self._stop.set()

    def _begin(self, wanted: Wanted, said: list[str] | None) -> None:
        if said is None or not said[0]:
            return
        self._stop = threading.Event()
        path = Path(said[0]).expanduser().absolute()
        self._screen.run_worker(partial(self._write, wanted, path, self._stop), thread=True, group="export")

    def _write(self, wanted: Wanted, path: Path, stop: threading.Event) -> None:
        tell = self._screen.app.call_from_thread
        say = self._screen.say

        def step(seen: int, total: int) -> None:
            if self._leaving.is_set():
                stop.set()
            elif seen:
                tell(say, f"exporting, {seen:,} of {total:,}; X stops it")

        try:
            written = write_list_file(self._screen.desk, wanted, path, stop=stop, step=step)
        except CancelledError as cancelled:
            if not self._leaving.is_set():
                tell(self._end, str(cancelled))
        except PendtuiError as fault:
            tell(self._end, f"Not exported: {fault}", wrong=True)
        else:
            tell(self._end, f"{count(written, 'claim')} written to {path}")

    def _end(self, line: str, *, wrong: bool = False) -> None:
        self._stop = None
        self._screen.say(line, wrong=wrong)


def ask_sheet(screen: PlaceScreen, view: ClaimView) -> None:
    """Ask for a file's name, and write the claim's hand-over sheet to it."""

    def named(said: list[str] | None) -> None:
        if said is None or not said[0]:
            return
        path = Path(said[0]).expanduser().absolute()
        try:
            write_sheet_file(screen.desk, view, path)
        except PendtuiError as fault:
            screen.say(f"Not exported: {fault}", wrong=True)
        else:
            screen.say(f"The hand-over sheet is written to {path}")

    question = f"Hand over {view.id}: a file that ends in .html (to print), .md or .jsonl"
    screen.app.push_screen(FormDialog(question, [Field("File", f"{view.id}.html")]), named)
