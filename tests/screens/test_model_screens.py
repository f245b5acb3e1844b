"""The model on screen: read in the background, compared, swapped, cancelled, in batches; against a real server."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from textual.pilot import Pilot

from pendtui.app import PendtuiApp
from pendtui.screens.queue import QueueScreen
from pendtui.screens.record import RecordScreen
from tests.desk.chat_server import ChatServer, running
from tests.desks import app_in
from tests.queues import FIVE
from tests.screens.screen_text import screen_text

SIZE = (150, 60)


@pytest.fixture
def server() -> Iterator[ChatServer]:
    with running(cause="AUTH-MISSING") as one:
        yield one


def app_with(tmp_path: Path, base_url: str, **changes: object) -> PendtuiApp:
    settings = {"base_url": base_url, "model": "test-model", "deadline_seconds": 20.0, **changes}
    return app_in(tmp_path, FIVE, **settings)


async def press(pilot: Pilot[None], *keys: str) -> str:
    for key in keys:
        await pilot.press(key)
        await pilot.pause()
    return screen_text(pilot.app)


async def shown(pilot: Pilot[None], text: str) -> str:
    """The screen, once it shows the text."""
    for _ in range(200):
        if text in (screen := screen_text(pilot.app)):
            return screen
        await pilot.pause(0.05)
    raise AssertionError(f"{text!r} did not appear:\n{screen_text(pilot.app)}")


async def test_without_a_model_the_action_says_what_is_missing_and_all_else_works(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for variable in ("API_KEY", "BASE_URL", "MODEL", "PROVIDER"):
        monkeypatch.delenv(variable, raising=False)
    app = app_in(tmp_path)
    async with app.run_test(size=SIZE) as pilot:
        assert "No model can be asked" in await press(pilot, "enter", "r")
        await press(pilot, "a")
        assert [entry.record_id for entry in app.desk.journal.entries()] == ["PC-0002"]


async def test_a_reply_is_compared_field_by_field_and_the_acceptance_stays_with_the_floor(
    tmp_path: Path, server: ChatServer
) -> None:
    app = app_with(tmp_path, server.base_url)
    async with app.run_test(size=SIZE) as pilot:
        await press(pilot, "enter", "r")
        text = await shown(pilot, "WHAT THE MODEL SAID")
        assert "AUTH-MISSING" in text and "kept" in text
        assert "acceptance rests on: floor" in text
        assert server.asked() == ["PC-0002"]
        await press(pilot, "a")
        entry = next(iter(app.desk.journal.entries()))
        assert (entry.reader, entry.decided["cause_class"]) == ("floor", "DUP-SUSPECT")
        assert entry.decided["reply_sha256"]


async def test_t_rests_the_acceptance_on_the_model_and_the_rules_follow(tmp_path: Path, server: ChatServer) -> None:
    app = app_with(tmp_path, server.base_url)
    async with app.run_test(size=SIZE) as pilot:
        await press(pilot, "enter", "r")
        await shown(pilot, "WHAT THE MODEL SAID")
        text = await press(pilot, "t")
        assert "acceptance rests on: model" in text and "PEND-EXTERNAL  by PR-9" in text
        await press(pilot, "a")
        entry = next(iter(app.desk.journal.entries()))
        assert (entry.reader, entry.action, entry.decided["cause_class"]) == ("model", "accept", "AUTH-MISSING")
        assert entry.decided["release"] == "EXAMINER-APPLIES"


async def test_x_shows_the_raw_reply_as_it_came(tmp_path: Path, server: ChatServer) -> None:
    app = app_with(tmp_path, server.base_url)
    async with app.run_test(size=SIZE) as pilot:
        assert "There is no raw reply" in await press(pilot, "enter", "x")
        await press(pilot, "r")
        await shown(pilot, "WHAT THE MODEL SAID")
        text = await press(pilot, "x")
        assert "The raw reply, as it came" in text and "cause_class" in text
        await press(pilot, "escape")
        assert isinstance(app.screen, RecordScreen)


async def test_the_reading_of_a_claim_is_still_there_after_a_look_elsewhere(
    tmp_path: Path, server: ChatServer
) -> None:
    app = app_with(tmp_path, server.base_url)
    async with app.run_test(size=SIZE) as pilot:
        await press(pilot, "enter", "r")
        await shown(pilot, "WHAT THE MODEL SAID")
        assert "WHAT THE MODEL SAID" not in await press(pilot, "n")
        assert "WHAT THE MODEL SAID" in await press(pilot, "b")
        assert server.asked() == ["PC-0002"]


async def test_the_screen_stays_alive_while_a_slow_server_is_read_and_escape_cancels(tmp_path: Path) -> None:
    with running(delay=30) as slow:
        app = app_with(tmp_path, slow.base_url)
        async with app.run_test(size=SIZE) as pilot:
            await press(pilot, "enter", "r")
            await shown(pilot, "Esc cancels")
            assert "why did it pend?" in await press(pilot, "c")
            await press(pilot, "escape")
            await press(pilot, "escape")
            await shown(pilot, "cancelled; the offline answers stand")
            assert isinstance(app.screen, RecordScreen)
            await press(pilot, "a")
            assert [entry.record_id for entry in app.desk.journal.entries()] == ["PC-0002"]


async def test_a_failed_read_leaves_the_floors_answer_and_says_why_in_one_line(tmp_path: Path) -> None:
    with running(broken="*", status=401) as refusing:
        app = app_with(tmp_path, refusing.base_url)
        async with app.run_test(size=SIZE) as pilot:
            await press(pilot, "enter", "r")
            text = await shown(pilot, "the floor reader's answers stand")
            assert "DUP-SUSPECT" in text and "ROUTE-SPECIALIST" in text
            await press(pilot, "a")
            assert [entry.reader for entry in app.desk.journal.entries()] == ["floor"]


async def test_a_batch_reads_the_listed_records_and_their_answers_stand_ready(
    tmp_path: Path, server: ChatServer
) -> None:
    app = app_with(tmp_path, server.base_url)
    async with app.run_test(size=SIZE) as pilot:
        text = await press(pilot, "R")
        assert "5 listed records would be put to" in text and "test-model" in text
        assert server.asked() == []
        await press(pilot, "enter")
        await shown(pilot, "5 of 5")
        assert sorted(server.asked()) == sorted(FIVE)
        await press(pilot, "escape")
        assert isinstance(app.screen, QueueScreen)
        assert "WHAT THE MODEL SAID" in await press(pilot, "enter")


async def test_a_batch_can_be_paused_cancelled_and_taken_up_without_buying_twice(tmp_path: Path) -> None:
    with running(delay=0.6) as slow:
        app = app_with(tmp_path, slow.base_url, workers=1)
        async with app.run_test(size=SIZE) as pilot:
            await press(pilot, "R", "enter")
            await shown(pilot, "1 of 5")
            await press(pilot, "p")
            await shown(pilot, "paused")
            await press(pilot, "p")
            await shown(pilot, "3 of 5")
            await press(pilot, "c")
            await shown(pilot, "ended early: cancelled")
            await press(pilot, "enter")
            await shown(pilot, "5 of 5")
        answered = slow.answered()
        assert answered == 5


async def test_a_record_that_carries_what_it_must_not_is_never_sent(tmp_path: Path, server: ChatServer) -> None:
    app = app_with(tmp_path, server.base_url)
    path = tmp_path / "queue" / "PC-0002.txt"
    path.write_text(path.read_text().replace("Monday list.", "Monday list. SSN 219-09-9999."))
    async with app.run_test(size=SIZE) as pilot:
        await press(pilot, "enter", "r")
        await shown(pilot, "not sent: the record holds ssn")
        assert isinstance(app.screen, RecordScreen) and app.screen.view.model is not None
        assert "219-09-9999" not in (app.screen.view.model.record.error or "219-09-9999")
        assert server.asked() == [] and not server.has_seen("219-09-9999")
