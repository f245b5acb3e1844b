"""The queue screen, worked with the keyboard."""

import json
from pathlib import Path

import pytest
from textual.pilot import Pilot

from pendtui.app import PendtuiApp
from pendtui.screens.queue import QueueScreen
from pendtui.screens.record import RecordScreen
from tests.desks import app_in
from tests.queues import FIVE, days_left, write_queue
from tests.screens.screen_text import listed_ids, screen_text

SIZES = [(80, 24), (200, 50)]


async def press(pilot: Pilot[None], *keys: str) -> str:
    for key in keys:
        await pilot.press(key)
        await pilot.pause()
    return screen_text(pilot.app)


def queue_screen(app: PendtuiApp) -> QueueScreen:
    assert isinstance(app.screen, QueueScreen)
    return app.screen


def current(app: PendtuiApp) -> str:
    row = queue_screen(app).listed.row
    assert row is not None
    return row.id


@pytest.mark.parametrize("size", SIZES)
async def test_every_record_is_listed_most_urgent_first(tmp_path: Path, size: tuple[int, int]) -> None:
    app = app_in(tmp_path)
    async with app.run_test(size=size) as pilot:
        text = await press(pilot)
        assert listed_ids(text) == ["PC-0002", "PC-0004", "PC-0003", "PC-0005", "PC-0001"]
        assert "!!   4 over" in text and " !   3 left" in text and "    20 left" in text


@pytest.mark.parametrize("size", SIZES)
async def test_the_strip_says_how_the_desk_stands(tmp_path: Path, size: tuple[int, int]) -> None:
    app = app_in(tmp_path)
    async with app.run_test(size=size) as pilot:
        text = (await press(pilot)).replace("\N{NO-BREAK SPACE}", " ")
        for part in ("5 claims", "2 breached", "2 escalate-now", "1 within", "0 decided today", "PR-2026", "floor"):
            assert part in text
        assert "register 2026-09-01 (3 days old)" in text


async def test_at_80_columns_the_columns_that_do_not_fit_are_announced_and_reachable(tmp_path: Path) -> None:
    app = app_in(tmp_path)
    async with app.run_test(size=(80, 24)) as pilot:
        text = await press(pilot)
        assert "Register" in text and "▸6" in text and "Received" not in text
        text = await press(pilot, "l", "right", "l")
        assert "Received" in text and "◂3" in text
        assert "Register" in await press(pilot, "h", "left", "h")


async def test_at_200_columns_every_column_is_there(tmp_path: Path) -> None:
    app = app_in(tmp_path)
    async with app.run_test(size=(200, 50)) as pilot:
        text = await press(pilot)
        for heading in (
            "Clock",
            "Record",
            "Status",
            "Cause",
            "Resolution",
            "Register",
            "Line",
            "Received",
            "Claim id",
            "By",
            "Title",
        ):
            assert heading in text
        assert "▸" not in text and "CLM-2026-400002" in text


@pytest.mark.parametrize(
    ("keys", "record"),
    [
        (["j"], "PC-0004"),
        (["down", "down"], "PC-0003"),
        (["j", "j", "k"], "PC-0004"),
        (["end"], "PC-0001"),
        (["G", "home"], "PC-0002"),
        (["pagedown"], "PC-0001"),
        (["up"], "PC-0002"),
        (["e"], "PC-0004"),
        (["e", "e", "e", "e"], "PC-0002"),
    ],
)
async def test_arrows_and_letters_move_the_cursor(tmp_path: Path, keys: list[str], record: str) -> None:
    app = app_in(tmp_path)
    async with app.run_test(size=(80, 24)) as pilot:
        await press(pilot, *keys)
        assert current(app) == record


async def test_what_is_said_of_half_a_filter_is_gone_when_the_filter_is_whole(tmp_path: Path) -> None:
    app = app_in(tmp_path)
    async with app.run_test(size=(80, 24)) as pilot:
        assert "left: needs a value" in await press(pilot, "slash", *"left", "colon")
        text = await press(pilot, "3")
        assert "left: needs a value" not in text and listed_ids(text) == ["PC-0003"]


async def test_the_filter_narrows_as_you_type_and_escape_lists_all_again(tmp_path: Path) -> None:
    app = app_in(tmp_path)
    async with app.run_test(size=(80, 24)) as pilot:
        assert listed_ids(await press(pilot, "slash", *"esca")) == []
        assert listed_ids(await press(pilot, *"late")) == ["PC-0003", "PC-0005"]
        assert listed_ids(await press(pilot, "space", *"code")) == ["PC-0003"]
        assert "No record matches" in await press(pilot, *"xyz")
        assert len(listed_ids(await press(pilot, "enter", "escape"))) == 5


