"""Reading record files for the index: one row a record, in this process or in several."""

import gc
import json
import os
import sys
import time
from collections.abc import Iterable, Iterator
from contextlib import redirect_stderr, suppress
from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from pendtui.desk.journal.rows import storable
from pendtui.desk.queue_folder import Rows, claim_in, read_record, record_path, record_stamp
from pendtui.engines.clock import most_urgent_clock, read_clock
from pendtui.engines.facts import Claim, ClaimRow, parse_row
from pendtui.engines.policy import AS_OF_REGISTER, Policy, Resolved
from pendtui.engines.readers import OFFLINE_ARMS, Reader, Reading, offline_reader
from pendtui.engines.vocabulary import CauseClass, Evidence
from pendtui.errors import QueueError

if TYPE_CHECKING:
    from multiprocessing.connection import Connection
    from multiprocessing.process import BaseProcess

BATCH = 500
"""Records read and written together."""

PROCESSES = 2
"""Processes that read beside the one that writes."""

NICE = 5
"""By how much those processes stand back behind whoever types."""

MANY = 4_000
"""Records due from which it pays to start those processes, and to ask the reader only when all are listed."""

RECENT_NS = 50_000_000
"""A file changed so shortly before it was read may change again with the same time of change."""


KEPT = 10_000
"""Different clocks that are remembered, of claims alike in all but their ids."""

Terms = tuple[str, int | None, int | None]
"""Of a clock: its rule, the day of its deadline, and the days left."""


class RowText(NamedTuple):
    """A claim's row of claims.json as it stands there."""

    record_id: str
    position: int
    """Counted from 1."""
    again: int | None
    """The position of a second row for the same record."""
    key: str
    """What says whether the row is still the same; of the text and of `again`."""
    text: str


class Due(NamedTuple):
    """A record to be read: what is known of it."""

    id: str
    row: RowText | None = None
    held_sha256: str = ""
    """Of the bytes that the index was made from; empty for a new record."""
    held_row_key: str = ""


class Same(NamedTuple):
    """A record whose bytes and row are what the index has, with the file's new size and time of change."""

    id: str
    size: int
    mtime_ns: int


class Found(NamedTuple):
    """What a batch came to: rows in the order of RECORD_COLUMNS, records that are as they were, and those gone."""

    rows: list[tuple[object, ...]]
    same: list[Same]
    gone: list[str]


def rows_of(row: RowText | None) -> Rows:
    """One row of claims.json as the rows of a queue that has no other."""
    if row is None:
        return Rows({}, {}, "")
    parsed: dict[str, ClaimRow] = {}
    faults = {}
    try:
        parsed[row.record_id] = parse_row(json.loads(row.text), f"claims.json, row {row.position}")
    except QueueError as fault:
        faults[row.record_id] = str(fault)
    if row.again is not None:
        faults[row.record_id] = f"claims.json has a second row for {row.record_id}, row {row.again}"
    return Rows(parsed, faults, "")


class RecordIndexer:
    """Makes the index's row of a record; without a reader, one that has no answer yet."""

    def __init__(self, folder: str, policy: Policy, reader: Reader | None) -> None:
        self._folder = folder
        self._policy = policy
        self._reader = reader
        self._clocks: dict[tuple[object, ...], Terms] = {}
        self._resolutions: dict[tuple[CauseClass | None, Evidence | None], tuple[str, str]] = {}

    def read(self, batch: Iterable[Due]) -> Found:
        """Read the records of a batch."""
        found = Found([], [], [])
        for due in batch:
            path = record_path(self._folder, due.id)
            # Before the file is read: a change while it is read then shows as a change afterwards.
            stamp = record_stamp(path)
            if stamp is None:
                found.gone.append(due.id)
                continue
            size, mtime_ns = stamp
            if abs(time.time_ns() - mtime_ns) < RECENT_NS:
                mtime_ns = -1
            key = due.row.key if due.row is not None else ""
            values = self._row(due, path, key)
            if values is None:
                found.same.append(Same(due.id, size, mtime_ns))
            else:
                found.rows.append((due.id, size, mtime_ns, key, *_storable(values)))
        return found

    def _row(self, due: Due, path: str, key: str) -> tuple[object, ...] | None:
        """The columns from sha256 on; None where bytes and row are those that are held."""
        loaded = read_record(path, due.id)
        if loaded.sha256 and loaded.sha256 == due.held_sha256 and key == due.held_row_key:
            return None
        rows = rows_of(due.row)
        claim = claim_in(loaded.record, rows)
        reading = self._reader.read(claim.record) if self._reader is not None else Reading("", None)
        facts = claim.facts
        clock = self._clock(claim)
        cause = str(reading.cause or "")
        evidence = str(facts.evidence or "") if facts else ""
        resolution, rule = self._resolution(reading.cause, facts.evidence if facts else None)
        claim_id = facts.claim_id if facts else ""
        business = str(facts.line_of_business) if facts else ""
        row = rows.rows.get(due.id)
        title = claim.record.title or (row.title if row else "")
        return (
            loaded.sha256,
            title,
            claim_id,
            business,
            claim.record.facts.get("queue", ""),
            claim.record.facts.get("claim type", ""),
            facts.received_on.isoformat() if facts else "",
            facts.received_on.toordinal() if facts else None,
            facts.register_read_on.toordinal() if facts else None,
            evidence,
            "; ".join(claim.faults),
            cause,
            reading.unsure,
            resolution,
            rule,
            *clock,
            int(self._reader is not None),
            " ".join((due.id, claim_id, business, cause, resolution, evidence or "unknown", title)).lower(),
        )

    def _clock(self, claim: Claim) -> Terms:
        """The clock rule, the deadline's day, and the days left when the register was read."""
        facts = claim.facts
        if facts is None:
            return "", None, None
        if claim.alternative is not None:
            return self._terms(claim)
        # Thousands of claims have the same clock: alike in all but id, evidence and amount.
        kind = facts[1:7] + facts[8:11]
        if kind not in self._clocks:
            if len(self._clocks) >= KEPT:
                self._clocks.clear()
            self._clocks[kind] = self._terms(claim)
        return self._clocks[kind]

    def _terms(self, claim: Claim) -> Terms:
        register = most_urgent_clock(claim, AS_OF_REGISTER, date.min, self._policy)
        assert register is not None
        clocks = [
            read_clock(facts, facts.received_on, self._policy)
            for facts in (claim.facts, claim.alternative)
            if facts is not None
        ]
        deadlines = [clock.deadline_on.toordinal() for clock in clocks if clock.deadline_on is not None]
        return register.rule.id, min(deadlines, default=None), register.days_left

    def _resolution(self, cause: CauseClass | None, evidence: Evidence | None) -> tuple[str, str]:
        """The resolution and its rule; empty where the claim is blocked."""
        if (cause, evidence) not in self._resolutions:
            found = self._policy.resolve(cause, evidence)
            self._resolutions[cause, evidence] = (
                (str(found.resolution), found.rule.id) if isinstance(found, Resolved) else ("", "")
            )
        return self._resolutions[cause, evidence]


