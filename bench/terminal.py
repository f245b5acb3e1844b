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
from collections.abc import Iterator, Mapping, Sequence
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
    with started(command, environ, cols=cols, rows=rows) as (pid, fd):
        painted, _ = until(fd, sentinel.encode(), limit)
        drain(fd)
        times, sizes = [], []
        for _ in range(keys):
            pressed = time.perf_counter()
            os.write(fd, key)
            last, size = drain(fd)
            times.append((last - pressed) * 1000)
            sizes.append(size)
        return Session(
            painted,
            peak_mb(pid),
            statistics.median(times) if times else 0.0,
            statistics.median(sizes) if sizes else 0.0,
        )


@contextlib.contextmanager
def started(
    command: Sequence[str], environ: Mapping[str, str] | None = None, *, cols: int = 80, rows: int = 24
) -> Iterator[tuple[int, int]]:
    """A program in a pseudo-terminal of that size, as its process id and file descriptor; killed at the end."""
    pid, fd = pty.fork()
    if pid == 0:
        os.execvpe(command[0], list(command), {**os.environ, "TERM": "xterm-256color", **(environ or {})})
    try:
        resize(fd, cols, rows)
        yield pid, fd
    finally:
        with contextlib.suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)
        os.waitpid(pid, 0)
        os.close(fd)


def resize(fd: int, cols: int, rows: int) -> None:
    """Give the terminal a size in cells."""
    fcntl.ioctl(fd, termios.TIOCSWINSZ, struct.pack("HHHH", rows, cols, 0, 0))


def until(fd: int, sentinel: bytes, limit: float) -> tuple[float, int]:
    """Seconds until the sentinel was painted, and the bytes read; ends the benchmark when it was not in time."""
    begun = time.perf_counter()
    seen = b""
    while sentinel not in seen:
        left = limit - (time.perf_counter() - begun)
        if left <= 0 or not select.select([fd], [], [], left)[0]:
            raise SystemExit(f"{sentinel!r} was not painted within {limit} s; last bytes {seen[-200:]!r}")
        try:
            seen += os.read(fd, 65536)
        except OSError:
            raise SystemExit(f"the program ended; last bytes {seen[-400:]!r}") from None
    return time.perf_counter() - begun, len(seen)


def drain(fd: int, limit: float = 5.0) -> tuple[float, int]:
    """Read until it has been quiet for a while: when the last byte came, and how many there were."""
    begun = last = time.perf_counter()
    size = 0
    while last - begun < limit and select.select([fd], [], [], QUIET_SECONDS)[0]:
        try:
            size += len(os.read(fd, 65536))
        except OSError:
            break
        last = time.perf_counter()
    return last, size


def peak_mb(pid: int) -> int:
    """The most memory that a process has had, in MB."""
    with open(f"/proc/{pid}/status") as status:
        return next(int(line.split()[1]) // 1024 for line in status if line.startswith("VmHWM"))
