"""How a server turns out to want to be asked: the step of structured output, and the fields it does not take.

A request that is refused with a word about one of these is made again without it, at once. What then worked is
remembered for that address and model, in a small file, and tried afresh after a month.
"""

import json
import os
import re
from collections.abc import Mapping
from contextlib import suppress
from datetime import UTC, date, datetime
from pathlib import Path
from typing import NamedTuple

from pendtui.desk.model.calls import Step
from pendtui.desk.model.failures import CallFailedError, FailureKind, Said
from pendtui.desk.model.settings import ModelSettings

FORMAT = 1
DAYS_REMEMBERED = 30
"""After so many days a server is taken to have been updated."""

TOKEN_PARAMETERS = ("max_tokens", "max_completion_tokens")
_STATUSES = (400, 404, 415, 422, 500, 501)
"""The responses in which a server has been seen to name what it does not take."""

_SHAPE = re.compile(
    r"response_format|json_schema|json_object|structured.?output|guided|grammar|strict.{0,3}schema"
    r"|requested parameters"
)
_USAGE = re.compile(r"stream_options|include_usage")
_NOT_TAKEN = re.compile(
    r"unsupported|not support|does not support|unrecognized|unknown|unexpected|extra|not permitted|not allowed"
    r"|only the default|instead|invalid"
)
_TOO_MUCH = re.compile(r"too large|at most|exceed|less than or equal|maximum|context")


class Manner(NamedTuple):
    """How a server is asked."""

    step: Step
    token_parameter: str
    """What the limit of the answer is called; empty where no limit can be given."""
    stream_usage: bool
    """Whether the usage at the end of a stream is asked for."""
    temperature: bool
    """Whether a temperature is sent where the settings have one."""


def first_manner(settings: ModelSettings) -> Manner:
    """How to begin with a server that nothing is remembered of."""
    return Manner(settings.steps[0], settings.token_parameter, settings.stream_usage, temperature=True)


def next_manner(
    manner: Manner, failure: CallFailedError, sent: Mapping[str, object], settings: ModelSettings
) -> tuple[Manner, str] | None:
    """How to ask instead, and what changed in words; None where the failure is not about the manner.

    `sent` is the body of the request that was refused. Each change gives something up, so that they come to an
    end: no manner is returned to.
    """
    said = failure.said
    status = said.status if failure.status is None else failure.status
    if status not in _STATUSES and failure.kind is not FailureKind.ERROR_IN_200:
        return None
    if "response_format" in sent and (said.parameter.startswith("response_format") or _SHAPE.search(said.full)):
        below = settings.steps[settings.steps.index(manner.step) + 1 :] if manner.step in settings.steps else ()
        step = below[0] if below else Step.TEXT
        return manner._replace(step=step), f"asked by {step} instead of {manner.step}"
    if "stream_options" in sent and _USAGE.search(said.full):
        return manner._replace(stream_usage=False), "asked without stream_options"
    limit = manner.token_parameter
    if (
        limit in sent
        and _names(said, limit)
        and not (_TOO_MUCH.search(said.full) and "unsupported" not in said.code)
    ):
        other = next((name for name in TOKEN_PARAMETERS if name != limit), "")
        if limit != settings.token_parameter:
            other = ""
        return manner._replace(token_parameter=other), f"asked with {other or 'no limit'} instead of {limit}"
    if "temperature" in sent and _names(said, "temperature"):
        return manner._replace(temperature=False), "asked without temperature"
    return None


def _names(said: Said, field: str) -> bool:
    """Whether an error says that this field is not taken."""
    if said.parameter:
        return said.parameter == field
    return bool(re.search(rf"(?<![a-z_]){field}(?![a-z_])", said.full) and _NOT_TAKEN.search(said.full))


class ServerMemory:
    """What was learned of each address and model. A file that cannot be read or written is done without."""

    def __init__(self, path: Path | None) -> None:
        """Keep it in the file, or, with None, only as long as the program runs."""
        self._path = path
        self._known: dict[str, Manner] = {}

    def recall(self, settings: ModelSettings, today: date | None = None) -> Manner:
        """How this server is best asked, as far as is known."""
        key = _key(settings)
        if key not in self._known:
            entry = self._entries().get(key)
            manner = _manner(entry, settings, today or datetime.now(UTC).date())
            self._known[key] = manner or first_manner(settings)
        return self._known[key]

    def learn(self, settings: ModelSettings, manner: Manner, today: date | None = None) -> None:
        """Keep a manner that has worked."""
        if manner == self.recall(settings, today):
            return
        self._known[_key(settings)] = manner
        if self._path is None:
            return
        # read anew, because another program may have learned of another server meanwhile
        servers = self._entries()
        servers[_key(settings)] = {
            **manner._asdict(),
            "learned_on": (today or datetime.now(UTC).date()).isoformat(),
        }
        text = json.dumps({"format": FORMAT, "servers": servers}, indent=1)
        draft = self._path.with_name(f"{self._path.name}.{os.getpid()}")
        try:
            self._path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            draft.write_text(text, encoding="utf-8")
            draft.replace(self._path)
        except OSError:
            with suppress(OSError):
                draft.unlink()

    def _entries(self) -> dict[str, object]:
        if self._path is None:
            return {}
        try:
            document = json.loads(self._path.read_text(encoding="utf-8"))
        except (OSError, ValueError, RecursionError):
            return {}
        servers = document.get("servers") if isinstance(document, dict) and document.get("format") == FORMAT else {}
        return dict(servers) if isinstance(servers, dict) else {}


def _key(settings: ModelSettings) -> str:
    return f"{settings.base_url} {settings.model}"


def _manner(entry: object, settings: ModelSettings, today: date) -> Manner | None:
    """A remembered manner; None where it is too old or makes no sense."""
    if not isinstance(entry, Mapping):
        return None
    try:
        age = today - date.fromisoformat(str(entry["learned_on"]))
        manner = Manner(
            Step(str(entry["step"])),
            str(entry["token_parameter"]),
            entry["stream_usage"] is True,
            entry["temperature"] is True,
        )
    except (KeyError, ValueError):
        return None
    known = manner.step in (*settings.steps, Step.TEXT) and manner.token_parameter in (*TOKEN_PARAMETERS, "")
    return manner if known and 0 <= age.days <= DAYS_REMEMBERED else None