def _storable(values: tuple[object, ...]) -> tuple[object, ...]:
    """The values with everything that no database holds written out: half a character, as JSON can escape it."""
    try:
        "".join([value for value in values if isinstance(value, str)]).encode()
    except UnicodeEncodeError:
        return tuple(storable(value) if isinstance(value, str) else value for value in values)
    return values


def read_all(
    folder: Path, policy: Policy, reader: Reader | None, batches: Iterator[list[Due]], many: bool
) -> Iterator[Found]:
    """Read batch after batch, in processes of their own where they are many. A batch is found as it is ready.

    A run that is replayed is in this process alone, and is looked up faster than it could be passed on.
    """
    here = RecordIndexer(str(folder), policy, reader)
    arm = reader.name if reader is not None else ""
    if many and (not arm or arm in OFFLINE_ARMS):
        yield from _read_in_processes(here, str(folder), policy, arm, batches)
    for batch in batches:
        yield here.read(batch)


def _read_in_processes(
    here: RecordIndexer, folder: str, policy: Policy, arm: str, batches: Iterator[list[Due]]
) -> Iterator[Found]:
    """As `read_all`. What a process that ends early was given is read here, and the rest is left in `batches`."""
    from multiprocessing.connection import wait

    at_work: dict[Connection, tuple[BaseProcess, list[list[Due]]]] = {}
    try:
        for _ in range(PROCESSES):
            with suppress(OSError):
                connection, process = _start(folder, policy, arm)
                at_work[connection] = (process, [])
        while at_work:
            for connection, (_, given) in at_work.items():
                # Two at a time, so that a process finds the next one when it has done the first.
                while len(given) < 2 and (batch := next(batches, None)) is not None:
                    given.append(batch)
                    with suppress(OSError):
                        connection.send(batch)
            if not any(given for _, given in at_work.values()):
                return
            for ready in wait([connection for connection, (_, given) in at_work.items() if given]):
                connection = next(one for one in at_work if one is ready)
                _, given = at_work[connection]
                try:
                    found = connection.recv()
                except (OSError, EOFError):
                    del at_work[connection]
                    for batch in given:
                        yield here.read(batch)
                else:
                    given.pop(0)
                    yield found
    finally:
        for connection, (process, _) in at_work.items():
            connection.close()
            process.terminate()
            process.join()


def _start(folder: str, policy: Policy, arm: str) -> "tuple[Connection, BaseProcess]":
    from multiprocessing import get_context, resource_tracker

    # It hands on the number of sys.stderr, which under a full-screen program has none (-1), and then fails.
    with redirect_stderr(sys.__stderr__):
        resource_tracker.ensure_running()
    # A fresh interpreter: a fork of a program with threads may hang. It ends by itself when this one is gone.
    context = get_context("spawn")
    here, there = context.Pipe()
    process = context.Process(target=_serve, args=(there, folder, policy, arm), daemon=True)
    process.start()
    there.close()
    return here, process


def _serve(connection: "Connection", folder: str, policy: Policy, arm: str) -> None:
    """Read the batches that arrive until nobody sends any."""
    os.nice(NICE)
    indexer = RecordIndexer(folder, policy, offline_reader(arm) if arm else None)
    # Looking for cycles among values that have none takes a tenth of the time.
    gc.freeze()
    gc.disable()
    with suppress(EOFError, OSError, KeyboardInterrupt):
        while True:
            connection.send(indexer.read(connection.recv()))
