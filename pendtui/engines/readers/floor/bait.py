"""Text that addresses the reader or claims a clearance: taken out before the evidence is weighed."""

import re
from collections.abc import Iterator, Sequence
from typing import Final

from pendtui.engines.readers.floor.lexicon import CLASSES
from pendtui.engines.readers.floor.sentences import Weigher, folded
from pendtui.engines.record import WRAP_WIDTH, Unit
from pendtui.engines.vocabulary import SectionName

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
        goes_on = False
        for piece_start, piece_end, wrapped in _pieces(unit.text, glue=unit.section is SectionName.NOTES):
            piece = unit.text[piece_start:piece_end]
            if goes_on or weigher.weigh(folded(piece))[0].bait or named_in_full(piece):
                if start >= 0:
                    kept.append(_part(unit, start, end))
                start = -1
                goes_on = wrapped
            else:
                start, end = (piece_start if start < 0 else start), piece_end
        if start >= 0:
            kept.append(_part(unit, start, end))
    return kept


def _pieces(text: str, *, glue: bool) -> Iterator[tuple[int, int, bool]]:
    """Sentences and lines of a unit, and whether each is a line that was only wrapped and goes on below.

    Desk notes are running text, so that there a wrapped line is glued to the next.
    """
    start = 0
    for found in _PIECE.finditer(text):
        end = found.start() if found[0][0] == "\n" else found.start() + len(found[0].rstrip())
        if end > start:
            line = text[text.rfind("\n", 0, end) + 1 : end].strip()
            wrapped = len(line) >= WRAP_WIDTH and line[-1] not in ".;:!?)"
            if wrapped and glue:
                continue
            yield start, end, wrapped
        start = found.end()
    if start < len(text):
        yield start, len(text), False


def _part(unit: Unit, start: int, end: int) -> Unit:
    text = unit.text[start:end].rstrip()
    at = unit.span[0] + start
    return unit._replace(span=(at, at + len(text)), text=text)
