"""Many records put to a model by a few workers: followed, paused, cancelled, and stopped before a limit is passed.

A batch belongs to the event loop it runs in, where its callbacks are called. Whatever reads, writes or computes
is done in threads of its own, so that a screen in the same loop stays alive. One record is a batch of one.
"""

from collections import deque
from collections.abc import Awaitable, Callable, Mapping, Sequence
from functools import partial
from threading import Lock
from time import monotonic
from typing import NamedTuple, Protocol, TypeVar

from pendtui.desk.model_reads import Ask, ModelAnswer, ModelReads
from pendtui.desk.queue_folder import RecordFile
from pendtui.desk.reply_store import ReplyStore
from pendtui.desk.run_file import RunWriter

TYPE_CHECKING = False
if TYPE_CHECKING:
    import asyncio
    from concurrent.futures import ThreadPoolExecutor

CANCELLED = "cancelled"
"""What `BatchProgress.stopped` says of a batch that was cancelled."""

MAX_FAILURES_IN_A_ROW = 5
"""After so many calls that failed, with none answered in between, the batch stops and says why."""

_THREADS = 8

_T = TypeVar("_T")


class Outcome(NamedTuple):
    """What one call came to."""

    noted: Mapping[str, object]
    """What the run keeps of it; with the reply's text under `text` where there was a reply."""
    cost: float | None
    """In the tariff's currency; None where it is not known."""
    error: str = ""
    """Why there is no reply, in one line; empty where there is one."""
    stop: str = ""
    """Why asking on would be in vain, as for a refused key; empty otherwise."""
    billed: bool = True
    """Whether it can have cost anything: a connection that was refused has not."""


class Caller(Protocol):
    """Makes one call and never raises for a call that fails."""

    async def __call__(self, ask: Ask) -> Outcome: ...


class Limits(NamedTuple):
    """What a batch must not pass. None sets no limit."""

    calls_a_day: int | None = None
    """Calls begun on one day (UTC), by all programs that share the stored replies."""
    spending: float | None = None
    """What this batch may spend, in the tariff's currency."""


NO_LIMITS = Limits()


class BatchProgress(NamedTuple):
    """How far a batch has come. Counts are of records."""

    total: int
    done: int = 0
    """Finished, whatever came of it; the next four are parts of it."""
    held: int = 0
    """Answered by a reply that was held already."""
    failed: int = 0
    """Asked about in vain."""
    not_sent: int = 0
    """Not put to the model, because of what the record is or holds."""
    by_first: int = 0
    """Answered by the offline reader, which was sure."""
    reading: int = 0
    """Being asked about at present."""
    calls: int = 0
    """Calls made to the end, whatever came of them."""
    spent: float | None = None
    """In the tariff's currency, over the calls whose cost is known; None while there is none."""
    unpriced: int = 0
    """Calls that can have cost something and whose cost is not known."""
    estimate: float | None = None
    """What the rest would cost at the mean so far; None while there is none."""
    seconds: float = 0.0
    """Since the start, without the pauses."""
    seconds_left: float | None = None
    """For the rest at the pace so far; None while there is none."""
    paused: bool = False
    stopped: str = ""
    """Why the batch ended before its last record; empty otherwise."""

    @property
    def left(self) -> int:
        """Records that are neither finished nor being asked about."""
        return self.total - self.done - self.reading


