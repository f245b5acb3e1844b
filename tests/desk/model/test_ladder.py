"""How a server is asked: ten public faults tried one by one, and what is remembered of a server."""

import json
from collections.abc import Callable
from datetime import date, timedelta
from pathlib import Path

import pytest

from pendtui.desk.model import CallFailedError, FailureKind, ModelClient, Step, Usage
from pendtui.desk.model.ladder import DAYS_REMEMBERED, Manner, ServerMemory, first_manner
from pendtui.engines.reply import Reply, read_reply
from tests.desk.model.server import (
    ANSWER,
    MESSAGES,
    SCHEMA,
    Asked,
    Behavior,
    Connection,
    ModelServer,
    answers,
    client_for,
    delta,
    error,
    pieces,
    refuses,
    responds,
    settings_for,
    streams,
)

# ruff: noqa: E501 a table has its rows on one line each


def unless(sound: Callable[[dict[str, object]], bool], status: int, body: object) -> Behavior:
    """That error, until a request comes that the server takes."""

    async def behave(connection: Connection, asked: Asked) -> None:
        await (answers() if sound(asked.body) else responds(status, body))(connection, asked)

    return behave


def shape_of(asked: Asked) -> object:
    wanted = asked.body.get("response_format")
    return wanted["type"] if isinstance(wanted, dict) else None


# the ten public faults, in the order of the list they are taken from


async def test_1_a_model_that_takes_only_max_completion_tokens_is_asked_with_it(server: ModelServer) -> None:
    message = (
        "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead."
    )
    refusal = error(message, type="invalid_request_error", param="max_tokens", code="unsupported_parameter")
    server.will(unless(lambda body: "max_tokens" not in body, 400, refusal))
    async with client_for(server, max_answer_tokens=900) as client:
        call = await client.call(MESSAGES)
        await client.call(MESSAGES)
    assert [asked.body.get("max_tokens") for asked in server.asked] == [900, None, None]
    assert [asked.body.get("max_completion_tokens") for asked in server.asked] == [None, 900, 900]
    assert [attempt.note for attempt in call.attempts] == [
        "asked with max_completion_tokens instead of max_tokens",
        "",
    ]


async def test_2_a_model_that_takes_no_temperature_is_asked_without(server: ModelServer) -> None:
    message = (
        "Unsupported value: 'temperature' does not support 0 with this model. Only the default (1) is supported."
    )
    refusal = error(message, param="temperature", code="unsupported_value")
    server.will(unless(lambda body: "temperature" not in body, 400, refusal))
    async with client_for(server, temperature=0.0) as client:
        assert (await client.call(MESSAGES)).text == ANSWER
    assert [asked.body.get("temperature") for asked in server.asked] == [0.0, None]


async def test_2_a_temperature_is_only_sent_when_told(server: ModelServer) -> None:
    async with client_for(server) as client:
        await client.call(MESSAGES)
    assert "temperature" not in server.sent


async def test_3_a_server_without_json_schema_is_asked_for_json_object(server: ModelServer) -> None:
    refusal = error(
        "This response_format type is unavailable now", type="invalid_request_error", code="invalid_request_error"
    )
    server.will(unless(lambda body: "schema" not in json.dumps(body), 400, refusal))
    async with client_for(server) as client:
        first, second = await client.call(MESSAGES, SCHEMA), await client.call(MESSAGES, SCHEMA)
    assert [shape_of(asked) for asked in server.asked] == ["json_schema", "json_object", "json_object"]
    assert (first.step, second.step) == (Step.JSON_OBJECT, Step.JSON_OBJECT)
    assert (len(first.attempts), len(second.attempts)) == (2, 1)


async def test_4_a_server_that_refuses_json_object_by_a_bare_string_is_asked_in_plain_text(
    server: ModelServer,
) -> None:
    refusal = {"error": "'response_format.type' must be 'json_schema' or 'text'"}
    server.will(unless(lambda body: "json_object" not in json.dumps(body), 400, refusal))
    async with client_for(server, steps=(Step.JSON_OBJECT, Step.TEXT)) as client:
        call = await client.call(MESSAGES, SCHEMA)
    assert (call.step, [shape_of(asked) for asked in server.asked]) == (Step.TEXT, ["json_object", None])


