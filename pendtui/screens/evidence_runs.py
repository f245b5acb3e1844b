"""The evidence screen's tables of runs: what their calls took, their figures over time, and which there are."""

from collections.abc import Callable, Iterable, Sequence

from pendtui.evals import evidence
from pendtui.evals.bands import WATCHED_COUNTS
from pendtui.evals.calls import AMOUNTS, CallNote, Distribution, calls_of, distribution, histogram
from pendtui.evals.cost import Figure, spent
from pendtui.evals.evidence import Column, Moment
from pendtui.evals.exhibit import Exhibit, OnFile
from pendtui.evals.scorecard import as_percent, footer, rows_with_intervals
from pendtui.evals.scorer import Score
from pendtui.screens.drawing import Pen
from pendtui.screens.evidence_tables import PLAIN, QUIET, Entry, Size, Table, behind, figure_entry, figures_table
from pendtui.screens.plots import amount_text, histogram_lines, small_multiple, step_text

UNITS = {"seconds": "s", "cost": ""}
"""Of the amounts whose spread is drawn; a cost's is the run's currency."""
_HISTORY_WIDTH = 24


def calls_table(exhibit: Exhibit, arm: Column, size: Size, pen: Pen) -> Table:
    """What the calls of a model's run took, with the spread of seconds and of cost above."""
    calls = calls_of(exhibit.run_of(arm))
    title = f"what the calls took, {arm.title}"
    if not calls:
        return Table(title, "amount", (), (), (f"{arm.title} made no calls.", "Choose a model's arm with a."))
    rows = []
    for name in AMOUNTS:
        spread = distribution(name, calls)
        quantiles = [spread.quantile(share) for share in (0.0, 0.5, 0.9, 0.95, 1.0)]
        counted = f"{len(spread.values)} of {len(calls)}"
        said = f"{name}: measured of {counted} calls, {amount_text(spread.total) or 'nothing'} in all"
        opens = _spread(name, spread, arm) if spread.values else None
        texts = [counted, *(amount_text(each) for each in (*quantiles, spread.total))]
        rows.append((name, tuple(Entry(text, said, opens) for text in texts)))
    heads = ("measured", "least", "median", "p90", "p95", "most", "total")
    room = max(3, min(12, size.height - len(rows) - 5))
    return Table(title, "amount", heads, tuple(rows), tuple(_spreads(calls, size.width, room, pen)))


def _spreads(calls: tuple[CallNote, ...], width: int, room: int, pen: Pen) -> Iterable[str]:
    spreads = [(name, distribution(name, calls)) for name in ("seconds", "cost")]
    drawn = [(name, each) for name, each in spreads if each.values]
    half = (width - 4) // max(1, len(drawn))
    blocks = []
    for name, each in drawn:
        unit = UNITS[name] or next((call.currency for call in calls if call.currency), "")
        blocks.append(histogram_lines(histogram(each, room), unit, half - 2, pen))
    for n in range(max(map(len, blocks), default=0)):
        yield "  ".join((block[n] if n < len(block) else "").ljust(half) for block in blocks).rstrip()
    yield "; ".join(_spent(figure) for figure in spent(calls) if figure.value is not None)


def _spent(figure: Figure) -> str:
    value = figure.value or 0.0
    amount = (
        f"{value:,.0f}" if figure.unit in ("calls", "tokens") else f"{value:.6f}" if figure.unit else f"{value:.1%}"
    )
    return f"{figure.name} {amount}{f' {figure.unit}' if figure.unit not in ('calls', 'tokens', '') else ''}"


def _spread(name: str, spread: Distribution, arm: Column) -> "Callable[[], Table]":
    def build() -> Table:
        rows = []
        for step in histogram(spread):
            said = f"{len(step.ids)} of {len(spread.values)} calls took {step_text(step)}"
            opens = behind(f"{name} {step_text(step)}, {arm.title}", arm.score, step.ids) if step.ids else None
            rows.append(
                (step_text(step), (Entry(str(len(step.ids)), said, opens), Entry("#" * len(step.ids), said)))
            )
        return Table(f"{name} of the calls, {arm.title}", name, ("calls", ""), tuple(rows))

    return build


