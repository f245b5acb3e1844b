"""What a run's calls cost, what drives it, and what others would: measured apart from worked out.

Measured is what the server counted, at the prices in force when the call began (UTC). Worked out is everything
that takes those counts elsewhere: to other prices, other hours, another number of records.
"""

from collections.abc import Collection, Sequence
from typing import NamedTuple

from pendtui.desk.model.calls import Usage
from pendtui.desk.model.tariff import MILLION, Rate, Tariff
from pendtui.evals.calls import CallNote

MEASURED = "measured"
ARITHMETIC = "arithmetic"
"""The two grounds a figure can have."""


class Figure(NamedTuple):
    """One figure of what calls cost. A value of None is not measured."""

    name: str
    value: float | None
    unit: str
    basis: str
    """MEASURED or ARITHMETIC."""
    note: str = ""


class Split(NamedTuple):
    """What one call's parts cost; together they are its cost."""

    uncached: float
    """The part of the prompt that the server read anew."""
    cached: float
    cache_write: float
    answer: float
    reasoning: float

    @property
    def total(self) -> float:
        """The whole call."""
        return sum(self)


def split(usage: Usage, rate: Rate) -> Split | None:
    """What each part of a call costs at a rate; None where a count that a price needs was not reported.

    Counts that were not reported and make no difference to the price are taken as 0.
    """
    prompt, completion = usage.prompt_tokens, usage.completion_tokens
    if prompt is None or completion is None:
        return None
    prices = (
        (usage.cached_tokens, rate.prompt if rate.cached is None else rate.cached),
        (usage.cache_write_tokens, rate.prompt if rate.cache_write is None else rate.cache_write),
    )
    if any(count is None and price != rate.prompt for count, price in prices):
        return None
    (cached, cached_price), (written, written_price) = ((count or 0, price) for count, price in prices)
    reasoning = min(usage.reasoning_tokens or 0, completion)
    uncached = prompt - cached - written
    if uncached < 0:
        return None
    amounts = (
        uncached * rate.prompt,
        cached * cached_price,
        written * written_price,
        (completion - reasoning) * rate.completion,
        reasoning * rate.completion,
    )
    return Split(*(amount / MILLION for amount in amounts))


def spent(calls: Sequence[CallNote]) -> list[Figure]:
    """What the run's calls cost by the tariff that was in force, and the tokens that the server counted."""
    bought = [call for call in calls if not call.held]
    priced = [call for call in bought if call.cost is not None]
    currency = next((call.currency for call in priced), "")
    total = sum(call.cost or 0.0 for call in priced) if priced else None
    missing = len(bought) - len(priced)
    return [
        Figure(
            "calls", len(bought), "calls", MEASURED, f"{len(calls) - len(bought)} more replies were held already"
        ),
        Figure("cost", total, currency, MEASURED, f"of {len(priced)} calls; {missing} of unknown cost"),
        *(_tokens(name, bought) for name in ("prompt_tokens", "cached_tokens", "completion_tokens")),
        _tokens("reasoning_tokens", bought),
        _share("cached share of the prompt", "cached_tokens", "prompt_tokens", bought),
        _share("reasoning share of the completion", "reasoning_tokens", "completion_tokens", bought),
        *_by_rate(priced, currency),
    ]


def under(tariff: Tariff, calls: Sequence[CallNote]) -> list[Figure]:
    """What the same calls cost under a tariff at the hours they were made, and what drives it."""
    splits = [(call, _at(call, tariff)) for call in calls]
    known = [(call, parts) for call, parts in splits if parts is not None]
    if not known:
        return [Figure("cost", None, tariff.currency, ARITHMETIC, "no call has the counts and the hour it needs")]
    total = sum(parts.total for _, parts in known)
    figures = [_money("cost", total, tariff, f"of {len(known)} calls; {len(splits) - len(known)} of unknown cost")]
    for name, label in (
        ("uncached", "prompt read anew (cache misses)"),
        ("cached", "prompt from the cache"),
        ("cache_write", "prompt written to the cache"),
        ("answer", "answers"),
        ("reasoning", "reasoning"),
    ):
        amount = sum(getattr(parts, name) for _, parts in known)
        figures.append(_money(label, amount, tariff, f"{amount / total:.1%} of it" if total else ""))
    for rate in tariff.rates:
        at_rate = [
            (call, parts)
            for call, parts in known
            if call.started_at is not None and tariff.rate_at(call.started_at) is rate
        ]
        amount = sum(parts.total for _, parts in at_rate)
        figures.append(_money(f"at rate {rate.name}", amount, tariff, f"{len(at_rate)} of {len(known)} calls"))
    if len(tariff.rates) > 1:
        for rate in tariff.rates:
            moved = [parts for call, _ in known if (parts := split(call.usage, rate)) is not None]
            if len(moved) == len(known):
                amount = sum(parts.total for parts in moved)
                figures.append(_money(f"all at rate {rate.name}", amount, tariff, f"{len(known)} calls"))
    return figures


