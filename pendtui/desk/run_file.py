"""The run file: a JSON line a record, written as it goes and readable after a crash.

The first line says what was read with what, then each record has a line, and the last says that the run was
finished. Every record is handed to the system before the next one is read, so a run that was cut short holds
all that it got to.
"""

import json
import os
import re
from collections.abc import Iterator, Mapping
from datetime import UTC, date, datetime
from pathlib import Path
from types import TracebackType
from typing import NamedTuple, Self

from pendtui.engines.policy import AS_OF_REGISTER
from pendtui.engines.recheck import Override
from pendtui.engines.record import Span
from pendtui.errors import RunError

FORMAT = 1
"""The version of the run file that is written. A file of a later version is refused."""
SUFFIX = ".jsonl"

FIELDS = (
    "id",
    "arm",
    "cause_class",
    "citation",
    "span",
    "resolution",
    "rule",
    "clock",
    "clock_rule",
    "deadline_days",
    "elapsed_days",
    "days_left",
    "release",
    "confidence",
    "overrides",
    "error",
)
"""What a run says of each record, in this order; the file adds the reply's own answers (`raw`) and its `call`."""

SAFE_ID = re.compile(r"[A-Za-z0-9](?:[A-Za-z0-9._-]{0,98}[A-Za-z0-9_-])?")
"""What a run may be called: it is the name of a file."""


class RunHeader(NamedTuple):
    """What was read, with what, under which rules."""

    run_id: str
    arm: str
    model: str | None
    started_at: str
    """ISO 8601, UTC."""
    program: str
    queue: str
    """The queue's folder, as an absolute path."""
    queue_sha256: str
    policy_id: str
    policy_sha256: str
    prompt_sha256: str | None
    as_of: str
    """`register`, or the day on which all clocks were read."""
    records: int
    """How many records were to be read."""
    only: tuple[str, ...] | None = None
    """The ids of those records, where they were not the whole queue."""
    settings: Mapping[str, object] | None = None
    """How a model was called: what has to be equal for two runs to be compared. None for other readers."""


class RunRecord(NamedTuple):
    """One reader's answers to one claim, after the recheck. Vocabulary words are kept as they were written."""

    id: str
    arm: str
    cause_class: str | None = None
    citation: str | None = None
    """The quote as the reader gave it, found or not."""
    span: Span | None = None
    """Where it stands in the record's original text; None when it is not there."""
    resolution: str | None = None
    """None where the policy cannot decide yet, and for a faulty record."""
    rule: str | None = None
    clock: str | None = None
    clock_rule: str | None = None
    deadline_days: int | None = None
    elapsed_days: int | None = None
    days_left: int | None = None
    release: str | None = None
    confidence: float | None = None
    overrides: tuple[Override, ...] = ()
    error: str | None = None
    """Why the record counts as not answered: a fault of the record or of the call."""
    raw: Mapping[str, object] | None = None
    """What the reply said, as engines.readers.RawAnswers; None for a reader that has no such reply."""
    call: Mapping[str, object] | None = None
    """How the reply was come by: its text, hash and departures, usage, times, tariff, cost, retries, failure."""
    record_sha256: str | None = None
    """Of the record's bytes; None in runs stored without it. A model's run has it in `call` as well."""

    def values(self) -> tuple[object, ...]:
        """The values of FIELDS as JSON takes them."""
        overrides = [
            {"field": o.field, "raw": o.raw, "recomputed": o.recomputed, "rule": o.rule} for o in self.overrides
        ]
        span = list(self.span) if self.span else None
        return (
            *(
                self.id,
                self.arm,
                self.cause_class,
                self.citation,
                span,
                self.resolution,
                self.rule,
                self.clock,
            ),
            *(self.clock_rule, self.deadline_days, self.elapsed_days, self.days_left, self.release),
            *(self.confidence, overrides, self.error),
        )


