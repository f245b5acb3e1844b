"""The reader's last word: from what each sentence says to the record's cause class, its quote and the evidence.

The numbers are trained (tools/train_reader.py), on sentences as models heard them that had not been trained on
their writer.
"""

from collections.abc import Iterable, Iterator, Sequence
from math import exp, log
from operator import mul
from typing import Any, Final, NamedTuple, Protocol

from pendtui.engines.citation import PRECISION_FLOOR
from pendtui.engines.readers import Support
from pendtui.engines.readers.floor.learned import OF_ACCOUNT, SIZE, Heard, likely, shares_of
from pendtui.engines.readers.floor.lexicon import CLASSES
from pendtui.engines.record import Span, Unit
from pendtui.engines.vocabulary import CauseClass, SectionName

MESSAGE, NOTES, TRAIL = range(3)
SECTIONS: Final = {SectionName.MESSAGE: MESSAGE, SectionName.NOTES: NOTES, SectionName.TRAIL: TRAIL}
FLOOR: Final = 0.05
OTHERS_FLOOR: Final = 0.1
"""What is added before a logarithm, so that a class of which nothing is said can still be the cause."""

SURE: Final = 0.85
"""A share below this makes a call worth its price."""
DISAGREED: Final = 0.92
"""The same where the message names another class."""
RIVALLED: Final = 0.97
"""The same where some sentence is likely to report another class."""
REPORTED: Final = 0.5
"""From which likelihood on it does."""
NAMED: Final = 0.5
"""The share of a class in the printed message from which on the message names it."""
LEAST: Final = 0.04
"""Unless the message names the class, or a sentence is as likely as this to report it, nothing was read."""
WEIGHT: Final = 4.0
"""The weight that is shown of the heaviest sentence; the others' are in proportion."""
SHOWN: Final = 0.05
"""The least part of the heaviest sentence's weight that is shown."""
RULED_OUT: Final = 0.4
"""From which likelihood on a sentence is shown to rule a class out."""
PARAGRAPH: Final = 2
"""Line ends between two paragraphs, at least."""
BESIDE: Final = 0.07
"""The part, beside that of the sentence that establishes the class most, from which its neighbour is quoted too."""


class Around(NamedTuple):
    """What its neighbours and its place add to a sentence's points for being a finding."""

    after_ruled_out: float
    before_ruled_out: float
    first: float
    last: float
    after_finding: float
    before_finding: float


class Structure(NamedTuple):
    """The trained numbers of the record model."""

    sections: tuple[tuple[float, float, float], ...]
    """What standing in message, notes or trail adds to finding, ruling out and hinting."""
    around: tuple[Around, Around]
    """For notes and for trail."""
    form: tuple[tuple[float, ...], ...]
    """What a sentence's form adds to finding, in message, notes and trail."""
    agrees: tuple[float, float, float]
    """What speaking of the class that the message names adds to finding, in message (0), notes and trail."""
    answered: float
    """What the message loses where notes or trail rule out what it names."""
    others: tuple[float, float]
    """What other sentences' hints, and their ruling out, do to a sentence's points for a class."""
    classes: tuple[float, float, float]
    """What hints, ruling out and the message do to a class of the record."""


class Points(NamedTuple):
    """A record's account."""

    shares: tuple[float, ...]
    """How likely each class is the cause; they add up to 1."""
    parts: list[list[float]]
    """For each sentence its part in establishing each class, beside the others' parts."""
    ruled_out: list[float]
    """For each sentence how much it rules out what it speaks of: 0 to 1."""
    message: list[float]
    """The share of each class in what the message speaks of."""


class Verdict(NamedTuple):
    """The outcome for one record, with the account behind it."""

    cause: CauseClass | None
    span: Span | None
    """Of the quote, in the record's text."""
    support: tuple[Support, ...]
    confidence: float
    unsure: str


NOTHING_READ: Final = Verdict(None, None, (), 0.0, "nothing in message, notes or trail establishes a class")


