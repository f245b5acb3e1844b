"""Quotes and where they stand: searched for exactly, never repaired."""

from typing import NamedTuple

from pendtui.engines.record import Span

COVERAGE_FLOOR = 0.60
"""Share of the labelled sentence that a quote has to cover to be credited."""
PRECISION_FLOOR = 0.30
"""Share of the quote that has to be the labelled sentence."""

_QUOTES = dict.fromkeys("‘’‚‛′ʼ", "'") | dict.fromkeys("“”„‟″«»", '"')
_DASHES = frozenset("-‐‑‒–—―−﹘﹣－")


class Normalised(NamedTuple):
    """Text with quotes, dashes, spaces and line wraps folded, and the way back.

    Character i of `text` stands for the original characters `starts[i]:ends[i]`.
    """

    text: str
    starts: tuple[int, ...]
    ends: tuple[int, ...]


def fold(text: str) -> str:
    """The normalised form of a text: one space for any white space, plain quotes, one hyphen for any dashes."""
    plain = " ".join(text.split())
    if plain.isascii() and "--" not in plain:
        return plain
    return normalise(text).text


def normalise(text: str) -> Normalised:
    """Fold a text once and keep the map back to its original offsets."""
    out: list[str] = []
    starts: list[int] = []
    ends: list[int] = []
    for offset, char in enumerate(text):
        folded = _fold_character(char)
        if folded in " -" and out and out[-1] == folded and ends[-1] == offset:
            ends[-1] = offset + 1
            continue
        if folded == " " and not out:
            continue
        out.append(folded)
        starts.append(offset)
        ends.append(offset + 1)
    if out and out[-1] == " ":
        del out[-1], starts[-1], ends[-1]
    return Normalised("".join(out), tuple(starts), tuple(ends))


def _fold_character(char: str) -> str:
    if char.isspace():
        return " "
    if char in _DASHES:
        return "-"
    return _QUOTES.get(char, char)


def locate(record: str | Normalised, quote: str) -> Span | None:
    """Where a quote stands in a record, as offsets into the original text; the first place if it stands twice.

    None when it is not there to the letter (after folding). It is not shortened, patched or guessed at.
    """
    sought = fold(quote)
    if not sought:
        return None
    normalised = normalise(record) if isinstance(record, str) else record
    at = normalised.text.find(sought)
    if at < 0:
        return None
    return normalised.starts[at], normalised.ends[at + len(sought) - 1]


class Credit(NamedTuple):
    """How far a located quote and the labelled sentence are the same characters. Both shares are 0 to 1."""

    coverage: float
    precision: float
    credited: bool


def credit(
    gold: Span, found: Span | None, coverage_floor: float = COVERAGE_FLOOR, precision_floor: float = PRECISION_FLOOR
) -> Credit:
    """Grade a quote by the characters it shares with the labelled span. Not found is 0; near misses get nothing."""
    if found is None or gold[1] <= gold[0] or found[1] <= found[0]:
        return Credit(0.0, 0.0, credited=False)
    shared = max(0, min(gold[1], found[1]) - max(gold[0], found[0]))
    coverage = shared / (gold[1] - gold[0])
    precision = shared / (found[1] - found[0])
    return Credit(coverage, precision, coverage >= coverage_floor and precision >= precision_floor)
