"""Which model is called, where and how, from the settings and the preset of its server."""

import os
import tomllib
from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType
from typing import NamedTuple

from pendtui.config import Config
from pendtui.desk.model.calls import Step
from pendtui.desk.model.secrets import KEY_VARIABLE, Secret, find_secret
from pendtui.desk.model.tariff import Tariff, load_tariff
from pendtui.errors import ConfigError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from urllib.parse import SplitResult

PRESETS = Path(__file__).with_name("presets.toml")
"""What is known of each server."""
OTHER = "other"
"""The preset of a server that is given by its address alone."""
MAX_BODY_BYTES = 4_000_000
"""The most of a response that is read, some 400 times a long answer with its reasoning."""
MAX_ATTEMPTS = 6
"""Requests of one call that may fail in ways that pass."""

_KEY_WORDS = ("key", "token", "secret", "password", "sig")


class Preset(NamedTuple):
    """What is known of one kind of server, as presets.toml tells it."""

    title: str
    base_url: str
    hosts: tuple[str, ...]
    key: str
    """needed or optional."""
    key_header: str
    model: str
    steps: tuple[Step, ...]
    token_parameter: str
    stream_usage: bool
    body: Mapping[str, object]


class ModelSettings(NamedTuple):
    """All that a client needs besides the key."""

    base_url: str
    """Without its query."""
    model: str
    provider: str = OTHER
    title: str = "chat API"
    """What the server is called on screen."""
    query: str = ""
    """What stood behind the base URL's question mark, such as an api-version."""
    key_header: str = "authorization"
    steps: tuple[Step, ...] = tuple(Step)
    """How the shape of the answer may be asked for, the first one first."""
    token_parameter: str = "max_tokens"
    stream_usage: bool = True
    headers: Mapping[str, str] = MappingProxyType({})
    body: Mapping[str, object] = MappingProxyType({})
    max_answer_tokens: int | None = None
    temperature: float | None = None
    tariff: Tariff | None = None
    connect_seconds: float = 10.0
    first_byte_seconds: float = 120.0
    between_chunks_seconds: float = 60.0
    deadline_seconds: float = 600.0
    max_attempts: int = MAX_ATTEMPTS
    backoff_seconds: float = 1.0
    """How long the first wait may be; each further one may be twice as long."""
    max_body_bytes: int = MAX_BODY_BYTES

    @property
    def host(self) -> str:
        """The server's host, without its port."""
        from urllib.parse import urlsplit

        return urlsplit(self.base_url).hostname or ""

    @property
    def endpoint(self) -> str:
        """Where requests go."""
        url = self.base_url if self.base_url.endswith("/chat/completions") else f"{self.base_url}/chat/completions"
        return f"{url}?{self.query}" if self.query else url

    def compared(self) -> dict[str, object]:
        """What bears on the answers or on whether one comes at all: equal for two runs that are compared.

        The server's address is not in it, nor anything that only says how fast records are asked about.
        """
        return {
            "provider": self.provider,
            "steps": [str(step) for step in self.steps],
            "body": dict(self.body),
            "temperature": self.temperature,
            "max_answer_tokens": self.max_answer_tokens,
            "first_byte_seconds": self.first_byte_seconds,
            "between_chunks_seconds": self.between_chunks_seconds,
            "deadline_seconds": self.deadline_seconds,
            "max_attempts": self.max_attempts,
        }

    @property
    def local(self) -> bool:
        """Whether the server is on this machine."""
        return is_loopback(self.host)


def load_presets() -> Mapping[str, Preset]:
    """The presets by name."""
    document = tomllib.loads(PRESETS.read_text(encoding="utf-8"))
    return {
        name: Preset(**table | {"hosts": tuple(table["hosts"]), "steps": tuple(map(Step, table["steps"]))})
        for name, table in document.items()
    }


