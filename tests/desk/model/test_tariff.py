"""What calls cost: rates by the hour in UTC, and nothing made up where a count is missing."""

from datetime import UTC, datetime, timedelta, timezone
from pathlib import Path

import pytest

from pendtui.desk.model import Cost, Tariff, Usage, load_tariff
from pendtui.desk.model.tariff import parse_tariff
from pendtui.errors import ConfigError
from tests.desk.model.server import MESSAGES, ModelServer, answers, client_for

TEXT = """
name = "list prices"
currency = "USD"
checked_on = 2026-08-23

[[rate]]
name = "peak"
days = ["mon", "tue", "wed", "thu", "fri"]
begins = "00:30"
ends = "16:30"
prompt = 0.44
cached = 0.014
completion = 1.32

[[rate]]
name = "off-peak"
prompt = 0.22
cached = 0.007
completion = 0.66
"""
TARIFF = parse_tariff(TEXT, "tariff.toml")
MONDAY = datetime(2026, 8, 31, 12, 0, tzinfo=UTC)
SATURDAY = datetime(2026, 9, 5, 12, 0, tzinfo=UTC)
RUN = Usage(prompt_tokens=310_422, completion_tokens=224_001, cached_tokens=228_096)


def test_the_recorded_run_costs_what_it_cost() -> None:
    """60 calls off-peak: 82,326 prompt tokens uncached, 228,096 cached, 224,001 completed; each rounded."""
    cost = TARIFF.cost(RUN, SATURDAY)
    assert cost is not None
    assert cost.amount == pytest.approx(0.167551, abs=60 * 5e-7)
    assert (cost.currency, cost.rate) == ("USD", "off-peak")


def test_the_same_tokens_at_peak_cost_twice_as_much() -> None:
    cost = TARIFF.cost(RUN, MONDAY)
    assert cost is not None and cost.rate == "peak"
    assert cost.amount == pytest.approx(0.335102, abs=60 * 5e-7)


@pytest.mark.parametrize(
    ("at", "rate"),
    [
        (datetime(2026, 8, 31, 0, 29, 59, tzinfo=UTC), "off-peak"),
        (datetime(2026, 8, 31, 0, 30, tzinfo=UTC), "peak"),
        (datetime(2026, 8, 31, 16, 29, 59, tzinfo=UTC), "peak"),
        (datetime(2026, 8, 31, 16, 30, tzinfo=UTC), "off-peak"),
        (datetime(2026, 9, 6, 12, 0, tzinfo=UTC), "off-peak"),
        # Monday afternoon in California, still at peak by its own clock, is past it in UTC
        (datetime(2026, 8, 31, 12, 0, tzinfo=timezone(timedelta(hours=-7))), "off-peak"),
        (datetime(2026, 8, 31, 3, 0, tzinfo=timezone(timedelta(hours=8))), "off-peak"),
        (datetime(2026, 9, 1, 3, 0, tzinfo=timezone(timedelta(hours=1))), "peak"),
    ],
)
def test_the_rate_is_that_of_the_hour_in_utc(at: datetime, rate: str) -> None:
    assert TARIFF.rate_at(at).name == rate


@pytest.mark.parametrize(
    ("at", "rate"),
    [
        (datetime(2026, 9, 4, 21, 59, tzinfo=UTC), "day"),
        (datetime(2026, 9, 4, 22, 0, tzinfo=UTC), "night"),
        (datetime(2026, 9, 5, 5, 59, tzinfo=UTC), "night"),
        (datetime(2026, 9, 5, 6, 0, tzinfo=UTC), "day"),
        (datetime(2026, 9, 5, 23, 0, tzinfo=UTC), "day"),
        (datetime(2026, 9, 4, 2, 0, tzinfo=UTC), "day"),
    ],
)
def test_a_window_over_midnight_belongs_to_the_day_it_begins_on(at: datetime, rate: str) -> None:
    night = (
        '[[rate]]\nname = "night"\ndays = ["fri"]\nbegins = "22:00"\nends = "06:00"\nprompt = 1\ncompletion = 1\n'
    )
    tariff = parse_tariff(f'{night}[[rate]]\nname = "day"\nprompt = 2\ncompletion = 2\n', "t")
    assert tariff.rate_at(at).name == rate


@pytest.mark.parametrize(
    "usage",
    [
        Usage(),
        Usage(prompt_tokens=10),
        Usage(completion_tokens=10),
        Usage(prompt_tokens=10, completion_tokens=10),
        Usage(prompt_tokens=10, completion_tokens=10, cached_tokens=11),
    ],
)
def test_a_count_that_a_price_needs_and_nobody_reported_leaves_the_cost_unknown(usage: Usage) -> None:
    assert TARIFF.cost(usage, MONDAY) is None


