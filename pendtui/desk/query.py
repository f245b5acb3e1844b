"""The filter line of the queue: words that all have to match, and the table of what each of them means."""

import json
import re
from collections.abc import Collection, Iterator, Mapping
from datetime import date
from typing import NamedTuple

from pendtui.errors import PendtuiError


class FilterError(PendtuiError):
    """A filter line with a word that cannot be understood; the message names the word."""


class Word(NamedTuple):
    """One word of the filter line."""

    name: str
    help: str
    """Which claims it lets through."""
    sql: str
    """The condition, or for a word that takes a value, the expression that the value is held against."""
    takes: str = ""
    """What has to follow the colon: TEXT, NAME, NUMBER or DAY; empty for a word that stands alone."""

    @property
    def shown(self) -> str:
        """The word as help prints it."""
        return f"{self.name}:{self.takes}" if self.takes else self.name


STALE = "(COALESCE(c.status, '') != '' AND (c.record_sha256 != record.sha256 OR c.policy_sha256 != :policy))"
"""The condition that record or policy has changed since the decision."""
OPEN = "(record.fault = '' AND COALESCE(c.status, '') = '')"
"""The condition that a claim is sound and not decided."""
DUE = "(c.waiting = 'waiting' AND c.due_on != '' AND c.due_on <= :today)"
"""The condition that a request is out whose answer was expected by today."""

WORDS: tuple[Word, ...] = (
    Word("breached", "past the deadline", "{days} < 0"),
    Word("escalate", "not past it, and within the policy's window", "{days} BETWEEN 0 AND {window}"),
    Word("within", "further from the deadline than the window", "{days} > {window}"),
    Word("open", "sound and not decided", OPEN),
    Word("accepted", "decided as proposed", "c.status = 'accepted'"),
    Word("changed", "decided with other answers than proposed", "c.status = 'changed'"),
    Word("parked", "set aside with a note", "c.status = 'parked'"),
    Word("second", "waiting for another examiner's second look", "c.status = 'second look'"),
    Word("faulty", "record or row is faulty", "record.fault != ''"),
    Word("stale", "record or policy has changed since the decision", STALE),
    Word("unsure", "the offline reader is unsure, so that a call may be worth its price", "record.unsure != ''"),
    Word("mine", "assigned to me, or to a queue that I work", "c.assignee IN (SELECT value FROM json_each(:me))"),
    Word("unassigned", "assigned to nobody", "COALESCE(c.assignee, '') = ''"),
    Word("waiting", "a request is out and unanswered", "c.waiting = 'waiting'"),
    Word("due", "the answer was expected by today", DUE),
    Word("answer", "the answer is in, and nothing was decided since", "c.waiting = 'answer in'"),
    Word("inuse", "open in another program now", "EXISTS (SELECT 1 FROM lease l WHERE l.record_id = record.id)"),
    Word("by", "decided by", "COALESCE(c.by, '') || ' ' || COALESCE(c.who, '')", "NAME"),
    Word("for", "assigned to", "COALESCE(c.assignee, '')", "NAME"),
    Word("lob", "line of business", "record.line_of_business", "TEXT"),
    Word("cause", "cause class", "COALESCE(NULLIF(record.cause, ''), 'not read')", "TEXT"),
    Word("resolution", "proposed resolution", "COALESCE(NULLIF(record.resolution, ''), 'blocked')", "TEXT"),
    Word("evidence", "what the register holds", "COALESCE(NULLIF(record.evidence, ''), 'unknown')", "TEXT"),
    Word("queue", "queue that the record names", "record.queue_name", "TEXT"),
    Word("type", "claim type that the record prints", "record.claim_type", "TEXT"),
    Word("rule", "resolution rule or clock rule", "record.rule || ' ' || record.clock_rule", "TEXT"),
    Word("age", "days since receipt, such as 12, >30, <=60 or 31-60", "{age}", "NUMBER"),
    Word("left", "days left, such as <=5; past the deadline they are negative", "{days}", "NUMBER"),
    Word("received", "received on, or the beginning of the date, such as 2026-08", "record.received_on", "DAY"),
)
"""Every word that is more than text to be found. `-` in front of any word, or of text, turns it round."""

_BY_NAME: Mapping[str, Word] = {word.name: word for word in WORDS}
_SAME = {"escalate-now": "escalate", "within-clock": "within"}
_KEYS = ", ".join(f"{word.name}:" for word in WORDS if word.takes)

