"""`pendtui read`: read the queue with one reader, store the run, and print a line a record.

A record with a fault (no readable facts, a row that says otherwise, a bad date, a missing section) gets the
fault as its `error`, with its most urgent clock where there is one and without a resolution. A record that
the rules cannot decide yet (its register is unknown, or no cause was read) is no error: its resolution and
rule are null, and the table says what is missing.
"""

import argparse
import sys
from collections.abc import Iterator, Sequence
from datetime import date
from pathlib import Path
from typing import NamedTuple

from pendtui.config import Config
from pendtui.desk import sources
from pendtui.desk.queue_folder import RecordFile, claim_in, read_record
from pendtui.desk.run_file import FIELDS, RunRecord, RunWriter
from pendtui.desk.runs import QueueState, new_header, new_run_id, queue_state, run_record
from pendtui.engines.policy import Blocked, Policy
from pendtui.engines.readers import Reader, offline_reader
from pendtui.engines.recheck import recheck
from pendtui.errors import PendtuiError, QueueError
from pendtui.tables import print_rows

MODEL_ARM = "model"
"""The reader that asks a server."""
TABLE_COLUMNS = ("id", "cause_class", "resolution", "rule", "clock", "days_left", "release", "note")
"""What the table shows of each record."""


class Tally:
    """What the summary counts."""

    def __init__(self) -> None:
        self.records = 0
        self.errors = 0
        self.blocked = 0
        self.no_cause = 0


class Reading(NamedTuple):
    """One pass of a reader over the records of a queue."""

    folder: Path
    queue: QueueState
    files: Sequence[RecordFile]
    reader: Reader
    policy: Policy
    as_of: str | date
    """`register`, or a day: `today` has been looked up."""
    tally: Tally

    def answers(self) -> Iterator[tuple[RunRecord, str]]:
        """Each record's answers, with why there is no resolution or what is wrong; empty for a sound one."""
        today = date.today()
        for file in self.files:
            loaded = read_record(file.path, file.id)
            if loaded.sha256 != self.queue.hashes[file.id]:
                raise QueueError(
                    "the record changed while it was being read", where=file.id, remedy="Start the run again"
                )
            claim = claim_in(loaded.record, self.queue.rows)
            reading = self.reader.read(claim.record)
            answers = recheck(reading, claim, self.policy, self.as_of, today)
            record = run_record(claim, reading, answers)
            blocked = answers.resolution.reason if isinstance(answers.resolution, Blocked) else ""
            self.tally.records += 1
            self.tally.errors += record.error is not None
            self.tally.blocked += bool(blocked) and record.error is None
            self.tally.no_cause += record.cause_class is None
            yield record, record.error or blocked


def start(config: Config, arm: str, only: Sequence[str] | None = None, limit: int | None = None) -> Reading:
    """A pass of an offline reader over the queue in force, ready to go; `only` and `limit` narrow it.

    Raises QueueError for a queue without records and for an id of `only` that is not in it.
    """
    folder = sources.queue_folder(config)
    policy = sources.read_policy(config)
    as_of = sources.as_of(config, policy)
    if as_of == "today":
        as_of = date.today()
    queue = queue_state(folder)
    files = _asked_for(queue.files, only, limit, folder)
    return Reading(folder, queue, files, offline_reader(arm), policy, as_of, Tally())


def run(args: argparse.Namespace) -> int:
    """Read, store and print."""
    config = sources.settings(args)
    if args.arm == MODEL_ARM:
        from pendtui.commands import read_model

        return read_model.run(config, args)
    for option in ("only_unsure", "budget", "fresh"):
        if getattr(args, option):
            raise PendtuiError(f"--{option.replace('_', '-')} goes with --arm {MODEL_ARM}")
    reading = start(config, args.arm, args.only, args.limit)
    runs = config.runs_folder()
    files = reading.files
    header = new_header(
        new_run_id(runs, args.arm) if args.run_id is None else args.run_id,
        args.arm,
        folder=reading.folder,
        queue=reading.queue,
        policy=reading.policy,
        as_of=reading.as_of,
        records=len(files),
        only=None if len(files) == len(reading.queue.files) else [file.id for file in files],
    )
    with RunWriter(runs, header) as writer:
        if args.format == "table":
            print_rows(TABLE_COLUMNS, _table(reading, writer))
        else:
            print_rows(FIELDS, _stored(reading, writer), args.format)
        writer.finish()
    tally = reading.tally
    sys.stdout.flush()
    sys.stderr.write(
        f"run {header.run_id}: {tally.records} records read with {args.arm}, {tally.errors} with an error, "
        f"{tally.blocked} without a resolution yet, {tally.no_cause} without a cause; "
        f"stored in {writer.path}\n"
    )
    return 0


def _asked_for(
    files: Sequence[RecordFile], only: Sequence[str] | None, limit: int | None, folder: Path
) -> Sequence[RecordFile]:
    if not files:
        raise QueueError("holds no *.txt records", where=str(folder))
    if only:
        unknown = sorted(set(only) - {file.id for file in files})
        if unknown:
            raise QueueError(f"there is no record {', '.join(unknown)}", where=str(folder))
        wanted = set(only)
        files = [file for file in files if file.id in wanted]
    return files if limit is None else files[:limit]


def _stored(reading: Reading, writer: RunWriter) -> Iterator[tuple[object, ...]]:
    for record, _ in reading.answers():
        writer.add(record)
        yield record.values()


def _table(reading: Reading, writer: RunWriter) -> Iterator[tuple[object, ...]]:
    for record, note in reading.answers():
        writer.add(record)
        yield (
            *(record.id, record.cause_class, record.resolution, record.rule),
            *(record.clock, record.days_left, record.release, note),
        )
