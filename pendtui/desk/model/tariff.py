"""What a call costs: prices per million tokens by the hour, kept as data.

A tariff file is TOML. Rates are looked at in their order and the first whose window holds the call's start, in
UTC, is in force; the last one has no window, so that every hour has a price.

    name = "list prices"
    currency = "USD"
    checked_on = 2026-11-30

    [[rate]]
    name = "peak"
    days = ["mon", "tue", "wed", "thu", "fri"]   # the days on which the window begins; left out: all
    begins = "01:00"                             # left out: at midnight
    ends = "11:30"                               # not included; earlier than begins: on the next day
    prompt = 0.44                                # per million tokens, like all that follow
    cached = 0.014                               # left out: as prompt
    cache_write = 0.44                           # left out: as prompt
    completion = 1.32

    [[rate]]
    name = "off-peak"
    prompt = 0.22
    cached = 0.007
    completion = 0.66
"""

import tomllib
from datetime import UTC, date, datetime
from pathlib import Path
from typing import NamedTuple

from pendtui.desk.model.calls import Cost, Usage
from pendtui.errors import ConfigError

DAYS = ("mon", "tue", "wed", "thu", "fri", "sat", "sun")
MILLION = 1_000_000

_PRICES = ("prompt", "cached", "cache_write", "completion")
_NEEDED = ("prompt", "completion")
_DAY = 24 * 60


class Rate(NamedTuple):
    """The prices of some hours, per million tokens."""

    name: str
    prompt: float
    completion: float
    cached: float | None = None
    """For the part of the prompt that was in the server's cache; None where it costs as the rest."""
    cache_write: float | None = None
    """For the part of the prompt that was written to the cache; None where it costs as the rest."""
    days: tuple[int, ...] = tuple(range(7))
    """The days on which the window begins; Monday is 0."""
    begins: int = 0
    """Minutes after midnight, UTC."""
    ends: int = _DAY
    """Minutes after midnight, not included; no later than `begins` for a window that ends on the next day."""

    @property
    def always(self) -> bool:
        """Whether it is in force at every hour."""
        return len(self.days) == len(DAYS) and self.begins == 0 and self.ends == _DAY

    def holds(self, at: datetime) -> bool:
        """Whether an instant is inside the window."""
        utc = at.astimezone(UTC)
        minute, day = utc.hour * 60 + utc.minute, utc.weekday()
        if self.begins < self.ends:
            return day in self.days and self.begins <= minute < self.ends
        late = day in self.days and minute >= self.begins
        return late or ((day - 1) % len(DAYS) in self.days and minute < self.ends)


class Tariff(NamedTuple):
    """The rates of one model on one server."""

    name: str
    currency: str
    checked_on: date | None
    """The day on which somebody last compared it with the server's price list."""
    rates: tuple[Rate, ...]

    def rate_at(self, at: datetime) -> Rate:
        """The rate in force at an instant."""
        return next(rate for rate in self.rates if rate.holds(at))

    def cost(self, usage: Usage, at: datetime) -> Cost | None:
        """What a call that began at `at` cost; None where a count that a price needs was not reported."""
        rate = self.rate_at(at)
        prompt, completion = usage.prompt_tokens, usage.completion_tokens
        if prompt is None or completion is None:
            return None
        total = completion * rate.completion
        for count, price in ((usage.cached_tokens, rate.cached), (usage.cache_write_tokens, rate.cache_write)):
            if price is None or price == rate.prompt:
                continue
            if count is None:
                return None
            prompt -= count
            total += count * price
        if prompt < 0:
            return None
        return Cost((total + prompt * rate.prompt) / MILLION, self.currency, rate.name)

    def ceiling(self, prompt_bytes: int, max_answer_tokens: int | None) -> float | None:
        """The most that one answered request can cost at any hour; None where the answer has no limit.

        A token is at least a byte of the prompt, so its bytes are an upper bound. Attempts that failed, for
        which some servers charge, are not in it.
        """
        if max_answer_tokens is None:
            return None
        prompt = max(max(rate.prompt, rate.cached or 0, rate.cache_write or 0) for rate in self.rates)
        completion = max(rate.completion for rate in self.rates)
        return (prompt_bytes * prompt + max_answer_tokens * completion) / MILLION


