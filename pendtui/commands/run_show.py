"""`pendtui runs show`: every figure of a run, or one view of one or more, and the records behind a figure."""

import argparse
import sys
from collections.abc import Callable, Sequence

from pendtui.config import Config
from pendtui.desk.run_file import Run, read_run
from pendtui.desk.runs import find_run
from pendtui.errors import PendtuiError
from pendtui.evals import evidence
from pendtui.evals.ground import Ground, grade, ground_of
from pendtui.evals.scorecard import WITH_INTERVALS, as_percent, footer, rows_with_intervals
from pendtui.evals.scorer import Score
from pendtui.tables import print_rows

Table = tuple[Sequence[str], list[tuple[object, ...]]]

VIEWS = ("figures", "arms", "confusion", "reliability", "recheck", "calls", "history")
"""What can be shown of a run. `arms` and `history` take more than one."""


def run(config: Config, args: argparse.Namespace) -> int:
    """Grade the runs on the queue in force and print what is asked for."""
    several = args.view in ("arms", "history")
    if len(args.run) > 1 and not several:
        raise PendtuiError(
            f"--view {args.view} takes one run", remedy="Several are shown by --view arms or history"
        )
    ground = ground_of(config)
    runs = [read_run(find_run(config.runs_folder(), name)) for name in args.run]
    floors = {"coverage_floor": args.coverage, "precision_floor": args.precision}
    scores = [grade(ground, each, **floors) for each in runs]
    percent = args.format == "table"
    if args.figure is not None:
        columns, rows = _behind(scores[0], args.figure)
    elif several:
        columns, rows = (_arms if args.view == "arms" else _history)(ground, runs, scores, percent, args)
    else:
        columns, rows = _VIEWS[args.view](runs[0], scores[0], percent)
    print_rows(columns, rows, args.format)
    sys.stdout.flush()
    out = sys.stdout if percent else sys.stderr
    out.writelines(footer(score) + "\n" for score in scores)
    if any("low" in name for name in columns):
        out.write("low and high: exact interval at 95% (Clopper-Pearson)\n")
    return 0


def _figures(run: Run, score: Score, percent: bool) -> Table:
    return WITH_INTERVALS, rows_with_intervals(score, percent=percent)


def _behind(score: Score, name: str) -> Table:
    """The records behind a figure: those it counts, then the others of its denominator."""
    found = next((measure for measure in score.measures if measure.name == name), None)
    if found is None:
        raise PendtuiError(
            f"the run has no figure '{name}'",
            remedy=f"It has {', '.join(measure.name for measure in score.measures)}",
        )
    counted = set(found.counted)
    grades = {each.gold.id: each for each in score.grades}
    rows: list[tuple[object, ...]] = []
    for record_id in sorted(found.over, key=lambda each: (each not in counted, each)):
        record, gold = grades[record_id].record, grades[record_id].gold
        rows.append(
            (
                *(record_id, record_id in counted, gold.cause_class, record and record.cause_class),
                *(gold.resolution, record and record.resolution, gold.clock, record and record.clock),
                record.error if record else "not in the run",
            )
        )
    columns = (
        "id",
        "counted",
        "cause_key",
        "cause_read",
        "resolution_key",
        "resolution",
        "clock_key",
        "clock",
        "error",
    )
    return columns, rows


def _arms(ground: Ground, runs: list[Run], scores: list[Score], percent: bool, args: argparse.Namespace) -> Table:
    arms = evidence.columns(ground, runs, coverage_floor=args.coverage, precision_floor=args.precision)
    shown = evidence.board(arms)
    titles = [f"{n}:{arm.title}" for n, arm in enumerate(shown.columns, 1)]
    if percent:
        cells = [(name, *(_text(cell) for cell in row)) for name, row in shown.rows]
        return ("measure", *titles), [*cells]
    columns = ("measure", "arm", "run_id", "n", "of", "share", "low", "high")
    rows: list[tuple[object, ...]] = []
    for name, row in shown.rows:
        for title, arm, cell in zip(titles, shown.columns, row, strict=True):
            if cell is not None:
                counts = (cell.measure.n, cell.measure.of, cell.measure.share)
                rows.append((name, title, arm.score.run.run_id, *counts, *(cell.interval or (None, None))))
    return columns, rows


