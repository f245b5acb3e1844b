"""All the evidence there is on one ground: the newest run of each reader, and every stored run before it."""

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import NamedTuple

from pendtui.config import Config
from pendtui.desk.offline_runs import NOT_STORED, start
from pendtui.desk.run_archive import Listed, archive
from pendtui.desk.run_file import Run, read_run
from pendtui.desk.runs import find_run
from pendtui.engines.readers import OFFLINE_ARMS
from pendtui.errors import RunError
from pendtui.evals.evidence import Column, columns
from pendtui.evals.ground import Ground, grade, ground_of
from pendtui.evals.scorer import Score

READ_NOW_UP_TO = 2_000
"""Answers of a key up to which an offline reader without a stored run is read on the spot."""


class OnFile(NamedTuple):
    """One stored run, and whether it says anything of this ground."""

    listed: Listed
    score: Score | None
    """None for a run that was made on another queue or policy, or that could not be read."""
    apart: str
    """What keeps it from being graded here, in words; empty where nothing does."""


class Exhibit(NamedTuple):
    """What the evidence screen shows."""

    ground: Ground
    columns: tuple[Column, ...]
    """The arms side by side: phrase, floor, then the others, each model raw and rechecked."""
    runs: Mapping[str, Run]
    """The runs behind the columns, by id."""
    on_file: tuple[OnFile, ...]
    """Every stored run, the newest first."""
    faults: tuple[RunError, ...]
    """The files of the archive that are no runs."""

    def run_of(self, column: Column) -> Run:
        """The run that a column was graded from."""
        return self.runs[column.score.run.run_id]

    @property
    def scores(self) -> tuple[Score, ...]:
        """The finished stored runs over all of this ground, the oldest first."""
        graded = [each.score for each in self.on_file if each.score is not None]
        found = [score for score in graded if score.finished and score.run.only is None]
        return tuple(sorted(found, key=lambda score: score.run.started_at))


def exhibit(config: Config) -> Exhibit:
    """Gather and grade them. Of a reader that is replayed, the run that is replayed stands for it.

    An offline reader of which no run is stored is read on the spot, unless the key is long. Raises QueueError where
    the queue has no key, PolicyError, and RunError where the run to be replayed is not there.
    """
    ground = ground_of(config)
    folder = config.runs_folder()
    replayed = find_run(folder, config.recorded) if config.recorded else None
    stored = archive(folder)
    read: dict[Path, Run] = {}
    on_file, faults = [], list(stored.faults)
    for listed in stored.runs:
        apart = "; ".join(ground.differs_from(listed.summary.header))
        score = None
        if not apart:
            try:
                read[listed.path] = read_run(listed.path)
                score = grade(ground, read[listed.path])
            except RunError as fault:
                apart = str(fault)
        on_file.append(OnFile(listed, score, apart))
    shown = _newest_of_each(read.values())
    if replayed is not None and not ground.differs_from((run := read_run(replayed)).header):
        shown[_reader(run)] = run
    if len(ground.gold) <= READ_NOW_UP_TO:
        for arm in OFFLINE_ARMS:
            if not any(run.header.arm == arm for run in shown.values()):
                run = start(config, arm).run()
                run = run._replace(header=run.header._replace(run_id=f"{NOT_STORED} ({arm})"))
                shown[_reader(run)] = run
    order = {arm: place for place, arm in enumerate(OFFLINE_ARMS)}
    runs = sorted(shown.values(), key=lambda run: (order.get(run.header.arm, len(order)), run.header.started_at))
    return Exhibit(
        ground,
        tuple(columns(ground, runs)),
        {run.header.run_id: run for run in runs},
        tuple(on_file),
        tuple(faults),
    )


def _reader(run: Run) -> tuple[str, str | None, str | None]:
    return run.header.arm, run.header.model, run.header.prompt_sha256


def _newest_of_each(runs: Iterable[Run]) -> dict[tuple[str, str | None, str | None], Run]:
    """Of each reader the newest run that was finished over the whole queue; else that was finished; else any."""
    found: dict[tuple[str, str | None, str | None], Run] = {}
    for run in sorted(runs, key=_standing):
        found[_reader(run)] = run
    return found


def _standing(run: Run) -> tuple[bool, bool, str]:
    return run.finished_at is not None, run.header.only is None, run.header.started_at
