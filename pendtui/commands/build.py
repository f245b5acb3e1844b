"""`pendtui build`: write a queue folder of invented claims with its answer key."""

import argparse
import sys

from pendtui.evals.corpus.build import build


def run(args: argparse.Namespace) -> int:
    """Build the queue and print one line that sums it up."""
    counts = build(args.out, seed=args.seed, records=args.records)
    clocks = ", ".join(f"{state} {count}" for state, count in sorted(counts.clocks.items()))
    sys.stdout.write(
        f"{counts.records} invented claims in {args.out} (seed {counts.seed}): {clocks}; "
        f"{counts.decided_by_register} decided by the register, {counts.decided_by_cause} by the cause class\n"
    )
    return 0
