"""Rows for people and for programs: the four output formats of every listing command."""

import csv
import json
import sys
from collections.abc import Iterable, Sequence
from typing import TextIO

from pendtui.plain import plain

FORMATS = ("table", "json", "jsonl", "csv")
_FORMULA_STARTS = ("=", "+", "-", "@", "\t", "\r")


def print_rows(
    columns: Sequence[str], rows: Iterable[Sequence[object]], format: str = "table", out: TextIO | None = None
) -> None:
    """Print rows as an aligned table, one JSON array, JSON lines, or CSV that no spreadsheet runs as a formula.

    None is an empty cell in table and CSV and null in JSON; in a table, control characters are made visible.
    """
    out = out or sys.stdout
    if format == "table":
        _print_table(columns, rows, out)
    elif format == "csv":
        writer = csv.writer(out, lineterminator="\n")
        writer.writerow(columns)
        writer.writerows([csv_cell(value) for value in row] for row in rows)
    elif format == "json":
        objects = [dict(zip(columns, row, strict=True)) for row in rows]
        out.write(json.dumps(objects, ensure_ascii=False, indent=1, default=str) + "\n")
    else:
        for row in rows:
            line = json.dumps(dict(zip(columns, row, strict=True)), ensure_ascii=False, default=str)
            out.write(line + "\n")


def csv_cell(value: object) -> str:
    """A CSV cell. Text that a spreadsheet could take for a formula gets an apostrophe in front; numbers do not."""
    if value is None:
        return ""
    if isinstance(value, bool | int | float):
        return str(value)
    text = value if isinstance(value, str) else json.dumps(value, default=str) if _nested(value) else str(value)
    return "'" + text if text.startswith(_FORMULA_STARTS) else text


def _nested(value: object) -> bool:
    return isinstance(value, dict | list | tuple)


def _print_table(columns: Sequence[str], rows: Iterable[Sequence[object]], out: TextIO) -> None:
    cells = [[_table_cell(value) for value in row] for row in rows]
    widths = [max([len(name), *(len(row[n]) for row in cells)]) for n, name in enumerate(columns)]
    numeric = [bool(cells) and all(_is_number(row[n]) for row in cells) for n in range(len(columns))]
    for line in ([str(name) for name in columns], ["-" * width for width in widths], *cells):
        fields = [
            text.rjust(width) if right else text.ljust(width)
            for text, width, right in zip(line, widths, numeric, strict=True)
        ]
        out.write("  ".join(fields).rstrip() + "\n")


def _table_cell(value: object) -> str:
    if value is None:
        return ""
    return plain(json.dumps(value, default=str) if _nested(value) else str(value))


def _is_number(text: str) -> bool:
    return text == "" or text.replace(".", "", 1).replace("-", "", 1).replace("%", "", 1).isdigit()
