"""What a response that is no answer means: errors by status and in every shape they come in, as one line."""

import json
import math
import re
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from typing import NamedTuple

from pendtui.desk.model.failures import CallFailedError, FailureKind, Said
from pendtui.desk.model.secrets import Secret, scrub

LONGEST = 300
"""Characters of a server's own words that are shown."""

_ERROR_FIELDS = ("detail", "errors", "message", "msg")
_SPACE = re.compile(r"\s+")
_TITLE = re.compile(r"<title[^>]*>(.*?)</title", re.IGNORECASE | re.DOTALL)
_QUOTA = re.compile(
    r"insufficient_(?:quota|balance|credits?|funds)|credit_balance|spend(?:ing)?_?limit|spend_limit_exceeded"
    r"|billing|payment_required|quota_exceeded|out_of_credits"
)
_QUOTA_WORDS = re.compile(
    r"exceeded your current quota|insufficient (?:quota|balance|credits?|funds)|credit balance"
    r"|spend(?:ing)? limit|out of credits|add (?:more )?credits"
)
_NO_MODEL = re.compile(
    r"model_not_found|modelnotfound|deploymentnotfound|model_not_available"
    r"|\b(?:model|deployment)\b.{0,120}?\b(?:not found|not exist|does not exist|not available|is unknown)"
    r"|\bmodel not exist|not a valid model"
)
_FILTER = re.compile(r"content_filter|content_policy|responsibleaipolicy|moderation|flagged")
_CONTEXT = re.compile(r"context_length|context length|maximum context|context size|context window|too many tokens")
_CREDENTIALS = "Check the key and that it belongs to this server"


class Header(NamedTuple):
    """The headers of a response that matter when it is an error."""

    retry_after_ms: str = ""
    x_ms_retry_after_ms: str = ""
    retry_after: str = ""
    date: str = ""
    location: str = ""


def one_line(text: str, secret: Secret | None = None, longest: int = LONGEST) -> str:
    """Foreign text as one short line, without control characters and without the key."""
    flat = "".join(char if char.isprintable() else " " for char in text[: longest * 20])
    flat = _SPACE.sub(" ", scrub(flat, secret)).strip()
    return flat if len(flat) <= longest else f"{flat[: longest - 1].rstrip()}…"


def error_in(found: Mapping[str, object]) -> bool:
    """Whether an object says that something went wrong, instead of being a chunk or a completion."""
    if found.get("error"):
        return True
    if "choices" in found or "usage" in found:
        return False
    return found.get("object") == "error" or any(found.get(name) for name in _ERROR_FIELDS)


def failure_of_error(found: Mapping[str, object], title: str, secret: Secret | None) -> CallFailedError:
    """The failure that an error inside a response of status 200 means."""
    said = _said(found, secret)
    what = f"{title} reported an error inside its answer: {said.message or 'without a word about it'}"
    status = said.status if said.status is not None and 400 <= said.status <= 599 else None
    kind = _kind(status, said) if status is not None else None
    if kind is None and (_QUOTA.search(said.code) or _QUOTA_WORDS.search(said.full)):
        kind = FailureKind.QUOTA
    return CallFailedError(kind or FailureKind.ERROR_IN_200, what, remedy=_remedy(kind, said), said=said)


def failure_of_response(
    status: int, header: Header, body: bytes, title: str, secret: Secret | None
) -> CallFailedError:
    """The failure that a response of another status than 200 means."""
    if 300 <= status < 400:
        target = one_line(header.location, secret, 120)
        return CallFailedError(
            FailureKind.REDIRECT,
            f"{title} answered {status} and points to {target or 'nowhere'}; neither the key nor a record follows",
            remedy="If that is the right address, make it the base_url",
            status=status,
        )
    said = read_error(body, secret)
    kind = _kind(status, said)
    return CallFailedError(
        kind,
        f"{title} answered {status}{f': {said.message}' if said.message else ''}",
        remedy=_remedy(kind, said),
        status=status,
        retry_after=retry_after(header) if kind.retryable else None,
        retryable=False if status in (501, 505) else None,
        said=said,
    )


def not_a_chat_response(head: bytes, title: str, secret: Secret | None) -> CallFailedError:
    """The failure that a response of status 200 means which is neither a stream nor JSON."""
    shown = _page_or_text(head.decode("utf-8", "replace"), secret)
    return CallFailedError(
        FailureKind.NOT_JSON_BODY,
        f"{title} sent no chat response{f', but {shown}' if shown else ''}",
        remedy="Check that the base_url is that of the API; it often ends in /v1",
    )


def read_error(body: bytes, secret: Secret | None) -> Said:
    """What the body of an error says: an OpenAI error object, a bare string, FastAPI's detail, a page, anything."""
    text = scrub(body.decode("utf-8", "replace").strip(), secret)
    try:
        found = json.loads(text)
    except (ValueError, RecursionError):
        shown = _page_or_text(text, secret)
        return Said(shown, full=text.lower())
    if isinstance(found, list) and found and isinstance(found[0], Mapping):
        found = found[0]
    if isinstance(found, Mapping):
        return _said(found, secret)
    return Said(one_line(_flat(found), secret), full=text.lower())


