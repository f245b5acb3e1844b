"""The floor reader's words: terms with what they do for which cause class, and the standard codes."""

import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, Final, NamedTuple

from pendtui.engines.vocabulary import CauseClass

SMALL_WORDS: Final = frozenset(
    (
        *("the", "a", "an", "any", "is", "was", "were", "are", "be", "been", "being", "has", "have", "had", "of"),
        *("this", "that", "it", "its", "our", "your", "his", "her", "their", "very", "s"),
    )
)
"""Words that are left out of a record's text and of the terms alike, so that one term meets many wordings."""

CLASSES: Final = tuple(CauseClass)
EVERY_CLASS: Final = -1

FOUND, NEEDED, TROUBLE, HINT, CLEAR, BAD, GOOD, ABSENT = range(8)
DENY, UNLESS, DOUBTED, ELSEWHERE, LABEL, CORRECT, STOP = range(10, 17)
BAIT, ADDRESS, ORDER, EDIT, EDIT_OFF, CODE, ASKS = range(17, 24)
_BAIT: Final = (BAIT, ADDRESS)
"""Without a term of these, a sentence is no bait."""
CLASS_KINDS: Final = {
    "found": (FOUND, 3.0),
    "needed": (NEEDED, 2.0),
    "trouble": (TROUBLE, 2.0),
    "hint": (HINT, 0.7),
    "clear": (CLEAR, 3.0),
    "bad": (BAD, 2.0),
    "good": (GOOD, 2.0),
}
"""The lists a cause class may have: what a term of the list does, and its weight where it gives none."""
CUE_KINDS: Final = {
    "deny": (DENY, 1.0),
    "bad": (BAD, 2.0),
    "good": (GOOD, 2.0),
    "absent": (ABSENT, 2.0),
    "unless": (UNLESS, 1.0),
    "asks": (ASKS, 1.0),
    "doubted": (DOUBTED, 1.0),
    "elsewhere": (ELSEWHERE, 1.0),
    "label": (LABEL, 1.0),
    "correct": (CORRECT, 1.0),
    "stop": (STOP, 1.0),
    "bait": (BAIT, 1.0),
    "address": (ADDRESS, 1.0),
    "order": (ORDER, 1.0),
    "edit": (EDIT, 1.0),
    "edit_off": (EDIT_OFF, 1.0),
}
"""The lists of [cues], which hold for every class."""
CODE_WORDS: Final = {
    "carc": "carc",
    "reason code": "carc",
    "co": "carc",
    "oa": "carc",
    "rarc": "rarc",
    "remark": "rarc",
    "remark code": "rarc",
    "csc": "status",
    "status": "status",
    "status code": "status",
    "508": "status",
    "stc": "status",
}
"""The words that announce a code, and the family of the code that follows."""
CLAUSE_END: Final = "|"
"""Stands in folded text where a clause ends."""

Role = tuple[int, int, float]
"""What a term does: its kind, the index of its cause class (or EVERY_CLASS) and its weight."""
Tables = Mapping[str, Mapping[str, Iterable[str]]]


class Lexicon(NamedTuple):
    """The terms as a tree of words, and the codes.

    A node is a dict from the next word to a node; under the empty word it holds the number of a row of `roles`.
    """

    words: dict[str, Any]
    beginnings: dict[str, dict[str, int]]
    """Words that may go on, by their first four letters: from the beginning to a row of `roles`."""
    roles: list[list[Role]]
    codes: dict[str, tuple[int, float]]
    """From "carc 197" to the index of a cause class and the weight of the code."""
    bait: list[str]
    """A word of each term that makes a sentence bait, the one that tells most; * where it may go on."""


def fold_term(term: str) -> str:
    """A term as it stands in folded text, with the small words left out."""
    return " ".join(word for word in term.split() if word.rstrip("*") not in SMALL_WORDS)


