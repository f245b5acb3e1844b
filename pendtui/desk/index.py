"""The queue index: one SQLite row a record, so that a list can paint without reading the folder again.

It is a cache. It is rebuilt when it is missing, of another format or damaged, follows the folder by size, time of
change and then hash, and may be deleted at any time. The journal is kept elsewhere.
"""

import hashlib
import os
import sqlite3
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

from pendtui.desk.index_file import FORMAT, RECORD_COLUMNS, discard, open_index
from pendtui.desk.indexing import BATCH, MANY, Due, Found, RowText, read_all, rows_of
from pendtui.desk.journal.rows import storable
from pendtui.desk.listing import Listing
from pendtui.desk.queue_folder import Rows, files_in_pieces, row_texts
from pendtui.engines.policy import Policy
from pendtui.engines.readers import Reader

PIECE = 250
"""Files of the folder that are compared with the index at once."""

SETTLED_NS = 2_000_000_000
"""How long a folder has to have been as it is before its time of change is relied upon."""

_UPSERT = (
    f"INSERT INTO record ({', '.join(RECORD_COLUMNS)}) VALUES ({', '.join('?' * len(RECORD_COLUMNS))})"
    f" ON CONFLICT (id) DO UPDATE SET {', '.join(f'{name} = excluded.{name}' for name in RECORD_COLUMNS[1:])}"
)
_ROW_KEY = "r.key || COALESCE('+' || r.again, '')"
_ROW = f"SELECT r.record_id, r.position, r.again, {_ROW_KEY}, r.text FROM claim_row r WHERE r.record_id IN"
_ROW_CHANGED = f"""
SELECT record.id FROM record LEFT JOIN claim_row r ON r.record_id = record.id
WHERE record.row_key != COALESCE({_ROW_KEY}, '')
"""


class Progress(NamedTuple):
    """How far following the folder has got: records done and to do, and what they were."""

    done: int = 0
    due: int = 0
    new: int = 0
    changed: int = 0
    removed: int = 0


def unhurried() -> None:
    """What `refresh` calls between two pieces of work when nobody else needs the machine: nothing."""


