"""The client: one call to a chat API, streamed, repeated where that helps, within one deadline.

The HTTP library is loaded by the first call, in a thread, so that neither the program's start nor the screen
waits for it. A client belongs to the event loop of its first call.
"""

import json
from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from time import monotonic
from typing import NamedTuple

from pendtui.desk.model.answer import Answer, AnswerBuilder
from pendtui.desk.model.calls import Attempt, Call, Phase, Progress, Step
from pendtui.desk.model.failures import CallFailedError, FailureKind
from pendtui.desk.model.ladder import Manner, ServerMemory, next_manner
from pendtui.desk.model.responses import one_line
from pendtui.desk.model.retry import retried
from pendtui.desk.model.secrets import Secret
from pendtui.desk.model.settings import ModelSettings

TYPE_CHECKING = False
if TYPE_CHECKING:
    import asyncio

    from pendtui.desk.model.wire import Wire

PROBE_TOKENS = 16
"""The longest answer to a probe; fewer are refused by some servers."""

_PROBE = ({"role": "user", "content": "Answer with the one word: ready"},)
_BETWEEN_REPORTS = 0.1
_SCHEMA_NAME = "reply"

OnProgress = Callable[[Progress], None]


class _Request(NamedTuple):
    """What one call asks, whatever the manner."""

    messages: Sequence[Mapping[str, str]]
    schema: Mapping[str, object] | None
    max_answer_tokens: int | None
    lenient: bool


class ModelClient:
    """Calls one model on one server, as often and as many at once as one likes. Close it when done."""

    def __init__(
        self, settings: ModelSettings, secret: Secret | None = None, memory_path: Path | None = None
    ) -> None:
        """Take the settings, the key where there is one, and the file that remembers what servers can do."""
        self.settings = settings
        self._secret = secret
        self._memory = ServerMemory(memory_path)
        self._wire: Wire | None = None
        self._opening: asyncio.Task[Wire] | None = None

    async def call(
        self,
        messages: Sequence[Mapping[str, str]],
        schema: Mapping[str, object] | None = None,
        *,
        on_progress: OnProgress | None = None,
    ) -> Call:
        """Ask, and give the answer as it came; it is not validated.

        With a schema, the server is asked to hold to it, as far as it can. `on_progress` is called in the event
        loop, some ten times a second. Cancelling the task closes the connection.
        Raises CallFailedError, with all attempts, when no answer came.
        """
        asked = _Request(messages, schema, self.settings.max_answer_tokens, lenient=False)
        return await self._call(asked, on_progress)

    async def probe(self) -> Call:
        """One cheap call, to see whether address, key and model are right. Raises CallFailedError."""
        return await self._call(_Request(_PROBE, None, PROBE_TOKENS, lenient=True), None)

    def ceiling(self, messages: Sequence[Mapping[str, str]]) -> float | None:
        """The most that one answered request with these messages can cost; None where that is not known."""
        if self.settings.tariff is None:
            return None
        return self.settings.tariff.ceiling(len(_encoded(messages)), self.settings.max_answer_tokens)

    async def aclose(self) -> None:
        """Close all connections."""
        opening, self._opening, self._wire = self._opening, None, None
        if opening is None:
            return
        try:
            wire = await opening
        except CallFailedError:
            return
        await wire.aclose()

    async def _call(self, asked: _Request, on_progress: OnProgress | None) -> Call:
        import asyncio

        under_way = _UnderWay(asked, on_progress)
        seconds = self.settings.deadline_seconds
        try:
            wire = self._wire or await self._opened()
            async with asyncio.timeout(seconds):
                return await retried(
                    lambda: self._attempt(wire, under_way),
                    attempts=self.settings.max_attempts,
                    seconds=seconds,
                    first=self.settings.backoff_seconds,
                    on_wait=under_way.wait,
                )
        except CallFailedError as failure:
            failure.attempts = tuple(under_way.attempts)
            # the frames below hold what the server sent to the letter, and the library's faults their request
            failure.__context__ = None
            raise failure.with_traceback(None) from None
        except TimeoutError:
            raise self._out_of_time(under_way) from None

    async def _opened(self) -> "Wire":
        """The open HTTP client. Loading it takes a while, which a thread spends."""
        import asyncio

        if self._opening is None:
            self._opening = asyncio.create_task(asyncio.to_thread(self._open))
        self._wire = await asyncio.shield(self._opening)
        return self._wire

    def _open(self) -> "Wire":
        from pendtui.desk.model.wire import Wire

        try:
            return Wire(self.settings, self._secret)
        except (OSError, ValueError, ImportError) as fault:
            # httpx refuses certificates and proxies of the environment that it cannot use
            raise CallFailedError(
                FailureKind.BAD_REQUEST,
                f"no HTTP client can be set up: {one_line(str(fault), self._secret, 120)}",
                remedy="Check SSL_CERT_FILE and the proxy variables",
            ) from None

    async def _attempt(self, wire: "Wire", under_way: "_UnderWay") -> Call:
        """One attempt. Refusals of the manner do not count as failed attempts, and are not waited after."""
        manner = self._memory.recall(self.settings)
        while True:
            body = self._body(under_way.asked, manner)
            under_way.begin()
            try:
                answer = await self._ask(wire, body, under_way)
            except CallFailedError as failure:
                changed = next_manner(manner, failure, body, self.settings)
                if changed is None:
                    under_way.failed(failure, str(failure))
                    raise
                manner, note = changed
                under_way.failed(failure, note)
            except BaseException:
                under_way.broken_off()
                raise
            else:
                under_way.answered()
                self._memory.learn(self.settings, manner)
                return self._result(answer, manner, under_way)

    async def _ask(self, wire: "Wire", body: Mapping[str, object], under_way: "_UnderWay") -> Answer:
        builder = AnswerBuilder(self.settings.title, self._secret)
        ended = await wire.send(_encoded(body), builder, lambda: under_way.received(builder))
        asked = under_way.asked
        return builder.result(asked.schema, ended=ended, lenient=asked.lenient)

    def _body(self, asked: _Request, manner: Manner) -> dict[str, object]:
        settings = self.settings
        body: dict[str, object] = {"model": settings.model, "messages": list(asked.messages), "stream": True}
        if manner.stream_usage:
            body["stream_options"] = {"include_usage": True}
        if asked.max_answer_tokens is not None and manner.token_parameter:
            body[manner.token_parameter] = asked.max_answer_tokens
        if settings.temperature is not None and manner.temperature:
            body["temperature"] = settings.temperature
        if asked.schema is not None and manner.step is Step.JSON_SCHEMA:
            held = {"name": _SCHEMA_NAME, "strict": True, "schema": asked.schema}
            body["response_format"] = {"type": "json_schema", "json_schema": held}
        elif asked.schema is not None and manner.step is Step.JSON_OBJECT:
            body["response_format"] = {"type": "json_object"}
        return body | dict(settings.body)

    def _result(self, answer: Answer, manner: Manner, under_way: "_UnderWay") -> Call:
        started_at = under_way.attempts[-1].at
        tariff = self.settings.tariff
        reason = answer.finish_reason
        return Call(
            text=answer.text,
            reasoning_characters=answer.reasoning_characters,
            finish_reason=None if reason is None else one_line(reason, self._secret, 40),
            usage=answer.usage,
            started_at=under_way.started_at,
            seconds=under_way.elapsed,
            first_token_seconds=under_way.first_token,
            step=Step.TEXT if under_way.asked.schema is None else manner.step,
            attempts=tuple(under_way.attempts),
            model=answer.model,
            cost=None if tariff is None else tariff.cost(answer.usage, started_at),
            answer_from_reasoning=answer.from_reasoning,
        )

    def _out_of_time(self, under_way: "_UnderWay") -> CallFailedError:
        ended = (attempt for attempt in reversed(under_way.attempts) if attempt.failure != FailureKind.DEADLINE)
        last = next((attempt.note for attempt in ended), "")
        return CallFailedError(
            FailureKind.DEADLINE,
            f"{self.settings.title} gave no answer within {self.settings.deadline_seconds:g} s"
            + (f"; the last attempt that ended: {last}" if last else ""),
            remedy="Raise deadline_seconds in [model], or read fewer records at once",
            attempts=under_way.attempts,
        )


