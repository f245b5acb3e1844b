"""The queue folder: its record files, claims.json and gold.jsonl, read as they are."""

import hashlib
import json
import os
import re
import stat
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import NamedTuple

from pendtui.engines.facts import Claim, ClaimRow, claim_of, parse_row
from pendtui.engines.record import MAX_CHARACTERS, Record, parse_record
from pendtui.errors import QueueError

MAX_BYTES = 4 * MAX_CHARACTERS
"""What is read of one record file at most."""

PIECE = 1 << 13

_ESCAPED = re.compile(r"\\(udc[89a-f][0-9a-f])")
_SPACE = re.compile(r"[ \t\n\r]*")


Stamp = tuple[int, int]
"""Size, and time of change in ns, of a file."""


class RecordFile(NamedTuple):
    """One record file as the folder lists it."""

    id: str
    path: str
    size: int
    mtime_ns: int


class Rows(NamedTuple):
    """The rows of claims.json by record id, and the faults of those that could not be read."""

    rows: Mapping[str, ClaimRow]
    faults: Mapping[str, str]
    """Record id to what is wrong with its row. Rows without an id are under their position."""
    sha256: str


class LoadedRecord(NamedTuple):
    """A record with the hash of the bytes it was read from."""

    record: Record
    sha256: str


def record_files(folder: Path) -> list[RecordFile]:
    """Every *.txt of the folder, by name. Raises QueueError when the folder cannot be listed."""
    try:
        with os.scandir(folder) as entries:
            found = []
            for entry in entries:
                if entry.name.endswith(".txt") and entry.is_file():
                    status = entry.stat()
                    found.append(RecordFile(entry.name[:-4], entry.path, status.st_size, status.st_mtime_ns))
    except OSError as fault:
        raise QueueError(f"cannot be listed: {fault.strerror}", where=str(folder)) from None
    found.sort(key=lambda file: file.id)
    return found


def files_in_pieces(folder: Path, at_once: int, *, stamps: bool = True) -> Iterator[dict[str, Stamp]]:
    """The record files as the folder lists them, in no order: some ids at a time, each with its stamp.

    Without `stamps`, which cost a system call a file, all of them are (0, 0). Raises QueueError when the folder
    cannot be listed.
    """
    piece: dict[str, Stamp] = {}
    try:
        with os.scandir(folder) as entries:
            for entry in entries:
                if not entry.name.endswith(".txt"):
                    continue
                stamp = _stamp_of(entry) if stamps else (0, 0) if entry.is_file() else None
                if stamp is None:
                    continue
                piece[id_of_file(entry.name)] = stamp
                if len(piece) == at_once:
                    yield piece
                    piece = {}
    except OSError as fault:
        raise QueueError(f"cannot be listed: {fault.strerror}", where=str(folder)) from None
    yield piece


def _stamp_of(entry: "os.DirEntry[str]") -> Stamp | None:
    try:
        if entry.is_file():
            status = entry.stat()
            return status.st_size, status.st_mtime_ns
    except OSError:
        # It went while the folder was being listed.
        pass
    return None


def record_path(folder: str | Path, record_id: str) -> str:
    """The file of a record. An id that `id_of_file` made of a name that is not UTF-8 is turned back."""
    path = f"{folder}/{record_id}.txt"
    if "\\udc" in record_id and not os.path.lexists(path):
        return _ESCAPED.sub(lambda found: chr(int(found[1][1:], 16)), path)
    return path


def id_of_file(name: str) -> str:
    r"""The id that a file name gives its record. Bytes that are not UTF-8 are written out as \udcXX."""
    stem = name[:-4]
    return stem if stem.isascii() else stem.encode("utf-8", "backslashreplace").decode()


def record_stamp(path: str) -> Stamp | None:
    """The stamp of a record file; None where there is no such file."""
    try:
        found = os.stat(path)  # noqa: PTH116
    except OSError:
        return None
    return (found.st_size, found.st_mtime_ns) if stat.S_ISREG(found.st_mode) else None


def read_record(path: str | Path, record_id: str) -> LoadedRecord:
    """Read one record file. Never raises: what is wrong with the file is among the record's faults."""
    try:
        data = _read_bytes(path)
    except OSError as fault:
        unread = Record(record_id, "", "", faults=(f"the file cannot be read: {fault.strerror}",))
        return LoadedRecord(unread, "")
    sha256 = hashlib.sha256(data).hexdigest()
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError as fault:
        if len(data) <= MAX_BYTES or fault.start < MAX_BYTES - 4:
            text = data.decode("utf-8", errors="replace")
            wrong = f"not UTF-8: byte 0x{data[fault.start]:02x} at offset {fault.start}"
            record = parse_record(text, record_id)
            return LoadedRecord(record._replace(faults=(wrong, *record.faults)), sha256)
        text = data.decode("utf-8", errors="replace")
    return LoadedRecord(parse_record(text, record_id), sha256)


