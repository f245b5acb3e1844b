"""The keys of a place, from the table of actions."""

from textual.app import ComposeResult
from textual.containers import VerticalScroll
from textual.content import Content
from textual.screen import ModalScreen
from textual.widgets import Static

from pendtui.actions import QUEUE
from pendtui.desk.query import WORDS
from pendtui.screens.bindings import actions_here

_MARKS = (
    "Marks in the list: !! breached, ! escalate-now, ? no deadline known; behind the status * stale (record or"
    " policy has changed since the decision, which has to be confirmed anew), ? worth a call: the offline reader is"
    " not sure of its class."
)
_FILTER = (
    "Words of the filter line; all of them have to match. Any other text is looked for in id, claim id, line,"
    " cause, resolution, register, title, and the names of those who decided it or whose it is. Quotes keep spaces"
    " together; a - in front turns a word round. f saves the line under a name."
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
        if self._place == QUEUE:
            lines += [Content(""), Content.styled(_MARKS, "$text-muted"), Content("")]
            lines += [Content.styled(_FILTER, "$text-muted"), *_filter_words()]
        lines += [Content(""), Content.styled(_PROMISE, "$text-muted")]
        with VerticalScroll(classes="dialog wide"):
            yield Static(Content.styled(f"Keys on the {self._place} screen", "bold"))
            yield Static(Content("\n").join(lines))

    async def action_dismiss(self, result: None = None) -> None:
        self.dismiss()


def _filter_words() -> list[Content]:
    width = max(len(word.shown) for word in WORDS) + 2
    return [Content.assemble((word.shown.ljust(width), "bold"), word.help) for word in WORDS]
