"""The program in a real terminal: keyboard only, restarted, killed, resized, without colour."""

import os
import signal
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from rich.cells import cell_len

from pendtui.desk.journal import Journal
from tests.queues import FIVE, write_queue
from tests.terminal.tmux import Terminal, environ_for, needs_tmux

pytestmark = needs_tmux

Start = Callable[..., Terminal]


@pytest.fixture
def start(tmp_path: Path) -> Iterator[Start]:
    opened: list[Terminal] = []
    write_queue(tmp_path / "queue", FIVE)

    def one(columns: int = 80, lines: int = 24, **environ: str) -> Terminal:
        folder = tmp_path / f"terminal-{len(opened)}"
        folder.mkdir()
        opened.append(Terminal(folder, columns, lines, environ_for(tmp_path, **environ)))
        opened[-1].wait_for("PC-0002")
        return opened[-1]

    yield one
    for terminal in opened:
        terminal.close()


def actions(tmp_path: Path) -> list[tuple[str, str]]:
    with Journal.open(tmp_path / "journal.db", read_only=True) as journal:
        assert journal.verify() == ()
        return [(entry.record_id, entry.action) for entry in journal.entries()]


@pytest.mark.parametrize(("columns", "lines"), [(80, 24), (200, 50)])
def test_three_claims_worked_with_the_keyboard_are_found_decided_after_a_restart(
    start: Start, tmp_path: Path, columns: int, lines: int
) -> None:
    desk = start(columns, lines)
    desk.press("Enter")
    desk.wait_for("ROUTE-SPECIALIST")
    desk.press("a")
    desk.wait_for("PC-0002 accepted")
    desk.press("c")
    desk.wait_for("why did it pend?")
    desk.press("2")
    desk.wait_for("AUTH-MISSING")
    desk.press("a")
    desk.wait_for("PC-0004 changed")
    desk.press("p")
    desk.wait_for("Park PC-0003")
    desk.type("waits for the op report")
    desk.press("Enter")
    desk.wait_for("PC-0003 parked")
    desk.press("q")
    desk.wait_for("2\N{NO-BREAK SPACE}decided\N{NO-BREAK SPACE}today")
    desk.press("q")
    desk.wait_for("PROGRAM-ENDED 0")
    assert actions(tmp_path) == [("PC-0002", "accept"), ("PC-0004", "change"), ("PC-0003", "park")]
    again = start(columns, lines)
    screen = again.wait_for("accepted")
    lines_of = {line.split("PC-")[1][:4]: line for line in screen.splitlines() if "left" in line or "over" in line}
    assert "accepted" in lines_of["0002"]
    assert "changed" in lines_of["0004"]
    assert "parked" in lines_of["0003"]


def test_kill_9_right_after_the_screen_says_saved_loses_nothing(start: Start, tmp_path: Path) -> None:
    desk = start()
    desk.press("Enter")
    desk.wait_for("ROUTE-SPECIALIST")
    desk.press("a")
    desk.wait_for("Saved as row 1: PC-0002 accepted")
    os.kill(desk.program_pid(), signal.SIGKILL)
    desk.wait_for("PROGRAM-ENDED 137")
    assert actions(tmp_path) == [("PC-0002", "accept")]
    start().wait_for("accepted")


def test_a_resize_at_any_moment_keeps_the_sentence_and_the_answers_in_view(start: Start) -> None:
    desk = start(200, 50)
    desk.press("Enter")
    desk.wait_for("1 WHY IT PENDED")
    for columns, lines in ((80, 24), (120, 30), (80, 24), (200, 50)):
        desk.resize(columns, lines)
        desk.wait_for("EXAMINER-APPLIES")
        desk.wait_for("possible duplicate of a finished claim")


def test_a_record_that_was_made_large_and_small_again_has_its_answers_and_its_sentence_in_view(
    start: Start,
) -> None:
    desk = start(80, 24)
    desk.press("F3", "Enter")
    desk.wait_for("▌")
    desk.wait_for("a Accept")
    before = desk.screen()
    desk.resize(300, 100)
    large = desk.wait_for("4 WHO APPLIES IT")
    assert "1 WHY IT PENDED" in large and "possible duplicate of a finished claim" in large
    desk.resize(80, 24)
    answers = "\n".join(before.splitlines()[:6])
    desk.wait_for(answers)
    again = desk.wait_for("Tab Pane")
    assert again.splitlines()[:6] == before.splitlines()[:6]
    # The record may stand a line higher or lower; its sentence is in view, and the screen is whole.
    assert "▌   EDIT 18 - possible duplicate of a finished claim." in again
    assert len(again.splitlines()) == len(before.splitlines())


@pytest.mark.parametrize(
    "environ",
    [
        {"NO_COLOR": "1"},
        {"TERM": "screen"},
        {"TERM": "linux"},
        {"TERM": "xterm"},
        {"COLORTERM": "", "TERM": "xterm-16color"},
    ],
    ids=["no colour", "screen", "linux", "xterm", "16 colours"],
)
def test_marks_and_words_carry_the_meaning_on_any_terminal(start: Start, environ: dict[str, str]) -> None:
    desk = start(80, 24, **environ)
    screen = desk.wait_for("Enter Open")
    assert "!!   4 over PC-0002" in screen and " !   3 left PC-0003" in screen
    desk.press("Enter")
    desk.wait_for("EXAMINER-APPLIES")
    screen = desk.wait_for("▌")
    assert "BREACHED" in screen


SCREENS = (
    ("o", "Overview of queue"),
    ("%", "Population standards"),
    ("P", "RESOLUTION: the first rule that fires"),
    ("J", "Journal: 0 rows"),
    (",", "Settings, changed in"),
    ("?", "Keys on the queue screen"),
    (":", "an action, or a record's id"),
)
"""The screens beside queue and record: the key that opens each, and what it shows."""


@pytest.mark.parametrize(
    "environ",
    [{"NO_COLOR": "1"}, {"TERM": "screen"}, {"TERM": "linux"}, {"COLORTERM": "", "TERM": "xterm-16color"}],
    ids=["no colour", "screen", "linux", "16 colours"],
)
def test_every_screen_fits_80_columns_in_characters_of_one_column(start: Start, environ: dict[str, str]) -> None:
    desk = start(80, 24, **environ)
    desk.press("F3")
    desk.wait_for("Enter Open")
    for key, shown in SCREENS:
        desk.press(key)
        screen = desk.wait_for(shown)
        for line in screen.splitlines():
            assert len(line) <= 80
            assert all(cell_len(character) == 1 for character in line), line
        assert "Help" in screen.splitlines()[-1]
        desk.press("Escape")
        desk.wait_for("Enter Open")


def test_a_claims_json_that_cannot_be_read_ends_in_one_line_and_exit_code_2(tmp_path: Path) -> None:
    queue = write_queue(tmp_path / "queue", FIVE)
    (queue / "claims.json").write_text("{")
    desk = Terminal(tmp_path, 80, 24, environ_for(tmp_path))
    try:
        screen = desk.wait_for("PROGRAM-ENDED 2")
        assert "claims.json: not valid JSON" in "".join(screen.splitlines())
        assert "Traceback" not in screen
    finally:
        desk.close()


def test_ctrl_c_does_not_leave_half_a_decision(start: Start, tmp_path: Path) -> None:
    desk = start()
    desk.press("Enter", "C-c", "a")
    desk.wait_for("Saved as row 1")
    assert actions(tmp_path) == [("PC-0002", "accept")]
