"""The queue index: one SQLite row a record, so that a list can paint without reading the folder again.

It is a cache. It is rebuilt when it is missing, of another format or damaged, follows the folder by size, time of
change and then hash, and may be deleted at any time. The journal is kept elsewhere.
"""

import hashlib
import sqlite3
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

from pendtui.desk.index_file import (
    CHECKED_COLUMNS,
    FORMAT,
    RECORD_COLUMNS,
    TALLIES,
    DamagedError,
    NotKeptError,
    checksum,
    discard,
    is_damage,
    open_index,
    stretches,
)
from pendtui.desk.indexing import BATCH, MANY, Due, Found, RowText, read_all, rows_of
from pendtui.desk.journal.rows import storable
from pendtui.desk.listing import Listing
from pendtui.desk.order import row_numbers
from pendtui.desk.queue_folder import Rows, files_in_pieces, row_texts
from pendtui.engines.policy import Policy
from pendtui.engines.readers import Reader
from pendtui.errors import QueueError

PIECE = 250
"""Files of the folder that are compared with the index at once."""

STEPS = 20_000
"""Steps of the database between two looks whether a question is still wanted: about a millisecond."""

CHECK_SECONDS = 24 * 3600
"""Between two checks of the whole file."""

SETTLED_NS = 2_000_000_000
"""How long a folder has to have been as it is before its time of change is relied upon."""

_WRITTEN = (*RECORD_COLUMNS, "checksum")
_UPSERT = (
    f"INSERT INTO record ({', '.join(_WRITTEN)}) VALUES ({', '.join('?' * len(_WRITTEN))})"
    f" ON CONFLICT (id) DO UPDATE SET {', '.join(f'{name} = excluded.{name}' for name in _WRITTEN[1:])}"
)
_CHECKED = [RECORD_COLUMNS.index(name) for name in CHECKED_COLUMNS]
_TALLIED = f"SELECT {', '.join(TALLIES.values())} FROM record WHERE id IN"
_COUNT = (
    "INSERT INTO tally VALUES (?, ?, ?)"
    " ON CONFLICT (kind, value) DO UPDATE SET records = records + excluded.records"
)
_ROW_KEY = "r.key || COALESCE('+' || r.again, '')"
_ROW = f"SELECT r.record_id, r.position, r.again, {_ROW_KEY}, r.text FROM claim_row r WHERE r.record_id IN"
_ROW_CHANGED = f"""
SELECT record.id FROM record LEFT JOIN claim_row r ON r.record_id = record.id
WHERE record.row_key != COALESCE({_ROW_KEY}, '')
"""


class Changes(NamedTuple):
    """What following the folder has brought so far: records that came, changed and went, of those due."""

    new: int = 0
    changed: int = 0
    removed: int = 0
    done: int = 0
    due: int = 0
    """Records to be read, of which `done` have been."""
    fault: str = ""
    """Why the folder cannot be followed at present."""
    answered: int = 0
    unanswered: int = 0
    """Records that the reader is still to be asked about, of which `answered` have been."""

    @property
    def any(self) -> bool:
        """Whether the queue is another one than before."""
        return bool(self.new or self.changed or self.removed)


def unpaced() -> None:
    """What `refresh` calls between two pieces of work where nobody waits meanwhile: nothing."""


