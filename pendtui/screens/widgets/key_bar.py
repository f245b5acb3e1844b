"""The line of keys at the bottom, as many lines high as it needs so that none is cut off."""

from collections.abc import Sequence

from rich.cells import cell_len
from rich.segment import Segment
from textual import events
from textual.geometry import Size
from textual.strip import Strip
from textual.timer import Timer
from textual.widget import Widget

from pendtui.actions import Action
from pendtui.plain import plain
from pendtui.screens.bindings import actions_here
from pendtui.screens.wrapping import wrap

SAID_SECONDS = 6.0
"""How long a message stands in place of the keys, unless another one comes."""

GAPS = (2, 1)
"""Cells between two keys: the narrower gap where that saves a line."""


class KeyBar(Widget):
    """Shows a place's keys from the table of actions, and for a while the last message in their place.

    A click on a key does what the key does.
    """

    COMPONENT_CLASSES = {"key-bar--key", "key-bar--label", "key-bar--said", "key-bar--wrong"}
    DEFAULT_CSS = """
    KeyBar { height: auto; background: $panel; }
    KeyBar > .key-bar--key { text-style: bold; color: $accent; background: $panel; }
    KeyBar > .key-bar--label { background: $panel; }
    KeyBar > .key-bar--said { text-style: bold; color: $success; background: $panel; }
    KeyBar > .key-bar--wrong { text-style: bold reverse; color: $error; background: $panel; }
    """

    def __init__(self, place: str) -> None:
        super().__init__()
        self._place = place
        self._actions: list[Action] = []
        self._said = ""
        self._wrong = False
        self._timer: Timer | None = None

    def on_mount(self) -> None:
        self._actions = [action for action in actions_here(self, self._place) if action.bar]

    def say(self, text: str, *, wrong: bool = False) -> None:
        """Show one message in place of the keys."""
        self._said, self._wrong = plain(text), wrong
        if self._timer is not None:
            self._timer.stop()
        self._timer = self.set_timer(SAID_SECONDS, self.be_quiet)
        self.refresh(layout=len(self._said_lines(self.size.width)) != self.size.height)

    def be_quiet(self) -> None:
        """Show the keys again."""
        self._said = ""
        self.refresh(layout=len(self._lines(self.size.width)[0]) != self.size.height)

    def _said_lines(self, width: int) -> list[str]:
        room = max(1, width - 2)
        return [f" {self._said[start:end]}" for start, end in wrap(self._said, room)] if self._said else []

    def get_content_height(self, container: Size, viewport: Size, width: int) -> int:
        return len(self._said_lines(width)) or len(self._lines(width)[0])

    def render_line(self, y: int) -> Strip:
        width = self.size.width
        if said := self._said_lines(width):
            style = self.get_component_rich_style("key-bar--wrong" if self._wrong else "key-bar--said")
            return Strip([Segment(said[y] if y < len(said) else "", style)]).adjust_cell_length(width, style)
        lines, gap = self._lines(width)
        key = self.get_component_rich_style("key-bar--key")
        label = self.get_component_rich_style("key-bar--label")
        segments = []
        for action in lines[y] if y < len(lines) else ():
            segments += [Segment(f" {action.shown}", key), Segment(f" {action.label}{' ' * (gap - 1)}", label)]
        return Strip(segments).adjust_cell_length(width, label)

    async def on_click(self, event: events.Click) -> None:
        if self._said:
            return
        lines, gap = self._lines(self.size.width)
        at = 0
        for action in lines[event.y] if event.y < len(lines) else ():
            at += _width(action, gap)
            if event.x < at:
                await self.screen.run_action(action.name)
                return

    def _lines(self, width: int) -> tuple[list[Sequence[Action]], int]:
        """The actions of each line, and the gap between them."""
        wide, narrow = (self._filled(width, gap) for gap in GAPS)
        return (narrow, GAPS[1]) if len(narrow) < len(wide) else (wide, GAPS[0])

    def _filled(self, width: int, gap: int) -> list[Sequence[Action]]:
        lines: list[list[Action]] = [[]]
        room = width
        for action in self._actions:
            if _width(action, gap) > room and lines[-1]:
                lines.append([])
                room = width
            lines[-1].append(action)
            room -= _width(action, gap)
        return list(lines)


def _width(action: Action, gap: int) -> int:
    return cell_len(action.shown) + cell_len(action.label) + 1 + gap
