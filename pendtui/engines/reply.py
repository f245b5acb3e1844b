"""What a model answered: the text of a reply, taken apart without believing or mending any of it.

Words of the vocabularies are recognised whatever their case and separators, and never guessed at. Each way in
which a reply departs from the shape that was asked for is put into words.
"""

import json
import math
import re
from collections.abc import Iterable, Iterator
from enum import StrEnum
from typing import NamedTuple

from pendtui.engines.prompt import FIELDS
from pendtui.engines.readers import RawAnswers, Reading
from pendtui.engines.vocabulary import CauseClass, ClockState, Release, Resolution

MAX_CHARACTERS = 200_000
"""A longer reply is no answer about one claim and is not searched for one."""

_MAX_STARTS = 200
"""At how many opening braces an object is looked for."""
_MAX_SHOWN = 40
"""How much of a reply's own text a departure repeats."""
_MAX_EXTRA = 5
"""How many fields that were not asked for are named."""

_SEPARATORS = re.compile(r"[\s_\-\u2010-\u2015\u2212]+")
_FENCE_OPENS = re.compile(r"```[\w+-]*[ \t\r]*\n?\s*\Z")
_FENCE_CLOSES = re.compile(r"\A\s*```")
_LONE_SURROGATE = re.compile(r"[\ud800-\udfff]")

WORDS: dict[str, type[StrEnum]] = {
    "cause_class": CauseClass,
    "resolution": Resolution,
    "clock": ClockState,
    "release": Release,
}
"""The fields that are a word of a vocabulary."""


class Reply(NamedTuple):
    """A reply as it was understood."""

    cause: CauseClass | None
    """None where no class was given or the word is none of the eight."""
    citation: str | None
    """The quote to the letter; None where it is null, missing, empty or no text."""
    confidence: float | None
    """0 to 1; None where the reply gives no such number."""
    why: str | None
    raw: RawAnswers
    departures: tuple[str, ...] = ()
    """Every way in which the reply is not what was asked for, in words of plain ASCII. Empty for a perfect one."""


class ReplyFault(NamedTuple):
    """Why a reply holds no answer."""

    what: str


def read_reply(text: str, answer_from_reasoning: bool = False) -> Reply | ReplyFault:
    """The answer in a reply, or why there is none. Never raises.

    The object may stand in a code fence, in a list, in another object or amid other text. Two objects with
    different answers are no answer. A field that is given twice with different values counts as not given,
    except that an AUTO-RELEASE among them is kept, so that a false release is never counted away.
    """
    try:
        return _read(text, answer_from_reasoning)
    except RecursionError:
        return ReplyFault("the reply is nested too deeply")


def reading_of(reply: Reply) -> Reading:
    """The reply as a reading for the recheck, which keeps the cause class and searches for the quote."""
    return Reading(
        arm="model",
        cause=reply.cause,
        quote=reply.citation,
        confidence=reply.confidence,
        raw=reply.raw,
    )


def _read(text: str, answer_from_reasoning: bool) -> Reply | ReplyFault:
    if not text.strip("\ufeff \t\r\n"):
        return ReplyFault("the reply is empty")
    if len(text) > MAX_CHARACTERS:
        return ReplyFault(f"the reply has {len(text):,} characters, more than {MAX_CHARACTERS:,}")
    found = [each for each in _objects(text) if any(_field(key) for key, _ in each.pairs)]
    if not found:
        if "{" not in text:
            return ReplyFault("the reply holds no JSON object")
        return ReplyFault("the reply holds no whole JSON object with the fields asked for")
    if any(repr(each.pairs) != repr(found[0].pairs) for each in found):
        return ReplyFault("the reply holds two objects with different answers")
    departures = ["the answer stood in the reasoning, not in the content"] if answer_from_reasoning else []
    if len(found) > 1:
        departures.append(f"the object is given {len(found)} times")
    else:
        departures += _surroundings(text, found[0])
    return _answers(found[0].pairs, departures)


class _Pairs(tuple[tuple[str, object], ...]):
    """An object's keys and values as written, twice where they are written twice."""

    __slots__ = ()


class _Found(NamedTuple):
    pairs: _Pairs
    start: int
    end: int
    strict: bool
    """Whether it is JSON to the letter: no bare control characters inside its texts."""


def _number(digits: str) -> int | float:
    return int(digits) if len(digits) <= 18 else float(digits)


_STRICT, _LENIENT = (
    json.JSONDecoder(object_pairs_hook=_Pairs, parse_int=_number, strict=strict) for strict in (True, False)
)


def _objects(text: str) -> Iterator[_Found]:
    """The objects in a text, from left to right, outer ones before those inside them."""
    at = -1
    for _ in range(_MAX_STARTS):
        at = text.find("{", at + 1)
        if at < 0:
            return
        for decoder in (_STRICT, _LENIENT):
            try:
                pairs, end = decoder.raw_decode(text, at)
            except (ValueError, RecursionError):
                continue
            yield _Found(pairs, at, end, decoder is _STRICT)
            if any(_field(key) for key, _ in pairs):
                at = end - 1
            break


