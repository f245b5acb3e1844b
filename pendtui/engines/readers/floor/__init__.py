"""The default offline reader: it weighs every sentence for every cause class instead of taking the first hit."""

from pendtui.engines.readers import Reading
from pendtui.engines.readers.floor.bait import named_in_full, without_bait
from pendtui.engines.readers.floor.judgement import judge
from pendtui.engines.readers.floor.learned import Model, shipped_model
from pendtui.engines.readers.floor.lexicon import Lexicon, shipped_lexicon
from pendtui.engines.readers.floor.sentences import NOTHING, Said, Weigher
from pendtui.engines.readers.floor.verdict import Verdict, decide
from pendtui.engines.record import Record, Unit
from pendtui.engines.vocabulary import READABLE_SECTIONS

DATE = len("2026-08-10")
"""The characters of a trail line that are its date."""


class FloorReader:
    """Weighs message, notes and trail, and quotes the sentence that establishes the class.

    Pure and deterministic; linear in the length of the record. Text that addresses the reader, or claims that the
    claim is cleared, is left out before anything is weighed.
    """

    name = "floor"
    identity = "floor 2"
    """Another one whenever the same record may be read in another way: what was read before is then read again."""

    def __init__(self, lexicon: Lexicon | None = None, model: Model | None = None) -> None:
        self._weigher = Weigher(lexicon or shipped_lexicon())
        self._own_model = model

    @property
    def _model(self) -> Model:
        # Read when it is first needed: a desk that starts with an index reads no record.
        if self._own_model is None:
            self._own_model = shipped_model()
        return self._own_model

    def read(self, record: Record) -> Reading:
        """The class that the evidence establishes, its sentence, the evidence itself, and how sure that is."""
        verdict = self.weigh(record)
        quoted = verdict.unit
        return Reading(
            self.name,
            verdict.cause,
            quoted.text if quoted is not None else None,
            quoted.span if quoted is not None else None,
            verdict.support,
            verdict.confidence,
            unsure=verdict.unsure,
        )

    def weigh(self, record: Record) -> Verdict:
        """The same with the account behind it."""
        units, said = self.sentences(record)
        by_lexicon = decide(units, said)
        heard = [self._model.hear(self.text_of(unit), each) for unit, each in zip(units, said, strict=True)]
        return judge(units, by_lexicon, heard, self._model)

    @staticmethod
    def text_of(unit: Unit) -> str:
        """A sentence as it is weighed: without the date of a trail line."""
        return unit.text[DATE:] if unit.day else unit.text

    def say(self, sentence: str) -> Said:
        """The lexicon's account of a sentence."""
        return self._weigher.weigh(sentence)

    def sentences(self, record: Record) -> tuple[list[Unit], list[Said]]:
        """The sentences that count, and what the lexicon hears in each; bait is left out."""
        units = list(record.units(*READABLE_SECTIONS))
        weigh = self._weigher.weigh
        said = [weigh(self.text_of(unit)) for unit in units]
        baited = [
            place
            for place, each in enumerate(said)
            if each.bait or (each is not NOTHING and named_in_full(units[place]))
        ]
        if baited:
            units = without_bait(record.text, units, baited, self._weigher)
            said = [weigh(self.text_of(unit)) for unit in units]
        return units, said
