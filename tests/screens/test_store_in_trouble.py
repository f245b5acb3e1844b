"""The store fails while an examiner decides: one clear line, the decision still on screen, nothing half-written."""

import sqlite3
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest
from textual.pilot import Pilot

from pendtui.app import PendtuiApp
from pendtui.desk.journal import Journal
from pendtui.errors import JournalError
from pendtui.screens.queue import QueueScreen
from pendtui.screens.record import RecordScreen
from pendtui.screens.widgets.key_bar import KeyBar
from tests.desks import app_in, config_for, desk_in
from tests.disks import fill_up, small_disk
from tests.journals import decision
from tests.postgres import PASSWORD, Server, running
from tests.queues import FIVE, write_queue
from tests.screens.screen_text import screen_text

PATIENCE = 20.0
"""Seconds for which a line is waited for."""


async def says(pilot: Pilot[None], text: str, seconds: float = PATIENCE) -> str:
    """What the key bar says, once it says this."""
    said = ""
    for _ in range(int(seconds / 0.05)):
        said = pilot.app.screen.query_one(KeyBar)._said
        if text in said:
            return said
        await pilot.pause(0.05)
    raise AssertionError(f"{text!r} was not said, but {said!r}")


def rows(app: PendtuiApp) -> list[tuple[str, str]]:
    with Journal.open(app.desk.config.store(), read_only=True) as journal:
        assert journal.verify() == ()
        return [(entry.record_id, str(entry.action)) for entry in journal.entries()]


def impatient(app: PendtuiApp) -> PendtuiApp:
    """With a shorter wait for another program's lock."""
    app.desk.journal._db.timeout = 0.2
    app.desk.journal._db.rows("PRAGMA busy_timeout=200")
    return app


class Lock:
    """Another connection that keeps everybody from writing."""

    def __init__(self, path: Path) -> None:
        self._db = sqlite3.connect(path, isolation_level=None)

    def take(self) -> None:
        self._db.execute("BEGIN EXCLUSIVE")

    def let_go(self) -> None:
        if self._db.in_transaction:
            self._db.execute("ROLLBACK")

    def close(self) -> None:
        self._db.close()


@pytest.fixture
def locked(tmp_path: Path) -> Iterator[tuple[PendtuiApp, Lock]]:
    app = impatient(app_in(tmp_path))
    lock = Lock(tmp_path / "journal.db")
    yield app, lock
    lock.close()
    app.desk.close()


async def test_a_decision_that_a_lock_kept_out_stays_on_screen_and_is_saved_at_the_next_try(
    locked: tuple[PendtuiApp, Lock],
) -> None:
    app, lock = locked
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.press("enter", "c", "2")
        await pilot.pause(0.2)
        lock.take()
        await pilot.press("a")
        said = await says(pilot, "Not saved:")
        assert "another program has kept the journal locked for 0.2 s. Nothing was saved. Try again in a" in said
        # A path may be cut anywhere at the end of a line.
        assert "\n" not in said and "".join(said.split()) in "".join(screen_text(app).split())
        assert isinstance(app.screen, RecordScreen) and app.screen.view.id == "PC-0002"
        assert app.screen.view.answers.cause == "AUTH-MISSING" and app.screen.view.cause_by_examiner
        assert rows(app) == []
        lock.let_go()
        await pilot.press("a")
        await says(pilot, "Saved as row 1: PC-0002 changed")
    assert rows(app) == [("PC-0002", "change")]


async def test_a_note_that_a_lock_kept_out_need_not_be_typed_again(locked: tuple[PendtuiApp, Lock]) -> None:
    app, lock = locked
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.press("enter")
        await pilot.pause(0.2)
        lock.take()
        await pilot.press("p", *"ask the plan", "enter")
        await says(pilot, "Not saved:")
        lock.let_go()
        await pilot.press("p")
        assert "ask the plan" in screen_text(app)
        await pilot.press("enter")
        await says(pilot, "Saved as row 1: PC-0002 parked")
        await pilot.press("p")
        assert "ask the plan" not in screen_text(app)
    assert rows(app) == [("PC-0002", "park")]


async def test_a_request_that_a_lock_kept_out_need_not_be_typed_again(locked: tuple[PendtuiApp, Lock]) -> None:
    app, lock = locked
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.press("enter")
        await pilot.pause(0.2)
        lock.take()
        await pilot.press("d", *"clinic", "enter", *"op report", "enter", "enter")
        await says(pilot, "Not saved:")
        lock.let_go()
        await pilot.press("d")
        assert "clinic" in screen_text(app) and "op report" in screen_text(app)
        await pilot.press("enter", "enter", "enter")
        await says(pilot, "Row 1: clinic asked")


