"""Why a reader gave its cause class: the passages that counted, and how much."""

from collections.abc import Iterator

from textual.app import ComposeResult
from textual.containers import VerticalScroll
from textual.content import Content
from textual.screen import ModalScreen
from textual.widgets import Static

from pendtui.desk.account import weighed
from pendtui.desk.claim_view import ClaimView
from pendtui.engines.readers import Support
from pendtui.plain import plain


class WhyScreen(ModalScreen[None]):
    """Lists what counted for each class that anything spoke for, the given class first."""

    CSS_PATH = "dialogs.tcss"
    BINDINGS = [
        ("escape,q,w,enter", "dismiss", "Close"),
        ("j,down", "scroll(1)", "Down"),
        ("k,up", "scroll(-1)", "Up"),
    ]

    def __init__(self, view: ClaimView) -> None:
        super().__init__()
        self._view = view

    def compose(self) -> ComposeResult:
        with VerticalScroll(classes="dialog wide"):
            yield Static(Content("\n").join(why_lines(self._view)))

    async def action_dismiss(self, result: None = None) -> None:
        self.dismiss()

    def action_scroll(self, lines: int) -> None:
        self.query_one(VerticalScroll).scroll_relative(y=lines, animate=False)


def why_lines(view: ClaimView) -> Iterator[Content]:
    """What counted, class by class, the heaviest passage first; the runner-up is the second class."""
    reading = view.reading
    sure = "" if reading.confidence is None else f", {reading.confidence:.0%} sure"
    given = reading.cause or "no cause class"
    yield Content.styled(f"{view.id}: the {reading.arm} reader gave {given}{sure}", "bold")
    if reading.unsure:
        yield Content.styled(f"Worth a call: {plain(reading.unsure)}", "bold $warning")
    found = weighed(reading)
    if not found:
        yield Content("Nothing in message, notes or trail spoke for any class.")
    for cause, total, role, supports in found:
        yield Content("")
        yield Content.styled(f"{cause}  {total:+.1f}{role}", "bold $primary")
        for support in supports:
            yield Content.assemble((f"  {support.weight:+5.1f}  ", "bold"), plain(support.note))
            yield Content.styled(f"         “{_sentence(view, support)}”", "$text-muted")


def _sentence(view: ClaimView, support: Support) -> str:
    return " ".join(plain(view.claim.record.text[slice(*support.span)].replace("\n", " ")).split())