class Run(NamedTuple):
    """A stored run, or one that is only in memory."""

    header: RunHeader
    records: tuple[RunRecord, ...]
    finished_at: str | None
    """ISO 8601, UTC; None for a run that was cut short."""


class RunSummary(NamedTuple):
    """One line of the list of runs. `records` are those that the file holds."""

    header: RunHeader
    records: int
    finished_at: str | None


def run_path(folder: Path, run_id: str) -> Path:
    """The file of a run in the folder of runs."""
    return folder / f"{run_id}{SUFFIX}"


def _hold(handle: int) -> bool:
    """Keep other programs from taking the run up while it is written; False where one is writing it."""
    import fcntl

    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    except OSError:
        # a file system without locks
        return True
    return True


class RunWriter:
    """A run being written. Use it in a `with` block; leaving it by an exception leaves the run unfinished."""

    def __init__(self, folder: Path, header: RunHeader, *, take_up: bool = False) -> None:
        """Create the run's file and write its header.

        With `take_up`, a run of that id that was cut short and that nobody is writing on is begun anew, if it
        asked the same of the same. The folder is made for its owner only where it is missing. Raises RunError
        when the id is no safe file name, is taken, or the file cannot be made.
        """
        if not SAFE_ID.fullmatch(header.run_id) or header.run_id.endswith(SUFFIX):
            raise RunError(
                f"'{header.run_id}' cannot name a run",
                remedy="Use up to 100 letters, digits, '.', '_' and '-', beginning with a letter or digit",
            )
        self.path = run_path(folder, header.run_id)
        self.written = 0
        try:
            folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            handle = os.open(self.path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
            _hold(handle)
        except FileExistsError:
            if not self.path.exists():
                raise RunError("is not a folder", where=str(folder)) from None
            if not take_up:
                raise self._taken(header.run_id) from None
            handle, header = self._taken_up(header)
        except OSError as fault:
            raise RunError(f"the run cannot be stored: {fault.strerror}", where=str(self.path)) from None
        # a file name that is not UTF-8 reaches here with lone surrogates, and \udcff is what JSON calls them
        self._file = os.fdopen(handle, "w", encoding="utf-8", errors="backslashreplace", buffering=1, newline="\n")
        self._line({"type": "run", "format": FORMAT, **header_object(header)})

    def add(self, record: RunRecord) -> None:
        """Write one record's answers."""
        self._line({"type": "record", **record_object(record)})
        self.written += 1

    def finish(self) -> None:
        """Say that the run is complete."""
        self._line({"type": "end", "finished_at": now_utc(), "records": self.written})

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, fault: BaseException | None, trace: TracebackType | None
    ) -> None:
        try:
            self._file.close()
        except OSError as unwritten:
            if kind is None:
                raise self._unwritten(unwritten) from None

    def _taken(self, run_id: str) -> RunError:
        return RunError(
            f"there is already a run called {run_id}",
            where=str(self.path.parent),
            remedy="Name another --run-id",
        )

    def _taken_up(self, header: RunHeader) -> tuple[int, RunHeader]:
        """The emptied file of an unfinished run, and the header that says when it was first begun."""
        try:
            handle = os.open(self.path, os.O_RDWR)
        except OSError as fault:
            raise RunError(f"the run cannot be taken up: {fault.strerror}", where=str(self.path)) from None
        try:
            if not _hold(handle):
                raise RunError("is being written by another program", where=str(self.path))
            summary = run_summary(self.path)
            if summary.finished_at is not None:
                raise self._taken(header.run_id)
            begun = summary.header.started_at
            same = header._replace(started_at=begun)
            if summary.header._replace(program=header.program, settings=header.settings) != same:
                raise RunError(
                    f"the unfinished run {header.run_id} asked something else or of other records",
                    where=str(self.path.parent),
                    remedy="Name another --run-id",
                )
            os.ftruncate(handle, 0)
        except BaseException:
            os.close(handle)
            raise
        return handle, header._replace(started_at=begun)

    def _line(self, obj: Mapping[str, object]) -> None:
        try:
            self._file.write(_encode(obj) + "\n")
        except OSError as fault:
            raise self._unwritten(fault) from None

    def _unwritten(self, fault: OSError) -> RunError:
        return RunError(
            f"the run could not be written on: {fault.strerror}",
            where=str(self.path),
            remedy=f"The {self.written} records before are in the file",
        )


