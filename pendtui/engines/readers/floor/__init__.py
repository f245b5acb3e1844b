"""The default offline reader: it weighs every sentence for every cause class instead of taking the first hit."""

from functools import cached_property
from typing import Any, TypeVar

from pendtui.engines.readers import Reading
from pendtui.engines.readers.floor.bait import BaitWords, named_in_full, without_bait
from pendtui.engines.readers.floor.judgement import NOTHING_READ, Structure, Verdict, judge, structure_of, weigh
from pendtui.engines.readers.floor.learned import Heard, SentenceModel, stored_weights, weights_of
from pendtui.engines.readers.floor.lexicon import Lexicon, shipped_lexicon
from pendtui.engines.readers.floor.sentences import Said, Weigher
from pendtui.engines.record import Record, Unit
from pendtui.engines.vocabulary import READABLE_SECTIONS, SectionName

K = TypeVar("K")
T = TypeVar("T")

DATE = len("2026-08-10")
"""The characters of a trail line that are its date."""
OWN_TERM = 1.0
"""Points for being a finding that a desk's own lexicon gives a sentence of notes or trail in which it hears one."""
REMEMBERED = 20_000
"""Sentences whose account is kept: edits and trail lines recur by the thousand on a desk."""


class FloorReader:
    """Weighs message, notes and trail, and quotes what establishes the class: a sentence, or two of a paragraph.

    Trained models hear every sentence. The lexicon weighs what the system printed, and a desk's own lexicon the
    notes and the trail as well. Text that addresses the reader, or claims that the claim is cleared, is left out
    before anything is weighed. Pure and deterministic; linear in the length of the record.
    """

    name = "floor"
    identity = "floor 4"
    """Another one whenever the same record may be read in another way: what was read before is then read again."""

    def __init__(self, lexicon: Lexicon | None = None, weights: dict[str, Any] | None = None) -> None:
        self._lexicon_everywhere = lexicon is not None
        self._own_lexicon = lexicon
        self._own_weights = weights
        self._printed: dict[str, Heard] = {}
        self._told: dict[str, Heard] = {}
        self._words: dict[tuple[str, int], list[str]] = {}
        self._bait: tuple[dict[str, bool], dict[str, bool]] = ({}, {})

    # What is read from data files is read when first needed: a desk that starts with an index reads no record.

    @cached_property
    def _lexicon(self) -> Lexicon:
        return self._own_lexicon or shipped_lexicon()

    @cached_property
    def _weigher(self) -> Weigher:
        return Weigher(self._lexicon)

    @cached_property
    def _bait_words(self) -> BaitWords:
        return BaitWords(self._lexicon)

    @cached_property
    def _model(self) -> SentenceModel:
        return SentenceModel(weights_of(self._own_weights or stored_weights()))

    @cached_property
    def _structure(self) -> Structure:
        return structure_of((self._own_weights or stored_weights())["record"])

    def read(self, record: Record) -> Reading:
        """The class that the evidence establishes, its sentence, the evidence itself, and how sure that is."""
        verdict = self.weigh(record)
        span = verdict.span
        return Reading(
            self.name,
            verdict.cause,
            record.text[span[0] : span[1]] if span is not None else None,
            span,
            verdict.support,
            verdict.confidence,
            unsure=verdict.unsure,
        )

    def weigh(self, record: Record) -> Verdict:
        """The same with the account behind it."""
        # A sentence that was pasted in again says no more than it did.
        units = list({(unit.section, text_of(unit)): unit for unit in reversed(self.units(record))}.values())[::-1]
        if not units:
            return NOTHING_READ
        heard = [self._hear(unit) for unit in units]
        return judge(record.text, units, heard, weigh(units, heard, self._structure), self)

    def units(self, record: Record) -> list[Unit]:
        """The sentences that count; bait is left out."""
        units = list(record.units(*READABLE_SECTIONS))
        baited = [place for place, unit in enumerate(units) if self._is_bait(unit)]
        return without_bait(record.text, units, baited, self._weigher) if baited else units

    def telling(self, unit: Unit, cause: int) -> list[str]:
        """The words by which a sentence speaks for a class, the strongest first."""
        asked = (text_of(unit), cause)
        words = self._words.get(asked)
        if words is None:
            words = self._model.telling(*asked)
            _remember(self._words, asked, words)
        return words

    def say(self, sentence: str) -> Said:
        """The lexicon's account of a sentence."""
        return self._weigher.weigh(sentence)

    def _is_bait(self, unit: Unit) -> bool:
        text = text_of(unit)
        printed = unit.section is SectionName.MESSAGE
        remembered = self._bait[printed]
        bait = remembered.get(text)
        if bait is None:
            bait = self._bait_words.any_in(text) and self.say(text).bait
            bait = bait or (not printed and named_in_full(text))
            _remember(remembered, text, bait)
        return bait

    def _hear(self, unit: Unit) -> Heard:
        text = text_of(unit)
        printed = unit.section is SectionName.MESSAGE
        remembered = self._printed if printed else self._told
        heard = remembered.get(text)
        if heard is None:
            said = self.say(text) if printed or self._lexicon_everywhere else None
            heard = self._model.hear(text, said)
            if said is not None and said.supports and not printed:
                heard = heard._replace(finding=heard.finding + OWN_TERM, reports=max(heard.reports, 0.5))
            _remember(remembered, text, heard)
        return heard


def _remember(remembered: dict[K, T], asked: K, known: T) -> None:
    if len(remembered) >= REMEMBERED:
        remembered.clear()
    remembered[asked] = known


def text_of(unit: Unit) -> str:
    """A sentence as it is weighed: without the date of a trail line."""
    return unit.text[DATE:] if unit.day else unit.text
