"""Counts, marks, the palette and keys of one's own."""

from pathlib import Path

import pytest
from textual.pilot import Pilot

from pendtui.app import PendtuiApp
from pendtui.screens.queue import QueueScreen
from pendtui.screens.record import RecordScreen
from tests.desks import app_in
from tests.screens.screen_text import screen_text
from tests.screens.test_queue_screen import press


def queue_of(app: PendtuiApp) -> QueueScreen:
    return next(screen for screen in app.screen_stack if isinstance(screen, QueueScreen))


def cursor(app: PendtuiApp) -> str:
    row = queue_of(app).listed.row
    assert row is not None
    return row.id


@pytest.mark.parametrize(
    ("keys", "record_id"),
    [
        (["3", "j"], "PC-0005"),
        (["4", "down", "2", "k"], "PC-0003"),
        (["9", "9", "j"], "PC-0001"),
        (["2", "G"], "PC-0004"),
        (["G"], "PC-0001"),
        (["3", "escape", "j"], "PC-0004"),
        (["0", "j"], "PC-0004"),
    ],
)
async def test_a_count_repeats_a_move(tmp_path: Path, keys: list[str], record_id: str) -> None:
    app = app_in(tmp_path)
    async with app.run_test() as pilot:
        await pilot.press(*keys)
        assert cursor(app) == record_id
    app.desk.close()


async def test_digits_in_the_filter_are_text(tmp_path: Path) -> None:
    app = app_in(tmp_path)
    async with app.run_test() as pilot:
        await pilot.press("slash", *"0003")
        assert len(queue_of(app).listed.rids) == 1
    app.desk.close()


async def test_marked_claims_are_parked_together_with_one_note(tmp_path: Path) -> None:
    app = app_in(tmp_path)
    async with app.run_test() as pilot:
        await pilot.press("2", "space")
        assert queue_of(app).listed.marked == {"PC-0002", "PC-0004"}
        assert screen_text(app).count("+PC-") == 2
        await pilot.press("p", *"waits", "enter")
        assert "2 claims parked." in screen_text(app)
        assert queue_of(app).listed.marked == set()
    entries = list(app.desk.journal.entries())
    assert [(entry.record_id, str(entry.action), entry.note) for entry in entries] == [
        ("PC-0002", "park", "waits"),
        ("PC-0004", "park", "waits"),
    ]
    app.desk.close()


async def test_what_could_not_be_parked_stays_marked_and_is_named(tmp_path: Path) -> None:
    app = app_in(tmp_path)
    async with app.run_test() as pilot:
        await pilot.press("asterisk")
        (tmp_path / "queue" / "PC-0003.txt").unlink()
        await pilot.press("p", *"waits", "enter")
        assert "4 claims parked. Not 1: PC-0003" in screen_text(app)
        assert queue_of(app).listed.marked == {"PC-0003"}
        await pilot.press("escape")
        assert queue_of(app).listed.marked == set()
    app.desk.close()


async def found(pilot: Pilot[None], text: str) -> bool:
    """Whether the screen comes to show a text."""
    for _ in range(40):
        await pilot.pause(0.05)
        if text in screen_text(pilot.app):
            return True
    return False


async def test_the_palette_finds_an_action_and_does_it(tmp_path: Path) -> None:
    app = app_in(tmp_path)
    async with app.run_test() as pilot:
        await pilot.press("colon", *"sort")
        assert await found(pilot, "Sort  s")
        while "Undo  u" in screen_text(app):
            await pilot.pause(0.05)
        await pilot.press("enter")
        assert await found(pilot, "by\N{NO-BREAK SPACE}received")
    app.desk.close()


async def test_the_palette_opens_a_record_by_its_id_from_either_screen(tmp_path: Path) -> None:
    app = app_in(tmp_path)
    async with app.run_test() as pilot:
        for wanted in ("PC-0003", "PC-0001"):
            await pilot.press("colon", *wanted)
            assert await found(pilot, "Outpatient claim")
            await pilot.press("enter")
            assert await found(pilot, f" {wanted}  CLM-2026")
            assert isinstance(app.screen, RecordScreen) and app.screen.view.id == wanted
    app.desk.close()


async def test_a_key_of_ones_own_takes_the_place_of_the_shipped_one(tmp_path: Path) -> None:
    app = app_in(tmp_path, keys={"record.accept": "f5", "queue.sort": "z"})
    async with app.run_test(size=(160, 48)) as pilot:
        assert "z Sort" in screen_text(app)
        await pilot.press("s", "z")
        assert "by\N{NO-BREAK SPACE}received" in screen_text(app)
        await pilot.press("enter", "a")
        assert list(app.desk.journal.entries()) == []
        assert "F5 Accept" in screen_text(app)
        await pilot.press("f5")
        assert len(list(app.desk.journal.entries())) == 1
    app.desk.close()


async def test_the_last_park_is_repeated_on_other_claims_with_the_same_note(tmp_path: Path) -> None:
    app = app_in(tmp_path)
    async with app.run_test() as pilot:
        assert "nothing to repeat" in await press(pilot, "period")
        await press(pilot, "p", *"asked the plan", "enter")
        assert "2 claims parked." in await press(pilot, "j", "space", "space", "period")
    notes = [entry.note for entry in app.desk.journal.entries()]
    assert notes == ["asked the plan"] * 3
