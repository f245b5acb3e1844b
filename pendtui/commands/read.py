"""`pendtui read`: read the queue with one reader, store the run, and print a line a record.

A record with a fault (no readable facts, a row that says otherwise, a bad date, a missing section) gets the
fault as its `error`, with its most urgent clock where there is one and without a resolution. A record that
the rules cannot decide yet (its register is unknown, or no cause was read) is no error: its resolution and
rule are null, and the table says what is missing.
"""

import argparse
import sys
from collections.abc import Iterator

from pendtui.desk import sources
from pendtui.desk.offline_runs import Reading, start
from pendtui.desk.run_file import FIELDS, RunWriter
from pendtui.desk.runs import new_run_id
from pendtui.errors import PendtuiError
from pendtui.tables import print_rows

MODEL_ARM = "model"
"""The reader that asks a server."""
TABLE_COLUMNS = ("id", "cause_class", "resolution", "rule", "clock", "days_left", "release", "note")
"""What the table shows of each record."""


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
    header = reading.header(new_run_id(runs, args.arm) if args.run_id is None else args.run_id)
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
