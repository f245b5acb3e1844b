"""The journal's rows: what goes in, what is refused, and how a claim stands afterwards."""

import os
import tempfile
import threading
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta, timezone
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pendtui.desk.journal import Action, ConflictError, GateError, Journal, Status, os_user, reading
from pendtui.errors import JournalError
from tests.journals import QUEUE, START, answers, decision, soon


@pytest.fixture
def journal(place: Path | str) -> Iterator[Journal]:
    with Journal.open(place) as opened:
        yield opened


def test_a_saved_row_says_everything_that_it_was_given(journal: Journal) -> None:
    proposed = answers("DOC-REQUIRED", span=None)
    entry = journal.append(
        decision(action="change", note="the notes say so", display_name="Ann B.", proposed=proposed),
        expected_last=None,
    )
    assert (entry.seq, entry.who, entry.display_name, entry.by) == (1, "ann", "Ann B.", "Ann B.")
    assert (entry.host, entry.program) == (os.uname().nodename, "pendtui 0.1.0")
    assert (entry.queue, entry.record_id, entry.record_sha256) == (QUEUE, "PC-0001", "a" * 64)
    assert (entry.policy_id, entry.policy_sha256, entry.reader) == ("PR-2026", "b" * 64, "floor")
    assert entry.action is Action.CHANGE
    assert (entry.proposed, entry.decided) == (proposed, answers())
    assert (entry.note, entry.undoes) == ("the notes say so", None)
    assert journal.history(QUEUE, "PC-0001") == (entry,)


def test_a_row_is_the_same_after_closing_and_opening_again(place: Path | str) -> None:
    with Journal.open(place) as journal:
        entry = journal.append(decision(note="naïve “quotes” \x00 \x1b[31m =1+1"), expected_last=None)
    with Journal.open(place) as journal:
        assert list(journal.entries()) == [entry]


def test_an_instant_of_another_zone_is_kept_as_utc(journal: Journal) -> None:
    at = datetime(2026, 9, 1, 23, 15, 0, 123456, tzinfo=timezone(timedelta(hours=-5)))
    entry = journal.append(decision(at=at), expected_last=None)
    assert entry.at == at
    assert entry.at.tzinfo is UTC
    assert entry.at.isoformat() == "2026-09-02T04:15:00.123456+00:00"


def test_an_instant_without_a_zone_is_refused_and_nothing_is_saved(journal: Journal) -> None:
    with pytest.raises(ValueError, match="time zone"):
        journal.append(decision(at=datetime(2026, 9, 1)), expected_last=None)
    assert journal.head().rows == 0
    journal.append(decision(), expected_last=None)


@pytest.mark.parametrize("release", ["AUTO-RELEASE", "examiner-applies", "", None, True])
@pytest.mark.parametrize("side", ["decided", "proposed"])
def test_no_release_answer_but_the_examiners_is_ever_written(journal: Journal, release: object, side: str) -> None:
    wrong = answers(release=release)
    entry = decision(decided=wrong) if side == "decided" else decision(proposed=wrong)
    with pytest.raises(GateError, match="EXAMINER-APPLIES") as refused:
        journal.append(entry, expected_last=None)
    assert isinstance(refused.value, JournalError) and isinstance(refused.value, ValueError)
    assert journal.head().rows == 0


def test_answers_without_a_release_are_refused(journal: Journal) -> None:
    bare = answers()
    del bare["release"]
    with pytest.raises(GateError):
        journal.append(decision(decided=bare), expected_last=None)


@pytest.mark.parametrize("action", ["undo", "release", ""])
def test_only_deciding_actions_can_be_appended(journal: Journal, action: str) -> None:
    with pytest.raises(ValueError, match="not accept, change or park"):
        journal.append(decision(action=action), expected_last=None)


@pytest.mark.parametrize(
    ("action", "status"),
    [("accept", Status.ACCEPTED), ("change", Status.CHANGED), ("park", Status.PARKED)],
)
def test_a_claim_stands_as_its_last_decision_left_it(journal: Journal, action: str, status: Status) -> None:
    first = journal.append(decision(who="bob"), expected_last=None)
    last = journal.append(decision(action=action, record_sha256="c" * 64), expected_last=first.seq)
    standing = journal.standing(QUEUE, "PC-0001")
    assert standing is not None
    assert (standing.status, standing.entry, standing.who) == (status, last, "ann")
    assert (standing.record_sha256, standing.policy_sha256) == ("c" * 64, "b" * 64)
    assert journal.standings(QUEUE) == {"PC-0001": standing}


