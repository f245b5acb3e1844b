"""The baseline reader: a phrase list for each cause class, read from the top, and the first hit wins."""

from ahocorasick_rs import AhoCorasick, Implementation, MatchKind

from pendtui.engines.readers import Reading, Support
from pendtui.engines.record import Record
from pendtui.engines.vocabulary import READABLE_SECTIONS, CauseClass

PHRASES: dict[CauseClass, tuple[str, ...]] = {
    CauseClass.ELIG_MISMATCH: (
        "not eligible",
        "ineligible",
        "eligibility",
        "coverage terminated",
        "coverage ended",
        "coverage not in effect",
        "not covered on",
        "no coverage",
        "termed",
        "term date",
        "disenrolled",
        "effective date of coverage",
    ),
    CauseClass.AUTH_MISSING: (
        "prior authorization",
        "prior authorisation",
        "preauthorization",
        "precertification",
        "precert",
        "prior auth",
        "no auth",
        "auth required",
        "authorization required",
        "authorization not on file",
        "not authorized",
        "referral required",
    ),
    CauseClass.COB_UNRESOLVED: (
        "coordination of benefits",
        "cob",
        "other insurance",
        "other coverage",
        "other payer",
        "another payer",
        "primary payer",
        "primary eob",
        "third party liability",
        "medicare secondary",
        "order of liability",
        "other carrier",
    ),
    CauseClass.PROV_ENROLL: (
        "npi",
        "taxonomy",
        "not enrolled",
        "provider enrollment",
        "provider enrolment",
        "credentialing",
        "provider not on file",
        "provider file",
        "rendering provider not",
        "billing provider not",
        "revalidation",
        "provider record",
    ),
    CauseClass.DUP_SUSPECT: (
        "duplicate",
        "possible dup",
        "dup of",
        "previously paid",
        "already paid",
        "already processed",
        "previously processed",
        "same date of service",
        "same dos",
        "matches claim",
        "in history",
        "paid claim",
    ),
    CauseClass.PRICE_UNAVAILABLE: (
        "fee schedule",
        "no rate",
        "rate not",
        "contract rate",
        "not priced",
        "no price",
        "pricing",
        "unpriced",
        "contract load",
        "no allowable",
        "rate table",
        "unable to price",
    ),
    CauseClass.CODE_EDIT: (
        "modifier",
        "bundled",
        "unbundl",
        "ncci",
        "mue",
        "maximum units",
        "units exceed",
        "mutually exclusive",
        "incidental to",
        "procedure code invalid",
        "invalid code",
        "coding edit",
    ),
    CauseClass.DOC_REQUIRED: (
        "medical records",
        "records requested",
        "records required",
        "itemized bill",
        "itemised bill",
        "operative report",
        "op report",
        "documentation",
        "additional information",
        "attachment",
        "office notes",
        "invoice",
    ),
}
"""Twelve phrases a class, in lower case, as the pend messages of adjudication systems word them."""


class PhraseReader:
    """Reads message, notes and trail top down and answers with the class of the first phrase met."""

    name = "phrase"

    def __init__(self) -> None:
        self._causes = [cause for cause, phrases in PHRASES.items() for _ in phrases]
        self._phrases = [phrase for phrases in PHRASES.values() for phrase in phrases]
        self._matcher = AhoCorasick(
            self._phrases, matchkind=MatchKind.LeftmostLongest, implementation=Implementation.ContiguousNFA
        )

    def read(self, record: Record) -> Reading:
        """The class of the topmost phrase and the sentence it stands in; no class when no phrase is met."""
        for name in READABLE_SECTIONS:
            section = record.sections.get(name)
            if section is None:
                continue
            start, end = section.span
            hit = self._first_hit(record.text[start:end])
            if hit is None:
                continue
            phrase, offset = hit
            unit = record.unit_at(start + offset, name)
            if unit is None:
                continue
            cause = self._causes[phrase]
            note = f"first phrase met: '{self._phrases[phrase]}'"
            return Reading(self.name, cause, unit.text, unit.span, (Support(unit.span, cause, 1.0, note),))
        return Reading(self.name, None)

    def _first_hit(self, body: str) -> tuple[int, int] | None:
        """Index of the phrase and offset of the first hit that stands on a word's start."""
        folded = _fold(body)
        for phrase, start, _ in self._matcher.find_matches_as_indexes(folded):
            if start == 0 or not folded[start - 1].isalnum():
                return phrase, start
        return None


def _fold(body: str) -> str:
    """Lower case with each line break as a space, length unchanged."""
    folded = body.lower().replace("\n", " ")
    if len(folded) == len(body):
        return folded
    return "".join(c.lower() if len(c.lower()) == 1 else c for c in body).replace("\n", " ")
