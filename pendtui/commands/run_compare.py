"""`pendtui runs compare` and `pendtui runs bands`: two runs against each other, and one against those before it."""

import argparse
import sys

from pendtui.commands import CHECK_FAILED, FINE
from pendtui.config import Config
from pendtui.desk.run_archive import archive, made_on
from pendtui.desk.run_file import Run, read_run
from pendtui.desk.runs import find_run
from pendtui.evals.bands import Watched, bands, comparable_before, what_changed
from pendtui.evals.calls import amounts, calls_of
from pendtui.evals.comparison import Comparison, compare
from pendtui.evals.exact import Interval
from pendtui.evals.ground import Ground, grade, ground_of
from pendtui.evals.guards import broken
from pendtui.evals.scorecard import as_percent, footer
from pendtui.plain import plain
from pendtui.tables import print_rows

FIGURES = (
    *("measure", "n_1", "of_1", "share_1", "low_1", "high_1"),
    *("n_2", "of_2", "share_2", "low_2", "high_2", "difference"),
)
FIELDS = ("field", "both_right", "only_1", "only_2", "both_wrong", "of", "p")
"""`p` is McNemar's exact test, two-sided, of the records that only one of the runs has right."""
RECORDS = ("id", "field", "run_1", "run_2", "key", "right")
_WIDEST = 44
"""Characters of an answer that a table shows."""
BANDS = ("figure", "value", "of", "low", "high", "state", "basis")


def compare_runs(config: Config, args: argparse.Namespace) -> int:
    """Compare two runs, or refuse them by the guard that differs."""
    ground = ground_of(config)
    first, second = (
        grade(
            ground,
            read_run(find_run(config.runs_folder(), name)),
            coverage_floor=args.coverage,
            precision_floor=args.precision,
        )
        for name in args.run
    )
    found = compare(first, second, across_readers=args.across_readers)
    table = args.format == "table"
    parts = (args.by,) if args.by else ("figures", "fields", "records") if table else ("figures",)
    for n, part in enumerate(parts):
        if n:
            sys.stdout.write("\n")
        print_rows(*_PARTS[part](found, table), args.format)
    sys.stdout.flush()
    out = sys.stdout if table else sys.stderr
    out.write(
        f"\n1: {footer(first)}\n2: {footer(second)}\n" if table else f"1: {footer(first)}\n2: {footer(second)}\n"
    )
    held = sum(guard.holds for guard in found.guards)
    out.write(f"{held} of {len(found.guards)} guards hold")
    apart = [str(guard) for guard in found.guards if not guard.holds]
    out.write(f"; two readers are compared: {plain('; '.join(apart))}\n" if apart else "\n")
    out.write(
        "low and high: exact interval at 95% (Clopper-Pearson); p: McNemar's exact test, not adjusted for six\n"
    )
    return FINE


def _figure_rows(found: Comparison, table: bool) -> tuple[tuple[str, ...], list[tuple[object, ...]]]:
    rows: list[tuple[object, ...]] = []
    for each in found.figures:
        cells: list[object] = [each.name]
        for measure, ends in ((each.first, each.first_interval), (each.second, each.second_interval)):
            cells += [measure.n, measure.of, *_shares(measure.share, ends, table)]
        difference: object = each.difference
        if table and each.difference is not None:
            difference = f"{each.difference * 100:+.1f} pt"
        rows.append((*cells, difference))
    return FIGURES, rows


def _shares(share: float | None, ends: Interval | None, table: bool) -> list[object]:
    values = [share, *(ends or (None, None))]
    return [as_percent(value) if table else value for value in values]


def _field_rows(found: Comparison, table: bool) -> tuple[tuple[str, ...], list[tuple[object, ...]]]:
    rows: list[tuple[object, ...]] = []
    for each in found.paired:
        counts = [len(ids) for ids in (each.both, each.only_first, each.only_second, each.neither)]
        rows.append((each.name, *counts, sum(counts), _p(each.p) if table else each.p))
    return FIELDS, rows


def _record_rows(found: Comparison, table: bool) -> tuple[tuple[str, ...], list[tuple[object, ...]]]:
    words = {(True, True): "both", (True, False): "1", (False, True): "2", (False, False): "neither"}
    rows: list[tuple[object, ...]] = []
    for each in found.parted:
        answers = [each.first, each.second, each.key]
        shown = [_shortened(answer) if table else answer for answer in answers]
        rows.append((each.id, each.field, *shown, words[each.first_right, each.second_right]))
    return RECORDS, rows


def _shortened(answer: str | None) -> str | None:
    return answer if answer is None or len(answer) <= _WIDEST else f"{answer[: _WIDEST - 1]}…"


def _p(p: float) -> str:
    return "<0.0001" if p < 0.0001 else f"{p:.4f}"


_PARTS = {"figures": _figure_rows, "fields": _field_rows, "records": _record_rows}


def bands_of(config: Config, args: argparse.Namespace) -> int:
    """The watched figures of a run with their bands; 1 when one breaks, with what changed since the last run."""
    ground = ground_of(config)
    path = find_run(config.runs_folder(), args.run[0])
    run = _watched(ground, read_run(path), args)
    stored = made_on(archive(path.parent).runs, ground.queue.sha256, ground.policy.sha256)
    others = [_watched(ground, read_run(each.path), args) for each in stored if each.path != path]
    earlier = comparable_before(run, others)
    found = bands(run, earlier)
    rows = [
        (
            each.name,
            each.value,
            each.of,
            each.low,
            each.high,
            "breaks" if each.breaks else None if each.value is None or each.low is None else "holds",
            each.basis,
        )
        for each in found
    ]
    print_rows(BANDS, rows, args.format)
    sys.stdout.flush()
    out = sys.stdout if args.format == "table" else sys.stderr
    names = ", ".join(each.score.run.run_id for each in earlier) or "none"
    out.write(f"{footer(run.score)}\nearlier runs that hold every guard: {plain(names)}\n")
    for other in others:
        apart = broken(other.score, run.score)
        if apart:
            out.write(
                plain(f"left out: {other.score.run.run_id}, by {', '.join(guard.name for guard in apart)}") + "\n"
            )
    if not any(each.breaks for each in found):
        return FINE
    last = earlier[-1]
    out.write(f"what changed since {plain(last.score.run.run_id)}:\n")
    out.writelines(f"  {plain(line)}\n" for line in what_changed(last, run) or ["nothing that the runs record"])
    return CHECK_FAILED


def _watched(ground: Ground, run: Run, args: argparse.Namespace) -> Watched:
    graded = grade(ground, run, coverage_floor=args.coverage, precision_floor=args.precision)
    return Watched(graded, amounts(calls_of(run)))
