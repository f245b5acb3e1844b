"""The decision journal: append-only rows of who decided what on which record, under which policy.

A small interface over a SQLite file or a PostgreSQL store: `Journal` opens, appends, undoes, folds and verifies.
Everything a caller gets back is a frozen value that knows nothing of the database.
"""

from pendtui.desk.journal.claims import ClaimState, Lease, Waiting
from pendtui.desk.journal.rows import (
    DECISIONS,
    Action,
    ConflictError,
    Entry,
    Fault,
    GateError,
    Head,
    NewEntry,
    SecondLookError,
    Standing,
    Status,
    UnknownOutcomeError,
    os_user,
)
from pendtui.desk.journal.store import Journal

__all__ = [
    "DECISIONS",
    "Action",
    "ClaimState",
    "ConflictError",
    "Entry",
    "Fault",
    "GateError",
    "Head",
    "Journal",
    "Lease",
    "NewEntry",
    "SecondLookError",
    "Standing",
    "Status",
    "UnknownOutcomeError",
    "Waiting",
    "os_user",
]
