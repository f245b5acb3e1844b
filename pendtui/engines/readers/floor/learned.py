"""What a trained model makes of a sentence: which class its words speak of, and whether it reports a finding.

Two linear models over single words and pairs of words, trained on desk notes of several writers by
tools/train_reader.py, and one over the record. They see the lexicon's account as well, and weigh it anew.
"""

import json
import re
from collections.abc import Sequence
from functools import cache, lru_cache
from itertools import pairwise
from math import exp, log
from pathlib import Path
from typing import Final, NamedTuple

from pendtui.engines.readers.floor.lexicon import CLASSES
from pendtui.engines.readers.floor.sentences import Said
from pendtui.engines.readers.floor.verdict import Verdict
from pendtui.engines.record import Unit
from pendtui.engines.vocabulary import SectionName

WEIGHTS: Final = Path(__file__).parent.parent / "data" / "learned.json"
SCALE: Final = 32.0
"""A stored weight of this is 1."""
SIZE: Final = len(CLASSES)
SAID: Final = 2 * SIZE + 6
"""How many numbers the lexicon's account of a sentence is given as."""
FEATURES: Final = 17
"""How many numbers speak for a class of a record."""
SECTIONS: Final = (SectionName.MESSAGE, SectionName.NOTES, SectionName.TRAIL)
RULED_OUT: Final = 0.4
"""What is left of a class that the lexicon hears ruled out."""
REMEMBERED: Final = 20_000
"""Sentences whose account is kept."""

_WORD: Final = re.compile(r"[a-z]+|[0-9]+")
_ENDINGS: Final = ("ations", "ation", "ings", "ing", "edly", "ed", "ies", "es", "s", "ly", "er")
_SAME: Final = {
    word: name
    for name, words in {
        "member": "mbr mem",
        "patient": "pt",
        "provider": "prov provs",
        "doctor": "dr",
        "authorization": "auth auths authorisation authorized preauth preauthorization precert precertification"
        " cert pa",
        "eligible": "elig eligibility",
        "dateofservice": "dos",
        "claim": "clm clms",
        "duplicate": "dup dupe duplicates",
        "modifier": "mod",
        "diagnosis": "dx",
        "procedure": "proc",
        "record": "rec recs records mr",
        "documents": "docs docu",
        "insurance": "ins",
        "primary": "prim",
        "medical": "med",
        "explanation": "eob",
        "schedule": "sched",
        "credentialing": "cred creds",
        "service": "svc svcs",
        "hospital": "hosp",
        "facility": "fac",
        "treatment": "tx",
        "referral": "ref",
        "required": "req reqd",
        "received": "recd rcvd",
        "with": "w",
        "without": "wo",
    }.items()
    for word in words.split()
}
"""Abbreviations of the desk and what they stand for."""


class Weights(NamedTuple):
    """The trained numbers. Rows hold one a class, and one for being a finding."""

    terms: dict[str, tuple[float, ...]]
    said: tuple[tuple[float, ...], ...]
    bias: tuple[float, ...]
    sections: tuple[float, float, float]
    record: tuple[float, ...]
    sharpness: float
    """What the record's points are multiplied by, so that the shares are as often right as they say."""


class Heard(NamedTuple):
    """A sentence's account: the share of each class in what it speaks of, and its points for being a finding."""

    topics: tuple[float, ...]
    finding: float


class Points(NamedTuple):
    """A record's account."""

    shares: tuple[float, ...]
    """How likely each class is the cause; they add up to 1."""
    scores: tuple[tuple[float, ...], ...]
    """For each sentence, how much it reports a finding of each class: 0 to 1."""


def terms(sentence: str) -> list[str]:
    """What the models know a sentence by: word stems, pairs of neighbours, and the beginnings of long words."""
    text = sentence.lower().replace("’", "'").replace("n't", " not").replace("'s", "").replace("'", "")
    words = [_known(word) for word in _WORD.findall(text)]
    stems = [stem for stem, _ in words]
    found = [*stems, *map(" ".join, pairwise(stems)), *(beginning for _, beginning in words if beginning)]
    return list(dict.fromkeys(found))


def account(said: Said) -> list[float]:
    """The lexicon's account of a sentence as SAID numbers."""
    numbers = [0.0] * SAID
    for cause, points in said.supports.items():
        numbers[cause] = min(points, 4.0) / 2
    for cause, points in said.against.items():
        numbers[SIZE + cause] = min(points, 4.0) / 2
    numbers[2 * SIZE :] = (
        float(said.settles),
        float(said.edit_off),
        float(said.corrects),
        float(said.bait),
        min(max(said.supports.values(), default=0.0), 4.0) / 2,
        min(max(said.against.values(), default=0.0), 4.0) / 2,
    )
    return numbers