async def test_the_cursor_stays_on_its_record_when_the_list_changes(tmp_path: Path) -> None:
    app = app_in(tmp_path)
    async with app.run_test(size=(80, 24)) as pilot:
        await press(pilot, "j", "j")
        assert current(app) == "PC-0003"
        for _ in range(6):
            await press(pilot, "s")
            assert current(app) == "PC-0003"


async def test_a_list_longer_than_the_screen_scrolls_with_the_cursor(tmp_path: Path) -> None:
    app = app_in(tmp_path, {f"PC-{n:04}": days_left(30 - n % 60) for n in range(1, 201)})
    async with app.run_test(size=(80, 24)) as pilot:
        for keys in (["j"] * 30, ["end"], ["pageup", "pageup"], ["k"] * 20, ["home"]):
            text = await press(pilot, *keys)
            assert current(app) in listed_ids(text)


async def test_a_faulty_record_is_listed_with_its_reason_beside_the_others(tmp_path: Path) -> None:
    queue = write_queue(tmp_path / "queue", FIVE)
    (queue / "PC-0003.txt").write_bytes(b"\xff\xff")
    app = app_in(tmp_path)
    async with app.run_test(size=(80, 24)) as pilot:
        text = await press(pilot, "j", "j")
        assert "1 faulty" in text.replace("\N{NO-BREAK SPACE}", " ")
        assert "faulty: not UTF-8: byte 0xff at offset 0" in text
        assert len(listed_ids(text)) == 5


async def test_a_large_queue_is_indexed_while_the_screen_is_already_there(tmp_path: Path) -> None:
    app = app_in(tmp_path, {f"PC-{n:04}": days_left(30 - n % 60) for n in range(1, 1202)})
    async with app.run_test(size=(80, 24)) as pilot:
        for _ in range(200):
            await pilot.pause(0.05)
            if len(queue_screen(app).listed.rids) == 1201:
                break
        text = (await press(pilot)).replace("\N{NO-BREAK SPACE}", " ")
        assert "1,201 claims" in text and "indexing" not in text


async def test_an_empty_queue_says_so(tmp_path: Path) -> None:
    app = app_in(tmp_path, {})
    async with app.run_test(size=(80, 24)) as pilot:
        assert "The queue holds no record." in await press(pilot, "enter", "e", "j", "s")


async def test_text_from_a_record_is_never_markup_nor_a_control_sequence(tmp_path: Path) -> None:
    queue = write_queue(tmp_path / "queue", FIVE)
    hostile = "[bold red]x[/] [@click=app.quit]y[/] [/ [0] \x1b[31mred\u202e"
    rows = json.loads((queue / "claims.json").read_text())
    rows[1]["claim_id"] = "[b]CLM[/b]\x1b]0;t\x07"
    (queue / "claims.json").write_text(json.dumps(rows))
    path = queue / "PC-0002.txt"
    path.write_text(path.read_text().replace("Outpatient claim", hostile))
    app = app_in(tmp_path)
    async with app.run_test(size=(200, 50)) as pilot:
        text = await press(pilot)
        assert "[bold red]x[/]" in text and "[b]CLM[/b]" in text
        assert "\x1b" not in text and "\x07" not in text and "\u202e" not in text
        text = await press(pilot, "enter")
        assert "[@click=app.quit]y[/] [/ [0]" in text and "\x1b" not in text


async def test_enter_opens_the_record_and_q_comes_back_to_it(tmp_path: Path) -> None:
    app = app_in(tmp_path)
    async with app.run_test(size=(80, 24)) as pilot:
        await press(pilot, "j", "enter")
        assert isinstance(app.screen, RecordScreen) and app.screen.view.id == "PC-0004"
        await press(pilot, "q")
        assert current(app) == "PC-0004"


async def test_a_click_moves_the_cursor_and_a_second_one_opens(tmp_path: Path) -> None:
    app = app_in(tmp_path)
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.pause()
        await pilot.click("#list", offset=(5, 3))
        assert current(app) == "PC-0003"
        await pilot.pause(0.6)
        await pilot.click("#list", offset=(5, 3))
        await pilot.pause()
        assert isinstance(app.screen, RecordScreen) and app.screen.view.id == "PC-0003"


async def test_help_lists_every_key_and_closes_again(tmp_path: Path) -> None:
    app = app_in(tmp_path)
    async with app.run_test(size=(120, 50)) as pilot:
        text = await press(pilot, "question_mark")
        assert "Keys on the queue screen" in text and "undo my last decision" in text
        await press(pilot, "escape")
        assert isinstance(app.screen, QueueScreen)


async def test_q_leaves_the_program(tmp_path: Path) -> None:
    app = app_in(tmp_path)
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.press("q")
    assert app.return_code == 0
