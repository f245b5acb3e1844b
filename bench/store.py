"""The store under load and under fire, on SQLite and on PostgreSQL: what holds, and what a decision costs.

Usage: python bench/store.py [--engine sqlite] [--processes 8] [--decisions 500] [--pairs 200] [--kills 200]
The server is a real one in a temporary folder, with its promises about the disk kept. The exit code is 1 when
something does not hold. The reference for the cost of a decision is one KiB that is appended to a file in the
same folder and synced.
"""

import argparse
import multiprocessing
import os
import statistics
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from pendtui.desk.journal import ConflictError, Journal
from pendtui.errors import PendtuiError

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
from multiprocessing.connection import Connection
from multiprocessing.synchronize import Barrier

from tests.desk.journal.crashes import kill_writers
from tests.desk.journal.versions import write_version_1
from tests.journals import QUEUE, decision
from tests.postgres import Server, running

SPAWN = multiprocessing.get_context("spawn")
ENGINES = ("sqlite", "postgresql")


class Places:
    """Where new stores of one engine can be made."""

    def __init__(self, folder: Path, server: Server | None = None) -> None:
        self.folder = folder
        self._server = server
        self._made = 0

    def new(self) -> Path | str:
        """A store that nobody has created yet."""
        self._made += 1
        if self._server is not None:
            return self._server.new_store()
        return self.folder / f"{self._made}" / "journal.db"


class Verdict:
    """Prints each finding, and remembers whether all held."""

    def __init__(self) -> None:
        self.held = True

    def say(self, engine: str, what: str, holds: bool) -> None:
        """Print one finding."""
        self.held &= holds
        print(f"{engine:<11}{what}: {'holds' if holds else 'DOES NOT HOLD'}", flush=True)


def main() -> int:
    """Measure and print; 1 when something does not hold."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--engine", choices=ENGINES, action="append")
    parser.add_argument("--processes", type=int, default=8)
    parser.add_argument("--decisions", type=int, default=500)
    parser.add_argument("--pairs", type=int, default=200)
    parser.add_argument("--kills", type=int, default=200)
    args = parser.parse_args()
    verdict = Verdict()
    for engine in args.engine or ENGINES:
        with places_of(engine) as places:
            one_decision(verdict, engine, places.new(), places.folder)
            load(verdict, engine, places.new(), args.processes, args.decisions)
            pairs(verdict, engine, places.new(), args.pairs)
            opening(verdict, engine, places, 10)
            kills(verdict, engine, places.new(), args.kills)
    return 0 if verdict.held else 1


@contextmanager
def places_of(engine: str) -> Iterator[Places]:
    """Where stores of an engine can be made, until the end of the block."""
    with tempfile.TemporaryDirectory(prefix="pendtui-bench-") as name:
        if engine == "sqlite":
            yield Places(Path(name))
        else:
            with running() as server:
                yield Places(Path(name), server)


def one_decision(verdict: Verdict, engine: str, place: Path | str, folder: Path) -> None:
    """What one decision of a lone examiner costs, against a synced write."""
    synced, decided = [], []
    with Journal.open(place) as journal, open(folder / "synced", "wb", buffering=0) as file:
        for n in range(200):
            started = time.perf_counter()
            file.write(b"x" * 1024)
            os.fsync(file.fileno())
            synced.append(time.perf_counter() - started)
            started = time.perf_counter()
            journal.append(decision(f"PC-{n:04}"), expected_last=None)
            decided.append(time.perf_counter() - started)
    cost, reference = statistics.median(decided), statistics.median(synced)
    what = (
        f"one decision {cost * 1000:.2f} ms, {cost / reference:.1f} times a synced write"
        f" ({reference * 1000:.2f} ms)"
    )
    verdict.say(engine, what, cost < 0.1)


def load(verdict: Verdict, engine: str, place: Path | str, processes: int, decisions: int) -> None:
    """Many examiners that decide as fast as they can."""
    barrier = SPAWN.Barrier(processes + 1)
    pipes = [SPAWN.Pipe(duplex=False) for _ in range(processes)]
    programs = [
        SPAWN.Process(target=decide_timed, args=(place, f"e{n}", decisions, barrier, theirs))
        for n, (_, theirs) in enumerate(pipes)
    ]
    for program in programs:
        program.start()
    barrier.wait()
    started = time.perf_counter()
    reports = [ours.recv() for ours, _ in pipes]
    taken = time.perf_counter() - started
    for program in programs:
        program.join()
    waits = sorted(wait for times, _ in reports for wait in times)
    errors = [error for _, said in reports for error in said]
    with Journal.open(place) as journal:
        started = time.perf_counter()
        faults = journal.verify()
        verified = time.perf_counter() - started
        rows = journal.head().rows
    what = (
        f"{processes} programs x {decisions} decisions in {taken:.1f} s ({rows / taken:.0f} a second):"
        f" {rows:,} rows, {len(errors)} errors, {len(faults)} faults; a wait of"
        f" {1000 * waits[len(waits) // 2]:.0f} ms at the median, {1000 * waits[int(len(waits) * 0.99)]:.0f} ms"
        f" at p99, {1000 * waits[-1]:.0f} ms at most;"
        f" verified in {verified:.2f} s"
    )
    verdict.say(engine, what, rows == processes * decisions and not errors and not faults)
    for error in errors[:3]:
        print(f"    {error}")


def decide_timed(place: Path | str, who: str, count: int, barrier: Barrier, told: Connection) -> None:
    """Decide so many claims of one's own; report how long each took, and what was said of any that failed."""
    times, errors = [], []
    with Journal.open(place) as journal:
        barrier.wait()
        for n in range(count):
            started = time.perf_counter()
            try:
                journal.append(decision(f"{who}-{n}", who=who), expected_last=None)
            except PendtuiError as fault:
                errors.append(str(fault))
            times.append(time.perf_counter() - started)
    told.send((times, errors))