def _read_bytes(path: str | Path) -> bytes:
    # In pieces the size of many records: one read of MAX_BYTES would make room for all of them each time.
    file = os.open(path, os.O_RDONLY)
    try:
        data = piece = os.read(file, PIECE)
        while len(piece) == PIECE and len(data) <= MAX_BYTES:
            piece = os.read(file, PIECE)
            data += piece
        return data[: MAX_BYTES + 1]
    finally:
        os.close(file)


def read_rows(folder: Path) -> Rows:
    """The rows of claims.json; none when there is no such file.

    Raises QueueError when the file as a whole cannot be read. A single bad row is a fault of its record.
    """
    path = folder / "claims.json"
    try:
        data = path.read_bytes()
    except FileNotFoundError:
        return Rows({}, {}, "")
    except OSError as fault:
        raise QueueError(f"cannot be read: {fault.strerror}", where=str(path)) from None
    try:
        listed = json.loads(data)
    except (ValueError, RecursionError) as fault:
        raise QueueError(f"not valid JSON: {fault}", where=str(path)) from None
    if not isinstance(listed, list):
        raise QueueError("is not a list of rows", where=str(path))
    rows: dict[str, ClaimRow] = {}
    faults: dict[str, str] = {}
    for n, obj in enumerate(listed, 1):
        named = obj.get("id") if isinstance(obj, dict) else None
        record_id = named if isinstance(named, str) and named else f"row {n}"
        try:
            row = parse_row(obj, f"claims.json, row {n}")
        except QueueError as fault:
            faults[record_id] = str(fault)
            continue
        if row.id in rows:
            faults[row.id] = f"claims.json has a second row for {row.id}, row {n}"
        rows.setdefault(row.id, row)
    return Rows(rows, faults, hashlib.sha256(data).hexdigest())


def row_texts(folder: Path) -> Iterator[tuple[str, int, str]]:
    """The rows of claims.json one after the other: record id, position from 1, and the row as written.

    Rows that name no record are left out. Raises QueueError as `read_rows` does, maybe after some rows.
    """
    path = folder / "claims.json"
    try:
        data = path.read_bytes()
    except FileNotFoundError:
        return
    except OSError as fault:
        raise QueueError(f"cannot be read: {fault.strerror}", where=str(path)) from None
    try:
        text = data.decode(json.detect_encoding(data))
        del data
        yield from _rows_in(text, str(path))
    except (ValueError, RecursionError) as fault:
        raise QueueError(f"not valid JSON: {fault}", where=str(path)) from None


def _rows_in(text: str, where: str) -> Iterator[tuple[str, int, str]]:
    decode, space = json.JSONDecoder().raw_decode, _SPACE.match
    at = _after(space, text, 0)
    if text[at : at + 1] != "[":
        json.loads(text)
        raise QueueError("is not a list of rows", where=where)
    at = _after(space, text, at + 1)
    position = 0
    while position or text[at : at + 1] != "]":
        position += 1
        obj, end = decode(text, at)
        named = obj.get("id") if isinstance(obj, dict) else None
        if isinstance(named, str) and named:
            yield named, position, text[at:end]
        at = _after(space, text, end)
        if text[at : at + 1] == "]":
            break
        if text[at : at + 1] != ",":
            raise json.JSONDecodeError("Expecting ',' delimiter", text, at)
        at = _after(space, text, at + 1)
    if _after(space, text, at + 1) != len(text):
        raise json.JSONDecodeError("Extra data", text, at + 1)


def _after(space: Callable[[str, int], re.Match[str] | None], text: str, at: int) -> int:
    found = space(text, at)
    return found.end() if found else at


def claim_in(record: Record, rows: Rows) -> Claim:
    """A record beside its row, with the row's own fault where it has one."""
    claim = claim_of(record, rows.rows.get(record.id))
    fault = rows.faults.get(record.id)
    return claim._replace(faults=(*claim.faults, fault)) if fault else claim


def claims(folder: Path) -> Iterator[tuple[Claim, str]]:
    """Every claim of a queue with its record's hash, by record id."""
    rows = read_rows(folder)
    for file in record_files(folder):
        loaded = read_record(file.path, file.id)
        yield claim_in(loaded.record, rows), loaded.sha256


def queue_hash(hashes: Mapping[str, str], rows_sha256: str) -> str:
    """One SHA-256 over a queue: claims.json and every record's id and hash, in order of id."""
    whole = hashlib.sha256(rows_sha256.encode())
    for record_id in sorted(hashes):
        # a file name need not be UTF-8
        whole.update(f"\n{record_id} {hashes[record_id]}".encode("utf-8", "surrogateescape"))
    return whole.hexdigest()
