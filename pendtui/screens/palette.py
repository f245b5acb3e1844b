"""Find anything: every action that applies here, and every record by its id."""

from collections.abc import Callable
from functools import partial

from textual.app import App
from textual.command import CommandPalette, DiscoveryHit, Hit, Hits, Provider, SearchIcon
from textual.content import Content
from textual.screen import Screen

from pendtui.desk.desk import Desk
from pendtui.plain import plain
from pendtui.screens.bindings import actions_here

FOUND = 20
"""Most records that the palette lists."""


class Actions(Provider):
    """The actions of the screen that the palette was called from."""

    async def discover(self) -> Hits:
        for label, does, run in self._listed():
            yield DiscoveryHit(label, run, help=does)

    async def search(self, query: str) -> Hits:
        matcher = self.matcher(query)
        for label, does, run in self._listed():
            # What an action does counts where it holds the very words, and less than what it is called.
            score = matcher.match(label) or (0.1 if query.lower() in does.lower() else 0.0)
            if score > 0:
                yield Hit(score, matcher.highlight(label), run, help=does)

    def _listed(self) -> list[tuple[str, str, Callable[[], object]]]:
        screen = self.screen
        place = getattr(screen, "PLACE", "")
        return [
            (f"{action.label}  {action.shown}", action.help, partial(screen.run_action, action.name))
            for action in actions_here(screen, place)
            if action.name != "palette"
        ]


class Records(Provider):
    """The records of the queue whose id begins with what was typed."""

    async def search(self, query: str) -> Hits:
        screen = self.screen
        desk: Desk = screen.desk  # type: ignore[attr-defined]
        for row in desk.find_ids(query.strip(), FOUND):
            about = plain(f"{row.line_of_business} {row.cause} {row.title}")
            yield Hit(1.0, Content(plain(row.id)), partial(_open, screen, row.id), help=about)


def _open(screen: Screen[object], record_id: str) -> None:
    screen.open(record_id)  # type: ignore[attr-defined]


class Palette(CommandPalette):
    """Textual's palette, with a sign in front that every terminal has and that is one cell wide."""

    def on_mount(self) -> None:
        self.query_one(SearchIcon).icon = ">"


def show_palette(app: App[None]) -> None:
    """Put the palette over the present screen."""
    app.push_screen(Palette(providers=[Actions, Records], placeholder="an action, or a record's id"))
