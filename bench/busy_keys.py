"""What a cursor move costs while 50 model calls are under way, against the same move while idle.

Usage: python bench/busy_keys.py [--rounds 3] [--workers 50]
A local chat server answers each call after 2 s. Keys go through a pseudo-terminal. Goal: at most 1.5 times.
"""

import argparse
import os
import pty
import signal
import statistics
import sys
import tempfile
import time
from pathlib import Path

from terminal import drain, resize, until

from pendtui.evals.corpus.build import build

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
from tests.desk.chat_server import running

RECORDS = 600
KEYS = 25


def main() -> None:
    """Measure idle and busy in one program, round by round, and print the medians and their ratio."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--workers", type=int, default=50)
    args = parser.parse_args()
    idle: list[float] = []
    busy: list[float] = []
    for _ in range(args.rounds):
        with tempfile.TemporaryDirectory(prefix="pendtui-bench-") as name, running(delay=2.0) as server:
            folder = Path(name)
            build(folder / "queue", records=RECORDS)
            environ = {
                "PENDTUI_QUEUE": str(folder / "queue"),
                "PENDTUI_JOURNAL": str(folder / "journal.db"),
                "PENDTUI_INDEX_FOLDER": str(folder / "index"),
                "PENDTUI_RUNS": str(folder / "runs"),
                "BASE_URL": server.base_url,
                "MODEL": "bench",
                "EVAL_WORKERS": str(args.workers),
                "MAX_CALLS_PER_DAY": "100000",
            }
            one_idle, one_busy = _round(environ)
            print(f"idle {statistics.median(one_idle):.1f} ms, busy {statistics.median(one_busy):.1f} ms", end="")
            print(f", {server.at_once()} calls at once")
            idle += one_idle
            busy += one_busy
    for label, times in (("idle", idle), ("busy", busy)):
        ordered = sorted(times)
        print(f"{label}: p50 {statistics.median(ordered):.1f} ms, p95 {ordered[int(len(ordered) * 0.95)]:.1f} ms")
    print(f"busy against idle, p50: {statistics.median(busy) / statistics.median(idle):.2f} times")


def _round(environ: dict[str, str]) -> tuple[list[float], list[float]]:
    pid, fd = pty.fork()
    if pid == 0:
        os.execvpe(
            sys.executable, [sys.executable, "-m", "pendtui"], {**os.environ, "TERM": "xterm-256color", **environ}
        )
    resize(fd, 80, 24)
    try:
        until(fd, f"{RECORDS}\N{NO-BREAK SPACE}claims".encode(), 60)
        drain(fd)
        idle = _keys(fd)
        os.write(fd, b"R")
        until(fd, b"listed records", 30)
        os.write(fd, b"\r")
        until(fd, b" of 600", 60)
        os.write(fd, b"q")
        time.sleep(1.0)
        drain(fd)
        return idle, _keys(fd)
    finally:
        os.kill(pid, signal.SIGKILL)
        os.waitpid(pid, 0)
        os.close(fd)


def _keys(fd: int) -> list[float]:
    times = []
    for _ in range(KEYS):
        started = time.perf_counter()
        os.write(fd, b"\x1b[B")
        # To the first byte that answers: what follows may be the batch's own painting.
        until(fd, b"\x1b[", 5)
        times.append((time.perf_counter() - started) * 1000)
        drain(fd)
    return times


if __name__ == "__main__":
    main()
