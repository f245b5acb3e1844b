"""The record screen: the sentence, the four answers, and the decision."""

from pathlib import Path

import pytest
from textual.pilot import Pilot

from pendtui.app import PendtuiApp
from pendtui.screens.queue import QueueScreen
from pendtui.screens.record import RecordScreen
from pendtui.screens.widgets.record_text import RecordText
from tests.desks import app_in, desk_in
from tests.queues import CAUSE_LINES, FIVE, days_left, write_queue
from tests.screens.screen_text import screen_text

SIZES = [(80, 24), (200, 50)]
DUP = CAUSE_LINES["DUP-SUSPECT"]


async def press(pilot: Pilot[None], *keys: str) -> str:
    for key in keys:
        await pilot.press(key)
        await pilot.pause()
    return screen_text(pilot.app)


def opened(app: PendtuiApp) -> RecordScreen:
    assert isinstance(app.screen, RecordScreen)
    return app.screen


def decisions(app: PendtuiApp) -> list[tuple[str, str]]:
    return [(entry.record_id, entry.action) for entry in app.desk.journal.entries()]


@pytest.mark.parametrize("size", SIZES)
async def test_the_four_answers_and_the_sentence_are_in_view_at_once(tmp_path: Path, size: tuple[int, int]) -> None:
    app = app_in(tmp_path)
    async with app.run_test(size=size) as pilot:
        text = await press(pilot, "enter")
        for answer in ("DUP-SUSPECT", "ROUTE-SPECIALIST", "BREACHED", "EXAMINER-APPLIES", DUP):
            assert answer in text
        assert app.screen.query_one(RecordText).sentence_in_view


async def test_the_clock_is_shown_as_a_sum_to_check_by_hand(tmp_path: Path) -> None:
    app = app_in(tmp_path)
    async with app.run_test(size=(200, 60)) as pilot:
        text = await press(pilot, "enter")
        for part in (
            "received    2026-07-29 Wed",
            "as of       2026-09-01 Tue",
            "elapsed       34",
            "deadline      30  on 2026-08-28 Fri",
            "left          -4  = 30 - 34",
            "CL-3, regulation: 42 CFR 447.45(d)(2)",
            "90% over a population",
            "counted from the pend date (2026-07-30)",
            "the register reading is 3 days old today",
        ):
            assert part in text


async def test_the_rule_that_fired_and_why_the_earlier_ones_did_not_are_shown(tmp_path: Path) -> None:
    app = app_in(tmp_path)
    async with app.run_test(size=(200, 60)) as pilot:
        text = await press(pilot, "enter")
        assert "ROUTE-SPECIALIST  by PR-5" in text
        for rule in ("PR-1", "PR-2", "PR-3", "PR-4"):
            assert f"not {rule}: asks for a register of" in text


async def test_a_narrow_screen_switches_between_record_and_answers(tmp_path: Path) -> None:
    app = app_in(tmp_path)
    async with app.run_test(size=(80, 24)) as pilot:
        assert "PEND MESSAGE" in await press(pilot, "enter")
        text = await press(pilot, "tab")
        assert "1 WHY IT PENDED" in text
        assert "4 WHO APPLIES IT" in await press(pilot, *["pagedown"] * 4)
        assert "PEND MESSAGE" in await press(pilot, "tab")


async def test_two_keys_work_a_claim_and_the_next_open_one_comes_up(tmp_path: Path) -> None:
    app = app_in(tmp_path)
    async with app.run_test(size=(80, 24)) as pilot:
        text = await press(pilot, "enter", "a")
        assert opened(app).view.id == "PC-0004"
        assert "Saved as row 1: PC-0002 accepted." in text
        assert decisions(app) == [("PC-0002", "accept")]


async def test_a_denial_asks_once_more_with_sentence_and_rule_in_view(tmp_path: Path) -> None:
    app = app_in(tmp_path, {"PC-0001": {**days_left(3), "cause": "CODE-EDIT", "evidence": "none"}})
    async with app.run_test(size=(80, 24)) as pilot:
        text = await press(pilot, "enter", "a")
        assert "PC-0001: DENY-LINE?" in text and "PR-7" in text and "bundled into the primary service" in text
        await press(pilot, "n")
        assert decisions(app) == []
        await press(pilot, "a", "y")
        assert decisions(app) == [("PC-0001", "accept")]


