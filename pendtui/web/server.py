"""Serving the full-screen program on the loopback interface, to nobody but who holds the token.

textual-serve starts a process of the program for each page that connects. It asks nobody who they are and looks at
neither Host nor Origin, so that any program of the machine, and any page open in the same browser, could work the
queue as this user. What is here lets in whoever has the token, on the address that was served, and nobody else.
"""

import hmac
import logging
import sys
from collections.abc import Awaitable, Callable
from typing import NamedTuple
from urllib.parse import urlsplit

from aiohttp import web
from textual_serve.server import Server

HOST = "127.0.0.1"
"""The one interface that is ever listened on."""
TOKEN_HEADER = "X-Pendtui-Token"
"""Where a proxy, which has authenticated the examiner, puts the token."""

_HEADERS = {
    # The page that textual-serve ships asks a font server; this keeps the browser from asking anybody but us.
    "Content-Security-Policy": (
        "default-src 'none'; script-src 'self' 'unsafe-inline'; style-src 'self' 'unsafe-inline';"
        " font-src 'self' data:; img-src 'self' data: blob:; connect-src 'self' {socket};"
        " worker-src 'self' blob:; frame-ancestors 'none'; base-uri 'none'; form-action 'none'"
    ),
    "Cache-Control": "no-store",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
}

Handler = Callable[[web.Request], Awaitable[web.StreamResponse]]


class Address(NamedTuple):
    """Where the browser finds the program."""

    port: int
    public_url: str
    """As the browser sees it: http://127.0.0.1:8000, or the address of a proxy in front."""

    @property
    def hosts(self) -> frozenset[str]:
        """What the Host header may say."""
        return frozenset({f"{HOST}:{self.port}", f"localhost:{self.port}", urlsplit(self.public_url).netloc})

    @property
    def origins(self) -> frozenset[str]:
        """What the Origin header may say."""
        own = {f"http://{HOST}:{self.port}", f"http://localhost:{self.port}"}
        return frozenset({*own, self.public_url})

    @property
    def socket(self) -> str:
        """The address of the program's socket, as the browser sees it."""
        return self.public_url.replace("http", "ws", 1)

    @property
    def cookie(self) -> str:
        """The name of the cookie with the token. A browser's cookies are those of a host, whatever the port."""
        return f"pendtui_{self.port}"


class GuardedServer(Server):
    """textual-serve behind a guard: the token, the Host and the Origin have to be right."""

    def __init__(self, command: str, address: Address, token: str) -> None:
        super().__init__(command, host=HOST, port=address.port, title="pendtui", public_url=address.public_url)
        self._address = address
        self._token = token

    def initialize_logging(self) -> None:
        """Warnings alone, and no line for each request, which would carry the token."""
        logging.basicConfig(level="WARNING", format="pendtui serve: %(message)s", stream=sys.stderr)

    async def on_startup(self, app: web.Application) -> None:
        """Nothing yet: the port is not open."""

    def serve(self, debug: bool = False) -> None:
        """Serve until SIGINT or SIGTERM. Pages that are open then are given a moment to end their programs."""
        self.initialize_logging()
        web.run_app(
            self._make_app(), host=HOST, port=self.port, print=self._say_where, access_log=None, shutdown_timeout=3
        )

    def _say_where(self, *_: object) -> None:
        where = f"{self._address.public_url}/?token={self._token}"
        sys.stdout.write(f"pendtui is served on {HOST}:{self._address.port}. Ctrl-C ends it. Open\n{where}\n")
        sys.stdout.flush()

    async def _make_app(self) -> web.Application:
        app = await super()._make_app()
        app.middlewares.append(self._guard)
        app.on_response_prepare.append(self._say_what_is_allowed)
        return app

    @web.middleware
    async def _guard(self, request: web.Request, handler: Handler) -> web.StreamResponse:
        if request.headers.get("Host", "") not in self._address.hosts:
            raise web.HTTPForbidden(text="pendtui is not served under this name.\n")
        origin = request.headers.get("Origin")
        if origin is not None and origin not in self._address.origins:
            raise web.HTTPForbidden(text="Another page may not use pendtui.\n")
        if request.path == "/" and self._is_token(request.query.get("token", "")):
            # The token goes on as a cookie, so that it stands neither in the address line nor in the history.
            seen = web.HTTPSeeOther("/")
            seen.set_cookie(
                self._address.cookie,
                self._token,
                httponly=True,
                samesite="Strict",
                secure=self._address.public_url.startswith("https:"),
            )
            raise seen
        held = request.cookies.get(self._address.cookie, "")
        if not self._is_token(held) and not self._is_token(request.headers.get(TOKEN_HEADER, "")):
            raise web.HTTPForbidden(text="Open the address that `pendtui serve` printed, with its token.\n")
        return await handler(request)

    def _is_token(self, given: str) -> bool:
        return hmac.compare_digest(given.encode(), self._token.encode())

    async def _say_what_is_allowed(self, request: web.Request, response: web.StreamResponse) -> None:
        for name, value in _HEADERS.items():
            response.headers[name] = value.format(socket=self._address.socket)


def serve(command: str, address: Address, token: str) -> None:
    """Serve the program until it is interrupted. Raises OSError where the port is taken."""
    GuardedServer(command, address, token).serve()
