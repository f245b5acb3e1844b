"""The default offline reader: it weighs every sentence for every cause class instead of taking the first hit."""

from pendtui.engines.readers import Reading
from pendtui.engines.readers.floor.bait import named_in_full, without_bait
from pendtui.engines.readers.floor.lexicon import Lexicon, shipped_lexicon
from pendtui.engines.readers.floor.sentences import Weigher, folded
from pendtui.engines.readers.floor.verdict import Verdict, decide
from pendtui.engines.record import Record
from pendtui.engines.vocabulary import READABLE_SECTIONS, SectionName


class FloorReader:
    """Weighs message, notes and trail, and quotes the sentence that establishes the class.

    Pure and deterministic; linear in the length of the record. Text that addresses the reader, or claims that the
    claim is cleared, is left out before anything is weighed.
    """

    name = "floor"

    def __init__(self, lexicon: Lexicon | None = None) -> None:
        self._weigher = Weigher(lexicon or shipped_lexicon())

    def read(self, record: Record) -> Reading:
        """The class that the evidence establishes, its sentence, what spoke for and against, and how sure that is."""
        verdict = self.weigh(record)
        if verdict.cause is None or verdict.unit is None:
            return Reading(self.name, None, support=verdict.support, confidence=verdict.confidence, unsure=verdict.unsure)
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
        units = [unit for unit in record.units(*READABLE_SECTIONS)]
        tokens = folded("\x02".join([unit.text for unit in units]))
        said = self._weigher.weigh(tokens)
        baited = [
            place
            for place, (unit, each) in enumerate(zip(units, said, strict=True))
            if each.bait or (unit.section is not SectionName.MESSAGE and named_in_full(unit.text))
        ]
        if baited:
            units = without_bait(units, baited, self._weigher)
            tokens = folded("\x02".join([unit.text for unit in units]))
            said = self._weigher.weigh(tokens)
        return decide(units, said, tokens)
