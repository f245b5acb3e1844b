"""The open queue follows its folder and the day by itself."""

import json
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest
from textual.pilot import Pilot

from pendtui.app import PendtuiApp
from pendtui.plain import plain
from pendtui.screens.notices import notice
from pendtui.screens.queue import QueueScreen
from pendtui.screens.record import RecordScreen
from tests.desks import app_in
from tests.records import record_text
from tests.screens.screen_text import listed_ids, screen_text


class Clock:
    """A clock that a test can put forward."""

    def __init__(self) -> None:
        self.instant = datetime(2026, 9, 4, 23, 59, 59, tzinfo=UTC)

    def now(self) -> datetime:
        return self.instant


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def app(tmp_path: Path, clock: Clock) -> Iterator[PendtuiApp]:
    opened = app_in(tmp_path, as_of="today", now=clock.now)
    yield opened
    opened.desk.close()


async def shows(pilot: Pilot[None], text: str, seconds: float = 10.0) -> str:
    """The screen, once it shows a text without a keystroke."""
    for _ in range(int(seconds / 0.05)):
        shown = screen_text(pilot.app).replace("\N{NO-BREAK SPACE}", " ")
        if text in shown:
            return shown
        await pilot.pause(0.05)
    raise AssertionError(f"{text!r} did not appear; the screen is:\n{screen_text(pilot.app)}")


def under_cursor(app: PendtuiApp) -> str:
    screen = app.screen_stack[1]
    assert isinstance(screen, QueueScreen) and screen.listed.row is not None
    return screen.listed.row.id


async def test_a_new_a_changed_and_a_removed_file_appear_and_the_cursor_stays(
    app: PendtuiApp, tmp_path: Path
) -> None:
    queue = tmp_path / "queue"
    async with app.run_test(size=(120, 30)) as pilot:
        await shows(pilot, "5 claims")
        await pilot.press("j", "j")
        assert under_cursor(app) == "PC-0003"

        (queue / "PC-0000.txt").write_text(record_text("PC-0000", received_on="2026-01-05"))
        assert "6 claims" in await shows(pilot, "In the queue's folder: 1 record new.")
        assert listed_ids(screen_text(app))[0] == "PC-0000" and under_cursor(app) == "PC-0003"

        (queue / "PC-0002.txt").unlink()
        assert "5 claims" in await shows(pilot, "In the queue's folder: 1 record removed.")
        assert "PC-0002" not in listed_ids(screen_text(app)) and under_cursor(app) == "PC-0003"

        text = (queue / "PC-0001.txt").read_text()
        (queue / "PC-0001.txt").write_text(text.replace("no precertification number", "duplicate of a claim"))
        await shows(pilot, "In the queue's folder: 1 record changed.")
        line = next(line for line in screen_text(app).splitlines() if " PC-0001 " in line)
        assert "DUP-SUSPECT" in line and under_cursor(app) == "PC-0003"


async def test_when_the_record_under_the_cursor_goes_the_cursor_stays_at_its_place(
    app: PendtuiApp, tmp_path: Path
) -> None:
    async with app.run_test(size=(120, 30)) as pilot:
        await pilot.press("j")
        assert under_cursor(app) == "PC-0004"
        (tmp_path / "queue" / "PC-0004.txt").unlink()
        await shows(pilot, "1 record removed")
        assert under_cursor(app) == "PC-0003"


async def test_the_filter_stays_in_force_for_what_comes(app: PendtuiApp, tmp_path: Path) -> None:
    async with app.run_test(size=(120, 30)) as pilot:
        await pilot.press("slash", *"escalate", "enter")
        before = listed_ids(screen_text(app))
        (tmp_path / "queue" / "PC-0000.txt").write_text(record_text("PC-0000", received_on="2026-01-05"))
        await shows(pilot, "1 record new")
        assert listed_ids(screen_text(app)) == before


async def test_an_open_claim_whose_record_or_row_changes_says_so_and_is_read_again_on_enter(
    app: PendtuiApp, tmp_path: Path
) -> None:
    queue = tmp_path / "queue"
    async with app.run_test(size=(120, 30)) as pilot:
        await pilot.press("end", "enter")
        await shows(pilot, "PC-0001")
        text = (queue / "PC-0001.txt").read_text()
        (queue / "PC-0001.txt").write_text(text.replace("no precertification number", "duplicate of a claim"))
        await shows(pilot, "PC-0001: the record has changed in the folder. Enter reads it again.")
        assert isinstance(app.screen, RecordScreen) and app.screen.view.answers.cause == "AUTH-MISSING"
        await pilot.press("enter")
        assert "DUP-SUSPECT" in await shows(pilot, "a claim on file")

        rows = json.loads((queue / "claims.json").read_text())
        rows[0]["evidence"] = "awaited"
        (queue / "claims.json").write_text(json.dumps(rows))
        await shows(pilot, "the claim's row in claims.json has changed. Enter reads it again.")

        (queue / "PC-0001.txt").unlink()
        await shows(pilot, "no longer in the queue. Enter reads it again.")


