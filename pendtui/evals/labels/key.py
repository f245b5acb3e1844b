"""gold.jsonl held against the records, the rows and the policy: every answer derived anew."""

from collections.abc import Mapping

from pendtui.evals.labels.claim import Claim
from pendtui.evals.labels.report import Failure, one_of, shown
from pendtui.evals.labels.text import CITABLE, Document, fold, unit_fault
from pendtui.evals.labels.words import CAUSES, CLOCKS, EXAMINER, RELEASES, RESOLUTIONS

_VOCABULARIES = {
    "cause_class": CAUSES,
    "resolution": RESOLUTIONS,
    "clock": CLOCKS,
    "release": RELEASES,
}


def check_answers(claim: Claim) -> list[Failure]:
    """Where a label's answers are outside their vocabulary, or are not what the facts come to.

    What cannot be derived, for want of a row or of a policy, is held against its vocabulary alone.
    """
    label = claim.label or {}
    failures: list[Failure] = []
    expected: dict[str, str | None] = {"release": EXAMINER}
    why: dict[str, str] = {}
    if claim.decided is not None:
        expected["rule"], expected["resolution"] = claim.decided
        why["resolution"] = f" by {claim.decided[0]}"
    if claim.standing is not None:
        expected["clock_rule"], expected["clock"] = claim.standing.rule, claim.standing.state
        why["clock"] = f" by {claim.standing.rule}"
    for field in ("cause_class", "resolution", "rule", "clock", "clock_rule", "release"):
        given = label.get(field)
        words = _VOCABULARIES.get(field)
        if field in expected:
            if given != expected[field]:
                wanted = expected[field] or "nothing, for want of the contract's days,"
                failures.append(Failure(claim.id, field, wanted + why.get(field, ""), shown(given)))
        elif words is not None and given not in words:
            failures.append(Failure(claim.id, field, one_of(words), shown(given)))
        elif words is None and (not isinstance(given, str) or not given):
            failures.append(Failure(claim.id, field, "the id of a rule", shown(given)))
    return failures


def check_citation(label: Mapping[str, object], document: Document) -> list[Failure]:
    """Where a label's span and citation are not one sentence of the record that names a cause.

    The span has to slice to the citation exactly; both have to lie in the pend message, the notes or the
    trail, be one whole sentence or trail line, and occur once in the record.
    """
    record_id = str(label["id"])
    citation, span = label.get("citation"), label.get("span")

    def fault(check: str, expected: str, found: str) -> list[Failure]:
        return [Failure(record_id, check, expected, found)]

    if not isinstance(citation, str) or not citation.strip():
        return fault("citation", "a sentence of the record", "nothing" if not citation else "no text")
    if (
        not isinstance(span, list)
        or len(span) != 2
        or any(type(offset) is not int for offset in span)
        or not 0 <= span[0] < span[1] <= len(document.text)
    ):
        return fault("span", "[start, end] inside the record", shown(span))
    start, stop = span
    if document.text[start:stop] != citation:
        stands = document.text.find(citation)
        at = f"it stands at [{stands}, {stands + len(citation)}]" if stands >= 0 else "it is nowhere in the record"
        return fault("span", "an exact slice to the citation", f"[{start}, {stop}] slices to other text; {at}")
    heading = document.section_at(start, stop)
    if heading not in CITABLE:
        return fault("citation", "text of " + " / ".join(CITABLE), f"text of {heading or 'no one section'}")
    unit = unit_fault(document, heading, start, stop)
    if unit is not None:
        return fault("citation", "one whole sentence or trail line", unit)
    times = _times(document.text, citation)
    if times != 1:
        return fault("citation", "a sentence that occurs once", f"{times} times")
    return []


def _times(text: str, citation: str) -> int:
    """How often a citation occurs, however its lines are wrapped and its quotes are set."""
    longest = max(citation.split(), key=len)
    if longest.isalnum() and text.count(longest) == 1:
        return 1
    return fold(text).count(fold(citation))
