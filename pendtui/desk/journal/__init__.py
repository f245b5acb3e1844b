"""The decision journal: append-only rows of who decided what on which record, under which policy.

A small interface over SQLite: `Journal` opens, appends, undoes, folds and verifies. Everything a caller gets
back is a frozen value that knows nothing of the database.
"""

from pendtui.desk.journal.rows import (
    Action,
    ConflictError,
    Entry,
    Fault,
    GateError,
    Head,
    NewEntry,
    Standing,
    Status,
    os_user,
)
from pendtui.desk.journal.store import Journal

__all__ = [
    "Action",
    "ConflictError",
    "Entry",
    "Fault",
    "GateError",
    "Head",
    "Journal",
    "NewEntry",
    "Standing",
    "Status",
    "os_user",
]
