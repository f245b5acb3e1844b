"""Whether a reader is as sure as it is right: the reliability table and the Brier score."""

from collections.abc import Iterable
from itertools import pairwise

BANDS = (0.0, 0.5, 0.7, 0.8, 0.9, 0.95, 1.0)
"""The bands of confidence in the reliability table."""


def reliability(said: Iterable[tuple[float, bool]]) -> list[tuple[str, int, int]]:
    """For each band of confidence that was used: its name, how many readings were right, and of how many."""
    pairs = list(said)
    table = []
    for low, high in pairwise(BANDS):
        within = [right for sure, right in pairs if low <= sure < high or sure == high == 1.0]
        if within:
            table.append((f"{low:.2f}-{high:.2f}", sum(within), len(within)))
    return table


def brier(said: Iterable[tuple[float, bool]]) -> float | None:
    """The mean squared distance of confidence from outcome: 0 is perfect, 0.25 is a coin. None for no readings."""
    pairs = list(said)
    return sum((sure - right) ** 2 for sure, right in pairs) / len(pairs) if pairs else None
