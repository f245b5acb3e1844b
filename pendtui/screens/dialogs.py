"""The questions a record screen asks: which cause, what the register holds, a note, and whether to deny."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from textual import events, on
from textual.app import ComposeResult
from textual.containers import Vertical, VerticalScroll
from textual.content import Content
from textual.screen import ModalScreen
from textual.widgets import Input, OptionList, Static
from textual.widgets.option_list import Option

from pendtui.plain import plain


@dataclass(frozen=True, slots=True)
class Choice:
    """One thing that can be chosen: its word and what the word means."""

    word: str
    meaning: str


class ChoiceDialog(ModalScreen[str | None]):
    """Choose one word of a short list by its number, or with the cursor and Enter."""

    CSS_PATH = "dialogs.tcss"
    BINDINGS = [
        ("escape,q", "cancel", "Cancel"),
        ("j", "down", "Down"),
        ("k", "up", "Up"),
        ("delete", "forget", "Forget"),
    ]

    def __init__(
        self,
        question: str,
        choices: Sequence[Choice],
        current: str | None,
        forget: Callable[[str], bool] | None = None,
    ) -> None:
        """`forget` takes a choice away for good, and says whether it did."""
        super().__init__()
        self._forget = forget
        self._question = question
        self._choices = choices
        self._current = current

    def compose(self) -> ComposeResult:
        width = max(len(choice.word) for choice in self._choices)
        options = [
            Option(
                Content.assemble(
                    (f"{n} {plain(choice.word).ljust(width)}", "bold"),
                    (" *" if choice.word == self._current else "  ") + plain(choice.meaning),
                ),
                id=choice.word,
            )
            for n, choice in enumerate(self._choices, 1)
        ]
        with Vertical(classes="dialog wide"):
            yield Static(Content.styled(self._question, "bold"))
            yield OptionList(*options)
            yield Static(Content.styled("a number, or Enter on a line; Esc leaves it as it is", "$text-muted"))

    def on_mount(self) -> None:
        words = [choice.word for choice in self._choices]
        listed = self.query_one(OptionList)
        listed.highlighted = words.index(self._current) if self._current in words else 0
        listed.focus()

    def on_key(self, event: events.Key) -> None:
        if event.character and event.character.isdigit() and 1 <= int(event.character) <= len(self._choices):
            event.stop()
            self.dismiss(self._choices[int(event.character) - 1].word)

    @on(OptionList.OptionSelected)
    def _selected(self, event: OptionList.OptionSelected) -> None:
        self.dismiss(event.option_id)

    def action_forget(self) -> None:
        listed = self.query_one(OptionList)
        if self._forget is not None and listed.highlighted is not None:
            word = self._choices[listed.highlighted].word
            if self._forget(word):
                self.dismiss(None)

    def action_down(self) -> None:
        self.query_one(OptionList).action_cursor_down()

    def action_up(self) -> None:
        self.query_one(OptionList).action_cursor_up()

    def action_cancel(self) -> None:
        self.dismiss(None)


class NoteDialog(ModalScreen[str | None]):
    """Ask for one line of text."""

    CSS_PATH = "dialogs.tcss"
    BINDINGS = [("escape", "cancel", "Cancel")]

    def __init__(self, question: str, value: str = "") -> None:
        """`value` is what stands there at first."""
        super().__init__()
        self._question = question
        self._value = value

    def compose(self) -> ComposeResult:
        with Vertical(classes="dialog"):
            yield Static(Content.styled(self._question, "bold"))
            yield Input(self._value, max_length=500)
            yield Static(Content.styled("Enter saves; Esc leaves it as it is", "$text-muted"))

    @on(Input.Submitted)
    def _entered(self, event: Input.Submitted) -> None:
        self.dismiss(event.value.strip())

    def action_cancel(self) -> None:
        self.dismiss(None)


@dataclass(frozen=True, slots=True)
class Field:
    """One line of a form: what is asked, and what stands there at first."""

    label: str
    value: str = ""


class FormDialog(ModalScreen[list[str] | None]):
    """Ask for a few lines of text: Enter goes on to the next one, and after the last one saves."""

    CSS_PATH = "dialogs.tcss"
    BINDINGS = [("escape", "cancel", "Cancel")]

    def __init__(self, question: str, fields: Sequence[Field]) -> None:
        super().__init__()
        self._question = question
        self._fields = fields

    def compose(self) -> ComposeResult:
        with Vertical(classes="dialog"):
            yield Static(Content.styled(self._question, "bold"))
            for field in self._fields:
                yield Static(Content(field.label), classes="label")
                yield Input(field.value, max_length=500)
            yield Static(Content.styled("Enter goes on, and saves after the last; Esc leaves it", "$text-muted"))

    def on_mount(self) -> None:
        self.query(Input).first().focus()

    @on(Input.Submitted)
    def _entered(self, event: Input.Submitted) -> None:
        inputs = list(self.query(Input))
        at = inputs.index(event.input)
        if at + 1 < len(inputs):
            inputs[at + 1].focus()
        else:
            self.dismiss([each.value.strip() for each in inputs])

    def action_cancel(self) -> None:
        self.dismiss(None)


class ConfirmDialog(ModalScreen[bool]):
    """Ask once more, with what the decision rests on in view."""

    CSS_PATH = "dialogs.tcss"
    BINDINGS = [("y,enter", "answer(True)", "Yes"), ("n,escape,q", "answer(False)", "No")]

    def __init__(self, question: str, grounds: Iterable[Content]) -> None:
        super().__init__()
        self._question = question
        self._grounds = tuple(grounds)

    def compose(self) -> ComposeResult:
        with VerticalScroll(classes="dialog"):
            yield Static(Content.styled(self._question, "bold $warning"))
            for ground in self._grounds:
                yield Static(ground)
            yield Static(Content.styled("y or Enter saves it; n or Esc goes back", "bold"))

    def action_answer(self, yes: bool) -> None:
        self.dismiss(yes)
