"""Several programs on one journal at once, and programs that are killed."""

import multiprocessing
import os
import random
import signal
from pathlib import Path

import pytest

from pendtui.desk.journal import Journal
from tests.journals import (
    QUEUE,
    decide_each,
    decide_many,
    decide_until_killed,
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


def test_two_writers_killed_anywhere_leave_every_acknowledged_row_and_a_whole_chain(place: Path | str) -> None:
    path = place
    chance = random.Random(20260901)
    acknowledged: dict[int, str] = {}
    for attempt in range(4):
        writers = {}
        for who in (f"ann{attempt}", f"bob{attempt}"):
            ours, theirs = SPAWN.Pipe()
            writers[who] = (SPAWN.Process(target=decide_until_killed, args=(path, who, theirs)), ours)
            writers[who][0].start()
            theirs.close()
        for who, (program, ours) in writers.items():
            for _ in range(chance.randrange(5, 60)):
                acknowledged[ours.recv()] = who
            assert program.pid is not None
            os.kill(program.pid, signal.SIGKILL)
            program.join()
            while ours.poll():
                try:
                    acknowledged[ours.recv()] = who
                except EOFError:
                    break
        with Journal.open(path) as journal:
            saved = {entry.seq: entry.who for entry in journal.entries()}
            assert {seq: saved.get(seq) for seq in acknowledged} == acknowledged
            assert journal.verify() == ()
