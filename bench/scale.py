"""60, 100,000 and 1,000,000 records: first painting, memory, keys and filter with a warm index; the cold index.

Usage: python bench/scale.py [--records 60 100000 1000000] [--rounds 5] [--folder FOLDER]
Folders are made under FOLDER (default: a temporary one) and used again where they are there. A million records take
5 GB, so put FOLDER under /dev/shm, and delete it afterwards. Programs are started in turn, round by round.
Goals: first painting 1.2, 1.3 and 1.5 times a bare Textual app; memory 1.5 times it; keys 1.2 times those at the
smallest queue; cold index of 100,000 records, to the complete list with its clocks, 4 times `cat` and one `grep`
over the same files. What the reader's answers take on top is printed too: they come later, the most urgent first.
PENDTUI_READER=phrase takes the fast reader, which does for all figures but that one.
"""

import argparse
import contextlib
import os
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping
from pathlib import Path

from many_records import make
from terminal import drain, peak_mb, started, until

KEYS = {"down": (b"\x1b[B",), "page down": (b"\x1b[6~", b"\x1b[5~"), "end": (b"\x1b[F", b"\x1b[H")}
"""Keys, each followed by what takes it back, so that there is always something to paint."""
FILTER = "awaited"
PRESSED = 12
"""How often each key is pressed."""
INDEX = """
import sys
from pendtui.config import load_config
from pendtui.desk.desk import Desk
if __name__ == "__main__":
    desk = Desk(load_config(None))
    for _ in desk.index.refresh():
        pass
    if "answers" in sys.argv:
        for _ in desk.index.answer():
            pass
    desk.close()
"""
Figures = dict[str, list[float]]


def main() -> None:
    """Measure, and print one table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--records", type=int, nargs="+", default=[60, 100_000, 1_000_000])
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--folder", type=Path)
    args = parser.parse_args()
    with contextlib.ExitStack() as stack:
        folder = args.folder or Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="pendtui-bench-")))
        folder.mkdir(exist_ok=True)
        environs = {records: _prepared(folder, records) for records in args.records}
        figures: dict[str, Figures] = {}
        for _ in range(args.rounds):
            bare = [sys.executable, str(Path(__file__).with_name("bare_app.py"))]
            _add(figures, "bare app", _session(bare, "PC-0001", {}))
            for records, environ in environs.items():
                session = _session([sys.executable, "-m", "pendtui"], " over", environ, own=True)
                _add(figures, f"{records:,}", session)
    _report(figures, f"{args.records[0]:,}")


def _prepared(folder: Path, records: int) -> Mapping[str, str]:
    """The environment for a queue of that size, with its index made; prints what that took."""
    queue = folder / str(records)
    environ = {
        "PENDTUI_QUEUE": str(queue),
        "PENDTUI_JOURNAL": str(folder / "journal.db"),
        "PENDTUI_INDEX_FOLDER": str(folder / "index"),
    }
    if not queue.exists():
        make(queue, records)
    driver = folder / "index.py"
    driver.write_text(INDEX)
    cat = _spent(f"find {queue} -name '*.txt' -print0 | xargs -0 cat > /dev/null")
    grep = _spent(f"grep -rciF precertification {queue} > /dev/null")
    cold = _spent(f"{sys.executable} {driver}", environ)
    answers = _spent(f"{sys.executable} {driver} answers", environ)
    warm = _spent(f"{sys.executable} {driver}", environ)
    reference = tuple(map(sum, zip(cat, grep, strict=True)))
    print(
        f"{records:>9,} records: cat and grep {_as_text(reference, reference)}; listed {_as_text(cold, reference)};"
        f" answered by the reader in {_as_text(answers, reference)} more; gone through again in {warm[0]:.1f} s",
        flush=True,
    )
    return environ


def _as_text(spent: tuple[float, ...], reference: tuple[float, ...]) -> str:
    """Seconds and processor seconds, each as so many times the reference's."""
    return ", ".join(
        f"{seconds:.1f} {unit} ({seconds / held:.1f}x)"
        for seconds, unit, held in zip(spent, ("s", "s of processors"), reference, strict=True)
    )


def _spent(command: str, environ: Mapping[str, str] | None = None) -> tuple[float, float]:
    """Seconds that a command takes, and seconds of processors that it takes them with."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    begun = time.perf_counter()
    subprocess.run(command, shell=True, check=False, env={**os.environ, **(environ or {})})
    took = time.perf_counter() - begun
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return took, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def _session(command: list[str], sentinel: str, environ: Mapping[str, str], *, own: bool = False) -> Figures:
    """The figures of one start; with `own` those of keys and filter too."""
    figures: Figures = {}
    with started(command, environ) as (pid, fd):
        painted, _ = until(fd, sentinel.encode(), 60)
        drain(fd)
        figures["first painting, ms"] = [painted * 1000]
        figures["peak at first painting, MB"] = [peak_mb(pid)]
        figures["down at once, ms"] = list(_presses(fd, KEYS["down"]))
        _wait_until_idle(pid, fd)
        if own:
            for name, key in KEYS.items():
                figures[f"{name}, ms"] = list(_presses(fd, key))
            os.write(fd, b"/")
            drain(fd)
            letters = [_presses(fd, (letter.encode(),), 1) for letter in FILTER]
            figures["filter, ms a letter"] = [took for each in letters for took in each]
        else:
            figures["down, ms"] = list(_presses(fd, KEYS["down"]))
        figures["peak at the end, MB"] = [peak_mb(pid)]
    return figures


def _presses(fd: int, keys: tuple[bytes, ...], times: int = PRESSED) -> Iterator[float]:
    for n in range(times):
        key = keys[n % len(keys)]
        pressed = time.perf_counter()
        os.write(fd, key)
        last, size = drain(fd)
        if size:
            yield (last - pressed) * 1000


def _wait_until_idle(pid: int, fd: int, limit: float = 300.0) -> None:
    """Until the program takes less than a twentieth of a processor: it has gone through the folder then."""
    begun = time.monotonic()
    before = _ticks(pid)
    while time.monotonic() - begun < limit:
        waited = time.monotonic()
        while time.monotonic() - waited < 2:
            drain(fd)
        now = _ticks(pid)
        if now - before < 0.05 * 2 * os.sysconf("SC_CLK_TCK"):
            return
        before = now


def _ticks(pid: int) -> int:
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return int(fields[11]) + int(fields[12])


def _add(figures: dict[str, Figures], label: str, session: Figures) -> None:
    held = figures.setdefault(label, {})
    for name, values in session.items():
        held.setdefault(name, []).extend(values)


def _report(figures: dict[str, Figures], smallest: str) -> None:
    names = list(dict.fromkeys(name for each in figures.values() for name in each))
    print(f"{'':<28}" + "".join(f"{label:>22}" for label in figures))
    for name in names:
        reference = figures["bare app"].get(name) or figures[smallest].get(name) or [1.0]
        cells = []
        for each in figures.values():
            if each.get(name):
                value = statistics.median(each[name])
                cells.append(f"{value:>14.1f} {value / statistics.median(reference):>6.2f}x")
            else:
                cells.append(" " * 22)
        print(f"{name:<28}" + "".join(cells))
    print(f"References: the bare app; for figures that it does not have, the queue of {smallest}.")


if __name__ == "__main__":
    main()
