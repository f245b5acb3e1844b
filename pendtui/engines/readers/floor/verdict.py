"""From what the sentences say to one cause class, its quote, its evidence and how sure that is."""

import re
from collections.abc import Sequence
from math import exp
from typing import Final, NamedTuple

from pendtui.engines.readers import Support
from pendtui.engines.readers.floor.lexicon import CLASSES
from pendtui.engines.readers.floor.sentences import NOTHING, Said
from pendtui.engines.record import Unit
from pendtui.engines.vocabulary import CauseClass, SectionName

MESSAGE_SHARE: Final = 0.8
"""What a printed edit counts beside the same words of an examiner: it says what stopped the claim, not why."""
QUOTED_MESSAGE: Final = 0.95
"""The same where it is a matter of which sentence to quote."""
QUOTED_CODE: Final = 0.5
"""What a sentence that leans on a code counts for being quoted: words establish more than a number does."""
TAKEN_BACK: Final = 0.3
"""What is left of a printed edit once notes or trail rule its class out."""
MORE: Final = 0.25
"""The share that a second sentence adds to the first for the same class."""
RULED_OUT: Final = 0.5
"""What a point against a class in notes or trail takes from it."""
CORRECTED: Final = 0.5
"""What is left of the notes above a note that takes them back."""
CORRECTION: Final = 1.15
"""What the sentence that corrects, or gives the real reason, counts more."""
EDIT_OFF: Final = 3.0
"""Points against the printed class where notes or trail say that the edit itself does not hold."""
LEAST: Final = 0.3
"""Points below which nothing was read."""
THIN: Final = 0.85
"""A confidence below this makes a call worth its price."""
DISAGREED: Final = 0.95
"""The same where the message names another class that nothing takes back."""
BIAS: Final = -0.50
PER_POINT: Final = 0.05
PER_MARGIN: Final = 1.30
"""Of the fit of confidence: the log odds of a right class, by the points of the class and its lead."""
_COUNTED: Final = 0.9
_EDIT_NUMBER: Final = re.compile(r"(?<![\d/.-])\d{4}(?![\d/.-])")
_SIZE: Final = len(CLASSES)


class Verdict(NamedTuple):
    """The outcome for one record, with the account behind it."""

    cause: CauseClass | None
    unit: Unit | None
    support: tuple[Support, ...]
    confidence: float
    unsure: str
    message: list[float]
    narrative: list[float]
    against: list[float]
    totals: list[float]


def decide(units: Sequence[Unit], said: Sequence[Said]) -> Verdict:  # noqa: PLR0915 one account, in one place
    """Weigh the sentences up: later corrections over what they correct, findings over the printed edit."""
    message, narrative, against = [0.0] * _SIZE, [0.0] * _SIZE, [0.0] * _SIZE
    best: list[tuple[float, int]] = [(0.0, -1)] * _SIZE
    corrected_up_to = -1
    for place, each in enumerate(said):
        if each.corrects and units[place].section is SectionName.NOTES:
            corrected_up_to = place
    off, named = False, -1
    numbers: list[str] | None = None
    for place, each in enumerate(said):
        if each is NOTHING:
            continue
        supports, contra = each.supports, each.against
        section = units[place].section
        printed = section is SectionName.MESSAGE
        if not printed and named < 0 and any(message):
            named = message.index(max(message))
        if not printed and not off:
            if each.edit_off:
                off = named < 0 or not each.against or named in each.against
            elif each.settles:
                if numbers is None:
                    numbers = _EDIT_NUMBER.findall(
                        " ".join([unit.text for unit in units if unit.section is SectionName.MESSAGE])
                    )
                if any(number in units[place].text for number in numbers):
                    off = named < 0 or not each.against or named in each.against
        if not supports and not contra:
            continue
        factor = CORRECTION if each.corrects else 1.0
        if section is SectionName.NOTES and place < corrected_up_to and not each.corrects:
            factor *= CORRECTED
        for cause, points in supports.items():
            opposed = contra.get(cause, 0.0)
            net = points * factor - opposed * (0.2 if points >= 0.9 * opposed else 1.0)
            if net <= 0:
                continue
            side = message if printed else narrative
            before = side[cause]
            side[cause] = net + MORE * before if net > before else before + MORE * net
            if printed:
                net *= QUOTED_MESSAGE
            if each.codes:
                net *= QUOTED_CODE
            if net > best[cause][0]:
                best[cause] = (net, place)
        if not printed:
            for cause, points in contra.items():
                favoured = supports.get(cause, 0.0)
                if favoured < 0.9 * points:
                    net = points - 0.5 * favoured
                    before = against[cause]
                    against[cause] = net + MORE * before if net > before else before + MORE * net
    if named < 0 and any(message):
        named = message.index(max(message))
    if off and named >= 0:
        against[named] += EDIT_OFF
    totals = [
        message[c] * MESSAGE_SHARE * (TAKEN_BACK if against[c] > max(1.0, 0.4 * message[c]) else 1.0)
        + narrative[c]
        - RULED_OUT * against[c]
        for c in range(_SIZE)
    ]
    top = totals.index(max(totals))
    second = max((c for c in range(_SIZE) if c != top), key=totals.__getitem__)
    place = best[top][1]
    read = place >= 0 and totals[top] > LEAST
    confidence = _confidence(totals, top, second) if read else 0.0
    unsure = _doubt(confidence, totals, top, second, named, message, against, read)
    support = tuple(_evidence(units, said, top, second, named, off))
    given, unit = (CLASSES[top], units[place]) if read else (None, None)
    return Verdict(given, unit, support, confidence, unsure, message, narrative, against, totals)


