"""What the terminal shows already, so that it need not be sent once more.

Textual paints a screen that opens several times while its layout settles, and a whole list when one of its rows
has changed. Over a slow line that is felt. So only the cells that differ are sent.
"""

import re
from collections.abc import Iterator
from itertools import repeat

from rich.cells import cell_len

_PLACE = re.compile(r"(?:\r?\n)?\x1b\[(\d+);(\d+)H")
_STYLED = re.compile(r"(\x1b\[[\d;:]*m)|([^\x1b]+)")
_STYLE = re.compile(r"\x1b\[[\d;:]*m")
_RESET = "\x1b[0m"
_NOT_PAINTED = re.compile(r"\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)|\x07|\x1b\[\?2026[hl]")
"""What touches no cell: titles and notifications, the bell, and the marks around a frame."""
_CONTROL = re.compile(r"[\x00-\x1f\x7f]")

_Row = list[tuple[str, str]]
"""Of each cell its character and the sequences that set its style. Of characters that hang together the first cell
holds all, and the others hold none."""
_UNKNOWN = ("?", "unknown")


class Frames:
    """Takes out of what is to be written the cells that the terminal shows already."""

    def __init__(self) -> None:
        self._rows: dict[int, _Row] = {}
        self._cursor = ""

    def forget(self) -> None:
        """Take nothing for painted: the terminal has changed its size, or something else wrote on it."""
        self._rows = {}
        self._cursor = ""

    def reduced(self, data: str) -> str:
        """What to write in place of `data`, for the terminal to show what `data` would make it show."""
        before, *placed = _PLACE.split(data)
        if _NOT_PAINTED.sub("", before) or not placed or not all(map(_is_plain, placed[2::3])):
            if _NOT_PAINTED.sub("", data):
                self.forget()
            return data
        rows = self._rows
        kept: list[str] = []
        for row, column, piece in zip(placed[::3], placed[1::3], placed[2::3], strict=True):
            if piece:
                kept += _changes(rows.setdefault(int(row), []), int(row), int(column) - 1, piece)
        cursor = "" if placed[-1] else f"\x1b[{placed[-3]};{placed[-2]}H"
        if not any(kept) and cursor == self._cursor:
            return before
        self._cursor = cursor
        return "".join((before, *kept, cursor))


def _is_plain(piece: str) -> bool:
    """Whether it is nothing but text and styles."""
    return not _CONTROL.search(_STYLE.sub("", piece))


def _changes(row: _Row, line: int, start: int, piece: str) -> Iterator[str]:
    """Put a piece into a row, and say what of it has to be written."""
    _break_apart(row, start)
    at, styled, written = start, "", -1
    for style, text in _styled(piece):
        cells = _cells(style, text)
        old = row[at : at + len(cells)]
        if old != cells:
            first, last = _differing(old, cells)
            if written != at + first or styled != style:
                yield _RESET * bool(styled)
                yield "" if written == at + first else f"\x1b[{line};{at + first + 1}H"
                yield style
            yield "".join(cell[0] for cell in cells[first:last])
            styled, written = style, at + last
            row.extend(repeat(_UNKNOWN, at - len(row)))
            row[at : at + len(cells)] = cells
        at += len(cells)
    yield _RESET * bool(styled)
    _break_apart(row, at)


def _break_apart(row: _Row, at: int) -> None:
    """Take characters that hang together for unknown where a piece begins or ends in their middle."""
    if at < len(row) and not row[at][0]:
        first = next((n for n in range(at, -1, -1) if row[n][0]), 0)
        last = next((n for n in range(at, len(row)) if row[n][0]), len(row))
        row[first:last] = repeat(_UNKNOWN, last - first)


def _differing(old: _Row, new: _Row) -> tuple[int, int]:
    """The first cell that differs, and the one after the last."""
    if len(old) != len(new) or not all(cell[0] for cell in new):
        return 0, len(new)
    unlike = [n for n, (one, other) in enumerate(zip(old, new, strict=True)) if one != other]
    return unlike[0], unlike[-1] + 1


def _styled(piece: str) -> Iterator[tuple[str, str]]:
    """The piece as texts, each with the sequences that set its style."""
    style = ""
    for sequence, text in _STYLED.findall(piece):
        if sequence:
            style = "" if sequence in (_RESET, "\x1b[m") else style + sequence
        elif text:
            yield style, text


def _cells(style: str, text: str) -> _Row:
    if text.isascii() or all(cell_len(character) == 1 for character in text):
        return list(zip(text, repeat(style)))
    # Wide characters, and marks without a width of their own, are kept together.
    return [(text, style), *repeat(("", style), cell_len(text) - 1)]
