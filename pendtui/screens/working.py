"""What queue and record screen share of working a claim with others: assigning, and the diary of requests."""

from collections.abc import Callable, Sequence

from textual.screen import Screen

from pendtui.desk.desk import Desk
from pendtui.screens.dialogs import Choice, ChoiceDialog, NoteDialog

NOBODY, OTHER = "nobody", "somebody else"
ANSWERED, WITHDRAWN, ASK_AGAIN = "answer in", "no longer needed", "ask again"


def ask_assignee(screen: Screen[None], desk: Desk, which: str, then: Callable[[str], None]) -> None:
    """Ask whose a claim (or several) shall be, and go on with the name; empty for nobody."""
    choices = [Choice(name, "me" if name == desk.user else what) for name, what in desk.assignees.items()]
    choices += [Choice(NOBODY, "whoever gets it"), Choice(OTHER, "type a name")]

    def typed(name: str | None) -> None:
        if name:
            then(name)

    def chosen(name: str | None) -> None:
        if name == OTHER:
            screen.app.push_screen(NoteDialog(f"Assign {which} to: a system user, or a queue's name"), typed)
        elif name is not None:
            then("" if name == NOBODY else name)

    screen.app.push_screen(ChoiceDialog(f"Whose is {which}?", choices, None), chosen)


def answer_choices(asked: str) -> Sequence[Choice]:
    """What can be said of a request that is out."""
    return [
        Choice(ANSWERED, f"what {asked or 'they'} sent is on file; the claim can be worked"),
        Choice(WITHDRAWN, "the request is taken back; the claim can be worked"),
        Choice(ASK_AGAIN, "note another request in its place"),
    ]