async def test_denials_are_not_asked_about_where_the_settings_say_so(tmp_path: Path) -> None:
    claims = {"PC-0001": {**days_left(3), "cause": "CODE-EDIT", "evidence": "none"}}
    app = app_in(tmp_path, claims, confirm_denials=False)
    async with app.run_test(size=(80, 24)) as pilot:
        await press(pilot, "enter", "a")
        assert decisions(app) == [("PC-0001", "accept")]


async def test_another_cause_recomputes_the_answers_at_once_and_is_saved_as_changed(tmp_path: Path) -> None:
    app = app_in(tmp_path)
    async with app.run_test(size=(80, 24)) as pilot:
        text = await press(pilot, "enter", "c", "6")
        assert "PRICE-UNAVAILABLE" in text and "PR-6" in text
        await press(pilot, "a")
        entry = next(iter(app.desk.journal.entries()))
        assert (entry.action, entry.proposed["cause_class"], entry.decided["cause_class"]) == (
            "change",
            "DUP-SUSPECT",
            "PRICE-UNAVAILABLE",
        )
        assert entry.decided["rule"] == "PR-6" and entry.decided["release"] == "EXAMINER-APPLIES"


async def test_choosing_the_readers_own_cause_again_brings_its_sentence_back(tmp_path: Path) -> None:
    app = app_in(tmp_path)
    async with app.run_test(size=(80, 24)) as pilot:
        await press(pilot, "enter", "c", "6")
        assert opened(app).view.answers.span is None
        await press(pilot, "c", "5")
        assert opened(app).view.answers.span is not None
        await press(pilot, "a")
        assert decisions(app) == [("PC-0002", "accept")]


async def test_a_claim_without_a_row_is_blocked_until_the_examiner_says_what_the_register_holds(
    tmp_path: Path,
) -> None:
    write_queue(tmp_path / "queue", FIVE, rows=False)
    app = app_in(tmp_path)
    async with app.run_test(size=(80, 24)) as pilot:
        text = await press(pilot, "enter", "a")
        assert "what the register holds is not known" in text
        assert decisions(app) == []
        text = await press(pilot, "v", "1")
        assert "RELEASE-AS-BILLED" in text and "set by you" in text
        await press(pilot, "a")
        assert decisions(app) == [("PC-0002", "change")]


async def test_the_register_of_a_claim_with_a_row_cannot_be_set(tmp_path: Path) -> None:
    app = app_in(tmp_path)
    async with app.run_test(size=(80, 24)) as pilot:
        text = await press(pilot, "enter", "v")
        assert "comes from claims.json" in text
        assert opened(app).view.evidence_by_examiner is False


async def test_a_faulty_record_can_be_parked_and_not_accepted(tmp_path: Path) -> None:
    queue = write_queue(tmp_path / "queue", FIVE)
    path = queue / "PC-0002.txt"
    path.write_text(path.read_text().replace("DESK NOTES", "NOTES"))
    app = app_in(tmp_path)
    async with app.run_test(size=(80, 24)) as pilot:
        text = await press(pilot, "enter", "a")
        assert "FAULTY section DESK NOTES is missing" in text and decisions(app) == []
        await press(pilot, "p", *"sent", "space", *"back", "enter")
        assert decisions(app) == [("PC-0002", "park")]
        assert next(iter(app.desk.journal.entries())).note == "sent back"


async def test_parking_needs_a_note_and_escape_parks_nothing(tmp_path: Path) -> None:
    app = app_in(tmp_path)
    async with app.run_test(size=(80, 24)) as pilot:
        assert "a note has to say why" in await press(pilot, "enter", "p", "enter")
        await press(pilot, "p", "x", "escape")
        assert decisions(app) == []
        await press(pilot, "p", *"waits", "enter")
        assert [entry.note for entry in app.desk.journal.entries()] == ["waits"]
        assert opened(app).view.id == "PC-0004"


