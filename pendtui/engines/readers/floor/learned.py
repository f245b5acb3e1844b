"""What trained models make of a sentence: which class its words speak of, and what it does with it.

Linear models over single words and pairs of neighbours, trained on desk notes of many writers by
tools/train_reader.py. In a printed edit they see the lexicon's account as well.
"""

import json
import re
import zlib
from base64 import b64decode
from collections.abc import Iterable, Sequence
from functools import cache, lru_cache
from itertools import pairwise
from math import exp, log
from pathlib import Path
from struct import Struct
from typing import Any, Final, NamedTuple

from pendtui.engines.readers.floor.lexicon import CLASSES
from pendtui.engines.readers.floor.sentences import Said

WEIGHTS: Final = Path(__file__).parent.parent / "data" / "learned.json"
SIZE: Final = len(CLASSES)
HEADS: Final = SIZE + 3
"""What a term has a weight for: each class, and being a finding, ruling out, hinting."""
FINDING, RULES_OUT, HINTS = range(SIZE, HEADS)
SAID: Final = 2 * SIZE + 6
"""How many numbers the lexicon's account of a sentence is given as."""
FORM: Final = 5
"""How many numbers describe a sentence's outward form."""
SCALE: Final = 64.0
"""A stored weight of this is 1."""
ZERO: Final = 512
"""Stored weights have this added, so that none is below 0 and a row is one whole number."""
USUAL_TERMS: Final = 25.0
LENGTH_POWER: Final = -0.3
"""The words of a sentence count less the more there are of them: by the number of its terms to this power."""
OF_ACCOUNT: Final = 0.003
"""A class's share in a sentence from which on its own hints are kept from counting twice."""
SHORT, LONG = 5, 20
"""Words below and above which a sentence is a short or a long one."""

_ROW: Final = Struct(f"<{HEADS + 1}I")
_WORD: Final = re.compile(r"[a-z]+|[0-9]+")
_PUNCTUATION: Final = ".,;:!?()[]\"'“”‘’"
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
    """The trained numbers of the sentence models."""

    terms: dict[str, int]
    """For each term its weights, one a head, as one whole number; a 1 stands in front, which counts the terms."""
    said: tuple[tuple[float, ...], ...]
    """For each number of the lexicon's account its weights, one a head."""
    bias: tuple[float, ...]
    scales: tuple[float, float, float, float]
    """What the points of classes, finding, ruling out and hinting are multiplied by once a record is weighed."""


class Heard(NamedTuple):
    """A sentence's account."""

    shares: tuple[float, ...]
    """The share of each class in what it speaks of; they add up to 1."""
    main: tuple[tuple[int, float], ...]
    """The classes with a share of any account, each with it."""
    finding: float
    """Points for reporting a finding; above 0 it rather does."""
    rules_out: float
    """Points for saying that something is in order, settled or beside the point."""
    hints: float
    """Points for what it speaks of to be the matter, as where the claim was sent to."""
    form: tuple[float, ...]
    """Its outward form: length, short, long, whether it has a number, whether it begins in lower case."""
    reports: float
    """How likely it reports a finding, by its words alone: 0 to 1."""


def terms(sentence: str) -> set[str]:
    """What the models know a sentence by: word stems and pairs of neighbours."""
    found = set(stems := _stems(sentence))
    found.update(map(" ".join, pairwise(stems)))
    return found


def _stems(text: str) -> list[str]:
    text = text.lower().replace("’", "'").replace("n't", " not").replace("'s", "").replace("'", "")
    return [*map(_known, _WORD.findall(text))]


def as_written(sentence: str) -> dict[str, str]:
    """The words of a sentence, or two neighbours, by the term that the models know them by."""
    words = [word.strip(_PUNCTUATION) for word in sentence.split()]
    placed = [(stem, at) for at, word in enumerate(words) for stem in _stems(word)]
    found = {stem: words[at] for stem, at in reversed(placed)}
    for (first, at), (second, after) in pairwise(placed):
        found.setdefault(f"{first} {second}", words[at] if at == after else f"{words[at]} {words[after]}")
    return found


def form(sentence: str) -> tuple[float, ...]:
    """A sentence's outward form as FORM numbers."""
    words = sentence.split()
    count = len(words)
    return (
        log(1 + count) / 2 - 1,
        float(count < SHORT),
        float(count > LONG),
        float(any(map(_HAS_DIGIT, words))),
        float(bool(words) and words[0][0].islower()),
    )


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


