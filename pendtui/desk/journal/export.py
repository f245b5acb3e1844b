"""Journal rows as the rows of a table: short for a list, whole for an export."""

from collections.abc import Iterable, Iterator
from typing import TextIO

from pendtui.desk.journal.rows import Entry
from pendtui.tables import print_rows

LISTED = (
    *("seq", "at", "who", "action", "record_id", "proposed_cause", "cause_class", "resolution", "clock", "undoes"),
    "note",
)
"""What a list shows of a row: the decided answers, and the cause class that was proposed."""

ROW_FIELDS = (
    *("seq", "at", "who", "display_name", "host", "program", "queue", "record_id", "record_sha256", "policy_id"),
    *("policy_sha256", "action", "reader"),
)
END_FIELDS = ("note", "undoes", "previous_hash", "hash")
ANSWER_FIELDS = (
    *("cause_class", "citation", "span", "resolution", "rule", "clock", "clock_rule", "release", "as_of"),
    *("elapsed_days", "deadline_days", "evidence"),
)
"""The fields of the proposed and of the decided answers; an export holds both sets of them."""
FORMATS = ("csv", "jsonl")
"""What an export can be."""


def list_entries(entries: Iterable[Entry], format: str, out: TextIO) -> None:
    """Write the short rows in one of the listing formats."""
    print_rows(LISTED, map(listed, entries), format, out)


def export_entries(entries: Iterable[Entry], format: str, out: TextIO) -> None:
    """Write the whole rows: as JSON lines with the answers nested, else as CSV with them side by side."""
    if format == "jsonl":
        columns = (*ROW_FIELDS, "proposed", "decided", *END_FIELDS)
        print_rows(columns, map(_nested, entries), "jsonl", out)
    else:
        answers = (f"{side}_{name}" for side in ("proposed", "decided") for name in ANSWER_FIELDS)
        print_rows((*ROW_FIELDS, *answers, *END_FIELDS), map(_flat, entries), "csv", out)


def listed(entry: Entry) -> tuple[object, ...]:
    """A row as LISTED has it."""
    proposed, decided = entry.proposed, entry.decided
    return (
        entry.seq,
        instant(entry),
        entry.by,
        str(entry.action),
        entry.record_id,
        proposed.get("cause_class"),
        decided.get("cause_class"),
        decided.get("resolution"),
        decided.get("clock"),
        entry.undoes,
        entry.note,
    )


def instant(entry: Entry) -> str:
    """When a row was written, in UTC to the microsecond."""
    return entry.at.isoformat(timespec="microseconds").replace("+00:00", "Z")


def _nested(entry: Entry) -> tuple[object, ...]:
    return (*_fields(entry, ROW_FIELDS), entry.proposed, entry.decided, *_fields(entry, END_FIELDS))


def _flat(entry: Entry) -> tuple[object, ...]:
    answers = (side.get(name) for side in (entry.proposed, entry.decided) for name in ANSWER_FIELDS)
    return (*_fields(entry, ROW_FIELDS), *answers, *_fields(entry, END_FIELDS))


def _fields(entry: Entry, names: Iterable[str]) -> Iterator[object]:
    return (instant(entry) if name == "at" else getattr(entry, name) for name in names)
