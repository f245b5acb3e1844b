"""The published counts of a built queue, derived anew from its records, rows and key."""

from collections.abc import Iterator, Mapping

from pendtui.evals.labels.cases import BAIT, CASES, CLEAN_CASES
from pendtui.evals.labels.claim import Claim
from pendtui.evals.labels.report import Count
from pendtui.evals.labels.text import REGISTER, fold
from pendtui.evals.labels.words import BREACHED, CAUSES, ESCALATE

PUBLISHED = "corpus.json"
SHIPPED = "shipped queue"
SHIPPED_SEED, SHIPPED_RECORDS, SHIPPED_POLICY = 20260901, 60, "PR-2026"

_SHIPPED: Mapping[str, int] = {
    "cases.auto_release_bait": 6,
    "cases.awaiting_outside": 6,
    "cases.breached": 4,
    "cases.cause_looks_like_another": 6,
    "cases.clean_release": 5,
    "cases.contradicted_deny": 5,
    "cases.correction_applied": 5,
    "cases.near_deadline": 6,
    "cases.nothing_located": 8,
    "cases.phrase_false_positive": 4,
    "cases.register_beats_cause": 5,
    "clean_records": 24,
    "hard_records": 36,
    "rules.PR-1": 6,
    "rules.PR-2": 13,
    "rules.PR-3": 12,
    "rules.PR-4": 8,
    "decided_by_register": 39,
    "decided_by_cause": 21,
    "resolutions.PEND-EXTERNAL": 23,
    "clocks.WITHIN-CLOCK": 48,
    "must_escalate": 12,
    "clock_trap_records": 12,
    "causes.PRICE-UNAVAILABLE": 9,
    "bait_records": 6,
}
"""What the 60 claims of seed 20260901 have to come to under PR-2026."""
_SHIPPED_COMMONEST = "PRICE-UNAVAILABLE"
_SHIPPED_POOLS = {"cause_sentences": 80, "register_lines": 32}
"""At least so many sentences to draw from."""

_TABLES = ("cases", "rules", "clock_rules", "resolutions", "clocks", "causes")
_TOTALS = (
    "clean_records",
    "hard_records",
    "decided_by_register",
    "decided_by_cause",
    "must_escalate",
    "clock_trap_records",
    "bait_records",
)


class Tally:
    """The counts over the records so far, by the names that corpus.json gives them."""

    def __init__(self) -> None:
        self.records = 0
        self._counts: dict[str, int] = dict.fromkeys(_TOTALS, 0)
        self._sentences: set[str] = set()
        self._register_lines: set[str] = set()

    def add(self, claim: Claim, case: object) -> None:
        """Count one record in, as far as its parts are known."""
        self.records += 1
        if case in CASES:
            self._one(f"cases.{case}")
            self._one("clean_records" if case in CLEAN_CASES else "hard_records")
            if case == BAIT:
                self._one("bait_records")
        if claim.cause in CAUSES:
            self._one(f"causes.{claim.cause}")
        if claim.row is not None and claim.decided is not None:
            self._one(f"rules.{claim.decided[0]}")
            self._one(f"resolutions.{claim.decided[1]}")
            self._one("decided_by_cause" if claim.row.evidence == "none" else "decided_by_register")
        standing = claim.standing
        if standing is not None:
            self._one(f"clock_rules.{standing.rule}")
            if standing.state is not None:
                self._one(f"clocks.{standing.state}")
            if standing.state in (ESCALATE, BREACHED):
                self._one("must_escalate")
            if standing.state != standing.pend_state:
                self._one("clock_trap_records")
        citation = claim.label.get("citation") if claim.label else None
        if claim.document is not None and isinstance(citation, str):
            self._sentences.add(_unfilled(citation))
            self._register_lines.add(_unfilled(claim.document.body(REGISTER)))

    def _one(self, name: str) -> None:
        self._counts[name] = self._counts.get(name, 0) + 1

    def against_published(self, published: Mapping[str, object], records: object) -> Iterator[Count]:
        """Every count that corpus.json publishes or should, beside the derived one."""
        given = dict(_flat(published))
        yield _same(PUBLISHED, "records", self.records, records)
        pools = {"cause_sentences": len(self._sentences), "register_lines": len(self._register_lines)}
        names = dict.fromkeys((*self._counts, *(name for name in given if name not in pools)))
        for name in sorted(names, key=_published_order):
            # a table leaves a word out that has no record
            yield _same(PUBLISHED, name, self._counts.get(name, 0), given.get(name, 0 if "." in name else None))
        for name, seen in pools.items():
            yield _at_least(PUBLISHED, name, seen, given.get(name), " seen in the records")

    def against_shipped(self, published: Mapping[str, object]) -> Iterator[Count]:
        """Every count that the shipped queue has to come to."""
        for name, expected in _SHIPPED.items():
            yield _same(SHIPPED, name, expected, self._counts.get(name, 0))
        causes = {name: n for name, n in self._counts.items() if name.startswith("causes.")}
        most = max(causes.values(), default=0)
        commonest = " ".join(sorted(name.partition(".")[2] for name, n in causes.items() if n == most))
        yield Count(SHIPPED, "commonest cause", _SHIPPED_COMMONEST, commonest, commonest == _SHIPPED_COMMONEST)
        for name, least in _SHIPPED_POOLS.items():
            yield _at_least(SHIPPED, name, least, published.get(name), "")


def _unfilled(sentence: str) -> str:
    """A sentence without the words that a claim filled in: those with a digit, and two or three capitals."""
    words: list[str] = []
    for word in fold(sentence).split(" "):
        letters = word.strip(".,;:()")
        coded = not letters.isalpha() and any("0" <= sign <= "9" for sign in letters)
        if not coded and not (len(letters) in (2, 3) and letters.isupper()):
            words.append(word)
        elif words[-1:] != ["#"]:
            words.append("#")
    return " ".join(words)


def _flat(published: Mapping[str, object]) -> Iterator[tuple[str, object]]:
    for name, value in published.items():
        if name in _TABLES and isinstance(value, dict):
            yield from ((f"{name}.{word}", count) for word, count in value.items())
        else:
            yield name, value


def _published_order(name: str) -> tuple[int, str]:
    table = name.partition(".")[0]
    return (_TABLES.index(table) if table in _TABLES else len(_TABLES), name)


def _same(source: str, name: str, expected: int, found: object) -> Count:
    return Count(source, name, expected, found, type(found) is int and found == expected)


def _at_least(source: str, name: str, least: int, found: object, why: str) -> Count:
    return Count(source, name, f"at least {least}{why}", found, type(found) is int and found >= least)
