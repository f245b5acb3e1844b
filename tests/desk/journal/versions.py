"""Journals as earlier programs have left them."""

import sqlite3
from pathlib import Path

from pendtui.desk.journal.database import APPLICATION_ID
from pendtui.desk.journal.rows import COLUMNS, NO_ROW_BEFORE, answers_json, instant_text, row_hash
from pendtui.desk.journal.sqlite_schema import MIGRATIONS
from tests.journals import QUEUE, START, answers


def write_version_1(path: Path, rows: int) -> int:
    """A file of the first schema: claims accepted one after the other, every fourth row an undo; how many rows."""
    path.parent.mkdir(parents=True, exist_ok=True)
    db = sqlite3.connect(path, isolation_level=None)
    try:
        for statement in MIGRATIONS[0]:
            db.execute(statement)
        db.execute(f"PRAGMA application_id={APPLICATION_ID}")
        db.execute("PRAGMA user_version=1")
        previous = NO_ROW_BEFORE
        for seq in range(1, rows + 1):
            undoes = seq - 1 if seq % 4 == 0 else None
            decided = answers_json(answers(), "")
            values = (
                *(seq, instant_text(START), "ann", "Ann", "host", "pendtui 0.0.9", QUEUE),
                *(f"PC-{undoes or seq:04}", "a" * 64, "PR-2026", "b" * 64, "undo" if undoes else "accept"),
                *("floor", decided, decided, f"note {seq}", undoes, previous),
            )
            previous = row_hash(values)
            db.execute(f"INSERT INTO decision VALUES ({', '.join('?' * len(COLUMNS))})", (*values, previous))
    finally:
        db.close()
    return rows
