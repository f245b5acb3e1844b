"""What a key costs through a pseudo-terminal: bytes, and the time until its answer is painted.

Usage: python bench/keystrokes.py [--rounds 3] [--keys 40] [--workers 50]
The reference is a bare Textual app with one table of the same 60 records, open at the same time and pressed in
turn, so that a busy machine slows both alike. It has nothing else to do: neither calls nor a folder that changes.
A local server streams 50 tokens a second into each call.
Goals: bytes at most 1 time the reference's, key-to-paint at most 1.3 times at p95.
"""

import argparse
import contextlib
import itertools
import os
import select
import statistics
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import pyte
from terminal import QUIET_SECONDS, started

from pendtui.evals.corpus.build import build

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
from tests.desk.chat_server import running

COLUMNS, LINES = 80, 24
RECORDS = 60
IN_VIEW = 10
"""Moves down, and then up again, that no list has to scroll for."""
DOWN, UP = b"\x1b[B", b"\x1b[A"
OPENINGS = 8
OURS, BARE = "pendtui", "bare app"
THINKING = 100_000
"""Tokens of each call: more than a round takes."""


class Program:
    """One of the two programs, with its cursor on a record."""

    def __init__(self, fd: int, shows: Callable[[pyte.Screen, int], bool]) -> None:
        """Take a program's terminal; `shows` says of a screen whether the cursor is on record number n."""
        self._fd = fd
        self._shows = shows
        self._screen = pyte.Screen(COLUMNS, LINES)
        self._stream = pyte.ByteStream(self._screen)
        self.at = 1

    def press(self, keys: bytes) -> tuple[float, int]:
        """Press keys: milliseconds until the last byte of the answer, and its bytes."""
        self._written()
        pressed = time.perf_counter()
        os.write(self._fd, keys)
        written = self._written()
        while not written and time.perf_counter() - pressed < 5:
            written = self._written()
        return (written[-1][0] - pressed) * 1000, sum(len(data) for _, data in written)

    def until(self, text: str) -> None:
        """Wait until the screen shows a text."""
        ends = time.perf_counter() + 60
        while text not in "\n".join(self._screen.display):
            self._written()
            if time.perf_counter() > ends:
                raise SystemExit(f"{text!r} was not painted; the screen is\n" + "\n".join(self._screen.display))

    def move(self, by: int) -> tuple[float, int]:
        """Move the cursor: milliseconds until the screen shows it on the next record, and the answer's bytes."""
        self._written()
        self.at += by
        pressed = time.perf_counter()
        os.write(self._fd, DOWN if by > 0 else UP)
        shown, size = 0.0, 0
        while not shown:
            if time.perf_counter() - pressed > 10:
                raise SystemExit(f"no cursor on record {self.at}:\n" + "\n".join(self._screen.display))
            for at, data in self._written(painted=False):
                self._stream.feed(data)
                size += len(data)
                if not shown and self._shows(self._screen, self.at):
                    shown = at
        return (shown - pressed) * 1000, size

    def _written(self, *, painted: bool = True) -> list[tuple[float, bytes]]:
        """What is written until it has been quiet for a while, each piece with the time it came at."""
        pieces = []
        while select.select([self._fd], [], [], QUIET_SECONDS)[0]:
            data = os.read(self._fd, 65536)
            pieces.append((time.perf_counter(), data))
        if painted:
            for _, data in pieces:
                self._stream.feed(data)
        return pieces


def our_cursor(screen: pyte.Screen, n: int) -> bool:
    """The line below our list names the record under the cursor."""
    return any(line.startswith(f" PC-{n:04} CLM") for line in screen.display)


def bare_cursor(screen: pyte.Screen, n: int) -> bool:
    """The bare table's cursor has a background of its own; its heading is line 0."""
    return bool(
        screen.buffer[n][1].bg != screen.buffer[n + 1][1].bg
        and screen.buffer[n][1].bg != screen.buffer[n - 1][1].bg
    )


class Figures:
    """What was measured in one condition: milliseconds and bytes of each program's moves and openings."""

    def __init__(self) -> None:
        self.moves: dict[str, list[tuple[float, int]]] = {OURS: [], BARE: []}
        self.openings: dict[str, list[tuple[float, int]]] = {OURS: [], BARE: []}

    def line(self, what: str, measured: dict[str, list[tuple[float, int]]]) -> str:
        """The figures of both programs and their ratios."""
        parts = []
        for label, at in (("p50", 0.5), ("p95", 0.95)):
            ours, bare = (_quantile([ms for ms, _ in measured[each]], at) for each in (OURS, BARE))
            parts.append(f"{label} {ours:6.1f} / {bare:6.1f} ms {ours / bare:5.2f}x")
        ours, bare = (statistics.median(size for _, size in measured[each]) for each in (OURS, BARE))
        parts.append(f"{ours:6.0f} / {bare:6.0f} bytes {ours / bare:5.2f}x")
        return f"{what:<28}{'   '.join(parts)}"


