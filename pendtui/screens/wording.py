"""How values are put into words and marks on screen. No rule is decided here."""

from datetime import date

from pendtui.engines.vocabulary import ClockState

_WEEKDAYS = ("Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun")


def clock_mark(state: ClockState | None) -> str:
    """Two signs for a clock state: !! breached, ! escalate-now, ? unknown."""
    if state is None:
        return " ?"
    return {ClockState.BREACHED: "!!", ClockState.ESCALATE_NOW: " !", ClockState.WITHIN_CLOCK: "  "}[state]


def days_left(days: int | None) -> str:
    """Days left, or days over, in eight characters."""
    if days is None:
        return " no days"
    return f"{-days:>3} over" if days < 0 else f"{days:>3} left"


def day_with_weekday(day: date) -> str:
    """A date with its weekday, so that a deadline on a weekend is seen."""
    return f"{day.isoformat()} {_WEEKDAYS[day.weekday()]}"


def count(number: int, noun: str) -> str:
    """A number and its noun: 1 day, 2 days, 1,200 days."""
    return f"{number:,} {noun}" if abs(number) == 1 else f"{number:,} {noun}s"
