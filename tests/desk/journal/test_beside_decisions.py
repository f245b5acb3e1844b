"""What accompanies decisions: second looks, whose a claim is, requests and their answers, saved filters."""

from collections.abc import Callable, Iterator
from datetime import date
from pathlib import Path

import pytest

from pendtui.desk.journal import (
    ClaimState,
    ConflictError,
    Entry,
    GateError,
    Journal,
    SecondLookError,
    Status,
    Waiting,
)
from tests.desk.journal.stores import behind_its_back
from tests.journals import QUEUE, START, answers, decision

SECOND = answers(second_look="the policy asks for it")


@pytest.fixture
def journal(place: Path | str) -> Iterator[Journal]:
    with Journal.open(place) as opened:
        yield opened


def decided(journal: Journal, who: str = "ann", *, record_id: str = "PC-0001", **changes: object) -> Entry:
    last = next((row for row in reversed(journal.history(QUEUE, record_id)) if row.decides), None)
    entry = decision(record_id, who=who)._replace(**changes)  # type: ignore[arg-type]
    return journal.append(entry, expected_last=last.seq if last else None)


def state(journal: Journal) -> ClaimState:
    return journal.claim(QUEUE, "PC-0001")


def ask(journal: Journal, due_on: date = date(2026, 9, 14)) -> Entry:
    return journal.request(QUEUE, "PC-0001", asked="clinic", due_on=due_on, what="op report", who="ann", at=START)


# A second look


def test_a_decision_that_needs_a_second_look_stands_only_after_it(journal: Journal) -> None:
    entry = decided(journal, decided=SECOND)
    assert state(journal).status == Status.SECOND_LOOK
    confirmed = journal.confirm(entry, who="bob", at=START)
    assert confirmed.decided["confirms"] == entry.seq
    assert state(journal).status == Status.ACCEPTED
    standing = journal.standing(QUEUE, "PC-0001")
    assert standing is not None and standing.entry == entry and standing.status is Status.ACCEPTED


def test_the_examiner_who_decided_cannot_give_the_second_look(journal: Journal) -> None:
    entry = decided(journal, decided=SECOND)
    with pytest.raises(SecondLookError, match=r"cannot give the second look. Another examiner"):
        journal.confirm(entry, who="ann", display_name="Somebody Else", at=START)
    assert state(journal).status == Status.SECOND_LOOK
    assert journal.head().rows == 1


def test_a_second_look_on_what_was_decided_anew_meanwhile_is_a_conflict(journal: Journal) -> None:
    entry = decided(journal, decided=SECOND)
    decided(journal, "cid", decided=SECOND)
    with pytest.raises(ConflictError, match="cid was here first"):
        journal.confirm(entry, who="bob", at=START)


def test_a_second_look_is_given_once(journal: Journal) -> None:
    entry = decided(journal, decided=SECOND)
    journal.confirm(entry, who="bob", at=START)
    with pytest.raises(ConflictError, match="bob was here first"):
        journal.confirm(entry, who="cid", at=START)


def test_a_second_look_can_be_taken_back_and_the_decision_waits_again(journal: Journal) -> None:
    confirmed = journal.confirm(decided(journal, decided=SECOND), who="bob", at=START)
    assert journal.last_by(QUEUE, "bob") == confirmed
    journal.undo(confirmed, who="bob", at=START)
    assert state(journal).status == Status.SECOND_LOOK


@pytest.mark.parametrize("action", ["park", "undo", "assign"])
def test_only_an_acceptance_or_a_change_is_confirmed(journal: Journal, action: str) -> None:
    entry = decided(journal, action="park")
    if action == "undo":
        entry = journal.undo(entry, who="ann", at=START)
    elif action == "assign":
        entry = journal.assign(QUEUE, "PC-0001", "bob", who="ann", at=START)
    with pytest.raises(SecondLookError, match="is not confirmed"):
        journal.confirm(entry, who="bob", at=START)


# Whose a claim is


def test_a_claim_is_assigned_given_to_a_specialist_queue_and_to_nobody(journal: Journal) -> None:
    for assignee in ("bob", "dup review", ""):
        journal.assign(QUEUE, "PC-0001", assignee, who="ann", at=START)
        assert state(journal).assignee == assignee


def test_assigning_is_no_decision_and_no_conflict_for_one(journal: Journal) -> None:
    entry = decided(journal)
    journal.assign(QUEUE, "PC-0001", "bob", who="cid", at=START)
    assert not journal.history(QUEUE, "PC-0001")[-1].decides
    journal.append(decision("PC-0001", who="bob"), expected_last=entry.seq)
    assert state(journal).assignee == "bob"


def test_of_two_who_take_a_claim_over_from_nobody_one_is_told(journal: Journal) -> None:
    journal.assign(QUEUE, "PC-0001", "bob", who="bob", at=START, expected="")
    with pytest.raises(ConflictError, match=r"bob was here first .assign"):
        journal.assign(QUEUE, "PC-0001", "ann", who="ann", at=START, expected="")
    assert state(journal).assignee == "bob"


