"""What a run's calls took: seconds, tokens and money, each over the calls for which it was reported.

Nothing is put in where a server reported nothing: such a call is listed as not measured.
"""

from collections.abc import Mapping
from datetime import datetime
from typing import NamedTuple

from pendtui.desk.model.calls import Usage
from pendtui.desk.run_file import Run


class CallNote(NamedTuple):
    """One record's call as the run noted it. None is not noted or not reported."""

    id: str
    started_at: datetime | None
    seconds: float | None
    """Over all attempts and waits."""
    first_token_seconds: float | None
    usage: Usage
    cost: float | None
    currency: str
    rate: str
    held: bool
    """Whether the reply was held already, so that this run paid nothing for it."""
    failed: bool


class Distribution(NamedTuple):
    """One amount over the calls of a run, the least first."""

    name: str
    values: tuple[tuple[float, str], ...]
    """Each amount with the record it belongs to."""
    unmeasured: tuple[str, ...]
    """The records with a call for which the amount is not known."""

    def quantile(self, share: float) -> float | None:
        """The least amount that at least this share of the calls do not exceed; None where none was measured."""
        if not self.values:
            return None
        from math import ceil

        return self.values[max(0, ceil(share * len(self.values)) - 1)][0]

    @property
    def total(self) -> float | None:
        """Over the calls that were measured; None where none was."""
        return sum(value for value, _ in self.values) if self.values else None


class Bin(NamedTuple):
    """One step of a histogram: the records with an amount from `low` up to `high`, which is not included."""

    low: float
    high: float
    ids: tuple[str, ...]


AMOUNTS = (
    "seconds",
    "first_token_seconds",
    "prompt_tokens",
    "cached_tokens",
    "completion_tokens",
    "reasoning_tokens",
    "cost",
)
"""The amounts of which a run has a distribution."""


def calls_of(run: Run) -> tuple[CallNote, ...]:
    """The calls behind a run's records, in the run's order. Records that nobody was asked about have none."""
    return tuple(_note(record.id, record.call) for record in run.records if record.call is not None)


def distribution(name: str, calls: tuple[CallNote, ...]) -> Distribution:
    """How one of AMOUNTS is spread over the calls."""
    values, unmeasured = [], []
    for call in calls:
        value = getattr(call.usage if name.endswith("_tokens") else call, name)
        if value is None:
            unmeasured.append(call.id)
        else:
            values.append((float(value), call.id))
    return Distribution(name, tuple(sorted(values)), tuple(unmeasured))


def histogram(spread: Distribution, bins: int = 12) -> tuple[Bin, ...]:
    """The distribution in so many steps of equal width, from its least amount to its most."""
    if not spread.values:
        return ()
    least, most = spread.values[0][0], spread.values[-1][0]
    width = (most - least) / bins
    if width == 0:
        return (Bin(least, least, tuple(record_id for _, record_id in spread.values)),)
    steps: list[list[str]] = [[] for _ in range(bins)]
    for value, record_id in spread.values:
        steps[min(bins - 1, int((value - least) / width))].append(record_id)
    return tuple(Bin(least + n * width, least + (n + 1) * width, tuple(ids)) for n, ids in enumerate(steps))


def amounts(calls: tuple[CallNote, ...]) -> dict[str, float | None]:
    """The watched amounts of a run: median and 95th percentile of a call's seconds, and its mean cost."""
    seconds, cost = distribution("seconds", calls), distribution("cost", calls)
    whole = cost.total is not None and not cost.unmeasured
    return {
        "seconds/median": seconds.quantile(0.5),
        "seconds/p95": seconds.quantile(0.95),
        "cost/mean": cost.total / len(cost.values) if whole and cost.total is not None else None,
    }


def _note(record_id: str, call: Mapping[str, object]) -> CallNote:
    usage, cost = call.get("usage"), call.get("cost")
    counts = usage if isinstance(usage, Mapping) else {}
    priced = cost if isinstance(cost, Mapping) else {}
    return CallNote(
        id=record_id,
        started_at=_instant(call.get("started_at")) or _first_attempt(call.get("attempts")),
        seconds=_amount(call.get("seconds")),
        first_token_seconds=_amount(call.get("first_token_seconds")),
        usage=Usage(*(_count(counts.get(name)) for name in Usage._fields)),
        cost=_amount(priced.get("amount")),
        currency=str(priced.get("currency") or ""),
        rate=str(priced.get("rate") or ""),
        held=call.get("held") is True,
        failed="failure" in call,
    )


def _first_attempt(attempts: object) -> datetime | None:
    if isinstance(attempts, list) and attempts and isinstance(attempts[0], Mapping):
        return _instant(attempts[0].get("at"))
    return None


def _instant(value: object) -> datetime | None:
    if not isinstance(value, str):
        return None
    try:
        at = datetime.fromisoformat(value)
    except ValueError:
        return None
    return at if at.tzinfo is not None else None


def _amount(value: object) -> float | None:
    return float(value) if isinstance(value, int | float) and not isinstance(value, bool) else None


def _count(value: object) -> int | None:
    return value if type(value) is int and value >= 0 else None