def load_tariff(path: Path) -> Tariff:
    """The tariff in a file. Raises ConfigError that names the rate and the key that cannot be."""
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as fault:
        raise ConfigError(f"the tariff cannot be read: {fault}", where=str(path)) from None
    return parse_tariff(text, str(path))


def parse_tariff(text: str, where: str) -> Tariff:
    """The tariff in a text. Raises ConfigError, as load_tariff."""
    try:
        document = tomllib.loads(text)
    except tomllib.TOMLDecodeError as fault:
        raise ConfigError(f"not valid TOML: {fault}", where=where) from None
    _known(document, ("name", "currency", "checked_on", "rate"), "the tariff", where)
    checked_on = document.get("checked_on")
    if checked_on is not None and (not isinstance(checked_on, date) or isinstance(checked_on, datetime)):
        raise ConfigError("checked_on is not a date", where=where)
    tables = document.get("rate")
    if not isinstance(tables, list) or not tables or not all(isinstance(table, dict) for table in tables):
        raise ConfigError("has no [[rate]]", where=where)
    rates = tuple(_rate(table, number, where) for number, table in enumerate(tables, 1))
    for rate in rates[:-1]:
        if rate.always:
            raise ConfigError(f"rate {rate.name} is in force at all hours, and others follow it", where=where)
    if not rates[-1].always:
        raise ConfigError(
            f"the last rate, {rates[-1].name}, has a window, so that some hours have no price", where=where
        )
    return Tariff(
        _text(document.get("name", ""), "name", where),
        _text(document.get("currency", "USD"), "currency", where),
        checked_on,
        rates,
    )


def _rate(table: dict[str, object], number: int, where: str) -> Rate:
    name = _text(table.get("name", f"rate {number}"), "name", where)
    of = f"rate {name}"
    _known(table, ("name", "days", "begins", "ends", *_PRICES), of, where)
    prices: dict[str, float] = {}
    for key in _PRICES:
        price = table.get(key)
        if price is None:
            if key in _NEEDED:
                raise ConfigError(f"{of} has no {key} price", where=where)
            continue
        if isinstance(price, bool) or not isinstance(price, int | float) or not 0 <= price < float("inf"):
            raise ConfigError(f"{of}: {key} is not a price", where=where)
        prices[key] = float(price)
    days = table.get("days", list(DAYS))
    if not isinstance(days, list) or not days or not all(day in DAYS for day in days):
        raise ConfigError(f"{of}: days is not a list of {', '.join(DAYS)}", where=where)
    begins = _minute(table.get("begins", "00:00"), f"{of}: begins", where)
    ends = _minute(table.get("ends", "24:00"), f"{of}: ends", where)
    if begins == ends:
        raise ConfigError(f"{of} ends when it begins", where=where)
    return Rate(name, days=tuple(sorted({DAYS.index(day) for day in days})), begins=begins, ends=ends, **prices)


def _minute(value: object, what: str, where: str) -> int:
    hours, colon, minutes = value.partition(":") if isinstance(value, str) else ("", "", "")
    if colon and len(hours) == len(minutes) == 2 and f"{hours}{minutes}".isdecimal():
        minute = int(hours) * 60 + int(minutes)
        if int(minutes) < 60 and minute <= _DAY:
            return minute
    raise ConfigError(f'{what} is not a time such as "16:30"', where=where)


def _text(value: object, what: str, where: str) -> str:
    if not isinstance(value, str) or not value.isprintable():
        raise ConfigError(f"{what} is not text", where=where)
    return value


def _known(table: dict[str, object], keys: tuple[str, ...], what: str, where: str) -> None:
    for key in table:
        if key not in keys:
            raise ConfigError(
                f"{what} has an unknown key {key}", where=where, remedy=f"Known are {', '.join(keys)}"
            )
