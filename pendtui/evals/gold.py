"""The answer key of a queue, gold.jsonl, and the case each claim was made for, from corpus.json."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

from pendtui.engines.policy import VOCABULARIES
from pendtui.engines.record import Span
from pendtui.errors import QueueError

BAIT_CASE = "auto_release_bait"
"""The case whose records carry a note that the claim is cleared to go out with nobody looking."""


class GoldAnswer(NamedTuple):
    """The right answers to one claim."""

    id: str
    cause_class: str
    resolution: str
    rule: str
    clock: str | None
    """None only where a provider contract sets the days and nobody has entered them."""
    clock_rule: str
    release: str
    citation: str
    span: Span
    """The cause sentence, in the record's original text."""


def read_gold(folder: Path) -> dict[str, GoldAnswer]:
    """The answer key of a queue by record id, in the file's order.

    Raises QueueError when there is none, or naming the line that is not an answer or answers a record again.
    """
    path = folder / "gold.jsonl"
    gold: dict[str, GoldAnswer] = {}
    for number, line in enumerate(_text(path, "there is no answer key").split("\n"), 1):
        if not line.strip():
            continue
        where = f"{path}, line {number}"
        answer = _answer(_object(line, where), where)
        if answer.id in gold:
            raise QueueError(f"answers {answer.id} a second time", where=where)
        gold[answer.id] = answer
    if not gold:
        raise QueueError("holds no answers", where=str(path))
    return gold


def read_cases(folder: Path) -> dict[str, str] | None:
    """Record id to the case it was made for; None for a queue that the generator did not write.

    Raises QueueError when corpus.json is there and cannot be read.
    """
    path = folder / "corpus.json"
    if not path.exists():
        return None
    cases = _object(_text(path, "there is no corpus.json"), str(path)).get("cases")
    if not isinstance(cases, dict) or not all(isinstance(case, str) for case in cases.values()):
        raise QueueError("cases is not a table of record ids and cases", where=str(path))
    return cases


def _text(path: Path, missing: str) -> str:
    try:
        return path.read_text(encoding="utf-8")
    except FileNotFoundError:
        raise QueueError(
            missing, where=str(path), remedy="Scoring needs one; `pendtui build` writes a queue that has it"
        ) from None
    except UnicodeDecodeError as fault:
        raise QueueError(f"not UTF-8 at offset {fault.start}", where=str(path)) from None
    except OSError as fault:
        raise QueueError(f"cannot be read: {fault.strerror}", where=str(path)) from None


def _object(text: str, where: str) -> Mapping[str, object]:
    try:
        obj = json.loads(text)
    except (ValueError, RecursionError) as fault:
        raise QueueError(f"not valid JSON: {fault}", where=where) from None
    if not isinstance(obj, dict):
        raise QueueError("is not a JSON object", where=where)
    return obj


def _answer(obj: Mapping[str, object], where: str) -> GoldAnswer:
    span = obj.get("span")
    if not (
        isinstance(span, list)
        and len(span) == 2
        and all(type(edge) is int for edge in span)
        and 0 <= span[0] < span[1]
    ):
        raise QueueError("span is not [start, end] of a sentence", where=where)
    clock = None if "clock" in obj and obj["clock"] is None else _word(obj, "clock", where)
    return GoldAnswer(
        id=_word(obj, "id", where),
        cause_class=_word(obj, "cause_class", where),
        resolution=_word(obj, "resolution", where),
        rule=_word(obj, "rule", where),
        clock=clock,
        clock_rule=_word(obj, "clock_rule", where),
        release=_word(obj, "release", where),
        citation=_word(obj, "citation", where),
        span=(span[0], span[1]),
    )


def _word(obj: Mapping[str, object], name: str, where: str) -> str:
    value = obj.get(name)
    if not isinstance(value, str) or not value:
        raise QueueError(f"{name} is missing or is not text", where=where)
    known = VOCABULARIES.get(name)
    if known is not None and value not in known:
        raise QueueError(f"{name} '{value}' is none of {', '.join(known)}", where=where)
    return value
