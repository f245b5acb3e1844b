"""How each screen looks, as pictures to compare with: in two sizes, dark, light and without colour."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from textual.pilot import Pilot

from pendtui.app import PendtuiApp
from pendtui.screens.place import ViewScreen
from pendtui.screens.widgets.ahead import AheadLine
from tests.desks import app_in
from tests.queues import FIVE, write_queue
from tests.screens.screen_text import settled

Compare = Callable[..., bool]
SIZES = {"80x24": (80, 24), "160x48": (160, 48)}
COLOURS = ("dark", "light", "no colour")
SCREENS: dict[str, list[str]] = {
    "queue": [],
    "queue help": ["question_mark"],
    "queue filtered": ["slash", *"escalate"],
    "record": ["enter"],
    "answers": ["enter", "tab"],
    "saved": ["enter", "a", "a"],
    "choosing a cause": ["enter", "c"],
    "a faulty record": ["j", "j", "j", "j", "enter"],
    "parking": ["enter", "p"],
    "queue after a decision": ["enter", "a", "q"],
    "what counted": ["enter", "w"],
    "overview": ["o"],
    "population": ["percent_sign"],
    "policy": ["P"],
    "policy of a record": ["enter", "P"],
    "empty journal": ["J"],
    "tour": ["f2"],
}
"""Every screen, and the keys that lead to it. What holds an instant or a path is looked at elsewhere."""


@pytest.fixture
def app(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[PendtuiApp]:
    colours = request.getfixturevalue("colours")
    if colours == "no colour":
        monkeypatch.setenv("NO_COLOR", "1")
    queue = write_queue(tmp_path / "queue", FIVE)
    (queue / "PC-0006.txt").write_bytes(b"")
    opened = app_in(tmp_path, theme="light" if colours == "light" else "dark")
    yield opened
    opened.desk.close()


@pytest.mark.parametrize("colours", COLOURS)
@pytest.mark.parametrize("size", SIZES.values(), ids=SIZES)
@pytest.mark.parametrize("keys", SCREENS.values(), ids=SCREENS)
def test_a_screen_looks_as_it_did(
    app: PendtuiApp, snap_compare: Compare, size: tuple[int, int], keys: list[str], colours: str
) -> None:
    async def reached(pilot: Pilot[None]) -> None:
        while not app.screen_stack[-1].query_one(AheadLine).counted:
            await pilot.pause(0.05)
        await pilot.press(*keys)
        if isinstance(pilot.app.screen, ViewScreen):
            await settled(pilot)
        await pilot.pause()

    assert snap_compare(app, terminal_size=size, run_before=reached)
