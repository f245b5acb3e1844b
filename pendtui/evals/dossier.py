"""The release-gate dossier: for each cause class what the gate's conditions ask for, and what there is.

It is a report and no decision. Whatever its figures, it ends in *not open*: the gate is closed in code, and no
figure in here can open it.
"""

from collections.abc import Sequence
from typing import NamedTuple

from pendtui.desk.run_file import Run
from pendtui.engines.gate import OPEN_CATEGORIES, GateBreachError, release_for
from pendtui.engines.vocabulary import CauseClass, Release
from pendtui.evals.evidence import Cell, cell
from pendtui.evals.exact import LEVEL
from pendtui.evals.ground import Ground, grade
from pendtui.evals.raw_column import raw_run
from pendtui.evals.scorer import Measure, Score

NOT_OPEN = "not open"
NOTHING_ON_FILE = "nothing on file: pendtui keeps no such thing, and takes none from a claim"


class ClassEvidence(NamedTuple):
    """What one reader's run says of one cause class."""

    cause: CauseClass
    cycles: int
    """Queues that the reader has read and been graded on; the same queue read again is no other cycle."""
    cause_right: Cell
    resolution_right: Cell
    raw_releases: Cell | None
    """AUTO-RELEASE in the replies themselves; None for a reader without replies."""
    releases: Cell
    """The same after the recheck: 0 by construction."""
    status: str = NOT_OPEN


class ReaderEvidence(NamedTuple):
    """The newest finished run of one reader, class by class."""

    title: str
    run_id: str
    started_at: str
    classes: tuple[ClassEvidence, ...]


class Dossier(NamedTuple):
    """The whole report."""

    ground: Ground
    readers: tuple[ReaderEvidence, ...]

    @property
    def status(self) -> str:
        """What it ends in."""
        return NOT_OPEN


def dossier(ground: Ground, runs: Sequence[Run]) -> Dossier:
    """The report over these runs, all made on this ground; of each reader the newest finished one counts.

    Raises GateBreachError where the gate should be anything but closed: then there is nothing to report.
    """
    if OPEN_CATEGORIES or release_for(ground.policy) is not Release.EXAMINER_APPLIES:
        raise GateBreachError("the release gate is not closed")
    newest: dict[tuple[str, str | None, str | None], Run] = {}
    for run in sorted(runs, key=lambda each: each.header.started_at):
        if run.finished_at is not None:
            newest[run.header.arm, run.header.model, run.header.prompt_sha256] = run
    return Dossier(ground, tuple(_reader(ground, run) for run in newest.values()))


def records_needed(bound: float) -> int:
    """How many records without one false release put the interval's upper end at `bound` or below. Arithmetic."""
    from math import ceil, log

    return ceil(log((1 - LEVEL) / 2) / log(1 - bound))


def _reader(ground: Ground, run: Run) -> ReaderEvidence:
    header = run.header
    raw = raw_run(run)
    score = grade(ground, run)
    raw_score = None if raw is None else grade(ground, raw)
    title = header.arm if header.model is None else f"{header.arm} ({header.model})"
    classes = tuple(_of_class(cause, score, raw_score) for cause in CauseClass)
    return ReaderEvidence(title, header.run_id, header.started_at, classes)


def _of_class(cause: CauseClass, score: Score, raw: Score | None) -> ClassEvidence:
    ids = {each.gold.id for each in score.grades if each.gold.cause_class == cause}
    return ClassEvidence(
        cause,
        cycles=1 if ids else 0,
        cause_right=_within(score.measure("cause_class"), ids),
        resolution_right=_within(score.measure("resolution"), ids),
        raw_releases=None if raw is None else _within(raw.measure("false_releases"), ids),
        releases=_within(score.measure("false_releases"), ids),
    )


def _within(measure: Measure, ids: set[str]) -> Cell:
    """A figure over some of its records alone."""
    counted = tuple(record_id for record_id in measure.counted if record_id in ids)
    over = tuple(record_id for record_id in measure.over if record_id in ids)
    return cell(measure._replace(n=len(counted), of=len(over), counted=counted, over=over))
