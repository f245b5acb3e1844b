"""Keeping the index up with the queue folder while the program runs, at little cost.

The folder is looked at, not watched: a watch of the operating system says nothing of what another machine does
on a network folder. Each second its time of change tells whether files came or went, and that of claims.json
whether rows changed. What changed inside a file shows when all of them are looked at, which is done now and then.
"""

import sqlite3
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import suppress

from pendtui.desk.index import Changes, QueueIndex
from pendtui.errors import PendtuiError

LOOK_SECONDS = 1.0
"""How often the folder's time of change is looked at."""

SHARE = 0.01
"""Of one processor, that looking for new names may take on average; looking at all files may take as much again."""

FIRST_SHARE = 0.5
"""Of one processor, that may be taken while the folder is first gone through, or there are records to be read."""

LATER_SHARE = 0.2
"""The same at any later time."""


CHECK_SHARE = 0.1
"""The same while the whole index is checked for damage, once a day."""


class _Stopped(Exception):  # noqa: N818 nothing went wrong
    """The program is about to end."""


def follow(
    open_index: Callable[[], QueueIndex], stop: threading.Event, look_seconds: float = LOOK_SECONDS
) -> Iterator[Changes]:
    """Follow the folder until `stop` is set, yielding what has changed each time the index is up with it again.

    The first changes are those since the program last ran, and come even where there are none; while records are
    read, there is one after each batch. A folder that cannot be read for a while is said once, in `fault`, and
    followed again as soon as it can be. To be used in a thread of its own: the index is opened, used and closed
    there.
    """
    index = open_index()
    try:
        with suppress(_Stopped):
            yield from _follow(index, stop, look_seconds)
    finally:
        index.close()


def _follow(index: QueueIndex, stop: threading.Event, look_seconds: float) -> Iterator[Changes]:
    names, contents = _Budget(SHARE), _Budget(SHARE)
    share = FIRST_SHARE
    fault, first = "", True
    answers: Iterator[Changes] = iter(())
    while not stop.is_set():
        all_files = contents.is_free or index.is_lost
        if all_files or (names.is_free and _is_behind(index)):
            spent = contents if all_files else names
            try:
                for changes in index.refresh(_Pace(share, stop).breathe, contents=all_files):
                    if changes.any or changes.due or fault or first:
                        yield changes
                    fault, first = "", False
            except PendtuiError as unread:
                if str(unread) != fault:
                    fault = str(unread)
                    yield Changes(fault=fault)
            spent.charge(index.looking)
            share = LATER_SHARE
        # One batch at a time, so that what changes in the folder meanwhile does not have to wait.
        try:
            answered = next(answers, None)
        except PendtuiError:
            answered = None
        if answered is not None:
            yield answered
            continue
        answers = index.answer(_Pace(LATER_SHARE, stop).breathe)
        _check(index, _Pace(CHECK_SHARE, stop))
        stop.wait(look_seconds)


def _check(index: QueueIndex, pace: "_Pace") -> None:
    """Look for damage that reading does not show, now and then. An index that is made anew is followed at once."""
    # What cannot be written or read just now is said where the folder is followed.
    with suppress(sqlite3.DatabaseError):
        if index.is_to_be_checked:
            index.check(pace.breathe)


def _is_behind(index: QueueIndex) -> bool:
    try:
        return index.is_behind
    except sqlite3.DatabaseError:
        # Following it finds out what is wrong, and mends it.
        return True


class _Budget:
    """Says when a task that takes processor time may be done again without taking more than a share on average."""

    def __init__(self, share: float) -> None:
        self._share = share
        self._free_at = 0.0

    @property
    def is_free(self) -> bool:
        return time.monotonic() >= self._free_at

    def charge(self, seconds: float) -> None:
        """Say what processor time it has taken."""
        self._free_at = time.monotonic() + seconds / self._share


class _Pace:
    """Spreads work over time, so that whoever types in the same program is not kept waiting by it."""

    def __init__(self, share: float, stop: threading.Event) -> None:
        self._rest = 1 / share - 1
        self._stop = stop
        self._worked = time.thread_time()

    def breathe(self) -> None:
        """Rest as long as the work since the last call asks for. Raises _Stopped at the end of the program."""
        if self._stop.wait((time.thread_time() - self._worked) * self._rest):
            raise _Stopped
        self._worked = time.thread_time()