def weigh(units: Sequence[Unit], heard: Sequence[Heard], structure: Structure) -> Points:
    """A record's account, from that of its sentences. Linear in their number."""
    sections = [SECTIONS[unit.section] for unit in units]
    added = structure.sections
    ruled_out = [likely(each.rules_out + added[at][1]) for each, at in zip(heard, sections, strict=True)]
    message = [0.0] * SIZE
    printed = sections.count(MESSAGE) + 0.01
    hinted, denied = [0.0] * SIZE, [0.0] * SIZE
    hints = []
    for each, at, out in zip(heard, sections, ruled_out, strict=True):
        shares = each.shares
        if at == MESSAGE:
            hints.append(0.0)
            message = [so_far + share / printed for so_far, share in zip(message, shares, strict=True)]
        else:
            hints.append(hint := likely(each.hints + added[at][2]))
            hinted = [so_far + share * hint for so_far, share in zip(hinted, shares, strict=True)]
            denied = [so_far + share * out for so_far, share in zip(denied, shares, strict=True)]
    findings = _findings(heard, sections, ruled_out, message, structure)
    most = max(findings)
    hint_power, denial_power = structure.others
    parts, sums = [], [0.0] * SIZE
    for each, at, out, hint, finding in zip(heard, sections, ruled_out, hints, findings, strict=True):
        weight = exp(finding - most)
        row = [share * weight for share in each.shares]
        if at != MESSAGE:
            # What others hint and rule out is what all do, less its own.
            for cause, share in each.main:
                own, own_denial = share * hint, share * out
                if own > OF_ACCOUNT or own_denial > OF_ACCOUNT:
                    of_all = OTHERS_FLOOR + hinted[cause]
                    row[cause] *= ((of_all - own) / of_all) ** hint_power * exp(denial_power * own_denial)
        parts.append(row)
        sums = [so_far + part for so_far, part in zip(sums, row, strict=True)]
    by_hint, by_denial, by_message = structure.classes
    common = [hint_power * log(OTHERS_FLOOR + h) - denial_power * d for h, d in zip(hinted, denied, strict=True)]
    totals = [
        log(sum_ + 1e-30) + c + by_hint * log(FLOOR + h) - by_denial * d + by_message * log(FLOOR + m)
        for sum_, c, h, d, m in zip(sums, common, hinted, denied, message, strict=True)
    ]
    raised = [exp(each - max(common)) for each in common]
    parts = [[part * factor for part, factor in zip(row, raised, strict=True)] for row in parts]
    return Points(shares_of(totals), parts, ruled_out, message)


def _findings(
    heard: Sequence[Heard],
    sections: Sequence[int],
    ruled_out: Sequence[float],
    message: Sequence[float],
    structure: Structure,
) -> list[float]:
    """Each sentence's points for reporting a finding where it stands."""
    points = [each.finding + structure.sections[at][0] for each, at in zip(heard, sections, strict=True)]
    sure = [likely(each) for each in points]
    answered, end = 0.0, len(points) - 1
    for n, (each, at) in enumerate(zip(heard, sections, strict=True)):
        points[n] += sumprod(each.form, structure.form[at])
        if at == MESSAGE:
            continue
        around = structure.around[at - 1]
        if n and sections[n - 1] == at:
            points[n] += around.after_ruled_out * ruled_out[n - 1] + around.after_finding * sure[n - 1]
        else:
            points[n] += around.first
        if n < end and sections[n + 1] == at:
            points[n] += around.before_ruled_out * ruled_out[n + 1] + around.before_finding * sure[n + 1]
        else:
            points[n] += around.last
        agreement = sumprod(message, each.shares)
        points[n] += structure.agrees[at] * agreement
        answered += agreement * ruled_out[n]
    return [
        each + structure.answered * answered if at == MESSAGE else each
        for each, at in zip(points, sections, strict=True)
    ]


def sumprod(first: Iterable[float], second: Iterable[float]) -> float:
    """The sum of the products of numbers in pairs."""
    return sum(map(mul, first, second), 0.0)


class Words(Protocol):
    """Gives the words by which a sentence speaks for a class."""

    def telling(self, unit: Unit, cause: int) -> list[str]:
        """The words, the strongest first."""
        ...


