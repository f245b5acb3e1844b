"""The settings view: changed in the file, in force at once, and the model's server tried."""

from pathlib import Path

import pytest
from textual.pilot import Pilot

from pendtui.app import PendtuiApp
from pendtui.config import SECTIONS, load_config
from pendtui.screens.queue import QueueScreen
from pendtui.screens.settings import SettingsScreen
from tests.desk.chat_server import running
from tests.desks import NOW, desk_in
from tests.queues import FIVE, write_queue
from tests.screens.screen_text import screen_text, settled
from tests.screens.test_queue_screen import press

NAMES = [name for names in SECTIONS.values() for name in names]


@pytest.fixture
def app(tmp_path: Path) -> PendtuiApp:
    write_queue(tmp_path / "queue", FIVE)
    file = tmp_path / "config.toml"
    file.write_text(
        "# the desk\n[desk]\nqueue = 'queue'\njournal = 'journal.db'\nindex_folder = 'index'\n",
        encoding="utf-8",
    )
    from pendtui.desk.desk import Desk

    return PendtuiApp(config := load_config(file, {}), Desk(config, now=lambda: NOW))


async def go_to(pilot: Pilot[None], name: str) -> None:
    await press(pilot, "comma", "home", *["j"] * NAMES.index(name))


async def test_a_theme_is_chosen_and_stands_in_the_file(app: PendtuiApp, tmp_path: Path) -> None:
    async with app.run_test(size=(100, 30)) as pilot:
        await go_to(pilot, "theme")
        text = await press(pilot, "enter", "3")
        assert "theme is high-contrast" in text
        assert app.theme == "pendtui-high-contrast"
    written = (tmp_path / "config.toml").read_text(encoding="utf-8")
    assert written.startswith("# the desk\n")
    assert load_config(tmp_path / "config.toml", {}).theme == "high-contrast"


async def test_a_setting_of_the_desk_opens_another_desk_at_once(app: PendtuiApp, tmp_path: Path) -> None:
    write_queue(tmp_path / "second", {"PC-0901": {}, "PC-0902": {}})
    async with app.run_test(size=(100, 30)) as pilot:
        await go_to(pilot, "queue")
        await press(pilot, "enter", "ctrl+u", *"second", "enter")
        await pilot.pause(0.2)
        assert isinstance(app.screen, SettingsScreen)
        assert "queue is second" in screen_text(app)
        await press(pilot, "escape")
        assert isinstance(app.screen, QueueScreen)
        assert "PC-0901" in screen_text(app)
        assert len(app.screen_stack) == 2
        text = await press(pilot, "enter", "p", *"later", "enter")
        assert "PC-0902" in text
    assert {entry.record_id for entry in app.desk.reopened(app.desk.config).journal.entries()} == {"PC-0901"}


async def test_a_desk_that_cannot_be_opened_leaves_all_as_it_was(app: PendtuiApp, tmp_path: Path) -> None:
    before = (tmp_path / "config.toml").read_text(encoding="utf-8")
    async with app.run_test(size=(100, 30)) as pilot:
        await go_to(pilot, "policy")
        text = await press(pilot, "enter", "ctrl+u", *"nowhere", "enter")
        assert "Not changed" in text
        assert "there is no such policy file" in text
        assert "PC-0002" in await press(pilot, "escape", "enter")
    assert (tmp_path / "config.toml").read_text(encoding="utf-8") == before


async def test_the_models_server_is_tried_with_one_call(app: PendtuiApp) -> None:
    with running() as server:
        app.desk.config = app.desk.config._replace(provider="llama.cpp", base_url=server.base_url, model="small")
        async with app.run_test(size=(120, 30)) as pilot:
            await press(pilot, "comma", "t")
            assert "answered in" in await settled(pilot)
        assert server.answered() == 1


async def test_a_server_that_is_not_there_is_told_in_a_line(tmp_path: Path) -> None:
    desk = desk_in(tmp_path, provider="llama.cpp", base_url="http://127.0.0.1:9/v1", model="small")
    app = PendtuiApp(desk.config, desk)
    async with app.run_test(size=(120, 30)) as pilot:
        await press(pilot, "comma", "t")
        assert "127.0.0.1" in await settled(pilot)
