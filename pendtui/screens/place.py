"""What every screen with keys of its own can do: say a line, help, the palette, and open the views."""

from collections.abc import Callable
from typing import ClassVar, Protocol, cast

from textual.app import ComposeResult
from textual.containers import VerticalScroll
from textual.content import Content
from textual.screen import Screen
from textual.widgets import OptionList, Static

from pendtui.actions import EVIDENCE, JOURNAL, OVERVIEW, POLICY, POPULATION, SETTINGS
from pendtui.desk.claim_view import ClaimView
from pendtui.desk.desk import Desk
from pendtui.desk.journal import Entry
from pendtui.errors import PendtuiError
from pendtui.screens.frames import Frames
from pendtui.screens.widgets.key_bar import KeyBar
from pendtui.screens.widgets.tour import STEPS, TourBar


class HasTour(Protocol):
    """The program, as far as it keeps the step that the tour has reached; None for no tour."""

    tour: int | None


class HasFrames(Protocol):
    """The program, as far as it keeps what the terminal shows."""

    frames: Frames


class PlaceScreen(Screen[None]):
    """A screen that is a place of the table of actions, with a key bar at the bottom."""

    PLACE: ClassVar[str]

    def __init__(self, desk: Desk) -> None:
        super().__init__()
        self.desk = desk

    def say(self, text: str, *, wrong: bool = False) -> None:
        """Tell the examiner one line."""
        self.query_one(KeyBar).say(text, wrong=wrong)

    @property
    def claim(self) -> ClaimView | None:
        """The claim that is worked here, or that was when the view was opened."""
        return None

    def open(self, record_id: str) -> None:
        """Open a record of the queue."""
        raise NotImplementedError

    def undo(self) -> Entry | None:
        """Undo the examiner's last decision; None, with a line that says why, where nothing was undone."""
        try:
            entry = self.desk.decisions.undo()
        except PendtuiError as fault:
            self.say(str(fault), wrong=True)
            return None
        if entry is None:
            self.say("There is no decision of yours to undo.")
        return entry

    def action_palette(self) -> None:
        from pendtui.screens.palette import show_palette

        show_palette(self.app)

    def action_help(self) -> None:
        from pendtui.screens.help import HelpScreen

        self.app.push_screen(HelpScreen(self.PLACE))

    def action_redraw(self) -> None:
        cast("HasFrames", self.app).frames.forget()
        self.refresh()

    def on_screen_resume(self) -> None:
        self._show_tour()

    def _show_tour(self) -> None:
        for bar in self.query(TourBar):
            bar.show_step(cast("HasTour", self.app).tour)

    def action_tour(self) -> None:
        app = cast("HasTour", self.app)
        following = 0 if app.tour is None else app.tour + 1
        app.tour = following if following < len(STEPS) else None
        self._show_tour()

    def action_end_tour(self) -> None:
        cast("HasTour", self.app).tour = None
        self._show_tour()

    def action_overview(self) -> None:
        self._view(OVERVIEW, _overview)

    def action_population(self) -> None:
        self._view(POPULATION, _population)

    def action_policy(self) -> None:
        self._view(POLICY, _policy)

    def action_journal(self) -> None:
        self._view(JOURNAL, _journal)

    def action_evidence(self) -> None:
        self._view(EVIDENCE, _evidence)

    def action_settings(self) -> None:
        self._view(SETTINGS, _settings)

    def _view(self, place: str, make: Callable[[Desk, ClaimView | None], "ViewScreen"]) -> None:
        """Open a view, in place of the view that is open; not the one that is."""
        if place == self.PLACE:
            return
        view = make(self.desk, self.claim)
        if isinstance(self, ViewScreen):
            self.app.switch_screen(view)
        else:
            self.app.push_screen(view)


