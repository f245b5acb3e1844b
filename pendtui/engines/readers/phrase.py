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
        "elig",
        "coverage terminated",
        "coverage ended",
        "coverage lapsed",
        "coverage not",
        "coverage begins",
        "coverage began",
        "lapse in coverage",
        "not covered on",
        "no coverage",
        "no active coverage",
        "not active",
        "inactive on",
        "termed",
        "term date",
        "retro term",
        "disenrolled",
        "disenrollment",
        "enrollment ended",
        "enrollment span",
        "member not found",
        "policy cancelled",
        "not effective",
    ),
    CauseClass.AUTH_MISSING: (
        "prior authorization",
        "prior authorisation",
        "preauthorization",
        "preauthorisation",
        "pre-authorization",
        "precertification",
        "precert",
        "pre-cert",
        "prior auth",
        "preauth",
        "pre-auth",
        "no auth",
        "auth not",
        "auth required",
        "auth expired",
        "auth number",
        "without auth",
        "authorization required",
        "authorization number",
        "authorization not",
        "authorization on file",
        "no authorization",
        "not authorized",
        "authorized units",
        "approved units",
        "no pa",
        "pa required",
        "pa on file",
        "referral required",
        "no referral",
    ),
    CauseClass.COB_UNRESOLVED: (
        "coordination of benefits",
        "cob",
        "other insurance",
        "other ins",
        "other coverage",
        "other payer",
        "another payer",
        "other carrier",
        "second carrier",
        "other health plan",
        "primary payer",
        "primary carrier",
        "primary insurance",
        "primary eob",
        "eob",
        "payer order",
        "order of liability",
        "order of payment",
        "medicare secondary",
        "msp",
        "third party liability",
        "third-party liability",
        "tpl",
        "workers comp",
        "workers' comp",
        "no-fault",
        "auto carrier",
    ),
    CauseClass.PROV_ENROLL: (
        "npi",
        "taxonomy",
        "not enrolled",
        "provider enrollment",
        "provider enrolment",
        "enrollment lapsed",
        "credentialing",
        "not credentialed",
        "caqh",
        "revalidation",
        "provider file",
        "provider record",
        "provider not on file",
        "provider not found",
        "provider number",
        "provider id",
        "rendering provider not",
        "billing provider not",
        "rendering not",
        "tax id",
        "tin",
        "not affiliated",
        "affiliation",
        "provider type",
        "specialty",
        "license",
    ),
    CauseClass.DUP_SUSPECT: (
        "duplicate",
        "dup",
        "dupe",
        "possible dup",
        "previously paid",
        "already paid",
        "paid previously",
        "already processed",
        "previously processed",
        "already adjudicated",
        "already in process",
        "same date of service",
        "same dos",
        "same claim",
        "same service",
        "same provider",
        "same cpt",
        "billed twice",
        "resubmission",
        "identical",
        "matches claim",
        "matches paid",
        "in history",
        "history claim",
        "paid claim",
        "second submission",
    ),
    CauseClass.PRICE_UNAVAILABLE: (
        "fee schedule",
        "fee sched",
        "no fee",
        "no rate",
        "rate not",
        "rate missing",
        "rate table",
        "contract rate",
        "no contract",
        "contract load",
        "contract not",
        "not loaded",
        "not priced",
        "no price",
        "pricing",
        "unpriced",
        "unable to price",
        "cannot be priced",
        "cannot price",
        "can't price",
        "could not price",
        "reprice",
        "repricing",
        "no allowable",
        "allowable",
        "no allowed amount",
    ),
    CauseClass.CODE_EDIT: (
        "modifier",
        "bundled",
        "bundling",
        "bundles",
        "unbundl",
        "ncci",
        "cci",
        "mue",
        "ptp",
        "maximum units",
        "max units",
        "units exceed",
        "medically unlikely",
        "mutually exclusive",
        "incidental to",
        "code pair",
        "procedure code",
        "invalid code",
        "invalid procedure",
        "coding edit",
        "code edit",
        "add-on code",
        "column 2",
        "column two",
        "global period",
        "revenue code",
        "type of bill",
    ),
    CauseClass.DOC_REQUIRED: (
        "medical records",
        "medical record",
        "med recs",
        "med rec",
        "records requested",
        "records request",
        "records required",
        "records needed",
        "records not received",
        "itemized bill",
        "itemised bill",
        "itemized statement",
        "itemization",
        "operative report",
        "operative note",
        "op report",
        "op note",
        "office notes",
        "progress notes",
        "discharge summary",
        "documentation",
        "supporting documents",
        "additional information",
        "attachment",
        "invoice",
        "chart notes",
        "pathology report",
    ),
}
"""Some 25 phrases a class, in lower case, as pend messages and desk notes of the field word them."""

WHOLE_WORD_UP_TO = 4
"""A phrase this short has to end where a word ends; a longer one may go on, as in "unbundl"."""


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
        for phrase, start, end in self._matcher.find_matches_as_indexes(folded):
            begins_word = start == 0 or not folded[start - 1].isalnum()
            ends_word = end == len(folded) or not folded[end].isalnum()
            if begins_word and (ends_word or end - start > WHOLE_WORD_UP_TO):
                return phrase, start
        return None


def _fold(body: str) -> str:
    """Lower case with each line break as a space, length unchanged."""
    folded = body.lower().replace("\n", " ")
    if len(folded) == len(body):
        return folded
    return "".join(c.lower() if len(c.lower()) == 1 else c for c in body).replace("\n", " ")
