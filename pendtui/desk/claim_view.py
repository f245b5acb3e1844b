"""One opened claim as the screens see it: record, readings, answers, and what the journal says of it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from pendtui.desk.journal import ClaimState, Standing
from pendtui.engines.facts import Claim
from pendtui.engines.readers import Reading
from pendtui.engines.recheck import Answers
from pendtui.engines.record import Span
from pendtui.errors import PendtuiError

if TYPE_CHECKING:
    from pendtui.desk.model_reads import ModelAnswer


class NotDecidableError(PendtuiError):
    """The claim cannot be accepted as it stands; the message says why and what to do."""


@dataclass(frozen=True, slots=True)
class ClaimView:
    """One opened claim: the record, the reader's proposal, and the answers under what the examiner has changed."""

    claim: Claim
    sha256: str
    reading: Reading
    proposed: Answers
    answers: Answers
    cause_by_examiner: bool = False
    evidence_by_examiner: bool = False
    model: ModelAnswer | None = None
    """What a model's read of the record came to; None where none was asked."""
    rests_on_model: bool = False
    """Whether the answers rest on the model's reading and not on the offline reader's."""
    last_seq: int | None = None
    """The row of the last decision on this claim that the examiner saw; None when there was none."""
    standing: Standing | None = None
    state: ClaimState | None = None
    """Whose the claim is and whether an answer is awaited; None before the journal was asked."""

    @property
    def id(self) -> str:
        """The record's id."""
        return self.claim.record.id

    @property
    def base(self) -> Reading:
        """The reading that the answers rest on, before the examiner changed anything."""
        if self.rests_on_model and self.model is not None and self.model.reading is not None:
            return self.model.reading
        return self.reading

    @property
    def other_span(self) -> Span | None:
        """Where the sentence stands that the other reading cites; None where there is none or it is the same."""
        if self.model is None or self.model.answers is None:
            return None
        other = self.proposed.span if self.rests_on_model else self.model.answers.span
        return None if other == self.answers.span else other

    @property
    def stale(self) -> bool:
        """Whether a decision stands on other bytes of the record."""
        return self.standing is not None and self.standing.record_sha256 != self.sha256
