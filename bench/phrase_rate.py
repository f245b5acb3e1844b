"""Records a second for the phrase reader against grep with the same phrases on the same files.

Usage: python bench/phrase_rate.py [--records 10000 100000]
Goal: the phrase reader within 6 times of `grep -ciFf`. Both read every file; the page cache is warm for both.
"""

import argparse
import gc
import os
import subprocess
import tempfile
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path

from pendtui.desk.queue_folder import read_record, record_files
from pendtui.engines.readers.phrase import PHRASES, PhraseReader
from pendtui.evals.corpus.build import build


def main() -> None:
    """Measure each size three times in turn and print the best of each with the ratio."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--records", type=int, nargs="+", default=[10_000, 100_000])
    args = parser.parse_args()
    gc.set_threshold(100_000)  # as the command line does
    for records in args.records:
        with tempfile.TemporaryDirectory(prefix="pendtui-bench-") as name:
            queue, phrases = Path(name) / "queue", Path(name) / "phrases"
            build(queue, records=records)
            phrases.write_text("\n".join(phrase for each in PHRASES.values() for phrase in each) + "\n")
            grep = read = float("inf")
            for _ in range(3):
                grep = min(grep, _seconds(partial(_grep, phrases, queue)))
                read = min(read, _seconds(partial(_read, queue)))
        print(
            f"{records:>7,} records: grep {records / grep:>9,.0f}/s, phrase {records / read:>9,.0f}/s,"
            f" {read / grep:.2f} times grep"
        )


def _grep(phrases: Path, queue: Path) -> None:
    # One grep over all files, as `grep -r` opens them; LC_ALL=C is its fastest setting.
    subprocess.run(
        ["grep", "-rciFf", str(phrases), str(queue), "--include=*.txt"],
        check=True,
        stdout=subprocess.DEVNULL,
        env={**os.environ, "LC_ALL": "C"},
    )


def _read(queue: Path) -> None:
    reader = PhraseReader()
    for file in record_files(queue):
        reader.read(read_record(file.path, file.id).record)


def _seconds(work: Callable[[], None]) -> float:
    started = time.perf_counter()
    work()
    return time.perf_counter() - started


if __name__ == "__main__":
    main()
