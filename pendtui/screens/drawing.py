"""Drawings made of characters that a plain terminal has: a claim's time line, and bars."""

import os
from collections.abc import Mapping, Sequence
from datetime import date
from typing import NamedTuple

from pendtui.engines.clock import Clock


class Pen(NamedTuple):
    """The characters to draw with, each one cell wide."""

    axis: str
    window: str
    over: str
    bar: str
    half: str


LINES = Pen(axis="─", window="▒", over="━", bar="█", half="▌")
"""Box and block characters that the console's own fonts have as well."""
ASCII = Pen(axis="-", window="=", over="x", bar="#", half="-")
"""For a terminal that is not in UTF-8."""


def pen_for(environ: Mapping[str, str] = os.environ) -> Pen:
    """Lines and blocks where the locale is UTF-8, else ASCII."""
    locale = next((environ[name] for name in ("LC_ALL", "LC_CTYPE", "LANG") if environ.get(name)), "")
    return LINES if "utf" in locale.lower() else ASCII


def timeline(
    clock: Clock, trail: Sequence[date], today: date, *, window_days: int, width: int, pen: Pen
) -> tuple[str, str]:
    """A claim's days from receipt to its deadline, or to the last day that matters, and what the letters say.

    R received, P pended, a dot for a trail entry, A the as-of day, T today, D the deadline; the escalation window
    before the deadline and the days after it are drawn differently. `width` in cells. Where two fall into one
    cell, the one named later here is drawn; the legend has them all.
    """
    signs = [(day, "·" if pen is LINES else ".") for day in trail]
    signs += [(clock.received_on, "R"), (clock.pended_on, "P"), (today, "T"), (clock.as_of, "A")]
    if clock.deadline_on is not None:
        signs.append((clock.deadline_on, "D"))
    # Today only where it is near: a register read months ago would squeeze everything else into a corner.
    last_of_claim = max(day for day, sign in signs if sign != "T")
    span = max(1, (last_of_claim - clock.received_on).days)
    if today > last_of_claim and (today - last_of_claim).days > span:
        signs = [(day, sign) for day, sign in signs if sign != "T"]
    first = min(day for day, _ in signs)
    last = max(day for day, _ in signs)
    days = max(1, (last - first).days)

    def cell(day: date) -> int:
        return round((day - first).days * (width - 1) / days)

    line = [pen.axis] * width
    if clock.deadline_on is not None:
        deadline = cell(clock.deadline_on)
        opens = cell(max(first, date.fromordinal(clock.deadline_on.toordinal() - window_days)))
        line[opens : deadline + 1] = [pen.window] * (deadline + 1 - opens)
        line[deadline + 1 :] = [pen.over] * (width - deadline - 1)
    for day, sign in signs:
        line[cell(day)] = sign
    return "".join(line), _legend(signs)


def _legend(signs: Sequence[tuple[date, str]]) -> str:
    named = {"R": "received", "P": "pended", "A": "as of", "T": "today", "D": "deadline"}
    return "  ".join(
        f"{sign} {named[sign]} {day:%m-%d}"
        for day, sign in sorted(signs, key=lambda each: each[0])
        if sign in named
    )


def bar(value: float, most: float, width: int, pen: Pen) -> str:
    """A bar as long as the value's share of the most there is; something is drawn for anything above 0."""
    if value <= 0 or most <= 0:
        return ""
    halves = max(1, round(2 * width * min(value, most) / most))
    return pen.bar * (halves // 2) + (pen.half if halves % 2 else "")
