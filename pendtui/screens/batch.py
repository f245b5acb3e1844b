"""Many claims put to the model: a look before it starts, and how far it has come."""

from collections.abc import Sequence

from textual.app import ComposeResult
from textual.containers import Vertical, VerticalScroll
from textual.content import Content
from textual.screen import ModalScreen
from textual.widgets import Static

from pendtui.desk.words import count
from pendtui.plain import plain
from pendtui.screens.model_reading import ModelReading
from pendtui.screens.wording import batch_lines


class BatchScreen(ModalScreen[None]):
    """Asks before a batch starts and shows how far it has come. It may be left; the batch goes on."""

    CSS_PATH = "dialogs.tcss"
    BINDINGS = [
        ("enter", "begin(False)", "Begin"),
        ("u", "begin(True)", "Only unsure"),
        ("p", "pause", "Pause"),
        ("c", "cancel", "Cancel"),
        ("escape,q", "dismiss", "Close"),
    ]

    def __init__(self, reading: ModelReading, listed: Sequence[str], unsure: int, server: str) -> None:
        super().__init__()
        self._reading = reading
        self._listed = listed
        self._unsure = unsure
        self._server = server

    def compose(self) -> ComposeResult:
        with Vertical(classes="dialog"):
            yield Static(Content.styled("Read with the model", "bold"))
            yield Static(id="batch")

    def on_mount(self) -> None:
        self._reading.batch_changed = self._show
        self._show()

    def on_unmount(self) -> None:
        self._reading.batch_changed = lambda: None

    def _show(self) -> None:
        progress = self._reading.batch_progress
        lines = []
        if self._reading.batch_failure:
            lines.append(Content.styled(plain(self._reading.batch_failure), "bold $error"))
        if self._reading.batch_under_way and progress is not None:
            lines += [Content(plain(line)) for line in batch_lines(progress)]
            keys = "p goes on" if progress.paused else "p pauses"
            lines.append(Content.styled(f"{keys}, c cancels; Esc leaves it running", "$text-muted"))
        else:
            if progress is not None:
                lines += [Content(plain(line)) for line in batch_lines(progress)]
            lines += [
                Content(plain(f"{count(len(self._listed), 'listed record')} would be put to {self._server}.")),
                Content(
                    f"The offline reader is unsure of {self._unsure:,} of them; a reply that is held costs nothing."
                ),
                Content.styled("Enter begins, u asks about the unsure ones only, Esc leaves it", "$text-muted"),
            ]
        self.query_one("#batch", Static).update(Content("\n").join(lines))

    def action_begin(self, only_unsure: bool) -> None:
        if not self._reading.batch_under_way and self._listed:
            self._reading.start_batch(self._listed, only_unsure=only_unsure)
            self._show()

    def action_pause(self) -> None:
        self._reading.pause_or_go_on()

    def action_cancel(self) -> None:
        self._reading.cancel_batch()

    async def action_dismiss(self, result: None = None) -> None:
        self.dismiss()


class RawReplyScreen(ModalScreen[None]):
    """The model's raw reply, every character of it, none obeyed."""

    CSS_PATH = "dialogs.tcss"
    BINDINGS = [
        ("escape,q,x,enter", "dismiss", "Close"),
        ("j,down", "scroll(1)", "Down"),
        ("k,up", "scroll(-1)", "Up"),
    ]

    def __init__(self, text: str) -> None:
        super().__init__()
        self._text = text

    def compose(self) -> ComposeResult:
        with VerticalScroll(classes="dialog wide"):
            yield Static(Content.styled("The raw reply, as it came", "bold"))
            yield Static(Content("\n".join(plain(line) for line in self._text.split("\n"))))

    async def action_dismiss(self, result: None = None) -> None:
        self.dismiss()

    def action_scroll(self, lines: int) -> None:
        self.query_one(VerticalScroll).scroll_relative(y=lines, animate=False)