def test_a_claim_without_a_row_is_open(journal: Journal) -> None:
    journal.append(decision("PC-0002"), expected_last=None)
    assert journal.standing(QUEUE, "PC-0001") is None
    assert journal.history(QUEUE, "PC-0001") == ()
    assert "PC-0001" not in journal.standings(QUEUE)


def test_the_same_record_id_in_another_queue_is_another_claim(journal: Journal) -> None:
    here = journal.append(decision(), expected_last=None)
    there = journal.append(decision(queue="/srv/other", action="park"), expected_last=None)
    assert journal.standings(QUEUE)["PC-0001"].entry == here
    assert journal.standings("/srv/other")["PC-0001"].entry == there
    assert list(journal.entries("/srv/other")) == [there]


def test_a_decision_on_what_another_examiner_has_decided_since_is_told_so(journal: Journal) -> None:
    other = journal.append(decision(who="bob", display_name="Bob K."), expected_last=None)
    with pytest.raises(ConflictError, match=r"Bob K\. was here first") as told:
        journal.append(decision(), expected_last=None)
    assert told.value.other == other
    assert list(journal.entries()) == [other]


def test_a_decision_that_builds_on_a_row_that_is_not_there_is_a_conflict(journal: Journal) -> None:
    with pytest.raises(ConflictError) as told:
        journal.append(decision(), expected_last=7)
    assert told.value.other is None


def test_an_undo_counts_as_a_row_that_the_examiner_must_have_seen(journal: Journal) -> None:
    first = journal.append(decision(), expected_last=None)
    undone = journal.undo(first, who="ann", at=START)
    with pytest.raises(ConflictError):
        journal.append(decision(who="bob"), expected_last=first.seq)
    assert journal.append(decision(who="bob"), expected_last=undone.seq).seq == 3


def test_an_undo_is_a_new_row_and_the_claim_is_open_again(journal: Journal) -> None:
    first = journal.append(decision(), expected_last=None)
    undone = journal.undo(first, who="ann", at=START + timedelta(minutes=1), note="wrong claim")
    assert (undone.action, undone.undoes, undone.note) == (Action.UNDO, first.seq, "wrong claim")
    assert undone.decided == first.decided
    assert journal.standing(QUEUE, "PC-0001") is None
    assert journal.history(QUEUE, "PC-0001") == (first, undone)


def test_an_undo_brings_the_decision_before_it_back(journal: Journal) -> None:
    first = journal.append(decision(who="bob"), expected_last=None)
    second = journal.append(decision(action="change"), expected_last=first.seq)
    journal.undo(second, who="ann", at=START)
    standing = journal.standing(QUEUE, "PC-0001")
    assert standing is not None and standing.entry == first


def test_a_decision_that_no_longer_stands_cannot_be_undone(journal: Journal) -> None:
    mine = journal.append(decision(), expected_last=None)
    theirs = journal.append(decision(who="bob", action="park"), expected_last=mine.seq)
    with pytest.raises(ConflictError) as told:
        journal.undo(mine, who="ann", at=START)
    assert told.value.other == theirs
    assert journal.head().rows == 2


def test_nothing_is_undone_twice_and_no_undo_is_undone(journal: Journal) -> None:
    first = journal.append(decision(), expected_last=None)
    undone = journal.undo(first, who="ann", at=START)
    with pytest.raises(ConflictError):
        journal.undo(first, who="ann", at=START)
    with pytest.raises(ValueError, match="an undo is not undone"):
        journal.undo(undone, who="ann", at=START)


def test_my_last_decision_passes_over_others_other_queues_and_what_i_took_back(journal: Journal) -> None:
    first = journal.append(decision("PC-0001"), expected_last=None)
    second = journal.append(decision("PC-0002"), expected_last=None)
    journal.append(decision("PC-0003", who="bob"), expected_last=None)
    journal.append(decision("PC-0004", queue="/srv/other"), expected_last=None)
    assert journal.last_by(QUEUE, "ann") == second
    journal.undo(second, who="ann", at=START)
    assert journal.last_by(QUEUE, "ann") == first
    journal.undo(first, who="ann", at=START)
    assert journal.last_by(QUEUE, "ann") is None


