"""Batches for tests: a queue of 60 sound records, a plain caller over a real socket, and the batch around them."""

from collections.abc import Callable, Mapping
from datetime import date
from pathlib import Path
from typing import Any

import httpx

from pendtui.desk.batch import NO_LIMITS, Batch, BatchProgress, Limits, Outcome
from pendtui.desk.model_reads import Ask, ModelAnswer, ModelReads
from pendtui.desk.reply_store import ReplyStore
from pendtui.desk.run_file import Run, RunWriter, read_run
from pendtui.desk.runs import new_header, new_run_id, queue_state
from pendtui.engines.readers import Reader
from pendtui.evals.labels import sweep
from tests.policies import policy
from tests.queues import days_left, write_queue

MODEL = "small-1"
PRICE = 0.01
"""What each call of these tests costs."""


def sixty(folder: Path, count: int = 60) -> Path:
    """A queue of so many sound records."""
    return write_queue(folder, {f"PC-{n:04d}": days_left(20) for n in range(1, count + 1)})


class PlainCaller:
    """Asks a server once for each record, without a stream, retries or anything else."""

    def __init__(self, base_url: str, price: float | None = PRICE) -> None:
        self.base_url = base_url
        self.price = price
        self.client = httpx.AsyncClient(timeout=30, limits=httpx.Limits(max_connections=100))

    async def __call__(self, ask: Ask) -> Outcome:
        body = {"model": MODEL, "messages": list(ask.messages)}
        answer = await self.client.post(f"{self.base_url}/chat/completions", json=body)
        if answer.status_code != 200:
            error = f"the server answered {answer.status_code}"
            refused = answer.status_code == 401
            return Outcome({"failure": "server"}, None, error, error if refused else "", billed=not refused)
        found: dict[str, Any] = answer.json()
        noted = {"text": found["choices"][0]["message"]["content"], "usage": found.get("usage")}
        return Outcome(noted, self.price)


class Bench:
    """A queue, a folder of runs and a server, and the batches that are run on them."""

    def __init__(self, queue: Path, runs: Path, base_url: str) -> None:
        self.queue = queue
        self.runs = runs
        self.base_url = base_url
        self.seen: list[BatchProgress] = []
        self.answers: list[ModelAnswer] = []

    async def read(
        self,
        *,
        workers: int = 5,
        limits: Limits = NO_LIMITS,
        price: float | None = PRICE,
        ceiling: float | None = PRICE,
        fresh: bool = False,
        first: Reader | None = None,
        run_id: str | None = None,
        started: Callable[[Batch], None] = lambda batch: None,
        on_progress: Callable[[Batch, BatchProgress], None] = lambda batch, progress: None,
    ) -> tuple[BatchProgress, Run]:
        """Run a batch over the whole queue; how it ended, and the run as stored."""
        state = queue_state(self.queue)
        store = ReplyStore.open(self.runs)
        rules = policy()
        reads = ModelReads(
            queue=state,
            policy=rules,
            as_of="register",
            today=date(2026, 9, 1),
            model=MODEL,
            base_url=self.base_url,
            store=store,
            sweep=sweep,
            first=first,
        )
        header = new_header(
            run_id or new_run_id(self.runs, "model"),
            "model",
            folder=self.queue,
            queue=state,
            policy=rules,
            as_of="register",
            records=len(state.files),
            model=MODEL,
            prompt_sha256=reads.prompt_sha256,
        )
        caller = PlainCaller(self.base_url, price)
        self.seen.clear()
        self.answers.clear()

        def told(progress: BatchProgress) -> None:
            self.seen.append(progress)
            on_progress(batch, progress)

        with RunWriter(self.runs, header, take_up=run_id is not None) as writer:
            batch = Batch(
                reads,
                caller,
                state.files,
                store,
                writer,
                workers=workers,
                limits=limits,
                ceiling=lambda ask: ceiling,
                fresh=fresh,
                on_progress=told,
                on_answer=self.answers.append,
            )
            started(batch)
            try:
                progress = await batch.run()
            finally:
                await caller.client.aclose()
                store.close()
        return progress, read_run(writer.path)


def calls_of(run: Run) -> dict[str, Mapping[str, object]]:
    """What a run notes of its calls, by record."""
    return {record.id: record.call for record in run.records if record.call is not None}
