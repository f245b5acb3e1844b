"""The Textual application: it holds the desk and opens the queue."""

from textual.app import App

from pendtui.config import Config
from pendtui.desk.desk import Desk
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
        self._record = record

    def on_mount(self) -> None:
        self.push_screen(QueueScreen(self.desk, self._record))
