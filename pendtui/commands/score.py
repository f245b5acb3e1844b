"""`pendtui score`: grade a stored run, or a reader that reads now, against the queue's answer key."""

import argparse
import sys

from pendtui.commands import read
from pendtui.config import Config
from pendtui.desk import sources
from pendtui.desk.run_file import Run, RunHeader, now_utc, read_run
from pendtui.desk.runs import QueueState, find_run, new_header, queue_state
from pendtui.engines.policy import Policy
from pendtui.errors import PendtuiError, RunError
from pendtui.evals.gold import read_cases, read_gold
from pendtui.evals.scorecard import COLUMNS, footer, rows
from pendtui.evals.scorer import score
from pendtui.tables import print_rows


def run(args: argparse.Namespace) -> int:
    """Grade and print. What was graded is a line below the table, or on stderr beside other formats."""
    if (args.run is None) == (args.arm is None):
        raise PendtuiError("name a stored run or a reader, one of the two: RUN, or --arm A")
    config = sources.settings(args)
    folder = sources.queue_folder(config)
    gold = read_gold(folder)
    policy = sources.read_policy(config)
    if args.arm is None:
        graded = read_run(find_run(config.runs_folder(), args.run))
        queue = queue_state(folder)
        _same_ground(graded.header, queue, policy)
    else:
        graded, queue = _read_now(config, args.arm)
    result = score(
        gold,
        graded,
        {record_id: row.facts for record_id, row in queue.rows.rows.items()},
        policy,
        cases=read_cases(folder),
        coverage_floor=args.coverage,
        precision_floor=args.precision,
    )
    table = args.format == "table"
    print_rows(COLUMNS, rows(result, percent=table), args.format)
    sys.stdout.flush()
    (sys.stdout if table else sys.stderr).write(footer(result) + "\n")
    return 0


def _read_now(config: Config, arm: str) -> tuple[Run, QueueState]:
    reading = read.start(config, arm)
    header = new_header(
        "not stored",
        arm,
        folder=reading.folder,
        queue=reading.queue,
        policy=reading.policy,
        as_of=reading.as_of,
        records=len(reading.files),
    )
    records = tuple(record for record, _ in reading.answers())
    return Run(header, records, now_utc()), reading.queue


def _same_ground(header: RunHeader, queue: QueueState, policy: Policy) -> None:
    """Refuse to grade a run on another queue or policy than it was made on, naming the hash that differs."""
    differing = [
        f"{name} hash {then[:12]} then, {now[:12]} now"
        for name, then, now in (
            ("queue", header.queue_sha256, queue.sha256),
            ("policy", header.policy_sha256, policy.sha256),
        )
        if then != now
    ]
    if differing:
        raise RunError(
            f"run {header.run_id} was not made on this queue and policy: {'; '.join(differing)}",
            remedy=f"It was made on {header.queue} with {header.policy_id}",
        )
