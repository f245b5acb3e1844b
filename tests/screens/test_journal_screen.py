"""The journal view: looking up, filtering, undoing, verifying and exporting rows."""

import csv
import sqlite3
from pathlib import Path

import pytest

from pendtui.desk.journal import Journal
from pendtui.screens import journal as journal_screen
from tests.desks import app_in
from tests.screens.screen_text import screen_text, settled
from tests.screens.test_queue_screen import press


def rows_shown(text: str) -> list[str]:
    return [line.split()[0] for line in text.splitlines() if line[:8].strip().isdigit()]


async def test_rows_are_listed_from_the_newest(tmp_path: Path) -> None:
    async with app_in(tmp_path, confirm_denials=False).run_test(size=(120, 30)) as pilot:
        await press(pilot, "enter", "a", "a", "q")
        text = await press(pilot, "J")
        assert rows_shown(text) == ["2", "1"]
        assert "2 rows of this queue" in text


async def test_a_record_brings_its_own_rows(tmp_path: Path) -> None:
    async with app_in(tmp_path, confirm_denials=False).run_test(size=(120, 30)) as pilot:
        await press(pilot, "enter", "a", "a", "q")
        text = await press(pilot, "home", "enter", "J")
        assert rows_shown(text) == ["1"]
        assert "that hold “pc-0002”" in text


async def test_words_narrow_the_list_and_escape_widens_it(tmp_path: Path) -> None:
    async with app_in(tmp_path, confirm_denials=False).run_test(size=(120, 30)) as pilot:
        await press(pilot, "enter", "a", "a", "q")
        assert rows_shown(await press(pilot, "J", "slash", *"pc-0004")) == ["2"]
        assert rows_shown(await press(pilot, "escape")) == ["2", "1"]


async def test_an_undo_is_a_row_more(tmp_path: Path) -> None:
    async with app_in(tmp_path, confirm_denials=False).run_test(size=(120, 30)) as pilot:
        await press(pilot, "enter", "a", "q", "J")
        text = await press(pilot, "u")
        assert rows_shown(text) == ["2", "1"]
        assert "undo" in text


async def test_enter_opens_the_record_of_the_row(tmp_path: Path) -> None:
    async with app_in(tmp_path, confirm_denials=False).run_test(size=(120, 30)) as pilot:
        await press(pilot, "enter", "a", "q", "J")
        text = await press(pilot, "enter")
        assert "PC-0002" in text
        assert "PC-0002  CLM-2026-400002  MEDICAID" in text


async def test_verify_says_that_all_is_well_or_which_row_is_not(tmp_path: Path) -> None:
    app = app_in(tmp_path, confirm_denials=False)
    async with app.run_test(size=(140, 30)) as pilot:
        await press(pilot, "enter", "a", "q", "J", "v")
        assert "1 row, each as it was written" in await settled(pilot)
        db = sqlite3.connect(tmp_path / "journal.db")
        db.executescript("DROP TRIGGER decision_never_updated; UPDATE decision SET note = 'forged' WHERE seq = 1;")
        db.close()
        await press(pilot, "v")
        assert "the first: row 1" in await settled(pilot)


async def test_the_listed_rows_are_exported_oldest_first_and_no_file_is_overwritten(tmp_path: Path) -> None:
    target = tmp_path / "out.csv"
    async with app_in(tmp_path, confirm_denials=False).run_test(size=(140, 30)) as pilot:
        await press(pilot, "enter", "a", "a", "q", "J", "X", "ctrl+u")
        text = await press(pilot, *str(target), "enter")
        assert "2 rows written" in text
        before = target.read_bytes()
        await press(pilot, "X", "ctrl+u", *str(target), "enter")
        assert "there is such a file already" in screen_text(pilot.app)
    rows = list(csv.DictReader(target.open(encoding="utf-8")))
    assert [row["seq"] for row in rows] == ["1", "2"]
    assert target.read_bytes() == before


async def test_a_row_that_another_program_writes_appears_by_itself(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(journal_screen, "AFRESH_SECONDS", 0.05)
    app = app_in(tmp_path)
    async with app.run_test(size=(120, 30)) as pilot:
        assert rows_shown(await press(pilot, "J")) == []
        from tests.journals import decision

        with Journal.open(tmp_path / "journal.db") as other:
            other.append(decision("PC-0005", who="bob", queue=app.desk.queue_name), expected_last=None)
        await pilot.pause(0.3)
        assert rows_shown(screen_text(app)) == ["1"]