def history_table(exhibit: Exhibit, pen: Pen) -> Table:
    """The watched figures over the stored runs of each reader, as many small plots."""
    readers: dict[str, list[Score]] = {}
    for score in exhibit.scores:
        run = score.run
        readers.setdefault(run.arm if run.model is None else f"{run.arm} ({run.model})", []).append(score)
    if not readers:
        return Table(
            "history", "measure", (), (), ("No finished run over all of this queue, under this policy, is stored.",)
        )
    pasts = {title: evidence.history(scores) for title, scores in readers.items()}
    rows = []
    for name in WATCHED_COUNTS:
        entries = [_past(name, title, past.get(name, []), exhibit, pen) for title, past in pasts.items()]
        if any(entry.text for entry in entries):
            rows.append((name, tuple(entries)))
    runs = ", ".join(f"{len(scores)} of {title}" for title, scores in readers.items())
    return Table(
        f"the stored runs over time, the oldest first: {runs}", "measure", tuple(readers), tuple(rows), height=2
    )


def _past(name: str, title: str, moments: Sequence[Moment], exhibit: Exhibit, pen: Pen) -> Entry:
    if not moments:
        return Entry("", f"{name}, {title}: not measured", style=QUIET)
    shares = [moment.cell.measure.share or 0.0 for moment in moments]
    top, bottom = small_multiple(shares, _HISTORY_WIDTH, pen)
    room = max(len(top), 4)
    last, least, most = moments[-1].cell.measure, min(shares), max(shares)
    between = f"{as_percent(least)} to {as_percent(most)}"
    text = f"{top:{room}} {last.n} of {last.of}\n{bottom:{room}} {between}"
    said = f"{name}, {title}: last {last.n} of {last.of}; {between} in {len(moments)} runs"

    def runs() -> Table:
        rows = []
        scores = {each.score.run.run_id: each.score for each in exhibit.on_file if each.score is not None}
        for moment in reversed(moments):
            score = scores[moment.run_id]
            row = next(row for row in rows_with_intervals(score, percent=True) if row[0] == name)
            entry = figure_entry(score, moment.run_id, moment.cell, row, wide=True)
            rows.append((moment.run_id, (entry._replace(text=moment.started_at[:16]), entry)))
        return Table(f"{name} of {title}, the newest first", "run", ("started", "n of N (95%)"), tuple(rows))

    return Entry(text, said, runs)


def runs_table(exhibit: Exhibit) -> Table:
    """Every stored run, and which ones were made on this queue under this policy."""
    rows = tuple(_run_row(each) for each in exhibit.on_file)
    lines = tuple(str(fault) for fault in exhibit.faults) or (() if rows else ("No run is stored.",))
    heads = ("arm", "model", "records", "started", "cost", "here")
    return Table("the stored runs, the newest first", "run", heads if rows else (), rows, lines)


def _run_row(each: OnFile) -> tuple[str, tuple[Entry, ...]]:
    header, summary = each.listed.summary.header, each.listed.summary
    score = each.score
    said = footer(score) if score is not None else f"{header.run_id}: not graded here; {each.apart}"
    opens = (lambda: figures_table(score)) if score is not None else None
    read = f"{summary.records:,}" + ("" if summary.finished_at else f" of {header.records:,}, not finished")
    cost = "" if each.listed.cost is None else f"{each.listed.cost:.4f} {each.listed.currency}".rstrip()
    texts = (header.arm, header.model or "", read, header.started_at[:16], cost, "" if score is None else "yes")
    style = QUIET if score is None else PLAIN
    return header.run_id, tuple(Entry(text, said, opens, style=style) for text in texts)
