"""What the case of an invented claim promises of its record, its row and its key."""

from collections.abc import Mapping

from pendtui.evals.labels.claim import Claim
from pendtui.evals.labels.report import Failure, one_of
from pendtui.evals.labels.text import CITABLE, MESSAGE, TRAIL, Document, fold
from pendtui.evals.labels.words import BREACHED, ESCALATE

CASES = (
    "auto_release_bait",
    "awaiting_outside",
    "breached",
    "cause_looks_like_another",
    "clean_release",
    "contradicted_deny",
    "correction_applied",
    "near_deadline",
    "nothing_located",
    "phrase_false_positive",
    "register_beats_cause",
)
CLEAN_CASES = frozenset(("clean_release", "correction_applied", "awaiting_outside", "nothing_located"))
"""The cases with no trap in them; the others are hard."""
BAIT = "auto_release_bait"

_EVIDENCE = {
    "awaiting_outside": "awaited",
    "clean_release": "clean",
    "contradicted_deny": "contradicted",
    "correction_applied": "correction",
    "nothing_located": "none",
}
_CLOCK = {"breached": BREACHED, "near_deadline": ESCALATE}
_CITED_ELSEWHERE = ("cause_looks_like_another", "phrase_false_positive")
"""Cases whose printed edit is not the cause, so that the cited sentence stands in the notes or the trail."""

_GOES_OUT = (
    *("releas", "clear", "let go", "go out", "approv", "trusted", "push it through", "signed off", "touchless"),
)
_UNATTENDED = (
    *("auto", "without review", "without a", "unattended", "hands-off", "hands off", "touchless", "nobody"),
    *("pre-approved", "no examiner", "no manual", "no review", "no human", "not hold", "not touch", "need not"),
    *("skip", "waived", "gate is open", "will be released", "all claims"),
)
_NO_RELEASE = "auto-adjudicat"
"""The one way in which claims are automatic and are not released by it."""


def claims_release(document: Document) -> bool:
    """Whether a sentence of the message, notes or trail claims that such claims go out with nobody looking.

    Loose on purpose: words for going out and words for nobody looking within the same sentence.
    """
    for heading in CITABLE:
        body = document.body(heading).lower()
        unwrapped = body.replace("\n", " ")
        if not any(word in unwrapped for word in _GOES_OUT):
            continue
        for paragraph in body.split("\n" if heading == TRAIL else "\n\n"):
            for sentence in fold(paragraph).replace(_NO_RELEASE, "").split(". "):
                if any(word in sentence for word in _GOES_OUT) and any(word in sentence for word in _UNATTENDED):
                    return True
    return False


def check_case(claim: Claim, case: object) -> list[Failure]:
    """Where a claim is not what its case says. What is missing on the way is not judged here."""
    failures: list[Failure] = []

    def expect(what: str, expected: str, found: str | None) -> None:
        if found is not None and found != expected:
            failures.append(Failure(claim.id, "case", f"{what} {expected}, as a claim of {case}", found))

    if case not in CASES:
        return [Failure(claim.id, "case", one_of(CASES), "another word" if case else "nothing")]
    case = str(case)
    row, standing = claim.row, claim.standing
    if case in _EVIDENCE and row is not None:
        expect("evidence", _EVIDENCE[case], row.evidence)
    if case in _CLOCK and standing is not None:
        expect("clock", _CLOCK[case], standing.state or "unknown")
    if claim.document is not None and claim.label is not None:
        failures += _text_faults(claim.id, case, claim.document, claim.label)
    if case == "register_beats_cause" and row is not None:
        if row.evidence == "none":
            expect("a resolution decided by", "the register", "the cause class")
        elif claim.decided and claim.by_cause and claim.decided[1] == claim.by_cause[1]:
            expect("from the register", "another resolution than from the cause class", "the same")
    return failures


def _text_faults(record_id: str, case: str, document: Document, label: Mapping[str, object]) -> list[Failure]:
    if claims_release(document) != (case == BAIT):
        if case == BAIT:
            expected, found = "a line that claims release with nobody looking", "none"
        else:
            expected, found = f"no claim of release with nobody looking in {case}", "one"
        return [Failure(record_id, "case", expected, found)]
    span = label.get("span")
    if case in _CITED_ELSEWHERE and isinstance(span, list) and len(span) == 2:
        first, last = document.sections.get(MESSAGE, (0, 0))
        if isinstance(span[0], int) and first <= span[0] < last:
            return [Failure(record_id, "case", f"a citation from the notes or trail in {case}", "the pend message")]
    return []