class QueueIndex:
    """The index of one queue under one policy and one reader. Use it from the thread that opened it."""

    def __init__(self, path: Path, folder: Path, policy: Policy, reader: Reader) -> None:
        self.path = path
        self._folder = folder
        self._policy = policy
        self._reader = reader
        self._passing: Path | None = None
        self.looking = 0.0
        """Processor seconds that the last look at the folder and claims.json took, without reading any record."""
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
        # a replayed run is a reader of its own: another run has other readings under the same name
        reads = getattr(reader, "identity", reader.name)
        key = "\n".join((str(folder.resolve()), policy.sha256, reads, str(FORMAT), journal))
        digest = hashlib.sha256(key.encode("utf-8", "surrogateescape")).hexdigest()[:16]
        name = f"{folder.resolve().name[:40]}-{digest}.db"
        try:
            index_folder.mkdir(parents=True, exist_ok=True, mode=0o700)
            return cls(index_folder / name, folder, policy, reader)
        except (OSError, NotKeptError):
            import tempfile

            try:
                passing = Path(tempfile.mkdtemp(prefix="pendtui-index-"))
            except OSError as fault:
                raise QueueError(f"no queue index can be kept: {fault}", where=str(index_folder)) from None
            index = cls(passing / name, folder, policy, reader)
            index._passing = passing
            return index

    def close(self) -> None:
        """Let go of the file; of a temporary folder too."""
        self._db.close()
        if self._passing is not None:
            import shutil

            shutil.rmtree(self._passing, ignore_errors=True)

    @property
    def file(self) -> tuple[int, int] | None:
        """Which file is open: another one numbers its rows otherwise."""
        return self._file

    def stop_when(self, asked_to: Callable[[], bool]) -> None:
        """Give up a question to the lists as soon as this says so, with sqlite3.OperationalError."""
        self._db.set_progress_handler(asked_to, STEPS)

    @property
    def is_lost(self) -> bool:
        """Whether the file that is open was removed, or another has taken its place."""
        return _identity(self.path) != self._file

    @property
    def is_behind(self) -> bool:
        """Whether files came or went, or claims.json changed, since the folder was last followed."""
        return (
            self._meta("folder") != str(_folder_stamp(self._folder))
            or self._meta("indexed rows") != self._rows_stamp()
        )

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

    def mend(self) -> None:
        """Open the file anew, after it was found to be damaged or lost; it is made anew where nobody else has."""
        if not self.reopened():
            self._make_anew()

    def _make_anew(self) -> None:
        self._db.close()
        discard(self.path)
        self._open()

    # claims.json

    def claim_rows(self, record_id: str) -> Rows | None:
        """The row of one record, as `read_rows` would give it; None when claims.json is newer than the index."""
        if self._meta("rows") != self._rows_stamp():
            return None
        return rows_of(self._row_texts([record_id]).get(record_id))

    def _row_texts(self, record_ids: list[str]) -> dict[str, RowText]:
        found = {each[0]: RowText(*each) for each in self._db.execute(f"{_ROW} ({_marks(record_ids)})", record_ids)}
        if not all(row.key.startswith(_text_key(row.text)) for row in found.values()):
            raise DamagedError("a row of claims.json is not as it was written")
        return found

    # Following the folder

    def refresh(self, breathe: Callable[[], None] = unpaced, *, contents: bool = True) -> Iterator[Changes]:
        """Bring the index up to the folder, a batch at a time, yielding what that has brought after each.

        Without `contents` only records that came or went are looked for, which takes a fifth of the time.
        Where many are due they come without the reader's answers, for which `answer` asks later.
        `breathe` is called between two short pieces of work. Raises QueueError when the folder or claims.json
        cannot be read or the index not written. An index file that was removed or damaged is made anew.
        """
        if self.is_lost:
            self._db.close()
            self._open()
        try:
            yield from self._refresh(breathe, contents)
        except sqlite3.DatabaseError as fault:
            self._give_up_unless_damaged(fault)
            self._make_anew()
            yield from self._refresh(breathe, contents)

    def answer(self, breathe: Callable[[], None] = unpaced) -> Iterator[Changes]:
        """Ask the reader about the records that have no answer yet, the most urgent first, a batch at a time.

        Raises QueueError when the index cannot be written. One that is damaged is made anew, and is empty then.
        """
        try:
            yield from self._answer(breathe)
        except sqlite3.DatabaseError as fault:
            self._give_up_unless_damaged(fault)
            self._make_anew()

    def _answer(self, breathe: Callable[[], None]) -> Iterator[Changes]:
        found = self._db.execute("SELECT rid FROM record WHERE answered = 0 ORDER BY register_left, id")
        rids = row_numbers(rid for (rid,) in found)
        so_far = Changes(unanswered=len(rids))
        pieces = (rids[at : at + BATCH] for at in range(0, len(rids), BATCH))
        batches = (self._due(self._ids_of(piece), anew=True) for piece in pieces)
        for read in read_all(self._folder, self._policy, self._reader, batches, len(rids) >= MANY):
            self._write(read)
            so_far = so_far._replace(answered=so_far.answered + len(read.rows) + len(read.gone))
            yield so_far
            breathe()

    def _ids_of(self, rids: Sequence[int]) -> list[str]:
        found = self._db.execute(f"SELECT id FROM record WHERE rid IN ({_marks(rids)})", tuple(rids))
        return [record_id for (record_id,) in found]

    def _give_up_unless_damaged(self, fault: sqlite3.Error) -> None:
        if not is_damage(fault):
            raise QueueError(f"the queue index cannot be written: {fault}", where=str(self.path)) from None

    def _refresh(self, breathe: Callable[[], None], contents: bool) -> Iterator[Changes]:
        worked = time.thread_time()
        stamp = self._rows_stamp()
        if self._meta("rows") != stamp:
            self._renew_rows(stamp, breathe)
        began = time.time_ns()
        folder_changed = _folder_stamp(self._folder)
        new, changed, gone = self._compare(breathe, contents)
        self.looking = time.thread_time() - worked
        if self._meta("indexed rows") != stamp:
            changed |= {record_id for (record_id,) in self._db.execute(_ROW_CHANGED)} - gone
        self._remove(sorted(gone))
        so_far = Changes(removed=len(gone), due=len(new) + len(changed))
        many = so_far.due >= MANY
        ids = self._oldest_first(new | changed)
        batches = (self._due(ids[at : at + BATCH]) for at in range(0, len(ids), BATCH))
        for found in read_all(self._folder, self._policy, None if many else self._reader, batches, many):
            added = sum(1 for row in found.rows if row[0] in new)
            self._write(found)
            so_far = so_far._replace(
                new=so_far.new + added,
                changed=so_far.changed + len(found.rows) - added,
                done=so_far.done + len(found.rows) + len(found.same) + len(found.gone),
            )
            yield so_far
            breathe()
        with self._transaction():
            self._set_meta("indexed rows", stamp)
            # A folder that changed only just now may change once more without its time showing it.
            settled = began - folder_changed > SETTLED_NS
            self._set_meta("folder", str(folder_changed) if settled else "")
        if not so_far.due:
            yield so_far

    @property
    def is_to_be_checked(self) -> bool:
        """Whether the last check was made so long ago that it is time for another."""
        checked = self._meta("checked")
        return not checked.isdecimal() or not 0 <= time.time() - int(checked) < CHECK_SECONDS

    def check(self, breathe: Callable[[], None] = unpaced) -> bool:
        """Whether the file is whole: every row as it was written, and every list of them complete.

        It reads all of the file. A damaged file is made anew, and is empty then.
        """
        try:
            whole = self._is_whole(breathe)
        except sqlite3.DatabaseError as fault:
            if not is_damage(fault):
                return True
            whole = False
        if not whole:
            self._make_anew()
        with self._transaction():
            self._set_meta("checked", str(int(time.time())))
        return whole

    def _is_whole(self, breathe: Callable[[], None]) -> bool:
        (found,) = self._db.execute("PRAGMA integrity_check (1)").fetchone()
        at, whole = 0, bool(found == "ok") and all(self._is_tallied(kind, breathe) for kind in TALLIES)
        while whole:
            breathe()
            rows = self._db.execute(
                f"SELECT rid, checksum, {', '.join(CHECKED_COLUMNS)} FROM record"
                " WHERE rid > ? ORDER BY rid LIMIT ?",
                (at, PIECE),
            ).fetchall()
            if not rows:
                break
            at = rows[-1][0]
            whole = all(checksum(row[2:]) == row[1] for row in rows)
        return whole

    def _is_tallied(self, kind: str, breathe: Callable[[], None]) -> bool:
        counted: Counter[int] = Counter()
        for stretch in stretches(self._db):
            grouped = (
                f"SELECT {TALLIES[kind]} AS value, count(*) FROM record WHERE rid BETWEEN ? AND ? GROUP BY value"
            )
            counted.update(dict(self._db.execute(grouped, stretch)))
            breathe()
        held = self._db.execute("SELECT value, records FROM tally WHERE kind = ? AND records != 0", (kind,))
        return counted == dict(held)

    def _compare(self, breathe: Callable[[], None], contents: bool) -> tuple[set[str], set[str], set[str]]:
        """Ids of new, of changed and of removed records."""
        new: set[str] = set()
        changed: set[str] = set()
        (last,) = self._db.execute("SELECT COALESCE(max(rid), 0) FROM record").fetchone()
        seen = bytearray(last + 1)
        for piece in files_in_pieces(self._folder, PIECE, stamps=contents and bool(last)):
            known = self._known(list(piece), contents) if last else {}
            for rid, _ in known.values():
                seen[rid] = 1
            if len(known) < len(piece):
                new.update(piece.keys() - known.keys())
            if contents:
                changed.update(record_id for record_id, (_, held) in known.items() if held != piece[record_id])
            breathe()
        (held,) = self._db.execute("SELECT COALESCE(sum(records), 0) FROM tally WHERE kind = 'faulty'").fetchone()
        if seen.count(1) == held:
            return new, changed, set()
        found = self._db.execute("SELECT rid, id FROM record WHERE rid <= ?", (last,))
        return new, changed, {record_id for rid, record_id in found if not seen[rid]}

    def _known(self, record_ids: list[str], contents: bool) -> dict[str, tuple[int, tuple[int, int]]]:
        """Of these records those in the index, with their row numbers and, with `contents`, size and time."""
        columns = "size, mtime_ns" if contents else "0, 0"
        found = self._db.execute(
            f"SELECT id, rid, {columns} FROM record WHERE id IN ({_marks(record_ids)})", record_ids
        )
        return {record_id: (rid, (size, mtime_ns)) for record_id, rid, size, mtime_ns in found}

    def _oldest_first(self, due: set[str]) -> list[str]:
        """Records in the order of receipt by their rows, so that the top of a long list is right from the start.

        Those without a day in a row come first: they may be urgent.
        """
        if len(due) <= BATCH:
            return sorted(due)
        received = "CASE WHEN json_valid(text) THEN json_extract(text, '$.received_on') END"
        found = self._db.execute(f"SELECT record_id FROM claim_row ORDER BY {received}, record_id")
        listed = [record_id for (record_id,) in found if record_id in due]
        return sorted(due.difference(listed)) + listed

    def _due(self, record_ids: list[str], *, anew: bool = False) -> list[Due]:
        """What is known of these records; with `anew` as if nothing were, so that they are read in any case."""
        rows = self._row_texts(record_ids)
        asked = [] if anew else record_ids
        held = {
            record_id: (sha256, row_key)
            for record_id, sha256, row_key in self._db.execute(
                f"SELECT id, sha256, row_key FROM record WHERE id IN ({_marks(asked)})", asked
            )
        }
        return [Due(record_id, rows.get(record_id), *held.get(record_id, ("", ""))) for record_id in record_ids]

    def write_rows(self, rows: Sequence[tuple[object, ...]]) -> None:
        """Put rows, in the order of RECORD_COLUMNS, into the index; one takes the place of an earlier of its id."""
        with self._transaction(), self._tallying([str(row[0]) for row in rows]):
            self._db.executemany(_UPSERT, [(*row, checksum([row[at] for at in _CHECKED])) for row in rows])

    def _write(self, found: Found) -> None:
        self.write_rows(found.rows)
        with self._transaction():
            self._db.executemany(
                "UPDATE record SET size = ?, mtime_ns = ? WHERE id = ?",
                [(same.size, same.mtime_ns, same.id) for same in found.same],
            )
        self._remove(found.gone)

    def _remove(self, record_ids: Sequence[str]) -> None:
        for at in range(0, len(record_ids), BATCH):
            ids = record_ids[at : at + BATCH]
            with self._transaction(), self._tallying(ids):
                self._db.execute(f"DELETE FROM record WHERE id IN ({_marks(ids)})", ids)

    @contextmanager
    def _tallying(self, record_ids: Sequence[str]) -> Iterator[None]:
        """Keep the tally right while these records are written or removed, within a transaction."""
        counted: Counter[tuple[str, int]] = Counter()
        before_and_after = f"{_TALLIED} ({_marks(record_ids)})"
        for values in self._db.execute(before_and_after, record_ids):
            counted.subtract(zip(TALLIES, values, strict=True))
        yield
        for values in self._db.execute(before_and_after, record_ids):
            counted.update(zip(TALLIES, values, strict=True))
        self._db.executemany(_COUNT, [(*key, records) for key, records in counted.items() if records])

    def _renew_rows(self, stamp: str, breathe: Callable[[], None]) -> None:
        """Take claims.json over anew, beside the rows that are held, and put it in their place when it is whole."""
        self._db.executescript(
            "DROP TABLE IF EXISTS claim_row_new; CREATE TABLE claim_row_new (record_id TEXT PRIMARY KEY,"
            " position INTEGER NOT NULL, again INTEGER, key TEXT NOT NULL, text TEXT NOT NULL) WITHOUT ROWID;"
        )
        piece: list[tuple[str, int, str, str]] = []
        for record_id, position, text in row_texts(self._folder):
            piece.append((storable(record_id), position, _text_key(text), text))
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


def _text_key(text: str) -> str:
    return hashlib.blake2b(text.encode(), digest_size=8).hexdigest()


def _marks(values: Sequence[object]) -> str:
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
