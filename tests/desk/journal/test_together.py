"""Several programs on one journal at once, and programs that are killed."""

import multiprocessing
import os
import signal
from pathlib import Path

import pytest

from pendtui.desk.journal import Journal
from tests.desk.journal.crashes import kill_writers
from tests.journals import (
    QUEUE,
    decide_each,
    decide_many,
    open_and_decide,
    save_and_hang,
)

SPAWN = multiprocessing.get_context("spawn")


def test_four_programs_lose_no_decision_and_see_no_error(place: Path | str) -> None:
    path, barrier = place, SPAWN.Barrier(4)
    programs = [SPAWN.Process(target=decide_many, args=(path, who, 100, barrier)) for who in "abcd"]
    for program in programs:
        program.start()
    for program in programs:
        program.join()
    assert [program.exitcode for program in programs] == [0, 0, 0, 0]
    with Journal.open(path) as journal:
        saved = [(entry.who, entry.record_id) for entry in journal.entries()]
        assert sorted(saved) == sorted((who, f"{who}-{n}") for who in "abcd" for n in range(100))
        assert journal.verify() == ()


def test_of_two_examiners_who_decide_a_claim_at_once_one_wins_and_the_other_is_told(place: Path | str) -> None:
    path, barrier, claims = place, SPAWN.Barrier(2), 50
    Journal.open(path).close()
    pipes = {who: SPAWN.Pipe() for who in ("ann", "bob")}
    programs = [
        SPAWN.Process(target=decide_each, args=(path, who, claims, barrier, theirs))
        for who, (_, theirs) in pipes.items()
    ]
    for program in programs:
        program.start()
    reports = {who: ours.recv() for who, (ours, _) in pipes.items()}
    for program in programs:
        program.join()
    (ann_won, ann_lost), (bob_won, bob_lost) = reports["ann"], reports["bob"]
    assert sorted(ann_won + bob_won) == list(range(claims))
    assert ann_lost == dict.fromkeys(bob_won, "bob")
    assert bob_lost == dict.fromkeys(ann_won, "ann")
    with Journal.open(path) as journal:
        winners = {n: journal.history(QUEUE, f"PC-{n:04}") for n in range(claims)}
        assert {n: [entry.who for entry in rows] for n, rows in winners.items()} == {
            n: ["ann" if n in ann_won else "bob"] for n in range(claims)
        }


@pytest.mark.parametrize("attempt", range(3))
def test_programs_that_open_a_new_file_at_once_all_get_a_journal(place: Path | str, attempt: int) -> None:
    path, barrier = place, SPAWN.Barrier(4)
    programs = [SPAWN.Process(target=open_and_decide, args=(path, who, barrier)) for who in "abcd"]
    for program in programs:
        program.start()
    for program in programs:
        program.join()
    assert [program.exitcode for program in programs] == [0, 0, 0, 0]
    with Journal.open(path) as journal:
        assert sorted(entry.who for entry in journal.entries()) == ["a", "b", "c", "d"]
        assert journal.verify() == ()


def test_a_decision_that_was_said_to_be_saved_survives_the_kill(place: Path | str) -> None:
    path = place
    ours, theirs = SPAWN.Pipe()
    program = SPAWN.Process(target=save_and_hang, args=(path, theirs))
    program.start()
    assert ours.recv() == "saved"
    assert program.pid is not None
    os.kill(program.pid, signal.SIGKILL)
    program.join()
    assert program.exitcode == -signal.SIGKILL
    with Journal.open(path, read_only=True) as journal:
        assert [entry.note for entry in journal.history(QUEUE, "PC-0042")] == ["the last thing I did"]
    with Journal.open(path) as journal:
        assert journal.standings(QUEUE).keys() == {"PC-0042"}
        assert journal.verify() == ()


def test_of_two_writers_killed_anywhere_every_acknowledged_row_stays_and_no_lease_outlives_its_term(
    place: Path | str,
) -> None:
    aftermath = kill_writers(place, 20, seed=20260901, term=1.5)
    assert len(aftermath.acknowledged) > 20
    assert aftermath.missing == {}
    assert aftermath.faults == ()
    assert aftermath.left_behind > 0
    assert aftermath.longest_lease <= 1.5
    assert aftermath.held == 0
