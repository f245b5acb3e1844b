"""Asking again: how long is waited, when it ends, and what is left behind."""

import asyncio
import time
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime

import pytest

from pendtui.desk.model import CallFailedError, FailureKind, Phase, Progress
from pendtui.desk.model.responses import Header, retry_after
from pendtui.desk.model.retry import LONGEST_ASKED, LONGEST_BACKOFF, wait_before
from tests.desk.model.server import (
    ANSWER,
    MESSAGES,
    RATE,
    START,
    Behavior,
    ModelServer,
    answers,
    client_for,
    error,
    responds,
    says_nothing,
    wrote,
)

F = FailureKind
NOW = datetime(2026, 11, 30, 12, 0, tzinfo=UTC)


@pytest.mark.parametrize(
    ("header", "seconds"),
    [
        (Header(retry_after="7"), 7.0),
        (Header(retry_after="0.25"), 0.25),
        (Header(retry_after="0"), 0.0),
        (Header(retry_after="-3"), 0.0),
        (Header(retry_after="Mon, 30 Nov 2026 12:00:20 GMT"), 20.0),
        (Header(retry_after="Mon, 30 Nov 2026 11:00:00 GMT"), 0.0),
        (Header(retry_after="Mon, 30 Nov 2026 12:00:20 GMT", date="Mon, 30 Nov 2026 12:00:15 GMT"), 5.0),
        (Header(retry_after_ms="1500", x_ms_retry_after_ms="9", retry_after="30"), 1.5),
        (Header(x_ms_retry_after_ms="250", retry_after="30"), 0.25),
        (Header(retry_after_ms="x", retry_after="30"), 30.0),
        (Header(retry_after="inf"), None),
        (Header(retry_after="nan"), None),
        (Header(retry_after="soon"), None),
        (Header(), None),
    ],
)
def test_a_server_says_how_long_to_wait_in_several_ways(header: Header, seconds: float | None) -> None:
    assert retry_after(header, NOW) == seconds


@pytest.mark.parametrize("attempt", [1, 2, 3, 6, 50, 5000])
def test_waits_grow_up_to_a_cap_and_are_partly_chance(attempt: int) -> None:
    longest = min(LONGEST_BACKOFF, 2.0 ** min(attempt - 1, 9))
    assert wait_before(attempt, None, 1.0, 0.0) == longest / 4
    assert wait_before(attempt, None, 1.0, 1.0) == longest


@pytest.mark.parametrize("asked", [0.0, 0.5, 20.0, 59.0, 61.0, 86_400.0])
def test_a_wait_is_never_shorter_than_asked_nor_longer_than_the_cap_allows(asked: float) -> None:
    shortest, longest = (wait_before(1, asked, 1.0, chance) for chance in (0.0, 1.0))
    assert shortest == min(asked, LONGEST_ASKED)
    assert shortest <= longest <= shortest + 1.0
    assert (longest > shortest) is (asked > 0)


async def test_a_retry_after_in_seconds_is_waited_for(server: ModelServer) -> None:
    server.will(responds(429, RATE, "retry-after: 0.3"), answers())
    async with client_for(server) as client:
        call = await client.call(MESSAGES)
    assert 0.3 <= call.attempts[1].waited < 0.4
    assert (call.attempts[1].at - call.attempts[0].at).total_seconds() >= 0.3


async def test_a_retry_after_date_is_counted_from_the_servers_clock(server: ModelServer) -> None:
    now = datetime(2031, 5, 1, tzinfo=UTC)
    date, until = (format_datetime(each, usegmt=True) for each in (now, now + timedelta(seconds=1)))
    server.will(responds(429, RATE, f"date: {date}", f"retry-after: {until}"), answers())
    async with client_for(server) as client:
        call = await client.call(MESSAGES)
    assert 1.0 <= call.attempts[1].waited < 1.1


async def test_a_wait_that_would_pass_the_deadline_is_not_begun(server: ModelServer) -> None:
    server.will(responds(429, RATE, "retry-after: 30"))
    started = time.monotonic()
    async with client_for(server, deadline_seconds=5.0) as client:
        with pytest.raises(CallFailedError) as failed:
            await client.call(MESSAGES)
    assert (failed.value.kind, failed.value.retry_after) == (F.RATE, 30.0)
    assert time.monotonic() - started < 1


async def test_the_deadline_ends_a_call_whatever_it_is_doing(server: ModelServer) -> None:
    server.will(responds(500, error("Out of order")), says_nothing)
    async with client_for(server, deadline_seconds=0.4) as client:
        with pytest.raises(CallFailedError, match=r"no answer within 0\.4 s; .*Out of order") as failed:
            await client.call(MESSAGES)
        await asyncio.sleep(0.05)
        assert server.open == 0
    assert failed.value.kind is F.DEADLINE
    assert [attempt.failure for attempt in failed.value.attempts] == [F.SERVER, F.DEADLINE]


@pytest.mark.parametrize(
    "behavior", [says_nothing, wrote(START, then="silence"), responds(429, RATE, "retry-after: 9")]
)
async def test_a_cancelled_call_leaves_nothing_behind(server: ModelServer, behavior: Behavior) -> None:
    server.will(behavior)
    told: list[Progress] = []
    async with client_for(server) as client:
        before = asyncio.all_tasks()
        call = asyncio.create_task(client.call(MESSAGES, on_progress=told.append))
        while not server.asked:
            await asyncio.sleep(0.01)
        await asyncio.sleep(0.1)
        call.cancel()
        with pytest.raises(asyncio.CancelledError):
            await call
        await asyncio.sleep(0.05)
        assert server.open == (1 if told[-1].phase is Phase.RETRYING else 0)
        assert {task for task in asyncio.all_tasks() - before if "handle" not in repr(task)} == set()
        server.will(answers())
        assert (await client.call(MESSAGES)).text == ANSWER
    await asyncio.sleep(0.05)
    assert server.open == 0


async def test_a_call_that_is_told_of_a_wait_says_why_and_how_long(server: ModelServer) -> None:
    told: list[Progress] = []
    server.will(responds(503, error("Overloaded")), answers())
    async with client_for(server) as client:
        await client.call(MESSAGES, on_progress=told.append)
    waits = [progress for progress in told if progress.phase is Phase.RETRYING]
    assert [(wait.attempt, wait.note) for wait in waits] == [
        (2, "the server answered 503: Overloaded; next attempt in 0.0 s")
    ]
