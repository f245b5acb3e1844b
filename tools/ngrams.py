"""A sentence as the runs of words that the trained weights know, over its words and over the field's concepts."""

import re
from collections.abc import Iterable, Mapping
from itertools import pairwise
from typing import Final, NamedTuple

SMALL: Final = frozenset(
    (
        *("the", "a", "an", "this", "that", "it", "its", "our", "your", "his", "their", "very", "s", "of", "is"),
        *("was", "were", "are", "be", "been", "being", "has", "have", "had", "any", "to", "and"),
    )
)
"""Words that are left out: they say nothing of a cause, and runs of words reach further without them."""
END: Final = "|"
"""Stands where a clause ends. No run of concepts begins with it."""
SKIP: Final = 4
"""Concepts over which two of them still count as a pair."""
KNOWN: Final = 50_000
"""Words whose stem and concept are kept."""

_TOKEN: Final = re.compile(r"[a-z0-9][a-z0-9'/]*(?:[.-]\d+)*|[,;:()?!.—–]")
_DATE: Final = re.compile(r"\d{1,2}[/-]\d{1,2}(?:[/-]\d{2,4})?$|\d{4}-\d\d-\d\d$")
_ENDINGS: Final = (
    *("ations", "ation", "ings", "ing", "ments", "ment", "ies", "ied", "ed", "es", "er", "ly", "s", "y", "e"),
)


class Concepts(NamedTuple):
    """The field's concepts: which words, beginnings of words and runs of words stand for one thing."""

    words: dict[str, str]
    beginnings: dict[str, str]
    runs: dict[str, list[tuple[tuple[str, ...], str]]]
    """By first word: the run, longest first, and its concept."""


def compile_concepts(table: Mapping[str, Iterable[str]]) -> Concepts:
    """Concepts as read from TOML: a name, and its words; a word ending in * may go on, one with a space is a run.

    Raises ValueError for a name that is not in capitals, since a concept must not look like a word.
    """
    found = Concepts({}, {}, {})
    for name, words in table.items():
        if not name.isupper():
            raise ValueError(f"concept '{name}' is not in capitals")
        for word in words:
            if " " in word:
                run = tuple(word.split())
                found.runs.setdefault(run[0], []).append((run, name))
            elif word.endswith("*"):
                found.beginnings[word[:-1]] = name
            else:
                found.words.setdefault(word, name)
    for runs in found.runs.values():
        runs.sort(key=lambda each: -len(each[0]))
    return found


def tokens(text: str) -> list[str]:
    """The words of a text in lower case, dates and long numbers as marks, with the ends of clauses."""
    text = text.lower().replace("’", "'").replace("w/o", "without").replace("w/", "with ").replace("&", " and ")
    out: list[str] = []
    for token in _TOKEN.findall(text):
        if token.isalpha():
            out.append(token)
        elif token in ",;:()?!.—–":
            if out and out[-1] != END:
                out.append(END)
        elif _DATE.match(token):
            out.append("<d>")
        else:
            for part in token.replace("'s", "").replace("'", "").split("/"):
                if not part:
                    continue
                if part.isdigit():
                    out.append(part if len(part) <= 3 else "<n>")
                else:
                    out.append("<x>" if part[0].isdigit() and len(part) > 3 else part)
    if out and out[-1] == END:
        out.pop()
    return out


def stem(word: str) -> str:
    """A word without its ending, so that "billed" and "billing" are one."""
    if word[0] == "<" or len(word) <= 4:
        return word
    for ending in _ENDINGS:
        if word.endswith(ending) and len(word) - len(ending) >= 3:
            return word[: -len(ending)]
    return word


class Ngrams:
    """Takes sentences apart. Keeps what it found out about words, so that each is looked at once."""

    def __init__(self, concepts: Concepts) -> None:
        self._concepts = concepts
        self._known: dict[str, tuple[str, str]] = {}

    def of(self, text: str) -> set[str]:
        """The runs of one to three words (w), of one to three concepts (c), and pairs of concepts apart (s)."""
        words = tokens(text)
        known, runs = self._known, self._concepts.runs
        stems: list[str] = []
        concepts: list[str] = []
        resume = 0
        for place, word in enumerate(words):
            small = word in SMALL
            pair = None
            if not small:
                pair = known.get(word) or self._learn(word)
                stems.append(pair[0])
            if place < resume:
                continue
            if word in runs:
                for run, name in runs[word]:
                    if tuple(words[place : place + len(run)]) == run:
                        concepts.append(name)
                        resume = place + len(run)
                        break
                if resume > place:
                    continue
            if pair is not None:
                concepts.append(pair[1])
        found = {f"w {w}" for w in stems}
        found.update([f"w {a} {b}" for a, b in pairwise(stems)])
        found.update([" ".join(("w", *stems[at : at + 3])) for at in range(len(stems) - 2)])
        for place, concept in enumerate(concepts):
            if concept == END:
                continue
            found.add(f"c {concept}")
            after = concepts[place + 1 : place + 1 + SKIP]
            if after:
                found.add(f"c {concept} {after[0]}")
                if len(after) > 1:
                    found.add(f"c {concept} {after[0]} {after[1]}")
                    if concept.isupper():
                        found.update([f"s {concept} {each}" for each in after[1:] if each.isupper()])
        return found

    def _learn(self, word: str) -> tuple[str, str]:
        if len(self._known) >= KNOWN:
            self._known.clear()
        self._known[word] = pair = (stem(word), self._concept(word))
        return pair

    def _concept(self, word: str) -> str:
        concepts = self._concepts
        name = concepts.words.get(word)
        if name is None:
            for length in range(len(word), 3, -1):
                name = concepts.beginnings.get(word[:length])
                if name is not None:
                    break
        return name or stem(word)