def _surroundings(text: str, found: _Found) -> list[str]:
    departures = []
    before, after = text[: found.start].lstrip("\ufeff"), text[found.end :]
    opened = _FENCE_OPENS.search(before)
    if opened:
        departures.append("the object stands in a code fence")
        before, after = before[: opened.start()], _FENCE_CLOSES.sub("", after)
    before, after = before.strip(), after.strip()
    if before == "[" and after == "]":
        departures.append("the object stands in a list")
    elif before.startswith(("{", "[")) and after.endswith(("}", "]")):
        departures.append("the object stands inside another value")
    else:
        if before:
            departures.append("there is text before the object")
        if after:
            departures.append("there is text after the object")
    if not found.strict:
        departures.append("a text of the object holds bare control characters")
    return departures


def _answers(pairs: _Pairs, departures: list[str]) -> Reply:
    given: dict[str, list[object]] = {}
    extra = [key for key, _ in pairs if _field(key) is None]
    departures += [f"{_shown(key)} was not asked for" for key in extra[:_MAX_EXTRA]]
    if len(extra) > _MAX_EXTRA:
        departures.append(f"{len(extra) - _MAX_EXTRA} more fields were not asked for")
    for key, value in pairs:
        field = _field(key)
        if field is None:
            continue
        if key != field:
            departures.append(f"{field} is written {_shown(key)}")
        given.setdefault(field, []).append(value)
    values = {field: _single(field, given.get(field, []), departures) for field in FIELDS}
    words = {field: _word(field, values[field], departures) for field in WORDS}
    texts = {field: _text(field, values[field], departures) for field in ("citation", "why")}
    cause, citation = words["cause_class"], texts["citation"]
    if citation is not None and not citation.strip():
        departures.append("citation is empty")
    confidence = _confidence(values["confidence"], departures)
    return Reply(
        cause=CauseClass(cause) if cause in set(CauseClass) else None,
        citation=citation if citation and citation.strip() else None,
        confidence=confidence,
        why=texts["why"],
        raw=RawAnswers(
            cause_class=cause,
            citation=citation,
            resolution=words["resolution"],
            clock=words["clock"],
            release=words["release"],
            confidence=confidence,
            why=texts["why"],
        ),
        departures=tuple(departures),
    )


_MISSING = object()
_UNCLEAR = object()


def _single(field: str, values: list[object], departures: list[str]) -> object:
    """The one value of a field; _MISSING without one, _UNCLEAR where it is given with different ones."""
    if not values:
        departures.append(f"{field} is missing")
        return _MISSING
    if len(values) == 1:
        return values[0]
    departures.append(f"{field} is given {len(values)} times")
    if all(repr(value) == repr(values[0]) for value in values):
        return values[0]
    if field == "release":
        for value in values:
            if isinstance(value, str) and folded(value, Release) == Release.AUTO_RELEASE:
                return value
    departures.append(f"{field} has different values and counts as not given")
    return _UNCLEAR


def _word(field: str, value: object, departures: list[str]) -> str | None:
    """A word of the field's vocabulary in its own spelling; another word as it is written."""
    said = _text(field, value, departures, nullable=False)
    if said is None:
        return None
    word = folded(said, WORDS[field])
    if word is None:
        departures.append(f"{field} is {_shown(said)}, which is none of its words")
        return said
    if word != said:
        departures.append(f"{field} is written {_shown(said)}")
    return word


def folded(said: str, words: Iterable[StrEnum]) -> str | None:
    """The word of a vocabulary that was meant, whatever its case and separators: `auto release` is AUTO-RELEASE."""
    joined = _SEPARATORS.sub("-", said.strip()).strip("-")
    if not joined.isascii():
        return None
    return next((str(word) for word in words if word == joined.upper()), None)


def _text(field: str, value: object, departures: list[str], nullable: bool = True) -> str | None:
    if value is _MISSING or value is _UNCLEAR:
        return None
    if value is None:
        if not (nullable and field == "citation"):
            departures.append(f"{field} is null")
        return None
    if not isinstance(value, str):
        departures.append(f"{field} is {_kind(value)}, not text")
        return None
    if _LONE_SURROGATE.search(value):
        departures.append(f"{field} holds half of a surrogate pair")
        return _LONE_SURROGATE.sub(lambda half: f"\\u{ord(half[0]):04x}", value)
    return value


def _confidence(value: object, departures: list[str]) -> float | None:
    if value is _MISSING or value is _UNCLEAR:
        return None
    if value is None:
        departures.append("confidence is null")
        return None
    if isinstance(value, bool) or not isinstance(value, int | float):
        departures.append(f"confidence is {_kind(value)}, not a number")
        return None
    if not math.isfinite(value):
        departures.append("confidence is not a finite number")
        return None
    if not 0 <= value <= 1:
        departures.append(f"confidence is {value:.6g}, not from 0 to 1")
        return None
    return float(value)


def _kind(value: object) -> str:
    if isinstance(value, _Pairs):
        return "an object"
    if isinstance(value, bool):
        return "true or false"
    if isinstance(value, list):
        return "a list"
    return "a number" if isinstance(value, int | float) else "text"


def _field(key: str) -> str | None:
    """The field that a key names, whatever its case and separators."""
    if key in FIELDS:
        return key
    name = _SEPARATORS.sub("_", key.strip()).lower()
    return name if name in FIELDS else None


def _shown(text: str) -> str:
    """A reply's own text in ASCII, shortened, so that it can stand in a message."""
    short = text if len(text) <= _MAX_SHOWN else text[: _MAX_SHOWN - 3] + "..."
    return json.dumps(short)