class QueueIndex:
    """The index of one queue under one policy and one reader. Use it from the thread that opened it."""

    def __init__(self, path: Path, folder: Path, policy: Policy, reader: Reader) -> None:
        self.path = path
        self._folder = folder
        self._policy = policy
        self._reader = reader
        self._open()

    def _open(self) -> None:
        self._db = open_index(self.path)
        self._file = _identity(self.path)
        self.listing = Listing(self._db, self._policy)
        """The records as lists."""

    @classmethod
    def at(
        cls, index_folder: Path, folder: Path, policy: Policy, reader: Reader, journal: str = ""
    ) -> "QueueIndex":
        """The index of a queue folder, under `index_folder`, or in a temporary folder if that cannot be written.

        Each journal has an index of its own, because what it says of the claims is kept there too.
        """
        key = "\n".join((str(folder.resolve()), policy.sha256, reader.name, str(FORMAT), journal))
        digest = hashlib.sha256(key.encode("utf-8", "surrogateescape")).hexdigest()[:16]
        name = f"{folder.resolve().name[:40]}-{digest}.db"
        try:
            index_folder.mkdir(parents=True, exist_ok=True, mode=0o700)
            if not os.access(index_folder, os.W_OK):
                raise PermissionError
        except OSError:
            import tempfile

            index_folder = Path(tempfile.mkdtemp(prefix="pendtui-index-"))
        return cls(index_folder / name, folder, policy, reader)

    def close(self) -> None:
        """Let go of the file."""
        self._db.close()

    def reopened(self) -> bool:
        """Open the index anew where another file has taken the place of the one that is open; whether that was so.

        What `listing` was told of claims and leases has to be told again then.
        """
        now = _identity(self.path)
        if now is None or now == self._file:
            return False
        self._db.close()
        self._open()
        return True

    # claims.json

    def claim_rows(self, record_id: str) -> Rows | None:
        """The row of one record, as `read_rows` would give it; None when claims.json is newer than the index."""
        if self._meta("rows") != self._rows_stamp():
            return None
        found = self._db.execute(f"{_ROW} (?)", (record_id,)).fetchone()
        return rows_of(RowText(*found) if found else None)

    def row_text(self, record_id: str) -> str | None:
        """The row of claims.json for a record, as written, when it was last followed; None where there is none."""
        found = self._db.execute("SELECT text FROM claim_row WHERE record_id = ?", (record_id,)).fetchone()
        return str(found[0]) if found else None

    # Following the folder

    def refresh(self, breathe: Callable[[], None] = unhurried) -> Iterator[Progress]:
        """Bring the index up to the folder, a batch at a time, yielding how far it has got after each.

        `breathe` is called between two short pieces of work. Raises QueueError when the folder or claims.json
        cannot be read. An index file that was removed or damaged meanwhile is made anew.
        """
        if _identity(self.path) != self._file:
            self._db.close()
            self._open()
        try:
            yield from self._refresh(breathe)
        except sqlite3.OperationalError:
            raise
        except sqlite3.DatabaseError:
            self._db.close()
            discard(self.path)
            self._open()
            yield from self._refresh(breathe)

    def _refresh(self, breathe: Callable[[], None]) -> Iterator[Progress]:
        stamp = self._rows_stamp()
        if self._meta("rows") != stamp:
            self._renew_rows(stamp, breathe)
        began = time.time_ns()
        folder_changed = _folder_stamp(self._folder)
        new, changed, gone = self._compare(breathe)
        if self._meta("indexed rows") != stamp:
            changed |= {record_id for (record_id,) in self._db.execute(_ROW_CHANGED)} - gone
        self._remove(gone)
        progress = Progress(0, len(new) + len(changed), removed=len(gone))
        for found in self._read(sorted(new | changed)):
            added = sum(1 for row in found.rows if row[0] in new)
            self._write(found)
            progress = progress._replace(
                done=progress.done + len(found.rows) + len(found.same) + len(found.gone),
                new=progress.new + added,
                changed=progress.changed + len(found.rows) - added,
            )
            yield progress
            breathe()
        with self._transaction():
            self._set_meta("indexed rows", stamp)
            # A folder that changed only just now may change once more without its time showing it.
            settled = began - folder_changed > SETTLED_NS
            self._set_meta("folder", str(folder_changed) if settled else "")
        if not progress.due:
            yield progress

    def _compare(self, breathe: Callable[[], None]) -> tuple[set[str], set[str], set[str]]:
        """Ids of new, of changed and of removed records."""
        new: set[str] = set()
        changed: set[str] = set()
        (last,) = self._db.execute("SELECT COALESCE(max(rid), 0) FROM record").fetchone()
        seen = bytearray(last + 1)
        for piece in files_in_pieces(self._folder, PIECE):
            known = self._known([record_id for record_id, _, _ in piece]) if last else {}
            for record_id, size, mtime_ns in piece:
                held = known.get(record_id)
                if held is None:
                    new.add(record_id)
                    continue
                seen[held[0]] = 1
                if held[1:] != (size, mtime_ns):
                    changed.add(record_id)
            breathe()
        found = self._db.execute("SELECT rid, id FROM record WHERE rid <= ?", (last,)) if last else ()
        gone = {record_id for rid, record_id in found if not seen[rid]}
        return new, changed, gone

    def _known(self, record_ids: list[str]) -> dict[str, tuple[int, int, int]]:
        found = self._db.execute(
            f"SELECT id, rid, size, mtime_ns FROM record WHERE id IN ({_marks(record_ids)})", record_ids
        )
        return {record_id: (rid, size, mtime_ns) for record_id, rid, size, mtime_ns in found}

    def _read(self, record_ids: list[str]) -> Iterator[Found]:
        batches = (self._due(record_ids[at : at + BATCH]) for at in range(0, len(record_ids), BATCH))
        return read_all(self._folder, self._policy, self._reader, batches, len(record_ids) >= MANY)

    def _due(self, record_ids: list[str]) -> list[Due]:
        marks = _marks(record_ids)
        rows = {found[0]: RowText(*found) for found in self._db.execute(f"{_ROW} ({marks})", record_ids)}
        held = {
            record_id: (sha256, row_key)
            for record_id, sha256, row_key in self._db.execute(
                f"SELECT id, sha256, row_key FROM record WHERE id IN ({marks})", record_ids
            )
        }
        return [Due(record_id, rows.get(record_id), *held.get(record_id, ("", ""))) for record_id in record_ids]

    def _write(self, found: Found) -> None:
        with self._transaction():
            self._db.executemany(_UPSERT, found.rows)
            self._db.executemany(
                "UPDATE record SET size = ?, mtime_ns = ? WHERE id = ?",
                [(same.size, same.mtime_ns, same.id) for same in found.same],
            )
        self._remove(found.gone)

    def _remove(self, record_ids: "set[str] | list[str]") -> None:
        if record_ids:
            with self._transaction():
                self._db.executemany("DELETE FROM record WHERE id = ?", [(one,) for one in record_ids])

    def _renew_rows(self, stamp: str, breathe: Callable[[], None]) -> None:
        """Take claims.json over anew, beside the rows that are held, and put it in their place when it is whole."""
        self._db.executescript(
            "DROP TABLE IF EXISTS claim_row_new; CREATE TABLE claim_row_new (record_id TEXT PRIMARY KEY,"
            " position INTEGER NOT NULL, again INTEGER, key TEXT NOT NULL, text TEXT NOT NULL) WITHOUT ROWID;"
        )
        piece: list[tuple[str, int, str, str]] = []
        for record_id, position, text in row_texts(self._folder):
            key = hashlib.blake2b(text.encode(), digest_size=8).hexdigest()
            piece.append((storable(record_id), position, key, text))
            if len(piece) == 10 * BATCH:
                self._write_rows(piece)
                piece.clear()
                breathe()
        self._write_rows(piece)
        with self._transaction():
            self._db.execute("DROP TABLE claim_row")
            self._db.execute("ALTER TABLE claim_row_new RENAME TO claim_row")
            self._set_meta("rows", stamp)

    def _write_rows(self, piece: list[tuple[str, int, str, str]]) -> None:
        with self._transaction():
            self._db.executemany(
                "INSERT INTO claim_row_new VALUES (?, ?, NULL, ?, ?)"
                " ON CONFLICT (record_id) DO UPDATE SET again = excluded.position",
                piece,
            )

    @contextmanager
    def _transaction(self) -> Iterator[None]:
        self._db.execute("BEGIN IMMEDIATE")
        with self._db:
            yield

    def _meta(self, key: str) -> str:
        held = self._db.execute("SELECT value FROM meta WHERE key = ?", (key,)).fetchone()
        return str(held[0]) if held else ""

    def _set_meta(self, key: str, value: str) -> None:
        self._db.execute("INSERT OR REPLACE INTO meta VALUES (?, ?)", (key, value))

    def _rows_stamp(self) -> str:
        try:
            stat = (self._folder / "claims.json").stat()
        except OSError:
            return "none"
        return f"{stat.st_size} {stat.st_mtime_ns}"


def _marks(values: list[str]) -> str:
    return ",".join("?" * len(values))


def _folder_stamp(folder: Path) -> int:
    """The folder's time of change: it shows files that came, went or were put in another's place."""
    try:
        return folder.stat().st_mtime_ns
    except OSError:
        return 0


def _identity(path: Path) -> tuple[int, int] | None:
    try:
        found = path.stat()
    except OSError:
        return None
    return found.st_dev, found.st_ino