def pairs(verdict: Verdict, engine: str, place: Path | str, claims: int) -> None:
    """Two examiners that decide the same claim at the same moment, again and again."""
    barrier = SPAWN.Barrier(2)
    pipes = [SPAWN.Pipe(duplex=False) for _ in range(2)]
    programs = [
        SPAWN.Process(target=decide_at_once, args=(place, who, claims, barrier, theirs))
        for who, (_, theirs) in zip(("ann", "bob"), pipes, strict=True)
    ]
    for program in programs:
        program.start()
    (ann_won, ann_lost), (bob_won, bob_lost) = (ours.recv() for ours, _ in pipes)
    for program in programs:
        program.join()
    one_each = sorted(ann_won + bob_won) == list(range(claims))
    told = ann_lost == dict.fromkeys(bob_won, "bob") and bob_lost == dict.fromkeys(ann_won, "ann")
    with Journal.open(place) as journal:
        rows, faults = journal.head().rows, journal.verify()
    what = f"{claims} pairs on one claim each: {len(ann_won)} to {len(bob_won)}, every loser told, {rows} rows"
    verdict.say(engine, what, one_each and told and rows == claims and not faults)


def decide_at_once(place: Path | str, who: str, claims: int, barrier: Barrier, told: Connection) -> None:
    """Decide each claim at the same moment as another examiner; report the wins, and who won the others."""
    won, lost = [], {}
    with Journal.open(place) as journal:
        for n in range(claims):
            barrier.wait()
            try:
                journal.append(decision(f"PC-{n:04}", who=who), expected_last=None)
                won.append(n)
            except ConflictError as conflict:
                lost[n] = conflict.other.who if conflict.other else ""
    told.send((won, lost))


def opening(verdict: Verdict, engine: str, places: Places, rounds: int) -> None:
    """Four programs that open a store at once: one that is not there, and a file of the first schema."""
    kinds = ["new"] if engine == "postgresql" else ["new", "of the first schema"]
    for kind in kinds:
        good = 0
        for _ in range(rounds):
            place = places.new()
            before = 0
            if isinstance(place, Path) and kind != "new":
                before = write_version_1(place, 40)
            barrier = SPAWN.Barrier(4)
            programs = [SPAWN.Process(target=open_once, args=(place, who, barrier)) for who in "abcd"]
            for program in programs:
                program.start()
            for program in programs:
                program.join()
            with Journal.open(place) as journal:
                whole = journal.verify() == () and journal.head().rows == before + 4
            good += whole and not any(program.exitcode for program in programs)
        verdict.say(engine, f"4 programs open a store {kind} at once, {rounds} times: {good} good", good == rounds)


def open_once(place: Path | str, who: str, barrier: Barrier) -> None:
    """Open at the same moment as others, and decide one claim."""
    barrier.wait()
    with Journal.open(place) as journal:
        journal.append(decision(f"PC-{who}", who=who, queue=f"{QUEUE}/{who}"), expected_last=None)


def kills(verdict: Verdict, engine: str, place: Path | str, number: int) -> None:
    """Two writers, one of which is killed every few hundredths of a second."""
    term = 1.5
    after = kill_writers(place, number, seed=7, term=term)
    what = (
        f"{after.kills} kills of two writers: {len(after.acknowledged):,} acknowledged, {len(after.missing)}"
        f" of them missing, {after.rows:,} rows, {len(after.faults)} faults; {after.left_behind} leases left"
        f" behind, the"
        f" longest for {after.longest_lease:.2f} s of a term of {term} s, {after.held} once that had passed"
    )
    holds = not after.missing and not after.faults and not after.held and after.longest_lease <= term
    verdict.say(engine, what, holds)


if __name__ == "__main__":
    sys.exit(main())
