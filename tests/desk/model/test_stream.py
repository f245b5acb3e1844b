"""What streams carry: text, reasoning and usage, in the many ways of the servers."""

import asyncio
import json
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pendtui.desk.model import CallFailedError, FailureKind, Phase, Progress, Usage
from pendtui.desk.model.answer import split_thinking
from pendtui.desk.model.stream import EventReader, Unpacker
from pendtui.desk.model.usage import read_usage
from tests.desk.model.server import (
    ANSWER,
    MESSAGES,
    SCHEMA,
    Asked,
    Connection,
    ModelServer,
    answers,
    client_for,
    completion,
    delta,
    pieces,
    responds,
    streams,
)

NONE = Usage()
# ruff: noqa: E501 a table has its rows on one line each


@pytest.mark.parametrize("newline", ["\n", "\r\n", "\r"])
async def test_lines_may_end_in_any_way(server: ModelServer, newline: str) -> None:
    server.will(streams(*pieces(ANSWER), delta(finish="stop"), newline=newline))
    async with client_for(server) as client:
        assert (await client.call(MESSAGES)).text == ANSWER


def events(*chunks: object) -> bytes:
    return b"".join(b"data: " + json.dumps(chunk, ensure_ascii=False).encode() + b"\n\n" for chunk in chunks)


@given(st.lists(st.integers(1, 12), min_size=1))
@settings(max_examples=60, deadline=None)
def test_where_the_network_cuts_the_bytes_makes_no_difference(sizes: list[int]) -> None:
    chunks = [delta("„Ü"), delta("\U0001f600\u2028"), {"a": "b\nc"}]
    data = b"\xef\xbb\xbf: comment\r\n" + events(*chunks).replace(b"\n", b"\r\n") + b"id: 7\ndata: [DONE]\n\n"
    reader, found, at = EventReader(), [], 0
    while at < len(data):
        size = sizes[at % len(sizes)]
        found += list(reader.feed(data[at : at + size]))
        at += size
    found += list(reader.close())
    assert (found, reader.done, reader.streamed) == (chunks, True, True)


@given(st.binary(max_size=300))
def test_no_bytes_raise_anything_but_a_named_failure(data: bytes) -> None:
    for prefix in (b"", b"data: ", b"{", b'data: {"choices": ['):
        reader, found = EventReader(), []
        kind = FailureKind.GARBLED
        try:
            found = [*reader.feed(Unpacker("", 10_000).feed(prefix + data)), *reader.close()]
        except CallFailedError as failure:
            kind = failure.kind
        assert kind is FailureKind.GARBLED
        assert all(isinstance(each, dict) for each in found)


async def test_events_without_blank_lines_and_with_comments_and_pings_are_understood(server: ModelServer) -> None:
    async def behave(connection: Connection, asked: Asked) -> None:
        await connection.begin()
        await connection.chunk(b": OPENROUTER PROCESSING\n\nevent: ping\ndata: keep-alive\n\n")
        for chunk in [*pieces(ANSWER), delta(finish="stop")]:
            await connection.chunk(b"data:" + json.dumps(chunk).encode() + b"\n")
        await connection.chunk(b"data: [DONE]\n")
        await connection.end()

    server.will(behave)
    async with client_for(server) as client:
        assert (await client.call(MESSAGES)).text == ANSWER


async def test_an_event_may_be_spread_over_several_data_lines(server: ModelServer) -> None:
    async def behave(connection: Connection, asked: Asked) -> None:
        await connection.begin()
        lines = json.dumps(delta(ANSWER, finish="stop"), indent=1).splitlines()
        await connection.chunk("".join(f"data: {line}\n" for line in lines).encode() + b"\n")
        await connection.end()

    server.will(behave)
    async with client_for(server) as client:
        assert (await client.call(MESSAGES)).text == ANSWER