async def test_undo_takes_my_last_decision_back_with_a_new_row(tmp_path: Path) -> None:
    app = app_in(tmp_path)
    async with app.run_test(size=(80, 24)) as pilot:
        await press(pilot, "enter", "a")
        text = await press(pilot, "u")
        assert opened(app).view.id == "PC-0002" and "PC-0002 is open again" in text
        assert decisions(app) == [("PC-0002", "accept"), ("PC-0002", "undo")]
        assert "no decision of yours" in await press(pilot, "u")


@pytest.mark.parametrize(
    ("keys", "record"),
    [(["n"], "PC-0004"), (["n", "n"], "PC-0003"), (["n", "b"], "PC-0002"), (["b"], "PC-0001"), (["e"], "PC-0004")],
)
async def test_next_back_and_urgent_move_between_open_claims(tmp_path: Path, keys: list[str], record: str) -> None:
    app = app_in(tmp_path)
    async with app.run_test(size=(80, 24)) as pilot:
        await press(pilot, "enter", *keys)
        assert opened(app).view.id == record


async def test_after_the_last_open_claim_the_queue_comes_back(tmp_path: Path) -> None:
    app = app_in(tmp_path, {"PC-0001": days_left(3)})
    async with app.run_test(size=(80, 24)) as pilot:
        text = await press(pilot, "enter", "a")
        assert isinstance(app.screen, QueueScreen)
        assert "No open claim is left" in text
        assert "1 decided today" in text.replace("\N{NO-BREAK SPACE}", " ")


async def test_three_claims_worked_are_found_decided_after_a_restart(tmp_path: Path) -> None:
    app = app_in(tmp_path)
    async with app.run_test(size=(80, 24)) as pilot:
        await press(pilot, "enter", "a", "c", "2", "a", "p", *"later", "enter", "q", "q")
    app.desk.close()
    again = app_in(tmp_path)
    async with again.run_test(size=(200, 50)) as pilot:
        text = await press(pilot)
        lines = {line.split("PC-")[1][:4]: line for line in text.splitlines() if "left" in line or "over" in line}
        assert "accepted" in lines["0002"] and "ann" in lines["0002"]
        assert "changed" in lines["0004"]
        assert "parked" in lines["0003"]
        assert "open" in lines["0005"] and "open" in lines["0001"]


async def test_a_decision_on_a_record_that_has_changed_since_stands_as_stale(tmp_path: Path) -> None:
    app = app_in(tmp_path)
    async with app.run_test(size=(80, 24)) as pilot:
        await press(pilot, "enter", "a", "q", "q")
    app.desk.close()
    path = tmp_path / "queue" / "PC-0002.txt"
    path.write_text(path.read_text().replace("Monday", "Tuesday morning's"))
    again = app_in(tmp_path)
    async with again.run_test(size=(80, 24)) as pilot:
        assert "accepted*" in await press(pilot)
        text = await press(pilot, "home", "enter", "tab", *["pagedown"] * 5)
        assert "stale: the record has changed since" in text
        await press(pilot, "a")
        assert decisions(again) == [("PC-0002", "accept"), ("PC-0002", "accept")]
    again.desk.close()


async def test_a_decision_made_elsewhere_meanwhile_is_not_overwritten(tmp_path: Path) -> None:
    app = app_in(tmp_path)
    async with app.run_test(size=(80, 24)) as pilot:
        await press(pilot, "enter")
        other = desk_in(tmp_path, display_name="bob")
        other.decisions.accept(other.open("PC-0002"))
        other.close()
        text = await press(pilot, "a")
        assert "Not saved" in text and "bob" in text
        assert len(decisions(app)) == 1


@pytest.mark.parametrize("length", range(70, 84))
async def test_no_end_of_a_line_is_hidden_by_the_scroll_bar(tmp_path: Path, length: int) -> None:
    line = ("word " * 20)[: length - 6].rstrip() + " ending"[:length]
    queue = write_queue(tmp_path / "queue", {"PC-0001": {}})
    text = (queue / "PC-0001.txt").read_text(encoding="utf-8")
    (queue / "PC-0001.txt").write_text(text.replace("DESK NOTES\n", f"DESK NOTES\n\n{line}\n"), encoding="utf-8")
    async with app_in(tmp_path).run_test(size=(80, 24)) as pilot:
        seen = await press(pilot, "enter") + await press(pilot, "pagedown")
        assert "ending" in seen.split()
