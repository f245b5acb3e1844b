"""One request and its response over HTTP, and what each fault of a connection means."""

from collections.abc import Callable
from typing import Final

from pendtui import __version__
from pendtui.desk.model.answer import AnswerBuilder
from pendtui.desk.model.failures import CallFailedError, FailureKind
from pendtui.desk.model.responses import Header, failure_of_response, not_a_chat_response, one_line
from pendtui.desk.model.secrets import Secret
from pendtui.desk.model.settings import ModelSettings
from pendtui.desk.model.stream import EventReader, Unpacker

TYPE_CHECKING = False
if TYPE_CHECKING:
    import asyncio
    import ssl

    import httpx

ERROR_BYTES: Final = 65_536
"""The most of an error's body that is read."""
KEPT_ALIVE: Final = 64
_LINGER: Final = 0.2


class Wire:
    """The connections to one server."""

    def __init__(self, settings: ModelSettings, secret: Secret | None) -> None:
        """Load the HTTP library and open no connection yet. To be made in a thread, since loading takes a while.

        Redirects are not followed, and no proxy is used to reach this machine's own servers.
        """
        import logging
        from importlib import import_module

        import httpx

        for name in ("httpx", "httpcore"):
            # their debug lines hold headers, in which a server may have repeated a key
            logging.getLogger(name).setLevel(logging.WARNING)
        # what the first request would otherwise load in the event loop
        for name in ("anyio", "h11", "httpcore", "tenacity"):
            import_module(name)
        self._settings = settings
        self._secret = secret
        self._client = httpx.AsyncClient(
            verify=_trusts_nobody() if settings.base_url.startswith("http://") else True,
            timeout=httpx.Timeout(None, connect=settings.connect_seconds),
            limits=httpx.Limits(max_connections=None, max_keepalive_connections=KEPT_ALIVE),
            follow_redirects=False,
            # the proxies of the environment are for servers elsewhere
            mounts={f"all://{_bracketed(settings.host)}": None} if settings.local else None,
            auth=self._sign if secret is not None else None,
        )
        self._headers = {
            "accept": "text/event-stream, application/json",
            "accept-encoding": "identity",
            "user-agent": f"pendtui/{__version__}",
            **settings.headers,
            "content-type": "application/json",
        }

    async def aclose(self) -> None:
        """Close all connections."""
        await self._client.aclose()

    def _sign(self, request: "httpx.Request") -> "httpx.Request":
        """Put the key on a request, at the last moment, so that no variable of the program holds it."""
        if self._secret is not None:
            name = self._settings.key_header
            scheme = "Bearer " if name == "authorization" else ""
            request.headers[name] = f"{scheme}{self._secret.reveal()}"
        return request

    async def send(self, body: bytes, builder: AnswerBuilder, on_received: Callable[[], None]) -> bool:
        """Send a request and give what comes back to the builder, piece by piece.

        True when the response said itself that it was complete. Raises CallFailedError for everything else that
        a server, a proxy or a connection can do.
        """
        import asyncio

        import httpx

        timer = asyncio.timeout(self._settings.first_byte_seconds)
        progress = _Timed(timer, asyncio.get_running_loop().time)
        try:
            async with timer:
                return await self._exchange(body, builder, on_received, progress)
        except TimeoutError:
            if progress.is_finished:
                return True
            raise self._too_slow(received=progress.has_received) from None
        except (httpx.HTTPError, httpx.InvalidURL) as fault:
            if progress.is_finished:
                return True
            raise self._broken(fault, received=progress.has_received) from None

    async def _exchange(
        self,
        body: bytes,
        builder: AnswerBuilder,
        on_received: Callable[[], None],
        progress: "_Timed",
    ) -> bool:
        request = self._client.build_request("POST", self._settings.endpoint, content=body, headers=self._headers)
        response = await self._client.send(request, stream=True)
        try:
            encoding = response.headers.get("content-encoding", "")
            if response.status_code != 200:
                raise await self._failure(response, encoding, progress)
            unpacker = Unpacker(encoding, self._settings.max_body_bytes)
            reader = EventReader()
            async for raw in response.aiter_raw():
                if reader.done:
                    continue
                progress.received(self._settings.between_chunks_seconds)
                for found in reader.feed(unpacker.feed(raw)):
                    builder.take(found)
                    on_received()
                if reader.done:
                    # read on for a moment: a response that is read to its end leaves the connection for the next
                    progress.finished(_LINGER)
            if not reader.done:
                unpacker.close()
                for found in reader.close():
                    builder.take(found)
        finally:
            await response.aclose()
        if not builder.objects and not reader.done:
            if not reader.head.strip():
                raise CallFailedError(FailureKind.EMPTY, f"{self._settings.title} sent an empty response")
            raise not_a_chat_response(reader.head, self._settings.title, self._secret)
        return reader.done

    async def _failure(self, response: "httpx.Response", encoding: str, progress: "_Timed") -> CallFailedError:
        """The failure that an error response means, from as much of it as can be read."""
        import httpx

        body = b""
        try:
            unpacker = Unpacker(encoding, ERROR_BYTES)
            async for raw in response.aiter_raw():
                progress.received(self._settings.between_chunks_seconds)
                body += unpacker.feed(raw)
        except (CallFailedError, httpx.HTTPError):
            pass
        headers = response.headers
        return failure_of_response(
            response.status_code,
            Header(
                headers.get("retry-after-ms", ""),
                headers.get("x-ms-retry-after-ms", ""),
                headers.get("retry-after", ""),
                headers.get("date", ""),
                headers.get("location", ""),
            ),
            body,
            self._settings.title,
            self._secret,
        )

    def _too_slow(self, *, received: bool) -> CallFailedError:
        title = self._settings.title
        if received:
            return CallFailedError(
                FailureKind.STALLED,
                f"the answer of {title} paused for {self._settings.between_chunks_seconds:g} s",
                remedy="Raise between_chunks_seconds in [model] if the model is that slow",
            )
        return CallFailedError(
            FailureKind.FIRST_BYTE_TIMEOUT,
            f"{title} began no answer within {self._settings.first_byte_seconds:g} s",
            remedy="Raise first_byte_seconds in [model] if the model is that slow",
        )

    def _broken(self, fault: Exception, *, received: bool) -> CallFailedError:
        import socket
        import ssl

        import httpx

        title, host = self._settings.title, self._settings.host
        causes = list(_causes(fault))
        if isinstance(fault, httpx.ConnectTimeout):
            what = f"no connection to {host} within {self._settings.connect_seconds:g} s"
            return CallFailedError(FailureKind.CONNECT_TIMEOUT, what, remedy="Check the base_url and the network")
        for cause in causes:
            if isinstance(cause, socket.gaierror):
                return CallFailedError(
                    FailureKind.DNS,
                    f"the name {host} is not known",
                    remedy="Check the base_url and the network",
                    retryable=cause.errno == socket.EAI_AGAIN,
                )
        for cause in causes:
            if isinstance(cause, ssl.SSLError):
                reason = cause.verify_message if isinstance(cause, ssl.SSLCertVerificationError) else cause.reason
                return CallFailedError(
                    FailureKind.TLS,
                    f"no secure connection to {host}: {one_line(str(reason or cause), self._secret, 120)}",
                    remedy="Check the base_url; name your own authority's certificates by SSL_CERT_FILE",
                )
        if isinstance(fault, httpx.ConnectError | httpx.ProxyError):
            return CallFailedError(
                FailureKind.REFUSED,
                f"nothing answers at {self._settings.base_url}",
                remedy=f"Check that {title} runs there, and the base_url",
            )
        if isinstance(fault, httpx.TransportError) and not isinstance(
            fault, httpx.UnsupportedProtocol | httpx.LocalProtocolError
        ):
            what = "in the middle of its answer" if received else "before it answered"
            return CallFailedError(FailureKind.CUT_OFF, f"{title} closed the connection {what}")
        return CallFailedError(
            FailureKind.BAD_REQUEST, f"the request could not be made: {one_line(str(fault), self._secret, 120)}"
        )


