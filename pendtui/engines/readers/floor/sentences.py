"""What each sentence says of each cause class: terms met, and what the words around them do to them."""

from typing import Final

from pendtui.engines.readers.floor import lexicon as words
from pendtui.engines.readers.floor.lexicon import CLASSES, CLAUSE_END, CODE_WORDS, EVERY_CLASS, SMALL_WORDS, Lexicon

_FOLDED: Final = str.maketrans(
    {chr(c): " " for c in range(128) if not chr(c).isalnum()} | dict.fromkeys(",;:()[]?!.", CLAUSE_END)
)
# One character for one character, so that translate() takes its fast way.

DENIAL_REACH: Final = 4
"""Words over which "no" or "not" still turns a thing around, within its clause."""
DENIAL_OF_PHRASE: Final = 2
"""The same for a phrase that says something by itself."""
NEAR: Final = 2
"""Words between a generic word and what makes it right or wrong, at most."""
GENERIC: Final = 1.3
"""A topic of less weight is a word of everyday use ("report", "member"): only what stands close by, or is of its
own class, makes it right or wrong."""
FADE: Final = 7.0
"""Words of distance at which a cue has half its force."""
SETTLING: Final = 3.0
"""The weight of words that close a matter ("resolved", "cleared", "not needed")."""
SETTLED: Final = 0.3
"""What is left of a finding that the next clause says is resolved."""
AGAIN: Final = 0.35
"""The share that a second passage of a sentence adds to the first for the same class."""
_PROCEDURES: Final = frozenset(("cob", "um", "msp", "tpl", "pa", "elig", "dup"))
"""With a short number behind it, such a word is the number of a desk procedure, as in "per COB-207"."""
_COB: Final = [c.value for c in CLASSES].index("COB-UNRESOLVED")
_DUP: Final = [c.value for c in CLASSES].index("DUP-SUSPECT")

_TOPICS: Final = frozenset((words.NEEDED, words.TROUBLE))
_WRONG: Final = frozenset((words.BAD, words.ABSENT))
_SAYING: Final = frozenset((words.FOUND, words.CLEAR))

Topic = tuple[int, int, int, bool, float, bool]
"""Start and end in words, class, whether it is needed (or trouble), weight, whether it is denied."""
Cue = tuple[int, int, int, float, bool, bool]
"""Start and end in words, class, points (above 0 makes right), whether denied, whether it says absent."""


class Said:
    """What a sentence says: points for and against each class that it speaks of, and the words that did it."""

    __slots__ = ("against", "bait", "codes", "corrects", "edit_off", "settles", "supports", "tokens", "words")

    def __init__(self) -> None:
        self.supports: dict[int, float] = {}
        self.against: dict[int, float] = {}
        self.words: dict[int, tuple[int, int]] = {}
        """For each class, from where to where in the folded words the strongest passage stands."""
        self.tokens: list[str] = []
        """The folded words."""
        self.settles = False
        """It says that something is in order."""
        self.edit_off = False
        """It says that the printed edit does not hold."""
        self.corrects = False
        """It takes back what was said above, or says what the real reason is."""
        self.codes = False
        """It gives a standard code."""
        self.bait = False
        """It addresses the reader or claims a clearance; nothing in it counts."""


def folded(text: str) -> list[str]:
    """The words of a text in lower case, without small words, with clause ends marked."""
    text = text.lower()
    if not text.isascii():
        text = text.replace("’", "'").replace("—", ";").replace("–", ";")
    if "'" in text:
        text = text.replace("'s ", " ").replace("'s\n", " ").replace("'", "")
    if "&" in text:
        text = text.replace("&", " and ")
    text = text.translate(_FOLDED).replace(CLAUSE_END, _CLAUSE_WORD)
    return [word for word in text.split() if word not in SMALL_WORDS]


_CLAUSE_WORD: Final = f" {CLAUSE_END} "


