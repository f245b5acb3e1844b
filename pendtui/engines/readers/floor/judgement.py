"""The reader's last word: the lexicon's account of a record and the trained models' together."""

from collections.abc import Iterator, Sequence
from typing import Final

from pendtui.engines.readers import Support
from pendtui.engines.readers.floor.learned import Heard, Model, Points
from pendtui.engines.readers.floor.lexicon import CLASSES
from pendtui.engines.readers.floor.verdict import Verdict
from pendtui.engines.record import Unit
from pendtui.engines.vocabulary import SectionName

SURE: Final = 0.87
"""A share below this makes a call worth its price."""
DISAGREED: Final = 0.92
"""The same where the message names another class."""
RIVALLED: Final = 0.98
SPEAKS_FOR: Final = 0.4
"""The same where some sentence scores as much for another class."""
SPOKEN: Final = 0.25
"""A sentence counts as speaking for a class from this score on."""
TOLD: Final = 0.35
"""A sentence of notes or trail is quoted before the printed edit from this score on."""
NAMED: Final = 1.0
"""Lexicon points from which on the message names a class."""
LEAST: Final = 0.4
"""Where no sentence scores as much for the class, the models have heard nothing, and the lexicon's word stands."""


def judge(units: Sequence[Unit], by_lexicon: Verdict, heard: Sequence[Heard], model: Model) -> Verdict:
    """The class with the largest share, the sentence that establishes it, and how likely it is right."""
    if not units:
        return by_lexicon
    points = model.weigh(units, heard, by_lexicon)
    order = sorted(range(len(CLASSES)), key=lambda cause: -points.shares[cause])
    top, second = order[0], order[1]
    heaviest = max(score[top] for score in points.scores)
    if heaviest < LEAST:
        return by_lexicon
    share = points.shares[top]
    quoted = _quoted(units, by_lexicon, points, top)
    support = (*_supports(units, points, (top, second)), *_lexicons(by_lexicon, top, second))
    return by_lexicon._replace(
        cause=CLASSES[top],
        unit=units[quoted],
        support=support,
        confidence=share,
        unsure=_doubt(by_lexicon, points, order),
    )


def _quoted(units: Sequence[Unit], by_lexicon: Verdict, points: Points, top: int) -> int:
    """The sentence to quote: what the desk found out, where it tells; else what the lexicon quotes."""
    told = [at for at, unit in enumerate(units) if unit.section is not SectionName.MESSAGE]
    best = max(told, key=lambda at: points.scores[at][top], default=-1)
    if best >= 0 and points.scores[best][top] >= TOLD:
        return best
    if by_lexicon.unit is not None and by_lexicon.cause == CLASSES[top]:
        return units.index(by_lexicon.unit)
    return max(range(len(units)), key=lambda at: points.scores[at][top])


def _supports(units: Sequence[Unit], points: Points, shown: Sequence[int]) -> Iterator[Support]:
    for unit, score in zip(units, points.scores, strict=True):
        for cause in shown:
            if score[cause] >= SPOKEN:
                what = "the printed edit reads" if unit.section is SectionName.MESSAGE else "reads"
                note = f"{what} like a report of it: {score[cause]:.0%} by its wording"
                yield Support(unit.span, CLASSES[cause], round(4 * score[cause], 2), note)


def _lexicons(by_lexicon: Verdict, *shown: int) -> Iterator[Support]:
    classes = {CLASSES[cause] for cause in shown}
    return (support for support in by_lexicon.support if support.cause in classes or support.weight < 0)


def _doubt(by_lexicon: Verdict, points: Points, order: Sequence[int]) -> str:
    """Why a call may be worth its price; empty where it is not."""
    top, second, share = order[0], order[1], points.shares[order[0]]
    named = by_lexicon.message.index(max(by_lexicon.message)) if any(by_lexicon.message) else -1
    disagree = named not in (-1, top) and by_lexicon.message[named] > NAMED
    rivals = {cause: max(score[cause] for score in points.scores) for cause in order[1:]}
    rival = max(rivals, key=lambda cause: rivals[cause])
    if share < RIVALLED and rivals[rival] >= SPEAKS_FOR:
        return f"a sentence speaks for {CLASSES[rival]}, the whole points to {CLASSES[top]}"
    if share >= (DISAGREED if disagree else SURE):
        return ""
    if disagree:
        return f"the message names {CLASSES[named]}, the notes and trail point to {CLASSES[top]}"
    return f"{CLASSES[top]} is little ahead of {CLASSES[second]}"
