"""How each screen looks, as pictures to compare with."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from textual.pilot import Pilot

from pendtui.app import PendtuiApp
from tests.desks import app_in
from tests.queues import FIVE, write_queue
from tests.screens.screen_text import settled

Compare = Callable[..., bool]
SIZES = {"80x24": (80, 24), "160x48": (160, 48)}


@pytest.fixture
def app(tmp_path: Path) -> Iterator[PendtuiApp]:
    queue = write_queue(tmp_path / "queue", FIVE)
    (queue / "PC-0006.txt").write_bytes(b"")
    opened = app_in(tmp_path)
    opened.animation_level = "none"
    yield opened
    opened.desk.close()


@pytest.mark.parametrize("size", SIZES.values(), ids=SIZES)
@pytest.mark.parametrize(
    "keys",
    [
        [],
        ["question_mark"],
        ["slash", *"escalate"],
        ["enter"],
        ["enter", "tab"],
        ["enter", "a", "a"],
        ["enter", "c"],
        ["j", "j", "j", "j", "enter"],
        ["enter", "p"],
        ["enter", "a", "q"],
    ],
    ids=[
        "queue",
        "queue help",
        "queue filtered",
        "record",
        "answers",
        "saved",
        "choosing a cause",
        "a faulty record",
        "parking",
        "queue after a decision",
    ],
)
def test_a_screen_looks_as_it_did(
    app: PendtuiApp, snap_compare: Compare, size: tuple[int, int], keys: list[str]
) -> None:
    assert snap_compare(app, terminal_size=size, press=keys)


@pytest.mark.parametrize("keys", [[], ["enter"]], ids=["queue", "record"])
def test_the_light_theme_looks_as_it_did(app: PendtuiApp, snap_compare: Compare, keys: list[str]) -> None:
    app.theme = "textual-light"
    assert snap_compare(app, terminal_size=(80, 24), press=keys)


@pytest.mark.parametrize("size", SIZES.values(), ids=SIZES)
@pytest.mark.parametrize(
    "keys",
    [["o"], ["percent_sign"], ["P"], ["enter", "P"], ["J"]],
    ids=["overview", "population", "policy", "policy of a record", "empty journal"],
)
def test_a_view_looks_as_it_did(
    app: PendtuiApp, snap_compare: Compare, size: tuple[int, int], keys: list[str]
) -> None:
    async def counted(pilot: Pilot[None]) -> None:
        await pilot.press(*keys)
        await settled(pilot)

    assert snap_compare(app, terminal_size=size, run_before=counted)
