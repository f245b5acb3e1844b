"""The ways in which a call fails: what each is called, whether asking again can help, and what a person can do."""

from collections.abc import Mapping, Sequence
from enum import StrEnum
from typing import NamedTuple

from pendtui.desk.model.calls import Attempt, noted_attempts
from pendtui.errors import PendtuiError


class FailureKind(StrEnum):
    """What went wrong with a call."""

    REFUSED = "refused"
    """Nothing listens at that address, or the connection could not be made."""
    DNS = "dns"
    """The host's name is not known."""
    TLS = "tls"
    """The server's certificate is not trusted, or it does not speak TLS."""
    CONNECT_TIMEOUT = "connect_timeout"
    UNAUTHORIZED = "unauthorized"
    """401: the key is missing or wrong."""
    FORBIDDEN = "forbidden"
    """403."""
    NO_MODEL = "no_model"
    """404 for the model."""
    NO_ENDPOINT = "no_endpoint"
    """404 or 405 for the address: the base URL is not that of a chat API."""
    CONFLICT = "conflict"
    """409."""
    BAD_REQUEST = "bad_request"
    """400, 413, 422 and other requests that will be refused again."""
    QUOTA = "quota"
    """402, or a 429 that means the money or the allowance is used up."""
    RATE = "rate"
    """A 429 that means: later."""
    SERVER = "server"
    """408 and 5xx."""
    FIRST_BYTE_TIMEOUT = "timeout_first_byte"
    STALLED = "stalled"
    """The answer began, and then nothing more came."""
    CUT_OFF = "cut_off"
    """The connection ended before the answer did."""
    EMPTY = "empty"
    """A sound response without an answer in it."""
    LENGTH = "length"
    """The token limit was reached before the answer was complete."""
    CONTENT_FILTER = "content_filter"
    REFUSAL = "refusal"
    """The model declined."""
    NOT_JSON_BODY = "not_json_body"
    """A response that is not one of a chat API, such as a web page."""
    GARBLED = "garbled"
    """Bytes that are not UTF-8, not the compression they claim, or not the JSON they began."""
    ERROR_IN_200 = "error_in_200"
    """An error in a response that said it was fine, or in the middle of a stream."""
    TOO_LARGE = "too_large"
    """More bytes than an answer may have; it was not read on."""
    REDIRECT = "redirect"
    """The server points elsewhere. The key and the record do not follow."""
    DEADLINE = "deadline"
    """The time for the whole call is used up."""

    @property
    def retryable(self) -> bool:
        """Whether the same request may be answered later."""
        return self in _RETRYABLE

    @property
    def hopeless(self) -> bool:
        """Whether every other record would fail in the same way until a person has changed something."""
        return self in _HOPELESS


_RETRYABLE = frozenset(
    {
        FailureKind.REFUSED,
        FailureKind.CONNECT_TIMEOUT,
        FailureKind.CONFLICT,
        FailureKind.RATE,
        FailureKind.SERVER,
        FailureKind.FIRST_BYTE_TIMEOUT,
        FailureKind.STALLED,
        FailureKind.CUT_OFF,
        FailureKind.EMPTY,
        FailureKind.GARBLED,
        FailureKind.ERROR_IN_200,
    }
)
_HOPELESS = frozenset(
    {
        FailureKind.DNS,
        FailureKind.TLS,
        FailureKind.UNAUTHORIZED,
        FailureKind.FORBIDDEN,
        FailureKind.NO_MODEL,
        FailureKind.NO_ENDPOINT,
        FailureKind.QUOTA,
        FailureKind.REDIRECT,
    }
)


class Said(NamedTuple):
    """What a server's error says, in whichever shape it came."""

    message: str = ""
    """In one line, without control characters and without the key."""
    code: str = ""
    """The error's code and type, in lower case."""
    parameter: str = ""
    """The field of the request that it names."""
    full: str = ""
    """All of it in lower case, for looking up words in."""
    status: int | None = None
    """The HTTP status that it names itself, for an error in a response that says 200."""


NOTHING_SAID = Said()
"""Of a failure without an error from the server."""


class CallFailedError(PendtuiError):
    """A call that brought no answer. Its text is one line, without control characters and without the key."""

    def __init__(
        self,
        kind: FailureKind,
        what: str,
        *,
        remedy: str = "",
        status: int | None = None,
        retry_after: float | None = None,
        retryable: bool | None = None,
        said: Said = NOTHING_SAID,
        attempts: Sequence[Attempt] = (),
    ) -> None:
        super().__init__(what, remedy=remedy)
        self.kind = kind
        self.status = status
        """The HTTP status; None where no response came."""
        self.retry_after = retry_after
        """Seconds that the server asked to wait; None where it did not."""
        self.retryable = kind.retryable if retryable is None else retryable
        self.said = said
        """What the server said about it."""
        self.attempts = tuple(attempts)
        """Every request made, this failure the last."""

    def noted(self) -> Mapping[str, object]:
        """All of it as JSON takes it, for a run."""
        return {
            "failure": str(self.kind),
            "status": self.status,
            "error": str(self),
            "attempts": noted_attempts(self.attempts),
        }