def judge(text: str, units: Sequence[Unit], heard: Sequence[Heard], points: Points, words: Words) -> Verdict:
    """The class with the largest share, what establishes it in the record's text, and how likely it is right."""
    order = sorted(range(SIZE), key=lambda cause: -points.shares[cause])
    top, second = order[0], order[1]
    if not any(_speaks(unit, each, top) for unit, each in zip(units, heard, strict=True)):
        return NOTHING_READ
    span = quoted(text, units, [parts[top] for parts in points.parts])
    support = tuple(_supports(units, heard, points, (top, second), words))
    rivals = [max(each.shares[cause] * each.reports for each in heard) for cause in range(SIZE)]
    return Verdict(CLASSES[top], span, support, points.shares[top], _doubt(points, rivals, top, second))


def quoted(text: str, units: Sequence[Unit], parts: Sequence[float]) -> Span:
    """Where the sentence stands that has the largest part in establishing the class.

    Desks often spread a finding over two sentences of a note. Where the one beside it, in the same paragraph, has
    a part of account, both are quoted, unless one is so much shorter that a label of it alone would not be met.
    """
    most = max(range(len(units)), key=parts.__getitem__)
    found = (0.0, units[most].span)
    for other in (most - 1, most + 1):
        if 0 <= other < len(units) and parts[other] >= max(BESIDE * parts[most], found[0]):
            first, last = units[min(most, other)], units[max(most, other)]
            start, end = first.span[0], last.span[1]
            between = text[first.span[1] : last.span[0]]
            shortest = min(len(first.text), len(last.text))
            joined = first.section is last.section is SectionName.NOTES and between.isspace()
            if joined and between.count("\n") < PARAGRAPH and shortest >= PRECISION_FLOOR * (end - start):
                found = (parts[other], (start, end))
    return found[1]


def _speaks(unit: Unit, heard: Heard, cause: int) -> bool:
    share = heard.shares[cause]
    return share >= NAMED if unit.section is SectionName.MESSAGE else share * heard.reports >= LEAST


def _supports(
    units: Sequence[Unit], heard: Sequence[Heard], points: Points, shown: Sequence[int], words: Words
) -> Iterator[Support]:
    named = max(range(SIZE), key=points.message.__getitem__)
    heaviest = max(map(max, points.parts)) or 1.0
    for unit, each, parts, out in zip(units, heard, points.parts, points.ruled_out, strict=True):
        printed = unit.section is SectionName.MESSAGE
        for cause in dict.fromkeys((*shown, named)):
            part = parts[cause] / heaviest
            ruled_out = 0.0 if printed else each.shares[cause] * out
            if ruled_out >= RULED_OUT and part < ruled_out:
                note = "reads as ruling it out or settling it"
                yield Support(unit.span, CLASSES[cause], -round(WEIGHT * ruled_out, 2), note)
            elif part >= SHOWN and cause in shown and (not printed or each.shares[cause] >= NAMED):
                by = ", ".join(f"'{word}'" for word in words.telling(unit, cause))
                note = "the printed edit names it" if printed else "reads like a report of it"
                yield Support(unit.span, CLASSES[cause], round(WEIGHT * part, 2), f"{note}: {by}" if by else note)


def _doubt(points: Points, reported: Sequence[float], top: int, second: int) -> str:
    """Why a call may be worth its price; empty where it is not. `reported`: how likely each class is reported."""
    share = points.shares[top]
    rival = max((cause for cause in range(SIZE) if cause != top), key=reported.__getitem__)
    if share < RIVALLED and reported[rival] >= REPORTED:
        return f"a sentence speaks for {CLASSES[rival]}, the whole points to {CLASSES[top]}"
    named = max(range(SIZE), key=points.message.__getitem__)
    disagree = named != top and points.message[named] >= NAMED
    if share >= (DISAGREED if disagree else SURE):
        return ""
    if disagree:
        return f"the message names {CLASSES[named]}, the notes and trail point to {CLASSES[top]}"
    return f"{CLASSES[top]} is little ahead of {CLASSES[second]}"


def structure_of(stored: dict[str, Any]) -> Structure:
    """The record model's numbers as they are stored."""
    notes, trail = stored["around"]
    return Structure(
        tuple(map(tuple, stored["sections"])),
        (Around(*notes), Around(*trail)),
        tuple(map(tuple, stored["form"])),
        tuple(stored["agrees"]),
        stored["answered"],
        tuple(stored["others"]),
        tuple(stored["classes"]),
    )
