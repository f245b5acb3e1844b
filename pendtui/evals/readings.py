"""How well an offline reader reads desk notes whose cause class and sentence are known.

Usage: python -m pendtui.evals.readings FILE... [--arm floor]

A file has one JSON object a line: id, case, cause_class, message, notes, trail, citation (the format of
tests/data/desk_notes). The figures are those of `pendtui score`, for readings alone: no register, no rules.
"""

import argparse
import json
import sys
import textwrap
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import NamedTuple

from pendtui.engines.citation import credit, locate
from pendtui.engines.readers import Reader, Reading, offline_reader
from pendtui.engines.record import Record, Span, parse_record
from pendtui.evals.confidence import brier, reliability

WIDTH = 78
"""Desk notes are wrapped as the records of a queue are."""


class Labelled(NamedTuple):
    """One record of a test set, and what a competent examiner reads in it."""

    record: Record
    case: str
    cause_class: str
    span: Span
    """Where the sentence that establishes the class stands."""


class Graded(NamedTuple):
    """One reading beside what it should have been."""

    labelled: Labelled
    reading: Reading
    right: bool
    """The cause class is right."""
    quoted: bool
    """The quote earns its credit."""


def load_notes(path: Path) -> list[Labelled]:
    """The records of a file of labelled desk notes. Raises ValueError for a citation that is not in its record."""
    return [_labelled(json.loads(line)) for line in path.read_text(encoding="utf-8").splitlines() if line]


def grade(reader: Reader, notes: Iterable[Labelled]) -> list[Graded]:
    """Each record read and graded."""
    graded = []
    for labelled in notes:
        reading = reader.read(labelled.record)
        graded.append(
            Graded(
                labelled,
                reading,
                reading.cause == labelled.cause_class,
                credit(labelled.span, reading.span).credited,
            )
        )
    return graded


def rows(graded: Sequence[Graded]) -> list[tuple[str, int, int]]:
    """Each figure as its name, how many, and of how many."""
    found = [
        ("cause_class", sum(g.right for g in graded), len(graded)),
        ("citation", sum(g.quoted for g in graded), len(graded)),
    ]
    for case in sorted({g.labelled.case for g in graded}):
        of_case = [g for g in graded if g.labelled.case == case]
        found.append((f"{case}/cause_class", sum(g.right for g in of_case), len(of_case)))
    unsure = [g for g in graded if g.reading.unsure]
    sure = [g for g in graded if not g.reading.unsure]
    found.append(("worth_a_call", len(unsure), len(graded)))
    found.append(("wrong_of_those_worth_a_call", sum(not g.right for g in unsure), len(unsure)))
    found.append(("right_of_the_others", sum(g.right for g in sure), len(sure)))
    return found


def record_of(row: dict[str, object]) -> Record:
    """A row of a file as a pend record, in the form a queue folder has."""
    lines = [f"PEND RECORD {row['id']} -- Desk notes", "", "CLAIM FACTS", "", "PEND MESSAGE", ""]
    lines += [f"  {line}" for line in _texts(row["message"])]
    lines += ["", "DESK NOTES", ""]
    for note in _texts(row["notes"]):
        lines += [textwrap.fill(note, WIDTH, break_long_words=False, break_on_hyphens=False), ""]
    lines += ["CORRESPONDENCE AND SYSTEM TRAIL", ""]
    trail = row["trail"]
    assert isinstance(trail, list)
    lines += [f"  {day}  {text}" for day, text in trail]
    lines += ["", "ADJUDICATION REGISTER", "", "  nothing located."]
    return parse_record("\n".join(lines) + "\n", str(row["id"]))


def _labelled(row: dict[str, object]) -> Labelled:
    record = record_of(row)
    span = locate(record.text, str(row["citation"]))
    if span is None:
        raise ValueError(f"{row['id']}: the citation is not in the record")
    return Labelled(record, str(row["case"]), str(row["cause_class"]), span)


def _texts(value: object) -> list[str]:
    assert isinstance(value, list)
    return [str(text) for text in value]


def main(argv: Sequence[str] | None = None) -> None:
    """Print the figures of each file and of all together."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("files", type=Path, nargs="+")
    parser.add_argument("--arm", default="floor")
    args = parser.parse_args(argv)
    reader = offline_reader(args.arm)
    every: list[Graded] = []
    for path in args.files:
        every += (graded := grade(reader, load_notes(path)))
        _print(f"{path.name}, {args.arm}", graded)
    if len(args.files) > 1:
        _print(f"together, {args.arm}", every)


def _print(title: str, graded: Sequence[Graded]) -> None:
    out = sys.stdout.write
    out(f"{title}\n")
    for name, n, of in rows(graded):
        out(f"  {name:<32}{n:>4} of {of:>4}  {n / of if of else 0:6.1%}\n")
    said = [(g.reading.confidence, g.right) for g in graded if g.reading.confidence is not None]
    if said:
        for band, n, of in reliability(said):
            out(f"  confidence {band:<21}{n:>4} of {of:>4}  {n / of:6.1%}\n")
        out(f"  {'Brier score':<32}{brier(said):.3f}\n")


if __name__ == "__main__":
    main()
