"""Files from the screens: X on the queue and on a record."""

import csv
from pathlib import Path

from textual.pilot import Pilot
from textual.widgets import Input

from pendtui.app import PendtuiApp
from tests.desks import app_in
from tests.screens.screen_text import settled
from tests.screens.test_queue_screen import press, queue_screen

WIDE = (160, 40)


async def name_file(pilot: Pilot[None], path: Path) -> None:
    """Answer the question for the file's name."""
    pilot.app.screen.query_one(Input).value = str(path)
    await press(pilot, "enter")


async def exported(app: PendtuiApp, pilot: Pilot[None]) -> str:
    under_way = [each for each in app.workers if each.group == "export"]
    if under_way:  # of no workers, Textual waits for all
        await app.workers.wait_for_complete(under_way)
    return await press(pilot)


def ids(path: Path) -> list[str]:
    with open(path, encoding="utf-8", newline="") as file:
        return [row["record_id"] for row in csv.DictReader(file)]


async def test_what_is_listed_is_exported_as_it_is_listed(tmp_path: Path) -> None:
    app = app_in(tmp_path)
    async with app.run_test(size=WIDE) as pilot:
        await press(pilot, "slash", *"escalate", "enter", "X")
        await name_file(pilot, tmp_path / "listed.csv")
        text = await exported(app, pilot)
        assert f"2 claims written to {tmp_path}/listed.csv" in text
    assert ids(tmp_path / "listed.csv") == ["PC-0003", "PC-0005"]


async def test_marked_claims_alone_are_exported(tmp_path: Path) -> None:
    app = app_in(tmp_path)
    async with app.run_test(size=WIDE) as pilot:
        await press(pilot, "space", "j", "space", "X")
        await name_file(pilot, tmp_path / "marked.csv")
        assert "2 claims written" in await exported(app, pilot)
        assert len(queue_screen(app).listed.marked) == 2
    assert ids(tmp_path / "marked.csv") == ["PC-0002", "PC-0003"]


async def test_a_file_that_is_there_stays_as_it_is(tmp_path: Path) -> None:
    mine = tmp_path / "mine.csv"
    mine.write_text("mine", encoding="utf-8")
    app = app_in(tmp_path)
    async with app.run_test(size=WIDE) as pilot:
        await press(pilot, "X")
        await name_file(pilot, mine)
        assert "there is such a file already" in await exported(app, pilot)
    assert mine.read_text(encoding="utf-8") == "mine"


async def test_a_record_is_handed_over_as_a_page_to_print(tmp_path: Path) -> None:
    app = app_in(tmp_path)
    async with app.run_test(size=WIDE) as pilot:
        await press(pilot, "enter", "X")
        assert pilot.app.screen.query_one(Input).value == "PC-0002.html"
        await name_file(pilot, tmp_path / "sheet.html")
        assert f"The hand-over sheet is written to {tmp_path}/sheet.html" in await settled(pilot)
    assert "Hand-over: PC-0002" in (tmp_path / "sheet.html").read_text(encoding="utf-8")