class ViewScreen(PlaceScreen):
    """A screen that is looked at beside the work: a title, lines that scroll, and its keys.

    A view says what it shows by `title_line` and `lines`; one that holds widgets of its own gives its own `body`.
    """

    CSS_PATH = "view.tcss"

    def __init__(self, desk: Desk, claim: ClaimView | None = None) -> None:
        super().__init__(desk)
        self._claim = claim

    @property
    def claim(self) -> ClaimView | None:
        return self._claim

    def compose(self) -> ComposeResult:
        yield Static(id="view-title")
        with VerticalScroll(id="view-body"):
            yield from self.body()
        yield TourBar()
        yield KeyBar(self.PLACE)

    def body(self) -> ComposeResult:
        """The widgets below the title."""
        yield Static(id="view-lines")

    def on_mount(self) -> None:
        self.begin()

    def on_resize(self) -> None:
        self.fit()

    def begin(self) -> None:
        """Show the view for the first time."""
        self.query_one("#view-body").focus()
        self.show()

    def fit(self) -> None:
        """Show the view in another size."""
        self.show()

    def show(self) -> None:
        """Show the view as things stand."""
        self.query_one("#view-title", Static).update(self.title_line())
        lines = Content("\n").join(self.lines(max(20, self.app.size.width - 3)))
        self.query_one("#view-lines", Static).update(lines)

    def title_line(self) -> Content:
        """What this is, in one line."""
        raise NotImplementedError

    def lines(self, width: int) -> list[Content]:
        """The lines of the view, for so many cells."""
        raise NotImplementedError

    def open(self, record_id: str) -> None:
        """Open a record where the view was opened from."""
        self.app.pop_screen()
        below = self.app.screen
        if isinstance(below, PlaceScreen):
            below.open(record_id)

    @property
    def _body(self) -> VerticalScroll:
        return self.query_one("#view-body", VerticalScroll)

    def action_leave(self) -> None:
        self.app.pop_screen()

    def action_scroll_down(self) -> None:
        self._body.scroll_down(animate=False)

    def action_scroll_up(self) -> None:
        self._body.scroll_up(animate=False)

    def action_page_down(self) -> None:
        self._body.scroll_page_down(animate=False)

    def action_page_up(self) -> None:
        self._body.scroll_page_up(animate=False)

    def action_scroll_home(self) -> None:
        self._body.scroll_home(animate=False)

    def action_scroll_end(self) -> None:
        self._body.scroll_end(animate=False)


class RowsScreen(ViewScreen):
    """A view whose body is a list of one-line rows with a cursor, of the id `rows`."""

    @property
    def _rows(self) -> OptionList:
        return self.query_one("#rows", OptionList)

    def fit(self) -> None:
        """Rows are cut by the terminal's width and need no new list."""

    def lines(self, width: int) -> list[Content]:
        """The rows are in the list, which paints them."""
        return []

    def action_scroll_down(self) -> None:
        self._rows.action_cursor_down()

    def action_scroll_up(self) -> None:
        self._rows.action_cursor_up()

    def action_page_down(self) -> None:
        self._rows.action_page_down()  # type: ignore[no-untyped-call]

    def action_page_up(self) -> None:
        self._rows.action_page_up()  # type: ignore[no-untyped-call]

    def action_scroll_home(self) -> None:
        self._rows.action_first()

    def action_scroll_end(self) -> None:
        self._rows.action_last()


# Each view is imported when it is first opened: start-up time is a feature.


def _overview(desk: Desk, claim: ClaimView | None) -> ViewScreen:
    from pendtui.screens.overview import OverviewScreen

    return OverviewScreen(desk, claim)


def _population(desk: Desk, claim: ClaimView | None) -> ViewScreen:
    from pendtui.screens.population import PopulationScreen

    return PopulationScreen(desk, claim)


def _policy(desk: Desk, claim: ClaimView | None) -> ViewScreen:
    from pendtui.screens.policy import PolicyScreen

    return PolicyScreen(desk, claim)


def _journal(desk: Desk, claim: ClaimView | None) -> ViewScreen:
    from pendtui.screens.journal import JournalScreen

    return JournalScreen(desk, claim)


def _evidence(desk: Desk, claim: ClaimView | None) -> ViewScreen:
    from pendtui.screens.evidence import EvidenceScreen

    return EvidenceScreen(desk, claim)


def _settings(desk: Desk, claim: ClaimView | None) -> ViewScreen:
    from pendtui.screens.settings import SettingsScreen

    return SettingsScreen(desk, claim)
