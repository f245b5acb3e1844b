"""The diary of requests: by when an answer is expected, as an examiner writes it."""

from datetime import date, timedelta

from pendtui.engines.clock import Clock

DUE_DAYS = 10
"""Days after which an answer from outside is expected, unless the examiner says otherwise."""


def due_day(text: str, today: date) -> date | None:
    """A day as typed: a date such as 2026-09-14, or a number of days from today such as +10; None for neither."""
    try:
        if text.removeprefix("+").isdigit():
            return today + timedelta(days=int(text.removeprefix("+")))
        return date.fromisoformat(text)
    except (ValueError, OverflowError):
        return None


def suggested_due_day(clock: Clock | None, today: date) -> date:
    """The day that is offered: in ten days, or on the claim's deadline where that is sooner and not past."""
    due = today + timedelta(days=DUE_DAYS)
    deadline = clock.deadline_on if clock is not None else None
    return deadline if deadline is not None and today < deadline < due else due
