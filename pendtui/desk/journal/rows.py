"""The values of the journal: a decision on its way in, a row that is saved, and what rows add up to."""

import hashlib
import json
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from enum import StrEnum
from typing import NamedTuple, Self

from pendtui.engines.vocabulary import Release
from pendtui.errors import JournalError


class Action(StrEnum):
    """What an examiner did with a claim."""

    ACCEPT = "accept"
    """Took the proposed answers as they were."""
    CHANGE = "change"
    """Took answers that the examiner had changed first."""
    PARK = "park"
    """Set the claim aside; it is not decided."""
    UNDO = "undo"
    """Took an earlier row back. That row stays where it is."""
    CONFIRM = "confirm"
    """Gave another examiner's decision the second look that it needs."""
    ASSIGN = "assign"
    """Said whose the claim is. Decides nothing."""
    REQUEST = "request"
    """Asked somebody outside for something. Decides nothing."""
    ANSWER = "answer"
    """Noted that what was asked for came in, or is no longer wanted. Decides nothing."""


class Status(StrEnum):
    """How a claim stands after its rows are folded. A claim without a standing is open."""

    ACCEPTED = "accepted"
    CHANGED = "changed"
    PARKED = "parked"
    SECOND_LOOK = "second look"
    """Accepted or changed, and to be confirmed by another examiner before it stands."""


STATUS_AFTER = {Action.ACCEPT: Status.ACCEPTED, Action.CHANGE: Status.CHANGED, Action.PARK: Status.PARKED}
"""The status that each deciding action leaves a claim in, where no second look is needed."""

DECISIONS = frozenset({Action.ACCEPT, Action.CHANGE, Action.PARK, Action.UNDO, Action.CONFIRM})
"""The actions whose rows are what a claim was decided by; the others only accompany it."""


class NewEntry(NamedTuple):
    """A decision about to be saved. Host and program version are added by the journal itself.

    `at` is an aware instant. `proposed` and `decided` hold, as plain JSON values, cause_class, citation,
    span, resolution, rule, clock, clock_rule, release, as_of, elapsed_days, deadline_days and evidence.
    """

    at: datetime
    who: str
    """The operating system's user."""
    queue: str
    """The queue folder's resolved path."""
    record_id: str
    record_sha256: str
    """Of the record's bytes as the examiner saw them."""
    policy_id: str
    policy_sha256: str
    action: str
    """accept, change or park."""
    reader: str
    """The arm that proposed."""
    proposed: Mapping[str, object]
    decided: Mapping[str, object]
    note: str = ""
    display_name: str = ""
    """How the examiner is shown; empty means by `who`."""


class Entry(NamedTuple):
    """One saved row. An undo repeats the answers of the row that it takes back."""

    seq: int
    """Position in the journal, from 1, without gaps."""
    at: datetime
    who: str
    display_name: str
    host: str
    program: str
    queue: str
    record_id: str
    record_sha256: str
    policy_id: str
    policy_sha256: str
    action: Action
    reader: str
    proposed_json: str
    decided_json: str
    note: str
    undoes: int | None
    """The row taken back; only an undo has one."""
    previous_hash: str
    hash: str

    @property
    def proposed(self) -> dict[str, object]:
        """What the reader and the rules proposed."""
        return _answers(self.proposed_json, self.seq)

    @property
    def decided(self) -> dict[str, object]:
        """What the examiner decided."""
        return _answers(self.decided_json, self.seq)

    @property
    def by(self) -> str:
        """The examiner's name as shown to people."""
        return self.display_name or self.who

    @property
    def decides(self) -> bool:
        """Whether this is a decision on the claim, and so counts as its last one."""
        return self.action in DECISIONS


class Standing(NamedTuple):
    """How a claim stands: its last decision that was not taken back, and not the second look that it was given.

    It is stale when the record's bytes or the policy no longer have these hashes; the caller compares.
    """

    status: Status
    entry: Entry

    @property
    def who(self) -> str:
        """The operating system's user who decided."""
        return self.entry.who

    @property
    def record_sha256(self) -> str:
        """Hash of the record's bytes that were decided on."""
        return self.entry.record_sha256

    @property
    def policy_sha256(self) -> str:
        """Hash of the policy that was decided under."""
        return self.entry.policy_sha256


class Head(NamedTuple):
    """The journal's last row: how many rows there are, and the hash that stands for all of them."""

    rows: int
    hash: str

    def __str__(self) -> str:
        return f"{self.rows}:{self.hash}"

    @classmethod
    def parse(cls, text: str) -> Self:
        """A head as `str` writes it, kept elsewhere as a seal. Raises ValueError."""
        rows, colon, digest = text.strip().partition(":")
        if not (colon and rows.isascii() and rows.isdigit() and len(digest) == 64 and set(digest) <= set(_HEX)):
            raise ValueError("a seal is the number of rows, a colon and 64 hexadecimal digits")
        return cls(int(rows), digest)