_TERM = re.compile(r'(-?)(?:([^\s":]+):)?(?:"([^"]*)"?|(\S+))?')
_NUMBER = re.compile(r"(>=|<=|>|<|=|)(-?\d{1,9})")
_RANGE = re.compile(r"(-?\d{1,9})-(-?\d{1,9})")
_DAY_START = re.compile(r"\d{1,4}|\d{4}-(\d{1,2})?|\d{4}-\d{2}-(\d{1,2})?")


class Term(NamedTuple):
    """One term of a filter line."""

    negated: bool
    key: str
    """The word before the colon; empty without one."""
    value: str
    quoted: bool


class Setting(NamedTuple):
    """What the words are read against: SQL for the days left and the age of a claim, and who asks when."""

    days: str
    age: str
    window: int
    policy_sha256: str
    me: Collection[str]
    """The names that claims of mine are assigned to: my system user, and the queues that I work."""
    today: date


def terms(line: str) -> Iterator[Term]:
    """The terms of a filter line. Double quotes keep spaces together and make any word mere text."""
    at = 0
    while at < len(line):
        if line[at].isspace():
            at += 1
            continue
        found = _TERM.match(line, at)
        assert found is not None
        at = max(found.end(), at + 1)
        sign, key, quoted, plain = found.groups()
        if key is None and quoted is None and plain is None:
            yield Term(False, "", sign, True)
        else:
            value = (quoted if quoted is not None else plain) or ""
            yield Term(bool(sign), (key or "").lower(), value, quoted is not None)


def condition(line: str, setting: Setting) -> tuple[str, dict[str, object]]:
    """A filter line as one SQL condition and its values; an empty line lets everything through ("").

    Raises FilterError naming the term that is not understood.
    """
    values: dict[str, object] = {
        "policy": setting.policy_sha256,
        "me": json.dumps(list(setting.me)),
        "today": setting.today.isoformat(),
    }
    conditions = []
    for n, term in enumerate(terms(line)):
        sql = _condition(term, f"v{n}", values).format(days=setting.days, age=setting.age, window=setting.window)
        conditions.append(f"({sql}) IS NOT TRUE" if term.negated else f"({sql})")
    return " AND ".join(conditions), values


def _condition(term: Term, name: str, values: dict[str, object]) -> str:
    if not term.key:
        word = _BY_NAME.get(_SAME.get(term.value.lower(), term.value.lower()))
        if word is not None and not word.takes and not term.quoted:
            return word.sql
        values[name] = term.value.lower()
        return (
            f"instr(record.search, :{name}) > 0 OR instr(lower(COALESCE(c.by, '')), :{name}) > 0"
            f" OR instr(COALESCE(c.who, ''), :{name}) > 0 OR instr(COALESCE(c.assignee, ''), :{name}) > 0"
        )
    word = _BY_NAME.get(term.key)
    if word is None or not word.takes:
        raise FilterError(
            f"'{term.key}:' is no filter word",
            remedy=f'Those with a colon are {_KEYS}; put text with a colon in quotes, as in "{term.key}:…"',
        )
    if not term.value:
        raise FilterError(f"{word.name}: needs a value", remedy=f"It takes {word.takes}: {word.help}")
    if word.takes == "NUMBER":
        return _number(word, term.value, name, values)
    if word.takes == "DAY":
        if not _DAY_START.fullmatch(term.value):
            raise FilterError(
                f"{word.name}: '{term.value}' is no date or beginning of one",
                remedy="Write 2026-08-10, 2026-08 or 2026",
            )
        values[name] = term.value
        return f"substr({word.sql}, 1, {len(term.value)}) = :{name}"
    values[name] = _lower(term.value)
    return f"instr(lower({word.sql}), :{name}) > 0"


def _number(word: Word, text: str, name: str, values: dict[str, object]) -> str:
    if (found := _NUMBER.fullmatch(text)) is not None:
        values[name] = int(found[2])
        return f"{word.sql} {found[1] or '='} :{name}"
    if (found := _RANGE.fullmatch(text)) is not None:
        values[name], values[f"{name}_to"] = int(found[1]), int(found[2])
        return f"{word.sql} BETWEEN :{name} AND :{name}_to"
    raise FilterError(
        f"{word.name}: '{text}' is no number of days", remedy="Write 30, >30, >=30, <30, <=30 or 31-60"
    )


def _lower(text: str) -> str:
    """Lower case as the database makes it: of ASCII letters only."""
    return "".join(char.lower() if char.isascii() else char for char in text)
