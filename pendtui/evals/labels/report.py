"""What the label gate hands back: failures, counts with what they should be, and what the sweep found."""

from collections.abc import Mapping
from datetime import date
from typing import NamedTuple


class Failure(NamedTuple):
    """One thing that is not as it has to be. Never holds a value that the sweep found."""

    record: str
    """The record's id, or the file that is at fault."""
    check: str
    expected: str
    found: str


class Count(NamedTuple):
    """One count, derived anew and laid beside what it has to be."""

    source: str
    """Whose word the count is held against: corpus.json, or the table of the shipped queue."""
    name: str
    expected: int | str
    found: object
    holds: bool


class Report(NamedTuple):
    """All that one run of the gate found."""

    records: int
    failures: tuple[Failure, ...]
    counts: tuple[Count, ...]
    sweep: Mapping[str, int]
    """Findings by class over every record, classes with none included."""
    not_run: tuple[str, ...]
    """The checks that had nothing to work on, each with the reason."""


def day_of(value: object) -> date | None:
    """The day that a YYYY-MM-DD text names, or None for anything else."""
    if not isinstance(value, str) or len(value) != 10 or value[4] != "-" or value[7] != "-":
        return None
    try:
        return date.fromisoformat(value)
    except ValueError:
        return None


def shown(value: object) -> str:
    """A foreign value, short enough for one line."""
    if value is None:
        return "nothing"
    text = " ".join(str(value).split())
    return text if len(text) <= 48 else text[:45] + "..."


def one_of(words: tuple[str, ...]) -> str:
    """A vocabulary, for a person."""
    return "one of " + " ".join(words)
