"""A batch put together from the settings, with all that it holds open: server, replies and run."""

from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from datetime import date
from functools import partial
from pathlib import Path
from typing import NamedTuple

from pendtui.config import Config
from pendtui.desk import sources
from pendtui.desk.batch import Batch, BatchProgress, Limits, Outcome
from pendtui.desk.model.calls import Progress
from pendtui.desk.model.client import ModelClient
from pendtui.desk.model.failures import CallFailedError, FailureKind
from pendtui.desk.model.settings import ModelSettings, model_secret, model_settings
from pendtui.desk.model_reads import ARM, Ask, ModelAnswer, ModelReads, Sweep
from pendtui.desk.queue_folder import RecordFile
from pendtui.desk.reply_store import ReplyStore
from pendtui.desk.run_file import RunHeader, RunWriter, run_path
from pendtui.desk.runs import QueueState, new_header, new_run_id, queue_state
from pendtui.engines.readers import offline_reader
from pendtui.errors import ConfigError, QueueError, RunError

_FREE = frozenset(
    {
        *(FailureKind.REFUSED, FailureKind.DNS, FailureKind.TLS, FailureKind.CONNECT_TIMEOUT),
        *(FailureKind.UNAUTHORIZED, FailureKind.FORBIDDEN, FailureKind.NO_MODEL, FailureKind.NO_ENDPOINT),
        *(FailureKind.BAD_REQUEST, FailureKind.QUOTA, FailureKind.RATE, FailureKind.REDIRECT),
    }
)
"""The failures that no server charges for, because no token was read or written."""


class BatchOptions(NamedTuple):
    """What one batch is asked to do beyond the settings."""

    only: Sequence[str] | None = None
    """The records to read; None for all of the queue."""
    limit: int | None = None
    """Of these, only so many, the first ones."""
    run_id: str | None = None
    """The name of the run; an unfinished run of that name is taken up. None gives it a new one."""
    workers: int | None = None
    spending: float | None = None
    """What it may cost; None leaves it to the settings."""
    only_unsure: bool = False
    """Ask only about the records of which the floor reader is not sure, and take its answers for the others."""
    fresh: bool = False
    """Buy replies again that are held."""


class OpenBatch(NamedTuple):
    """A batch that is ready to be run."""

    batch: Batch
    run_id: str
    path: Path
    """The run's file."""
    files: Sequence[RecordFile]
    currency: str
    """Of all amounts; empty where no tariff says what calls cost."""
    server: str
    """Whom it asks, in words."""
    header: RunHeader
    """The run's first line."""