def main() -> None:
    """Measure condition by condition, round by round, and print figures and ratios."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--keys", type=int, default=40)
    parser.add_argument("--workers", type=int, default=50)
    args = parser.parse_args()
    idle, streaming, changing = Figures(), Figures(), Figures()
    for _ in range(args.rounds):
        with (
            tempfile.TemporaryDirectory(prefix="pendtui-bench-") as name,
            _both(Path(name), args.workers) as opened,
        ):
            programs, calls = opened
            _press(programs, idle, args.keys)
            _open(programs, idle)
            with _changed(Path(name) / "queue" / f"PC-{RECORDS:04}.txt"):
                _press(programs, changing, args.keys)
            ours = programs[OURS]
            ours.press(b"R")
            ours.until("listed records")
            ours.press(b"\r")
            ours.press(b"q")
            while calls() < args.workers:
                time.sleep(0.1)
            _press(programs, streaming, args.keys)
    print(f"pendtui / bare app, {args.rounds} rounds of {args.keys} keys")
    print(idle.line("cursor, idle", idle.moves))
    print(idle.line("cursor, folder changes", changing.moves))
    print(idle.line(f"cursor, {args.workers} calls stream", streaming.moves))
    print(idle.line("a record is opened", idle.openings))


@contextlib.contextmanager
def _both(folder: Path, workers: int) -> Iterator[tuple[dict[str, Program], Callable[[], int]]]:
    queue = folder / "queue"
    build(queue, records=RECORDS)
    bare = [sys.executable, str(Path(__file__).with_name("bare_app.py")), str(queue)]
    with (
        running(thinking=THINKING) as server,
        started(bare) as (_, bare_fd),
        started([sys.executable, "-m", "pendtui"], _environ(folder, server.base_url, workers)) as (_, fd),
    ):
        programs = {OURS: Program(fd, our_cursor), BARE: Program(bare_fd, bare_cursor)}
        programs[BARE].until("PC-0001")
        programs[OURS].until(f"{RECORDS}\N{NO-BREAK SPACE}claims")
        programs[OURS].press(b"ss")  # by record, as the bare app lists them
        programs[OURS].press(b"\x1b[H")
        programs[OURS].until("PC-0001 CLM")
        yield programs, server.at_once


def _environ(folder: Path, base_url: str, workers: int) -> dict[str, str]:
    return {
        "PENDTUI_QUEUE": str(folder / "queue"),
        "PENDTUI_JOURNAL": str(folder / "journal.db"),
        "PENDTUI_INDEX_FOLDER": str(folder / "index"),
        "PENDTUI_RUNS": str(folder / "runs"),
        "HOME": str(folder),
        "BASE_URL": base_url,
        "MODEL": "bench",
        "EVAL_WORKERS": str(workers),
        "MAX_CALLS_PER_DAY": "100000",
    }


def _press(programs: dict[str, Program], figures: Figures, keys: int) -> None:
    for n in range(keys):
        for label, program in programs.items():
            figures.moves[label].append(program.move(1 if n // IN_VIEW % 2 == 0 else -1))


def _open(programs: dict[str, Program], figures: Figures) -> None:
    for _ in range(OPENINGS):
        for label, program in programs.items():
            figures.openings[label].append(program.press(b"\r"))
            program.press(b"\x1b")
            program.move(1)
    for program in programs.values():
        for _ in range(OPENINGS):
            program.move(-1)


@contextlib.contextmanager
def _changed(path: Path) -> Iterator[None]:
    """Write a file anew ten times a second."""
    ended = threading.Event()
    text = path.read_text(encoding="utf-8")

    def write() -> None:
        for n in itertools.count():
            if ended.wait(0.1):
                return
            other = path.with_suffix(".new")
            other.write_text(text + "\n" * (n % 2), encoding="utf-8")
            other.replace(path)

    writer = threading.Thread(target=write)
    writer.start()
    try:
        yield
    finally:
        ended.set()
        writer.join()


def _quantile(values: Sequence[float], at: float) -> float:
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(len(ordered) * at))]


if __name__ == "__main__":
    main()
