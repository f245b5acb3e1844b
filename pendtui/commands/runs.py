"""`pendtui runs`: the archive of stored runs: list them, show and compare them, cost them, replay one."""

import argparse
import sys

from pendtui.config import Config
from pendtui.desk import sources
from pendtui.desk.run_archive import Listed, archive, portable, write_copy
from pendtui.desk.run_file import read_run
from pendtui.desk.runs import find_run
from pendtui.errors import PendtuiError
from pendtui.plain import plain
from pendtui.tables import print_rows

COLUMNS = (
    *("run_id", "arm", "model", "queue", "queue_sha256", "policy", "policy_sha256", "prompt_sha256"),
    *("records", "finished", "started_at", "cost", "currency"),
)
"""In a table hashes are short, the queue is the folder's name and the instant has no fractions."""

_SHORT = 12


def run(args: argparse.Namespace) -> int:
    """Do what is asked of the archive: list it where nothing else is."""
    config = sources.settings(args)
    wanted = {"list": (0, 0), "compare": (2, 2), "show": (1, None), "bands": (1, 1), "cost": (1, 1)}
    least, most = wanted.get(args.action, (1, 1))
    given = len(args.run)
    if given < least or (most is not None and given > most):
        counts = {(0, 0): "no run", (2, 2): "two runs", (1, None): "one run or more"}
        raise PendtuiError(
            f"`pendtui runs {args.action}` takes {counts.get((least, most), 'one run')}, not {given}"
        )
    if args.action == "list":
        return _list(config, args)
    if args.action == "export":
        return _export(config, args)
    if args.action == "replay":
        from pendtui.commands.open import open_program

        path = find_run(config.runs_folder(), args.run[0])
        return open_program(config._replace(recorded=str(path.resolve())))
    if args.action == "cost":
        from pendtui.commands import run_cost

        return run_cost.run(config, args)
    if args.action == "show":
        from pendtui.commands import run_show

        return run_show.run(config, args)
    from pendtui.commands import run_compare

    return (
        run_compare.compare_runs(config, args) if args.action == "compare" else run_compare.bands_of(config, args)
    )


def _list(config: Config, args: argparse.Namespace) -> int:
    """List them, the newest first; a file that is no run is named on stderr and hides no other."""
    stored = archive(config.runs_folder())
    for fault in stored.faults:
        sys.stderr.write(f"pendtui runs: {plain(str(fault))}\n")
    print_rows(COLUMNS, [_row(listed, args.format) for listed in stored.runs], args.format)
    return 0


def _row(listed: Listed, format: str) -> tuple[object, ...]:
    header = listed.summary.header
    finished: object = listed.summary.finished_at is not None
    hashes = (header.queue_sha256, header.policy_sha256, header.prompt_sha256)
    queue, started, cost = header.queue, header.started_at, listed.cost
    if format == "table":
        finished = "yes" if finished else f"no, of {header.records}"
        hashes = tuple(each and each[:_SHORT] for each in hashes)  # type: ignore[assignment]
        queue = queue.rstrip("/").rpartition("/")[2]
        started = started.partition(".")[0] + "Z" if "." in started else started
    shown = cost if cost is None or format != "table" else f"{cost:.4f}"
    return (
        *(header.run_id, header.arm, header.model, queue, hashes[0], header.policy_id, hashes[1], hashes[2]),
        *(listed.summary.records, finished, started, shown, listed.currency or None),
    )


def _export(config: Config, args: argparse.Namespace) -> int:
    """Write a copy of a run that names no folder of this machine."""
    if args.out is None:
        raise PendtuiError("`pendtui runs export` needs --out FILE")
    stored = read_run(find_run(config.runs_folder(), args.run[0]))
    write_copy(portable(stored), args.out)
    sys.stderr.write(f"pendtui runs: {stored.header.run_id}, {len(stored.records)} records, copied to {args.out}\n")
    return 0
