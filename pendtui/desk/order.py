"""The row numbers of a listed queue by position, without holding those of a whole large queue."""

import sqlite3
from array import array
from bisect import bisect_right
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import accumulate
from typing import overload

NOBODY = -1
"""The row number at a position whose record has gone since the order was taken."""

BLOCK = 128
"""Row numbers asked for at once."""


def row_numbers(rids: Iterable[int]) -> "array[int]":
    """Row numbers in four bytes each: a filter may let through a million."""
    return array("I", rids)


class ClockOrder(Sequence[int]):
    """Every record by its days left, after those on top.

    A tally of how many records have how many days left says at which of them a position lies, so that only the
    block around it is read. Taken once: records that come or go later show when the order is taken anew.
    """

    def __init__(
        self,
        db: sqlite3.Connection,
        column: str,
        groups: Sequence[tuple[int | None, int]],
        top: Mapping[int, int | None] | None = None,
        unreadable: Callable[[], None] = lambda: None,
    ) -> None:
        """`column` holds the day count that `groups` lists, in order, with the number of records of each.

        `top` are the row numbers that come first, in order, with their day counts. `unreadable` is called when
        the index cannot be read; there is nobody at any position then.
        """
        top = top or {}
        self._db = db
        self._column = column
        self._top = list(top)
        above = Counter(top.values())
        self._values = [value for value, _ in groups]
        self._without_top = set(above)
        sizes = [records - above[value] for value, records in groups]
        self._starts = list(accumulate(sizes, initial=len(self._top)))
        self._unreadable = unreadable
        self._first = 0
        self._block: list[int] = []

    def __len__(self) -> int:
        return self._starts[-1]

    @overload
    def __getitem__(self, at: int) -> int: ...

    @overload
    def __getitem__(self, at: slice) -> Sequence[int]: ...

    def __getitem__(self, at: int | slice) -> int | Sequence[int]:
        if isinstance(at, slice):
            positions = range(*at.indices(len(self)))
            if positions.step != 1:
                return [self[n] for n in positions]
            return self._between(positions.start, max(positions.start, positions.stop))
        position = at + len(self) if at < 0 else at
        if not 0 <= position < len(self):
            raise IndexError(at)
        return self._between(position, position + 1)[0]

    def __iter__(self) -> Iterator[int]:
        for start in range(0, len(self), 10 * BLOCK):
            yield from self._read(start, min(len(self), start + 10 * BLOCK))

    def __contains__(self, rid: object) -> bool:
        try:
            self.index(rid)
        except ValueError:
            return False
        return True

    def index(self, value: object, start: int = 0, stop: int | None = None) -> int:
        """The position of a row number. Raises ValueError where it is not listed."""
        if value in self._block:
            return self._first + self._block.index(value)
        if value in self._top:
            return self._top.index(value)
        try:
            return self._place(value)
        except sqlite3.DatabaseError:
            self._unreadable()
            raise ValueError(value) from None

    def _place(self, rid: object) -> int:
        found = self._db.execute(f"SELECT {self._column}, id FROM record WHERE rid = ?", (rid,)).fetchone()
        if found is None or found[0] not in self._values:
            raise ValueError(rid)
        group = self._values.index(found[0])
        (before,) = self._db.execute(
            f"SELECT count(*) FROM record WHERE {self._column} IS ? AND id < ? {self._only(found[0])}", found
        ).fetchone()
        return self._starts[group] + int(before)

    def _between(self, start: int, stop: int) -> list[int]:
        if not (self._first <= start and stop <= self._first + len(self._block)):
            self._first = max(0, start - BLOCK // 2)
            self._block = self._read(self._first, min(len(self), stop + BLOCK // 2))
        return self._block[start - self._first : stop - self._first]

    def _read(self, start: int, stop: int) -> list[int]:
        """The row numbers from one position up to another."""
        try:
            return self._ask(start, stop)
        except sqlite3.DatabaseError:
            self._unreadable()
            return [NOBODY] * (stop - start)

    def _ask(self, start: int, stop: int) -> list[int]:
        rids = self._top[start:stop]
        at = start + len(rids)
        group = max(0, bisect_right(self._starts, at) - 1)
        while at < stop and group < len(self._values):
            end = min(stop, self._starts[group + 1])
            found = self._db.execute(
                f"SELECT rid FROM record WHERE {self._column} IS ? {self._only(self._values[group])}"
                " ORDER BY id LIMIT ? OFFSET ?",
                (self._values[group], end - at, at - self._starts[group]),
            )
            rids += (rid for (rid,) in found)
            rids += [NOBODY] * (end - start - len(rids))
            at = end
            group += 1
        return rids

    def _only(self, value: int | None) -> str:
        if value not in self._without_top:
            return ""
        return f"AND rid NOT IN ({','.join(map(str, self._top))})"
