"""Ten tasks as an examiner would say them, done with the keyboard at 80x24 on the shipped queue, and counted."""

import shutil
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

import pytest

from pendtui.desk.journal import Journal
from tests.terminal.tmux import Terminal, environ_for, needs_tmux

pytestmark = needs_tmux

QUEUE = Path(__file__).parent.parent.parent / "queue"
READY = "Enter Open"

Key = tuple[str, str]
"""A key, or a text after `=`; and what the screen shows before the next one is pressed."""


class Task(NamedTuple):
    """One task: what is said, what is pressed, and what the journal holds of it afterwards."""

    said: str
    keys: Sequence[Key]
    strokes: int
    """Keystrokes from the screen that the examiner is on, letters of texts included."""
    journal: Sequence[tuple[str, str]] = ()
    before: Sequence[Key] = ()
    """What was done earlier, and does not count."""


TASKS = (
    Task(
        "find the Medicaid claim that breaches tomorrow and send it to contract loading",
        [
            ("/", "words to match"),
            ("=medicaid left:0", "3\N{NO-BREAK SPACE}listed"),
            ("Enter", "PC-0008 CLM"),
            ("A", "Whose is PC-0008?"),
            ("3", "a queue's name"),
            ("=contract loading", "contract loading"),
            ("Enter", "1 claim assigned to contract loading"),
        ],
        36,
        [("PC-0008", "assign")],
    ),
    Task(
        "accept the most urgent claim and go on",
        [("Enter", "RELEASE-AS-BILLED  PR-3"), ("a", "PC-0003 accepted")],
        2,
        [("PC-0003", "accept")],
    ),
    Task(
        "correct the cause of the most urgent claim, and accept",
        [
            ("Enter", "RELEASE-AS-BILLED  PR-3"),
            ("c", "why did it pend?"),
            ("2", "AUTH-MISSING"),
            ("a", "PC-0003 changed"),
        ],
        4,
        [("PC-0003", "change")],
    ),
    Task(
        "park three claims with one note",
        [
            ("Space", "1 marked"),
            ("Space", "2 marked"),
            ("Space", "3 marked"),
            ("p", "Park 3 claims"),
            ("=system is down", "system is down"),
            ("Enter", "3 claims parked"),
        ],
        19,
        [("PC-0003", "park"), ("PC-0032", "park"), ("PC-0048", "park")],
    ),
    Task(
        "undo my last decision",
        [("u", "undone")],
        1,
        [("PC-0003", "accept"), ("PC-0003", "undo")],
        before=[("Enter", "RELEASE-AS-BILLED  PR-3"), ("a", "PC-0003 accepted"), ("q", "decided")],
    ),
    Task(
        "see who works what",
        [("o", "Overview of queue"), ("End", "Who works what")],
        2,
        [("PC-0003", "accept")],
        before=[("Enter", "RELEASE-AS-BILLED  PR-3"), ("a", "PC-0003 accepted"), ("q", "decided")],
    ),
    Task(
        "why did rule PR-9 fire here",
        [("P", "PC-0048: PR-9 fires and gives PEND-EXTERNAL")],
        1,
        before=[("Down", "PC-0048 CLM"), ("Enter", "PEND-EXTERNAL  PR-9")],
    ),
    Task(
        "list my claims older than 60 days",
        [("/", "words to match"), ("=mine age:>60", "2\N{NO-BREAK SPACE}listed"), ("Enter", "PC-0048 CLM")],
        14,
        [("PC-0003", "assign"), ("PC-0031", "assign"), ("PC-0032", "assign"), ("PC-0048", "assign")],
        before=[
            *[("Space", f"{n} marked") for n in (1, 2, 3, 4)],
            ("A", "Whose is"),
            ("1", "4 claims assigned"),
        ],
    ),
    Task(
        "verify the journal",
        [("J", "Journal: 1 row"), ("v", "as it was written; head")],
        2,
        [("PC-0003", "accept")],
        before=[("Enter", "RELEASE-AS-BILLED  PR-3"), ("a", "PC-0003 accepted"), ("q", "decided")],
    ),
    Task(
        "note that the provider was asked for records, due in ten days",
        [
            ("Enter", "RELEASE-AS-BILLED  PR-3"),
            ("d", "Who was asked"),
            ("=provider", "provider"),
            ("Enter", "What for"),
            ("=records", "records"),
            ("Enter", "Answer expected by"),
            ("Enter", "provider asked, answer expected by"),
        ],
        20,
        [("PC-0003", "request")],
    ),
)


@pytest.fixture
def desk(tmp_path: Path) -> Iterator[Terminal]:
    shutil.copytree(QUEUE, tmp_path / "queue")
    terminal = Terminal(tmp_path, 80, 24, environ_for(tmp_path))
    try:
        terminal.wait_for("60\N{NO-BREAK SPACE}claims")
        terminal.press("F3")
        terminal.wait_for(READY)
        yield terminal
    finally:
        terminal.close()


def strokes(keys: Sequence[Key]) -> int:
    return sum(len(key) - 1 if key.startswith("=") else 1 for key, _ in keys)


def press(desk: Terminal, keys: Sequence[Key]) -> None:
    for key, shown in keys:
        if key.startswith("="):
            desk.type(key[1:])
        else:
            desk.press(key)
        desk.wait_for(shown)


@pytest.mark.parametrize("task", TASKS, ids=[task.said for task in TASKS])
def test_a_task_takes_so_many_keystrokes(desk: Terminal, tmp_path: Path, task: Task) -> None:
    press(desk, [*task.before, *task.keys])
    assert strokes(task.keys) == task.strokes
    with Journal.open(tmp_path / "journal.db", read_only=True) as journal:
        assert journal.verify() == ()
        assert [(entry.record_id, entry.action) for entry in journal.entries()] == list(task.journal)