_encode = json.JSONEncoder(ensure_ascii=False).encode


def header_object(header: RunHeader) -> dict[str, object]:
    """A run's header as JSON takes it; settings only where there are any."""
    fields = header._asdict()
    if header.settings is None:
        del fields["settings"]
    return fields


def record_object(record: RunRecord) -> dict[str, object]:
    """A record's answers as JSON takes them; call and hash only where there are any."""
    line = {**dict(zip(FIELDS, record.values(), strict=True)), "raw": record.raw}
    if record.call is not None:
        line["call"] = record.call
    if record.record_sha256 is not None:
        line["record_sha256"] = record.record_sha256
    return line


def read_run(path: Path) -> Run:
    """A stored run, finished or not. A last line that was cut short is left out.

    Raises RunError that names the line when the file is no run, or of a later format, or damaged within.
    """
    lines = _lines(path)
    header = _header(path, next(lines, None))
    records: dict[str, RunRecord] = {}
    finished_at = None
    for number, obj in lines:
        where = f"{path}, line {number}"
        if finished_at is not None:
            raise RunError("goes on after its end", where=where)
        kind = obj.get("type")
        if kind == "record":
            record = _record(obj, where)
            if record.id in records:
                raise RunError(f"answers {record.id} a second time", where=where)
            records[record.id] = record
        elif kind == "end":
            finished_at = _text(obj, "finished_at", where)
        else:
            raise RunError("is neither a record nor the end of a run", where=where)
    return Run(header, tuple(records.values()), finished_at)


def run_summary(path: Path) -> RunSummary:
    """A run's header, how many records it holds and whether it was finished, without taking the records apart.

    Raises RunError when the file is no run.
    """
    try:
        with open(path, "rb") as file:
            first = file.readline()
            count, last = 0, b""
            for line in file:
                if line.endswith(b"\n"):
                    count, last = count + 1, line
    except OSError as fault:
        raise RunError(f"cannot be read: {fault.strerror}", where=str(path)) from None
    header = _header(path, (1, _object(path, 1, first)))
    end = _object(path, count + 1, last) if count else {}
    if end.get("type") != "end":
        return RunSummary(header, count, None)
    return RunSummary(header, count - 1, _text(end, "finished_at", f"{path}, line {count + 1}"))


def _lines(path: Path) -> Iterator[tuple[int, Mapping[str, object]]]:
    """Each whole line of a run file as an object, with its number."""
    try:
        with open(path, "rb") as file:
            for number, line in enumerate(file, 1):
                if line.endswith(b"\n"):
                    yield number, _object(path, number, line)
                elif number == 1:
                    raise RunError("is not a stored run", where=str(path))
    except OSError as fault:
        raise RunError(f"cannot be read: {fault.strerror}", where=str(path)) from None


def _object(path: Path, number: int, line: bytes) -> Mapping[str, object]:
    try:
        obj = json.loads(line)
    except (ValueError, RecursionError):
        obj = None
    if isinstance(obj, dict):
        return obj
    if number == 1:
        raise RunError("is not a stored run", where=str(path))
    raise RunError("is not a JSON object", where=f"{path}, line {number}")