class Batch:
    """One batch. Make it, then await `run`; the other methods may be called from callbacks and key handlers."""

    def __init__(
        self,
        reads: ModelReads,
        call: Caller,
        files: Sequence[RecordFile],
        store: ReplyStore,
        writer: RunWriter,
        *,
        workers: int = 5,
        limits: Limits = NO_LIMITS,
        ceiling: Callable[[Ask], float | None] | None = None,
        fresh: bool = False,
        on_progress: Callable[[BatchProgress], None] | None = None,
        on_answer: Callable[[ModelAnswer], None] | None = None,
    ) -> None:
        """Take the records in their order.

        `ceiling` says what one call can cost at most, which a spending limit sets aside before it is made; where
        it gives None, no call is made under such a limit. With `fresh`, replies that are held are bought again.
        """
        self._reads = reads
        self._call = call
        self._waiting = deque(files)
        self._store = store
        self._writer = writer
        self._workers = max(1, min(workers, len(files)))
        self._limits = limits
        self._ceiling = ceiling
        self._fresh = fresh
        self._on_progress = on_progress
        self._on_answer = on_answer
        self._progress = BatchProgress(len(files))
        self._spent = 0.0
        self._unknown = 0.0
        self._aside = 0.0
        self._in_flight = 0
        self._priced = 0
        self._failures_in_a_row = 0
        self._stopped = ""
        self._started = 0.0
        self._paused_at: float | None = None
        self._writing = Lock()
        self._tasks: list[asyncio.Task[None]] = []
        self._going: asyncio.Event | None = None
        self._room: asyncio.Event | None = None
        self._threads: ThreadPoolExecutor | None = None

    @property
    def progress(self) -> BatchProgress:
        """How far it has come at this moment."""
        now = self._paused_at or monotonic()
        seconds = now - self._started if self._started else 0.0
        done, left = self._progress.done, self._progress.total - self._progress.done
        return self._progress._replace(
            reading=self._in_flight,
            spent=self._spent if self._priced else None,
            estimate=self._spent / self._priced * left if self._priced else None,
            seconds=seconds,
            seconds_left=seconds / done * left if done else None,
            paused=self._paused_at is not None,
            stopped=self._stopped,
        )

    def pause(self) -> None:
        """Begin no more calls. Those under way go on to their end."""
        if self._going is not None and self._paused_at is None and not self._stopped:
            self._going.clear()
            self._paused_at = monotonic()
            self._tell()

    def go_on(self) -> None:
        """End a pause."""
        if self._going is not None and self._paused_at is not None:
            self._started += monotonic() - self._paused_at
            self._paused_at = None
            self._going.set()
            self._tell()

    def cancel(self) -> None:
        """Drop the calls under way and end. What has been answered stays."""
        self._stop(CANCELLED)
        for task in self._tasks:
            task.cancel()

    async def run(self) -> BatchProgress:
        """Read all records and say how it ended.

        The run is marked as finished only when every record has its line. A batch that a limit, a hopeless
        server or a cancellation stopped leaves it unfinished, to be taken up again. Raises RunError when replies
        or the run cannot be written; CancelledError when the task itself is cancelled.
        """
        import asyncio
        from concurrent.futures import ThreadPoolExecutor

        self._started = monotonic()
        self._going = asyncio.Event()
        self._going.set()
        self._room = asyncio.Event()
        self._threads = ThreadPoolExecutor(_THREADS, "batch")
        try:
            self._tasks = [asyncio.create_task(self._work()) for _ in range(self._workers)]
            self._tell()
            try:
                await asyncio.wait(self._tasks, return_when=asyncio.FIRST_EXCEPTION)
            finally:
                for task in self._tasks:
                    task.cancel()
                results = await asyncio.gather(*self._tasks, return_exceptions=True)
            for result in results:
                if isinstance(result, Exception):
                    raise result
            if self._progress.done == self._progress.total:
                self._stopped = ""
                await self._in_thread(self._writer.finish)
        finally:
            self._threads.shutdown(wait=True)
        self._tell()
        return self.progress

    async def _work(self) -> None:
        assert self._going is not None
        while True:
            await self._going.wait()
            if self._stopped or not self._waiting:
                return
            file = self._waiting.popleft()
            answer = await self._read(file)
            if answer is None:
                return
            self._count(answer)

    def _written(self, answer: ModelAnswer) -> ModelAnswer:
        with self._writing:
            self._writer.add(answer.record)
        return answer

    def _prepared(self, file: RecordFile) -> Ask | ModelAnswer:
        """What is to be asked about a record; where nothing is, its answer, with its line written."""
        ask = self._reads.prepare(file, fresh=self._fresh)
        if isinstance(ask, ModelAnswer):
            return self._written(ask)
        if ask.held is not None:
            return self._written(self._reads.answer(ask, ask.held, held=True))
        return ask

    def _kept(self, ask: Ask, outcome: Outcome) -> ModelAnswer:
        """A call's answer, its reply held before anything else and its line written."""
        if outcome.error:
            return self._written(self._reads.failure(ask, outcome.error, outcome.noted))
        self._reads.hold(ask, outcome.noted)
        return self._written(self._reads.answer(ask, outcome.noted, held=False))

    async def _read(self, file: RecordFile) -> ModelAnswer | None:
        """What a record's read came to; None where a limit stands before its call."""
        ask = await self._in_thread(partial(self._prepared, file))
        if isinstance(ask, ModelAnswer):
            return ask
        assert self._going is not None
        await self._going.wait()
        aside = await self._set_money_aside(ask)
        if aside is None or self._stopped:
            return None
        self._in_flight += 1
        # a call that is dropped half-way may have cost something
        cost: float | None = None
        billed = False
        try:
            if not await self._in_thread(lambda: self._store.begin_call(self._limits.calls_a_day)):
                limit = self._limits.calls_a_day
                self._stop(f"the day's budget of {limit} calls is used up; a new day begins at 0:00 UTC")
                return None
            billed = True
            self._tell()
            outcome = await self._call(ask)
            cost, billed = outcome.cost, outcome.billed
            self._progress = self._progress._replace(calls=self._progress.calls + 1)
            self._look_for_a_reason_to_stop(outcome)
            return await self._to_the_end(self._in_thread(partial(self._kept, ask, outcome)))
        finally:
            self._in_flight -= 1
            self._settle(aside, cost, billed)

    def _look_for_a_reason_to_stop(self, outcome: Outcome) -> None:
        self._failures_in_a_row = self._failures_in_a_row + 1 if outcome.error else 0
        if outcome.stop:
            self._stop(outcome.stop)
        elif self._failures_in_a_row >= MAX_FAILURES_IN_A_ROW:
            self._stop(f"{MAX_FAILURES_IN_A_ROW} calls in a row failed, the last one because {outcome.error}")

    async def _set_money_aside(self, ask: Ask) -> float | None:
        """The most that a call can cost, once the spending limit has room for it; None where it will have none."""
        limit = self._limits.spending
        if limit is None:
            return 0.0
        most = self._ceiling(ask) if self._ceiling is not None else None
        if most is None:
            self._stop("what a call can cost is not known, so that no spending limit can be kept")
            return None
        assert self._room is not None
        while self._spent + self._unknown + self._aside + most > limit:
            if not self._aside:
                left = max(0.0, limit - self._spent - self._unknown)
                self._stop(f"the next call could cost {most:.4f}, and {left:.4f} of {limit:.4f} are left to spend")
            if self._stopped:
                return None
            self._room.clear()
            await self._room.wait()
        self._aside += most
        return most

    def _settle(self, aside: float, cost: float | None, billed: bool) -> None:
        """Book a call. One whose cost is not known counts against the limit with the most it can have cost."""
        # sums of money that came and went leave dust behind
        self._aside = self._aside - aside if self._in_flight else 0.0
        if billed and cost is None:
            self._unknown += aside
            self._progress = self._progress._replace(unpriced=self._progress.unpriced + 1)
        elif cost is not None:
            self._spent += cost
            self._priced += 1
        if self._room is not None:
            self._room.set()

    def _count(self, answer: ModelAnswer) -> None:
        progress = self._progress
        asked = answer.failed or answer.reply is not None
        self._progress = progress._replace(
            done=progress.done + 1,
            held=progress.held + (answer.held and not answer.failed),
            failed=progress.failed + answer.failed,
            not_sent=progress.not_sent + (not asked and answer.reading is None),
            by_first=progress.by_first + (not asked and answer.reading is not None),
        )
        if self._on_answer is not None:
            self._on_answer(answer)
        self._tell()

    def _stop(self, why: str) -> None:
        self._stopped = self._stopped or why
        if self._going is not None:
            self._paused_at = None
            self._going.set()
        if self._room is not None:
            self._room.set()

    def _tell(self) -> None:
        if self._on_progress is not None:
            self._on_progress(self.progress)

    async def _in_thread(self, work: Callable[[], _T]) -> _T:
        import asyncio

        return await asyncio.get_running_loop().run_in_executor(self._threads, work)

    async def _to_the_end(self, work: Awaitable[_T]) -> _T:
        """Wait for work that must not be dropped half-way, even when this task is cancelled meanwhile."""
        import asyncio

        task = asyncio.ensure_future(work)
        try:
            return await asyncio.shield(task)
        except asyncio.CancelledError:
            await task
            raise
