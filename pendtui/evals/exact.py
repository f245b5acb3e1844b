"""Exact statistics of counts: the interval of a rate, and the test of a paired difference.

The interval is Clopper and Pearson's, at 95%. It is chosen over Wilson's because it never covers less than it
says, for any rate and any denominator, and because it is as good at 0 of n, where the false releases stand. The
price is that it is wider than it had to be; a report that claims too little does no harm here.
"""

from math import comb, exp, lgamma, log, log1p
from typing import NamedTuple

LEVEL = 0.95
"""How often an interval holds the true rate, at the least."""

_TINY = 1e-300
_MAX_TERMS = 10_000


class Interval(NamedTuple):
    """The rates that a count does not speak against. Both ends are 0 to 1."""

    low: float
    high: float


def interval(n: int | None, of: int | None, level: float = LEVEL) -> Interval | None:
    """The exact interval of `n` of `of`; None where nothing was measured or there was nothing to."""
    if n is None or not of:
        return None
    if not 0 <= n <= of:
        raise ValueError(f"{n} of {of} is no count")
    tail = (1 - level) / 2
    # Either end is a quantile of a beta distribution, mirrored so that small rates keep their digits.
    low = 0.0 if n == 0 else _beta_quantile(tail, n, of - n + 1)
    high = 1.0 if n == of else 1 - _beta_quantile(tail, of - n, n + 1)
    return Interval(low, high)


def mcnemar(only_first: int, only_second: int) -> float:
    """How often so lopsided a split of the records on which two runs part comes by chance: two-sided, exact.

    1 where they never part. Records that both have right or both wrong say nothing about the difference.
    """
    parted = only_first + only_second
    fewer = min(only_first, only_second)
    below = sum(comb(parted, k) for k in range(fewer + 1))
    doubled: float = 2 * below / (1 << parted)
    return min(1.0, doubled)


def _beta_quantile(share: float, a: int, b: int) -> float:
    """The x below which a beta variable of parameters a and b stays with probability `share`."""
    low, high = 0.0, 1.0
    x = a / (a + b)
    constant = lgamma(a + b) - lgamma(a) - lgamma(b)
    for _ in range(200):
        found = _beta_cdf(x, a, b, constant)
        if found < share:
            low = x
        else:
            high = x
        # Newton's step where it stays inside what is known, half of it otherwise.
        slope = exp(constant + (a - 1) * log(x) + (b - 1) * log1p(-x)) if 0 < x < 1 else 0.0
        step = x - (found - share) / slope if slope > _TINY else -1.0
        following = step if low < step < high else (low + high) / 2
        if abs(following - x) <= 1e-12 * x:
            return following
        x = following
    return x


def _beta_cdf(x: float, a: int, b: int, constant: float) -> float:
    if x <= 0 or x >= 1:
        return float(x >= 1)
    front = exp(constant + a * log(x) + b * log1p(-x))
    if x < (a + 1) / (a + b + 2):
        return front * _fraction(x, a, b) / a
    return 1 - front * _fraction(1 - x, b, a) / b


def _fraction(x: float, a: int, b: int) -> float:
    """The continued fraction of the incomplete beta function, by Lentz's method."""
    c, d = 1.0, 1 - (a + b) * x / (a + 1)
    d = 1 / (d if abs(d) > _TINY else _TINY)
    result = d
    for m in range(1, _MAX_TERMS):
        for term in (
            m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m)),
            -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1)),
        ):
            d = 1 + term * d
            d = 1 / (d if abs(d) > _TINY else _TINY)
            c = 1 + term / c
            c = c if abs(c) > _TINY else _TINY
            result *= d * c
        if abs(d * c - 1) < 1e-15:
            break
    return result
