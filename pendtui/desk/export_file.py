"""Files that people are given: whole or not there at all, and for their owner's eyes alone."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TextIO

from pendtui.errors import PendtuiError


@contextmanager
def export_file(path: Path, *, replace: bool = False) -> Iterator[TextIO]:
    """A text file that appears under its name once the block has ended without a fault.

    Raises PendtuiError where it cannot be written, and unless `replace` is set where there is one already.
    """
    part = path.with_name(f"{path.name}.{os.getpid()}.part")
    try:
        with open(part, "w", encoding="utf-8", newline="", opener=_private) as out:
            yield out
        if replace:
            part.replace(path)
        else:
            _take_name(part, path)
    except FileExistsError:
        raise PendtuiError("there is such a file already", where=str(path), remedy="Name another one") from None
    except OSError as fault:
        raise PendtuiError(f"cannot be written: {fault.strerror}", where=str(path)) from None
    finally:
        part.unlink(missing_ok=True)


def _take_name(part: Path, path: Path) -> None:
    try:
        os.link(part, path)  # unlike a look beforehand, no other program can come between
    except FileExistsError:
        raise
    except OSError:  # a file system without links
        if path.exists():
            raise FileExistsError from None
        part.replace(path)


def _private(name: str, flags: int) -> int:
    return os.open(name, flags, 0o600)