def projected(figures: Sequence[Figure], calls: int, records: int) -> Figure:
    """What a queue of so many records would cost at the mean of these calls."""
    cost = next(figure for figure in figures if figure.name == "cost")
    value = cost.value / calls * records if cost.value is not None and calls else None
    return Figure(f"{records:,} records", value, cost.unit, ARITHMETIC, f"at the mean of {calls} calls")


def only_unsure(calls: Sequence[CallNote], costs: dict[str, float | None], unsure: Collection[str]) -> list[Figure]:
    """What asking only about the records that the floor marks would have saved.

    `costs` are the calls' by record id. Over calls of which all costs are known; else the money is blank.
    """
    marked = [call for call in calls if call.id in unsure]
    note = f"the floor marks {len(marked)} of {len(calls)}"
    figures = [Figure("calls with --only-unsure", len(marked), "calls", ARITHMETIC, note)]
    amounts = [costs.get(call.id) for call in calls]
    if calls and all(amount is not None for amount in amounts):
        total = sum(amount or 0.0 for amount in amounts)
        kept = sum(costs[call.id] or 0.0 for call in marked)
        currency = next((call.currency for call in calls if call.currency), "")
        share = f"{1 - kept / total:.1%} of the cost" if total else ""
        figures.append(Figure("saved by --only-unsure", total - kept, currency, ARITHMETIC, share))
    else:
        figures.append(Figure("saved by --only-unsure", None, "", ARITHMETIC, "not every call has a known cost"))
    return figures


def costs_under(tariff: Tariff, calls: Sequence[CallNote]) -> dict[str, float | None]:
    """Each call's cost under a tariff, by record id."""
    return {call.id: parts.total if (parts := _at(call, tariff)) is not None else None for call in calls}


def _at(call: CallNote, tariff: Tariff) -> Split | None:
    return None if call.started_at is None else split(call.usage, tariff.rate_at(call.started_at))


def _money(name: str, amount: float, tariff: Tariff, note: str) -> Figure:
    return Figure(name, amount, tariff.currency, ARITHMETIC, note)


def _tokens(name: str, calls: Sequence[CallNote]) -> Figure:
    counts = [count for call in calls if (count := getattr(call.usage, name)) is not None]
    note = f"reported by {len(counts)} of {len(calls)} calls"
    return Figure(name.replace("_", " "), sum(counts) if counts else None, "tokens", MEASURED, note)


def _share(label: str, part: str, whole: str, calls: Sequence[CallNote]) -> Figure:
    pairs = [(getattr(call.usage, part), getattr(call.usage, whole)) for call in calls]
    known = [(some, all_) for some, all_ in pairs if some is not None and all_]
    if not known:
        return Figure(label, None, "", MEASURED, "not reported")
    some, all_ = sum(pair[0] for pair in known), sum(pair[1] for pair in known)
    return Figure(label, some / all_, "", MEASURED, f"{some:,} of {all_:,} tokens")


def _by_rate(priced: Sequence[CallNote], currency: str) -> list[Figure]:
    rates = sorted({call.rate for call in priced})
    figures = []
    for rate in rates:
        of_rate = [call.cost or 0.0 for call in priced if call.rate == rate]
        note = f"{len(of_rate)} of {len(priced)} calls"
        figures.append(Figure(f"at rate {rate}", sum(of_rate), currency, MEASURED, note))
    return figures
