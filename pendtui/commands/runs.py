"""`pendtui runs`: list the stored runs, the newest first."""

import argparse
import sys

from pendtui.desk import sources
from pendtui.desk.run_file import RunSummary, run_summary
from pendtui.desk.runs import run_files
from pendtui.errors import RunError
from pendtui.plain import plain
from pendtui.tables import print_rows

COLUMNS = ("run_id", "arm", "model", "queue", "policy", "records", "finished", "started_at")


def run(args: argparse.Namespace) -> int:
    """List them; a file that is no run is named on stderr and hides no other."""
    summaries = []
    for path in run_files(sources.settings(args).runs_folder()):
        try:
            summaries.append(run_summary(path))
        except RunError as fault:
            sys.stderr.write(f"pendtui runs: {plain(str(fault))}\n")
    summaries.sort(key=lambda summary: (summary.header.started_at, summary.header.run_id), reverse=True)
    print_rows(COLUMNS, [_row(summary, args.format) for summary in summaries], args.format)
    return 0


def _row(summary: RunSummary, format: str) -> tuple[object, ...]:
    header = summary.header
    finished: object = summary.finished_at is not None
    if format == "table":
        finished = "yes" if finished else f"no, of {header.records}"
    return (
        *(header.run_id, header.arm, header.model, header.queue, header.policy_id),
        *(summary.records, finished, header.started_at),
    )