async def test_many_claims_that_a_lock_keeps_out_are_waited_for_once(locked: tuple[PendtuiApp, Lock]) -> None:
    app, lock = locked
    app.desk.journal._db.timeout = 0.2
    async with app.run_test(size=(120, 30)) as pilot:
        lock.take()
        await pilot.press("asterisk", "p", *"later", "enter")
        said = await says(pilot, "0 claims parked. Not 5:")
        assert "locked for 0.2 s" in said
        lock.let_go()
        await pilot.press("p")
        assert "later" in screen_text(app)
        await pilot.press("enter")
        await says(pilot, "5 claims parked.")
    assert len(rows(app)) == 5


async def test_looking_and_moving_about_goes_on_while_the_journal_is_locked(
    locked: tuple[PendtuiApp, Lock],
) -> None:
    app, lock = locked
    lock.take()
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.press("enter")
        await says(pilot, "locked for")
        await pilot.press("n", "n", "q")
        await pilot.press("G")
        assert isinstance(app.screen, QueueScreen)
        lock.let_go()


async def test_a_full_disk_is_said_and_the_decision_is_saved_once_there_is_room(tmp_path: Path) -> None:
    write_queue(tmp_path / "queue", FIVE)
    with small_disk(tmp_path / "small", 600) as disk:
        app = app_in(tmp_path, journal=str(disk / "journal.db"))
        async with app.run_test(size=(80, 24)) as pilot:
            await pilot.press("enter", "c", "2")
            await pilot.pause(0.2)
            ballast = fill_up(disk)
            with Journal.open(disk / "journal.db") as other, suppress(JournalError):
                for n in range(1000):  # takes what room the write-ahead log still has
                    other.append(decision(f"PC-{n:04}"), expected_last=None)
            await pilot.press("a")
            said = await says(pilot, "Not saved:")
            assert "full" in said and "Free some space, then try again" in said and "\n" not in said
            assert isinstance(app.screen, RecordScreen) and app.screen.view.answers.cause == "AUTH-MISSING"
            before = rows(app)
            ballast.unlink()
            await pilot.press("a")
            await says(pilot, f"Saved as row {len(before) + 1}: PC-0002 changed")
            assert rows(app) == [*before, ("PC-0002", "change")]
        app.desk.close()


def test_a_disk_that_is_full_from_the_start_is_one_line(tmp_path: Path) -> None:
    write_queue(tmp_path / "queue", FIVE)
    with small_disk(tmp_path / "small", 64) as disk:
        fill_up(disk)
        with pytest.raises(JournalError, match=r"full|over quota") as told:
            desk_in(tmp_path, journal=str(disk / "journal.db"))
        assert "\n" not in str(told.value)


@pytest.fixture
def served(tmp_path: Path) -> Iterator[tuple[PendtuiApp, Server]]:
    with running() as server:
        app = app_in(tmp_path, url=server.new_store())
        app.desk.journal._db.timeout = 2.0
        yield app, server
        server.start_if_down()
        app.desk.close()


async def test_a_server_that_goes_and_comes_back_while_the_desk_is_open(
    served: tuple[PendtuiApp, Server],
) -> None:
    app, server = served
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.press("enter", "c", "2")
        await pilot.pause(0.2)
        server.stop()
        said = await says(pilot, "store")
        assert "\n" not in said and PASSWORD not in said
        await pilot.press("a")
        said = await says(pilot, "Not saved:")
        assert "cannot be reached" in said and PASSWORD not in said
        assert isinstance(app.screen, RecordScreen) and app.screen.view.id == "PC-0002"
        assert app.screen.view.answers.cause == "AUTH-MISSING"
        server.start()
        await pilot.press("a")
        await says(pilot, "Saved as row 1: PC-0002 changed")
        with Journal.open(app.desk.config.url) as bob:
            bob.assign(app.desk.queue_name, "PC-0004", "dup review", who="bob", at=app.desk._now())
        await says(pilot, "PC-0004 is dup review's")
    assert rows(app) == [("PC-0002", "change"), ("PC-0004", "assign")]


async def test_everything_else_that_asks_a_store_that_is_gone_says_so_too(
    served: tuple[PendtuiApp, Server],
) -> None:
    app, server = served
    async with app.run_test(size=(80, 24)) as pilot:
        server.stop()
        for keys in (("enter",), ("g",), ("u",), ("f",), ("A", "1"), ("p", "x", "enter")):
            app.screen.query_one(KeyBar).be_quiet()
            await pilot.press(*keys)
            said = await says(pilot, "the store")
            assert "\n" not in said and PASSWORD not in said
            assert isinstance(app.screen, QueueScreen)
        server.start()
        await pilot.press("enter")
        assert isinstance(app.screen, RecordScreen)


def test_a_store_that_cannot_be_reached_at_the_start_is_one_line(tmp_path: Path) -> None:
    write_queue(tmp_path / "queue", FIVE)
    config = config_for(tmp_path, url=f"postgresql://examiner:{PASSWORD}@127.0.0.1:1/journals")
    with pytest.raises(JournalError, match="cannot be reached") as told:
        desk_in(tmp_path, url=config.url)
    assert "\n" not in str(told.value) and PASSWORD not in str(told.value)
