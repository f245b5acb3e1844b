"""`pendtui serve`: the program in a real browser, and who is not let in."""

import asyncio
import os
import re
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import aiohttp
import pytest

from pendtui.desk.journal import Journal
from tests.queues import FIVE, write_queue
from tests.terminal.tmux import environ_for
from tests.web.browser import needs_chromium, open_page

TOKEN = "a-token-of-the-test-and-no-other"


class Served(NamedTuple):
    """A running `pendtui serve`."""

    program: subprocess.Popen[str]
    port: int
    address: str
    """What it printed, with its token."""

    @property
    def root(self) -> str:
        return f"http://127.0.0.1:{self.port}/"


def free_port() -> int:
    with socket.socket() as bound:
        bound.bind(("127.0.0.1", 0))
        return int(bound.getsockname()[1])


def start(folder: Path, *arguments: str, **environ: str) -> subprocess.Popen[str]:
    command = [sys.executable, "-m", "pendtui", "serve", *arguments]
    env = {**os.environ, **environ_for(folder, **environ)}
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, env=env)


@pytest.fixture
def served(tmp_path: Path) -> Iterator[Served]:
    write_queue(tmp_path / "queue", FIVE)
    port = free_port()
    program = start(tmp_path, "--port", str(port))
    assert program.stdout is not None
    first, address = program.stdout.readline(), program.stdout.readline().strip()
    assert first == f"pendtui is served on 127.0.0.1:{port}. Ctrl-C ends it. Open\n"
    yield Served(program, port, address)
    program.send_signal(signal.SIGINT)
    assert program.wait(30) == 0
    program.stdout.close()


@needs_chromium
async def test_a_claim_is_decided_in_a_browser_and_the_decision_is_in_the_journal(
    served: Served, tmp_path: Path
) -> None:
    async with open_page() as page:
        await page.go(served.address)
        await page.wait_for("PC-0002")
        assert await page.evaluate("window.location.href") == served.root
        await page.click(640, 500)  # below the list: the terminal takes keys from then on
        await page.press("Enter")
        await page.wait_for("ROUTE-SPECIALIST")
        await page.press("a")
        await page.wait_for("PC-0002 accepted")
        picture = await page.picture()
        assert picture.startswith(b"\x89PNG") and len(picture) > 20_000
        # The page asked this machine alone, though the one that textual-serve ships would ask others.
        ours = (served.root, f"ws://127.0.0.1:{served.port}/ws", "data:", "blob:")
        assert all(address.startswith(ours) for address in page.asked if "fonts.googleapis" not in address)
        assert page.refused == ["csp"]
        with Journal.open(tmp_path / "journal.db", read_only=True) as journal:
            (entry,) = journal.entries()
            assert (entry.record_id, entry.action, entry.display_name) == ("PC-0002", "accept", "ann")
            assert journal.verify() == ()
    # The page is closed: its process ends, and no claim is left as open.
    for _ in range(100):
        with Journal.open(tmp_path / "journal.db", read_only=True) as journal:
            left = list(journal.leases(str((tmp_path / "queue").resolve())))
        if not left:
            break
        await asyncio.sleep(0.1)
    assert not left


@needs_chromium
async def test_a_page_of_another_site_cannot_work_the_queue(served: Served) -> None:
    async with open_page() as page:
        await page.go(served.address)
        await page.wait_for("PC-0002")
        await page.go("data:text/html,<title>another</title>")
        opened = await page.evaluate(
            f"new Promise(done => {{ const s = new WebSocket('ws://127.0.0.1:{served.port}/ws');"
            " s.onopen = () => done('open'); s.onerror = () => done('refused'); }})".replace("}})", "})")
        )
        assert opened == "refused"


async def status(served: Served, path: str = "", **headers: str) -> int:
    async with (
        aiohttp.ClientSession() as session,
        session.get(f"{served.root}{path}", headers=headers, allow_redirects=False) as response,
    ):
        return response.status


