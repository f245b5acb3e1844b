"""`pendtui score`: grade a stored run, or a reader that reads now, against the queue's answer key."""

import argparse
import sys

from pendtui.commands import CHECK_FAILED, FINE
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
    if args.redproof:
        if args.run is not None or args.arm is not None:
            raise PendtuiError("--redproof takes neither a run nor a reader: it makes its own")
        return _redproof(args)
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
    return FINE


def _redproof(args: argparse.Namespace) -> int:
    """Break every check on the queue's own key and print what caught each; 1 when one got through."""
    from pendtui.evals.redproof import redproof

    proofs = redproof(ground_of(sources.settings(args)))
    words = {True: "caught", False: "GOT THROUGH", None: "no record for it"}
    rows = [(each.name, each.what, each.row, each.before, each.after, words[each.caught]) for each in proofs]
    print_rows(("break", "what", "row", "sound", "broken", "outcome"), rows, args.format)
    sys.stdout.flush()
    caught, through = (sum(each.caught is outcome for each in proofs) for outcome in (True, False))
    (sys.stdout if args.format == "table" else sys.stderr).write(
        f"{caught} of {len(proofs)} breaks caught, {through} got through, "
        f"{len(proofs) - caught - through} with no record to show it on\n"
    )
    return CHECK_FAILED if through else FINE