NOTHING: Final = Said()
"""What a sentence says in which no term stands."""
REMEMBERED: Final = 20_000
"""Sentences whose weighing is kept: edits and trail lines recur by the thousand on a desk."""


class Weigher:
    """Weighs sentences by a lexicon, in one pass that is linear in their length."""

    def __init__(self, lexicon: Lexicon) -> None:
        self._tree = lexicon.words
        self._beginnings = lexicon.beginnings
        self._roles = lexicon.roles
        self._codes = lexicon.codes
        self._remembered: dict[str, Said] = {}

    def weigh(self, sentence: str) -> Said:
        """What one sentence says of each class."""
        said = self._remembered.get(sentence)
        if said is None:
            if len(self._remembered) >= REMEMBERED:
                self._remembered.clear()
            said = self._remembered[sentence] = self._weigh(folded(sentence))
        return said

    def _weigh(self, tokens: list[str]) -> Said:  # noqa: PLR0915 one loop over the words, for speed
        get, beginnings, roles = self._tree.get, self._beginnings, self._roles
        tally = Tally()
        denied_at = -99
        resume, n = 0, len(tokens)
        for i, token in enumerate(tokens):
            if i < resume:
                continue
            node = get(token)
            row = -1
            end = i + 1
            if node is not None:
                row = node.get("", -1)
                j = end
                while j < n:
                    following = node.get(tokens[j])
                    if following is None:
                        if "*" in node:
                            for stem, stem_row in node["*"].items():
                                if tokens[j].startswith(stem):
                                    row, end = stem_row, j + 1
                        break
                    node = following
                    j += 1
                    if "" in node:
                        row, end = node[""], j
            if row < 0:
                if token[:4] not in beginnings:
                    continue
                for stem, stem_row in beginnings[token[:4]].items():
                    if token.startswith(stem):
                        row = stem_row
                if row < 0:
                    continue
            resume = end
            since_denial = i - denied_at
            for kind, cause, weight in roles[row]:
                if kind in _TOPICS:
                    if end < n and token in _PROCEDURES and tokens[end].isdigit() and len(tokens[end]) <= 3:
                        continue
                    reach = DENIAL_REACH if weight >= GENERIC else DENIAL_OF_PHRASE
                    tally.topics.append((i, end, cause, kind == words.NEEDED, weight, since_denial < reach))
                elif kind in _WRONG:
                    denied = since_denial < DENIAL_REACH
                    tally.cues.append((i, end, cause, weight if denied else -weight, denied, kind == words.ABSENT))
                elif kind == words.GOOD:
                    denied = since_denial < DENIAL_REACH
                    tally.cues.append((i, end, cause, -weight if denied else weight, denied, False))
                    if weight >= 2.0 and not denied and cause == EVERY_CLASS:
                        tally.said.settles = True
                elif kind in _SAYING:
                    if (since_denial < DENIAL_OF_PHRASE) == (kind == words.FOUND):
                        tally.rule_out(cause, weight if kind == words.CLEAR else weight * 0.8, i, end)
                    elif kind == words.FOUND:
                        tally.found.append((cause, weight, i, end))
                    else:
                        tally.support(cause, weight * 0.8, i, end)
                elif kind == words.HINT:
                    tally.support(cause, weight * 0.5, i, end)
                elif kind == words.STOP:
                    if tally.topics or tally.cues or tally.found or tally.settled or tally.last:
                        tally.close()
                    denied_at = -99
                elif kind == words.DENY:
                    denied_at = end
                    if tally.topics:
                        tally.denial = i
                elif kind == words.CODE:
                    self._read_codes(tokens, i, end, tally)
                else:
                    tally.turn(kind, weight, i)
        tally.finish()
        said = tally.said
        if not said.words and not (said.bait or said.settles or said.edit_off or said.corrects):
            return NOTHING
        said.tokens = tokens
        return said

    def _read_codes(self, tokens: list[str], start: int, end: int, tally: "Tally") -> None:
        """The codes that follow the word which announces them, as in "CARC 252 RARC N706" or "STATUS P3:317"."""
        announced = " ".join(tokens[start:end])
        family = CODE_WORDS[announced]
        category = announced != "status"
        for at in range(end, min(end + 6, len(tokens))):
            code = tokens[at]
            if code == CLAUSE_END:
                continue
            if family == "status" and code[0] == "p" and code[1:].isdigit():
                category = True
                continue
            if not category:
                return
            known = self._codes.get(f"{family} {code}")
            if known is None and code[0] in "nm":
                known = self._codes.get(f"rarc {code}")
            if known is not None:
                tally.said.codes = True
                tally.support(known[0], known[1], start, at + 1)
            elif len(code) > 5 or not any(c.isdigit() for c in code):
                return


