"""Draws that come out the same on every Python: everything is made from `Random.random()` alone."""

from collections.abc import Sequence
from random import Random
from typing import TypeVar

_Item = TypeVar("_Item")


def below(rng: Random, count: int) -> int:
    """A whole number from 0 to count - 1."""
    return int(rng.random() * count)


def between(rng: Random, low: int, high: int) -> int:
    """A whole number from low to high, both included."""
    return low + int(rng.random() * (high - low + 1))


def pick(rng: Random, items: Sequence[_Item]) -> _Item:
    """One of the items."""
    return items[int(rng.random() * len(items))]


def shuffle(rng: Random, items: list[_Item]) -> None:
    """Put the items in a drawn order, in place."""
    for last in range(len(items) - 1, 0, -1):
        other = int(rng.random() * (last + 1))
        items[last], items[other] = items[other], items[last]
