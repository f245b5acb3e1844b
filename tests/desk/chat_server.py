"""A small chat server that a test or a benchmark starts as a process of its own and then asks what it was asked.

It answers every chat completion after a fixed delay with a sound reply about the record in the request, streamed
where a stream is asked for, and counts. With `thinking`, a stream begins with so many tokens of thought, one at a
time at a pace. `GET /asked` lists the record ids in the order they came in and how many
replies went out; `GET /seen?text=...` says whether a text has ever reached it in a header or a body.
"""

import argparse
import asyncio
import json
import re
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, quote, urlsplit
from urllib.request import urlopen

RECORD = re.compile(r"^PEND RECORD (\S+)", re.MULTILINE)
MESSAGE = re.compile(r"^PEND MESSAGE[^\n]*\n+[ ]*([^\n]+)", re.MULTILINE)
USAGE = {
    "prompt_tokens": 2_000,
    "completion_tokens": 100,
    "total_tokens": 2_100,
    "prompt_tokens_details": {"cached_tokens": 1_500},
}


class ChatServer:
    """The running server, as the process that started it sees it."""

    def __init__(self, base_url: str, process: subprocess.Popen[str]) -> None:
        self.base_url = base_url
        self.process = process

    def asked(self) -> list[str]:
        """The ids of the records it was asked about, one for each call, in their order."""
        return list(self._get("/asked")["asked"])

    def answered(self) -> int:
        """How many replies it has sent to the end."""
        return int(self._get("/asked")["answered"])

    def at_once(self) -> int:
        """How many calls it had open at the same time, at most."""
        return int(self._get("/asked")["at_once"])

    def has_seen(self, text: str) -> bool:
        """Whether a text has reached it."""
        return bool(self._get(f"/seen?text={quote(text)}")["seen"])

    def _get(self, path: str) -> dict[str, Any]:
        with urlopen(self.base_url.removesuffix("/v1") + path, timeout=10) as answer:
            found: dict[str, Any] = json.load(answer)
        return found


@contextmanager
def running(
    delay: float = 0.0,
    *,
    broken: str = "",
    status: int = 500,
    cause: str = "AUTH-MISSING",
    usage: bool = True,
    thinking: int = 0,
    pace: float = 0.02,
) -> Iterator[ChatServer]:
    """A server that answers after `delay` seconds, in a stream after `thinking` tokens of `pace` seconds each.

    The record `broken`, or every record where it is `*`, gets `status` and an error.
    """
    command = [sys.executable, str(Path(__file__)), "--delay", str(delay), "--cause", cause]
    command += ["--broken", broken, "--status", str(status), "--thinking", str(thinking), "--pace", str(pace)]
    if not usage:
        command.append("--no-usage")
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    try:
        port = int(process.stdout.readline())
        yield ChatServer(f"http://127.0.0.1:{port}/v1", process)
    finally:
        process.terminate()
        process.wait()
        process.stdout.close()