def retry_after(header: Header, now: datetime | None = None) -> float | None:
    """Seconds that a server asks to wait; 0 for a time that is past, None where it asks for none.

    A date is counted from the server's own clock where the response tells it.
    """
    for text in (header.retry_after_ms, header.x_ms_retry_after_ms):
        milliseconds = _number(text)
        if milliseconds is not None:
            return milliseconds / 1000
    seconds = _number(header.retry_after)
    if seconds is not None:
        return seconds
    until = _date(header.retry_after)
    if until is None:
        return None
    return max(0.0, (until - (_date(header.date) or now or datetime.now(UTC))).total_seconds())


def _kind(status: int, said: Said) -> FailureKind:
    words = f"{said.code} {said.full}"
    if status == 402 or (status in (400, 403, 429) and _is_quota(said)):
        return FailureKind.QUOTA
    if status in (400, 403, 422) and _FILTER.search(words):
        return FailureKind.CONTENT_FILTER
    if status in (400, 404) and _NO_MODEL.search(words):
        return FailureKind.NO_MODEL
    if status in (408, 425) or status >= 500:
        return FailureKind.SERVER
    return _BY_STATUS.get(status, FailureKind.BAD_REQUEST if 400 <= status < 500 else FailureKind.NOT_JSON_BODY)


_BY_STATUS = {
    401: FailureKind.UNAUTHORIZED,
    403: FailureKind.FORBIDDEN,
    404: FailureKind.NO_ENDPOINT,
    405: FailureKind.NO_ENDPOINT,
    409: FailureKind.CONFLICT,
    429: FailureKind.RATE,
}

_REMEDIES = {
    FailureKind.UNAUTHORIZED: _CREDENTIALS,
    FailureKind.FORBIDDEN: "Check that the key may use this model",
    FailureKind.NO_MODEL: "Check the model's name, and that the server has it",
    FailureKind.NO_ENDPOINT: "Check the base_url; it often ends in /v1",
    FailureKind.QUOTA: "Waiting does not help: the account needs credit or a higher limit",
    FailureKind.CONTENT_FILTER: "Read this record with the offline reader",
}


def _remedy(kind: FailureKind | None, said: Said) -> str:
    if kind is FailureKind.BAD_REQUEST and _CONTEXT.search(said.full):
        return "The prompt does not fit: give the server a larger context, or lower max_answer_tokens"
    return _REMEDIES.get(kind, "") if kind is not None else ""


def _is_quota(said: Said) -> bool:
    if "rate_limit" in said.code and not _QUOTA.search(said.code):
        return False
    return bool(_QUOTA.search(said.code) or _QUOTA_WORDS.search(said.full))


def _said(found: Mapping[str, object], secret: Secret | None) -> Said:
    full = scrub(json.dumps(found, ensure_ascii=False), secret).lower()
    error = next(
        (value for name in ("error", "errors", "detail", "message", "msg") if (value := found.get(name))), found
    )
    if isinstance(error, list) and len(error) == 1:
        error = error[0]
    fields = error if isinstance(error, Mapping) else found
    names = [fields.get("code"), fields.get("type"), found.get("code")]
    inner = fields.get("innererror")
    if isinstance(inner, Mapping):
        names.append(inner.get("code"))
    message = _flat(error)
    # a gateway may hold back what the server behind it said
    metadata = fields.get("metadata")
    raw = metadata.get("raw") if isinstance(metadata, Mapping) else None
    if raw:
        reason = _raw_reason(raw)
        message = f"{message}: {reason}" if reason and reason not in message else message
    parameter = fields.get("param")
    return Said(
        one_line(message, secret),
        scrub(" ".join(str(name) for name in names if isinstance(name, str | int)), secret).lower(),
        scrub(parameter, secret).lower() if isinstance(parameter, str) else "",
        full,
        next((status for name in names if (status := _status(name)) is not None), None),
    )


def _raw_reason(raw: object) -> str:
    if isinstance(raw, str):
        try:
            raw = json.loads(raw)
        except (ValueError, RecursionError):
            return str(raw)
    return _flat(raw)


def _status(name: object) -> int | None:
    if isinstance(name, str) and len(name) == 3 and name.isdecimal():
        name = int(name)
    return name if isinstance(name, int) and not isinstance(name, bool) and 100 <= name <= 599 else None


def _flat(value: object) -> str:
    """The words of an error, however nested."""
    if isinstance(value, str):
        return value
    if isinstance(value, Mapping):
        own = value.get("message") or value.get("msg") or value.get("detail") or value.get("error")
        if own:
            place = value.get("loc")
            named = ".".join(map(str, place)) if isinstance(place, list) else ""
            return f"{named}: {_flat(own)}" if named else _flat(own)
        return "; ".join(_scalars(value))
    if isinstance(value, list):
        return "; ".join(map(_flat, value[:5]))
    return "" if value is None else str(value)


def _scalars(value: Mapping[str, object]) -> Iterator[str]:
    for name, each in value.items():
        if isinstance(each, str | int | float) and not isinstance(each, bool):
            yield f"{name}: {each}"


def _page_or_text(text: str, secret: Secret | None) -> str:
    if not text.lstrip().startswith("<"):
        return one_line(text, secret, 120)
    titled = _TITLE.search(text)
    title = one_line(titled[1], secret, 80) if titled else ""
    return f"a web page titled '{title}'" if title else "a web page"


def _number(text: str) -> float | None:
    try:
        value = float(text)
    except ValueError:
        return None
    return max(0.0, value) if math.isfinite(value) else None


def _date(text: str) -> datetime | None:
    from email.utils import parsedate_to_datetime

    try:
        found = parsedate_to_datetime(text)
    except (ValueError, TypeError):
        return None
    return found if found.tzinfo is not None else found.replace(tzinfo=UTC)
