"""Time a full-screen program through a pseudo-terminal, the way a person over SSH meets it."""

import contextlib
import fcntl
import os
import pty
import select
import signal
import statistics
import struct
import termios
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

QUIET_SECONDS = 0.15
"""A key's answer is over when nothing has been written for so long."""


@dataclass(frozen=True, slots=True)
class Session:
    """What one start of a program showed: seconds to the sentinel, peak memory in MB, and figures a key."""

    first_paint: float
    peak_mb: int
    key_ms: float
    key_bytes: float


def measure(
    command: Sequence[str],
    sentinel: str,
    *,
    keys: int = 0,
    key: bytes = b"\x1b[B",
    environ: Mapping[str, str] | None = None,
    cols: int = 80,
    rows: int = 24,
    limit: float = 120.0,
) -> Session:
    """Start a program, wait until the sentinel is painted, press a key some times, and kill it."""
    pid, fd = pty.fork()
    if pid == 0:
        os.execvpe(command[0], list(command), {**os.environ, "TERM": "xterm-256color", **(environ or {})})
    resize(fd, cols, rows)
    try:
        painted = until(fd, sentinel.encode(), limit)
        drain(fd)
        times, sizes = [], []
        for _ in range(keys):
            started = time.perf_counter()
            os.write(fd, key)
            last, size = drain(fd)
            times.append((last - started) * 1000)
            sizes.append(size)
        return Session(
            painted,
            _peak_mb(pid),
            statistics.median(times) if times else 0.0,
            statistics.median(sizes) if sizes else 0.0,
        )
    finally:
        with contextlib.suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)
        os.waitpid(pid, 0)
        os.close(fd)


def resize(fd: int, cols: int, rows: int) -> None:
    """Give the terminal a size in cells."""
    fcntl.ioctl(fd, termios.TIOCSWINSZ, struct.pack("HHHH", rows, cols, 0, 0))


def until(fd: int, sentinel: bytes, limit: float) -> float:
    """Seconds until the sentinel has been painted; ends the benchmark when it is not within the limit."""
    started = time.perf_counter()
    seen = b""
    while sentinel not in seen:
        left = limit - (time.perf_counter() - started)
        if left <= 0 or not select.select([fd], [], [], left)[0]:
            raise SystemExit(f"{sentinel!r} was not painted within {limit} s; last bytes {seen[-200:]!r}")
        try:
            seen += os.read(fd, 65536)
        except OSError:
            raise SystemExit(f"the program ended; last bytes {seen[-400:]!r}") from None
    return time.perf_counter() - started


def drain(fd: int) -> tuple[float, int]:
    """Read until it has been quiet for a while: when the last byte came, and how many there were."""
    last, size = time.perf_counter(), 0
    while select.select([fd], [], [], QUIET_SECONDS)[0]:
        try:
            size += len(os.read(fd, 65536))
        except OSError:
            break
        last = time.perf_counter()
    return last, size


def _peak_mb(pid: int) -> int:
    with open(f"/proc/{pid}/status") as status:
        return next(int(line.split()[1]) // 1024 for line in status if line.startswith("VmHWM"))
