"""The tour: it goes on by a key, over several screens, and no key does anything else than without it."""

from pathlib import Path

from pendtui.app import PendtuiApp
from pendtui.screens.widgets.tour import STEPS
from tests.desks import app_in, desk_in
from tests.screens.screen_text import screen_text
from tests.screens.test_queue_screen import press


def first_start(folder: Path) -> PendtuiApp:
    desk = desk_in(folder)
    return PendtuiApp(desk.config, desk, first_start=True)


async def test_the_first_start_shows_the_first_step_and_f2_all_the_others(tmp_path: Path) -> None:
    async with first_start(tmp_path).run_test(size=(80, 24)) as pilot:
        for step in range(1, len(STEPS) + 1):
            await pilot.pause()
            assert f"Tour {step} of {len(STEPS)}" in screen_text(pilot.app)
            await press(pilot, "f2")
        assert "Tour" not in screen_text(pilot.app)


async def test_the_tour_goes_along_to_other_screens_and_keys_work_meanwhile(tmp_path: Path) -> None:
    async with first_start(tmp_path).run_test(size=(80, 24)) as pilot:
        assert "Tour 1 of" in await press(pilot, "enter")
        assert "Tour 2 of" in await press(pilot, "f2")
        assert "Saved as row 1" in await press(pilot, "a")
        assert "Tour 2 of" in await press(pilot, "q")
        assert "Tour" not in await press(pilot, "f3")


async def test_another_start_has_no_tour_until_it_is_asked_for(tmp_path: Path) -> None:
    async with app_in(tmp_path).run_test(size=(80, 24)) as pilot:
        await pilot.pause()
        assert "Tour" not in screen_text(pilot.app)
        assert "Tour 1 of" in await press(pilot, "f2")


async def test_no_step_takes_more_than_three_lines_of_the_smallest_screen(tmp_path: Path) -> None:
    async with first_start(tmp_path).run_test(size=(80, 24)) as pilot:
        for _ in STEPS:
            await pilot.pause()
            assert pilot.app.screen.query_one("TourBar").size.height <= 3
            await press(pilot, "f2")


async def test_the_tour_names_the_keys_as_they_are_bound(tmp_path: Path) -> None:
    desk = desk_in(tmp_path, keys={"queue.open_record": "ctrl+o"})
    app = PendtuiApp(desk.config, desk, first_start=True)
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.pause()
        assert "Ctrl+o opens" in " ".join(screen_text(app).split())
