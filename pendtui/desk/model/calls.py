"""What a call to a model comes to: its text, its figures, how it was come by, and how far it has got."""

from collections.abc import Mapping
from datetime import UTC, datetime
from enum import StrEnum
from typing import NamedTuple


class Step(StrEnum):
    """How the shape of the answer is asked for, the strictest first. Whatever is asked, no reply is trusted."""

    JSON_SCHEMA = "json_schema"
    """The server is told to hold the answer to the schema."""
    JSON_OBJECT = "json_object"
    """The server is told that the answer is some JSON object."""
    TEXT = "text"
    """Only the prompt says so."""


class Phase(StrEnum):
    """What a call under way is doing."""

    WAITING = "waiting"
    """Sent, with no token back yet."""
    REASONING = "reasoning"
    ANSWERING = "answering"
    RETRYING = "retrying"
    """An attempt failed; the next begins after a wait, which the note tells."""


class Progress(NamedTuple):
    """How far a call has got."""

    phase: Phase
    elapsed: float
    """Seconds since the call began, over all attempts."""
    first_token: float | None = None
    """Seconds from the start of the attempt to its first token; None before it."""
    tokens: int = 0
    """Tokens so far where the server counts them, else pieces of text received."""
    attempt: int = 1
    note: str = ""
    """Why an attempt failed and how long the next one waits; empty otherwise."""


class Usage(NamedTuple):
    """The tokens a server counted. None is not reported, which is not 0."""

    prompt_tokens: int | None = None
    completion_tokens: int | None = None
    """Reasoning and answer together."""
    cached_tokens: int | None = None
    """The part of the prompt that the server had in its cache."""
    reasoning_tokens: int | None = None
    """The part of the completion that was reasoning."""
    cache_write_tokens: int | None = None
    """The part of the prompt that was written to the cache."""


class Cost(NamedTuple):
    """What a call cost, by the tariff in force when it began."""

    amount: float
    """In the tariff's currency."""
    currency: str
    rate: str
    """The name of the rate that was in force, such as off-peak."""


class Attempt(NamedTuple):
    """One request, answered or not."""

    at: datetime
    """When it began, UTC."""
    seconds: float
    status: int | None = None
    """The HTTP status; None where no response came."""
    failure: str | None = None
    """A FailureKind, or None for the attempt that was answered."""
    note: str = ""
    """What went wrong, in one line; or what was asked differently from the next attempt on."""
    waited: float = 0.0
    """Seconds between the attempt before and this one."""


class Call(NamedTuple):
    """One answered call."""

    text: str
    """The answer as it came, without its reasoning. Not validated."""
    reasoning_characters: int
    """How much reasoning came along; its text is not kept."""
    finish_reason: str | None
    usage: Usage
    started_at: datetime
    """When the first attempt began, UTC."""
    seconds: float
    """Over all attempts and waits."""
    first_token_seconds: float | None
    """From the start of the attempt that was answered; None where the answer came in one piece."""
    step: Step
    attempts: tuple[Attempt, ...]
    model: str | None
    """As the server named it; None where it did not."""
    cost: Cost | None
    """None without a tariff, or where a count that it needs was not reported."""
    answer_from_reasoning: bool
    """Whether the answer stood in the reasoning field, its own being empty."""

    def noted(self) -> Mapping[str, object]:
        """All of it as JSON takes it, for a run and for the replies that are held."""
        return {
            "text": self.text,
            "answer_from_reasoning": self.answer_from_reasoning,
            "model": self.model,
            "finish_reason": self.finish_reason,
            "step": str(self.step),
            "started_at": instant(self.started_at),
            "seconds": round(self.seconds, 3),
            "first_token_seconds": None if self.first_token_seconds is None else round(self.first_token_seconds, 3),
            "usage": self.usage._asdict(),
            "reasoning_characters": self.reasoning_characters,
            "cost": None if self.cost is None else self.cost._asdict(),
            "attempts": noted_attempts(self.attempts),
        }


def noted_attempts(attempts: tuple[Attempt, ...]) -> list[dict[str, object]]:
    """Attempts as JSON takes them."""
    return [
        {
            **attempt._asdict(),
            "at": instant(attempt.at),
            "seconds": round(attempt.seconds, 3),
            "waited": round(attempt.waited, 3),
        }
        for attempt in attempts
    ]


def instant(at: datetime) -> str:
    """An instant as a run file writes it: ISO 8601, UTC, milliseconds."""
    return at.astimezone(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