def _header(path: Path, first: tuple[int, Mapping[str, object]] | None) -> RunHeader:
    if first is None or first[1].get("type") != "run":
        raise RunError("is not a stored run", where=str(path))
    obj, where = first[1], f"{path}, line 1"
    if obj.get("format") != FORMAT:
        raise RunError(f"is a run of format {obj.get('format')}; this program reads {FORMAT}", where=str(path))
    only = obj.get("only")
    if only is not None and not (isinstance(only, list) and all(isinstance(name, str) for name in only)):
        raise RunError("only is not a list of record ids", where=where)
    settings = obj.get("settings")
    if settings is not None and not isinstance(settings, dict):
        raise RunError("settings is not an object", where=where)
    as_of = _text(obj, "as_of", where)
    _as_of(as_of, where)
    return RunHeader(
        run_id=_text(obj, "run_id", where),
        arm=_text(obj, "arm", where),
        model=_word(obj, "model", where),
        started_at=_text(obj, "started_at", where),
        program=_text(obj, "program", where),
        queue=_text(obj, "queue", where),
        queue_sha256=_text(obj, "queue_sha256", where),
        policy_id=_text(obj, "policy_id", where),
        policy_sha256=_text(obj, "policy_sha256", where),
        prompt_sha256=_word(obj, "prompt_sha256", where),
        as_of=as_of,
        records=_number(obj, "records", where) or 0,
        only=None if only is None else tuple(only),
        settings=settings,
    )


def as_of_value(header: RunHeader) -> str | date:
    """The as-of setting of a run as the clock takes it."""
    return _as_of(header.as_of, header.run_id)


def _as_of(text: str, where: str) -> str | date:
    if text == AS_OF_REGISTER:
        return text
    try:
        return date.fromisoformat(text)
    except ValueError:
        raise RunError(f"as_of '{text}' is neither register nor a date", where=where) from None


def _record(obj: Mapping[str, object], where: str) -> RunRecord:
    span, confidence, raw, overrides = (obj.get(name) for name in ("span", "confidence", "raw", "overrides"))
    call = obj.get("call")
    if span is not None and not (
        isinstance(span, list) and len(span) == 2 and all(type(edge) is int for edge in span)
    ):
        raise RunError("span is not [start, end]", where=where)
    if confidence is not None and type(confidence) not in (int, float):
        raise RunError("confidence is not a number", where=where)
    if raw is not None and not isinstance(raw, dict):
        raise RunError("raw is not an object", where=where)
    if call is not None and not isinstance(call, dict):
        raise RunError("call is not an object", where=where)
    if not isinstance(overrides, list) or not all(isinstance(override, dict) for override in overrides):
        raise RunError("overrides is not a list of objects", where=where)
    return RunRecord(
        id=_text(obj, "id", where),
        arm=_text(obj, "arm", where),
        cause_class=_word(obj, "cause_class", where),
        citation=_word(obj, "citation", where),
        span=None if span is None else (span[0], span[1]),
        resolution=_word(obj, "resolution", where),
        rule=_word(obj, "rule", where),
        clock=_word(obj, "clock", where),
        clock_rule=_word(obj, "clock_rule", where),
        deadline_days=_number(obj, "deadline_days", where),
        elapsed_days=_number(obj, "elapsed_days", where),
        days_left=_number(obj, "days_left", where),
        release=_word(obj, "release", where),
        confidence=confidence,  # type: ignore[arg-type]
        overrides=tuple(
            Override(*(_text(override, name, where) for name in ("field", "raw", "recomputed", "rule")))
            for override in overrides
        ),
        error=_word(obj, "error", where),
        raw=raw,
        call=call,
        record_sha256=_word(obj, "record_sha256", where),
    )


def _word(obj: Mapping[str, object], name: str, where: str) -> str | None:
    value = obj.get(name)
    if value is not None and not isinstance(value, str):
        raise RunError(f"{name} is not text", where=where)
    return value


def _text(obj: Mapping[str, object], name: str, where: str) -> str:
    value = _word(obj, name, where)
    if value is None:
        raise RunError(f"{name} is missing", where=where)
    return value


def _number(obj: Mapping[str, object], name: str, where: str) -> int | None:
    value = obj.get(name)
    if value is not None and type(value) is not int:
        raise RunError(f"{name} is not a whole number", where=where)
    return value


def now_utc() -> str:
    """The present instant in UTC, as a run file writes it."""
    return datetime.now(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