class _Served:
    def __init__(self, args: argparse.Namespace) -> None:
        self.args = args
        self.asked: list[str] = []
        self.seen: list[str] = []
        self.answered = 0
        self.open = 0
        self.at_once = 0

    async def handle(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            while await self._one(reader, writer):
                pass
        except (ConnectionError, asyncio.IncompleteReadError):
            pass
        finally:
            writer.close()

    async def _one(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> bool:
        head = await reader.readuntil(b"\r\n\r\n")
        method, target, _ = head.decode("latin-1").split(" ", 2)
        length = re.search(rb"content-length: *(\d+)", head, re.IGNORECASE)
        body = await reader.readexactly(int(length[1])) if length else b""
        if method == "GET":
            _send(writer, 200, json.dumps(self._told(target)).encode())
        else:
            await self._chat(writer, head, body)
        await writer.drain()
        return True

    def _told(self, target: str) -> dict[str, object]:
        if target.startswith("/seen"):
            text = parse_qs(urlsplit(target).query)["text"][0]
            return {"seen": any(text in each for each in self.seen)}
        return {"asked": self.asked, "answered": self.answered, "at_once": self.at_once}

    async def _chat(self, writer: asyncio.StreamWriter, head: bytes, body: bytes) -> None:
        request = json.loads(body)
        self.seen += [head.decode("latin-1"), json.dumps(request, ensure_ascii=False)]
        user = request["messages"][-1]["content"]
        named = RECORD.search(user)
        record_id = named[1] if named else "?"
        self.asked.append(record_id)
        self.open += 1
        self.at_once = max(self.at_once, self.open)
        try:
            await asyncio.sleep(self.args.delay)
            if self.args.broken in ("*", record_id):
                _send(writer, self.args.status, b'{"error": {"message": "out of order"}}')
                return
            content = self._content(user)
            usage = USAGE if self.args.usage else None
            if request.get("stream"):
                await self._stream(writer, request["model"], content, usage)
            else:
                choice = {"index": 0, "message": {"role": "assistant", "content": content}, "finish_reason": "stop"}
                whole = {"id": "1", "object": "chat.completion", "model": request["model"], "choices": [choice]}
                _send(writer, 200, json.dumps(whole | ({"usage": usage} if usage else {})).encode())
            await writer.drain()
            self.answered += 1
        finally:
            self.open -= 1

    async def _stream(
        self, writer: asyncio.StreamWriter, model: str, content: str, usage: dict[str, object] | None
    ) -> None:
        writer.write(b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n")
        base = {"id": "1", "object": "chat.completion.chunk", "model": model}

        def event(data: str) -> None:
            line = f"data: {data}\n\n".encode()
            writer.write(f"{len(line):x}\r\n".encode() + line + b"\r\n")

        def delta(**said: str) -> str:
            return json.dumps(base | {"choices": [{"index": 0, "delta": said, "finish_reason": None}]})

        for _ in range(self.args.thinking):
            event(delta(reasoning_content=" well"))
            await writer.drain()
            await asyncio.sleep(self.args.pace)
        for at in range(0, len(content), 40):
            event(delta(content=content[at : at + 40]))
        event(json.dumps(base | {"choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}]}))
        if usage:
            event(json.dumps(base | {"choices": [], "usage": usage}))
        event("[DONE]")
        writer.write(b"0\r\n\r\n")

    def _content(self, user: str) -> str:
        quoted = MESSAGE.search(user)
        return json.dumps(
            {
                "cause_class": self.args.cause,
                "citation": quoted[1] if quoted else None,
                "resolution": "PEND-EXTERNAL",
                "clock": "WITHIN-CLOCK",
                "release": "EXAMINER-APPLIES",
                "confidence": 0.75,
                "why": "The message says so; PR-9.",
            }
        )


def _send(writer: asyncio.StreamWriter, status: int, body: bytes) -> None:
    writer.write(
        f"HTTP/1.1 {status} -\r\ncontent-type: application/json\r\ncontent-length: {len(body)}\r\n\r\n".encode()
    )
    writer.write(body)


async def _serve(args: argparse.Namespace) -> None:
    served = _Served(args)
    server = await asyncio.start_server(served.handle, "127.0.0.1", 0, limit=2**20, backlog=256)
    print(server.sockets[0].getsockname()[1], flush=True)
    async with server:
        await server.serve_forever()


def _main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--delay", type=float, default=0.0)
    parser.add_argument("--broken", default="")
    parser.add_argument("--status", type=int, default=500)
    parser.add_argument("--cause", default="AUTH-MISSING")
    parser.add_argument("--thinking", type=int, default=0)
    parser.add_argument("--pace", type=float, default=0.02)
    parser.add_argument("--no-usage", dest="usage", action="store_false")
    asyncio.run(_serve(parser.parse_args()))


if __name__ == "__main__":
    _main()
