"""Time to the first painted queue, and what a cursor move costs, against a bare Textual app.

Usage: python bench/first_paint.py [--rounds 7] [--records 60 100000]
Programs are started in turn, round by round, so that a busy machine slows all of them alike.
Goal: at 60 records at most 1.3 times the bare app.
"""

import argparse
import statistics
import sys
import tempfile
from pathlib import Path

from terminal import Session, measure

from pendtui.evals.corpus.build import build


def main() -> None:
    """Measure and print one line a program."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--keys", type=int, default=12)
    parser.add_argument("--records", type=int, nargs="+", default=[60, 100_000])
    args = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="pendtui-bench-") as name:
        folder = Path(name)
        bare = [sys.executable, str(Path(__file__).with_name("bare_app.py"))]
        programs: dict[str, tuple[list[str], str, dict[str, str]]] = {"bare app": (bare, "PC-0001", {})}
        for records in args.records:
            queue = folder / str(records)
            build(queue, records=records)
            environ = {
                "PENDTUI_QUEUE": str(queue),
                "PENDTUI_JOURNAL": str(folder / "journal.db"),
                "PENDTUI_INDEX_FOLDER": str(folder / "index"),
            }
            command = [sys.executable, "-m", "pendtui"]
            cold = measure(command, " over", environ=environ)
            print(f"{records:>7,} records, cold index: first rows after {cold.first_paint:.2f} s")
            _wait_until_indexed(command, environ, records)
            programs[f"{records:,} records, warm"] = (command, " over", environ)
        sessions: dict[str, list[Session]] = {label: [] for label in programs}
        for _ in range(args.rounds):
            for label, (command, sentinel, environ) in programs.items():
                sessions[label].append(measure(command, sentinel, keys=args.keys, environ=environ))
    _report(sessions)


def _wait_until_indexed(command: list[str], environ: dict[str, str], records: int) -> None:
    # The program lists "<n> claims" without "indexing" once the index holds every record.
    measure(command, f"{records:,}\N{NO-BREAK SPACE}claims", environ=environ, limit=600)


def _report(sessions: dict[str, list[Session]]) -> None:
    def median(label: str, figure: str) -> float:
        return float(statistics.median(getattr(session, figure) for session in sessions[label]))

    bare = {figure: median("bare app", figure) for figure in ("first_paint", "peak_mb", "key_ms", "key_bytes")}
    print(f"{'':<24}{'first paint':>18}{'peak memory':>18}{'key to paint':>20}{'bytes a key':>18}")
    for label in sessions:
        paint, memory = median(label, "first_paint"), median(label, "peak_mb")
        key, size = median(label, "key_ms"), median(label, "key_bytes")
        print(
            f"{label:<24}{paint:>9.3f} s {paint / bare['first_paint']:>5.2f}x"
            f"{memory:>10.0f} MB {memory / bare['peak_mb']:>4.2f}x"
            f"{key:>11.1f} ms {key / bare['key_ms']:>5.2f}x{size:>11.0f} {size / bare['key_bytes']:>5.2f}x"
        )


if __name__ == "__main__":
    main()
