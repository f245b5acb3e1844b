"""Everything that a server, a proxy or a network does wrong, on real sockets, as a table.

Each line: what goes wrong, the server's behavior, what the client calls it, how many requests were made (2 where
asking again can help, since the clients of these tests try twice), and words that the one line must hold.
"""

import asyncio
import gzip
import json
import shutil
import socket
import ssl
import subprocess
import time
from pathlib import Path

import pytest

from pendtui.desk.model import CallFailedError, FailureKind
from tests.desk.model.server import (
    ANSWER,
    KEY,
    MESSAGES,
    RATE,
    START,
    Asked,
    Behavior,
    Connection,
    ModelServer,
    answers,
    client_for,
    completion,
    delta,
    error,
    pieces,
    responds,
    says_nothing,
    serving,
    streams,
    wrote,
)

F = FailureKind
# ruff: noqa: E501 a table has its rows on one line each


async def closes_at_once(connection: Connection, asked: Asked) -> None:
    connection.cut()


async def begins_and_says_nothing(connection: Connection, asked: Asked) -> None:
    await connection.begin()
    await connection.silence()


async def cuts_its_document(connection: Connection, asked: Asked) -> None:
    await connection.send(b'HTTP/1.1 200 OK\r\ncontent-length: 5000\r\n\r\n{"choices": [{"index"')
    connection.cut()


async def ends_at_the_close(connection: Connection, asked: Asked) -> None:
    """As HTTP/1.0 does: nothing but the stream itself says whether it is complete."""
    await connection.send(b"HTTP/1.1 200 OK\r\nconnection: close\r\n\r\n")
    await connection.send(b"data: " + json.dumps(delta('{"cause_class": "AU')).encode() + b"\n\n")
    connection.cut()


async def is_no_http(connection: Connection, asked: Asked) -> None:
    await connection.send(b"SSH-2.0-OpenSSH_9.6\r\n")
    connection.cut()


async def sends_50_megabytes(connection: Connection, asked: Asked) -> None:
    await connection.begin()
    piece = f"data: {json.dumps(delta('x' * 60_000))}\n\n".encode()
    for _ in range(833):
        await connection.chunk(piece)
    await connection.end()


async def sends_50_megabytes_packed(connection: Connection, asked: Asked) -> None:
    await connection.respond(200, PACKED, "content-encoding: gzip")


async def sends_one_endless_line(connection: Connection, asked: Asked) -> None:
    await connection.begin()
    for _ in range(800):
        await connection.chunk(b"y" * 65_000)
    await connection.end()


PACKED = gzip.compress(b"data: " + b"x" * 50_000_000, compresslevel=1)
PAGE = "<html><head><title>502 Bad\nGateway</title></head><body><script>steal()</script></body></html>"
QUOTA = error("You exceeded your current quota", type="insufficient_quota", code="insufficient_quota")
FILTERED = {
    "message": "The response was filtered",
    "code": "content_filter",
    "innererror": {"code": "ResponsibleAIPolicyViolation"},
}