class Tally:
    """The running account of one sentence."""

    __slots__ = (
        "addressed",
        "carried",
        "cues",
        "denial",
        "edit",
        "elsewhere",
        "found",
        "last",
        "ordered",
        "said",
        "scale",
        "settled",
        "topics",
        "wonders",
    )

    def __init__(self) -> None:
        self.topics: list[Topic] = []
        self.cues: list[Cue] = []
        self.carried: list[Topic] = []
        """Topics of clauses before that nothing was said of yet."""
        self.last: list[Topic] = []
        """Topics of the clause before, of which something was said."""
        self.found: list[tuple[int, float, int, int]] = []
        """Phrases of this clause that say by themselves what is wrong."""
        self.settled: list[int] = []
        """The classes of those of the clause before."""
        self.said = Said()
        self.denial = -1
        """Where in this clause a denial follows a topic."""
        self.scale = 1.0
        self.wonders = self.elsewhere = self.edit = self.addressed = self.ordered = False

    def support(self, cause: int, points: float, start: int, end: int) -> None:
        """Points for a class, fewer when they are conditional, doubted or of another claim."""
        points *= self.scale
        if self.wonders and cause != _COB:
            points *= 0.3
        if self.elsewhere and cause != _DUP:
            points *= 0.25
        supports = self.said.supports
        before = supports.get(cause, 0.0)
        if points > before:
            self.said.words[cause] = (start, end)
            supports[cause] = points + AGAIN * before
        else:
            supports[cause] = before + AGAIN * points

    def rule_out(self, cause: int, points: float, start: int, end: int) -> None:
        """Points against a class."""
        points *= self.scale
        against = self.said.against
        before = against.get(cause, 0.0)
        against[cause] = max(points, before) + AGAIN * min(points, before)
        if cause not in self.said.words:
            self.said.words[cause] = (start, end)

    def turn(self, kind: int, weight: float, start: int) -> None:
        """A word that turns the sentence around or sets it aside."""
        if kind == words.UNLESS:
            self.scale = min(self.scale, 0.2 * weight)
        elif kind == words.ASKS:
            self.wonders = True
        elif kind == words.DOUBTED:
            self.scale = min(self.scale, 0.4 * weight)
        elif kind == words.ELSEWHERE:
            self.elsewhere = True
        elif kind == words.LABEL:
            if self.topics and self.topics[-1][1] == start:
                named = self.topics[-1][0]
                while self.topics and self.topics[-1][0] == named:
                    self.topics.pop()
        elif kind == words.CORRECT:
            self.said.corrects = True
        elif kind == words.EDIT:
            self.edit = True
        elif kind == words.EDIT_OFF:
            self.said.edit_off = True
        elif kind == words.BAIT:
            self.said.bait = True
        elif kind == words.ADDRESS:
            self.addressed = True
        elif kind == words.ORDER:
            self.ordered = True

    def close(self) -> None:
        """The clause ends: its cues fall on its topics, or on the topics that the clause before left open."""
        topics, cues = self.topics, self.cues
        if self.found:
            self._report(cues)
        elif self.settled:
            if not topics and _settling(cues, 0):
                for cause in self.settled:
                    self.said.supports[cause] *= SETTLED
                    self.rule_out(cause, 1.5, *self.said.words[cause])
            self.settled = []
        if not topics:
            self.denial = -1
            if not cues:
                self.last = []
                return
            if self.carried:
                for topic in self.carried:
                    self._resolve(topic, cues)
                self.carried = []
            elif self.last:
                wrong = [cue for cue in cues if cue[3] <= -2.0 and not cue[5]]
                if wrong:
                    for start, end, cause, needed, weight, _ in self.last:
                        if needed and weight >= GENERIC:
                            self._resolve((start, end, cause, needed, weight, False), wrong)
            self.last = []
            self.cues = []
            return
        self.topics, self.cues = [], []
        if not cues and self.denial < 0 and not any(topic[5] for topic in topics):
            self.carried += topics
            return
        for topic in topics:
            self._resolve(topic, cues)
        self.last = topics
        self.denial = -1
        if self.carried:
            causes = {topic[2] for topic in topics}
            for topic in self.carried:
                if topic[2] in causes or not cues:
                    self._mention(topic)
                else:
                    self._resolve((*topic[:4], topic[4] * 0.5, topic[5]), cues)
            self.carried = []

    def _report(self, cues: list[Cue]) -> None:
        """Count the phrases that say what is wrong, unless the clause goes on to say that it is settled."""
        self.settled = []
        for cause, weight, start, end in self.found:
            if _settling(cues, end, cause):
                self.rule_out(cause, weight * 0.6, start, end)
            else:
                self.support(cause, weight, start, end)
                if cause in self.said.words:
                    self.settled.append(cause)
        self.found = []

    def finish(self) -> None:
        """The sentence ends: topics that nothing was said of are mentions."""
        if self.topics or self.cues or self.found or self.settled:
            self.close()
        for topic in self.carried:
            self._mention(topic)
        said = self.said
        if said.bait or (self.ordered and self.addressed):
            said.bait = True
            said.supports = {}
            said.against = {}
            said.settles = said.edit_off = said.corrects = False
        elif self.edit and said.settles:
            said.edit_off = True

    def _resolve(self, topic: Topic, cues: list[Cue]) -> None:
        """Whether what the clause says makes the topic right or wrong, and by how much."""
        start, end, cause, needed, weight, denied = topic
        points, met = 0.0, False
        for cue_start, cue_end, cue_cause, said, cue_denied, absent in cues:
            given = said
            if cue_cause == EVERY_CLASS:
                if not needed:
                    if 0 < given <= 1.0 and not absent:
                        continue
                    if absent:
                        given = -given
            elif cue_cause == cause:
                given *= 1.2
            else:
                continue
            met = True
            gap = cue_start - end if cue_start >= end else start - cue_end
            share = given / (1.0 + max(gap, 0) / FADE)
            if weight < GENERIC and gap > NEAR:
                share *= 0.25 if cue_cause == EVERY_CLASS else 0.6
            if denied and not cue_denied:
                share = -share
            points += share
        if not met:
            if denied:
                points = -2.0 if needed else 2.0
            elif needed and weight >= GENERIC and 0 <= self.denial - end < DENIAL_REACH:
                points = -1.2
            else:
                self._mention(topic)
                return
        size = weight * min(1.6, 0.6 + 0.45 * abs(points))
        if points < -0.2:
            self.support(cause, size, start, end)
        elif points > 0.2:
            self.rule_out(cause, size, start, end)
        else:
            self._mention(topic)

    def _mention(self, topic: Topic) -> None:
        self.support(topic[2], topic[4] * (0.25 if topic[3] else 0.6), topic[0], topic[1])


def _settling(cues: list[Cue], after: int, of: int = EVERY_CLASS) -> bool:
    """Whether a clause says of what stands before `after` that it is resolved, and nothing to the contrary."""
    right = False
    for start, _, cause, points, denied, absent in cues:
        if cause not in (EVERY_CLASS, of) or start < after:
            continue
        if points <= -1.0:
            return False
        if points >= SETTLING and not denied and not absent:
            right = True
    return right
