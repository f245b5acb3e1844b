"""How far a watched figure may move before somebody has to look, derived from the runs themselves.

No band is typed in. With two or more earlier runs of the same question, a count's band reaches from the least to
the most that they gave; runs that agree to the record leave no room at all. With one earlier run it is one
record of the figure's own denominator to either side, and no room where code alone gives the figure: an offline
reader's answers, and the release after the recheck. A duration, or a cost, needs two earlier runs: its band is
theirs, widened to either side by as much as they differ. A figure that was not measured has no band, and one
that this run did not measure breaks none.
"""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from pendtui.evals.guards import broken, shown
from pendtui.evals.scorer import Score

WATCHED_COUNTS = (
    "answered",
    "cause_class",
    "citation",
    "resolution",
    "clock",
    "release",
    "all_correct",
    "false_releases",
    "false_releases_on_bait",
    "missed_escalations",
    "over_escalations",
    "resolution_by_register",
    "resolution_by_cause",
    "raw/cause_class",
    "raw/resolution",
    "raw/clock",
    "raw/release",
    "raw/false_releases",
)
"""The figures that count records and have a band."""

BY_CODE = ("false_releases", "false_releases_on_bait")
"""The figures that no reader has a say in: the release is recomputed."""

REPEATED = "the same in {} runs"
SPREAD = "what {} runs gave"
ONE_RECORD = "one record of {} either side"
CODE = "code gives the same each time"
WIDENED = "what {} runs gave, widened by as much as they differ"
ONE_RUN = "one run says nothing of how much it varies"
NEVER = "not measured before"
NOT_MEASURED = "not measured"


class Watched(NamedTuple):
    """A graded run with what was measured of its calls, such as seconds; None is not measured."""

    score: Score
    amounts: Mapping[str, float | None]


class Band(NamedTuple):
    """One watched figure: where it stands and how far it may be. None is not measured."""

    name: str
    value: float | None
    of: int | None
    """The denominator of a count; None for an amount."""
    low: float | None
    high: float | None
    basis: str
    """What the band was derived from."""

    @property
    def breaks(self) -> bool:
        """Whether the figure was measured, has a band and is outside it."""
        return (
            self.value is not None
            and self.low is not None
            and self.high is not None
            and not self.low <= self.value <= self.high
        )


def bands(run: Watched, earlier: Sequence[Watched]) -> list[Band]:
    """The bands of a run's watched figures, from earlier runs that it may be compared with."""
    found = [_count_band(name, run, earlier) for name in WATCHED_COUNTS]
    return found + [_amount_band(name, value, earlier) for name, value in run.amounts.items()]


def comparable_before(run: Watched, others: Sequence[Watched]) -> list[Watched]:
    """Those of other runs that are earlier than this one and hold every guard with it, the oldest first."""
    begun = run.score.run.started_at
    found = [
        other
        for other in others
        if other.score.run.started_at < begun and not broken(other.score, run.score) and other.score.finished
    ]
    return sorted(found, key=lambda other: other.score.run.started_at)


def what_changed(before: Watched, run: Watched) -> list[str]:
    """What differs between two runs although every guard holds: program, time, server, calls, and the records.

    Those are the records of which an answer is right in one of the runs and wrong in the other.
    """
    a, b = before.score.run, run.score.run
    changed = [
        f"{name}: {shown(then)} then, {shown(now)} now"
        for name, then, now in (
            ("program", a.program, b.program),
            ("started", a.started_at, b.started_at),
            ("queue folder", a.queue, b.queue),
            *((name, _called(before, name), _called(run, name)) for name in ("base_url", "model", "step", "held")),
        )
        if then != now
    ]
    others = {grade.gold.id: grade for grade in before.score.grades}
    for grade in run.score.grades:
        then = others[grade.gold.id]
        lost = [name for name, right in then.right.items() if right and not grade.right[name]]
        won = [name for name, right in grade.right.items() if right and not then.right[name]]
        if lost or won:
            moved = [f"{', '.join(names)} {word}" for names, word in ((lost, "lost"), (won, "won")) if names]
            changed.append(f"{grade.gold.id}: {'; '.join(moved)}")
    return changed


def _count_band(name: str, run: Watched, earlier: Sequence[Watched]) -> Band:
    now = _measure(run, name)
    value, of = now
    if value is None:
        return Band(name, None, None, None, None, NOT_MEASURED)
    counted = [n for n, over in (_measure(other, name) for other in earlier) if n is not None and over == of]
    if not counted:
        return Band(name, value, of, None, None, NEVER)
    low, high = min(counted), max(counted)
    if len(counted) == 1:
        if not of:
            return Band(name, value, of, None, None, "nothing to count")
        if run.score.run.model is None or name in BY_CODE:
            return Band(name, value, of, low, high, CODE)
        return Band(name, value, of, max(0, low - 1), min(of, high + 1), ONE_RECORD.format(of))
    return Band(name, value, of, low, high, (REPEATED if low == high else SPREAD).format(len(counted)))


def _amount_band(name: str, value: float | None, earlier: Sequence[Watched]) -> Band:
    if value is None:
        return Band(name, None, None, None, None, NOT_MEASURED)
    measured = [amount for other in earlier if (amount := other.amounts.get(name)) is not None]
    if len(measured) < 2:
        return Band(name, value, None, None, None, ONE_RUN if measured else NEVER)
    low, high = min(measured), max(measured)
    spread = high - low
    return Band(name, value, None, max(0.0, low - spread), high + spread, WIDENED.format(len(measured)))


def _measure(run: Watched, name: str) -> tuple[int | None, int | None]:
    found = next((m for m in run.score.measures if m.name == name), None)
    return (None, None) if found is None else (found.n, found.of)


def _called(run: Watched, name: str) -> str | None:
    """What the calls of a run were noted with, each value once."""
    calls = [grade.record.call for grade in run.score.grades if grade.record is not None and grade.record.call]
    return ", ".join(sorted({str(call[name]) for call in calls if call.get(name) is not None})) or None
