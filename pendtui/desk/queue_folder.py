"""The queue folder: its record files, claims.json and gold.jsonl, read as they are."""

import hashlib
import json
import os
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import NamedTuple

from pendtui.engines.facts import Claim, ClaimRow, claim_of, parse_row
from pendtui.engines.record import MAX_CHARACTERS, Record, parse_record
from pendtui.errors import QueueError

MAX_BYTES = 4 * MAX_CHARACTERS
"""What is read of one record file at most."""

PIECE = 1 << 13


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
                    stat = entry.stat()
                    found.append(RecordFile(entry.name[:-4], entry.path, stat.st_size, stat.st_mtime_ns))
    except OSError as fault:
        raise QueueError(f"cannot be listed: {fault.strerror}", where=str(folder)) from None
    found.sort(key=lambda file: file.id)
    return found


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