async def test_a_character_split_over_two_chunks_is_whole_again(server: ModelServer) -> None:
    halves = [
        r'{"choices": [{"delta": {"content": "a\ud83d"}}]}',
        r'{"choices": [{"delta": {"content": "\ude00b"}}]}',
    ]
    server.will(streams(*halves, delta(finish="stop")))
    async with client_for(server) as client:
        assert (await client.call(MESSAGES)).text == "a\U0001f600b"
    server.will(streams(halves[0], delta(finish="stop")))
    async with client_for(server) as client:
        assert (await client.call(MESSAGES)).text == "a\ufffd"


@pytest.mark.parametrize("done", [True, False])
async def test_a_finish_reason_or_the_last_event_is_enough_of_an_end(server: ModelServer, done: bool) -> None:
    server.will(streams(*pieces(ANSWER), *([] if done else [delta(finish="stop")]), done=done))
    async with client_for(server) as client:
        assert (await client.call(MESSAGES)).finish_reason == (None if done else "stop")


async def test_a_connection_left_open_after_the_last_event_is_not_waited_for(server: ModelServer) -> None:
    async def behave(connection: Connection, asked: Asked) -> None:
        await connection.begin()
        await connection.chunk(events(delta(ANSWER, finish="stop")) + b"data: [DONE]\n\n")
        await connection.silence()

    server.will(behave)
    async with client_for(server) as client:
        call = await client.call(MESSAGES)
    assert call.text == ANSWER and call.seconds < 1.5


async def test_a_connection_is_used_again(server: ModelServer) -> None:
    async with client_for(server) as client:
        for _ in range(3):
            await client.call(MESSAGES)
        assert (server.connections, len(server.asked)) == (1, 3)


async def test_many_calls_run_at_once(server: ModelServer) -> None:
    async with client_for(server) as client:
        calls = await asyncio.gather(*(client.call(MESSAGES) for _ in range(50)))
    assert {call.text for call in calls} == {ANSWER} and len(server.asked) == 50


@pytest.mark.parametrize(
    "content",
    [
        ANSWER,
        [{"type": "text", "text": ANSWER[:9]}, {"type": "text", "text": ANSWER[9:]}],
    ],
)
async def test_an_answer_in_one_piece_is_taken_from_a_server_that_does_not_stream(
    server: ModelServer, content: object
) -> None:
    usage = {"prompt_tokens": 7, "completion_tokens": 3}
    server.will(responds(200, completion(None) | completion(content) | {"usage": usage}))  # type: ignore[arg-type]
    async with client_for(server) as client:
        call = await client.call(MESSAGES)
    assert (call.text, call.model, call.first_token_seconds) == (ANSWER, "small-1", None)
    assert call.usage == Usage(7, 3)


async def test_a_last_chunk_that_repeats_the_whole_message_adds_nothing(server: ModelServer) -> None:
    server.will(streams(*pieces(ANSWER), completion(ANSWER)))
    async with client_for(server) as client:
        assert (await client.call(MESSAGES)).text == ANSWER


async def test_only_the_first_choice_counts(server: ModelServer) -> None:
    second = {"choices": [{"index": 1, "delta": {"content": "other"}, "finish_reason": "length"}]}
    server.will(streams(second, *pieces(ANSWER), second, delta(finish="stop")))
    async with client_for(server) as client:
        call = await client.call(MESSAGES)
    assert (call.text, call.finish_reason) == (ANSWER, "stop")


