"""The Textual application: it holds the desk, opens the queue, and runs the reads that outlive a screen."""

from textual.app import App
from textual.driver import Driver
from textual.theme import Theme

from pendtui.actions import rebound
from pendtui.config import Config
from pendtui.desk.desk import Desk
from pendtui.screens.frames import Frames
from pendtui.screens.model_reading import ModelReading
from pendtui.screens.queue import QueueScreen

THEMES = {"dark": "textual-dark", "light": "textual-light", "high-contrast": "pendtui-high-contrast"}

HIGH_CONTRAST = Theme(
    name=THEMES["high-contrast"],
    primary="#00ffff",
    secondary="#ffffff",
    accent="#ffff00",
    warning="#ffff00",
    error="#ff8080",
    success="#80ff80",
    foreground="#ffffff",
    background="#000000",
    surface="#000000",
    panel="#000000",
    boost="#303030",
    variables={"text-muted": "#ffffff"},
)
"""Every text at a contrast of 7 to 1 or more on black, and nothing greyed out."""

REOPENING = (
    *("queue", "policy", "reader", "recorded", "as_of", "display_name", "journal", "index_folder", "url", "keys"),
)
"""The settings that another desk has to be opened for."""


class PendtuiApp(App[None]):
    """The full-screen program."""

    TITLE = "pendtui"
    ENABLE_COMMAND_PALETTE = False

    def __init__(self, config: Config, desk: Desk, record: str | None = None, *, first_start: bool = False) -> None:
        self.frames = Frames()
        """What the terminal shows."""
        super().__init__()
        self.animation_level = "none"
        self.register_theme(HIGH_CONTRAST)
        self.theme = THEMES[config.theme]
        self.desk = desk
        self.actions = rebound(config.keys)
        """The table of actions with the keys that the settings give."""
        self.set_keymap({action.id: action.keys for action in self.actions if action.id in config.keys})
        self.reading = ModelReading(desk, self.call_later)
        self.tour: int | None = 0 if first_start else None
        """The step that the tour has reached; None for no tour."""
        self._record = record

    def get_driver_class(self) -> type[Driver]:
        driver = super().get_driver_class()
        if driver.__name__ != "LinuxDriver":
            return driver  # a browser's, or that of another system
        from pendtui.screens.driver import SparingDriver

        return SparingDriver

    def on_mount(self) -> None:
        self.push_screen(QueueScreen(self.desk, self.reading, self._record))

    def on_unmount(self) -> None:
        self.reading.stop()

    def apply(self, config: Config) -> None:
        """Take other settings into force at once. Raises PendtuiError, with all as it was, where they cannot be."""
        old = self.desk.config
        actions = rebound(config.keys)
        if any(getattr(config, name) != getattr(old, name) for name in REOPENING):
            self._reopen(config)
        self.actions = actions
        self.set_keymap({action.id: action.keys for action in actions if action.id in config.keys})
        self.desk.config = config
        self.theme = THEMES[config.theme]

    def _reopen(self, config: Config) -> None:
        from pendtui.screens.settings import SettingsScreen

        desk, before = self.desk.reopened(config), self.desk
        self.reading.stop()
        self.desk = desk
        self.reading = ModelReading(desk, self.call_later)
        while len(self.screen_stack) > 1:
            self.pop_screen()
        self.push_screen(QueueScreen(desk, self.reading))
        self.push_screen(SettingsScreen(desk))
        self.call_after_refresh(before.close)
