"""A score as rows, and the line that says what was scored. The same for the command line and the screen."""

from pendtui.evals.scorer import Measure, Score

COLUMNS = ("measure", "n", "of", "share", "note")
WITH_INTERVALS = ("measure", "n", "of", "share", "low", "high", "note")
"""The same with both ends of each share's interval."""


def rows(score: Score, *, percent: bool) -> list[tuple[str, int | None, int | None, float | str | None, str]]:
    """Every figure as a row of COLUMNS. The share is a number from 0 to 1, or text such as 73.3%; None is blank."""
    return [(m.name, m.n, m.of, _percent(m) if percent else m.share, m.note) for m in score.measures]


def rows_with_intervals(score: Score, *, percent: bool) -> list[tuple[object, ...]]:
    """The rows of `rows`, each with its exact interval at 95%: columns WITH_INTERVALS."""
    from pendtui.evals.exact import interval

    found: list[tuple[object, ...]] = []
    for name, n, of, share, note in rows(score, percent=percent):
        ends = interval(n, of) or (None, None)
        found.append((name, n, of, share, *((as_percent(end) if percent else end) for end in ends), note))
    return found


def as_percent(share: float | None) -> str | None:
    """A share as text with one decimal."""
    return None if share is None else f"{share:.1%}"


def _percent(measure: Measure) -> str | None:
    """One decimal; 0.0% and 100.0% only where they are exact."""
    if measure.share is None:
        return None
    text = f"{measure.share:.1%}"
    if text == "100.0%" and measure.n != measure.of:
        return ">99.9%"
    return "<0.1%" if text == "0.0%" and measure.n else text


def footer(score: Score) -> str:
    """What was scored, in one line: the run, the hash of its queue, its policy, its as-of day and the floors."""
    run = score.run
    what = run.arm if run.model is None else f"{run.arm} ({run.model})"
    state = "" if score.finished else ", not finished"
    return (
        f"run {run.run_id} ({what}{state}), queue {run.queue_sha256[:12]}, policy {run.policy_id} "
        f"{run.policy_sha256[:12]}, as of {run.as_of}, "
        f"coverage floor {score.coverage_floor:.2f}, precision floor {score.precision_floor:.2f}"
    )
