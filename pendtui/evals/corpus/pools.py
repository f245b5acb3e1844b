"""The sentences that records are written from: read from data/, dealt out like cards.

A pool file is plain text. `[kind word ...]` opens a pool; each further line is one entry. The words after
the kind are conditions (TAGS: what the claim has to be) or facets (the side of the cause that a sentence
and a register line have to share). ` | ` parts a pend message from the code line printed below it.
"""

from collections.abc import Iterable
from pathlib import Path
from random import Random
from typing import NamedTuple

from pendtui.engines.vocabulary import CauseClass, Evidence
from pendtui.evals.corpus.draw import shuffle

FLAG_TAGS = frozenset(("ma", "medicaid", "contracted", "noncontracted"))
"""Conditions that the claim's own facts decide: its line of business and its provider's contract."""

SERVICE_TAGS = frozenset(("fac", "prof", "surg", "dme", "drug", "lab", "perunit", "daily", "pairs", "inp"))
"""Conditions that come with the kind of service."""

INDIRECT = "indirect"
"""Marks a cause sentence without a standard term of its class; such an edit is never printed for another cause."""

TAGS = FLAG_TAGS | SERVICE_TAGS | {INDIRECT}

CAUSE_KINDS = ("message", "notes", "trail", "realnotes", "realtrail")
"""Pools whose sentences establish a cause, by where they stand; the real ones after a printed edit was answered."""

_DATA = Path(__file__).parent / "data"


class Line(NamedTuple):
    """One entry of a pool."""

    text: str
    trailer: str
    """The code line printed below a pend message; empty where there is none."""
    facets: frozenset[str]
    """Sides of the cause that the entry fits; empty fits all."""
    needs: frozenset[str]
    """Tags that the claim has to carry."""

    def fits(self, facet: str, tags: frozenset[str]) -> bool:
        """Whether the entry can stand in a record of this facet and these tags."""
        return self.needs <= tags and (not self.facets or not facet or facet in self.facets)


class Service(NamedTuple):
    """A kind of service: its name in titles, its tags, place of service, and codes that are billed for it."""

    name: str
    tags: frozenset[str]
    place: str
    codes: tuple[str, ...]


class Pools(NamedTuple):
    """Every pool, as read from the data files."""

    causes: dict[CauseClass, dict[str, list[Line]]]
    common: dict[str, list[Line]]
    services: tuple[Service, ...]

    def cause_sentences(self) -> int:
        """How many sentences establish a cause."""
        return sum(len(kinds[kind]) for kinds in self.causes.values() for kind in CAUSE_KINDS)

    def register_lines(self) -> int:
        """How many lines say what a register holds."""
        return sum(len(kinds[evidence]) for kinds in self.causes.values() for evidence in Evidence)


def read_pools() -> Pools:
    """Read all pools from the package's data folder."""
    causes = {cause: _parse(cause.lower().replace("-", "_")) for cause in CauseClass}
    common = _parse("common")
    return Pools(causes, common, tuple(_service(line) for line in common.pop("services")))


def _parse(name: str) -> dict[str, list[Line]]:
    pools: dict[str, list[Line]] = {}
    text = "\n" + (_DATA / f"{name}.txt").read_text(encoding="utf-8")
    # what stands above the first pool is a comment
    for block in text.split("\n[")[1:]:
        heading, *entries = block.split("\n")
        kind, *words = heading.rstrip("]").split()
        needs = TAGS.intersection(words)
        facets = frozenset(words) - needs
        pool = pools.setdefault(kind, [])
        for entry in entries:
            if entry and entry[0] != "#":
                said, _, trailer = entry.partition(" | ")
                pool.append(Line(said, trailer, facets, needs))
    return pools


def _service(line: Line) -> Service:
    tags, place, codes = line.trailer.split(" | ")
    return Service(line.text, frozenset(tags.split()), place, tuple(codes.split(", ")))


class Deck:
    """A pool dealt without replacement: an entry comes again only when the rest has been dealt or does not fit."""

    def __init__(self, lines: Iterable[Line], rng: Random) -> None:
        self._lines = list(lines)
        self._rng = rng
        self._dealt = 0
        shuffle(rng, self._lines)

    def deal(self, facet: str, tags: frozenset[str]) -> Line:
        """The next entry that fits. Raises LookupError when the pool has none, which the tests rule out."""
        lines = self._lines
        for _ in range(2):
            for at in range(self._dealt, len(lines)):
                line = lines[at]
                if line.fits(facet, tags):
                    lines[at] = lines[self._dealt]
                    lines[self._dealt] = line
                    self._dealt += 1
                    return line
            shuffle(self._rng, lines)
            self._dealt = 0
        raise LookupError(f"no entry fits facet '{facet}' and tags {sorted(tags)}")

    def deal_apart(self, count: int, taken: set[str]) -> list[Line]:
        """Up to `count` different entries that share no named group (facet) with one another or with `taken`.

        The groups of what is dealt are added to `taken`.
        """
        dealt: list[Line] = []
        lines = self._lines
        if len(lines) - self._dealt < 3 * count:
            shuffle(self._rng, lines)
            self._dealt = 0
        at = self._dealt
        while len(dealt) < count and at < len(lines):
            line = lines[at]
            if not line.facets & taken:
                taken |= line.facets
                lines[at] = lines[self._dealt]
                lines[self._dealt] = line
                self._dealt += 1
                dealt.append(line)
            at += 1
        return dealt
