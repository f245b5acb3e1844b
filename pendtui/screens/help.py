"""The keys of a place, from the table of actions."""

from textual.app import ComposeResult
from textual.containers import VerticalScroll
from textual.content import Content
from textual.screen import ModalScreen
from textual.widgets import Static

from pendtui.actions import QUEUE
from pendtui.screens.bindings import actions_here

_MARKS = (
    "Marks in the list: !! breached, ! escalate-now, ? no deadline known; behind the status * stale (record or"
    " policy has changed since the decision, which has to be confirmed anew), ? worth a call: the offline reader is"
    " not sure of its class."
)
_FILTER = (
    "Filter words match id, claim id, line, cause, resolution, register, title and examiner. The words breached,"
    " escalate, within, open, accepted, changed, parked, faulty, stale and unsure pick by state."
)
_PROMISE = (
    "The program proposes. Nothing is released, denied, adjusted or routed by it; an examiner applies each answer."
)


class HelpScreen(ModalScreen[None]):
    """Lists what each key does here."""

    CSS_PATH = "dialogs.tcss"
    BINDINGS = [("escape,q,question_mark,enter,f1", "dismiss", "Close")]

    def __init__(self, place: str) -> None:
        super().__init__()
        self._place = place

    def compose(self) -> ComposeResult:
        actions = actions_here(self, self._place)
        width = max(len(action.shown) for action in actions) + 2
        lines = [Content.assemble((action.shown.ljust(width), "bold"), action.help) for action in actions]
        notes = [_MARKS, _FILTER] if self._place == QUEUE else []
        for note in (*notes, _PROMISE):
            lines += [Content(""), Content.styled(note, "$text-muted")]
        with VerticalScroll(classes="dialog wide"):
            yield Static(Content.styled(f"Keys on the {self._place} screen", "bold"))
            yield Static(Content("\n").join(lines))

    async def action_dismiss(self, result: None = None) -> None:
        self.dismiss()
