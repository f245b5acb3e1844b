"""`pendtui dossier`: what the release gate would need for each cause class, and what there is: not open."""

import argparse
import sys
from collections.abc import Iterator

from pendtui.desk import sources
from pendtui.desk.run_archive import archive, made_on
from pendtui.desk.run_file import read_run
from pendtui.desk.runs import find_run
from pendtui.errors import RunError
from pendtui.evals.dossier import NOTHING_ON_FILE, ClassEvidence, Dossier, dossier, records_needed
from pendtui.evals.evidence import Cell
from pendtui.evals.ground import ground_of
from pendtui.plain import plain
from pendtui.tables import print_rows

COLUMNS = (
    *("reader", "run_id", "cause_class", "cycles", "n", "cause_right", "resolution_right"),
    *("false_releases_raw", "upper_bound_raw", "false_releases", "upper_bound", "status"),
)
_HEADINGS = (
    *("cause class", "cycles", "n", "cause right", "resolution right"),
    *("false releases, raw", "after the recheck", "gate"),
)
_BOUNDS = (0.05, 0.01, 0.001)


def run(args: argparse.Namespace) -> int:
    """Print the report over the named runs, or over all in the archive that were made on this queue and policy."""
    config = sources.settings(args)
    ground = ground_of(config)
    folder = config.runs_folder()
    if args.run:
        paths = [find_run(folder, name) for name in args.run]
    else:
        paths = [each.path for each in made_on(archive(folder).runs, ground.queue.sha256, ground.policy.sha256)]
    if not paths:
        raise RunError(
            "no stored run was made on this queue and policy", remedy="Make one with `pendtui read`, or name one"
        )
    found = dossier(ground, [read_run(path) for path in paths])
    if args.format == "table":
        sys.stdout.writelines(line + "\n" for line in _report(found))
    else:
        rows = [_row(reader.title, reader.run_id, each) for reader in found.readers for each in reader.classes]
        print_rows(COLUMNS, rows, args.format)
        sys.stdout.flush()
        sys.stderr.write(f"pendtui dossier: {found.status}\n")
    return 0


def _row(title: str, run_id: str, each: ClassEvidence) -> tuple[object, ...]:
    return (
        *(title, run_id, each.cause, each.cycles, each.releases.measure.of),
        *(each.cause_right.measure.n, each.resolution_right.measure.n),
        *(_count_and_bound(each.raw_releases)),
        *(_count_and_bound(each.releases)),
        each.status,
    )


def _count_and_bound(cell: Cell | None) -> tuple[int | None, float | None]:
    if cell is None:
        return None, None
    return cell.measure.n, cell.interval.high if cell.interval else None


def _report(found: Dossier) -> Iterator[str]:
    policy, queue = found.ground.policy, found.ground.queue
    yield f"# Release gate of {policy.policy_id}: what it would need, and what there is"
    yield ""
    yield (
        f"Queue {queue.sha256[:12]}, {len(queue.files)} records. Policy {policy.sha256[:12]}. Upper bounds are "
        "the upper ends of the exact interval at 95% (Clopper-Pearson)."
    )
    yield ""
    yield "## The conditions, for each cause class by itself"
    yield ""
    for n, condition in enumerate(policy.gate.conditions, 1):
        yield f"{n}. {condition}."
    yield ""
    yield (
        "Of the first, the tables give what has been measured. One queue read once is one cycle; nothing here is "
        "sustained, and the same queue read again is no second cycle. Of the others there is "
        f"{NOTHING_ON_FILE}."
    )
    for reader in found.readers:
        yield ""
        yield plain(f"## {reader.title}, run {reader.run_id}, {reader.started_at[:10]}")
        yield ""
        yield f"| {' | '.join(_HEADINGS)} |"
        yield "|---" * len(_HEADINGS) + "|"
        for each in reader.classes:
            yield (
                f"| {each.cause} | {each.cycles} | {each.releases.measure.of} | {_of(each.cause_right)} | "
                f"{_of(each.resolution_right)} | {_bounded(each.raw_releases)} | {_bounded(each.releases)} | "
                f"*{each.status}* |"
            )
    yield ""
    yield "After the recheck no false release can occur: the release is computed. Only the raw column is measured."
    needed = ", ".join(f"{records_needed(bound):,} for {bound:.1%}" for bound in _BOUNDS)
    yield (
        "Arithmetic, not measurement: so many records of one class, without one false release, bring the upper "
        f"bound down: {needed}. Which bound would do is not for this program to say."
    )
    yield ""
    yield f"Every category: *{found.status}*."


def _of(cell: Cell) -> str:
    return f"{cell.measure.n} of {cell.measure.of}"


def _bounded(cell: Cell | None) -> str:
    if cell is None or cell.interval is None:
        return ""
    return f"{_of(cell)}, at most {cell.interval.high:.1%}"
