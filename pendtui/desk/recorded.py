"""The `recorded` arm: a stored run read again, at no cost and without a reader."""

from hashlib import sha256
from pathlib import Path

from pendtui.config import Config
from pendtui.desk import sources
from pendtui.desk.run_file import Run, RunRecord, read_run
from pendtui.desk.runs import find_run, queue_state
from pendtui.engines.readers import RawAnswers, Reader, Reading, offline_reader
from pendtui.engines.record import Record
from pendtui.engines.vocabulary import CauseClass

ARM = "recorded"

_WORDS = ("cause_class", "citation", "resolution", "clock", "release", "why")


class RecordedReader:
    """Gives what a stored run read in a record, for as long as the record's bytes are those it was read from.

    Where there is nothing to give, the reading has no cause, and says why in `unsure`: the record is not in the
    run, has other bytes, or counts as not answered there.
    """

    def __init__(self, run: Run, *, queue_sha256: str | None = None) -> None:
        """Replay `run`.

        `queue_sha256` is the hash of the queue as it stands. A run stored without the hash of each record is
        replayed only where this one is the run's.
        """
        self.name = ARM
        self.run = run
        self._records = {record.id: record for record in run.records}
        self._same_queue = queue_sha256 == run.header.queue_sha256

    @classmethod
    def of(cls, path: Path, *, queue_sha256: str | None = None) -> "RecordedReader":
        """The reader of a run file. Raises RunError."""
        return cls(read_run(path), queue_sha256=queue_sha256)

    @property
    def identity(self) -> str:
        """What tells this replay from any other, for whoever keeps readings."""
        header = self.run.header
        return f"{ARM} {header.run_id} {header.started_at} {len(self._records)}"

    def refusal(self, record: Record) -> str:
        """Why the run has nothing to give for a record, in words; empty where it has."""
        run_id = self.run.header.run_id
        stored = self._records.get(record.id)
        if stored is None:
            return f"run {run_id} holds no reading of {record.id}"
        then = _hash_of(stored)
        if then is None and not self._same_queue:
            return f"run {run_id} was made on another queue and does not say from which bytes it read {record.id}"
        # the hash is of the file's bytes: text that was not UTF-8 cannot be had back and never matches
        if then is not None and then != sha256(record.text.encode("utf-8", "surrogatepass")).hexdigest():
            return f"run {run_id} read other bytes of {record.id} than it has now"
        if stored.cause_class is None:
            return f"run {run_id} read no cause in {record.id}: {stored.error or 'nothing in it showed one'}"
        if stored.cause_class not in set(CauseClass):
            return f"run {run_id} gives {record.id} the cause '{stored.cause_class}', which is no cause class"
        return ""

    def read(self, record: Record) -> Reading:
        """What the run read; a reading without a cause, and why, where it has none to give."""
        refused = self.refusal(record)
        if refused:
            return Reading(ARM, None, unsure=refused)
        stored = self._records[record.id]
        return Reading(
            ARM,
            CauseClass(stored.cause_class or ""),
            quote=stored.citation,
            span=stored.span,
            confidence=stored.confidence,
            raw=_raw(stored),
        )


def reader_in(config: Config) -> Reader:
    """The reader that the settings name: a stored run replayed, or an offline one. Raises RunError, QueueError."""
    if not config.recorded:
        return offline_reader(config.reader)
    queue = queue_state(sources.queue_folder(config))
    return RecordedReader.of(find_run(config.runs_folder(), config.recorded), queue_sha256=queue.sha256)


def _hash_of(stored: RunRecord) -> str | None:
    if stored.record_sha256 is not None:
        return stored.record_sha256
    noted = (stored.call or {}).get("record_sha256")
    return noted if isinstance(noted, str) else None


def _raw(stored: RunRecord) -> RawAnswers | None:
    if stored.raw is None:
        return None
    words = {name: value for name in _WORDS if isinstance(value := stored.raw.get(name), str)}
    sure = stored.raw.get("confidence")
    confidence = float(sure) if isinstance(sure, int | float) and not isinstance(sure, bool) else None
    return RawAnswers(**words, confidence=confidence)
