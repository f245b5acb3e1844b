"""The overview, looked at and left again."""

from pathlib import Path

import pytest

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
