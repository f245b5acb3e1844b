"""What reports and the evidence screen show, as values: each figure with its interval and its records."""

from collections.abc import Sequence
from itertools import pairwise
from typing import NamedTuple

from pendtui.desk.run_file import Run
from pendtui.engines.citation import COVERAGE_FLOOR, PRECISION_FLOOR
from pendtui.engines.vocabulary import CauseClass
from pendtui.evals.confidence import BANDS, brier
from pendtui.evals.exact import Interval, interval
from pendtui.evals.ground import Ground, grade
from pendtui.evals.raw_column import raw_run
from pendtui.evals.scorer import WORDS, Grade, Measure, Score

RAW, RECHECKED = "raw", "rechecked"
NOTHING_READ = "none read"
"""The confusion matrix's column for records of which no cause class was read."""
NO_ANSWER = "no answer"
"""Its column for those with an error, or that the run never got to."""


class Cell(NamedTuple):
    """One figure of one arm."""

    measure: Measure
    interval: Interval | None
    """At 95%, exact; None where nothing was measured."""

    @property
    def others(self) -> tuple[str, ...]:
        """The records of the denominator that are not counted."""
        counted = set(self.measure.counted)
        return tuple(record_id for record_id in self.measure.over if record_id not in counted)


class Column(NamedTuple):
    """One arm: a run as it stands, or the raw words of a model's run."""

    title: str
    score: Score
    raw: bool = False


class Board(NamedTuple):
    """The arms side by side: for each figure a cell an arm, in their order; None where an arm has no such row."""

    columns: tuple[Column, ...]
    rows: tuple[tuple[str, tuple[Cell | None, ...]], ...]


class Confusion(NamedTuple):
    """Which cause class was read where another was right: the records of each pair (key, read)."""

    keys: tuple[str, ...]
    read: tuple[str, ...]
    cells: dict[tuple[str, str], tuple[str, ...]]


class Point(NamedTuple):
    """One band of confidence: what the reader said on average, and how often it was right."""

    low: float
    high: float
    said: float
    right: Measure
    interval: Interval | None


class Reliability(NamedTuple):
    """Whether a reader is as sure of a cause class as it is right."""

    points: tuple[Point, ...]
    brier: float | None
    """None where the reader does not say how sure it is."""
    unsaid: tuple[str, ...]
    """The answered records of which it does not say."""


class Effect(NamedTuple):
    """What the recheck did to one field of a model's replies: the records of each outcome."""

    field: str
    helped: tuple[str, ...]
    """Raw wrong, rechecked right."""
    hurt: tuple[str, ...]
    """Raw right, rechecked wrong."""
    both_right: tuple[str, ...]
    both_wrong: tuple[str, ...]
    no_reply: tuple[str, ...]


class Moment(NamedTuple):
    """One run's value of a figure, for the history."""

    run_id: str
    started_at: str
    cell: Cell


def columns(
    ground: Ground,
    runs: Sequence[Run],
    *,
    coverage_floor: float = COVERAGE_FLOOR,
    precision_floor: float = PRECISION_FLOOR,
) -> list[Column]:
    """The arms of these runs. A run that holds raw answers gives two: its raw words, and as rechecked."""
    found = []
    for run in runs:
        title = run.header.arm if run.header.model is None else f"{run.header.arm} ({run.header.model})"
        raw = raw_run(run)
        graded = grade(ground, run, coverage_floor=coverage_floor, precision_floor=precision_floor)
        if raw is not None:
            of_raw = grade(ground, raw, coverage_floor=coverage_floor, precision_floor=precision_floor)
            found.append(Column(f"{title} {RAW}", of_raw, raw=True))
            title = f"{title} {RECHECKED}"
        found.append(Column(title, graded))
    return found


def board(arms: Sequence[Column]) -> Board:
    """The arms side by side, in the order of the first one's figures."""
    names: dict[str, None] = {}
    for arm in arms:
        names.update(dict.fromkeys(measure.name for measure in arm.score.measures))
    cells = [{measure.name: cell(measure) for measure in arm.score.measures} for arm in arms]
    return Board(tuple(arms), tuple((name, tuple(found.get(name) for found in cells)) for name in names))


def cell(measure: Measure) -> Cell:
    """A figure with its interval."""
    return Cell(measure, interval(measure.n, measure.of))


def confusion(score: Score) -> Confusion:
    """The confusion matrix of the cause class, over every record that was to be read."""
    cells: dict[tuple[str, str], list[str]] = {}
    for grade_ in score.grades:
        cells.setdefault((grade_.gold.cause_class, _read(grade_)), []).append(grade_.gold.id)
    used = {read for _, read in cells}
    classes = tuple(str(cause) for cause in CauseClass)
    unknown = tuple(sorted(used - {*classes, NOTHING_READ, NO_ANSWER}))
    read = (*classes, *unknown, *(name for name in (NOTHING_READ, NO_ANSWER) if name in used))
    return Confusion(classes, read, {pair: tuple(ids) for pair, ids in cells.items()})


def reliability(score: Score) -> Reliability:
    """How sure the reader said it was, against how often it was right, by band."""
    said, unsaid = [], []
    for grade_ in score.grades:
        if not grade_.answered or grade_.record is None:
            continue
        sure = grade_.record.confidence
        if sure is None or not 0 <= sure <= 1:
            unsaid.append(grade_.gold.id)
        else:
            said.append((sure, grade_.right["cause_class"], grade_.gold.id))
    measures = {measure.name: measure for measure in score.measures}
    points = []
    for low, high in pairwise(BANDS):
        measure = measures.get(f"confidence/{low:.2f}-{high:.2f}")
        if measure is not None and measure.of:
            within = set(measure.over)
            mean = sum(sure for sure, _, record_id in said if record_id in within) / measure.of
            points.append(Point(low, high, mean, measure, interval(measure.n, measure.of)))
    return Reliability(tuple(points), brier([(sure, right) for sure, right, _ in said]), tuple(unsaid))


def effects(score: Score) -> list[Effect]:
    """Where the recheck helped and where it hurt, field by field. The cause class it leaves as it was read."""
    found = []
    for name in WORDS:
        outcomes: dict[tuple[bool | None, bool], list[str]] = {}
        for grade_ in score.grades:
            raw = None if grade_.raw_right is None else grade_.raw_right[name]
            outcomes.setdefault((raw, grade_.right[name]), []).append(grade_.gold.id)
        ids = {pair: tuple(records) for pair, records in outcomes.items()}
        found.append(
            Effect(
                name,
                helped=ids.get((False, True), ()),
                hurt=ids.get((True, False), ()),
                both_right=ids.get((True, True), ()),
                both_wrong=ids.get((False, False), ()),
                no_reply=ids.get((None, True), ()) + ids.get((None, False), ()),
            )
        )
    return found


def history(scores: Sequence[Score]) -> dict[str, list[Moment]]:
    """Each figure over the runs, the oldest first. A run that did not measure it has no point."""
    found: dict[str, list[Moment]] = {}
    for score in sorted(scores, key=lambda each: each.run.started_at):
        for measure in score.measures:
            if measure.n is not None:
                found.setdefault(measure.name, []).append(
                    Moment(score.run.run_id, score.run.started_at, cell(measure))
                )
    return found


def _read(grade_: Grade) -> str:
    if not grade_.answered or grade_.record is None:
        return NO_ANSWER
    return grade_.record.cause_class or NOTHING_READ