class Model:
    """The trained models, asked sentence by sentence and then for the record."""

    def __init__(self, weights: Weights) -> None:
        self._weights = weights
        self._remembered: dict[str, Heard] = {}

    @property
    def section_points(self) -> tuple[float, float, float]:
        """What message, notes and trail add to a sentence's points for being a finding."""
        return self._weights.sections

    def hear(self, sentence: str, said: Said) -> Heard:
        """A sentence's account. `said` is the lexicon's of the same sentence."""
        heard = self._remembered.get(sentence)
        if heard is None:
            if len(self._remembered) >= REMEMBERED:
                self._remembered.clear()
            heard = self._remembered[sentence] = self._hear(sentence, said)
        return heard

    def _hear(self, sentence: str, said: Said) -> Heard:
        weights = self._weights
        rows = [row for term in terms(sentence) if (row := weights.terms.get(term)) is not None]
        points = [sum(column) for column in zip(weights.bias, *rows, strict=True)]
        for number, row in zip(account(said), weights.said, strict=True):
            if number:
                for at, weight in enumerate(row):
                    points[at] += number * weight
        topics = _shares(points[:SIZE])
        if said.against:
            topics = tuple(
                topic * RULED_OUT
                if said.against.get(cause, 0.0) > max(1.0, said.supports.get(cause, 0.0))
                else topic
                for cause, topic in enumerate(topics)
            )
        return Heard(topics, points[SIZE])

    def weigh(
        self,
        units: Sequence[Unit],
        heard: Sequence[Heard],
        by_lexicon: Verdict,
    ) -> Points:
        """A record's account, from that of its sentences and the lexicon's totals for the record."""
        sections = [SECTIONS.index(unit.section) for unit in units]
        scores = []
        for each, section in zip(heard, sections, strict=True):
            sure = _sure(each.finding + self._weights.sections[section])
            scores.append(tuple(topic * sure for topic in each.topics))
        rows = record_rows(sections, heard, scores, self._weights.sections, by_lexicon)
        points = [
            self._weights.sharpness * sum(n * w for n, w in zip(row, self._weights.record, strict=True))
            for row in rows
        ]
        return Points(_shares(points), tuple(scores))


def record_rows(
    sections: Sequence[int],
    heard: Sequence[Heard],
    scores: Sequence[Sequence[float]],
    bias: Sequence[float],
    by_lexicon: Verdict,
) -> list[list[float]]:
    """What speaks for each class of a record, as FEATURES numbers a class."""
    rows = []
    unlike = [1.0 - _sure(each.finding + bias[section]) for section, each in zip(sections, heard, strict=True)]
    for cause in range(SIZE):
        best = [0.0] * 6
        topic, mean, mentioned, spoken = 0.0, 0.0, 0.0, 0
        for section, each, score, other in zip(sections, heard, scores, unlike, strict=True):
            value, speaks = score[cause], each.topics[cause]
            at = 2 * section
            if value > best[at]:
                best[at], best[at + 1] = value, best[at]
            elif value > best[at + 1]:
                best[at + 1] = value
            if section == 0:
                topic = max(topic, speaks)
            else:
                spoken += 1
                mean += speaks
                mentioned = max(mentioned, speaks * other)
        told = max(best[2], best[4])
        rows.append(
            [
                *best,
                min(by_lexicon.message[cause], 6.0) / 3,
                min(by_lexicon.narrative[cause], 6.0) / 3,
                min(by_lexicon.against[cause], 6.0) / 3,
                max(-3.0, min(by_lexicon.totals[cause], 6.0)) / 3,
                float(by_lexicon.cause == CLASSES[cause]),
                log(0.01 + told),
                log(0.01 + max(best[0], told)),
                topic,
                mean / spoken if spoken else 0.0,
                mentioned,
                log(0.01 + topic),
            ]
        )
    return rows


@cache
def shipped_model() -> Model:
    """The models that ship."""
    return Model(weights_of(json.loads(WEIGHTS.read_text(encoding="utf-8"))))


def weights_of(stored: dict[str, list[list[int]] | list[str] | list[float] | float]) -> Weights:
    """Weights as they are stored."""
    names: list[str] = stored["terms"]  # type: ignore[assignment]
    rows: list[list[int]] = stored["rows"]  # type: ignore[assignment]
    said: list[list[float]] = stored["said"]  # type: ignore[assignment]
    first, second, third = stored["sections"]  # type: ignore[misc]
    return Weights(
        {name: tuple(weight / SCALE for weight in row) for name, row in zip(names, rows, strict=True)},
        tuple(tuple(row) for row in said),
        tuple(stored["bias"]),  # type: ignore[arg-type]
        (float(first), float(second), float(third)),  # type: ignore[arg-type]
        tuple(stored["record"]),  # type: ignore[arg-type]
        float(stored["sharpness"]),  # type: ignore[arg-type]
    )


@lru_cache(maxsize=REMEMBERED)
def _known(word: str) -> tuple[str, str]:
    """The stem of a word, and the beginning of a long one; "#" for any number."""
    if word.isdigit():
        return "#", ""
    word = _SAME.get(word, word)
    return _stem(word), f"{word[:5]}*" if len(word) >= 6 else ""


def _stem(word: str) -> str:
    for ending in _ENDINGS:
        if word.endswith(ending) and len(word) - len(ending) >= 4:
            return word[: -len(ending)]
    return word


def _sure(points: float) -> float:
    return 1.0 / (1.0 + exp(-max(-30.0, min(30.0, points))))


def _shares(points: Sequence[float]) -> tuple[float, ...]:
    most = max(points)
    raised = [exp(each - most) for each in points]
    total = sum(raised)
    return tuple(each / total for each in raised)
