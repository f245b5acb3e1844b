"""Several examiners on one queue: what each sees of the others, and whose decision stands."""

from collections.abc import Iterator
from datetime import UTC, date, datetime
from pathlib import Path

import pytest
from textual.pilot import Pilot

from pendtui.app import PendtuiApp
from pendtui.desk.journal import Journal
from pendtui.desk.journal.claims import Lease
from pendtui.screens.queue import QueueScreen
from pendtui.screens.record import RecordScreen
from tests.desks import app_in
from tests.journals import answers, decision
from tests.policies import policy_text
from tests.screens.screen_text import listed_ids, screen_text

LATER = datetime(2026, 9, 4, 13, tzinfo=UTC)


class Bob:
    """Another examiner's program on the same journal."""

    def __init__(self, app: PendtuiApp, folder: Path) -> None:
        self.queue = app.desk.queue_name
        self.journal = Journal.open(folder / "journal.db")

    def opens(self, record_id: str, term: float = 60.0) -> Lease:
        return self.journal.take_lease(self.queue, record_id, token="bob's", who="bob", by="Bob", term=term)

    def accepts(self, record_id: str, **decided: object) -> None:
        self.journal.append(
            decision(record_id, who="bob", queue=self.queue, display_name="Bob", decided=answers(**decided)),  # type: ignore[arg-type]
            expected_last=None,
        )


@pytest.fixture
def app(tmp_path: Path) -> Iterator[PendtuiApp]:
    opened = app_in(tmp_path)
    yield opened
    opened.desk.close()


@pytest.fixture
def bob(app: PendtuiApp, tmp_path: Path) -> Iterator[Bob]:
    other = Bob(app, tmp_path)
    yield other
    other.journal.close()


async def shows(pilot: Pilot[None], text: str, seconds: float = 2.0) -> bool:
    """Whether the screen comes to show a text without a keystroke."""
    for _ in range(int(seconds / 0.05)):
        if text in screen_text(pilot.app):
            return True
        await pilot.pause(0.05)
    return False


def line_of(app: PendtuiApp, record_id: str) -> str:
    return next(line for line in screen_text(app).splitlines() if f" {record_id} " in line)


async def test_what_others_do_appears_within_two_seconds_and_the_cursor_stays(app: PendtuiApp, bob: Bob) -> None:
    async with app.run_test(size=(120, 30)) as pilot:
        await pilot.press("j", "j")
        bob.accepts("PC-0002")
        assert await shows(pilot, "PC-0002 accepted by Bob")
        assert "accepted" in line_of(app, "PC-0002")
        row = app.screen.query_one("#list").row  # type: ignore[attr-defined]
        assert row.id == "PC-0003"


async def test_a_claim_that_is_open_elsewhere_is_shown_as_in_use(app: PendtuiApp, bob: Bob) -> None:
    async with app.run_test(size=(120, 30)) as pilot:
        bob.opens("PC-0004")
        assert await shows(pilot, "in use")
        assert "in use" in line_of(app, "PC-0004")
        bob.journal.release_leases("bob's")
        await pilot.pause(1.2)
        assert "open" in line_of(app, "PC-0004")


async def test_the_lease_of_a_program_that_is_gone_lapses_by_itself(app: PendtuiApp, bob: Bob) -> None:
    async with app.run_test(size=(120, 30)) as pilot:
        bob.opens("PC-0004", term=1.0)
        assert await shows(pilot, "in use")
        for _ in range(160):
            await pilot.pause(0.05)
            if "open" in line_of(app, "PC-0004"):
                break
        assert "open" in line_of(app, "PC-0004")


async def test_an_open_record_is_held_until_it_is_left(app: PendtuiApp, bob: Bob) -> None:
    async with app.run_test() as pilot:
        await pilot.press("enter")
        await pilot.pause(0.2)
        assert [lease.record_id for lease in bob.journal.leases(bob.queue)] == ["PC-0002"]
        await pilot.press("n")
        await pilot.pause(0.2)
        assert [lease.record_id for lease in bob.journal.leases(bob.queue)] == ["PC-0004"]
        await pilot.press("q")
        await pilot.pause(0.2)
        assert bob.journal.leases(bob.queue) == ()


