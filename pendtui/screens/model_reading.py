"""The model's reads that are under way or have been answered since the program started."""

from collections.abc import Callable, Coroutine, Sequence
from functools import partial

from textual.worker import Worker

from pendtui.desk.batch import Batch, BatchProgress
from pendtui.desk.claim_view import ClaimView
from pendtui.desk.desk import Desk
from pendtui.desk.model.calls import Progress
from pendtui.desk.model_reads import ModelAnswer
from pendtui.errors import PendtuiError
from pendtui.screens.wording import call_progress

InBackground = Callable[[Callable[[], Coroutine[None, None, None]]], Worker[None]]


class ModelReading:
    """Starts reads, follows them and keeps their answers. It outlives the screens; they listen to it.

    `changed` is called with a record's id when its read got further or ended, `batch_changed` when the batch did.
    """

    def __init__(self, desk: Desk, in_background: InBackground) -> None:
        self._desk = desk
        self._in_background = in_background
        self._answers: dict[str, ModelAnswer] = {}
        self._under_way: dict[str, str] = {}
        self._workers: dict[str, Worker[None]] = {}
        self._failures: dict[str, str] = {}
        self._batch: Batch | None = None
        self.batch_progress: BatchProgress | None = None
        self.batch_failure = ""
        self.changed: Callable[[str], None] = lambda record_id: None
        self.batch_changed: Callable[[], None] = lambda: None

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
        self._workers[record_id] = self._in_background(partial(self._read_one, record_id))
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
            self._under_way[progress_id] = call_progress(progress, self._desk.config.deadline_seconds)
            self.changed(progress_id)

        options = BatchOptions(only=[record_id], workers=1)
        try:
            async with open_batch(
                self._desk.config, sweep, options, on_answer=partial(self._keep), on_call=told
            ) as opened:
                ended = await opened.batch.run()
            if ended.done == 0:
                self._failures[record_id] = ended.stopped
        except PendtuiError as fault:
            self._failures[record_id] = str(fault)
        finally:
            self._workers.pop(record_id, None)
            self._under_way.pop(record_id, None)
            self.changed(record_id)

    def _keep(self, answer: ModelAnswer) -> None:
        self._answers[answer.record.id] = answer

    # Many claims

    @property
    def batch_under_way(self) -> bool:
        """Whether a batch is being read."""
        return self._batch is not None

    def start_batch(self, record_ids: Sequence[str], *, only_unsure: bool) -> None:
        """Begin to read many records in the background; one batch at a time."""
        self.batch_failure = ""
        self.batch_progress = BatchProgress(len(record_ids))
        self._in_background(partial(self._read_many, list(record_ids), only_unsure))

    def pause_or_go_on(self) -> None:
        """Hold the batch, or let it go on."""
        if self._batch is not None:
            (self._batch.go_on if self._batch.progress.paused else self._batch.pause)()

    def cancel_batch(self) -> None:
        """Drop the batch. What has been answered stays."""
        if self._batch is not None:
            self._batch.cancel()

    async def _read_many(self, record_ids: Sequence[str], only_unsure: bool) -> None:
        from pendtui.desk.model_runs import BatchOptions, open_batch
        from pendtui.evals.labels import sweep

        options = BatchOptions(only=record_ids, only_unsure=only_unsure)
        try:
            async with open_batch(
                self._desk.config, sweep, options, on_progress=self._follow, on_answer=self._keep
            ) as opened:
                self._batch = opened.batch
                self._follow(await opened.batch.run())
        except PendtuiError as fault:
            self.batch_failure = str(fault)
        finally:
            self._batch = None
            self.batch_changed()

    def _follow(self, progress: BatchProgress) -> None:
        self.batch_progress = progress
        self.batch_changed()
