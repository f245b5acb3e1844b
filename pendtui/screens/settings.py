"""The settings view: every setting with where it came from, changed in config.toml and in force at once."""

from collections.abc import Iterator
from typing import Protocol, cast

from textual import on, work
from textual.app import App, ComposeResult
from textual.content import Content
from textual.widgets import OptionList, Static

from pendtui.actions import SETTINGS
from pendtui.config import FLAGS, NOTICES, SECTIONS, THEMES, Config
from pendtui.desk import settings_file
from pendtui.desk.claim_view import ClaimView
from pendtui.desk.desk import Desk
from pendtui.engines.readers import OFFLINE_ARMS
from pendtui.errors import PendtuiError
from pendtui.plain import plain
from pendtui.screens.bindings import bindings_at
from pendtui.screens.dialogs import Choice, ChoiceDialog, ConfirmDialog, Field, FormDialog
from pendtui.screens.place import RowsScreen
from pendtui.screens.widgets.key_bar import KeyBar
from pendtui.screens.widgets.tour import TourBar

NONE = "none"
"""How a choice of nothing is shown."""
CHOICES = {"theme": THEMES, "reader": OFFLINE_ARMS, "notify": NOTICES} | dict.fromkeys(FLAGS, ("true", "false"))
"""The settings with a closed list of values."""


class TakesSettings(Protocol):
    """The program, as far as it takes other settings into force."""

    def apply(self, config: Config) -> None:
        """Take them into force at once. Raises PendtuiError, with all as it was, where they cannot be."""
        ...


class SettingsScreen(RowsScreen):
    """Lists the settings; Enter changes one in the file and at once in the program."""

    PLACE = SETTINGS
    BINDINGS = bindings_at(SETTINGS)

    def __init__(self, desk: Desk, claim: ClaimView | None = None) -> None:
        super().__init__(desk, claim)
        self._settings = tuple(name for names in SECTIONS.values() for name in names)
        self._meanings = settings_file.meanings()

    def compose(self) -> ComposeResult:
        yield Static(id="view-title")
        yield OptionList(id="rows", compact=True)
        yield Static(id="row")
        yield TourBar()
        yield KeyBar(SETTINGS)

    def begin(self) -> None:
        self._rows.focus()
        self.show()
        self._rows.highlighted = 0

    def title_line(self) -> Content:
        file = settings_file.target(self.desk.config)
        there = "" if file.exists() else ", which is not there yet"
        return Content(plain(f"Settings, changed in {file}{there}; keys are changed by hand ([keys])"))

    def show(self) -> None:
        """List the settings as they are; the cursor stays where it is."""
        at = self._rows.highlighted
        self._rows.clear_options()
        self._rows.add_options(list(setting_lines(self.desk.config)))
        self._rows.highlighted = at
        self.query_one("#view-title", Static).update(self.title_line())
        self._show_setting()

    @on(OptionList.OptionHighlighted)
    def _show_setting(self) -> None:
        name = self._setting
        if name is None:
            return
        origin = self.desk.config.origins.get(name, "default")
        obstacle = settings_file.obstacle(self.desk.config, name)
        lines = (
            self._meanings.get(name, ""),
            f"from {origin}" if origin != "default" else "the default",
            f"Cannot be changed here: {obstacle}." if obstacle else "Enter changes it.",
        )
        self.query_one("#row", Static).update(Content("\n").join(Content(plain(line)) for line in lines))

    @property
    def _setting(self) -> str | None:
        at = self._rows.highlighted
        return self._settings[at] if at is not None else None

    # Changing

    @on(OptionList.OptionSelected)
    def _chosen(self) -> None:
        self.action_change()

    def action_change(self) -> None:
        name = self._setting
        if name is None:
            return
        obstacle = settings_file.obstacle(self.desk.config, name)
        if obstacle:
            self.say(f"{name} cannot be changed here: {obstacle}.", wrong=True)
            return
        current = settings_file.shown(getattr(self.desk.config, name))
        question = f"{name}: {self._meanings.get(name, '')}"
        if name in CHOICES:
            choices = [Choice(word or NONE, "") for word in CHOICES[name]]
            self.app.push_screen(ChoiceDialog(question, choices, current or NONE), self._word_chosen)
        else:
            self.app.push_screen(FormDialog(question, [Field(name, current)]), self._typed)

    def _word_chosen(self, word: str | None) -> None:
        if word is not None:
            self._save("" if word == NONE else word)

    def _typed(self, said: list[str] | None) -> None:
        if said is not None:
            self._save(said[0])

    def _save(self, text: str, *, rewrite: bool = False) -> None:
        name = self._setting
        if name is None:
            return
        try:
            changed = settings_file.change(
                self.desk.config, name, settings_file.parse(name, text), rewrite=rewrite, accept=self._apply
            )
        except settings_file.CommentsLostError as fault:
            grounds = [Content(plain(f"{fault.where} would be written anew, without its comments."))]
            question = f"Change {name} all the same?"

            def answered(yes: bool | None) -> None:
                if yes:
                    self._save(text, rewrite=True)

            self.app.push_screen(ConfirmDialog(question, grounds), answered)
            return
        except PendtuiError as fault:
            self.say(f"Not changed: {fault}", wrong=True)
            return
        kept = "" if changed.comments_kept else "; its comments could not be kept"
        said = f"{name} is {text or NONE} in {changed.file}{kept}, and in force."
        app = self.app
        if app.screen is self:
            self.show()
            self.say(said)
        else:  # another desk was opened, with screens of its own
            app.call_after_refresh(_say_on, app, name, said)

    def _apply(self, config: Config) -> None:
        cast("TakesSettings", self.app).apply(config)

    def point_at(self, name: str | None, said: str) -> None:
        """Put the cursor on a setting and say what became of it."""
        if name is not None:
            self._rows.highlighted = self._settings.index(name)
        self.say(said)

    # The model's server

    def action_test_model(self) -> None:
        obstacle = self.desk.model_obstacle()
        if obstacle is not None:
            self.say(f"No model can be asked: {obstacle}", wrong=True)
            return
        self.say(f"asking {self.desk.model_server()} …")
        self._probe()

    @work(exclusive=True)
    async def _probe(self) -> None:
        from pendtui.desk.model_probe import probe

        try:
            self.say(await probe(self.desk.config))
        except PendtuiError as fault:
            self.say(str(fault), wrong=True)


def _say_on(app: App[None], name: str, said: str) -> None:
    if isinstance(app.screen, SettingsScreen):
        app.screen.point_at(name, said)


def setting_lines(config: Config) -> Iterator[Content]:
    """A line a setting: where it stands, its value, and whether it is the default."""
    for section, names in SECTIONS.items():
        for name in names:
            value = settings_file.shown(getattr(config, name))
            if name == "url" and value:
                from pendtui.desk.journal.postgres_address import Address

                value = Address.parse(value).shown
            default = config.origins.get(name, "default") == "default"
            yield Content.assemble(
                (f"{section + '.' + name:32}", "$text-muted" if default else "bold"), plain(value) or NONE
            )
