"""Records a second for the floor reader, its parts, and grep with the reader's own phrases on the same files.

Usage: python bench/reader_rate.py [--records 10000]
Goal: within 8 times of `grep -ciFf`, and linear in the length of a record. All of it on one core, page cache warm.
"""

import argparse
import os
import subprocess
import tempfile
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path

from pendtui.desk.queue_folder import read_record, record_files
from pendtui.engines.readers.floor import FloorReader
from pendtui.engines.readers.floor.lexicon import shipped_terms
from pendtui.engines.record import Record, Unit, parse_record
from pendtui.engines.vocabulary import READABLE_SECTIONS, SectionName
from pendtui.evals.corpus.build import build


def main() -> None:
    """Measure three times in turn and print the best of each; then one record grown to twice and four times."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--records", type=int, default=10_000)
    args = parser.parse_args()
    reader = FloorReader()
    started = time.perf_counter()
    reader.read(parse_record("", "EMPTY"))
    reader.say("")
    reader.telling(Unit(SectionName.NOTES, (0, 0), ""), 0)
    print(f"lexicon and models load in {(time.perf_counter() - started) * 1000:.1f} ms")
    with tempfile.TemporaryDirectory(prefix="pendtui-bench-") as name:
        queue, phrases = Path(name) / "queue", Path(name) / "phrases"
        build(queue, records=args.records)
        phrases.write_text("".join(f"{term}\n" for term in shipped_terms()))
        files = list(record_files(queue))
        records = [read_record(file.path, file.id).record for file in files]
        grep, whole, part, units = [float("inf")] * 4
        for _ in range(3):
            grep = min(grep, _seconds(partial(_grep, phrases, queue)))
            whole = min(whole, _seconds(lambda: [reader.read(read_record(f.path, f.id).record) for f in files]))
            part = min(part, _seconds(partial(_read, reader, records)))
            units = min(units, _seconds(partial(_split, records)))
    for what, seconds in (
        ("grep -ciFf, the reader's phrases", grep),
        ("files opened, parsed and read", whole),
        ("reading alone, records parsed", part),
        ("of that, into sentences", units),
    ):
        print(f"{what:<34}{args.records / seconds:>10,.0f} records/s  {seconds / grep:5.2f} times grep")
    record = records[0]
    for times in (1, 2, 4, 8):
        longer = parse_record(_grown(record, times), record.id)
        seconds = min(_seconds(partial(_read, reader, [longer] * 200)) for _ in range(3)) / 200
        print(f"notes {times} times as long: {seconds * 1e6:7.0f} us for {len(longer.text):,} characters")


def _grep(phrases: Path, queue: Path) -> None:
    # One grep over all files, as `grep -r` opens them; LC_ALL=C is its fastest setting.
    subprocess.run(
        ["grep", "-rciFf", str(phrases), str(queue), "--include=*.txt"],
        check=True,
        stdout=subprocess.DEVNULL,
        env={**os.environ, "LC_ALL": "C"},
    )


def _read(reader: FloorReader, records: list[Record]) -> None:
    for record in records:
        reader.read(record)


def _split(records: list[Record]) -> None:
    for record in records:
        for _ in record.units(*READABLE_SECTIONS):
            pass


def _grown(record: Record, times: int) -> str:
    """The record with the body of its desk notes repeated."""
    section = next(s for s in record.sections.values() if s.name == "DESK NOTES")
    start, end = section.span
    return record.text[:start] + record.text[start:end] * times + record.text[end:]


def _seconds(work: Callable[[], object]) -> float:
    started = time.perf_counter()
    work()
    return time.perf_counter() - started


if __name__ == "__main__":
    main()