async def test_5_a_schema_that_is_accepted_and_ignored_is_found_out_here(server: ModelServer) -> None:
    server.will(answers("The authorization is missing, I should think."))
    async with client_for(server) as client:
        call = await client.call(MESSAGES, SCHEMA)
    assert call.step is Step.JSON_SCHEMA
    assert not isinstance(read_reply(call.text, call.answer_from_reasoning), Reply)


@pytest.mark.parametrize("text", [f"Sure! ```json\n{ANSWER}\n```", ANSWER.replace("AUTH-MISSING", "auth missing")])
async def test_6_a_grammar_that_failed_open_leaves_an_answer_that_is_read_with_its_departures(
    server: ModelServer, text: str
) -> None:
    server.will(answers(text))
    async with client_for(server) as client:
        call = await client.call(MESSAGES, SCHEMA)
    reply = read_reply(call.text, call.answer_from_reasoning)
    assert isinstance(reply, Reply) and reply.cause == "AUTH-MISSING" and reply.departures


async def test_6_a_grammar_that_fails_aloud_is_stepped_down_from(server: ModelServer) -> None:
    refusal = error("Failed to parse grammar", code=400, type="invalid_request_error")
    server.will(unless(lambda body: "schema" not in json.dumps(body), 400, refusal))
    async with client_for(server) as client:
        assert (await client.call(MESSAGES, SCHEMA)).step is Step.JSON_OBJECT


@pytest.mark.parametrize("field", ["reasoning_content", "reasoning"])
async def test_7_reasoning_is_seen_under_its_old_and_its_new_name(server: ModelServer, field: str) -> None:
    server.will(streams(delta(**{field: "Hm, so."}), *pieces(ANSWER), delta(finish="stop")))
    async with client_for(server) as client:
        call = await client.call(MESSAGES, SCHEMA)
    assert (call.text, call.reasoning_characters) == (ANSWER, 7)


async def test_8_an_answer_in_the_reasoning_with_null_content_is_taken_and_told(server: ModelServer) -> None:
    null = {"choices": [{"index": 0, "delta": {"content": None, "reasoning": ANSWER}, "finish_reason": None}]}
    server.will(streams(null, delta(finish="stop")))
    async with client_for(server) as client:
        call = await client.call(MESSAGES, SCHEMA)
    assert (call.text, call.answer_from_reasoning) == (ANSWER, True)


@pytest.mark.parametrize("choices", [[], None])
async def test_9_chunks_of_usage_without_choices_are_no_trouble(server: ModelServer, choices: object) -> None:
    usage = {"prompt_tokens": 3, "completion_tokens": 2}
    bare = {"choices": choices, "usage": usage}
    server.will(streams(bare, *pieces(ANSWER), delta(finish="stop"), bare))
    async with client_for(server) as client:
        call = await client.call(MESSAGES)
    assert (call.text, call.usage) == (ANSWER, Usage(3, 2))
    assert server.sent["stream_options"] == {"include_usage": True}


async def test_9_a_server_that_refuses_stream_options_is_asked_without(server: ModelServer) -> None:
    server.will(refuses("stream_options", status=422))
    async with client_for(server) as client:
        call = await client.call(MESSAGES)
        await client.call(MESSAGES)
    assert ["stream_options" in asked.body for asked in server.asked] == [True, False, False]
    assert call.usage == Usage()


async def test_10_an_error_in_a_200_is_named_with_the_real_reason(server: ModelServer) -> None:
    metadata = {"raw": '{"detail": "prompt is too spicy"}', "provider_name": "Someone"}
    server.will(responds(200, error("Provider returned error", code=400, metadata=metadata)))
    async with client_for(server) as client:
        with pytest.raises(CallFailedError, match="Provider returned error: prompt is too spicy") as failed:
            await client.call(MESSAGES)
    assert (failed.value.kind, failed.value.retryable) == (FailureKind.BAD_REQUEST, False)