# The diary


def test_a_request_waits_until_its_answer_is_in(journal: Journal) -> None:
    decided(journal)
    request = ask(journal)
    assert state(journal)[-4:] == (Waiting.ASKED, request.seq, "clinic", "2026-09-14")
    journal.answer(QUEUE, "PC-0001", request=request.seq, who="bob", at=START)
    assert (state(journal).waiting, state(journal).asked) == (Waiting.ANSWERED, "clinic")


def test_the_next_decision_ends_the_waiting_unless_it_is_to_go_on_waiting(journal: Journal) -> None:
    ask(journal)
    decided(journal)  # PEND-EXTERNAL, which is what the request is for
    assert state(journal).waiting == Waiting.ASKED
    decided(journal, decided=answers(resolution="DENY"))
    assert state(journal).waiting == Waiting.NOBODY


def test_a_decision_after_the_answer_ends_the_waiting_whatever_it_says(journal: Journal) -> None:
    journal.answer(QUEUE, "PC-0001", request=ask(journal).seq, who="ann", at=START)
    decided(journal)
    assert state(journal).waiting == Waiting.NOBODY


def test_a_request_that_is_taken_back_is_awaited_no_more(journal: Journal) -> None:
    journal.answer(QUEUE, "PC-0001", request=ask(journal).seq, withdrawn=True, who="ann", at=START)
    assert state(journal).waiting == Waiting.NOBODY


@pytest.mark.parametrize("how", ["answered already", "asked anew", "never asked"])
def test_an_answer_to_what_is_not_out_is_a_conflict(journal: Journal, how: str) -> None:
    request = ask(journal).seq
    if how == "answered already":
        journal.answer(QUEUE, "PC-0001", request=request, who="bob", at=START)
    elif how == "asked anew":
        ask(journal)
    else:
        request += 7
    rows = journal.head().rows
    with pytest.raises(ConflictError):
        journal.answer(QUEUE, "PC-0001", request=request, who="ann", at=START)
    assert journal.head().rows == rows


@pytest.mark.parametrize(
    "act",
    [
        lambda journal: journal.assign(QUEUE, "PC-0001", "bob", who="ann", at=START),
        ask,
    ],
    ids=["assign", "request"],
)
def test_what_decides_nothing_has_no_release_answer_and_cannot_be_undone(
    journal: Journal, act: Callable[[Journal], Entry]
) -> None:
    entry = act(journal)
    assert "release" not in entry.decided and "release" not in entry.proposed
    with pytest.raises(ValueError, match="decides nothing"):
        journal.undo(entry, who="ann", at=START)
    assert journal.standing(QUEUE, "PC-0001") is None


def test_a_release_answer_never_gets_into_a_row_that_decides_nothing() -> None:
    from pendtui.desk.journal.rows import plain_json

    with pytest.raises(GateError):
        plain_json({"release": "EXAMINER-APPLIES"})


# The list of claims


def test_claims_come_in_the_order_of_their_last_rows_and_from_where_one_left_off(journal: Journal) -> None:
    for record_id in ("PC-0001", "PC-0002", "PC-0003"):
        decided(journal, record_id=record_id)
    journal.assign(QUEUE, "PC-0001", "bob", who="ann", at=START)
    assert [claim.record_id for claim in journal.claims(QUEUE)] == ["PC-0002", "PC-0003", "PC-0001"]
    assert [claim.record_id for claim in journal.claims(QUEUE, since=3)] == ["PC-0001"]


def test_a_list_of_claims_that_says_something_else_than_the_rows_is_found(
    journal: Journal, place: Path | str
) -> None:
    decided(journal)
    with behind_its_back(place) as tool:
        tool.run("UPDATE claim SET status = 'parked'")
    assert [fault.what for fault in journal.verify()] == [
        "the list of claims does not say of PC-0001 what its rows say"
    ]
    with behind_its_back(place) as tool:
        tool.run("DELETE FROM claim")
    assert [fault.what for fault in journal.verify()] == ["PC-0001 is missing from the list of claims"]
    decided(journal, record_id="PC-0002")  # a store whose list lags behind makes it anew
    assert journal.verify() == ()


# Saved filters


def test_filters_are_each_examiners_own_by_name(journal: Journal, place: Path | str) -> None:
    journal.save_filter("ann", "late", "left:<0")
    journal.save_filter("ann", "big", "lob:MA")
    journal.save_filter("bob", "late", "left:<5")
    journal.save_filter("ann", "late", "left:<=0 mine")
    with Journal.open(place) as another:
        assert another.filters("ann") == {"big": "lob:MA", "late": "left:<=0 mine"}
        another.drop_filter("ann", "late")
        another.drop_filter("ann", "never saved")
        assert (journal.filters("ann"), journal.filters("bob")) == ({"big": "lob:MA"}, {"late": "left:<5"})
