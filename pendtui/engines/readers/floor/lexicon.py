"""The floor reader's words: terms with what they do for which cause class, and the standard codes."""

import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Final, NamedTuple

from pendtui.engines.vocabulary import CauseClass

SMALL_WORDS: Final = frozenset(
    "the a an any is was were are be been being has have had of this that it its our your his her their very s".split()
)
"""Words that are left out of a record's text and of the terms alike, so that one term meets many wordings."""

CLASSES: Final = tuple(CauseClass)
EVERY_CLASS: Final = -1

FOUND, NEEDED, TROUBLE, HINT, CLEAR, BAD, GOOD = range(7)
DENY, UNLESS, DOUBTED, ELSEWHERE, LABEL, CORRECT, REPORT, STOP, BAIT, ADDRESS, ORDER, EDIT, EDIT_OFF, ABSENT = range(10, 24)
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
    "unless": (UNLESS, 1.0),
    "doubted": (DOUBTED, 1.0),
    "elsewhere": (ELSEWHERE, 1.0),
    "label": (LABEL, 1.0),
    "correct": (CORRECT, 1.0),
    "found": (REPORT, 1.0),
    "stop": (STOP, 1.0),
    "bait": (BAIT, 1.0),
    "address": (ADDRESS, 1.0),
    "order": (ORDER, 1.0),
    "edit": (EDIT, 1.0),
    "edit_off": (EDIT_OFF, 1.0),
    "absent": (ABSENT, 2.0),
}
"""The lists of [cues]."""


class Role(NamedTuple):
    """What a term does: its kind, the index of its cause class (or EVERY_CLASS) and its weight."""

    kind: int
    cause: int
    weight: float


class Lexicon(NamedTuple):
    """The terms to look for and, at the same place, what each does.

    A term ends with a space where it has to end a word, and without one where the word may go on.
    """

    terms: tuple[str, ...]
    roles: tuple[tuple[Role, ...], ...]
    codes: Mapping[str, tuple[int, float]]
    """From "carc 197" to the index of a cause class and the weight of the code."""


def fold_term(term: str) -> str:
    """A term as it stands in folded text: small words left out, a space after its last word unless it may go on."""
    goes_on = term.endswith("*")
    words = [word for word in term.replace("*", "").split() if word not in SMALL_WORDS]
    return " ".join(words) + ("" if goes_on else " ")


def compile_terms(tables: Mapping[str, Mapping[str, Iterable[str]]]) -> dict[str, list[Role]]:
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
                if not folded.strip():
                    raise ValueError(f"[{table}] {name} has a term without a word: '{entry}'")
                role = Role(kind, cause, float(weight) if weight else usual)
                roles = compiled.setdefault(folded, [])
                if role not in roles:
                    roles.append(role)
    return compiled


def compile_codes(tables: Mapping[str, Mapping[str, Iterable[str]]]) -> dict[str, tuple[int, float]]:
    """The codes of a code file as read from TOML; a family ending in _unclear gives half the weight."""
    compiled: dict[str, tuple[int, float]] = {}
    for family, classes in tables.items():
        name, unclear = family.removesuffix("_unclear"), family.endswith("_unclear")
        for cause, codes in classes.items():
            for code in codes:
                compiled[f"{name} {code}"] = (CLASSES.index(CauseClass(cause)), 1.0 if unclear else 2.0)
    return compiled


DATA: Final = Path(__file__).parent.parent / "data"


def to_json(terms: Mapping[str, list[Role]], codes: Mapping[str, tuple[int, float]]) -> str:
    """The compiled form that ships beside the TOML, because TOML takes twenty times as long to read."""
    rows = [[term, *(list(role) for role in roles)] for term, roles in sorted(terms.items())]
    return json.dumps({"terms": rows, "codes": codes}, separators=(",", ":")) + "\n"


def shipped_lexicon(extra: Mapping[str, Mapping[str, Iterable[str]]] | None = None) -> Lexicon:
    """The lexicon of the package, with a desk's own terms added where given.

    A desk's term that the package also has replaces what the package says of it.
    """
    stored = json.loads((DATA / "lexicon.json").read_bytes())
    terms = {term: [Role(*role) for role in roles] for term, *roles in stored["terms"]}
    if extra is not None:
        terms.update(compile_terms(extra))
    codes = {name: (int(cause), float(weight)) for name, (cause, weight) in stored["codes"].items()}
    return Lexicon(tuple(terms), tuple(tuple(roles) for roles in terms.values()), codes)