@asynccontextmanager
async def open_batch(
    config: Config,
    sweep: Sweep,
    options: BatchOptions = BatchOptions(),  # noqa: B008 a value that cannot change
    *,
    on_progress: Callable[[BatchProgress], None] | None = None,
    on_answer: Callable[[ModelAnswer], None] | None = None,
    on_call: Callable[[str, Progress], None] | None = None,
) -> AsyncIterator[OpenBatch]:
    """Open all that a batch needs, and close it again.

    The callbacks are called in the event loop: `on_progress` with the batch's state whenever it changes,
    `on_answer` with each finished record, `on_call` with a record's id and how far its call has got. Raises
    ConfigError where no model is set up or its key is missing, QueueError for an empty queue or an unknown
    record, PolicyError, and RunError where run or replies cannot be written.
    """
    import asyncio

    settings = model_settings(config)
    secret = model_secret(config, settings)
    spending = config.spending_limit if options.spending is None else options.spending
    if spending is not None:
        _check_that_costs_are_known(settings)
    folder = sources.queue_folder(config)
    policy = sources.read_policy(config)
    today = date.today()
    as_of = sources.as_of(config, policy)
    as_of = today if as_of == "today" else as_of
    # the HTTP library is loaded meanwhile, so that the first call does not wait for it
    queue, _ = await asyncio.gather(asyncio.to_thread(queue_state, folder), asyncio.to_thread(_load_client))
    files = _chosen(queue, options, folder)
    runs = config.runs_folder()
    store = await asyncio.to_thread(ReplyStore.open, runs)
    try:
        reads = ModelReads(
            queue=queue,
            policy=policy,
            as_of=as_of,
            today=today,
            model=settings.model,
            base_url=settings.base_url,
            store=store,
            sweep=sweep,
            first=offline_reader("floor") if options.only_unsure else None,
        )
        header = new_header(
            new_run_id(runs, ARM) if options.run_id is None else options.run_id,
            ARM,
            folder=folder,
            queue=queue,
            policy=policy,
            as_of=as_of,
            records=len(files),
            only=None if len(files) == len(queue.files) else [file.id for file in files],
            model=settings.model,
            prompt_sha256=reads.prompt_sha256,
            settings=settings.compared() | {"only_unsure": options.only_unsure},
        )
        client = ModelClient(settings, secret, config.server_memory_path())
        with _run_writer(runs, header, options.run_id) as writer:
            batch = Batch(
                reads,
                partial(_call, client, reads.schema, on_call),
                files,
                store,
                writer,
                workers=config.workers if options.workers is None else options.workers,
                limits=Limits(config.max_calls_per_day, spending),
                ceiling=lambda ask: client.ceiling(ask.messages),
                fresh=options.fresh,
                on_progress=on_progress,
                on_answer=on_answer,
            )
            currency = settings.tariff.currency if settings.tariff else ""
            server = f"{settings.title}, {settings.model} at {settings.host}"
            try:
                yield OpenBatch(batch, writer.path.stem, writer.path, files, currency, server, header)
            finally:
                await client.aclose()
    finally:
        store.close()


def _run_writer(runs: Path, header: RunHeader, named: str | None) -> RunWriter:
    """The run's file, under another new id where another program took this one in the same second."""
    while True:
        try:
            return RunWriter(runs, header, take_up=named is not None)
        except RunError:
            if named is not None or not run_path(runs, header.run_id).exists():
                raise
            header = header._replace(run_id=new_run_id(runs, ARM))


def _load_client() -> None:
    """Load what the first call would otherwise have to."""
    from importlib import import_module

    for name in ("pendtui.desk.model.wire", "httpx", "h11", "anyio", "tenacity"):
        import_module(name)


async def _call(
    client: ModelClient,
    schema: Mapping[str, object],
    on_call: Callable[[str, Progress], None] | None,
    ask: Ask,
) -> Outcome:
    told = partial(on_call, ask.claim.record.id) if on_call is not None else None
    try:
        call = await client.call(ask.messages, schema, on_progress=told)
    except CallFailedError as fault:
        free = all(attempt.failure in _FREE for attempt in fault.attempts) and fault.kind in _FREE
        return Outcome(
            fault.noted(), None, str(fault), stop=str(fault) if fault.kind.hopeless else "", billed=not free
        )
    return Outcome(call.noted(), call.cost.amount if call.cost else None)


def _check_that_costs_are_known(settings: ModelSettings) -> None:
    if settings.tariff is None:
        raise ConfigError(
            "a spending limit needs to know what calls cost", remedy="Name a file with prices as tariff in [model]"
        )
    if settings.max_answer_tokens is None:
        raise ConfigError(
            "a spending limit needs to know how long an answer can get", remedy="Set max_answer_tokens in [model]"
        )


def _chosen(queue: QueueState, options: BatchOptions, folder: Path) -> Sequence[RecordFile]:
    """The files of the records to read, in the queue's order."""
    files = queue.files
    if not files:
        raise QueueError("holds no *.txt records", where=str(folder))
    if options.only is not None:
        wanted = set(options.only)
        unknown = sorted(wanted - {file.id for file in files})
        if unknown:
            raise QueueError(f"there is no record {', '.join(unknown)}", where=str(folder))
        files = tuple(file for file in files if file.id in wanted)
    return files[: options.limit]