async def test_nobody_is_let_in_without_the_token(served: Served) -> None:
    token = re.sub(".*token=", "", served.address)
    assert len(token) >= 40
    for path in ("", "ws", "static/js/textual.js", "?token=wrong", "?token=", "?token=%C3%A4"):
        assert await status(served, path) == 403
    assert await status(served, f"?token={token}") == 303
    assert await status(served, Cookie=f"pendtui_{served.port}={token}") == 200
    assert await status(served, **{"X-Pendtui-Token": token}) == 200
    assert await status(served, **{"X-Pendtui-Token": token, "Origin": "https://elsewhere.example"}) == 403
    assert await status(served, **{"X-Pendtui-Token": token, "Host": "elsewhere.example"}) == 403


async def test_the_token_goes_on_as_a_cookie_that_no_script_and_no_other_site_sees(served: Served) -> None:
    async with aiohttp.ClientSession() as session, session.get(served.address, allow_redirects=False) as response:
        assert response.headers["Location"] == "/"
        cookie = response.headers["Set-Cookie"]
        assert "HttpOnly" in cookie and "SameSite=Strict" in cookie
        assert "frame-ancestors 'none'" in response.headers.get("Content-Security-Policy", "")


def test_the_port_is_open_on_the_loopback_interface_alone(served: Served) -> None:
    listening = [
        line.split()[1]
        for table in ("/proc/net/tcp", "/proc/net/tcp6")
        for line in Path(table).read_text(encoding="ascii").splitlines()[1:]
        if line.split()[1].endswith(f":{served.port:04X}") and line.split()[3] == "0A"
    ]
    assert listening == [f"0100007F:{served.port:04X}"]


def test_behind_a_proxy_its_address_and_a_token_of_ones_own_are_used(tmp_path: Path) -> None:
    write_queue(tmp_path / "queue", FIVE)
    port = free_port()
    program = start(
        tmp_path, "--port", str(port), "--public-url", "https://desk.example/", PENDTUI_SERVE_TOKEN=TOKEN
    )
    assert program.stdout is not None
    program.stdout.readline()
    assert program.stdout.readline() == f"https://desk.example/?token={TOKEN}\n"
    served = Served(program, port, "")
    proxied = {"Host": "desk.example", "Origin": "https://desk.example", "X-Pendtui-Token": TOKEN}
    assert asyncio.run(status(served, **proxied)) == 200
    program.send_signal(signal.SIGTERM)
    assert program.wait(30) == 0
    program.stdout.close()


@pytest.mark.parametrize(
    ("arguments", "environ", "said"),
    [
        (["--port", "70000"], {}, "'70000' is not a port"),
        (["--public-url", "desk.example"], {}, "is no address such as https://desk.example"),
        ([], {"PENDTUI_SERVE_TOKEN": "short"}, "PENDTUI_SERVE_TOKEN: the token is not 20 plain characters"),
        ([], {"PENDTUI_QUEUE": "/nowhere/at/all"}, "/nowhere/at/all: is not a folder"),
    ],
)
def test_what_cannot_be_served_is_one_line(
    tmp_path: Path, arguments: list[str], environ: dict[str, str], said: str
) -> None:
    write_queue(tmp_path / "queue", FIVE)
    program = start(tmp_path, *arguments, **environ)
    out, _ = program.communicate(timeout=30)
    assert program.returncode == 2 and said in out and out.count("\n") == 1


def test_a_port_that_is_taken_is_one_line(tmp_path: Path) -> None:
    write_queue(tmp_path / "queue", FIVE)
    with socket.socket() as bound:
        bound.bind(("127.0.0.1", 0))
        bound.listen()
        program = start(tmp_path, "--port", str(bound.getsockname()[1]))
        out, _ = program.communicate(timeout=30)
    assert program.returncode == 2 and "address already in use" in out.lower() and out.count("\n") == 1


def test_without_textual_serve_one_line_says_what_to_install(tmp_path: Path) -> None:
    write_queue(tmp_path / "queue", FIVE)
    code = (
        "import sys; sys.modules['textual_serve'] = None; from pendtui.cli import main; sys.exit(main(['serve']))"
    )
    env = {**os.environ, **environ_for(tmp_path)}
    ran = subprocess.run([sys.executable, "-c", code], env=env, capture_output=True, text=True, check=False)
    said = "pendtui: a browser is served by textual-serve. Install pendtui[serve]\n"
    assert (ran.returncode, ran.stderr) == (2, said)
