"""Writers that are killed at any point of what they do, and what has to be true of their journal afterwards."""

import multiprocessing
import os
import random
import signal
import time
from multiprocessing.connection import Connection
from pathlib import Path
from typing import NamedTuple

from pendtui.desk.journal import Journal
from pendtui.desk.journal.rows import Fault
from tests.journals import QUEUE, decision

# A process that is forked from one with everything loaded is there in a few milliseconds, so that hundreds can die.
FORKED = multiprocessing.get_context("forkserver")
FORKED.set_forkserver_preload(["tests.desk.journal.crashes", "sqlite3", "psycopg"])

LONGEST = 0.1
"""Seconds after its first sign of life within which a writer is killed."""


class Aftermath(NamedTuple):
    """What is found after the last kill."""

    kills: int
    acknowledged: dict[int, str]
    """Each row that a writer said was saved, and the record it was about."""
    missing: dict[int, str]
    """Those of them that the journal does not have."""
    rows: int
    faults: tuple[Fault, ...]
    longest_lease: float
    """Seconds that the longest lease still had to run, of all that were left behind."""
    left_behind: int
    """Leases of killed writers that were found in force right after a kill."""
    held: int
    """Leases in force once the term has passed."""


def work_until_killed(place: Path | str, who: str, term: float, told: Connection) -> None:
    """Take a claim, decide it, say so, let it go, and so on; never ends by itself."""
    told.send("up")
    with Journal.open(place) as journal:
        n = 0
        while True:
            n += 1
            record_id = f"{who}-{n}"
            journal.take_lease(QUEUE, record_id, token=who, who=who, by=who, term=term)
            entry = journal.append(decision(record_id, who=who), expected_last=None)
            told.send((entry.seq, record_id))
            journal.release_lease(QUEUE, record_id, who)


def kill_writers(place: Path | str, kills: int, *, seed: int, term: float = 1.5) -> Aftermath:
    """Keep two writers at work on one journal, killing the older one each time, at a random moment."""
    chance = random.Random(seed)
    acknowledged: dict[int, str] = {}
    longest, left_behind = 0.0, 0
    writers = [_started(place, "writer-0", term), _started(place, "writer-1", term)]
    for n in range(kills):
        program, told = writers.pop(0)
        time.sleep(chance.uniform(0, LONGEST))
        assert program.pid is not None
        os.kill(program.pid, signal.SIGKILL)
        program.join()
        _collect(told, acknowledged)
        if n % 10 == 0:  # right after a kill, while the other writer goes on
            with Journal.open(place) as journal:
                leases, now = journal.leases(QUEUE), journal._db.now() / 1e6
            longest = max([longest, *(lease.until.timestamp() - now for lease in leases)])
            left_behind += len(leases)
        writers.append(_started(place, f"writer-{n + 2}", term))
    for program, told in writers:
        program.kill()
        program.join()
        _collect(told, acknowledged)
    time.sleep(term + 0.1)
    with Journal.open(place) as journal:
        saved = {entry.seq: entry.record_id for entry in journal.entries()}
        missing = {seq: record for seq, record in acknowledged.items() if saved.get(seq) != record}
        held = len(journal.leases())
        return Aftermath(kills, acknowledged, missing, len(saved), journal.verify(), longest, left_behind, held)


def _started(place: Path | str, who: str, term: float) -> tuple[multiprocessing.process.BaseProcess, Connection]:
    ours, theirs = FORKED.Pipe(duplex=False)
    program = FORKED.Process(target=work_until_killed, args=(place, who, term, theirs))
    program.start()
    theirs.close()
    assert ours.recv() == "up"
    return program, ours


def _collect(told: Connection, acknowledged: dict[int, str]) -> None:
    try:
        while True:
            seq, record_id = told.recv()
            acknowledged[seq] = record_id
    except (EOFError, ConnectionResetError):
        told.close()
