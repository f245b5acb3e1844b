"""Where a claim stands after all its journal rows, as lists of claims show it, and who has it open."""

from datetime import datetime
from enum import StrEnum
from typing import NamedTuple


class Waiting(StrEnum):
    """Whether somebody outside was asked for something."""

    NOBODY = ""
    """Nothing was asked for, or what came in was worked into a decision."""
    ASKED = "waiting"
    """A request is out and unanswered."""
    ANSWERED = "answer in"
    """The answer is in, and no decision was taken since."""


class ClaimState(NamedTuple):
    """One claim with at least one journal row. Days are ISO dates; an empty text means that there is none."""

    record_id: str
    last_seq: int
    """The claim's last journal row of any kind."""
    status: str = ""
    """Of the decision that stands: accepted, changed, parked, second look; empty for an open claim."""
    decision_seq: int | None = None
    """The row of the decision that stands."""
    who: str = ""
    """The operating system's user who took it."""
    by: str = ""
    """That examiner's name as shown to people."""
    decided_at: str = ""
    """When it was taken: UTC, ISO 8601, as the journal stores it."""
    resolution: str = ""
    """What was decided."""
    record_sha256: str = ""
    policy_sha256: str = ""
    assignee: str = ""
    """Whose the claim is: an examiner's operating system user, or a specialist queue."""
    waiting: str = ""
    """One of Waiting."""
    request_seq: int | None = None
    """The row of the request that is out or whose answer is in."""
    asked: str = ""
    """To whom it went."""
    due_on: str = ""
    """The day by which an answer is expected."""


class Lease(NamedTuple):
    """Who has a claim open. It lapses at `until` unless its holder's program renews it."""

    record_id: str
    token: str
    """Of the running program that holds it; two programs of one examiner have two."""
    who: str
    by: str
    host: str
    since: datetime
    until: datetime
