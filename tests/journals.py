"""Decisions for tests of the journal, and the programs that write at the same time."""

import resource
import sqlite3
import time
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from multiprocessing.connection import Connection
from multiprocessing.synchronize import Barrier
from pathlib import Path

from pendtui.desk.journal import ConflictError, Journal, NewEntry
from pendtui.errors import JournalError

QUEUE = "/srv/queue"
START = datetime(2026, 9, 1, 8, 30, tzinfo=UTC)


def answers(cause: str = "AUTH-MISSING", **other: object) -> dict[str, object]:
    """The answers to one claim, as the desk hands them to the journal."""
    return {
        "cause_class": cause,
        "citation": "EDIT 4410 - no precertification number on file.",
        "span": [310, 357],
        "resolution": "PEND-EXTERNAL",
        "rule": "PR-9",
        "clock": "WITHIN-CLOCK",
        "clock_rule": "CL-2",
        "release": "EXAMINER-APPLIES",
        "as_of": "2026-09-01",
        "elapsed_days": 22,
        "deadline_days": 60,
        "evidence": "none",
        **other,
    }


def decision(
    record_id: str = "PC-0001",
    action: str = "accept",
    *,
    who: str = "ann",
    queue: str = QUEUE,
    at: datetime = START,
    note: str = "",
    display_name: str = "",
    decided: dict[str, object] | None = None,
    proposed: dict[str, object] | None = None,
    record_sha256: str = "a" * 64,
) -> NewEntry:
    """A decision on its way into the journal."""
    return NewEntry(
        at=at,
        who=who,
        queue=queue,
        record_id=record_id,
        record_sha256=record_sha256,
        policy_id="PR-2026",
        policy_sha256="b" * 64,
        action=action,
        reader="floor",
        proposed=proposed or answers(),
        decided=decided or answers(),
        note=note,
        display_name=display_name,
    )


def soon(happens: Callable[[], bool], seconds: float = 5.0) -> bool:
    """Whether something happens within so many seconds; a notice takes its time to arrive."""
    until = time.monotonic() + seconds
    while not happens():
        if time.monotonic() > until:
            return False
        time.sleep(0.005)
    return True


def fill(path: Path | str, rows: int) -> None:
    """A journal with so many accepted claims, a minute apart."""
    with Journal.open(path) as journal:
        for n in range(1, rows + 1):
            at = START + timedelta(minutes=n)
            journal.append(decision(f"PC-{n:04}", at=at, note=f"note {n}"), expected_last=None)


# What other programs do, each run as a process of its own.


def decide_many(path: Path | str, who: str, count: int, barrier: Barrier) -> None:
    """Decide so many claims of one's own."""
    barrier.wait()
    with Journal.open(path) as journal:
        for n in range(count):
            journal.append(decision(f"{who}-{n}", who=who), expected_last=None)


def decide_each(path: Path | str, who: str, claims: int, barrier: Barrier, told: Connection) -> None:
    """Decide each claim at the same moment as another examiner; report the wins, and who won the others."""
    won, lost = [], {}
    with Journal.open(path) as journal:
        for n in range(claims):
            barrier.wait()
            try:
                journal.append(decision(f"PC-{n:04}", who=who), expected_last=None)
                won.append(n)
            except ConflictError as conflict:
                lost[n] = conflict.other.who if conflict.other else ""
    told.send((won, lost))


def decide_until_full(path: Path, limit: int, told: Connection) -> None:
    """Decide until no file may grow past the limit, then with room again; report what was saved and said."""
    said = ""
    with Journal.open(path) as journal:
        resource.setrlimit(resource.RLIMIT_FSIZE, (limit, resource.RLIM_INFINITY))
        saved = []
        for n in range(10_000):
            try:
                saved.append(journal.append(decision(f"PC-{n:04}"), expected_last=None).seq)
            except JournalError as fault:
                said = str(fault)
                break
        resource.setrlimit(resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
        retried = journal.append(decision(f"PC-{n:04}", note="retried"), expected_last=None).seq
    told.send((saved, said, retried))


def hold_locked(path: Path, told: Connection) -> None:
    """Keep everybody else from writing until told to let go."""
    db = sqlite3.connect(path, isolation_level=None)
    db.execute("BEGIN EXCLUSIVE")
    told.send("locked")
    told.recv()
    db.execute("ROLLBACK")
    db.close()


def open_and_decide(path: Path | str, who: str, barrier: Barrier) -> None:
    """Open a journal that nobody has created yet, at the same moment as others, and decide one claim."""
    barrier.wait()
    with Journal.open(path) as journal:
        journal.append(decision(f"PC-{who}", who=who), expected_last=None)


def save_and_hang(path: Path | str, told: Connection) -> None:
    """Decide one claim, say saved, and stay with the journal open."""
    journal = Journal.open(path)
    journal.append(decision("PC-0042", note="the last thing I did"), expected_last=None)
    told.send("saved")
    time.sleep(60)