STATUSES: list[tuple[str, Behavior, FailureKind, int, str]] = [
    ("400", responds(400, error("Bad field", code=None)), F.BAD_REQUEST, 1, "answered 400: Bad field"),
    ("400 prompt too long", responds(400, error("maximum context length is 8192", code="context_length_exceeded")), F.BAD_REQUEST, 1, "does not fit"),
    ("400 content filter", responds(400, {"error": FILTERED}), F.CONTENT_FILTER, 1, "offline reader"),
    ("401", responds(401, error("Incorrect API key provided")), F.UNAUTHORIZED, 1, "Check the key"),
    ("402", responds(402, error("Insufficient Balance")), F.QUOTA, 1, "needs credit"),
    ("403", responds(403, error("Not allowed")), F.FORBIDDEN, 1, "may use this model"),
    ("403 no allowance", responds(403, error("Insufficient credits")), F.QUOTA, 1, "needs credit"),
    ("404 model", responds(404, error("The model `m` does not exist", code="model_not_found")), F.NO_MODEL, 1, "model's name"),
    ("404 model of Ollama", responds(404, error('model "m" not found, try pulling it first')), F.NO_MODEL, 1, "model's name"),
    ("400 model of DeepSeek", responds(400, error("Model Not Exist")), F.NO_MODEL, 1, "model's name"),
    ("404 deployment", responds(404, error("The API deployment does not exist", code="DeploymentNotFound")), F.NO_MODEL, 1, "model's name"),
    ("404 address", responds(404, "404 page not found"), F.NO_ENDPOINT, 1, "often ends in /v1"),
    ("405", responds(405, {"detail": "Method Not Allowed"}), F.NO_ENDPOINT, 1, "Method Not Allowed"),
    ("408", responds(408, error("Timed out")), F.SERVER, 2, "answered 408"),
    ("409", responds(409, error("Conflict")), F.CONFLICT, 2, "answered 409"),
    ("413", responds(413, "Payload Too Large"), F.BAD_REQUEST, 1, "Payload Too Large"),
    ("422 of FastAPI", responds(422, {"detail": [{"loc": ["body", "foo"], "msg": "Extra inputs are not permitted"}]}), F.BAD_REQUEST, 1, "body.foo: Extra inputs"),
    ("429 rate, no Retry-After", responds(429, RATE), F.RATE, 2, "answered 429"),
    ("429 rate, in seconds", responds(429, RATE, "retry-after: 0.05"), F.RATE, 2, "answered 429"),
    ("429 rate, milliseconds", responds(429, RATE, "retry-after-ms: 50", "retry-after: 900"), F.RATE, 2, "answered 429"),
    ("429 rate, of Azure", responds(429, RATE, "x-ms-retry-after-ms: 50", "retry-after: 900"), F.RATE, 2, "answered 429"),
    ("429 rate, date that is past", responds(429, RATE, "retry-after: Wed, 21 Oct 2015 07:28:00 GMT"), F.RATE, 2, "answered 429"),
    ("429 rate, not to be understood", responds(429, RATE, "retry-after: soon"), F.RATE, 2, "answered 429"),
    ("429 without a body", responds(429), F.RATE, 2, "answered 429"),
    ("429 quota", responds(429, QUOTA, "retry-after: 1"), F.QUOTA, 1, "Waiting does not help"),
    ("429 credit used up", responds(429, error("No credit", code="credit_balance_exhausted")), F.QUOTA, 1, "needs credit"),
    ("429 spending limit", responds(429, error("Limit", code="project_spend_limit_exceeded")), F.QUOTA, 1, "higher limit"),
    ("500", responds(500, error("Internal error")), F.SERVER, 2, "answered 500: Internal error"),
    ("500 without a body", responds(500), F.SERVER, 2, "answered 500"),
    ("501", responds(501, error("Not implemented")), F.SERVER, 1, "answered 501"),
    ("502 with a page", responds(502, PAGE, "content-type: text/html"), F.SERVER, 2, "a web page titled '502 Bad Gateway'"),
    ("503", responds(503, error("Overloaded"), "retry-after: 0"), F.SERVER, 2, "answered 503: Overloaded"),
    ("529", responds(529, {"type": "error", "error": {"type": "overloaded_error", "message": "Busy"}}), F.SERVER, 2, "Busy"),
    ("302 to another host", responds(302, b"", "location: https://elsewhere.invalid/v1"), F.REDIRECT, 1, "points to https://elsewhere.invalid/v1"),
    ("308 to another host", responds(308, b"", "location: https://elsewhere.invalid/v1"), F.REDIRECT, 1, "neither the key nor a record follows"),
    ("204", responds(204), F.NOT_JSON_BODY, 1, "answered 204"),
    ("error body with gzip garbage", responds(500, b"not gzip", "content-encoding: gzip"), F.SERVER, 2, "answered 500"),
    ("error body without UTF-8", responds(400, b'{"error": "\xff\xfe"}'), F.BAD_REQUEST, 1, "answered 400"),
]  # fmt: skip

