"""Text that addresses the reader or claims a clearance: taken out before the evidence is weighed."""

import re
from collections.abc import Iterator, Sequence
from typing import Final

from pendtui.engines.readers.floor.lexicon import CLASSES, Lexicon
from pendtui.engines.readers.floor.sentences import Weigher, folded
from pendtui.engines.record import WRAP_WIDTH, Span, Unit
from pendtui.engines.vocabulary import SectionName

_FENCE: Final = r"\b(?=[0-9]*[a-f])(?=[a-f]*[0-9])[0-9a-f]{16,}\b"
_NAME: Final = re.compile("|".join([*(cause.value for cause in CLASSES), _FENCE]))
"""A cause class by the name that this program uses, or the digits of a hash, by which a prompt closes a record."""
_PIECE: Final = re.compile(r"""[.!?]["'”’)\]]*\s+|\n[ \t]*""")


def named_in_full(text: str) -> bool:
    """Whether notes or trail say what only this program does: a cause class's full name, a prompt's fence."""
    return _NAME.search(text) is not None


class BaitWords:
    """Finds out quickly that a sentence cannot be bait: each of the lexicon's bait terms has a word that tells."""

    def __init__(self, lexicon: Lexicon) -> None:
        self._words = frozenset(word for word in lexicon.bait if not word.endswith("*"))
        self._beginnings = tuple(word[:-1] for word in lexicon.bait if word.endswith("*"))

    def any_in(self, text: str) -> bool:
        """Whether a bait term may stand in the text; where this is False, none does."""
        words = folded(text)
        return not self._words.isdisjoint(words) or any(word.startswith(self._beginnings) for word in words)


def without_bait(text: str, units: Sequence[Unit], baited: Sequence[int], weigher: Weigher) -> list[Unit]:
    """The units of a record's text with the bait left out.

    A unit that is bait from end to end is gone. Where a bait line was set into a trail entry or between two
    unfinished lines, what stands before and after it stays, as units of their own.
    """
    kept: list[Unit] = []
    for place, unit in enumerate(units):
        if place not in baited:
            kept.append(unit)
            continue
        start = end = -1
        goes_on = False
        named = unit.section is not SectionName.MESSAGE and named_in_full(unit.text)
        for piece_start, piece_end, wrapped in _pieces(text, unit.span, glue=unit.section is SectionName.NOTES):
            piece = text[piece_start:piece_end]
            if goes_on or weigher.weigh(piece).bait or (named and _NAME.search(piece)):
                if start >= 0:
                    kept.append(_part(text, unit, start, end))
                start = -1
                goes_on = wrapped
            else:
                start, end = (piece_start if start < 0 else start), piece_end
        if start >= 0:
            kept.append(_part(text, unit, start, end))
    return kept


def _pieces(text: str, span: Span, *, glue: bool) -> Iterator[tuple[int, int, bool]]:
    """Sentences and lines of a unit, and whether each is a line that was only wrapped and goes on below.

    Desk notes are running text, so that there a wrapped line is glued to the next.
    """
    start = span[0]
    for found in _PIECE.finditer(text, *span):
        end = found.start() if found[0][0] == "\n" else found.start() + len(found[0].rstrip())
        if end > start:
            line = text[text.rfind("\n", 0, end) + 1 : end].strip()
            wrapped = len(line) >= WRAP_WIDTH and line[-1] not in ".;:!?)"
            if wrapped and glue:
                continue
            yield start, end, wrapped
        start = found.end()
    if start < span[1]:
        yield start, span[1], False


def _part(text: str, unit: Unit, start: int, end: int) -> Unit:
    part = text[start:end].rstrip()
    return unit._replace(span=(start, start + len(part)), text=part)
