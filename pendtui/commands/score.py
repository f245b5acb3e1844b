"""`pendtui score`: grade a stored run, or a reader that reads now, against the queue's answer key."""

import argparse
import sys

from pendtui.desk import sources
from pendtui.desk.offline_runs import start
from pendtui.desk.run_file import read_run
from pendtui.desk.runs import find_run
from pendtui.errors import PendtuiError
from pendtui.evals.ground import grade, ground_of
from pendtui.evals.scorecard import COLUMNS, footer, rows
from pendtui.tables import print_rows


def run(args: argparse.Namespace) -> int:
    """Grade and print. What was graded is a line below the table, or on stderr beside other formats."""
    if (args.run is None) == (args.arm is None):
        raise PendtuiError("name a stored run or a reader, one of the two: RUN, or --arm A")
    config = sources.settings(args)
    ground = ground_of(config)
    graded = start(config, args.arm).run() if args.arm else read_run(find_run(config.runs_folder(), args.run))
    result = grade(ground, graded, coverage_floor=args.coverage, precision_floor=args.precision)
    table = args.format == "table"
    print_rows(COLUMNS, rows(result, percent=table), args.format)
    sys.stdout.flush()
    (sys.stdout if table else sys.stderr).write(footer(result) + "\n")
    return 0