SHAPES: list[tuple[str, Behavior, FailureKind, int, str]] = [
    ("bare string (LM Studio)", responds(400, {"error": "Model is unloaded"}), F.BAD_REQUEST, 1, "answered 400: Model is unloaded"),
    ("detail (FastAPI)", responds(403, {"detail": "Not authenticated"}), F.FORBIDDEN, 1, "Not authenticated"),
    ("flat (older vLLM)", responds(400, {"object": "error", "message": "Too odd", "code": 400}), F.BAD_REQUEST, 1, "Too odd"),
    ("list (Gemini)", responds(400, [error("Listed", code=400)]), F.BAD_REQUEST, 1, "Listed"),
    ("reason in metadata.raw", responds(400, error("Provider returned error", metadata={"raw": '{"error": {"message": "Real reason"}}'})), F.BAD_REQUEST, 1, "Provider returned error: Real reason"),
    ("code is a number", responds(400, error("Numbered", code=1210)), F.BAD_REQUEST, 1, "Numbered"),
    ("plain text", responds(400, "go\x1b[31m away\x07\r\nnow"), F.BAD_REQUEST, 1, "answered 400: go [31m away now"),
    ("JSON that is a string", responds(400, '"just so"'), F.BAD_REQUEST, 1, "just so"),
    ("JSON that is null", responds(400, "null"), F.BAD_REQUEST, 1, "answered 400"),
    ("deeply nested", responds(400, "[" * 50_000), F.BAD_REQUEST, 1, "answered 400"),
    ("direction of text turned", responds(400, error("ab\u202ecd")), F.BAD_REQUEST, 1, "ab cd"),
    ("very long", responds(400, error("word " * 9_000)), F.BAD_REQUEST, 1, "…"),
    ("quotes the key", responds(401, error(f"Wrong key {KEY}!")), F.UNAUTHORIZED, 1, "Wrong key [key]!"),
    ("quotes a part of the key", responds(401, error("Wrong key sk-test-42********seen!")), F.UNAUTHORIZED, 1, "Wrong key [key]!"),
]  # fmt: skip

FINE = json.dumps(delta(ANSWER)).encode()
BODIES: list[tuple[str, Behavior, FailureKind, int, str]] = [
    ("stall before the first byte", says_nothing, F.FIRST_BYTE_TIMEOUT, 2, "began no answer within 0.4 s"),
    ("stall after the head", begins_and_says_nothing, F.FIRST_BYTE_TIMEOUT, 2, "began no answer"),
    ("stall mid-stream", wrote(START, then="silence"), F.STALLED, 2, "paused for 0.4 s"),
    ("closed without a word", closes_at_once, F.CUT_OFF, 2, "closed the connection before it answered"),
    ("stream cut", wrote(START, then="cut"), F.CUT_OFF, 2, "closed the connection in the middle"),
    ("cut mid-JSON of an event", wrote(START, START[:30], then="cut"), F.CUT_OFF, 2, "in the middle"),
    ("cut mid-JSON of a document", cuts_its_document, F.CUT_OFF, 2, "in the middle"),
    ("cut where only the stream can tell", ends_at_the_close, F.CUT_OFF, 2, "ended before the answer was said to be complete"),
    ("stream without an end", streams(*pieces(ANSWER), done=False), F.CUT_OFF, 2, "ended before"),
    ("ends mid-event", wrote(START, START[:30]), F.GARBLED, 2, "breaks off"),
    ("no HTTP at all", is_no_http, F.CUT_OFF, 2, "before it answered"),
    ("empty body", responds(200), F.EMPTY, 2, "empty response"),
    ("empty choices", streams({"model": "m", "choices": []}), F.EMPTY, 2, "without any choice"),
    ("null choices", streams({"model": "m", "choices": None}), F.EMPTY, 2, "without any choice"),
    ("choices that are no list", streams({"model": "m", "choices": {"0": 1}}), F.EMPTY, 2, "without any choice"),
    ("document with empty choices", responds(200, {"choices": []}), F.EMPTY, 2, "without any choice"),
    ("empty answer", answers(""), F.EMPTY, 2, "the answer is empty"),
    ("answer of spaces", answers(" \n\n"), F.EMPTY, 2, "the answer is empty"),
    ("reasoning only", streams(delta(reasoning_content="Hm."), delta(finish="stop")), F.EMPTY, 2, "though there is reasoning"),
    ("tool call", streams(delta(tool_calls=[]), delta(finish="tool_calls")), F.EMPTY, 2, "called a tool"),
    ("length, cut answer", answers('{"cause_class": "AU', finish="length"), F.LENGTH, 1, "before the answer was complete"),
    ("length, nothing at all", answers("", {"completion_tokens": 4096}, finish="length"), F.LENGTH, 1, "before the answer began (4,096 tokens)"),
    ("length, only reasoning", streams(delta(reasoning="Hm."), delta(finish="length")), F.LENGTH, 1, "reached by the reasoning"),
    ("length, inside think tags", answers("<think>Hm. Hm.", finish="length"), F.LENGTH, 1, "Raise max_answer_tokens"),
    ("content_filter", answers("{", finish="content_filter"), F.CONTENT_FILTER, 1, "content filter"),
    ("refusal, streamed", streams(delta(refusal="I "), delta(refusal="cannot."), delta(finish="stop")), F.REFUSAL, 1, "declined: I cannot."),
    ("refusal, in one piece", responds(200, completion(None, refusal="No.")), F.REFUSAL, 1, "declined: No."),
    ("gzip garbage", responds(200, b"\x1f\x8bnot gzip at all", "content-encoding: gzip"), F.GARBLED, 2, "claims to be compressed"),
    ("gzip cut short", responds(200, gzip.compress(b"data: " + FINE + b"\n\n")[:-12], "content-encoding: gzip"), F.CUT_OFF, 2, "compressed data"),
    ("packing not asked for", responds(200, b"\x0b\x02", "content-encoding: br"), F.GARBLED, 2, "not asked for"),
    ("invalid UTF-8 in a stream", wrote(b'data: {"choices": [{"delta": {"content": "\xc3\x28"}}]}\n\n'), F.GARBLED, 2, "not UTF-8"),
    ("invalid UTF-8 in a document", responds(200, b'{"choices": "\xff"}'), F.GARBLED, 2, "not UTF-8"),
    ("error in a 200", responds(200, error("No instances available")), F.ERROR_IN_200, 2, "inside its answer: No instances"),
    ("error in a 200, with its status", responds(200, error("Slow down", code=429)), F.RATE, 2, "Slow down"),
    ("error in a 200, credit used up", responds(200, error("More credits needed", code=402)), F.QUOTA, 1, "needs credit"),
    ("error in a 200, as text", responds(200, {"error": "crashed"}), F.ERROR_IN_200, 2, "crashed"),
    ("error in a 200, without the word", responds(200, {"detail": "worker died"}), F.ERROR_IN_200, 2, "worker died"),
    ("error mid-stream", streams(delta("{"), error("Upstream died", code=502)), F.SERVER, 2, "Upstream died"),
    ("error event", wrote(START, b'event: error\ndata: {"message": "gone"}\n\n'), F.ERROR_IN_200, 2, "gone"),
    ("error field (llama.cpp)", wrote(START, b'error: {"code": 500, "message": "slot lost"}\n\n'), F.SERVER, 2, "slot lost"),
    ("finish_reason error", streams(delta("{"), delta(finish="error")), F.SERVER, 2, "broke the answer off"),
    ("a web page", responds(200, PAGE), F.NOT_JSON_BODY, 1, "a web page titled"),
    ("plain text", responds(200, "Ollama is running"), F.NOT_JSON_BODY, 1, "but Ollama is running"),
    ("50 MB", sends_50_megabytes, F.TOO_LARGE, 1, "larger than 1,000,000 bytes"),
    ("50 MB in a small gzip", sends_50_megabytes_packed, F.TOO_LARGE, 1, "larger than 1,000,000 bytes"),
    ("50 MB in one line", sends_one_endless_line, F.TOO_LARGE, 1, "larger than 1,000,000 bytes"),
]  # fmt: skip


