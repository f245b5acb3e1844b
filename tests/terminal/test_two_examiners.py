"""Two terminals side by side on one queue and one journal: who has what open, what the other did, who was first."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from pendtui.desk.journal import Journal
from pendtui.desk.journal.sharing import TERM
from tests.journals import soon
from tests.queues import FIVE, write_queue
from tests.terminal.tmux import Terminal, environ_for, needs_tmux

pytestmark = needs_tmux


class Desks:
    """Ann's terminal on the left and Bob's on the right."""

    def __init__(self, folder: Path, place: Path | str, columns: int, lines: int) -> None:
        self.place = place
        write_queue(folder / "queue", FIVE)
        opened = []
        for who in ("ann", "bob"):
            (folder / who).mkdir()
            environ = environ_for(folder, PENDTUI_DISPLAY_NAME=who, PENDTUI_INDEX_FOLDER=str(folder / who))
            environ["PENDTUI_JOURNAL" if isinstance(place, Path) else "PENDTUI_STORE"] = str(place)
            opened.append(Terminal(folder / who, columns, lines, environ))
        self.ann, self.bob = opened
        for terminal in opened:
            terminal.wait_for("PC-0002")

    def close(self) -> None:
        self.ann.close()
        self.bob.close()


@pytest.fixture(params=[(80, 24), (200, 50)], ids=["80x24", "200x50"])
def desks(tmp_path: Path, place: Path | str, request: pytest.FixtureRequest) -> Iterator[Desks]:
    opened = Desks(tmp_path, place, *request.param)
    yield opened
    opened.close()


def line_of(screen: str, record_id: str) -> str:
    return next(line for line in screen.splitlines() if f" {record_id} " in line)


def test_two_examiners_see_each_other_and_of_two_decisions_on_one_claim_the_second_is_told(desks: Desks) -> None:
    ann, bob = desks.ann, desks.bob
    ann.press("Enter")
    ann.wait_for("ROUTE-SPECIALIST")
    # Bob has touched no key: his queue says that the claim is in use, and by whom.
    screen = bob.wait_for("in use by ann")
    assert "in use" in line_of(screen, "PC-0002")
    bob.press("Enter")
    bob.wait_for("You may look; a decision asks once more.")
    bob.press("a")
    bob.wait_for("Decide PC-0002 all the same?")
    ann.press("a")
    ann.wait_for("Saved as row 1: PC-0002 accepted")
    bob.press("y")
    screen = bob.wait_for("Not saved: PC-0002: ann was here first (accept,")
    assert "accepted by ann" in screen
    bob.press("q")
    screen = bob.wait_for("accepted")
    assert "accepted" in line_of(screen, "PC-0002")
    with Journal.open(desks.place, read_only=True) as journal:
        assert [(entry.display_name, entry.record_id) for entry in journal.entries()] == [("ann", "PC-0002")]
        assert journal.verify() == ()


def test_a_decision_appears_in_the_others_queue_without_a_key_and_the_cursor_stays(desks: Desks) -> None:
    ann, bob = desks.ann, desks.bob
    bob.press("j", "j")
    bob.wait_for("PC-0003 CLM-")  # below the list: the record under the cursor
    ann.press("Enter")
    ann.wait_for("ROUTE-SPECIALIST")
    ann.press("a")
    ann.wait_for("Saved as row 1")
    screen = bob.wait_for("PC-0002 accepted by ann")
    assert "accepted" in line_of(screen, "PC-0002")
    assert "PC-0003 CLM-" in screen


def test_a_program_whose_terminal_is_gone_ends_and_its_lease_lapses(tmp_path: Path, place: Path | str) -> None:
    desks = Desks(tmp_path, place, 80, 24)
    try:
        desks.ann.press("Enter")
        desks.bob.wait_for("in use by ann")
        program = Path(f"/proc/{desks.ann.program_pid()}")
        desks.ann.hang_up()
        assert soon(lambda: not program.exists(), 20)
        with Journal.open(place) as journal, journal._db.writing("lease"):
            (lease,) = journal.leases()
            assert (lease.until - lease.since).total_seconds() <= TERM
            # The rest of the term need not be waited for: nobody is left to renew it.
            journal._db.run("UPDATE lease SET until = ?", journal._db.now() + 1_000_000)
        desks.bob.wait_until_gone("in use by ann")
    finally:
        desks.close()
