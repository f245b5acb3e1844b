"""Rows for people and for programs: the four output formats of every listing command."""

import json
import sys
from collections.abc import Iterable, Sequence
from typing import TextIO

from pendtui.plain import plain, plain_lines

FORMATS = ("table", "json", "jsonl", "csv")
_FORMULA_STARTS = ("=", "+", "-", "@", "\t", "\r")


def print_rows(
    columns: Sequence[str], rows: Iterable[Sequence[object]], format: str = "table", out: TextIO | None = None
) -> None:
    """Print rows as an aligned table, one JSON array, JSON lines, or CSV that no spreadsheet runs as a formula.

    None is an empty cell in table and CSV and null in JSON. Control characters are made visible in table and CSV
    and escaped in JSON, and so is what the output's encoding does not have.
    """
    out = out or sys.stdout
    if format == "table":
        _print_table(columns, rows, out)
    elif format == "csv":
        import csv

        writer = csv.writer(out, lineterminator="\n")
        writer.writerow(columns)
        writer.writerows([_encodable(csv_cell(value), out) for value in row] for row in rows)
    elif format == "json":
        objects = [_json_line(columns, row, out) for row in rows]
        out.write("[\n " + ",\n ".join(objects) + "\n]\n" if objects else "[]\n")
    else:
        for row in rows:
            out.write(_json_line(columns, row, out) + "\n")


def csv_cell(value: object) -> str:
    """A CSV cell. Text that a spreadsheet could take for a formula gets an apostrophe in front; numbers do not."""
    if value is None:
        return ""
    if isinstance(value, int | float):
        return json.dumps(value)
    text = value if isinstance(value, str) else json.dumps(value, default=str) if _nested(value) else str(value)
    return plain_lines("'" + text if text.startswith(_FORMULA_STARTS) else text)


def _json_line(columns: Sequence[str], row: Sequence[object], out: TextIO) -> str:
    obj = dict(zip(columns, row, strict=True))
    line = json.dumps(obj, ensure_ascii=False, default=str)
    if line.isprintable() and _encodable(line, out) == line:
        return line
    return json.dumps(obj, default=str)


def _encodable(text: str, out: TextIO) -> str:
    """The text with every character that the output's encoding does not have written as an escape."""
    if text.isascii():
        return text
    encoding = out.encoding or "utf-8"
    return text.encode(encoding, "backslashreplace").decode(encoding)


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
        out.write(_encodable("  ".join(fields).rstrip(), out) + "\n")


def _table_cell(value: object) -> str:
    if value is None:
        return ""
    if isinstance(value, bool):
        return str(value).lower()
    return plain(json.dumps(value, default=str) if _nested(value) else str(value))


def _is_number(text: str) -> bool:
    return text == "" or text.replace(".", "", 1).replace("-", "", 1).replace("%", "", 1).isdigit()
