"""A chat server on a real socket that misbehaves on demand, and keeps what it was sent.

It speaks HTTP/1.1 by hand, so that it can stop, cut and lie at any byte. A test gives it behaviors; each request
takes the next, and the last one serves all that follow.
"""

import asyncio
import json
import ssl
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import NamedTuple

from pendtui.desk.model import ModelClient, ModelSettings, Secret

KEY = "sk-test-4242-never-to-be-seen"
"""The key that the tests send, and look for everywhere else."""
MESSAGES = ({"role": "system", "content": "Answer in JSON."}, {"role": "user", "content": "Which cause?"})
SCHEMA = {
    "type": "object",
    "properties": {"cause_class": {"type": "string", "enum": ["AUTH-MISSING", "CODE-EDIT"]}},
    "required": ["cause_class"],
    "additionalProperties": False,
}
TLS_HANDSHAKE = b"\x16"
ANSWER = '{"cause_class": "AUTH-MISSING"}'


class Asked(NamedTuple):
    """One request as it came in."""

    method: str
    target: str
    headers: dict[str, str]
    body: dict[str, object]


Behavior = Callable[["Connection", Asked], Awaitable[None]]


class Connection:
    """The server's end of one connection."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.reader = reader
        self.writer = writer

    async def send(self, data: bytes) -> None:
        self.writer.write(data)
        await self.writer.drain()

    async def respond(self, status: int, body: bytes, *headers: str) -> None:
        """A whole response with its length."""
        lines = [f"HTTP/1.1 {status} Whatever", f"content-length: {len(body)}", *headers]
        await self.send("\r\n".join(lines).encode() + b"\r\n\r\n" + body)

    async def begin(self, *headers: str) -> None:
        """The head of a chunked response."""
        lines = [
            "HTTP/1.1 200 OK",
            "transfer-encoding: chunked",
            *(headers or ("content-type: text/event-stream",)),
        ]
        await self.send("\r\n".join(lines).encode() + b"\r\n\r\n")

    async def chunk(self, data: bytes) -> None:
        await self.send(f"{len(data):x}\r\n".encode() + data + b"\r\n")

    async def end(self) -> None:
        await self.send(b"0\r\n\r\n")

    def cut(self) -> None:
        """Close the connection where it is."""
        self.writer.close()

    async def silence(self) -> None:
        """Say nothing until the client goes away."""
        while await self.reader.read(1024):
            pass
        self.cut()


class ModelServer:
    """The running server."""

    def __init__(self) -> None:
        self.behaviors: list[Behavior] = [answers()]
        self.asked: list[Asked] = []
        self.connections = 0
        self.open = 0
        self.base_url = ""
        self.tasks: set[asyncio.Task[object]] = set()

    def will(self, *behaviors: Behavior) -> None:
        """What it does with the next requests; the last behavior serves all that follow."""
        self.behaviors = list(behaviors)

    @property
    def sent(self) -> dict[str, object]:
        """The body of the last request."""
        return self.asked[-1].body

    async def handle(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.connections += 1
        self.open += 1
        task = asyncio.current_task()
        assert task is not None
        self.tasks.add(task)
        try:
            while not writer.is_closing():
                begin = await reader.readexactly(1)
                if begin == TLS_HANDSHAKE:
                    await Connection(reader, writer).respond(400, b"plain HTTP is spoken here")
                    break
                head = (begin + await reader.readuntil(b"\r\n\r\n")).decode("latin-1")
                first, *lines = head.rstrip().split("\r\n")
                headers = {
                    name.lower(): value.strip() for name, _, value in (line.partition(":") for line in lines)
                }
                body = await reader.readexactly(int(headers.get("content-length", 0)))
                method, target, _ = first.split(" ", 2)
                asked = Asked(method, target, headers, json.loads(body) if body else {})
                self.asked.append(asked)
                behavior = self.behaviors.pop(0) if len(self.behaviors) > 1 else self.behaviors[0]
                await behavior(Connection(reader, writer), asked)
        except (ConnectionError, asyncio.IncompleteReadError, asyncio.CancelledError):
            pass
        finally:
            self.open -= 1
            self.tasks.discard(task)
            writer.close()


@asynccontextmanager
async def serving(*behaviors: Behavior, tls: ssl.SSLContext | None = None) -> AsyncIterator[ModelServer]:
    """A server that is gone at the end of the block."""
    model = ModelServer()
    if behaviors:
        model.will(*behaviors)
    server = await asyncio.start_server(model.handle, "127.0.0.1", 0, ssl=tls, backlog=256)
    port = server.sockets[0].getsockname()[1]
    model.base_url = f"{'https' if tls else 'http'}://127.0.0.1:{port}/v1"
    try:
        yield model
    finally:
        server.close()
        for task in tuple(model.tasks):
            task.cancel()
        await asyncio.gather(*model.tasks, return_exceptions=True)


def settings_for(server: ModelServer | str, **changes: object) -> ModelSettings:
    """Settings with short times for that server."""
    settings = ModelSettings(
        base_url=server if isinstance(server, str) else server.base_url,
        model="small",
        title="the server",
        connect_seconds=2.0,
        first_byte_seconds=2.0,
        between_chunks_seconds=2.0,
        deadline_seconds=20.0,
        max_attempts=2,
        backoff_seconds=0.01,
    )
    return settings._replace(**changes)  # type: ignore[arg-type]


@asynccontextmanager
async def client_for(
    server: ModelServer | str, *, key: bool = True, **changes: object
) -> AsyncIterator[ModelClient]:
    """A client for that server, closed at the end of the block."""
    client = ModelClient(settings_for(server, **changes), Secret(KEY, "API_KEY") if key else None)
    try:
        yield client
    finally:
        await client.aclose()


def delta(content: str | None = None, *, finish: str | None = None, **fields: object) -> dict[str, object]:
    """One chunk of a stream."""
    inner = fields if content is None else {"content": content, **fields}
    return {"model": "small-1", "choices": [{"index": 0, "delta": inner, "finish_reason": finish}]}


def pieces(text: str, size: int = 7) -> list[dict[str, object]]:
    """A text as chunks of a few characters."""
    return [delta(text[at : at + size]) for at in range(0, len(text), size)]


def streams(*chunks: object, done: bool = True, newline: str = "\n") -> Behavior:
    """A stream of these chunks, each sent apart."""

    async def behave(connection: Connection, asked: Asked) -> None:
        await connection.begin()
        for chunk in [*chunks, *(["[DONE]"] if done else [])]:
            text = chunk if isinstance(chunk, str) else json.dumps(chunk)
            await connection.chunk(f"data: {text}{newline}{newline}".encode())
        await connection.end()

    return behave


def answers(text: str = ANSWER, usage: object = None, finish: str = "stop") -> Behavior:
    """A sound stream with that text, and with usage in its last chunk where there is one."""
    tail: list[object] = [delta(finish=finish)]
    if usage is not None:
        tail.append({"model": "small-1", "choices": [], "usage": usage})
    return streams(*pieces(text), *tail)


def responds(status: int, body: object = b"", *headers: str) -> Behavior:
    """A whole response: bytes or text as they are, anything else as JSON."""

    async def behave(connection: Connection, asked: Asked) -> None:
        data = body if isinstance(body, bytes) else (body if isinstance(body, str) else json.dumps(body)).encode()
        await connection.respond(status, data, *headers)

    return behave


def refuses(field: str, message: str = "", status: int = 400, otherwise: Behavior | None = None) -> Behavior:
    """An error while the request has that field, and a sound answer once it has not."""
    answer = otherwise or answers()

    async def behave(connection: Connection, asked: Asked) -> None:
        if field in asked.body:
            error = {
                "message": message or f"Unknown field: {field}",
                "param": field,
                "code": "unsupported_parameter",
            }
            await connection.respond(status, json.dumps({"error": error}).encode())
        else:
            await answer(connection, asked)

    return behave


def completion(text: str | None, finish: str = "stop", **message: object) -> dict[str, object]:
    """A completion in one piece, as a server gives it that does not stream."""
    choice = {"index": 0, "message": {"role": "assistant", "content": text, **message}, "finish_reason": finish}
    return {"object": "chat.completion", "model": "small-1", "choices": [choice]}


def error(message: str, **fields: object) -> dict[str, object]:
    return {"error": {"message": message, **fields}}


def wrote(*parts: bytes, then: str = "end") -> Behavior:
    """A stream of these bytes, then its end, a cut or silence."""

    async def behave(connection: Connection, asked: Asked) -> None:
        await connection.begin()
        for part in parts:
            await connection.chunk(part)
        if then == "end":
            await connection.end()
        elif then == "cut":
            connection.cut()
        else:
            await connection.silence()

    return behave


async def says_nothing(connection: Connection, asked: Asked) -> None:
    await connection.silence()


START = f"data: {json.dumps(delta('{'))}\n\n".encode()
"""The first event of an answer."""
RATE = error("Rate limit reached for requests", type="requests", code="rate_limit_exceeded")
"""What a server says that asks to be asked later."""
