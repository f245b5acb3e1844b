"""A queue folder's files, read so that what is wrong with one of them is one failure and hides no other."""

import json
import os
from collections.abc import Iterator, Mapping
from typing import Any

from pendtui.evals.labels.report import Failure, shown

MAX_CHARACTERS = 200_000
"""No pend record is longer."""


def record_names(folder: str) -> tuple[list[str], list[Failure]]:
    """The ids of the folder's records in order, and what cannot be one."""
    try:
        with os.scandir(folder) as entries:
            texts = sorted((entry.name[:-4], entry.is_file()) for entry in entries if entry.name.endswith(".txt"))
    except OSError as fault:
        return [], [Failure(folder, "folder", "a folder of pend records", shown(fault.strerror))]
    failures = [Failure(name, "file", "a plain file", "something else") for name, is_file in texts if not is_file]
    names = [name for name, is_file in texts if is_file]
    if not texts:
        failures.append(Failure(folder, "folder", "pend records, *.txt", "none"))
    return names, failures


def read_record(folder: str, record_id: str) -> tuple[str | None, list[Failure]]:
    """A record's text, and what is wrong with its bytes. Carriage returns are reported and left in place."""

    def fault(check: str, expected: str, found: str) -> Failure:
        return Failure(record_id, check, expected, found)

    try:
        data = read_bytes(f"{folder}/{record_id}.txt", 4 * MAX_CHARACTERS + 1)
        text = data.decode("utf-8")
    except OSError as wrong:
        return None, [fault("file", "a file that can be read", shown(wrong.strerror))]
    except UnicodeDecodeError as wrong:
        if len(data) <= 4 * MAX_CHARACTERS:
            return None, [fault("file", "UTF-8", f"a byte that is not, at offset {wrong.start}")]
        text = "x" * len(data)
    if len(text) > MAX_CHARACTERS:
        return None, [fault("file", f"at most {MAX_CHARACTERS} characters", "more")]
    if not text.strip():
        return None, [fault("file", "a pend record", "an empty file")]
    failures = []
    if text[0] == "\ufeff":
        failures.append(fault("file", "UTF-8 without a byte order mark", "a byte order mark"))
        text = text[1:]
    if "\r" in text:
        failures.append(fault("line ends", "line feeds only", f"{text.count(chr(13))} carriage returns"))
    if not text.endswith("\n"):
        failures.append(fault("line ends", "a line feed at the end", "none"))
    return text, failures


def read_rows(folder: str) -> tuple[dict[str, Mapping[str, Any]] | None, list[Failure]]:
    """The first row of each id in claims.json; None where the file holds no rows at all."""
    name = "claims.json"
    try:
        rows = _loads(read_bytes(f"{folder}/{name}"))
    except OSError as fault:
        return None, [Failure(name, "file", "a JSON array of rows", shown(fault.strerror))]
    except ValueError as fault:
        return None, [Failure(name, "file", "a JSON array of rows", shown(fault))]
    if not isinstance(rows, list):
        return None, [Failure(name, "file", "a JSON array of rows", "other JSON")]
    return _by_id(name, "row", ((f"row {number}", row) for number, row in enumerate(rows, 1)))


def read_key(folder: str) -> tuple[dict[str, Mapping[str, Any]] | None, list[Failure]]:
    """The first line of each id in gold.jsonl; None where there is no such file or it cannot be read."""
    name = "gold.jsonl"
    try:
        data = read_bytes(f"{folder}/{name}")
    except FileNotFoundError:
        return None, []
    except OSError as fault:
        return None, [Failure(name, "file", "one JSON object a line", shown(fault.strerror))]
    failures: list[Failure] = []

    def lines() -> Iterator[tuple[str, object]]:
        for number, line in enumerate(data.split(b"\n"), 1):
            if line.strip():
                try:
                    yield f"line {number}", _loads(line)
                except ValueError as fault:
                    failures.append(Failure(name, f"line {number}", "a JSON object", shown(fault)))

    labels, doubled = _by_id(name, "key", lines())
    return labels, failures + doubled


def read_corpus(folder: str) -> tuple[Mapping[str, Any] | None, list[Failure]]:
    """The generator's own account of the queue; None where there is none or it cannot be read."""
    name = "corpus.json"
    try:
        corpus = _loads(read_bytes(f"{folder}/{name}"))
    except FileNotFoundError:
        return None, []
    except (OSError, ValueError) as fault:
        return None, [Failure(name, "file", "a JSON object", shown(fault))]
    if not isinstance(corpus, dict):
        return None, [Failure(name, "file", "a JSON object", "other JSON")]
    return corpus, []


def read_bytes(path: str, most: int | None = None) -> bytes:
    """A file's bytes, at most so many where a limit is given."""
    with open(path, "rb", buffering=0) as file:
        if most is None:
            return file.readall()
        data = file.read(most) or b""
        while 0 < len(data) < most:
            more = file.read(most - len(data))
            if not more:
                break
            data += more
        return data


def _loads(data: bytes) -> object:
    """What JSON bytes say. Raises ValueError for everything that is not JSON in UTF-8."""
    try:
        return json.loads(data.decode("utf-8"))
    except RecursionError:
        raise ValueError("nested too deep") from None
    except UnicodeDecodeError as fault:
        raise ValueError(f"a byte that is not UTF-8, at offset {fault.start}") from None


def _by_id(
    name: str, check: str, found: Iterator[tuple[str, object]]
) -> tuple[dict[str, Mapping[str, Any]], list[Failure]]:
    """Objects by their id, the first of each; the others are failures."""
    failures: list[Failure] = []
    objects: dict[str, Mapping[str, Any]] = {}
    for place, given in found:
        record_id = given.get("id") if isinstance(given, dict) else None
        if not isinstance(given, dict) or not isinstance(record_id, str) or not record_id:
            failures.append(Failure(name, place, "an object with the id of a record", "another thing"))
        elif record_id in objects:
            failures.append(Failure(record_id, check, f"one in {name}", f"another at {place}"))
        else:
            objects[record_id] = given
    return objects, failures