async def test_another_record_that_changes_leaves_the_open_one_in_peace(app: PendtuiApp, tmp_path: Path) -> None:
    async with app.run_test(size=(120, 30)) as pilot:
        await pilot.press("enter")
        await shows(pilot, "PC-0002")
        before = screen_text(app)
        (tmp_path / "queue" / "PC-0006.txt").write_text(record_text("PC-0006"))
        for _ in range(100):
            await pilot.pause(0.05)
            if app.desk.row_of("PC-0006") is not None:
                break
        await pilot.pause(0.2)
        assert screen_text(app) == before
        await pilot.press("q")
        assert "6 claims" in await shows(pilot, "PC-0006")


async def test_a_folder_that_cannot_be_read_is_said_for_as_long_as_it_lasts(
    app: PendtuiApp, tmp_path: Path
) -> None:
    queue = tmp_path / "queue"
    async with app.run_test(size=(120, 30)) as pilot:
        await shows(pilot, "5 claims")
        queue.rename(tmp_path / "away")
        await shows(pilot, "cannot be listed")
        assert len(listed_ids(screen_text(app))) == 5
        (tmp_path / "away").rename(queue)
        for _ in range(200):
            await pilot.pause(0.05)
            if "cannot be listed" not in "\n".join(screen_text(app).splitlines()[:4]):
                break
        assert "cannot be listed" not in "\n".join(screen_text(app).splitlines()[:4])


async def test_the_days_are_counted_anew_after_midnight(app: PendtuiApp, clock: Clock) -> None:
    async with app.run_test(size=(120, 30)) as pilot:
        shown = await shows(pilot, "as of today, 2026-09-04")
        assert "0 left" in next(line for line in shown.splitlines() if " PC-0003 " in line)
        await pilot.press("j", "j")
        clock.instant = datetime(2026, 9, 5, 0, 0, 1, tzinfo=UTC)
        shown = await shows(pilot, "as of today, 2026-09-05")
        assert "1 over" in next(line for line in shown.splitlines() if " PC-0003 " in line)
        assert under_cursor(app) == "PC-0003"


async def test_an_open_claim_is_counted_anew_after_midnight_with_what_the_examiner_changed(
    app: PendtuiApp, clock: Clock
) -> None:
    async with app.run_test(size=(120, 40)) as pilot:
        await pilot.press("j", "j", "enter", "c", "down", "enter")
        screen = app.screen
        assert isinstance(screen, RecordScreen) and screen.view.answers.clock is not None
        cause = screen.view.answers.cause
        assert screen.view.answers.clock.state == "ESCALATE-NOW" and screen.view.cause_by_examiner
        clock.instant = datetime(2026, 9, 5, 0, 0, 1, tzinfo=UTC)
        await shows(pilot, "BREACHED")
        assert screen.view.answers.clock.state == "BREACHED"
        assert screen.view.answers.cause == cause and screen.view.cause_by_examiner
        assert screen.view.proposed.clock is not None and screen.view.proposed.clock.state == "BREACHED"


async def test_a_claim_that_crosses_into_urgency_raises_a_notice(
    app: PendtuiApp, clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    app.desk.config = app.desk.config._replace(notify="osc9")
    written: list[str] = []
    async with app.run_test(size=(120, 30)) as pilot:
        assert app._driver is not None
        monkeypatch.setattr(app._driver, "write", written.append)
        await shows(pilot, "5 claims")
        await pilot.pause(1.2)
        clock.instant = datetime(2026, 9, 6, 0, 0, 1, tzinfo=UTC)  # the 4th was the last day of PC-0003
        await shows(pilot, "newly breached: PC-0003.")
    assert written == ["\x1b]9;pendtui: newly breached: PC-0003\x1b\\"]


def test_a_notice_holds_nothing_that_could_end_it_early() -> None:
    hostile = "a\x1b\\b\x07\x9c"
    body = notice("osc9", hostile).removeprefix("\x1b]9;").removesuffix("\x1b\\")
    assert body == f"pendtui: {plain(hostile)}"
    assert body.isprintable()
    assert notice("osc777", "x;y").count(";") == 3
    assert notice("", "x") == ""
