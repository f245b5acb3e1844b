"""What one sentence says of each cause class: terms met, what the words around them do to them, and why."""

import re
from typing import Final, NamedTuple

from ahocorasick_rs import AhoCorasick, Implementation, MatchKind

from pendtui.engines.readers.floor import lexicon as words
from pendtui.engines.readers.floor.lexicon import CLASSES, EVERY_CLASS, SMALL_WORDS, Lexicon

BREAK: Final = "|"
"""Stands in folded text where a clause ends."""
_FOLDED: Final = str.maketrans(
    {chr(c): " " for c in range(128) if not chr(c).isalnum()}
    | dict.fromkeys("'`’‘", "")
    | dict.fromkeys(",;:()[]?!—–", f" {BREAK} ")
    | {"&": " and ", ".": f" {BREAK} "}
)
_CODE: Final = re.compile(
    r"\b(carc|rarc|remark code|remark|reason code|co|oa|pr|pi|csc|status code|status|508|stc)\b[ |]{0,4}"
    r"((?:p[0-5] [| ]*)?[a-z]{0,2}\d{1,3}\b(?:[ |]{1,3}[nm]a?\d{1,3}\b)*)"
)
_FAMILY: Final = {
    "carc": "carc", "reason code": "carc", "co": "carc", "oa": "carc", "pr": "carc", "pi": "carc",
    "rarc": "rarc", "remark code": "rarc", "remark": "rarc",
    "csc": "status", "status code": "status", "status": "status", "508": "status", "stc": "status",
}  # fmt: skip
_CODE_WORDS: Final = ("carc ", "rarc ", "remark ", "reason code ", "csc ", "status ", " co ", "508 ", "stc ", " pr ", " oa ")


class Said(NamedTuple):
    """What a sentence says: for and against each class that it speaks of, in points, and the words that did it."""

    against: dict[int, float]
    supports: dict[int, float]
    words: dict[int, str]
    settles: bool
    """It says that something is in order."""
    edit_off: bool
    """It says that the printed edit does not hold."""
    corrects: bool
    """It takes back what was said above, or says what the real reason is."""
    bait: bool
    """It addresses the reader or claims a clearance; nothing in it counts."""


NOTHING: Final = Said({}, {}, {}, settles=False, edit_off=False, corrects=False, bait=False)
BAITED: Final = Said({}, {}, {}, settles=False, edit_off=False, corrects=False, bait=True)


def folded(text: str) -> str:
    """A sentence in lower case with small words and punctuation left out and clause ends marked."""
    lowered = text.lower()
    if "'" in lowered or "’" in lowered:
        lowered = lowered.replace("’", "'").replace("'s ", " ").replace("'s\n", " ")
    return " ".join([word for word in lowered.translate(_FOLDED).split() if word not in SMALL_WORDS]) + " "


class _Topic(NamedTuple):
    start: int
    end: int
    cause: int
    needed: bool
    weight: float
    denied: bool


class _Cue(NamedTuple):
    start: int
    end: int
    cause: int
    points: float
    """Above 0 where it puts things right, below where it puts them wrong, denial already counted in."""
    denied: bool
    absent: bool = False
    """It says that the thing is not there: bad for what is needed, good for what is trouble."""


DENIAL_REACH: Final = 20
"""Characters of folded text over which "no" or "not" still turns a term around, within its clause."""
GENERIC: Final = 1.3
"""A topic of less weight is a word of everyday use ("report", "member"): only what stands close by, or is of its
own class, makes it right or wrong."""
AGAIN: Final = 0.35
"""The share that a second passage of a sentence adds to the first for the same class."""


class Weigher:
    """Weighs sentences by a lexicon. Linear in the length of the text."""

    def __init__(self, lexicon: Lexicon) -> None:
        self._terms = lexicon.terms
        self._roles = lexicon.roles
        self._codes = lexicon.codes
        self._matcher = AhoCorasick(
            lexicon.terms, matchkind=MatchKind.LeftmostLongest, implementation=Implementation.ContiguousNFA
        )

    def weigh(self, sentence: str) -> Said:
        """What one sentence says of each class."""
        text = folded(sentence)
        tally = _Tally(text)
        roles = self._roles
        denied_at = -1000
        for term, start, end in self._matcher.find_matches_as_indexes(text):
            if start and text[start - 1] != " ":
                continue
            denied = start - denied_at <= DENIAL_REACH
            for kind, cause, weight in roles[term]:
                if kind == words.NEEDED or kind == words.TROUBLE:
                    tally.topics.append(_Topic(start, end, cause, kind == words.NEEDED, weight, denied))
                elif kind == words.BAD:
                    tally.cues.append(_Cue(start, end, cause, weight if denied else -weight, denied))
                elif kind == words.GOOD:
                    tally.cues.append(_Cue(start, end, cause, -weight if denied else weight, denied))
                    if weight >= 2.0 and not denied and cause == EVERY_CLASS:
                        tally.settles = True
                elif kind == words.ABSENT:
                    tally.cues.append(_Cue(start, end, cause, weight if denied else -weight, denied, absent=True))
                elif kind == words.FOUND:
                    if denied:
                        tally.rule_out(cause, weight * 0.8, start, end)
                    else:
                        tally.support(cause, weight, start, end)
                elif kind == words.CLEAR:
                    tally.rule_out(cause, weight, start, end)
                elif kind == words.HINT:
                    tally.support(cause, weight * 0.5, start, end)
                elif kind == words.DENY:
                    denied_at = end
                    if tally.topics:
                        tally.denial = start
                elif kind == words.STOP:
                    tally.close()
                    denied_at = -1000
                else:
                    tally.turn(kind, weight, start)
                    if tally.bait:
                        return BAITED
        tally.finish()
        lowered = text
        if any(word in lowered for word in _CODE_WORDS):
            self._read_codes(text, tally)
        return Said(
            tally.against,
            tally.supports,
            tally.words,
            tally.settles,
            tally.edit_off or (tally.edit and tally.settles),
            tally.corrects,
            bait=False,
        )

    def _read_codes(self, text: str, tally: "_Tally") -> None:
        for found in _CODE.finditer(text):
            family = _FAMILY[found[1]]
            for code in found[2].replace("|", " ").split():
                known = self._codes.get(f"{family} {code}")
                if known is None and code[0] in "nm":
                    known = self._codes.get(f"rarc {code}")
                if known is not None:
                    tally.scale = 1.0
                    tally.support(known[0], known[1], found.start(), found.end())


