"""An offline reader's pass over a queue: each record read, rechecked, and put as a run stores it."""

from collections.abc import Iterator, Sequence
from datetime import date
from pathlib import Path
from typing import NamedTuple

from pendtui.config import Config
from pendtui.desk import sources
from pendtui.desk.queue_folder import RecordFile, claim_in, read_record
from pendtui.desk.run_file import Run, RunHeader, RunRecord, now_utc
from pendtui.desk.runs import QueueState, new_header, queue_state, run_record
from pendtui.engines.policy import Blocked, Policy
from pendtui.engines.readers import Reader, offline_reader
from pendtui.engines.recheck import recheck
from pendtui.errors import QueueError

NOT_STORED = "not stored"
"""What a run is called that is only in memory."""


class Tally:
    """What the summary counts."""

    def __init__(self) -> None:
        self.records = 0
        self.errors = 0
        self.blocked = 0
        self.no_cause = 0


class Reading(NamedTuple):
    """One pass of a reader over the records of a queue."""

    folder: Path
    queue: QueueState
    files: Sequence[RecordFile]
    reader: Reader
    policy: Policy
    as_of: str | date
    """`register`, or a day: `today` has been looked up."""
    tally: Tally

    def answers(self) -> Iterator[tuple[RunRecord, str]]:
        """Each record's answers, with why there is no resolution or what is wrong; empty for a sound one."""
        today = date.today()
        for file in self.files:
            loaded = read_record(file.path, file.id)
            if loaded.sha256 != self.queue.hashes[file.id]:
                raise QueueError(
                    "the record changed while it was being read", where=file.id, remedy="Start the run again"
                )
            claim = claim_in(loaded.record, self.queue.rows)
            reading = self.reader.read(claim.record)
            answers = recheck(reading, claim, self.policy, self.as_of, today)
            record = run_record(claim, reading, answers)._replace(record_sha256=loaded.sha256)
            blocked = answers.resolution.reason if isinstance(answers.resolution, Blocked) else ""
            self.tally.records += 1
            self.tally.errors += record.error is not None
            self.tally.blocked += bool(blocked) and record.error is None
            self.tally.no_cause += record.cause_class is None
            yield record, record.error or blocked

    def header(self, run_id: str) -> RunHeader:
        """The header of this pass as a run that starts now."""
        return new_header(
            run_id,
            self.reader.name,
            folder=self.folder,
            queue=self.queue,
            policy=self.policy,
            as_of=self.as_of,
            records=len(self.files),
            only=None if len(self.files) == len(self.queue.files) else [file.id for file in self.files],
        )

    def run(self) -> Run:
        """The whole pass as a run that is only in memory."""
        header = self.header(NOT_STORED)
        return Run(header, tuple(record for record, _ in self.answers()), now_utc())


def start(config: Config, arm: str, only: Sequence[str] | None = None, limit: int | None = None) -> Reading:
    """A pass of an offline reader over the queue in force, ready to go; `only` and `limit` narrow it.

    Raises QueueError for a queue without records and for an id of `only` that is not in it.
    """
    folder = sources.queue_folder(config)
    policy = sources.read_policy(config)
    as_of = sources.as_of(config, policy)
    if as_of == "today":
        as_of = date.today()
    queue = queue_state(folder)
    files = _asked_for(queue.files, only, limit, folder)
    return Reading(folder, queue, files, offline_reader(arm), policy, as_of, Tally())


def _asked_for(
    files: Sequence[RecordFile], only: Sequence[str] | None, limit: int | None, folder: Path
) -> Sequence[RecordFile]:
    if not files:
        raise QueueError("holds no *.txt records", where=str(folder))
    if only:
        unknown = sorted(set(only) - {file.id for file in files})
        if unknown:
            raise QueueError(f"there is no record {', '.join(unknown)}", where=str(folder))
        wanted = set(only)
        files = [file for file in files if file.id in wanted]
    return files if limit is None else files[:limit]