class _UnderWay:
    """A call while it is made: its attempts so far, and what is told of it."""

    def __init__(self, asked: _Request, on_progress: OnProgress | None) -> None:
        self.asked = asked
        self.started_at = datetime.now(UTC)
        self.attempts: list[Attempt] = []
        self.first_token: float | None = None
        """Seconds from the start of the present attempt to its first token; None before it."""
        self._on_progress = on_progress
        self._started = monotonic()
        self._begun_at = self.started_at
        self._begun = self._started
        self._waited = 0.0
        self._number = 1
        self._told = (Phase.WAITING, 0.0)

    @property
    def elapsed(self) -> float:
        return monotonic() - self._started

    def begin(self) -> None:
        self._begun_at = datetime.now(UTC)
        self._begun = monotonic()
        self.first_token = None
        self._tell(Progress(Phase.WAITING, self.elapsed, attempt=self._number))

    def received(self, builder: AnswerBuilder) -> None:
        if builder.phase is Phase.WAITING:
            return
        if self.first_token is None:
            self.first_token = monotonic() - self._begun
        phase, at = self._told
        if phase is builder.phase and self.elapsed - at < _BETWEEN_REPORTS:
            return
        self._tell(Progress(builder.phase, self.elapsed, self.first_token, builder.tokens, self._number))

    def answered(self) -> None:
        self._ended(Attempt(self._begun_at, monotonic() - self._begun, 200, waited=self._waited))

    def failed(self, failure: CallFailedError, note: str) -> None:
        seconds = monotonic() - self._begun
        self._ended(Attempt(self._begun_at, seconds, failure.status, failure.kind, note, self._waited))

    def broken_off(self) -> None:
        """Note an attempt that the deadline, or whoever cancelled the call, ended."""
        self._ended(
            Attempt(
                self._begun_at, monotonic() - self._begun, None, FailureKind.DEADLINE, "broken off", self._waited
            )
        )

    def wait(self, failure: CallFailedError, seconds: float) -> None:
        self._waited = seconds
        self._number += 1
        note = f"{failure.what}; next attempt in {seconds:.1f} s"
        self._tell(Progress(Phase.RETRYING, self.elapsed, attempt=self._number, note=note))

    def _ended(self, attempt: Attempt) -> None:
        self.attempts.append(attempt)
        self._waited = 0.0

    def _tell(self, progress: Progress) -> None:
        self._told = (progress.phase, progress.elapsed)
        if self._on_progress is not None:
            self._on_progress(progress)


def _encoded(value: object) -> bytes:
    return json.dumps(value, allow_nan=False).encode("ascii")