class _Tally:
    """The running account of one sentence."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.supports: dict[int, float] = {}
        self.against: dict[int, float] = {}
        self.words: dict[int, str] = {}
        self.topics: list[_Topic] = []
        self.cues: list[_Cue] = []
        self.carried: list[_Topic] = []
        self.denial = -1
        self.scale = 1.0
        self.elsewhere = False
        self.corrects = False
        self.settles = self.edit = self.edit_off = False
        self.addressed = self.ordered = self.bait = False

    def support(self, cause: int, points: float, start: int, end: int) -> None:
        points *= self.scale
        if self.elsewhere and cause != _DUP:
            points *= 0.25
        before = self.supports.get(cause, 0.0)
        if points > before:
            self.words[cause] = self.text[start:end].strip()
            self.supports[cause] = points + AGAIN * before
        else:
            self.supports[cause] = before + AGAIN * points

    def rule_out(self, cause: int, points: float, start: int, end: int) -> None:
        points *= self.scale
        before = self.against.get(cause, 0.0)
        self.against[cause] = max(points, before) + AGAIN * min(points, before)
        self.words.setdefault(cause, self.text[start:end].strip())

    def turn(self, kind: int, weight: float, start: int) -> None:
        """A word that turns the sentence around or sets it aside."""
        if kind == words.UNLESS:
            self.scale = min(self.scale, 0.2 * weight)
        elif kind == words.DOUBTED:
            self.scale = min(self.scale, 0.4 * weight)
        elif kind == words.ELSEWHERE:
            self.elsewhere = True
        elif kind == words.LABEL:
            if self.topics and self.topics[-1].end == start:
                last = self.topics[-1]
                while self.topics and self.topics[-1].start == last.start:
                    self.topics.pop()
        elif kind == words.CORRECT:
            self.corrects = True
        elif kind == words.EDIT:
            self.edit = True
        elif kind == words.EDIT_OFF:
            self.edit_off = True
        elif kind == words.BAIT:
            self.bait = True
        elif kind == words.ADDRESS:
            self.addressed = True
            self.bait = self.ordered
        elif kind == words.ORDER:
            self.ordered = True
            self.bait = self.addressed

    def close(self) -> None:
        """The clause ends: its cues fall on its topics, or on the topics that the clause before left open."""
        topics, cues = self.topics, self.cues
        if not topics:
            self.denial = -1
            if cues and self.carried:
                for topic in self.carried:
                    self._resolve(topic, cues)
                self.carried = []
            if cues:
                self.cues = []
            return
        self.topics, self.cues = [], []
        if not cues and self.denial < 0 and not any(topic.denied for topic in topics):
            self.carried += topics
            return
        for topic in topics:
            self._resolve(topic, cues)
        self.denial = -1
        if self.carried:
            causes = {topic.cause for topic in topics}
            for topic in self.carried:
                if topic.cause in causes or not cues:
                    self._mention(topic)
                else:
                    self._resolve(topic._replace(weight=topic.weight * 0.5), cues)
            self.carried = []

    def finish(self) -> None:
        """The sentence ends: topics that nothing was said of are mentions."""
        self.close()
        for topic in self.carried:
            self._mention(topic)

    def _resolve(self, topic: _Topic, cues: list[_Cue]) -> None:
        points, met = 0.0, False
        for cue in cues:
            if cue.cause not in (EVERY_CLASS, topic.cause):
                continue
            if not topic.needed and 0 < cue.points <= 1.0 and not cue.absent:
                continue
            met = True
            given = -cue.points if cue.absent and not topic.needed else cue.points
            gap = cue.start - topic.end if cue.start >= topic.end else topic.start - cue.end
            share = given / (1.0 + max(gap, 0) / 40)
            if topic.weight < GENERIC and cue.cause == EVERY_CLASS and gap > 12:
                share *= 0.25
            if topic.denied and not cue.denied:
                share = -share
            points += share * (1.2 if cue.cause == topic.cause else 1.0)
        if not met:
            if topic.denied:
                points = -2.0 if topic.needed else 2.0
            elif topic.needed and 0 <= self.denial - topic.end <= DENIAL_REACH and topic.weight >= GENERIC:
                points = -1.2
            else:
                self._mention(topic)
                return
        size = topic.weight * min(1.6, 0.6 + 0.45 * abs(points))
        if points < -0.2:
            self.support(topic.cause, size, topic.start, topic.end)
        elif points > 0.2:
            self.rule_out(topic.cause, size, topic.start, topic.end)
        else:
            self._mention(topic)

    def _mention(self, topic: _Topic) -> None:
        self.support(topic.cause, topic.weight * (0.25 if topic.needed else 0.6), topic.start, topic.end)


_DUP: Final = [cause.value for cause in CLASSES].index("DUP-SUSPECT")
