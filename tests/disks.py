"""A disk of a few hundred kilobytes, for tests of what happens when it is full."""

import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest


@contextmanager
def small_disk(folder: Path, kilobytes: int) -> Iterator[Path]:
    """A file system of its own in a new folder until the end of the block.

    Without the right to make one the test is skipped. It is memory that pretends to be a disk, and full is full.
    """
    folder.mkdir()
    mounted = ["mount", "-t", "tmpfs", "-o", f"size={kilobytes}k,mode=0777", "none", str(folder)]
    try:
        done = subprocess.run(mounted, capture_output=True, check=False)
    except FileNotFoundError:
        done = None
    if done is None or done.returncode:
        pytest.skip("mounting takes more rights than this process has")
    try:
        yield folder
    finally:
        subprocess.run(["umount", "--lazy", str(folder)], check=True)


def fill_up(folder: Path) -> Path:
    """A file that takes all the room that is left."""
    ballast = folder / "ballast"
    with open(ballast, "wb", buffering=0) as file:
        for size in (4096, 1):
            try:
                while True:
                    file.write(b"\0" * size)
            except OSError:
                pass
    return ballast
