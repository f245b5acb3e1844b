"""The default offline reader: it weighs every sentence for every cause class instead of taking the first hit."""

from pendtui.engines.readers import Reading
from pendtui.engines.readers.floor.bait import named_in_full, without_bait
from pendtui.engines.readers.floor.lexicon import Lexicon, shipped_lexicon
from pendtui.engines.readers.floor.sentences import NOTHING, Weigher
from pendtui.engines.readers.floor.verdict import Verdict, decide
from pendtui.engines.record import Record
from pendtui.engines.vocabulary import READABLE_SECTIONS

DATE = len("2026-08-10")
"""The characters of a trail line that are its date."""


class FloorReader:
    """Weighs message, notes and trail, and quotes the sentence that establishes the class.

    Pure and deterministic; linear in the length of the record. Text that addresses the reader, or claims that the
    claim is cleared, is left out before anything is weighed.
    """

    name = "floor"

    def __init__(self, lexicon: Lexicon | None = None) -> None:
        self._weigher = Weigher(lexicon or shipped_lexicon())

    def read(self, record: Record) -> Reading:
        """The class that the evidence establishes, its sentence, the evidence itself, and how sure that is."""
        verdict = self.weigh(record)
        if verdict.cause is None or verdict.unit is None:
            return Reading(
                self.name, None, support=verdict.support, confidence=verdict.confidence, unsure=verdict.unsure
            )
        return Reading(
            self.name,
            verdict.cause,
            verdict.unit.text,
            verdict.unit.span,
            verdict.support,
            verdict.confidence,
            unsure=verdict.unsure,
        )

    def weigh(self, record: Record) -> Verdict:
        """The same with the account behind it."""
        units = list(record.units(*READABLE_SECTIONS))
        weigh = self._weigher.weigh
        said = [weigh(unit.text[DATE:] if unit.day else unit.text) for unit in units]
        baited = [
            place
            for place, each in enumerate(said)
            if each.bait or (each is not NOTHING and named_in_full(units[place]))
        ]
        if baited:
            units = without_bait(record.text, units, baited, self._weigher)
            said = [weigh(unit.text[DATE:] if unit.day else unit.text) for unit in units]
        return decide(units, said)
