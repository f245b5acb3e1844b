"""Plots made of characters that a plain terminal has: reliability, histograms, and many small ones in a table."""

from collections.abc import Sequence

from pendtui.evals.calls import Bin
from pendtui.evals.evidence import Point
from pendtui.screens.drawing import LINES, Pen, bar

_SCALE = 5
"""Cells left of a plot, for its scale."""


def reliability_plot(points: Sequence[Point], width: int, height: int, pen: Pen) -> list[str]:
    """How often a reader was right (upwards) where it said to be so sure (to the right), in `height` lines.

    o is a band of confidence, the line through it the interval at 95%, the dots are where a reader would be that is
    as sure as it is right.
    """
    rows, columns = max(3, height - 1), max(10, width - _SCALE)
    dot, stroke = ("·", "│") if pen is LINES else (".", "|")
    cells = [[" "] * columns for _ in range(rows)]

    def row(share: float) -> int:
        return rows - 1 - round(share * (rows - 1))

    for at in range(columns):
        cells[row(at / (columns - 1))][at] = dot
    for point in points:
        at = round(point.said * (columns - 1))
        if point.interval is not None:
            for line in range(row(point.interval.high), row(point.interval.low) + 1):
                cells[line][at] = stroke
        if point.right.share is not None:
            cells[row(point.right.share)][at] = "o"
    scale = {0: "100%", rows // 2: " 50%", rows - 1: "  0%"}
    lines = [f"{scale.get(n, ''):>4} {''.join(line).rstrip()}" for n, line in enumerate(cells)]
    said = "said 0%".ljust(columns - 4) + "100%"
    return [*lines, " " * _SCALE + said]


def histogram_lines(bins: Sequence[Bin], unit: str, width: int, pen: Pen) -> list[str]:
    """A line a step: from and to, a bar, and how many."""
    most = max((len(each.ids) for each in bins), default=0)
    spans = [f"{step_text(each)} {unit}" for each in bins]
    first = max((len(span) for span in spans), default=0)
    room = max(4, width - first - len(str(most)) - 3)
    return [
        f"{span:>{first}} {bar(len(each.ids), most, room, pen)} {len(each.ids)}"
        for span, each in zip(spans, bins, strict=True)
    ]


def step_text(step: Bin) -> str:
    """A step of a histogram as `0.5 to 2.1`."""
    return f"{amount_text(step.low)} to {amount_text(step.high)}"


def amount_text(amount: float | None) -> str:
    """An amount in few digits; blank where it was not measured."""
    if amount is None:
        return ""
    if amount == int(amount) and abs(amount) < 1e9:
        return f"{int(amount):,}"
    return f"{amount:.1f}" if abs(amount) >= 10 else f"{amount:.2f}" if abs(amount) >= 0.1 else f"{amount:.6f}"


def small_multiple(values: Sequence[float], width: int, pen: Pen) -> tuple[str, str]:
    """Values in order of time as two lines, the last `width` of them, from the least of these to the most."""
    shown = values[-width:]
    if not shown:
        return "", ""
    low, high = min(shown), max(shown)
    under, over = ("▄", "▀") if pen is LINES else (".", "'")
    top, bottom = "", ""
    for value in shown:
        level = 2 if high == low else round(3 * (value - low) / (high - low))
        top += (under, over)[level - 2] if level >= 2 else " "
        bottom += (under, over)[level] if level < 2 else " "
    return top, bottom
