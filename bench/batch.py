"""60 records put to a model that answers after a fixed delay, against the ideal of workers that never wait.

Usage: python bench/batch.py [--delay 2.0] [--workers 5] [--rounds 3]
The ideal is the delay times the records each worker gets. Printed are the batch alone, and the whole program
from its start to its end. Goal for the batch: at most 1.05 times the ideal; then a second read, which finds every
reply held and asks nobody.
"""

import argparse
import json
import math
import os
import re
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from urllib.request import urlopen

RECORDS = 60
ROOT = Path(__file__).parent.parent
SERVER = ROOT / "tests" / "desk" / "chat_server.py"


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--delay", type=float, default=2.0)
    parser.add_argument("--workers", type=int, default=5)
    parser.add_argument("--rounds", type=int, default=3)
    args = parser.parse_args()
    ideal = args.delay * math.ceil(RECORDS / args.workers)
    batch: list[float] = []
    whole: list[float] = []
    again: list[float] = []
    server = subprocess.Popen(
        [sys.executable, str(SERVER), "--delay", str(args.delay)], stdout=subprocess.PIPE, text=True
    )
    assert server.stdout is not None
    try:
        base = f"http://127.0.0.1:{int(server.stdout.readline())}"
        with tempfile.TemporaryDirectory(prefix="pendtui-bench-") as name:
            queue = Path(name) / "queue"
            build = [sys.executable, "-m", "pendtui", "build", "--out", str(queue)]
            subprocess.run(build, check=True, cwd=ROOT, stdout=subprocess.DEVNULL)
            for n in range(args.rounds):
                runs = Path(name) / f"runs-{n}"
                taken, wall = read(queue, runs, f"{base}/v1", args.workers)
                batch.append(taken)
                whole.append(wall)
                again.append(read(queue, runs, f"{base}/v1", args.workers)[1])
        with urlopen(f"{base}/asked", timeout=10) as answer:
            counted = json.load(answer)
    finally:
        server.terminate()
        server.wait()
    print(f"{RECORDS} records, {args.workers} workers, {args.delay:g} s an answer: ideal {ideal:.2f} s")
    for label, taken_by in (("the batch", batch), ("the whole program", whole)):
        median = statistics.median(taken_by)
        print(f"{label:<20} {median:8.2f} s  {median / ideal:6.3f} times the ideal")
    print(f"{'read again, all held':<20} {statistics.median(again):8.2f} s")
    print(f"asked in all {len(counted['asked'])}, for {args.rounds} rounds; {counted['at_once']} at once at most")


def read(queue: Path, runs: Path, base_url: str, workers: int) -> tuple[float, float]:
    """Seconds of the batch as the program itself tells them, and of the whole program."""
    environ = {**os.environ, "BASE_URL": base_url, "MODEL": "bench", "PENDTUI_RUNS": str(runs)}
    environ |= {"XDG_STATE_HOME": str(runs), "PYTHONPATH": str(ROOT)}
    command = [sys.executable, "-m", "pendtui", "read", "--arm", "model", "--queue", str(queue)]
    started = time.perf_counter()
    done = subprocess.run(
        [*command, "--workers", str(workers)],
        check=True,
        env=environ,
        cwd=queue.parent,
        capture_output=True,
        text=True,
    )
    wall = time.perf_counter() - started
    told = re.search(r", ([\d.]+) s; stored in", done.stderr)
    assert told is not None, done.stderr
    return float(told[1]), wall


if __name__ == "__main__":
    main()
