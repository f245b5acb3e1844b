"""What a reader is: a record in; a cause class, the sentence for it and the evidence out."""

from typing import NamedTuple, Protocol

from pendtui.engines.record import Record, Span
from pendtui.engines.vocabulary import CauseClass


class Support(NamedTuple):
    """One passage that spoke for a cause class (weight above 0) or against it (below)."""

    span: Span
    cause: CauseClass
    weight: float
    note: str
    """Why it counted, in words an examiner can follow."""


class RawAnswers(NamedTuple):
    """What a model claimed. Shown and scored, never used.

    A word of a vocabulary has that vocabulary's spelling; any other word stands as it was written.
    """

    cause_class: str | None = None
    citation: str | None = None
    resolution: str | None = None
    clock: str | None = None
    release: str | None = None
    confidence: float | None = None
    why: str | None = None


class Reading(NamedTuple):
    """A reader's answer to why a claim pended."""

    arm: str
    """Which reader gave it: phrase, floor, model or recorded."""
    cause: CauseClass | None
    quote: str | None = None
    span: Span | None = None
    """Where the quote stands, when the reader took it from the record itself."""
    support: tuple[Support, ...] = ()
    confidence: float | None = None
    """0 to 1; None where the reader does not say."""
    raw: RawAnswers | None = None
    unsure: str = ""
    """Why a call to a model may be worth its price on this claim; empty where the reader is sure of its class."""


class Reader(Protocol):
    """Reads the cause of a pend from a record. It sees the message, the notes and the trail, never the register."""

    name: str

    def read(self, record: Record) -> Reading:
        """Give the cause class and the sentence that establishes it; a cause of None when nothing does."""
        ...


OFFLINE_ARMS = ("phrase", "floor")
"""The readers that need no key and no network."""


def offline_reader(arm: str) -> Reader:
    """The reader behind the name of an offline arm."""
    if arm == "phrase":
        from pendtui.engines.readers.phrase import PhraseReader

        return PhraseReader()
    if arm == "floor":
        from pendtui.engines.readers.floor import FloorReader

        return FloorReader()
    raise ValueError(f"no offline reader is called {arm}")
