"""Asking again: which failures pass, how long each wait is, and when to stop.

The waits grow and are drawn at random, so that many readers that failed together do not return together. A
server that says how long to wait is obeyed up to a cap. A wait that would pass the deadline is not begun.
"""

from collections.abc import Awaitable, Callable
from typing import TypeVar

from pendtui.desk.model.failures import CallFailedError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from tenacity import RetryCallState

LONGEST_BACKOFF = 30.0
"""Seconds that the program's own waits grow to."""
LONGEST_ASKED = 60.0
"""Seconds that a server can make a call wait before an attempt."""
LEAST_BACKOFF = 0.25
"""The part of a wait that is not left to chance."""

_T = TypeVar("_T")


def wait_before(attempt: int, asked: float | None, first: float, chance: float) -> float:
    """Seconds to wait after the failed attempt of that number, counted from 1.

    `asked` is what the server said. `first` is the longest first wait; each further one may be twice as long.
    `chance` is drawn from 0 to 1 for each wait.
    """
    longest: float = min(LONGEST_BACKOFF, first * 2.0 ** min(attempt - 1, 20))
    if asked is not None:
        # a little later than asked, never earlier, and not all at the same instant
        capped = min(asked, LONGEST_ASKED)
        return capped + chance * min(longest, 0.1 * capped)
    return longest * (LEAST_BACKOFF + (1 - LEAST_BACKOFF) * chance)


async def retried(
    work: Callable[[], Awaitable[_T]],
    *,
    attempts: int,
    seconds: float,
    first: float,
    on_wait: Callable[[CallFailedError, float], None],
) -> _T:
    """What the work comes to, once it succeeds.

    Raises the last CallFailedError when the failure does not pass, when `attempts` are used up, or when the next
    wait would pass `seconds` since the start. `on_wait` is told of each failure that is waited after, and how long.
    """
    from random import random

    import tenacity

    def wait(state: "RetryCallState") -> float:
        failure = _failure(state)
        return wait_before(state.attempt_number, failure.retry_after if failure else None, first, random())

    def before_sleep(state: "RetryCallState") -> None:
        failure = _failure(state)
        if failure is not None:
            on_wait(failure, state.upcoming_sleep)

    async def once() -> _T:
        return await work()

    retrying = tenacity.AsyncRetrying(
        retry=tenacity.retry_if_exception(lambda fault: isinstance(fault, CallFailedError) and fault.retryable),
        stop=tenacity.stop_after_attempt(attempts) | tenacity.stop_before_delay(seconds),
        wait=wait,
        before_sleep=before_sleep,
        reraise=True,
    )
    return await retrying(once)


def _failure(state: "RetryCallState") -> CallFailedError | None:
    fault = state.outcome.exception() if state.outcome is not None else None
    return fault if isinstance(fault, CallFailedError) else None
