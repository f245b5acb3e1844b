"""Text that addresses the reader or claims a clearance: taken out before the evidence is weighed."""

import re
from collections.abc import Iterator, Sequence
from typing import Final

from pendtui.engines.readers.floor.lexicon import CLASSES
from pendtui.engines.readers.floor.sentences import Weigher, folded
from pendtui.engines.record import WRAP_WIDTH, Unit

_NAMES: Final = tuple(cause.value for cause in CLASSES)
_PIECE: Final = re.compile(r"""[.!?]["'”’)\]]*\s+|\n[ \t]*""")


def named_in_full(text: str) -> bool:
    """Whether a text gives a cause class by the name this program uses, which no examiner writes."""
    if "-" not in text:
        return False
    shouted = text.upper()
    return any(name in shouted for name in _NAMES)


def without_bait(units: Sequence[Unit], baited: Sequence[int], weigher: Weigher) -> list[Unit]:
    """The units with the bait left out.

    A unit that is bait from end to end is gone. Where a bait line was set into a trail entry or between two
    unfinished lines, what stands before and after it stays, as units of their own.
    """
    kept: list[Unit] = []
    for place, unit in enumerate(units):
        if place not in baited:
            kept.append(unit)
            continue
        start = -1
        end = 0
        for piece_start, piece_end in _pieces(unit.text):
            piece = unit.text[piece_start:piece_end]
            if weigher.weigh(folded(piece))[0].bait or named_in_full(piece):
                if start >= 0:
                    kept.append(_part(unit, start, end))
                start = -1
            else:
                start, end = (piece_start if start < 0 else start), piece_end
        if start >= 0:
            kept.append(_part(unit, start, end))
    return kept


def _pieces(text: str) -> Iterator[tuple[int, int]]:
    """Sentences and lines of a unit; a line that was only wrapped stays with the line before it."""
    start = 0
    for found in _PIECE.finditer(text):
        if found[0][0] == "\n":
            line = text[text.rfind("\n", 0, found.start()) + 1 : found.start()].rstrip()
            if len(line.strip()) >= WRAP_WIDTH and line[-1] not in ".;:!?)":
                continue
        if found.start() > start:
            yield start, found.end() - len(found[0]) + (0 if found[0][0] == "\n" else len(found[0].rstrip()))
        start = found.end()
    if start < len(text):
        yield start, len(text)


def _part(unit: Unit, start: int, end: int) -> Unit:
    text = unit.text[start:end].rstrip()
    at = unit.span[0] + start
    return unit._replace(span=(at, at + len(text)), text=text)
