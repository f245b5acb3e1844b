"""Several examiners on one queue: what each sees of the others, and whose decision stands."""

import hashlib
from collections.abc import Iterator
from datetime import UTC, date, datetime
from pathlib import Path

import pytest
from textual.pilot import Pilot

from pendtui.app import PendtuiApp
from pendtui.desk.journal import Journal
from pendtui.desk.journal.claims import Lease
from pendtui.desk.query import WORDS
from pendtui.screens.queue import QueueScreen
from pendtui.screens.record import RecordScreen
from tests.desks import app_in, desk_in
from tests.journals import answers, decision
from tests.policies import policy_text
from tests.queues import days_left, write_queue
from tests.screens.screen_text import listed_ids, screen_text

LATER = datetime(2026, 9, 4, 13, tzinfo=UTC)


class Bob:
    """Another examiner's program on the same journal."""

    def __init__(self, app: PendtuiApp, folder: Path) -> None:
        """`folder` holds the queue."""
        self.folder = folder
        self.queue = app.desk.queue_name
        self.policy_sha256 = app.desk.policy.sha256
        self.journal = Journal.open(app.desk.config.store())

    def opens(self, record_id: str, term: float = 60.0) -> Lease:
        return self.journal.take_lease(self.queue, record_id, token="bob's", who="bob", by="Bob", term=term)

    def accepts(self, record_id: str, **decided: object) -> None:
        entry = decision(
            record_id,
            who="bob",
            queue=self.queue,
            display_name="Bob",
            record_sha256=hashlib.sha256((self.folder / "queue" / f"{record_id}.txt").read_bytes()).hexdigest(),
            decided=answers(**decided),  # type: ignore[arg-type]
        )
        self.journal.append(entry._replace(policy_sha256=self.policy_sha256), expected_last=None)

    def asks(self, record_id: str, due_on: date) -> None:
        self.journal.request(
            self.queue, record_id, asked="clinic", due_on=due_on, what="op report", who="bob", at=LATER
        )

    def forgets_all_leases(self) -> None:
        """As it is once their terms have passed."""
        with self.journal._db.writing("lease"):
            self.journal._db.run("DELETE FROM lease")


@pytest.fixture
def app(tmp_path: Path, place: Path | str) -> Iterator[PendtuiApp]:
    opened = app_in(tmp_path, **store_at(place))  # type: ignore[arg-type]
    yield opened
    opened.desk.close()


def store_at(place: Path | str) -> dict[str, str]:
    """The settings that name a journal."""
    return {"journal": str(place)} if isinstance(place, Path) else {"url": place}


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


def test_the_queue_screen_renews_its_leases_well_within_their_term() -> None:
    from pendtui.desk.journal.sharing import TERM
    from pendtui.screens import queue

    assert queue.STAY_SECONDS * 2 < TERM
    assert queue.LOOK_SECONDS < 2
    assert QueueScreen.BINDINGS


async def test_get_next_deals_what_waited_once_its_answer_is_in_or_was_due(app: PendtuiApp, bob: Bob) -> None:
    for record_id, due_on in (("PC-0001", date(2026, 9, 30)), ("PC-0003", date(2026, 9, 4))):
        bob.accepts(record_id, resolution="PEND-EXTERNAL")
        bob.asks(record_id, due_on)
    for record_id in ("PC-0002", "PC-0004", "PC-0005"):
        bob.accepts(record_id, resolution="DENY")
    async with app.run_test() as pilot:
        await pilot.press("g")
        assert isinstance(app.screen, RecordScreen) and app.screen.view.id == "PC-0003"
        await pilot.press("g")
        assert await shows(pilot, "No other open claim")
        request = bob.journal.claim(bob.queue, "PC-0001").request_seq
        assert request is not None
        bob.journal.answer(bob.queue, "PC-0001", request=request, who="bob", at=LATER)
        await pilot.press("g")
        assert app.screen.view.id == "PC-0001"


async def test_get_next_does_not_deal_what_was_decided_since_the_last_look(app: PendtuiApp, bob: Bob) -> None:
    async with app.run_test() as pilot:
        bob.accepts("PC-0002")
        await pilot.press("g")
        assert isinstance(app.screen, RecordScreen) and app.screen.view.id == "PC-0004"


