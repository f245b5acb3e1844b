"""The journal as a whole from one place to another: backed up while in use, restored, moved to another store.

Rows are copied with their hashes, so a copy verifies like what it was copied from and has the same head. Nothing
is ever copied into a store that has rows, and what is copied from stays as it is.
"""

import os
from collections.abc import Iterator
from itertools import islice
from pathlib import Path

from pendtui.desk.journal.database import URL_STARTS, Database, Row, open_database
from pendtui.desk.journal.projection import catch_up
from pendtui.desk.journal.rows import COLUMNS, NO_ROW_BEFORE, SELECT, Fault, Head
from pendtui.desk.journal.sqlite_database import SqliteDatabase
from pendtui.desk.journal.verify import faults_of, row_faults
from pendtui.errors import JournalError

_INSERT = f"INSERT INTO decision ({', '.join(COLUMNS)}) VALUES ({', '.join('?' * len(COLUMNS))})"
_FILTERS = "SELECT who, name, words FROM saved_filter"
_PUT_FILTER = "INSERT INTO saved_filter (who, name, words) VALUES (?, ?, ?) ON CONFLICT (who, name) DO NOTHING"
_CHUNK = 500
_WITH_FILTERS = 2
"""The schema version from which a store holds saved filters."""


def back_up(where: Path | str, file: Path, *, timeout: float) -> Head:
    """Write the journal as it is at one moment to a new file, a journal by itself, while others go on writing.

    The file is for its owner alone, appears whole or not at all, and was verified. Raises JournalError.
    """
    if file.exists():
        raise JournalError("is there already", where=str(file), remedy="Name a file that does not exist yet")
    part = file.with_name(f"{file.name}.{os.getpid()}.part")
    source = open_database(where, timeout=timeout, read_only=True)
    try:
        _create(part, file)
        if isinstance(source, SqliteDatabase):
            source.copy_to(part)
        else:
            _into_file(source, part, timeout)
        head = _verified(part, timeout)
        part.rename(file)
    except OSError as fault:
        raise JournalError(f"cannot be written: {fault.strerror}", where=str(file)) from None
    finally:
        source.close()
        for left in part.parent.glob(f"{part.name}*"):
            left.unlink(missing_ok=True)
    _sync_folder(file.parent)
    return head


def restore(file: Path, where: Path | str, *, timeout: float) -> Head:
    """Fill an empty store from a backup, which has to verify. Raises JournalError."""
    source = open_database(file, timeout=timeout, read_only=True)
    try:
        with source.reading():
            _require_whole(source)
        target = open_database(where, timeout=timeout, read_only=False)
        try:
            with source.reading():
                return _copied(source, target)
        finally:
            target.close()
    finally:
        source.close()


def move(where: Path | str, to: Path | str, *, timeout: float) -> Head:
    """Fill another, empty store from the one in use, which nobody may have open and which stays as it is.

    Nobody can decide there while it is copied. At the end the new store is verified and both heads are compared.
    Raises JournalError.
    """
    source = open_database(where, timeout=timeout, read_only=False)
    try:
        if _same(source, to):
            raise JournalError("is the store that is in use", where=source.where, remedy="Name another")
        with source.writing():
            _require_unused(source)
            _require_whole(source)
            target = open_database(to, timeout=timeout, read_only=False)
            try:
                return _copied(source, target)
            finally:
                target.close()
    finally:
        source.close()


def _copied(source: Database, target: Database) -> Head:
    """Copy everything that lasts, then look whether it arrived. `source` is inside a transaction."""
    with target.writing():
        if _head(target).rows:
            raise JournalError("holds decisions already", where=target.where, remedy="Name an empty store")
        for chunk in _chunks(source.stream(f"{SELECT} ORDER BY seq")):
            target.run_each(_INSERT, chunk)
        catch_up(target)
        if source.version >= _WITH_FILTERS:
            target.run_each(_PUT_FILTER, source.rows(_FILTERS))
        head = _head(target)
        if head != _head(source):
            raise JournalError("the copy ends with another row than the original", where=target.where)
    faults = faults_of(target, head)
    if faults:
        raise JournalError(f"the copy does not verify: {said(faults[0])}", where=target.where)
    return head


def _chunks(rows: Iterator[Row]) -> Iterator[list[Row]]:
    while chunk := list(islice(rows, _CHUNK)):
        yield chunk


def _into_file(source: Database, part: Path, timeout: float) -> None:
    target = SqliteDatabase(part, timeout, False)
    try:
        with source.reading():
            _require_whole(source)
            _copied(source, target)
        target.rows("PRAGMA journal_mode=DELETE")  # a copy is one file, without side files
    finally:
        target.close()


def _verified(part: Path, timeout: float) -> Head:
    copy = open_database(part, timeout=timeout, read_only=True)
    try:
        with copy.reading():
            _require_whole(copy)
        return _head(copy)
    finally:
        copy.close()


def _require_whole(db: Database) -> None:
    for fault in row_faults(db):
        raise JournalError(
            f"does not verify ({said(fault)})", where=db.where, remedy="`pendtui journal verify` lists all"
        )


def _require_unused(db: Database) -> None:
    row = db.row("SELECT display_name, host, record_id FROM lease WHERE until > ? ORDER BY since", db.now())
    if row is not None:
        by, host, record_id = row
        raise JournalError(
            f"is in use: {by} on {host} has {record_id} open",
            where=db.where,
            remedy="Close pendtui there first, or decisions would go to two stores",
        )


def _head(db: Database) -> Head:
    row = db.row("SELECT seq, hash FROM decision ORDER BY seq DESC LIMIT 1")
    return Head(*row) if row else Head(0, NO_ROW_BEFORE)


def _same(source: Database, to: Path | str) -> bool:
    if isinstance(to, str) and to.startswith(URL_STARTS):
        from pendtui.desk.journal.postgres_address import Address

        return Address.parse(to).shown == source.where
    return source.path is not None and Path(to).resolve() == source.path.resolve()


def said(fault: Fault) -> str:
    """A fault as one line."""
    return fault.what if fault.seq is None else f"row {fault.seq}: {fault.what}"


def _create(part: Path, file: Path) -> None:
    if not file.parent.is_dir():
        raise JournalError("its folder does not exist", where=str(file))
    os.close(os.open(part, os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600))


def _sync_folder(folder: Path) -> None:
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