@pytest.mark.parametrize(
    ("behavior", "kind", "requests", "says"),
    [pytest.param(*case[1:], id=case[0]) for case in (*STATUSES, *SHAPES, *BODIES)],
)
async def test_a_failure_has_its_name_and_its_one_line(
    server: ModelServer, behavior: Behavior, kind: FailureKind, requests: int, says: str
) -> None:
    server.will(behavior)
    async with client_for(
        server, first_byte_seconds=0.4, between_chunks_seconds=0.4, max_body_bytes=1_000_000
    ) as client:
        with pytest.raises(CallFailedError) as failed:
            await client.call(MESSAGES)
    failure, line = failed.value, str(failed.value)
    assert (failure.kind, len(server.asked)) == (kind, requests)
    assert says in line
    assert line.isprintable() and len(line) < 500 and KEY not in line
    assert [attempt.failure for attempt in failure.attempts] == [kind] * requests
    assert failure.retryable is (requests == 2)
    assert json.loads(json.dumps(failure.noted()))["failure"] == kind


@pytest.mark.parametrize("behavior", [case[1] for case in (*STATUSES, *BODIES) if case[3] == 2][::3])
async def test_what_passes_is_answered_by_the_next_attempt(server: ModelServer, behavior: Behavior) -> None:
    server.will(behavior, answers())
    async with client_for(server, first_byte_seconds=0.4, between_chunks_seconds=0.4) as client:
        call = await client.call(MESSAGES)
    assert call.text == ANSWER
    assert [attempt.failure is None for attempt in call.attempts] == [False, True]
    assert call.attempts[1].waited > 0 or call.attempts[0].status in (429, 503)


async def test_a_closed_port_is_refused() -> None:
    with socket.socket() as unused:
        unused.bind(("127.0.0.1", 0))
        url = f"http://127.0.0.1:{unused.getsockname()[1]}/v1"
        async with client_for(url) as client:
            with pytest.raises(CallFailedError, match="nothing answers at") as failed:
                await client.call(MESSAGES)
    assert failed.value.kind is F.REFUSED and len(failed.value.attempts) == 2