def _trusts_nobody() -> "ssl.SSLContext":
    """For a server that is spoken to without TLS: reading the authorities' certificates takes a while."""
    import ssl

    return ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)


def _bracketed(host: str) -> str:
    return f"[{host}]" if ":" in host else host


class _Timed:
    """How far a response has come, and the timer that ends it when nothing more comes."""

    def __init__(self, timer: "asyncio.Timeout", now: Callable[[], float]) -> None:
        self.has_received = False
        self.is_finished = False
        self._timer = timer
        self._now = now

    def received(self, seconds: float) -> None:
        """Something came; the next may take so many seconds."""
        self.has_received = True
        self._timer.reschedule(self._now() + seconds)

    def finished(self, seconds: float) -> None:
        """The answer is complete; what follows it may take so many seconds."""
        self.is_finished = True
        self._timer.reschedule(self._now() + seconds)


def _causes(fault: BaseException) -> "list[BaseException]":
    """A fault and all that it was raised from, groups opened."""
    found: list[BaseException] = []
    waiting: list[BaseException | None] = [fault]
    while waiting:
        each = waiting.pop()
        if each is None or any(each is known for known in found):
            continue
        found.append(each)
        waiting += [each.__cause__, each.__context__]
        if isinstance(each, BaseExceptionGroup):
            waiting += each.exceptions
    return found
