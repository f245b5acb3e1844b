"""The overview, looked at and left again."""

from pathlib import Path

import pytest

from pendtui.screens.widgets.ahead import signs
from tests.desks import app_in
from tests.screens.screen_text import screen_text, settled
from tests.screens.test_queue_screen import SIZES, press


@pytest.mark.parametrize("size", SIZES)
async def test_the_overview_says_what_is_due_and_what_turns_when(tmp_path: Path, size: tuple[int, int]) -> None:
    async with app_in(tmp_path).run_test(size=size) as pilot:
        await press(pilot, "o")
        text = await settled(pilot)
        assert "as of 2026-09-01" in text
        assert "0 of 2 decided that were due" in text
        assert "2026-09-02 Wed" in text


async def test_a_key_leads_back_to_where_the_view_was_opened(tmp_path: Path) -> None:
    app = app_in(tmp_path)
    async with app.run_test() as pilot:
        queue = app.screen
        await press(pilot, "enter")
        record = app.screen
        await press(pilot, "o", "escape")
        assert app.screen is record
        await press(pilot, "q", "o", "q")
        assert app.screen is queue


async def test_from_the_overview_a_record_is_found_by_its_id(tmp_path: Path) -> None:
    app = app_in(tmp_path)
    async with app.run_test(size=(120, 40)) as pilot:
        await press(pilot, "o", "colon", *"PC-0003")
        await settled(pilot)
        await press(pilot, "enter")
        await pilot.pause()
        assert "PC-0003" in screen_text(app)
        assert "ADJUDICATION REGISTER" in screen_text(app) or "PEND MESSAGE" in screen_text(app)


async def test_the_key_that_opened_it_does_not_open_it_twice(tmp_path: Path) -> None:
    app = app_in(tmp_path)
    async with app.run_test() as pilot:
        await press(pilot, "o", "o")
        assert len(app.screen_stack) == 3


async def test_the_population_is_exported_as_it_is_shown(tmp_path: Path) -> None:
    target = tmp_path / "population.csv"
    async with app_in(tmp_path).run_test(size=(120, 30)) as pilot:
        await press(pilot, "percent_sign")
        assert "no denominator" in await settled(pilot)
        await press(pilot, "X", "ctrl+u", *str(target), "enter")
        assert "Written to" in screen_text(pilot.app)
    assert target.read_text(encoding="utf-8").startswith("standard,percent,days,cite,month,as_of,pended,")


@pytest.mark.parametrize(
    ("counts", "most", "shown"),
    [
        ((0, 1, 9), 9, ".19"),
        ((0, 0), 0, ".."),
        ((0, 1, 5, 10), 10, ".159"),
        ((1, 500, 1000), 1000, "159"),
    ],
)
def test_a_sign_stands_for_each_day(counts: tuple[int, ...], most: int, shown: str) -> None:
    assert signs(counts, most) == shown


async def test_a_tall_terminal_shows_the_coming_days_over_the_queue(tmp_path: Path) -> None:
    app = app_in(tmp_path)
    async with app.run_test(size=(120, 40)) as pilot:
        for _ in range(100):
            await pilot.pause(0.05)
            if "if nobody works them" in (text := screen_text(app)):
                break
        # PC-0003 has 3 days left on 1 September and is breached on the 5th, PC-0005 on the 7th; PC-0001 has 20.
        assert "from 2026-09-02 Wed" in text
        assert "breached ...1.1........  escalate-now .............." in text
        await pilot.resize_terminal(80, 24)
        await pilot.pause()
        assert "if nobody works them" not in screen_text(app)