def test_a_count_that_no_price_needs_may_be_missing() -> None:
    flat = parse_tariff("[[rate]]\nprompt = 1\ncached = 1\ncompletion = 2\n", "t")
    assert flat.cost(Usage(1_000_000, 500_000), MONDAY) == Cost(2.0, "USD", "rate 1")


def test_cache_writes_have_their_own_price() -> None:
    tariff = parse_tariff("[[rate]]\nprompt = 1\ncached = 0.1\ncache_write = 1.25\ncompletion = 2\n", "t")
    cost = tariff.cost(Usage(1_000_000, 0, 200_000, None, 400_000), MONDAY)
    assert cost is not None and cost.amount == pytest.approx(0.4 + 0.02 + 0.5)


def test_a_free_server_costs_nothing_which_is_known() -> None:
    tariff = parse_tariff("[[rate]]\nprompt = 0\ncompletion = 0\n", "t")
    assert tariff.cost(Usage(5, 5), MONDAY) == Cost(0.0, "USD", "rate 1")


def test_no_call_costs_more_than_the_ceiling() -> None:
    ceiling = TARIFF.ceiling(400_000, 224_001)
    dear = TARIFF.cost(Usage(400_000, 224_001, 0), MONDAY)
    assert ceiling is not None and dear is not None
    assert ceiling == pytest.approx(dear.amount)
    assert TARIFF.ceiling(400_000, None) is None


async def test_a_call_is_priced_by_its_own_time_and_usage(server: ModelServer) -> None:
    server.will(answers(usage={"prompt_tokens": 100, "completion_tokens": 50, "prompt_cache_hit_tokens": 60}))
    async with client_for(server, tariff=TARIFF, max_answer_tokens=50) as client:
        call = await client.call(MESSAGES)
        ceiling = client.ceiling(MESSAGES)
    assert call.cost == TARIFF.cost(Usage(100, 50, 60), call.attempts[-1].at) is not None
    assert call.cost is not None and ceiling is not None
    assert call.noted()["cost"] == {"amount": call.cost.amount, "currency": "USD", "rate": call.cost.rate}
    server.will(answers())
    async with client_for(server, tariff=TARIFF) as client:
        call = await client.call(MESSAGES)
    assert (call.cost, call.noted()["cost"], client.ceiling(MESSAGES)) == (None, None, None)


RATE = "[[rate]]\nprompt = 1\ncompletion = 1\n"


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("x = [", "not valid TOML"),
        ("", r"has no \[\[rate\]\]"),
        ("rate = 3", r"has no \[\[rate\]\]"),
        ("price = 3\n" + RATE, "unknown key price"),
        ("checked_on = 'soon'\n" + RATE, "checked_on is not a date"),
        ("currency = 3\n" + RATE, "currency is not text"),
        (RATE + "input = 3\n", "rate rate 1 has an unknown key input"),
        ("[[rate]]\nprompt = 1\n", "rate rate 1 has no completion price"),
        ("[[rate]]\nprompt = -1\ncompletion = 1", "prompt is not a price"),
        ("[[rate]]\nprompt = nan\ncompletion = 1", "prompt is not a price"),
        ("[[rate]]\nprompt = true\ncompletion = 1", "prompt is not a price"),
        (RATE + "days = ['monday']\n", "days is not a list of mon"),
        (RATE + "days = []\n", "days is not a list of mon"),
        (RATE + "begins = '7:00'\n", 'begins is not a time such as "16:30"'),
        (RATE + "begins = 07:00:00\n", "begins is not a time"),
        (RATE + "ends = '24:01'\n", "ends is not a time"),
        (RATE + "ends = '12:60'\n", "ends is not a time"),
        (RATE + "begins = '12:00'\nends = '12:00'\n", "ends when it begins"),
        (RATE + "begins = '12:00'\n", "some hours have no price"),
        (RATE + RATE, "is in force at all hours, and others follow it"),
    ],
)
def test_a_tariff_that_cannot_be_is_refused_by_what_is_wrong(text: str, said: str) -> None:
    with pytest.raises(ConfigError, match=f"^tariff.toml: .*{said}"):
        parse_tariff(text, "tariff.toml")


def test_a_tariff_is_read_from_its_file(tmp_path: Path) -> None:
    path = tmp_path / "tariff.toml"
    path.write_text(TEXT)
    assert load_tariff(path) == TARIFF
    assert isinstance(TARIFF, Tariff) and str(TARIFF.checked_on) == "2026-08-23"
    with pytest.raises(ConfigError, match="the tariff cannot be read"):
        load_tariff(tmp_path / "none.toml")
