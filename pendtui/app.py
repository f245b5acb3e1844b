"""The Textual application: it holds the desk, opens the queue, and runs the reads that outlive a screen."""

from collections.abc import Callable, Coroutine

from textual.app import App
from textual.worker import Worker

from pendtui.actions import rebound
from pendtui.config import Config
from pendtui.desk.desk import Desk
from pendtui.screens.model_reading import ModelReading
from pendtui.screens.queue import QueueScreen

THEMES = {"dark": "textual-dark", "light": "textual-light"}


class PendtuiApp(App[None]):
    """The full-screen program."""

    TITLE = "pendtui"
    ENABLE_COMMAND_PALETTE = False

    def __init__(self, config: Config, desk: Desk, record: str | None = None) -> None:
        super().__init__()
        self.animation_level = "none"
        self.theme = THEMES[config.theme]
        self.desk = desk
        self.actions = rebound(config.keys)
        """The table of actions with the keys that the settings give."""
        self.set_keymap({action.id: action.keys for action in self.actions if action.id in config.keys})
        self.reading = ModelReading(desk, self._in_background)
        self._record = record

    def on_mount(self) -> None:
        self.push_screen(QueueScreen(self.desk, self.reading, self._record))

    def _in_background(self, work: Callable[[], Coroutine[None, None, None]]) -> Worker[None]:
        return self.run_worker(work, group="model")