def length_factor(count: int) -> float:
    """What the words of a sentence count that has so many known terms."""
    return float(((count + 1) / USUAL_TERMS) ** LENGTH_POWER)


def likely(points: float) -> float:
    """Points as a likelihood: 0 to 1."""
    return 1.0 / (1.0 + exp(-max(-30.0, min(30.0, points))))


class SentenceModel:
    """The trained models, asked sentence by sentence."""

    def __init__(self, weights: Weights) -> None:
        self._weights = weights

    def hear(self, sentence: str, said: Said | None = None) -> Heard:
        """A sentence's account. `said` is the lexicon's, where that is to count."""
        return self.hear_numbers(sentence, account(said) if said is not None else ())

    def hear_numbers(self, sentence: str, said: Sequence[float]) -> Heard:
        """The same with the lexicon's account as numbers, or none."""
        weights = self._weights
        points = self._points(terms(sentence))
        for number, row in zip(said, weights.said, strict=False):
            if number:
                points = [each + number * weight for each, weight in zip(points, row, strict=True)]
        scales = weights.scales
        shares = shares_of([each * scales[0] for each in points[:SIZE]])
        return Heard(
            shares,
            tuple([(cause, share) for cause, share in enumerate(shares) if share >= OF_ACCOUNT]),
            points[FINDING] * scales[1],
            points[RULES_OUT] * scales[2],
            points[HINTS] * scales[3],
            form(sentence),
            likely(points[FINDING]),
        )

    def _points(self, found: Iterable[str]) -> list[float]:
        get = self._weights.terms.get
        total = sum([row for term in found if (row := get(term)) is not None])
        count, *sums = _ROW.unpack(total.to_bytes(_ROW.size, "little"))
        zero, factor = ZERO * count, length_factor(count) / SCALE
        return [(each - zero) * factor + bias for each, bias in zip(sums, self._weights.bias, strict=True)]

    def telling(self, sentence: str, cause: int, most: int = 3) -> list[str]:
        """The words of a sentence that spoke most for a class's being found, as written, the strongest first."""
        get = self._weights.terms.get
        worth = []
        for term, written in sorted(as_written(sentence).items()):
            row = get(term)
            if row is None:
                continue
            _, *weights = _ROW.unpack(row.to_bytes(_ROW.size, "little"))
            points = weights[cause] - sum(weights[:SIZE]) / SIZE + (weights[FINDING] - ZERO) / 2
            if points > 0:
                worth.append((-points, written))
        return [written for _, written in sorted(worth)[:most]]


def weights_of(stored: dict[str, Any]) -> Weights:
    """Weights as they are stored."""
    names: list[str] = zlib.decompress(b64decode(stored["terms"])).decode().split("\n")
    rows = zlib.decompress(b64decode(stored["rows"]))
    size = _ROW.size
    numbers = [int.from_bytes(rows[at : at + size], "little") for at in range(0, len(rows), size)]
    first, second, third, fourth = stored["scales"]
    return Weights(
        dict(zip(names, numbers, strict=True)),
        tuple(map(tuple, stored["said"])),
        tuple(stored["bias"]),
        (first, second, third, fourth),
    )


def packed(rows: Sequence[Sequence[int]]) -> bytes:
    """Rows of stored weights as they are kept: a 1, then one a head, each with ZERO added."""
    return b"".join(_ROW.pack(1, *(weight + ZERO for weight in row)) for row in rows)


@cache
def stored_weights() -> dict[str, Any]:
    """The trained numbers that ship, as they are stored."""
    found: dict[str, Any] = json.loads(WEIGHTS.read_bytes())
    return found


@lru_cache(maxsize=20_000)
def _known(word: str) -> str:
    """The stem of a word; "#" for any number."""
    if word.isdigit():
        return "#"
    word = _SAME.get(word, word)
    for ending in _ENDINGS:
        if word.endswith(ending) and len(word) - len(ending) >= 4:
            return word[: -len(ending)]
    return word


_HAS_DIGIT: Final = re.compile(r"[0-9]").search


def shares_of(points: Sequence[float]) -> tuple[float, ...]:
    """Points as likelihoods that add up to 1."""
    most = max(points)
    raised = [exp(each - most) for each in points]
    total = sum(raised)
    return tuple([each / total for each in raised])
