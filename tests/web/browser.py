"""A real headless Chromium, driven over its DevTools socket, and the screen that its terminal was sent."""

import asyncio
import base64
import itertools
import json
import os
import shutil
import signal
import subprocess
import tempfile
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import aiohttp
import pyte
import pytest

PATIENCE = 60.0
"""Seconds to wait for the browser before a test fails."""

CHROMIUM = next(
    (
        found
        for name in ("chromium-headless-shell", "chromium", "chromium-browser", "google-chrome")
        if (found := shutil.which(name))
    ),
    "",
)
needs_chromium = pytest.mark.skipif(not CHROMIUM, reason="no Chromium is installed")


def flags(profile: Path) -> list[str]:
    """How Chromium is started: without a window, and with a profile of the test's own."""
    # Its sandbox needs rights that a container's root does not have; what it opens here is ours.
    sandbox = ["--no-sandbox"] if os.geteuid() == 0 else []
    return [
        *("--headless", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run", "--window-size=1280,720"),
        f"--user-data-dir={profile}",
        *sandbox,
    ]


class Page:
    """One page: goes to addresses, takes keys, and knows what it asked for and what it was sent."""

    def __init__(self, socket: aiohttp.ClientWebSocketResponse) -> None:
        self._socket = socket
        self._numbers = itertools.count(1)
        self._answers: dict[int, asyncio.Future[dict[str, Any]]] = {}
        self._screen = pyte.Screen(80, 24)
        self._stream = pyte.ByteStream(self._screen)
        self.asked: list[str] = []
        """The addresses of all requests that left the browser, in order."""
        self.refused: list[str] = []
        """The addresses that the page's policy kept the browser from asking."""
        self._loaded = asyncio.Event()
        self._reading = asyncio.create_task(self._read())

    def stop_reading(self) -> None:
        """Follow the page no more."""
        self._reading.cancel()

    async def _read(self) -> None:
        async for message in self._socket:
            said = json.loads(message.data)
            if "id" in said:
                self._answers.pop(said["id"]).set_result(said)
            else:
                self._happened(said["method"], said["params"])

    def _happened(self, method: str, what: dict[str, Any]) -> None:
        if method == "Network.requestWillBeSent":
            self.asked.append(what["request"]["url"])
        elif method == "Network.loadingFailed" and what.get("blockedReason"):
            self.refused.append(what["blockedReason"])
        elif method == "Page.loadEventFired":
            self._loaded.set()
        elif method == "Network.webSocketCreated":
            self.asked.append(what["url"])
        elif method == "Network.webSocketFrameSent":
            self._sized(json.loads(what["response"]["payloadData"]))
        elif method == "Network.webSocketFrameReceived" and what["response"]["opcode"] == 2:
            self._stream.feed(base64.b64decode(what["response"]["payloadData"]))

    def _sized(self, sent: list[Any]) -> None:
        if sent[0] == "resize":
            self._screen.resize(sent[1]["height"], sent[1]["width"])

    async def do(self, method: str, **params: object) -> dict[str, Any]:
        """One command of the DevTools protocol and its result."""
        number = next(self._numbers)
        self._answers[number] = asyncio.get_running_loop().create_future()
        await self._socket.send_json({"id": number, "method": method, "params": params})
        said = await asyncio.wait_for(self._answers[number], PATIENCE)
        assert "error" not in said, said
        result: dict[str, Any] = said["result"]
        return result

    async def evaluate(self, script: str) -> Any:
        """What a script in the page comes to."""
        done = await self.do("Runtime.evaluate", expression=script, returnByValue=True, awaitPromise=True)
        return done["result"].get("value")

    async def go(self, address: str) -> None:
        """Go to an address, and wait until its page is loaded."""
        self._loaded.clear()
        await self.do("Page.navigate", url=address)
        await asyncio.wait_for(self._loaded.wait(), PATIENCE)

    async def click(self, x: int, y: int) -> None:
        """Click somewhere, in pixels from the page's upper left corner."""
        for kind in ("mousePressed", "mouseReleased"):
            await self.do("Input.dispatchMouseEvent", type=kind, x=x, y=y, button="left", clickCount=1)

    async def press(self, *keys: str) -> None:
        """Press keys: characters, or the names Enter and Escape."""
        codes = {"Enter": (13, "\r"), "Escape": (27, "\x1b")}
        for key in keys:
            code, text = codes[key] if key in codes else (ord(key.upper()), key)
            await self.do("Input.dispatchKeyEvent", type="keyDown", key=key, text=text, windowsVirtualKeyCode=code)
            await self.do("Input.dispatchKeyEvent", type="keyUp", key=key, windowsVirtualKeyCode=code)

    def screen(self) -> str:
        """The characters in the page's terminal."""
        return "\n".join(self._screen.display)

    async def wait_for(self, text: str) -> str:
        """The terminal's screen, once it shows the text."""
        for _ in range(int(PATIENCE / 0.1)):
            if text in self.screen():
                return self.screen()
            await asyncio.sleep(0.1)
        raise AssertionError(f"{text!r} did not appear; the screen is:\n{self.screen()}")

    async def picture(self) -> bytes:
        """The page as a PNG."""
        return base64.b64decode((await self.do("Page.captureScreenshot"))["data"])

    async def pdf(self) -> bytes:
        """The page as it would be printed, in the size that it asks for."""
        printed = await self.do("Page.printToPDF", preferCSSPageSize=True, printBackground=False)
        return base64.b64decode(printed["data"])


@asynccontextmanager
async def open_page() -> AsyncIterator[Page]:
    """A page of a Chromium of its own, which ends with it."""
    with tempfile.TemporaryDirectory(prefix="pendtui-chromium-", ignore_cleanup_errors=True) as profile:
        command = [CHROMIUM, *flags(Path(profile)), "--remote-debugging-port=0", "about:blank"]
        silent = subprocess.DEVNULL
        chromium = subprocess.Popen(command, stdout=silent, stderr=silent, start_new_session=True)
        try:
            port = await _debugging_port(Path(profile) / "DevToolsActivePort", chromium)
            async with aiohttp.ClientSession() as session:
                async with session.get(f"http://127.0.0.1:{port}/json/list") as listed:
                    pages = [one for one in await listed.json() if one["type"] == "page"]
                async with session.ws_connect(pages[0]["webSocketDebuggerUrl"], max_msg_size=0) as socket:
                    page = Page(socket)
                    for domain in ("Page", "Network", "Runtime"):
                        await page.do(f"{domain}.enable")
                    yield page
                    await page.do("Page.close")
                    page.stop_reading()
        finally:
            os.killpg(chromium.pid, signal.SIGKILL)  # the group that was made for it above
            chromium.wait()


async def _debugging_port(file: Path, chromium: subprocess.Popen[bytes]) -> int:
    for _ in range(int(PATIENCE / 0.1)):
        assert chromium.poll() is None, "Chromium ended before it listened"
        if file.exists() and (lines := file.read_text(encoding="ascii").splitlines()):
            return int(lines[0])
        await asyncio.sleep(0.1)
    raise AssertionError("Chromium does not listen")