def _confidence(totals: Sequence[float], top: int, second: int) -> float:
    """How often a reading with such an account is right.

    A logistic fit on the tuning half of the desk notes, read with parts of the lexicon taken away, so that there
    were enough wrong readings to fit to: 35, 50 or 65% of the terms gone, 6 to 20% wrong. Fitted on one writer it
    held on the other (Brier scores 0.07 and 0.06), and was then set a little lower.
    On a writer whose notes it had not been tuned on it was too sure: Brier score 0.19 (tests/data/desk_notes).
    """
    lead = totals[top] - max(totals[second], 0.0)
    return 1.0 / (1.0 + exp(-(BIAS + PER_POINT * min(totals[top], 6.0) + PER_MARGIN * min(lead, 4.0))))


def _doubt(  # noqa: PLR0917 the account, in parts
    confidence: float,
    totals: Sequence[float],
    top: int,
    second: int,
    named: int,
    message: Sequence[float],
    against: Sequence[float],
    read: bool,
) -> str:
    """Why a call may be worth its price; empty where it is not."""
    if not read:
        return "nothing in message, notes or trail establishes a class"
    disagree = named not in (-1, top) and message[named] > 1.0 and against[named] <= 1.0
    if confidence >= (DISAGREED if disagree else THIN):
        return ""
    if disagree:
        return f"the message names {CLASSES[named]}, the notes and trail point to {CLASSES[top]}"
    if totals[second] > LEAST:
        return f"{CLASSES[top]} is little ahead of {CLASSES[second]}"
    return f"little speaks for {CLASSES[top]}"


def _evidence(  # noqa: PLR0917
    units: Sequence[Unit], said: Sequence[Said], top: int, second: int, named: int, off: bool
) -> list[Support]:
    """The passages that counted for or against the class given, the runner-up and the class the message names."""
    shown = (top, second, named)
    found: list[Support] = []
    for place, each in enumerate(said):
        if each.edit_off and off and named >= 0:
            found.append(
                Support(units[place].span, CLASSES[named], -EDIT_OFF, "says that the printed edit does not hold")
            )
        if not each.words:
            continue
        for cause, (start, end) in each.words.items():
            if cause not in shown:
                continue
            net = each.supports.get(cause, 0.0) - each.against.get(cause, 0.0)
            if -_COUNTED < net < _COUNTED:
                continue
            words = " ".join(each.tokens[start:end])
            printed = units[place].section is SectionName.MESSAGE
            if net > 0:
                note = f"the printed edit has '{words}'" if printed else f"reports it with '{words}'"
                if each.corrects and not printed:
                    note += ", correcting what stands above"
            else:
                note = f"rules it out or says it is settled: '{words}'"
            found.append(
                Support(
                    units[place].span, CLASSES[cause], round(net * (MESSAGE_SHARE if printed else 1.0), 2), note
                )
            )
    return found