def _text(cell: evidence.Cell | None) -> str | None:
    """A cell as `9 of 60 (7.1%-26.6%)`; None, shown as a blank, where nothing was measured."""
    if cell is None or cell.measure.n is None:
        return None
    ends = cell.interval
    between = f" ({as_percent(ends.low)}-{as_percent(ends.high)})" if ends else ""
    return f"{cell.measure.n} of {cell.measure.of}{between}"


def _history(
    ground: Ground, runs: list[Run], scores: list[Score], percent: bool, args: argparse.Namespace
) -> Table:
    rows: list[tuple[object, ...]] = []
    for name, moments in evidence.history(scores).items():
        for moment in moments:
            measure, ends = moment.cell.measure, moment.cell.interval or (None, None)
            share = as_percent(measure.share) if percent else measure.share
            bounds = tuple(as_percent(end) if percent else end for end in ends)
            rows.append((name, moment.run_id, moment.started_at, measure.n, measure.of, share, *bounds))
    return ("measure", "run_id", "started_at", "n", "of", "share", "low", "high"), rows


def _confusion(run: Run, score: Score, percent: bool) -> Table:
    matrix = evidence.confusion(score)
    if percent:
        rows = [
            (key, *(len(matrix.cells.get((key, read), ())) or None for read in matrix.read)) for key in matrix.keys
        ]
        return ("key", *matrix.read), [*rows]
    pairs: list[tuple[object, ...]] = [(*pair, len(ids), list(ids)) for pair, ids in sorted(matrix.cells.items())]
    return ("key", "read", "n", "ids"), pairs


def _reliability(run: Run, score: Score, percent: bool) -> Table:
    found = evidence.reliability(score)
    rows: list[tuple[object, ...]] = []
    for point in found.points:
        right, ends = point.right, point.interval or (None, None)
        shares = (point.said, right.share, *ends)
        rows.append(
            (
                f"{point.low:.2f}-{point.high:.2f}",
                *(as_percent(share) if percent else share for share in shares[:1]),
                *(right.n, right.of),
                *(as_percent(share) if percent else share for share in shares[1:]),
            )
        )
    return ("said", "mean", "n", "of", "share", "low", "high"), rows


def _recheck(run: Run, score: Score, percent: bool) -> Table:
    rows: list[tuple[object, ...]] = []
    for effect in evidence.effects(score):
        for outcome in ("helped", "hurt", "both_right", "both_wrong", "no_reply"):
            ids = getattr(effect, outcome)
            shown = " ".join(ids) if percent and outcome in ("helped", "hurt") else None if percent else list(ids)
            rows.append((effect.field, outcome, len(ids), len(score.grades), shown))
    return ("field", "outcome", "n", "of", "ids"), rows


def _calls(run: Run, score: Score, percent: bool) -> Table:
    from pendtui.evals.calls import AMOUNTS, calls_of, distribution

    calls = calls_of(run)
    rows: list[tuple[object, ...]] = []
    for name in AMOUNTS:
        spread = distribution(name, calls)
        found = [*(spread.quantile(share) for share in (0.0, 0.5, 0.9, 0.95, 1.0)), spread.total]
        amounts = [_amount(name, each) for each in found] if percent else found
        rows.append((name, len(spread.values), len(calls), *amounts))
    return ("amount", "measured", "of", "least", "median", "p90", "p95", "most", "total"), rows


def _amount(name: str, amount: float | None) -> str | None:
    """An amount as a table shows it: whole tokens, seconds to the thousandth, money to the millionth."""
    digits = 0 if name.endswith("_tokens") else 6 if name == "cost" else 3
    return None if amount is None else f"{amount:.{digits}f}"


_VIEWS: dict[str, Callable[[Run, Score, bool], Table]] = {
    "figures": _figures,
    "confusion": _confusion,
    "reliability": _reliability,
    "recheck": _recheck,
    "calls": _calls,
}
