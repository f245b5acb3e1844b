"""The model's reads that are under way or have been answered since the program started."""

from __future__ import annotations

from collections.abc import Callable, Coroutine, Sequence
from concurrent.futures import Future
from functools import partial
from typing import TYPE_CHECKING

from pendtui.desk.claim_view import ClaimView
from pendtui.desk.desk import Desk
from pendtui.errors import PendtuiError
from pendtui.screens.background import Background
from pendtui.screens.wording import call_progress

if TYPE_CHECKING:
    from pendtui.desk.batch import Batch, BatchProgress
    from pendtui.desk.model.calls import Progress
    from pendtui.desk.model_reads import ModelAnswer

OnScreen = Callable[[Callable[[], object]], object]


class ModelReading:
    """Starts reads, follows them and keeps their answers. It outlives the screens; they listen to it.

    `changed` is called with a record's id when its read got further or ended, `batch_changed` when the batch did.
    Reads run in a thread of their own, which touches nothing here: whatever it tells is taken in by `on_screen`.
    """

    def __init__(self, desk: Desk, on_screen: OnScreen) -> None:
        """Take the desk, and how something is called in the screen's own thread, in the order asked for."""
        self._desk = desk
        self._on_screen = on_screen
        self._background = Background()
        self._answers: dict[str, ModelAnswer] = {}
        self._under_way: dict[str, str] = {}
        self._workers: dict[str, Future[None]] = {}
        self._failures: dict[str, str] = {}
        self._batch: Batch | None = None
        self.batch_progress: BatchProgress | None = None
        self.batch_failure = ""
        self.changed: Callable[[str], None] = lambda record_id: None
        self.batch_changed: Callable[[], None] = lambda: None

    def stop(self) -> None:
        """Drop all reads, and return when they have ended. What has been answered stays."""
        self._background.stop()

    def _begin(self, work: Coroutine[None, None, None]) -> Future[None]:
        begun = self._background.start(work)
        begun.add_done_callback(self._ended)
        return begun

    def _ended(self, work: Future[None]) -> None:
        if not work.cancelled() and work.exception() is not None:
            self._on_screen(work.result)  # a fault of the program ends it as one in a screen would

    # One claim

    def answer_for(self, view: ClaimView) -> ModelAnswer | None:
        """The model's answer on these very bytes of the record; None where there is none."""
        answer = self._answers.get(view.id)
        return answer if answer is not None and answer.sha256 == view.sha256 else None

    def under_way(self, record_id: str) -> str:
        """How far the record's read has got, in a line; empty where none is under way."""
        return self._under_way.get(record_id, "")

    def failure(self, record_id: str) -> str:
        """Why the record's read could not even be begun, once; empty otherwise."""
        return self._failures.pop(record_id, "")

    def start(self, record_id: str) -> None:
        """Begin to read one record in the background."""
        self._under_way[record_id] = "reading: about to ask"
        self._workers[record_id] = self._begin(self._read_one(record_id))
        self.changed(record_id)

    def cancel(self, record_id: str) -> bool:
        """Drop the record's read; whether there was one."""
        worker = self._workers.pop(record_id, None)
        if worker is None:
            return False
        self._under_way.pop(record_id, None)
        worker.cancel()
        self.changed(record_id)
        return True

    async def _read_one(self, record_id: str) -> None:
        from pendtui.desk.model_runs import BatchOptions, open_batch
        from pendtui.evals.labels import sweep

        def told(progress_id: str, progress: Progress) -> None:
            line = call_progress(progress, self._desk.config.deadline_seconds)
            self._on_screen(partial(self._got_further, progress_id, line))

        options = BatchOptions(only=[record_id], workers=1)
        failure = ""
        try:
            async with open_batch(
                self._desk.config, sweep, options, on_answer=self._answered, on_call=told
            ) as opened:
                ended = await opened.batch.run()
            if ended.done == 0:
                failure = ended.stopped
        except PendtuiError as fault:
            failure = str(fault)
        finally:
            self._on_screen(partial(self._read, record_id, failure))

    def _got_further(self, record_id: str, line: str) -> None:
        if record_id in self._workers:
            self._under_way[record_id] = line
            self.changed(record_id)

    def _read(self, record_id: str, failure: str) -> None:
        """Take in that a record's read has ended."""
        if failure:
            self._failures[record_id] = failure
        self._workers.pop(record_id, None)
        self._under_way.pop(record_id, None)
        self.changed(record_id)

    def _answered(self, answer: ModelAnswer) -> None:
        self._on_screen(partial(self._answers.__setitem__, answer.record.id, answer))

    # Many claims

    @property
    def batch_under_way(self) -> bool:
        """Whether a batch is being read."""
        return self._batch is not None

    def start_batch(self, record_ids: Sequence[str], *, only_unsure: bool) -> None:
        """Begin to read many records in the background; one batch at a time."""
        from pendtui.desk.batch import BatchProgress

        self.batch_failure = ""
        self.batch_progress = BatchProgress(len(record_ids))
        self._begin(self._read_many(list(record_ids), only_unsure))

    def pause_or_go_on(self) -> None:
        """Hold the batch, or let it go on."""
        if (batch := self._batch) is not None:
            self._background.soon(lambda: batch.go_on() if batch.progress.paused else batch.pause())

    def cancel_batch(self) -> None:
        """Drop the batch. What has been answered stays."""
        if self._batch is not None:
            self._background.soon(self._batch.cancel)

    async def _read_many(self, record_ids: Sequence[str], only_unsure: bool) -> None:
        from pendtui.desk.model_runs import BatchOptions, open_batch
        from pendtui.evals.labels import sweep

        options = BatchOptions(only=record_ids, only_unsure=only_unsure)
        failure = ""
        try:
            async with open_batch(
                self._desk.config, sweep, options, on_progress=self._progressed, on_answer=self._answered
            ) as opened:
                self._on_screen(partial(self._opened, opened.batch))
                self._progressed(await opened.batch.run())
        except PendtuiError as fault:
            failure = str(fault)
        finally:
            self._on_screen(partial(self._closed, failure))

    def _opened(self, batch: Batch) -> None:
        self._batch = batch

    def _closed(self, failure: str) -> None:
        self._batch = None
        self.batch_failure = failure
        self.batch_changed()

    def _progressed(self, progress: BatchProgress) -> None:
        self._on_screen(partial(self._follow, progress))

    def _follow(self, progress: BatchProgress) -> None:
        self.batch_progress = progress
        self.batch_changed()