def test_entries_come_in_order_and_from_where_one_left_off(
    journal: Journal, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(reading, "_CHUNK", 20)
    saved = [journal.append(decision(f"PC-{n}"), expected_last=None) for n in range(55)]
    assert list(journal.entries()) == saved
    assert list(journal.entries(since=30)) == saved[30:]
    assert list(journal.entries(QUEUE, since=55)) == []


def test_a_screen_can_poll_for_what_others_have_written(journal: Journal, place: Path | str) -> None:
    before = journal.data_version()
    journal.append(decision("PC-0001"), expected_last=None)
    assert journal.data_version() == before and not journal.changed()
    with Journal.open(place) as other:
        assert not other.changed()
        other.append(decision("PC-0002", who="bob"), expected_last=None)
        assert not other.changed()
    assert soon(journal.changed)
    assert journal.data_version() != before
    assert not journal.changed()


@pytest.mark.parametrize("write", ["lease", "filter"])
def test_a_lease_and_a_filter_of_another_are_changes_too(journal: Journal, place: Path | str, write: str) -> None:
    with Journal.open(place) as other:
        if write == "lease":
            other.take_lease(QUEUE, "PC-0001", token="t", who="bob", by="Bob")
        else:
            other.save_filter("bob", "late", "clock:breached")
    assert soon(journal.changed)


def test_a_record_id_that_is_not_utf8_is_kept_readable(journal: Journal) -> None:
    name = os.fsdecode(b"PC-\xff")
    entry = journal.append(decision(name), expected_last=None)
    assert entry.record_id == "PC-\\udcff"
    assert journal.history(QUEUE, name) == (entry,)


def test_a_journal_is_used_from_the_thread_that_opened_it(journal: Journal) -> None:
    raised: list[BaseException] = []

    def use() -> None:
        try:
            journal.head()
        except Exception as fault:
            raised.append(fault)

    thread = threading.Thread(target=use)
    thread.start()
    thread.join()
    assert raised and "thread" in str(raised[0])


def test_the_user_is_the_one_of_the_process_whatever_the_environment_says(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    import pwd

    for variable in ("LOGNAME", "USER", "LNAME", "USERNAME"):
        monkeypatch.setenv(variable, "somebody-else")
    assert os_user() == pwd.getpwuid(os.getuid()).pw_name


STEPS = st.lists(
    st.tuples(
        st.sampled_from(["accept", "change", "park", "undo"]),
        st.sampled_from(["PC-0001", "PC-0002", "PC-0003"]),
        st.sampled_from(["ann", "bob"]),
    ),
    max_size=20,
)


@settings(max_examples=60, deadline=None)
@given(STEPS)
def test_any_sequence_of_decisions_folds_as_a_pile_of_them_a_claim_would(
    steps: list[tuple[str, str, str]],
) -> None:
    piles: dict[str, list[tuple[int, str, str]]] = {}
    last_row: dict[str, int] = {}
    rows = 0
    with (
        tempfile.TemporaryDirectory() as folder,
        Journal.open(Path(folder) / "journal.db") as journal,
    ):
        for action, record_id, who in steps:
            if action != "undo":
                rows += 1
                journal.append(decision(record_id, action, who=who), expected_last=last_row.get(record_id))
                piles.setdefault(record_id, []).append((rows, action, who))
                last_row[record_id] = rows
                continue
            mine = [(seq, claim) for claim, pile in piles.items() for seq, _, by in pile if by == who]
            last = journal.last_by(QUEUE, who)
            assert (last.seq if last else None) == (max(mine)[0] if mine else None)
            if last is None:
                continue
            if piles[last.record_id][-1][0] != last.seq:
                with pytest.raises(ConflictError):
                    journal.undo(last, who=who, at=START)
                continue
            rows += 1
            assert journal.undo(last, who=who, at=START).seq == rows
            piles[last.record_id].pop()
            last_row[last.record_id] = rows
        words = {"accept": "accepted", "change": "changed", "park": "parked"}
        expected = {claim: (pile[-1][0], words[pile[-1][1]], pile[-1][2]) for claim, pile in piles.items() if pile}
        standings = journal.standings(QUEUE)
        assert {claim: (s.entry.seq, s.status, s.who) for claim, s in standings.items()} == expected
        for claim in ("PC-0001", "PC-0002", "PC-0003"):
            assert journal.standing(QUEUE, claim) == standings.get(claim)
        assert journal.verify() == ()
        assert journal.head().rows == rows