# what refusals look like elsewhere

REFUSALS: list[tuple[str, int, object]] = [
    ("Azure, old api-version", 400, error("response_format value as json_schema is enabled only for api versions 2024-08-01-preview and later", code="BadRequest")),
    ("FastAPI", 422, {"detail": [{"type": "literal_error", "loc": ["body", "response_format", "type"], "msg": "Input should be 'text'"}]}),
    ("older vLLM", 400, {"object": "error", "message": "guided decoding is not available", "code": 400}),
    ("not implemented", 501, error("structured outputs are not implemented")),
    ("500 from the grammar", 500, error("failed to compile grammar")),
    ("OpenRouter, no such route", 404, error("No endpoints found that can handle the requested parameters.", code=404)),
    ("in a 200", 200, error("json_schema is not supported by this provider", code=400)),
]  # fmt: skip


@pytest.mark.parametrize(("status", "refusal"), [pytest.param(*case[1:], id=case[0]) for case in REFUSALS])
async def test_any_word_against_the_shape_is_a_step_down_to_the_last(
    server: ModelServer, status: int, refusal: object
) -> None:
    server.will(unless(lambda body: "response_format" not in body, status, refusal))
    async with client_for(server, max_attempts=1) as client:
        call = await client.call(MESSAGES, SCHEMA)
    assert [shape_of(asked) for asked in server.asked] == ["json_schema", "json_object", None]
    assert (call.step, len(call.attempts)) == (Step.TEXT, 3)


async def test_everything_at_once_is_given_up_one_by_one(server: ModelServer) -> None:
    taken = refuses("max_tokens", otherwise=refuses("temperature", otherwise=refuses("stream_options")))
    server.will(refuses("response_format", otherwise=taken))
    async with client_for(server, max_attempts=1, temperature=0.5, max_answer_tokens=9) as client:
        call = await client.call(MESSAGES, SCHEMA)
    assert (call.text, len(call.attempts)) == (ANSWER, 6)
    assert set(server.sent) == {"model", "messages", "stream", "max_completion_tokens"}


async def test_a_server_that_takes_no_limit_by_any_name_is_asked_without_one(server: ModelServer) -> None:
    server.will(refuses("max_tokens", otherwise=refuses("max_completion_tokens")))
    async with client_for(server, max_answer_tokens=9) as client:
        call = await client.call(MESSAGES)
    assert [attempt.note for attempt in call.attempts][1] == "asked with no limit instead of max_completion_tokens"


@pytest.mark.parametrize(
    "refusal",
    [
        error(
            "max_tokens is too large: 900. This model supports at most 512.",
            param="max_tokens",
            code="invalid_value",
        ),
        error("This model's maximum context length is 8192 tokens, however you requested 9000 (900 in max_tokens)"),
        error("Bad request"),
    ],
)
async def test_a_refusal_for_another_reason_changes_nothing(server: ModelServer, refusal: object) -> None:
    server.will(responds(400, refusal))
    async with client_for(server, max_answer_tokens=900) as client:
        with pytest.raises(CallFailedError):
            await client.call(MESSAGES)
    assert len(server.asked) == 1


async def test_a_server_that_refuses_whatever_is_asked_ends_in_its_refusal(server: ModelServer) -> None:
    server.will(responds(400, error("response_format stream_options temperature max_tokens are unsupported")))
    async with client_for(server, temperature=1.0, max_answer_tokens=9) as client:
        with pytest.raises(CallFailedError) as failed:
            await client.call(MESSAGES, SCHEMA)
    assert failed.value.kind is FailureKind.BAD_REQUEST and len(server.asked) < 9


async def test_the_schema_is_sent_nested_with_the_extra_fields(server: ModelServer) -> None:
    async with client_for(server, body={"reasoning_effort": "low"}, headers={"x-team": "desk"}) as client:
        await client.call(MESSAGES, SCHEMA)
    held = {"name": "reply", "strict": True, "schema": SCHEMA}
    assert server.sent["response_format"] == {"type": "json_schema", "json_schema": held}
    assert (server.sent["reasoning_effort"], server.asked[-1].headers["x-team"]) == ("low", "desk")
    assert server.sent["messages"] == list(MESSAGES)
    assert server.asked[-1].target == "/v1/chat/completions"