async def test_a_host_without_an_address_is_a_dns_failure() -> None:
    async with client_for("https://model.invalid/v1") as client:
        with pytest.raises(CallFailedError, match=r"the name model\.invalid is not known") as failed:
            await client.call(MESSAGES)
    assert failed.value.kind is F.DNS and failed.value.kind.hopeless


async def test_a_host_that_answers_no_handshake_is_a_connect_timeout() -> None:
    with socket.create_server(("127.0.0.1", 0), backlog=0) as full:
        address = full.getsockname()
        held = [socket.socket() for _ in range(4)]
        try:
            for each in held:
                each.setblocking(False)
                each.connect_ex(address)
            async with client_for(f"http://127.0.0.1:{address[1]}/v1", connect_seconds=0.2) as client:
                with pytest.raises(CallFailedError, match=r"no connection to 127\.0\.0\.1 within 0\.2 s") as failed:
                    await client.call(MESSAGES)
        finally:
            for each in held:
                each.close()
    assert failed.value.kind is F.CONNECT_TIMEOUT


@pytest.fixture
def certificate(tmp_path: Path) -> tuple[Path, Path]:
    """A certificate for 127.0.0.1 that nobody has signed, and its key."""
    if shutil.which("openssl") is None:
        pytest.skip("no openssl to make a certificate with")
    cert, key = tmp_path / "cert.pem", tmp_path / "key.pem"
    command = (
        "openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 2 -subj /CN=localhost"
    )
    done = subprocess.run(
        [*command.split(), "-addext", "subjectAltName=IP:127.0.0.1", "-keyout", str(key), "-out", str(cert)],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return cert, key


async def test_a_certificate_nobody_vouches_for_is_a_tls_failure_until_it_is_trusted(
    certificate: tuple[Path, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(*certificate)
    async with serving(tls=context) as server:
        async with client_for(server) as client:
            with pytest.raises(CallFailedError, match="self-signed certificate") as failed:
                await client.call(MESSAGES)
        assert (failed.value.kind, len(failed.value.attempts), server.asked) == (F.TLS, 1, [])
        monkeypatch.setenv("SSL_CERT_FILE", str(certificate[0]))
        async with client_for(server) as client:
            assert (await client.call(MESSAGES)).text == ANSWER


async def test_a_server_without_tls_is_a_tls_failure(server: ModelServer) -> None:
    async with client_for(server.base_url.replace("http:", "https:")) as client:
        with pytest.raises(CallFailedError, match="no secure connection") as failed:
            await client.call(MESSAGES)
    assert (failed.value.kind, server.asked) == (F.TLS, [])


async def test_certificates_that_are_not_there_are_named(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("SSL_CERT_FILE", str(tmp_path / "none.pem"))
    async with client_for("https://127.0.0.1:9/v1") as client:
        with pytest.raises(CallFailedError, match="Check SSL_CERT_FILE and the proxy variables"):
            await client.call(MESSAGES)


async def test_a_server_on_this_machine_is_reached_past_the_proxy(
    server: ModelServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("HTTP_PROXY", "http_proxy", "ALL_PROXY"):
        monkeypatch.setenv(name, "http://127.0.0.1:9")
    for name in ("NO_PROXY", "no_proxy"):
        monkeypatch.delenv(name, raising=False)
    async with client_for(server) as client:
        assert (await client.call(MESSAGES)).text == ANSWER


async def test_the_key_does_not_follow_a_redirect(server: ModelServer) -> None:
    async with serving() as elsewhere:
        server.will(responds(307, b"", f"location: {elsewhere.base_url}/chat/completions"))
        async with client_for(server) as client:
            with pytest.raises(CallFailedError) as failed:
                await client.call(MESSAGES)
        assert failed.value.kind is F.REDIRECT and elsewhere.base_url in str(failed.value)
        assert (elsewhere.connections, len(server.asked)) == (0, 1)


async def test_a_large_answer_is_not_read_to_its_end(server: ModelServer) -> None:
    server.will(sends_50_megabytes)
    started = time.monotonic()
    async with client_for(server, max_body_bytes=4_000_000) as client:
        with pytest.raises(CallFailedError, match="larger than 4,000,000 bytes"):
            await client.call(MESSAGES)
        await asyncio.sleep(0.05)
        assert server.open == 0
    assert time.monotonic() - started < 2