def model_settings(config: Config) -> ModelSettings:
    """How the model is called.

    Raises ConfigError, with what to do, where nothing says which server or which model, and for an address that
    cannot be.
    """
    preset_name, preset = _preset(config)
    url = (config.base_url or preset.base_url).strip()
    if not url:
        raise ConfigError(
            f"{preset.title} has no fixed address", remedy="Give it by BASE_URL or base_url in [model]"
        )
    where = str(config.origins.get("base_url", "")) if config.base_url else ""
    parts = _address(url, where)
    model = config.model or preset.model
    if not model:
        raise ConfigError(f"no model is named for {preset.title}", remedy="Name one by MODEL or model in [model]")
    body = {**preset.body, **config.extra_body}
    try:
        _json(body)
    except (TypeError, ValueError):
        raise ConfigError("extra_body holds what JSON does not know, such as a date", where=where) from None
    return ModelSettings(
        base_url=f"{parts.scheme}://{parts.netloc}{parts.path.rstrip('/')}",
        model=model,
        provider=preset_name,
        title=preset.title,
        query=parts.query,
        key_header=preset.key_header,
        steps=preset.steps,
        token_parameter=preset.token_parameter,
        stream_usage=preset.stream_usage,
        headers=config.extra_headers,
        body=body,
        max_answer_tokens=config.max_answer_tokens,
        temperature=config.temperature,
        tariff=load_tariff(Path(config.tariff).expanduser()) if config.tariff else None,
        connect_seconds=config.connect_seconds,
        first_byte_seconds=config.first_byte_seconds,
        between_chunks_seconds=config.between_chunks_seconds,
        deadline_seconds=config.deadline_seconds,
    )


def model_secret(
    config: Config, settings: ModelSettings, environ: Mapping[str, str] | None = None
) -> Secret | None:
    """The key for that server; None where there is none and none is needed.

    Raises ConfigError, with what to do, where a key is needed and not there, where it must not be used from
    where it lies, and where it would cross the network in the clear.
    """
    environ = os.environ if environ is None else environ
    secret = find_secret(config, settings.host, environ)
    if secret is None:
        if load_presets()[settings.provider].key == "needed":
            raise ConfigError(
                f"{settings.title} needs a key, and there is none",
                remedy=f"Set {KEY_VARIABLE}, or name a file with it as key_file in [model]",
            )
        return None
    if settings.base_url.startswith("http://") and not settings.local and not config.allow_plain_http:
        raise ConfigError(
            f"the key would go to {settings.host} in the clear",
            remedy="Use https, leave the key out, or set allow_plain_http in [model]",
        )
    return secret


def is_loopback(host: str) -> bool:
    """Whether a host name or address is this machine's own."""
    from ipaddress import ip_address

    name = host.lower().rstrip(".")
    try:
        return ip_address(name).is_loopback
    except ValueError:
        return name == "localhost" or name.endswith(".localhost")


def _preset(config: Config) -> tuple[str, Preset]:
    presets = load_presets()
    if config.provider:
        name = config.provider.strip().lower()
        if name not in presets:
            raise ConfigError(
                f"provider '{config.provider}' is not known",
                where=str(config.origins.get("provider", "")),
                remedy=f"Known are {', '.join(presets)}",
            )
        return name, presets[name]
    if not config.base_url:
        raise ConfigError(
            "no model is set up",
            remedy="Set PROVIDER or BASE_URL, MODEL and, where one is needed, API_KEY; or fill in [model]",
        )
    from urllib.parse import urlsplit

    try:
        host = (urlsplit(config.base_url).hostname or "").lower()
    except ValueError:
        host = ""
    for name, preset in presets.items():
        if any(host.endswith(known) if known.startswith(".") else host == known for known in preset.hosts):
            return name, preset
    return OTHER, presets[OTHER]


def _address(url: str, where: str) -> "SplitResult":
    from urllib.parse import parse_qsl, urlsplit

    try:
        parts = urlsplit(url)
        port = parts.port
    except ValueError:
        raise ConfigError("base_url is no address", where=where) from None
    if (
        parts.scheme not in ("http", "https")
        or not parts.hostname
        or port == 0
        or not url.isprintable()
        or " " in url
    ):
        raise ConfigError(
            "base_url is no address of a server",
            where=where,
            remedy="Write it as https://host/v1, up to and with /v1",
        )
    if parts.username is not None or parts.password is not None:
        raise ConfigError(
            "base_url holds a user name or password, which does not belong in it",
            where=where,
            remedy=f"Give the key by {KEY_VARIABLE}, key_file or keyring_service",
        )
    for name, _ in parse_qsl(parts.query):
        if any(word in name.lower() for word in _KEY_WORDS):
            raise ConfigError(
                f"base_url carries {name}, which may be a key and does not belong in it",
                where=where,
                remedy=f"Give the key by {KEY_VARIABLE}, key_file or keyring_service",
            )
    return parts


def _json(value: object) -> str:
    import json

    return json.dumps(value, allow_nan=False)