# what is remembered


async def test_what_worked_is_remembered_by_address_and_model(server: ModelServer, tmp_path: Path) -> None:
    memory = tmp_path / "state" / "servers.json"
    server.will(refuses("response_format"))
    settings = settings_for(server)
    for model, requests in (("small", 3), ("small", 1), ("large", 3), ("large", 1)):
        client = ModelClient(settings._replace(model=model), None, memory)
        before = len(server.asked)
        assert (await client.call(MESSAGES, SCHEMA)).step is Step.TEXT
        assert len(server.asked) - before == requests
        await client.aclose()
    assert memory.parent.stat().st_mode & 0o777 == 0o700
    assert [path.name for path in memory.parent.iterdir()] == ["servers.json"]


async def test_nothing_is_learned_from_a_call_that_failed_after_all(server: ModelServer, tmp_path: Path) -> None:
    server.will(responds(400, error("response_format is unsupported")), responds(401, error("No")))
    client = ModelClient(settings_for(server), None, tmp_path / "servers.json")
    with pytest.raises(CallFailedError):
        await client.call(MESSAGES, SCHEMA)
    await client.aclose()
    assert not (tmp_path / "servers.json").exists()


LEARNED = Manner(Step.TEXT, "max_completion_tokens", stream_usage=False, temperature=False)


def test_a_server_is_tried_afresh_after_a_month(tmp_path: Path) -> None:
    settings, day = settings_for("http://127.0.0.1:1/v1"), date(2026, 11, 30)
    ServerMemory(tmp_path / "m.json").learn(settings, LEARNED, day)
    for days, manner in ((0, LEARNED), (DAYS_REMEMBERED, LEARNED), (DAYS_REMEMBERED + 1, first_manner(settings))):
        assert ServerMemory(tmp_path / "m.json").recall(settings, day + timedelta(days=days)) == manner


@pytest.mark.parametrize(
    "text",
    [
        "",
        "{",
        "[]",
        "\xff",
        '{"format": 2, "servers": {}}',
        '{"format": 1, "servers": []}',
        '{"format": 1, "servers": {"http://127.0.0.1:1/v1 small": 3}}',
        '{"format": 1, "servers": {"http://127.0.0.1:1/v1 small": {"step": "xml", "learned_on": "2026-11-30"}}}',
        '{"format": 1, "servers": {"http://127.0.0.1:1/v1 small": {"step": "text", "token_parameter": "tokens", '
        '"stream_usage": true, "temperature": true, "learned_on": "2026-11-30"}}}',
    ],
)
def test_a_memory_that_makes_no_sense_is_begun_anew(tmp_path: Path, text: str) -> None:
    path = tmp_path / "m.json"
    path.write_text(text, encoding="latin-1")
    settings, day = settings_for("http://127.0.0.1:1/v1"), date(2026, 11, 30)
    memory = ServerMemory(path)
    assert memory.recall(settings, day) == first_manner(settings)
    memory.learn(settings, LEARNED, day)
    assert ServerMemory(path).recall(settings, day) == LEARNED


def test_a_memory_that_cannot_be_written_lasts_as_long_as_the_program(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    settings = settings_for("http://127.0.0.1:1/v1")
    memory = ServerMemory(tmp_path / "file" / "m.json")
    memory.learn(settings, LEARNED)
    assert memory.recall(settings) == LEARNED


def test_two_programs_that_learn_of_different_servers_keep_both(tmp_path: Path) -> None:
    first, second = ServerMemory(tmp_path / "m.json"), ServerMemory(tmp_path / "m.json")
    one, two = settings_for("http://127.0.0.1:1/v1"), settings_for("http://127.0.0.1:2/v1")
    second.recall(two)
    first.learn(one, LEARNED)
    second.learn(two, LEARNED)
    assert [ServerMemory(tmp_path / "m.json").recall(each) for each in (one, two)] == [LEARNED, LEARNED]
