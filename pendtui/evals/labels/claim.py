"""One claim as the gate sees it: everything that is known of it, and what that comes to."""

from collections.abc import Mapping
from typing import Any, NamedTuple

from pendtui.evals.labels.policy import Standing
from pendtui.evals.labels.rows import Row
from pendtui.evals.labels.text import Document


class Claim(NamedTuple):
    """The parts of a claim; each is None where there is none or it cannot be read or derived."""

    id: str
    document: Document | None
    row: Row | None
    label: Mapping[str, Any] | None
    """Its line of the answer key."""
    decided: tuple[str, str] | None
    """The rule and the resolution that the row's evidence and the label's cause class come to."""
    by_cause: tuple[str, str] | None
    """The rule and the resolution, had nothing been located."""
    standing: Standing | None

    @property
    def cause(self) -> str:
        """The label's cause class, or nothing."""
        cause = self.label.get("cause_class") if self.label else None
        return cause if isinstance(cause, str) else ""
