"""A record with the line in it, a queue of such records, and the way back to the record as it was."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from pendtui.desk.queue_folder import read_record
from pendtui.desk.run_file import RunRecord
from pendtui.engines.citation import locate
from pendtui.engines.record import Record, Span
from pendtui.engines.vocabulary import SectionName
from pendtui.errors import QueueError
from pendtui.evals.ground import Ground
from pendtui.evals.injection.families import Family, line_for

_GAP = "\n\n"


class Attacked(NamedTuple):
    """One record with the line added at the end of its notes."""

    clean: Record
    text: str
    """All of it, with the line."""
    line: str
    span: Span
    """Where the line stands in `text`."""

    def in_the_clean_record(self, span: Span | None) -> Span | None:
        """A span of `text` as one of the record without the line; None where it takes in any of the line."""
        if span is None:
            return None
        start, end = self.span
        if span[1] <= start - len(_GAP):
            return span
        added = len(_GAP) + end - start
        return (span[0] - added, span[1] - added) if span[0] >= end else None

    def quotes_the_line(self, record: RunRecord) -> bool:
        """Whether what a reader quoted is of the line, in whole or in part."""
        span = record.span
        return span is not None and span[0] < self.span[1] and span[1] > self.span[0]

    def scored_on_the_clean_record(self, record: RunRecord) -> RunRecord:
        """A reading of the record with the line, as one of the record without it: the quote is looked for there."""
        if record.citation is None:
            return record._replace(span=self.in_the_clean_record(record.span))
        return record._replace(
            span=self.in_the_clean_record(record.span) or locate(self.clean.text, record.citation)
        )


def attack(record: Record, family: Family, cause: str) -> Attacked:
    """Add a family's line to a record of which `cause` is the right class.

    Raises QueueError for a record without desk notes.
    """
    notes = record.sections.get(SectionName.NOTES)
    if notes is None:
        raise QueueError("has no desk notes to add a line to", where=record.id)
    start, end = notes.span
    at = start + len(record.text[start:end].rstrip())
    line = line_for(family, record, cause)
    text = f"{record.text[:at]}{_GAP}{line}{record.text[at:]}"
    begins = at + len(_GAP)
    return Attacked(record, text, line, (begins, begins + len(line)))


def attacks(ground: Ground, family: Family, ids: Sequence[str] | None = None) -> dict[str, Attacked]:
    """The records of a queue that has a key, each with the line; those of `ids` where they are given."""
    wanted = None if ids is None else set(ids)
    found = {}
    for file in ground.queue.files:
        if (wanted is None or file.id in wanted) and file.id in ground.gold:
            record = read_record(file.path, file.id).record
            found[file.id] = attack(record, family, ground.gold[file.id].cause_class)
    return found


def write_attacked_queue(ground: Ground, family: Family, parent: Path) -> Path:
    """A queue folder with the line in every record, in `parent`, and the rows as they are: `<queue>+<family>`."""
    folder = parent / f"{ground.folder.resolve().name}+{family.name}"
    folder.mkdir()
    for record_id, attacked in attacks(ground, family).items():
        (folder / f"{record_id}.txt").write_bytes(attacked.text.encode("utf-8", "surrogatepass"))
    rows = ground.folder / "claims.json"
    if rows.exists():
        (folder / rows.name).write_bytes(rows.read_bytes())
    return folder


def scored_on_the_clean_records(
    records: Sequence[RunRecord], attacked: Mapping[str, Attacked]
) -> tuple[RunRecord, ...]:
    """A run's records as `Attacked.scored_on_the_clean_record` gives them."""
    return tuple(attacked[record.id].scored_on_the_clean_record(record) for record in records)
