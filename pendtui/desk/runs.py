"""The archive of runs: what a reader answered over a queue, when, under which rules, and where it is kept."""

import hashlib
from collections.abc import Mapping, Sequence
from datetime import UTC, date, datetime
from pathlib import Path
from typing import NamedTuple

from pendtui import __version__
from pendtui.desk.queue_folder import MAX_BYTES, RecordFile, Rows, queue_hash, read_rows, record_files
from pendtui.desk.run_file import SAFE_ID, SUFFIX, RunHeader, RunRecord, now_utc, run_path
from pendtui.engines.facts import Claim
from pendtui.engines.policy import Policy, Resolved
from pendtui.engines.readers import Reading
from pendtui.engines.recheck import Answers
from pendtui.errors import RunError


class QueueState(NamedTuple):
    """A queue folder as it stands: its files, its rows, the hash of each record and the one over all."""

    files: tuple[RecordFile, ...]
    rows: Rows
    hashes: Mapping[str, str]
    sha256: str


def queue_state(folder: Path) -> QueueState:
    """Hash a queue folder. Raises QueueError when the folder or its claims.json cannot be read."""
    rows = read_rows(folder)
    files = tuple(record_files(folder))
    hashes = {file.id: _file_hash(file.path) for file in files}
    return QueueState(files, rows, hashes, queue_hash(hashes, rows.sha256))


def _file_hash(path: str) -> str:
    # as queue_folder.read_record hashes it, without taking the record apart
    try:
        with open(path, "rb", buffering=0) as file:
            data = file.read(MAX_BYTES + 1)
    except OSError:
        return ""
    return hashlib.sha256(data).hexdigest()


def run_record(claim: Claim, reading: Reading, answers: Answers) -> RunRecord:
    """What a run stores of one claim.

    A faulty record carries its faults as `error`, the cause that was read and its most urgent clock, and no
    resolution: its facts are in doubt, and it can only be parked. A record whose register is unknown has no
    resolution either and is no error.
    """
    resolved = answers.resolution if isinstance(answers.resolution, Resolved) and not claim.faults else None
    clock = answers.clock
    raw = reading.raw
    return RunRecord(
        id=claim.record.id,
        arm=reading.arm,
        cause_class=answers.cause,
        citation=answers.quote,
        span=answers.span,
        resolution=resolved.resolution if resolved else None,
        rule=resolved.rule.id if resolved else None,
        clock=clock.state if clock else None,
        clock_rule=clock.rule.id if clock else None,
        deadline_days=clock.deadline_days if clock else None,
        elapsed_days=clock.elapsed_days if clock else None,
        days_left=clock.days_left if clock else None,
        release=answers.release,
        confidence=reading.confidence,
        overrides=answers.overrides,
        error="; ".join(claim.faults) or None,
        raw=None if raw is None else raw._asdict(),
    )


def new_header(
    run_id: str,
    arm: str,
    *,
    folder: Path,
    queue: QueueState,
    policy: Policy,
    as_of: str | date,
    records: int,
    only: Sequence[str] | None = None,
    model: str | None = None,
    prompt_sha256: str | None = None,
    settings: Mapping[str, object] | None = None,
) -> RunHeader:
    """The header of a run that starts now."""
    return RunHeader(
        run_id=run_id,
        arm=arm,
        model=model,
        started_at=now_utc(),
        program=f"pendtui {__version__}",
        queue=str(folder.resolve()),
        queue_sha256=queue.sha256,
        policy_id=policy.policy_id,
        policy_sha256=policy.sha256,
        prompt_sha256=prompt_sha256,
        as_of=str(as_of),
        records=records,
        only=None if only is None else tuple(only),
        settings=settings,
    )


def new_run_id(folder: Path, arm: str) -> str:
    """An id that is not taken: the reader's name and the time in UTC, as in floor-20261201T131500Z."""
    stem = f"{arm}-{datetime.now(UTC):%Y%m%dT%H%M%SZ}"
    run_id, again = stem, 1
    while run_path(folder, run_id).exists():
        again += 1
        run_id = f"{stem}-{again}"
    return run_id


def find_run(folder: Path, named: str) -> Path:
    """The file of a run, from its id or from a path. Raises RunError when there is none."""
    if SAFE_ID.fullmatch(named) and (stored := run_path(folder, named)).is_file():
        return stored
    if Path(named).is_file():
        return Path(named)
    raise RunError(f"there is no run '{named}' in {folder}", remedy="`pendtui runs` lists those there are")


def run_files(folder: Path) -> list[Path]:
    """The run files of a folder; none where there is no such folder. Raises RunError."""
    try:
        return sorted(entry for entry in folder.iterdir() if entry.name.endswith(SUFFIX))
    except FileNotFoundError:
        return []
    except OSError as fault:
        raise RunError(f"cannot be listed: {fault.strerror}", where=str(folder)) from None
