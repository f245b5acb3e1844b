"""The free path as one process, and `pendtui --help`, against bare interpreter start-up.

Usage: python bench/free_path.py [--rounds 21]
The free path builds the 60 claims, checks their key, reads them with the floor and scores the run.
Goals: the free path at most 8 times a bare start, --help at most 2 times.
"""

import argparse
import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

DRIVER = """
import contextlib, io, sys
from pendtui.cli import main
folder = sys.argv[1]
with contextlib.redirect_stdout(io.StringIO()):
    codes = [
        main(["build", "--out", folder]),
        main(["check", "--queue", folder]),
        main(["read", "--queue", folder, "--arm", "floor", "--run-id", "bench"]),
        main(["score", "--queue", folder, "bench"]),
    ]
sys.exit(max(codes))
"""


def main() -> None:
    """Measure in turn, round by round, and print medians and ratios."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=21)
    rounds = parser.parse_args().rounds
    times: dict[str, list[float]] = {"bare interpreter": [], "pendtui --help": [], "free path": []}
    with tempfile.TemporaryDirectory(prefix="pendtui-bench-") as name:
        for n in range(rounds):
            folder = Path(name) / str(n)
            commands = {
                "bare interpreter": ["-c", "pass"],
                "pendtui --help": ["-m", "pendtui", "--help"],
                "free path": ["-c", DRIVER, str(folder / "queue")],
            }
            environ = {**os.environ, "PENDTUI_RUNS": str(folder / "runs")}
            environ.pop("PYTHONDONTWRITEBYTECODE", None)
            for label, command in commands.items():
                started = time.perf_counter()
                subprocess.run(
                    [sys.executable, *command],
                    check=True,
                    env=environ,
                    stdout=subprocess.DEVNULL,
                    stderr=subprocess.DEVNULL,
                )
                times[label].append(time.perf_counter() - started)
    bare = statistics.median(times["bare interpreter"])
    for label, taken in times.items():
        median = statistics.median(taken)
        print(f"{label:<18}{median * 1000:>8.1f} ms  {median / bare:>5.2f} times a bare start")


if __name__ == "__main__":
    main()