USAGES: list[tuple[str, dict[str, object], Usage]] = [
    ("nothing", {}, NONE),
    ("nulls", {"prompt_tokens": None, "completion_tokens": None, "prompt_tokens_details": None}, NONE),
    ("zeros are figures", {"prompt_tokens": 5, "completion_tokens": 0, "prompt_tokens_details": {"cached_tokens": 0}}, Usage(5, 0, 0)),
    ("OpenAI", {"prompt_tokens": 100, "completion_tokens": 40, "total_tokens": 140, "prompt_tokens_details": {"cached_tokens": 64}, "completion_tokens_details": {"reasoning_tokens": 30}}, Usage(100, 40, 64, 30)),
    ("OpenAI, cache writes", {"prompt_tokens": 100, "prompt_tokens_details": {"cached_tokens": 1, "cache_write_tokens": 9}}, Usage(100, None, 1, None, 9)),
    ("DeepSeek", {"prompt_tokens": 100, "completion_tokens": 40, "prompt_cache_hit_tokens": 64, "prompt_cache_miss_tokens": 36}, Usage(100, 40, 64)),
    ("Responses spelling", {"input_tokens": 9, "output_tokens": 8, "input_tokens_details": {"cached_tokens": 7}, "output_tokens_details": {"reasoning_tokens": 6}}, Usage(9, 8, 7, 6)),
    ("Anthropic spelling", {"input_tokens": 9, "output_tokens": 8, "cache_read_input_tokens": 5, "cache_creation_input_tokens": 2}, Usage(9, 8, 5, None, 2)),
    ("flat", {"prompt_tokens": 9, "completion_tokens": 8, "cached_tokens": 4, "reasoning_tokens": 3}, Usage(9, 8, 4, 3)),
    ("reasoning beside", {"prompt_tokens": 10, "completion_tokens": 5, "total_tokens": 35, "completion_tokens_details": {"reasoning_tokens": 20}}, Usage(10, 25, None, 20)),
    ("not counts", {"prompt_tokens": "9", "completion_tokens": -1, "reasoning_tokens": True, "cached_tokens": 1.5}, NONE),
    ("whole floats", {"prompt_tokens": 9.0}, Usage(9)),
]  # fmt: skip


@pytest.mark.parametrize(("reported", "usage"), [pytest.param(*case[1:], id=case[0]) for case in USAGES])
def test_usage_is_read_in_every_spelling_and_never_made_up(reported: dict[str, object], usage: Usage) -> None:
    assert read_usage(reported) == usage


async def test_usage_may_come_last_or_with_every_chunk_or_never(server: ModelServer) -> None:
    counts = [{"prompt_tokens": 50, "completion_tokens": n} for n in (1, 2, 3)]
    growing = [chunk | {"usage": usage} for chunk, usage in zip(pieces(ANSWER), counts, strict=False)]
    nulls = [chunk | {"usage": None} for chunk in pieces(ANSWER)]
    end = delta(finish="stop")
    async with client_for(server) as client:
        for behavior, usage in (
            (streams(*nulls, end, {"choices": [], "usage": counts[2]}), Usage(50, 3)),
            (streams(*nulls, end, {"choices": None, "usage": counts[2]}), Usage(50, 3)),
            (streams(*nulls, end | {"x_groq": {"usage": counts[2]}}), Usage(50, 3)),
            (streams(*growing, *pieces(ANSWER)[3:], end), Usage(50, 3)),
            (streams(*nulls, end), NONE),
        ):
            server.will(behavior)
            call = await client.call(MESSAGES)
            assert (call.text, call.usage) == (ANSWER, usage)


THOUGHTS: list[tuple[str, list[dict[str, object]], int]] = [
    ("reasoning_content", [delta(reasoning_content="Hm, "), delta(reasoning_content="so.")], 7),
    ("reasoning", [delta(reasoning="Hm, so.")], 7),
    ("reasoning_details", [delta(reasoning_details=[{"type": "reasoning.text", "text": "Hm, so."}])], 7),
    ("summaries", [delta(reasoning_details=[{"type": "reasoning.summary", "summary": "Hm."}])], 3),
    ("encrypted", [delta(reasoning_details=[{"type": "reasoning.encrypted", "data": "abc"}])], 0),
    ("the same twice", [delta(reasoning="Hm.", reasoning_details=[{"text": "Hm."}])], 3),
    ("with null content", [delta(reasoning="Hm.") | {"x": None}, delta("")], 3),
    ("tags", pieces("<think>Hm, so.</think>\n\n"), 7),
    ("tags, letter by letter", pieces("<think>Hm, so.</think>", 1), 7),
    ("no opening tag", pieces("Hm, so.</think>\n", 3), 7),
    ("a brace in the reasoning", pieces('<think>{"a": 1}</think>'), 8),
    ("empty tags (Qwen)", pieces("<think>\n\n</think>\n\n"), 2),
    ("two blocks", pieces("<think>Hm.</think><think>Oh.</think>"), 6),
    ("brackets (Magistral)", pieces("[THINK]Hm.[/THINK]"), 3),
    ("none", [], 0),
]


