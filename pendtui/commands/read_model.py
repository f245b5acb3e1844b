"""The model's part of `pendtui read`: a batch followed on stderr, its lines printed when it has ended."""

import argparse
import sys
from collections.abc import Iterator, Mapping
from time import monotonic

from pendtui.commands import CHECK_FAILED, FINE, INTERRUPTED
from pendtui.config import Config
from pendtui.desk.batch import BatchProgress
from pendtui.desk.model_reads import ModelAnswer
from pendtui.desk.model_runs import BatchOptions, OpenBatch, open_batch
from pendtui.desk.run_file import FIELDS
from pendtui.engines.policy import Blocked
from pendtui.evals.labels import sweep
from pendtui.plain import plain
from pendtui.tables import print_rows

TABLE_COLUMNS = ("id", "cause_class", "resolution", "rule", "clock", "days_left", "release", "note")
"""What the table shows of each record."""

_SECONDS_BETWEEN_LINES = 2.0


def run(config: Config, args: argparse.Namespace) -> int:
    """Read the records and print them in the queue's order.

    1 when a call failed or the batch stopped before its end; 130 when it was interrupted. Then, and after a
    crash, the same call with the run's id goes on where it was.
    """
    import asyncio

    followed = _Followed()
    try:
        opened = asyncio.run(_read(config, args, followed))
    except KeyboardInterrupt:
        followed.say(f"interrupted; {followed.way_on}")
        return INTERRUPTED
    answers = followed.answers
    rows = [answers[file.id] for file in opened.files if file.id in answers]
    if args.format == "table":
        print_rows(TABLE_COLUMNS, _table(rows))
    else:
        print_rows(FIELDS, [answer.record.values() for answer in rows], args.format)
    sys.stdout.flush()
    progress = opened.batch.progress
    sys.stderr.write(f"run {opened.run_id}: {_summary(progress, opened.currency)}; stored in {opened.path}\n")
    if progress.stopped:
        followed.say(f"stopped: {progress.stopped}; {followed.way_on}")
    return CHECK_FAILED if progress.failed or progress.stopped else FINE


async def _read(config: Config, args: argparse.Namespace, followed: "_Followed") -> OpenBatch:
    options = BatchOptions(
        only=args.only,
        limit=args.limit,
        run_id=args.run_id,
        workers=args.workers,
        spending=args.budget,
        only_unsure=args.only_unsure,
        fresh=args.fresh,
    )
    async with open_batch(
        config, sweep, options, on_progress=followed.progress, on_answer=followed.answer
    ) as opened:
        followed.opened(opened)
        await opened.batch.run()
    return opened


class _Followed:
    """A batch as standard error shows it."""

    def __init__(self) -> None:
        self.answers: dict[str, ModelAnswer] = {}
        self.way_on = "nothing was read"
        self._currency = ""
        self._last = 0.0

    def opened(self, opened: OpenBatch) -> None:
        self._currency = opened.currency
        self.way_on = f"`--run-id {opened.run_id}` goes on with the run"
        self.say(f"run {opened.run_id} asks {opened.server}")

    def answer(self, answer: ModelAnswer) -> None:
        self.answers[answer.record.id] = answer

    def progress(self, progress: BatchProgress) -> None:
        """A line every other second, and when the last record is done."""
        now = monotonic()
        if now - self._last >= _SECONDS_BETWEEN_LINES or progress.done == progress.total:
            self._last = now
            self.say(_line(progress, self._currency))

    def say(self, text: str) -> None:
        sys.stderr.write(f"pendtui read: {plain(text)}\n")
        sys.stderr.flush()


def _line(progress: BatchProgress, currency: str) -> str:
    parts = [f"{progress.done} of {progress.total} done", f"{progress.failed} failed"]
    parts += [f"{progress.reading} under way", f"{progress.left} left"]
    if progress.spent is not None and progress.estimate is not None:
        parts.append(f"{progress.spent:.4f} {currency} spent, about {progress.estimate:.4f} to come")
    if progress.seconds_left is not None and progress.left:
        parts.append(f"about {progress.seconds_left:.0f} s to go")
    return ", ".join(parts)


def _summary(progress: BatchProgress, currency: str) -> str:
    parts = [f"{progress.done} of {progress.total} records read with model, {progress.calls} calls"]
    counted: Mapping[str, int] = {
        "held already": progress.held,
        "failed": progress.failed,
        "not sent": progress.not_sent,
        "sure by the floor": progress.by_first,
    }
    parts += [f"{count} {word}" for word, count in counted.items() if count]
    if progress.spent is not None:
        parts.append(f"{progress.spent:.6f} {currency} spent")
    if progress.unpriced:
        parts.append(f"{progress.unpriced} of unknown cost")
    return ", ".join(parts) + f", {progress.seconds:.1f} s"


def _table(answers: list[ModelAnswer]) -> Iterator[tuple[object, ...]]:
    for answer in answers:
        record = answer.record
        resolution = answer.answers.resolution if answer.answers is not None else None
        note = record.error or (resolution.reason if isinstance(resolution, Blocked) else "")
        yield (
            *(record.id, record.cause_class, record.resolution, record.rule),
            *(record.clock, record.days_left, record.release, note),
        )