def compile_terms(tables: Tables) -> dict[str, list[Role]]:
    """The terms of a lexicon as read from TOML, folded, each with all it does.

    Raises ValueError for a table or a list that means nothing here, and for a term without a word.
    """
    compiled: dict[str, list[Role]] = {}
    for table, lists in tables.items():
        kinds, cause = (
            (CUE_KINDS, EVERY_CLASS) if table == "cues" else (CLASS_KINDS, CLASSES.index(CauseClass(table)))
        )
        for name, terms in lists.items():
            if name not in kinds:
                raise ValueError(f"[{table}] has a list '{name}'; known are {', '.join(kinds)}")
            kind, usual = kinds[name]
            for entry in terms:
                term, _, weight = entry.partition("@")
                folded = fold_term(term)
                if not folded:
                    raise ValueError(f"[{table}] {name} has a term without a word: '{entry}'")
                role = (kind, cause, float(weight) if weight else usual)
                roles = compiled.setdefault(folded, [])
                if role not in roles:
                    roles.append(role)
    return compiled


def compile_codes(tables: Tables) -> dict[str, tuple[int, float]]:
    """The codes of a code file as read from TOML; a family ending in _unclear gives half the weight."""
    compiled: dict[str, tuple[int, float]] = {}
    for family, classes in tables.items():
        name, unclear = family.removesuffix("_unclear"), family.endswith("_unclear")
        for cause, codes in classes.items():
            for code in codes:
                compiled[f"{name} {code}"] = (CLASSES.index(CauseClass(cause)), 1.0 if unclear else 2.0)
    return compiled


def build_lexicon(terms: Mapping[str, list[Role]], codes: Mapping[str, tuple[int, float]]) -> Lexicon:
    """The tree of the compiled terms, with the marks of clauses and codes in it."""
    lexicon = Lexicon({}, {}, [], dict(codes), [])
    for term, roles in sorted(terms.items()):
        add_term(lexicon, term, roles)
    add_term(lexicon, CLAUSE_END, [(STOP, EVERY_CLASS, 1.0)])
    for word in CODE_WORDS:
        add_term(lexicon, word, [(CODE, EVERY_CLASS, 1.0)])
    return lexicon


def add_term(lexicon: Lexicon, term: str, roles: list[Role]) -> None:
    """Put one folded term into the tree, in the place of what the tree says of it. A `*` inside a term is an error.

    Raises ValueError where a term of several words may go on: only its last word may.
    """
    words = term.split()
    if any("*" in word for word in words[:-1]):
        raise ValueError(f"only the last word of a term may go on: '{term}'")
    if any(kind in _BAIT for kind, _, _ in roles):
        telling = max((word for word in words if not word.endswith("*")), key=len, default=words[0])
        if telling not in lexicon.bait:
            lexicon.bait.append(telling)
    node: dict[str, Any] = lexicon.words
    for word in words[:-1]:
        node = node.setdefault(word, {})
    last = words[-1]
    # Terms that do the same share a row: a twentieth of the rows, and half the time to load them.
    if roles not in lexicon.roles:
        lexicon.roles.append(roles)
    row = lexicon.roles.index(roles)
    if not last.endswith("*"):
        node.setdefault(last, {})[""] = row
    elif len(words) == 1:
        stem = last[:-1]
        lexicon.beginnings.setdefault(stem[:4], {})[stem] = row
    else:
        node.setdefault("*", {})[last[:-1]] = row


DATA: Final = Path(__file__).parent.parent / "data"


def to_json(lexicon: Lexicon) -> str:
    """The form that ships beside the TOML, because TOML takes twenty times as long to read."""
    return json.dumps(lexicon._asdict(), separators=(",", ":")) + "\n"


def shipped_lexicon(extra: Tables | None = None) -> Lexicon:
    """The lexicon of the package, with a desk's own terms added where given.

    A desk's term that the package also has replaces what the package says of it.
    """
    lexicon = Lexicon(**json.loads((DATA / "lexicon.json").read_bytes()))
    if extra is not None:
        for term, roles in compile_terms(extra).items():
            add_term(lexicon, term, roles)
    return lexicon


def shipped_terms() -> list[str]:
    """Every term of the package's lexicon, as folded text has it; a word that may go on stands without its end."""
    lexicon = shipped_lexicon()
    found = [stem for stems in lexicon.beginnings.values() for stem in stems]
    open_nodes: list[tuple[str, dict[str, Any]]] = [("", lexicon.words)]
    while open_nodes:
        so_far, node = open_nodes.pop()
        for word, following in node.items():
            if word == "":
                found.append(so_far)
            elif word == "*":
                found.extend(f"{so_far} {stem}" for stem in following)
            elif word != CLAUSE_END:
                open_nodes.append((f"{so_far} {word}".strip(), following))
    return sorted(found)