async def test_a_claim_in_use_may_be_looked_at_and_a_decision_asks_once_more(app: PendtuiApp, bob: Bob) -> None:
    bob.opens("PC-0002")
    async with app.run_test(size=(120, 30)) as pilot:
        await pilot.press("enter")
        assert await shows(pilot, "in use by Bob on")
        await pilot.press("a")
        assert "Decide PC-0002 all the same?" in screen_text(app)
        await pilot.press("n")
        assert list(app.desk.journal.entries()) == []
        await pilot.press("a", "y")
        assert await shows(pilot, "Saved as row 1: PC-0002 accepted")


async def test_a_decision_on_a_claim_that_was_decided_meanwhile_is_not_saved_and_the_other_is_shown(
    app: PendtuiApp, bob: Bob
) -> None:
    async with app.run_test(size=(160, 48)) as pilot:
        await pilot.press("enter")
        bob.accepts("PC-0002")
        await pilot.press("a")
        assert await shows(pilot, "Not saved:")
        assert "Bob was here first" in screen_text(app)
        assert "accepted by Bob" in screen_text(app)
        assert isinstance(app.screen, RecordScreen) and app.screen.view.id == "PC-0002"
    assert [entry.who for entry in app.desk.journal.entries()] == ["bob"]


async def test_one_who_looks_at_a_claim_is_told_that_it_was_decided(app: PendtuiApp, bob: Bob) -> None:
    async with app.run_test(size=(160, 48)) as pilot:
        await pilot.press("enter")
        bob.accepts("PC-0002")
        assert await shows(pilot, "PC-0002 accepted by Bob. Enter shows it.")
        await pilot.press("enter")
        assert await shows(pilot, "ON FILE")


async def test_get_next_never_deals_a_claim_that_somebody_has(app: PendtuiApp, bob: Bob) -> None:
    bob.opens("PC-0002")
    bob.journal.assign(bob.queue, "PC-0004", "bob", who="bob", at=LATER)
    async with app.run_test() as pilot:
        await pilot.press("g")
        assert isinstance(app.screen, RecordScreen) and app.screen.view.id == "PC-0003"
        await pilot.press("g")
        await pilot.pause(0.2)
        assert isinstance(app.screen, RecordScreen) and app.screen.view.id == "PC-0005"


async def test_claims_are_assigned_and_mine_lists_them(app: PendtuiApp) -> None:
    async with app.run_test(size=(120, 30)) as pilot:
        await pilot.press("j", "space", "space", "A", "1")
        assert await shows(pilot, f"2 claims assigned to {app.desk.user}.")
        await pilot.press("m")
        await pilot.pause()
        assert listed_ids(screen_text(app)) == ["PC-0004", "PC-0003"]
        await pilot.press("m")
        await pilot.pause()
        assert len(listed_ids(screen_text(app))) == 5


async def test_a_queue_that_i_work_is_mine_as_well(tmp_path: Path) -> None:
    app = app_in(tmp_path, my_queues=("dup review",), specialist_queues=("dup review",))
    async with app.run_test(size=(120, 30)) as pilot:
        await pilot.press("A", "2", "m")
        await pilot.pause()
        assert listed_ids(screen_text(app)) == ["PC-0002"]
    app.desk.close()


async def test_a_request_is_noted_then_its_answer_and_the_claim_comes_to_the_top(app: PendtuiApp) -> None:
    async with app.run_test(size=(120, 30)) as pilot:
        await pilot.press("G", "enter", "d", *"clinic", "enter", *"op report", "enter", "enter")
        assert await shows(pilot, "Row 1: clinic asked, answer expected by 2026-09-14")
        assert "waiting: clinic 2026-09-14" in screen_text(app)
        await pilot.press("q")
        assert "waiting" in line_of(app, "PC-0001")
        await pilot.press("enter", "d", "1")
        assert await shows(pilot, "Row 2: answer in.")
        await pilot.press("q")
        await pilot.pause()
        assert listed_ids(screen_text(app))[0] == "PC-0001"
        assert "answer in" in line_of(app, "PC-0001")


async def test_a_request_without_a_day_or_a_name_is_refused(app: PendtuiApp) -> None:
    async with app.run_test(size=(120, 30)) as pilot:
        await pilot.press("enter", "d", "enter", "enter", "enter")
        assert await shows(pilot, "Not noted: somebody has to be named.")
        await pilot.press("d", *"clinic", "enter", "enter", *"soon", "enter")
        assert await shows(pilot, "soon' is no day; write 2026-09-14 or +10.")
    assert list(app.desk.journal.entries()) == []


