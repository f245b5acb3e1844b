"""Numbers and days as people read them."""

from datetime import date

_WEEKDAYS = ("Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun")


def day_with_weekday(day: date) -> str:
    """A date with its weekday, so that a deadline on a weekend is seen."""
    return f"{day.isoformat()} {_WEEKDAYS[day.weekday()]}"


def count(number: int, noun: str) -> str:
    """A number and its noun: 1 day, 2 days, 1,200 days."""
    return f"{number:,} {noun}" if abs(number) == 1 else f"{number:,} {noun}s"


def left_or_over(days: int) -> str:
    """Days until a deadline, or since: 3 days left, 4 days over."""
    return f"{count(-days, 'day')} over" if days < 0 else f"{count(days, 'day')} left"


def flowing(text: str) -> str:
    """A quote with its line breaks and runs of space as single spaces."""
    return " ".join(text.split())
