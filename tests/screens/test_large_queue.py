"""A queue so large that filters and orders are looked for in a thread of their own."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from textual.pilot import Pilot

from pendtui.app import PendtuiApp
from pendtui.screens.queue import QueueScreen
from tests.desks import app_in
from tests.queues import days_left
from tests.screens.screen_text import listed_ids, screen_text

CLAIMS = {
    "PC-0001": {**days_left(20), "evidence": "awaited"},
    "PC-0002": {**days_left(-4), "evidence": "none"},
    "PC-0003": {**days_left(3), "evidence": "awaited"},
    "PC-0004": {**days_left(-1), "evidence": "clean"},
}
BY_CLOCK = ["PC-0002", "PC-0004", "PC-0003", "PC-0001"]


@pytest.fixture
def app(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[PendtuiApp]:
    monkeypatch.setattr("pendtui.desk.desk.LARGE_QUEUE", 3)
    opened = app_in(tmp_path, CLAIMS)
    yield opened
    opened.desk.close()


async def lists(pilot: Pilot[None], *expected: str) -> None:
    """Wait until these records are listed and nothing is being looked for."""
    for _ in range(200):
        shown = screen_text(pilot.app)
        if listed_ids(shown) == list(expected) and "listing" not in shown:
            return
        await pilot.pause(0.05)
    raise AssertionError(screen_text(pilot.app))


def under_cursor(app: PendtuiApp) -> str:
    assert isinstance(app.screen, QueueScreen) and app.screen.listed.row is not None
    return app.screen.listed.row.id


async def test_a_filter_narrows_the_list_and_escape_widens_it(app: PendtuiApp) -> None:
    async with app.run_test(size=(120, 30)) as pilot:
        await lists(pilot, *BY_CLOCK)
        await pilot.press("slash", *"awaited")
        await lists(pilot, "PC-0003", "PC-0001")
        await pilot.press("enter", "j")
        assert under_cursor(app) == "PC-0001"
        await pilot.press("escape")
        await lists(pilot, *BY_CLOCK)
        assert under_cursor(app) == "PC-0001"


async def test_a_word_that_is_not_finished_lists_all_and_says_so(app: PendtuiApp) -> None:
    async with app.run_test(size=(120, 30)) as pilot:
        await pilot.press("slash", *"left:")
        await lists(pilot, *BY_CLOCK)
        assert "left: needs a value" in screen_text(app)
        await pilot.press(*"<0")
        await lists(pilot, "PC-0002", "PC-0004")


async def test_every_order_lists_every_record(app: PendtuiApp) -> None:
    async with app.run_test(size=(120, 30)) as pilot:
        await lists(pilot, *BY_CLOCK)
        await pilot.press("s")
        await lists(pilot, "PC-0002", "PC-0004", "PC-0003", "PC-0001")
        await pilot.press("s")
        await lists(pilot, "PC-0001", "PC-0002", "PC-0003", "PC-0004")


async def test_what_comes_into_the_folder_comes_into_a_filtered_list(app: PendtuiApp, tmp_path: Path) -> None:
    queue = tmp_path / "queue"
    async with app.run_test(size=(120, 30)) as pilot:
        await pilot.press("slash", *"PC-000", "enter")
        await lists(pilot, *BY_CLOCK)
        (queue / "PC-0004.txt").unlink()
        await lists(pilot, "PC-0002", "PC-0003", "PC-0001")


async def test_an_index_that_is_lost_while_a_filter_is_on_brings_the_same_list_again(app: PendtuiApp) -> None:
    from pendtui.desk.index_file import discard

    async with app.run_test(size=(120, 30)) as pilot:
        await pilot.press("slash", *"awaited", "enter", "j")
        await lists(pilot, "PC-0003", "PC-0001")
        assert under_cursor(app) == "PC-0001"
        discard(app.desk.index.path)
        for _ in range(200):
            await pilot.pause(0.05)
            if app.desk.index.path.exists():
                break
        await lists(pilot, "PC-0003", "PC-0001")
        assert under_cursor(app) == "PC-0001"