async def test_a_filter_is_saved_found_again_and_forgotten(app: PendtuiApp) -> None:
    async with app.run_test(size=(120, 30)) as pilot:
        await pilot.press("f")
        assert "No filter is saved" in screen_text(app)
        await pilot.press("slash", *"left:<0", "enter", "f", "1", *"late", "enter")
        assert await shows(pilot, "Saved as late")
        await pilot.press("escape", "f", "1")
        await pilot.pause()
        assert listed_ids(screen_text(app)) == ["PC-0002", "PC-0004"]
        await pilot.press("f", "delete")
        await pilot.pause()
        assert app.desk.journal.filters(app.desk.user) == {}


async def test_a_filter_that_is_not_understood_says_so_and_leaves_the_list(app: PendtuiApp) -> None:
    async with app.run_test(size=(120, 30)) as pilot:
        await pilot.press("slash", *"age:old")
        assert await shows(pilot, "age: 'old' is no number of days")
        assert len(listed_ids(screen_text(app))) == 5


@pytest.fixture
def second_look(tmp_path: Path) -> Iterator[PendtuiApp]:
    path = tmp_path / "policy.toml"
    asked = '[second_look]\nresolutions = ["ROUTE-SPECIALIST"]\n\n[gate]'
    path.write_text(policy_text().replace("[gate]", asked, 1), encoding="utf-8")
    opened = app_in(tmp_path, policy=str(path))
    yield opened
    opened.desk.close()


async def test_a_decision_that_needs_a_second_look_waits_for_another_examiner(second_look: PendtuiApp) -> None:
    async with second_look.run_test(size=(160, 48)) as pilot:
        await pilot.press("enter", "a")
        assert await shows(pilot, "PC-0002 accepted, to be confirmed by another examiner")
        await pilot.press("q")
        assert "2nd look" in line_of(second_look, "PC-0002")
        await pilot.press("home", "enter", "a")
        assert await shows(pilot, "you decided so; another examiner has to confirm it")
    assert len(list(second_look.desk.journal.entries())) == 1


async def test_another_examiner_confirms_and_the_decision_stands(second_look: PendtuiApp, tmp_path: Path) -> None:
    async with second_look.run_test(size=(160, 48)) as pilot:
        await pilot.press("enter", "a", "q")
        entry = next(second_look.desk.journal.entries())
        with Journal.open(tmp_path / "journal.db") as journal:
            journal.confirm(entry, who="bob", at=LATER, display_name="Bob")
        await pilot.pause(1.2)
        assert "accepted" in line_of(second_look, "PC-0002")


async def test_accepting_the_same_answers_confirms_anothers_decision(
    second_look: PendtuiApp, tmp_path: Path
) -> None:
    desk = second_look.desk
    view = desk.open("PC-0002")
    with Journal.open(tmp_path / "journal.db") as journal:
        entry = decision(
            "PC-0002",
            who="bob",
            queue=desk.queue_name,
            record_sha256=view.sha256,
            decided=answers("DUP-SUSPECT", resolution="ROUTE-SPECIALIST", second_look="the policy asks for it"),
        )
        journal.append(entry._replace(policy_sha256=desk.policy.sha256), expected_last=None)
    async with second_look.run_test(size=(160, 48)) as pilot:
        await pilot.press("home", "enter", "a")
        assert await shows(pilot, "Saved as row 2: PC-0002 confirmed")
    assert desk.journal.claim(desk.queue_name, "PC-0002").status == "accepted"


def test_a_due_day_is_typed_as_a_date_or_as_days_from_today() -> None:
    from pendtui.screens.working import due_day

    today = date(2026, 9, 4)
    assert due_day("2026-09-14", today) == due_day("+10", today) == due_day("10", today) == date(2026, 9, 14)
    assert due_day("soon", today) is due_day("", today) is due_day("+99999999999", today) is None


def test_the_queue_screen_renews_its_leases_well_within_their_term() -> None:
    from pendtui.desk.journal.sharing import TERM
    from pendtui.screens import queue

    assert queue.STAY_SECONDS * 2 < TERM
    assert queue.LOOK_SECONDS < 2
    assert QueueScreen.BINDINGS