async def test_a_lease_that_lapsed_is_taken_again(app: PendtuiApp, bob: Bob) -> None:
    async with app.run_test() as pilot:
        await pilot.press("enter")
        await pilot.pause(0.2)
        bob.forgets_all_leases()
        assert app.desk.colleagues.stay() == ()
        assert [lease.record_id for lease in bob.journal.leases(bob.queue)] == ["PC-0002"]


async def test_one_whose_claim_was_taken_after_the_lease_had_lapsed_is_told(app: PendtuiApp, bob: Bob) -> None:
    async with app.run_test(size=(160, 48)) as pilot:
        await pilot.press("enter")
        await pilot.pause(0.2)
        bob.forgets_all_leases()
        bob.opens("PC-0002")
        (queue,) = (screen for screen in app.screen_stack if isinstance(screen, QueueScreen))
        queue._stay()
        assert await shows(pilot, "in use by Bob")
        assert await shows(pilot, "your own hold on it had lapsed")
        bob.journal.release_leases("bob's")
        for _ in range(60):
            await pilot.pause(0.05)
            if app.desk.colleagues.holds("PC-0002"):
                break
        assert app.desk.colleagues.holds("PC-0002")


async def test_parking_a_claim_in_use_says_so_before(app: PendtuiApp, bob: Bob) -> None:
    bob.opens("PC-0002")
    async with app.run_test(size=(160, 48)) as pilot:
        assert await shows(pilot, "in use")
        await pilot.press("p")
        assert "Park PC-0002 (in use by Bob): why" in screen_text(app)
        await pilot.press("escape", "enter")
        await pilot.pause(0.2)
        await pilot.press("p")
        assert "Park PC-0002 (in use by Bob on" in screen_text(app)


async def test_what_another_notes_beside_the_claim_leaves_what_i_have_changed(app: PendtuiApp, bob: Bob) -> None:
    async with app.run_test(size=(160, 48)) as pilot:
        await pilot.press("enter", "c", "1")
        bob.journal.assign(bob.queue, "PC-0002", "dup review", who="bob", at=LATER, display_name="Bob")
        assert await shows(pilot, "PC-0002 is dup review's.")
        assert "for dup review" in screen_text(app)
        await pilot.press("a", "y")
        assert await shows(pilot, "PC-0002 changed")


async def test_the_help_lists_every_word_of_the_filter_line(app: PendtuiApp) -> None:
    async with app.run_test(size=(160, 100)) as pilot:
        await pilot.press("question_mark")
        await pilot.pause()
        lines = [line.strip(" │") for line in screen_text(app).splitlines()]
        for word in WORDS:
            assert any(line.split() == [word.shown, *word.help.split()] for line in lines), word.shown


def test_two_examiners_who_get_next_all_the_time_never_have_the_same_claim(tmp_path: Path) -> None:
    dealt: dict[str, list[str]] = {"ann": [], "bob": []}
    write_queue(tmp_path / "queue", {f"PC-{n:04}": days_left(n % 20) for n in range(1, 31)})
    desks = {who: desk_in(tmp_path, index_folder=str(tmp_path / who), display_name=who) for who in dealt}
    for desk in desks.values():
        desk.refresh()
        desk.load_claims()
    in_hand: dict[str, str] = {}
    for turn in range(60):
        who = "ann" if turn % 3 else "bob"
        desk, before = desks[who], in_hand.pop(who, "")
        row = desk.take_next(before)
        if row is not None:
            assert row.id not in in_hand.values()
            in_hand[who] = row.id
            dealt[who].append(row.id)
        if before:
            desk.decisions.park(desk.open(before), "seen")
            desk.colleagues.let_go(before)
    assert sorted(dealt["ann"] + dealt["bob"]) == [f"PC-{n:04}" for n in range(1, 31)]
    for desk in desks.values():
        desk.close()


async def test_two_programs_of_one_user_share_an_index_and_still_tell_each_other(tmp_path: Path) -> None:
    app = app_in(tmp_path)
    async with app.run_test(size=(120, 30)) as pilot:
        await pilot.press("enter")
        await pilot.pause()
        other = desk_in(tmp_path, display_name="Bob")
        assert other.index.path == app.desk.index.path
        other.decisions.park(other.open("PC-0002"), "asked the plan")
        other.close()
        for _ in range(100):
            await pilot.pause(0.05)
            if "parked by Bob" in (text := screen_text(app)):
                break
        assert "PC-0002 parked by Bob. Enter shows it." in text
        await pilot.press("q")
        await pilot.pause()
        assert "parked" in screen_text(app)