@pytest.mark.parametrize(("chunks", "characters"), [pytest.param(*case[1:], id=case[0]) for case in THOUGHTS])
async def test_reasoning_is_counted_and_kept_out_of_the_answer(
    server: ModelServer, chunks: list[dict[str, object]], characters: int
) -> None:
    server.will(streams(*chunks, *pieces(ANSWER), delta(finish="stop")))
    async with client_for(server) as client:
        call = await client.call(MESSAGES, SCHEMA)
    assert (call.text, call.reasoning_characters, call.answer_from_reasoning) == (ANSWER, characters, False)


def test_a_closing_tag_inside_an_answer_ends_nothing() -> None:
    answer = '{"citation": "noted </think> by the desk"}'
    assert split_thinking(answer) == ("", answer)
    assert split_thinking(f"<think>Hm.</think>{answer}") == ("Hm.", answer)


@pytest.mark.parametrize(
    ("reasoning", "taken"),
    [
        (ANSWER, True),
        (f"```json\n{ANSWER}\n```", True),
        (f"I say {ANSWER}", False),
        ('{"cause_class": "SOMETHING-ELSE"}', False),
        ('{"other": 1}', False),
        ("[1]", False),
        ('{"cause_class": ', False),
    ],
)
async def test_an_answer_is_taken_from_the_reasoning_only_when_it_validates(
    server: ModelServer, reasoning: str, taken: bool
) -> None:
    server.will(streams(delta(reasoning=reasoning), delta(finish="stop")))
    async with client_for(server) as client:
        if taken:
            call = await client.call(MESSAGES, SCHEMA)
            assert (call.text, call.answer_from_reasoning) == (reasoning, True)
        else:
            with pytest.raises(CallFailedError, match="though there is reasoning"):
                await client.call(MESSAGES, SCHEMA)
        with pytest.raises(CallFailedError, match="though there is reasoning"):
            await client.call(MESSAGES)


async def test_a_whole_answer_at_the_limit_stands(server: ModelServer) -> None:
    """A server held to JSON may fill up with spaces until the limit."""
    server.will(answers(ANSWER + " " * 400, finish="length"))
    async with client_for(server) as client:
        call = await client.call(MESSAGES)
    assert (call.text.strip(), call.finish_reason) == (ANSWER, "length")


async def test_progress_shows_waiting_then_reasoning_then_answering(server: ModelServer) -> None:
    async def behave(connection: Connection, asked: Asked) -> None:
        await asyncio.sleep(0.1)
        await connection.begin()
        for number, chunk in enumerate([*pieces("<think>" + "Hm. " * 10 + "</think>", 3), *pieces(ANSWER, 3)]):
            await asyncio.sleep(0.015)
            await connection.chunk(events(chunk | {"usage": {"completion_tokens": number + 100}}))
        await connection.chunk(events(delta(finish="stop")) + b"data: [DONE]\n\n")
        await connection.end()

    server.will(behave)
    told: list[Progress] = []
    async with client_for(server) as client:
        call = await client.call(MESSAGES, on_progress=told.append)
    phases = [progress.phase for progress in told]
    assert list(dict.fromkeys(phases)) == [Phase.WAITING, Phase.REASONING, Phase.ANSWERING]
    assert phases == sorted(phases, key=list(Phase).index)
    assert all(a.elapsed <= b.elapsed and a.tokens <= b.tokens for a, b in pairwise(told))
    assert told[0].first_token is None
    assert told[-1].first_token is not None and 0.1 <= told[-1].first_token <= call.seconds
    assert told[-1].first_token == call.first_token_seconds
    assert told[-1].tokens > 100
    assert len(told) <= 4 + call.seconds / 0.1


async def test_a_probe_is_one_small_call_that_may_end_at_its_limit(server: ModelServer) -> None:
    server.will(streams(delta(reasoning="Hm."), delta(finish="length")))
    async with client_for(server) as client:
        call = await client.probe()
    assert (call.text, call.finish_reason, len(server.asked)) == ("", "length", 1)
    assert server.sent["max_tokens"] == 16 and "response_format" not in server.sent