class Fault(NamedTuple):
    """One thing wrong with the journal. `seq` is the row, or None for the file as a whole."""

    seq: int | None
    what: str


class ConflictError(JournalError):
    """Somebody else decided on the claim since the examiner last looked. Nothing was saved."""

    def __init__(self, other: Entry | None, *, where: str) -> None:
        self.other = other
        """The claim's last row as it is now; None when the journal no longer has any."""
        if other is None:
            what = "the row that this decision builds on is not in the journal"
        else:
            when = other.at.strftime("%Y-%m-%d %H:%M:%S UTC")
            what = f"{other.by} was here first ({other.action}, {when}, row {other.seq})"
        super().__init__(what, where=where, remedy="Your decision was not saved. Look at the claim again")


class SecondLookError(JournalError):
    """A second look by the examiner who decided, or on what is no decision. Nothing was saved."""


class UnknownOutcomeError(JournalError):
    """The connection was lost while a change was being saved, and nothing says whether it was."""


class GateError(JournalError, ValueError):
    """An entry whose release answer is not EXAMINER-APPLIES. It is never written."""


COLUMNS = (
    "seq",
    "at",
    "who",
    "display_name",
    "host",
    "program",
    "queue",
    "record_id",
    "record_sha256",
    "policy_id",
    "policy_sha256",
    "action",
    "reader",
    "proposed",
    "decided",
    "note",
    "undoes",
    "previous_hash",
    "hash",
)
"""The columns of a row, in their order. The last one is computed from all the others."""

SELECT = f"SELECT {', '.join(COLUMNS)} FROM decision"

_HEX = "0123456789abcdef"

NO_ROW_BEFORE = "0" * 64
"""The previous hash of the first row."""


def row_hash(values: Sequence[object]) -> str:
    """The hash of a row: SHA-256 over the previous row's hash and canonical JSON of all columns but `hash`.

    `values` are the columns up to and with previous_hash, as they are stored.
    """
    previous = values[-1]
    body = canonical_json(dict(zip(COLUMNS[:-1], values, strict=True)))
    return hashlib.sha256(f"{previous}\n{body}".encode()).hexdigest()


def canonical_json(value: object) -> str:
    """The one way to write a JSON value: keys sorted, no spaces, ASCII. Raises TypeError for any other."""
    return json.dumps(value, sort_keys=True, separators=(",", ":"), allow_nan=False)


def answers_json(answers: Mapping[str, object], where: str) -> str:
    """Answers as canonical JSON. Raises GateError when they would let a claim go out with nobody looking."""
    release = answers.get("release")
    if release != Release.EXAMINER_APPLIES:
        raise GateError(
            f"a release answer of '{release}' cannot be written",
            where=where,
            remedy=f"The only one there is, is {Release.EXAMINER_APPLIES}",
        )
    return canonical_json(dict(answers))


def plain_json(values: Mapping[str, object]) -> str:
    """What a row that decides nothing says, as canonical JSON. It has no release answer of any kind."""
    if "release" in values:
        raise GateError("a row that decides nothing cannot hold a release answer")
    return canonical_json(dict(values))


def _answers(text: str, seq: int) -> dict[str, object]:
    try:
        answers = json.loads(text)
    except ValueError:
        answers = None
    if not isinstance(answers, dict):
        raise unreadable(seq)
    return answers


def unreadable(seq: object) -> JournalError:
    """What to say of a row that holds what no journal writes."""
    return JournalError(
        f"row {seq} is not as it was written", where="the journal", remedy="Run `pendtui journal verify`"
    )


def instant_text(at: datetime) -> str:
    """An aware instant as stored: UTC, ISO 8601, microseconds, Z. Raises ValueError when it has no zone."""
    if at.tzinfo is None:
        raise ValueError("a journal row needs an instant with a time zone")
    return at.astimezone(UTC).isoformat(timespec="microseconds").replace("+00:00", "Z")


def storable(text: str) -> str:
    r"""Text that any of the databases can hold.

    A byte of a file name that is not UTF-8 is written out as \udcXX, and a NUL character as \x00.
    """
    return text.encode("utf-8", "backslashreplace").decode().replace("\0", "\\x00")


def os_user() -> str:
    """The user that the operating system runs this process for, whatever the environment claims."""
    import os
    import pwd

    try:
        return pwd.getpwuid(os.getuid()).pw_name
    except KeyError:
        return f"uid {os.getuid()}"
