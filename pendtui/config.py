"""The settings: what each means, its default, and where the value in force came from."""

import os
import tomllib
from collections.abc import Mapping
from datetime import date
from pathlib import Path
from types import MappingProxyType
from typing import NamedTuple

from pendtui.errors import ConfigError

CONFIG_NAME = "config.toml"
THEMES = ("dark", "light", "high-contrast")
NOTICES = ("", "osc9", "osc777")
"""How a terminal can be asked to show a notice outside its own window."""


class Config(NamedTuple):
    """The values in force. Each is one key of config.toml, named in brackets in its line."""

    queue: Path = Path("queue")
    """[desk] queue: the folder with the pend records and claims.json."""
    policy: str = "pr-2026"
    """[desk] policy: a policy file, or the name of one that ships (pr-2026, rg-2026)."""
    reader: str = "floor"
    """[desk] reader: the offline reader behind the cause on screen (floor or phrase)."""
    recorded: str = ""
    """[desk] recorded: a stored run whose readings are shown in place of the reader's; empty means none."""
    as_of: str = ""
    """[desk] as_of: register, today or a date; empty leaves it to the policy."""
    my_queues: tuple[str, ...] = ()
    """[desk] my_queues: the specialist queues that you work; what is assigned to them is yours as well."""
    display_name: str = ""
    """[desk] display_name: how your decisions are signed; empty means the operating system's user name."""
    journal: str = ""
    """[desk] journal: the decision journal's file; empty means journal.db in the platform's state folder."""
    index_folder: str = ""
    """[desk] index_folder: where the rebuildable queue index is kept; empty means the platform's cache folder."""
    runs: str = ""
    """[desk] runs: the folder of stored runs; empty means runs/ in the platform's state folder."""
    examiners: tuple[str, ...] = ()
    """[team] examiners: the system users that claims can be assigned to; others can be typed in."""
    specialist_queues: tuple[str, ...] = ()
    """[team] specialist_queues: the queues that claims can be assigned to; others can be typed in."""
    url: str = ""
    """[store] url: a PostgreSQL store for examiners on many hosts; empty keeps decisions in the journal's file."""
    queue_name: str = ""
    """[store] queue_name: what the journal calls this queue; give it where hosts have its folder at other paths."""
    theme: str = "dark"
    """[screen] theme: dark, light or high-contrast."""
    confirm_denials: bool = True
    """[screen] confirm_denials: ask once more before a resolution that denies."""
    bell: bool = False
    """[screen] bell: ring when a claim turns escalate-now or breached while the program is open."""
    notify: str = ""
    """[screen] notify: osc9 or osc777 has the terminal show such a notice; empty sends none."""
    provider: str = ""
    """[model] provider: whose server (openai, azure, deepseek, openrouter, ollama, llama.cpp, vllm, lmstudio)."""
    base_url: str = ""
    """[model] base_url: where the chat API is, up to and with /v1; empty means the provider's own."""
    model: str = ""
    """[model] model: the model's name, as the server calls it."""
    key_file: str = ""
    """[model] key_file: a file with the key and nothing else, mode 0600; the variable API_KEY outranks it."""
    keyring_service: str = ""
    """[model] keyring_service: the system keyring's entry with the key, with the server's host as user name."""
    allow_plain_http: bool = False
    """[model] allow_plain_http: send a key over http, without TLS, to another machine."""
    extra_headers: Mapping[str, str] = MappingProxyType({})
    """[model] extra_headers: headers to send along. None that carries a key."""
    extra_body: Mapping[str, object] = MappingProxyType({})
    """[model] extra_body: fields to put into each request, such as reasoning_effort."""
    max_answer_tokens: int | None = None
    """[model] max_answer_tokens: most tokens of an answer with its reasoning; empty leaves it to the server."""
    temperature: float | None = None
    """[model] temperature: empty sends none, which some models insist on."""
    tariff: str = ""
    """[model] tariff: a file with what tokens cost and when; empty means that costs are not known."""
    spending_limit: float | None = None
    """[model] spending_limit: the most that one batch may cost, in the tariff's currency; empty sets none."""
    max_calls_per_day: int | None = 1000
    """[model] max_calls_per_day: calls begun on one day (UTC); 0 allows none, empty sets no limit."""
    workers: int = 5
    """[model] workers: how many records are read at once."""
    connect_seconds: float = 10.0
    """[model] connect_seconds: how long a connection may take to be made."""
    first_byte_seconds: float = 120.0
    """[model] first_byte_seconds: how long the server may take until an answer begins."""
    between_chunks_seconds: float = 60.0
    """[model] between_chunks_seconds: how long an answer may pause."""
    deadline_seconds: float = 600.0
    """[model] deadline_seconds: the time for a call with all its attempts and waits."""
    months: Mapping[str, object] = MappingProxyType({})
    """[population] months: by month and standard, the claims received and those paid in time."""
    keys: Mapping[str, str] = MappingProxyType({})
    """[keys.queue], [keys.record], [keys.everywhere]: an action and its key (`pendtui keys` lists them)."""
    file: Path | None = None
    """The settings file that was read; None without one."""
    origins: Mapping[str, str] = MappingProxyType({})
    """Where each value came from: default, the file's path, or the environment variable's name."""

    def journal_path(self) -> Path:
        """The journal's file."""
        return Path(self.journal).expanduser() if self.journal else _platform_folder("state") / "journal.db"

    def store(self) -> Path | str:
        """Where decisions are kept: the address of a PostgreSQL store, else the journal's file."""
        return self.url or self.journal_path()

    def runs_folder(self) -> Path:
        """The folder that stored runs are read from and written to."""
        return Path(self.runs).expanduser() if self.runs else _platform_folder("state") / "runs"

    def index_path(self) -> Path:
        """The folder of the queue index, a cache that may be deleted at any time."""
        return Path(self.index_folder).expanduser() if self.index_folder else _platform_folder("cache") / "index"

    def tour_mark_path(self) -> Path:
        """The file whose presence says that the tour was shown; it may be deleted to see it again."""
        return _platform_folder("state") / "tour-shown"

    def server_memory_path(self) -> Path:
        """The file that remembers what each model server can do; it may be deleted at any time."""
        return _platform_folder("state") / "servers.json"


SECTIONS: dict[str, tuple[str, ...]] = {
    "desk": (
        "queue",
        "policy",
        "reader",
        "recorded",
        "as_of",
        "my_queues",
        "display_name",
        "journal",
        "index_folder",
        "runs",
    ),
    "screen": ("theme", "confirm_denials", "bell", "notify"),
    "model": (
        "provider",
        "base_url",
        "model",
        "key_file",
        "keyring_service",
        "allow_plain_http",
        "extra_headers",
        "extra_body",
        "max_answer_tokens",
        "temperature",
        "tariff",
        "spending_limit",
        "max_calls_per_day",
        "workers",
        "connect_seconds",
        "first_byte_seconds",
        "between_chunks_seconds",
        "deadline_seconds",
    ),
    "team": ("examiners", "specialist_queues"),
    "store": ("url", "queue_name"),
    "population": ("months",),
}
"""The tables of config.toml and their keys."""

ENVIRONMENT = {
    "PENDTUI_QUEUE": "queue",
    "PENDTUI_POLICY": "policy",
    "PENDTUI_READER": "reader",
    "PENDTUI_AS_OF": "as_of",
    "PENDTUI_DISPLAY_NAME": "display_name",
    "PENDTUI_JOURNAL": "journal",
    "PENDTUI_STORE": "url",
    "PENDTUI_QUEUE_NAME": "queue_name",
    "PENDTUI_INDEX_FOLDER": "index_folder",
    "PENDTUI_RUNS": "runs",
    "PENDTUI_THEME": "theme",
    "PROVIDER": "provider",
    "BASE_URL": "base_url",
    "MODEL": "model",
    "MAX_CALLS_PER_DAY": "max_calls_per_day",
    "EVAL_WORKERS": "workers",
}
"""The environment variables that outrank the file, and the setting each one gives."""

FLAGS = ("confirm_denials", "allow_plain_http", "bell")
"""The settings that are true or false."""
_LISTS = ("my_queues", "examiners", "specialist_queues")
_TABLES = ("extra_headers", "extra_body", "months")
_PATHS = ("journal", "index_folder", "runs", "key_file", "tariff")
NUMBERS: dict[str, float] = {
    "max_answer_tokens": 1,
    "temperature": 0,
    "spending_limit": 0,
    "max_calls_per_day": 0,
    "workers": 1,
    "connect_seconds": 0.001,
    "first_byte_seconds": 0.001,
    "between_chunks_seconds": 0.001,
    "deadline_seconds": 0.001,
}
"""The settings that are numbers, and the smallest value of each."""
_WHOLE = ("max_answer_tokens", "max_calls_per_day", "workers")
_MAY_BE_EMPTY = ("max_answer_tokens", "temperature", "spending_limit", "max_calls_per_day")
_KEY_HEADERS = ("authorization", "api-key", "x-api-key", "x-goog-api-key", "proxy-authorization", "cookie")
_FIXED_FIELDS = ("messages", "model", "stream")


def load_config(path: Path | None = None, environ: Mapping[str, str] | None = None) -> Config:
    """The settings from defaults, then the file, then the environment.

    Without a path the file is PENDTUI_CONFIG, else ./config.toml where there is one, else config.toml in the
    platform's configuration folder. Relative paths in the file are relative to the file.
    Raises ConfigError that names an unknown key, a wrong type or a value that cannot be.
    """
    environ = os.environ if environ is None else environ
    values: dict[str, object] = {}
    origins = {name: "default" for name in Config._fields if name not in ("file", "origins")}
    file = _config_file(path, environ)
    if file is not None:
        for name, value in _file_values(file).items():
            values[name] = value
            origins[name] = str(file)
    for variable, name in ENVIRONMENT.items():
        if environ.get(variable):
            text = environ[variable]
            values[name] = _from_text(name, text, variable)
            origins[name] = variable
            _check_choice(name, values[name], variable)
    return Config(**values, file=file, origins=origins)  # type: ignore[arg-type]


def _config_file(path: Path | None, environ: Mapping[str, str]) -> Path | None:
    named = path or (Path(environ["PENDTUI_CONFIG"]) if environ.get("PENDTUI_CONFIG") else None)
    if named is not None:
        if not named.is_file():
            raise ConfigError("there is no such configuration file", where=str(named))
        return named
    if Path(CONFIG_NAME).is_file():
        return Path(CONFIG_NAME)
    own = own_config_file()
    return own if own.is_file() else None


def own_config_file() -> Path:
    """The user's own settings file, whether there is one or not."""
    return _platform_folder("config") / CONFIG_NAME


def _file_values(file: Path) -> dict[str, object]:
    try:
        document = tomllib.loads(file.read_text(encoding="utf-8"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as fault:
        raise ConfigError(f"not valid TOML: {fault}", where=str(file)) from None
    except OSError as fault:
        raise ConfigError(f"cannot be read: {fault.strerror}", where=str(file)) from None
    values: dict[str, object] = {}
    for section, table in document.items():
        if section == "keys":
            values["keys"] = _keys(table, str(file))
            continue
        if section not in SECTIONS:
            known = ", ".join(f"[{name}]" for name in (*SECTIONS, "keys"))
            raise ConfigError(f"unknown table [{section}]", where=str(file), remedy=f"Known are {known}")
        if not isinstance(table, dict):
            raise ConfigError(f"{section} is not a table", where=str(file), remedy=f"Write it as [{section}]")
        for key, value in table.items():
            if key not in SECTIONS[section]:
                known = ", ".join(SECTIONS[section])
                raise ConfigError(f"unknown key {key} in [{section}]", where=str(file), remedy=f"Known are {known}")
            values[key] = _value(key, value, file)
    return values


def _value(key: str, value: object, file: Path) -> object:
    if key in FLAGS:
        if not isinstance(value, bool):
            raise ConfigError(f"{key} is not true or false", where=str(file))
        return value
    if key in _LISTS:
        if not isinstance(value, list) or not all(isinstance(item, str) and item.strip() for item in value):
            raise ConfigError(f"{key} is not a list of names", where=str(file), remedy=f'Write {key} = ["name"]')
        return tuple(value)
    if key in _TABLES:
        return _table(key, value, str(file))
    if key in NUMBERS:
        return _number(key, value, str(file))
    if key == "as_of" and isinstance(value, date):
        value = value.isoformat()
    if not isinstance(value, str):
        raise ConfigError(f"{key} is not text", where=str(file))
    _check_choice(key, value, str(file))
    if key == "queue":
        return file.parent / Path(value).expanduser()
    if key == "policy" and ("/" in value or value.endswith(".toml")):
        return str(file.parent / Path(value).expanduser())
    if key in _PATHS and value:
        return str(file.parent / Path(value).expanduser())
    return value


def _number(key: str, value: object, where: str) -> float | None:
    if value == "" and key in _MAY_BE_EMPTY:
        return None
    whole = key in _WHOLE
    if isinstance(value, bool) or not isinstance(value, int if whole else int | float):
        kind = "a whole number" if whole else "a number"
        raise ConfigError(f"{key} is not {kind}{' or empty' if key in _MAY_BE_EMPTY else ''}", where=where)
    if not NUMBERS[key] <= value < float("inf"):
        raise ConfigError(f"{key} is {value}, which is not {NUMBERS[key]} or more", where=where)
    return value if whole else float(value)


def _keys(table: object, where: str) -> Mapping[str, str]:
    places = table.items() if isinstance(table, dict) else [("", None)]
    keys = {}
    for place, actions in places:
        if not isinstance(actions, dict) or not all(isinstance(key, str) for key in actions.values()):
            raise ConfigError(
                "[keys] is not a table of places", where=where, remedy='Write [keys.record], then accept = "ctrl+a"'
            )
        keys.update({f"{place}.{name}": key for name, key in actions.items()})
    return MappingProxyType(keys)


def _table(key: str, value: object, where: str) -> Mapping[str, object]:
    if not isinstance(value, dict):
        raise ConfigError(f"{key} is not a table", where=where, remedy=f'Write it as {key} = {{name = "value"}}')
    for name, each in value.items():
        if key == "extra_headers":
            if not isinstance(each, str) or not f"{name}{each}".isascii() or not f"{name}{each}".isprintable():
                raise ConfigError(f"header {name!r} is not plain text", where=where)
            if name.lower() in _KEY_HEADERS:
                raise ConfigError(
                    f"header {name!r} may carry a key, which does not belong in here",
                    where=where,
                    remedy="Give the key by API_KEY, key_file or keyring_service",
                )
        elif key == "extra_body" and name in _FIXED_FIELDS:
            raise ConfigError(f"extra_body cannot set {name}", where=where)
    return MappingProxyType(value)


def _from_text(key: str, text: str, variable: str) -> object:
    """The value that an environment variable gives."""
    if key == "queue":
        return Path(text)
    if key in _WHOLE:
        try:
            value: object = int(text)
        except ValueError:
            value = text
        return _number(key, value, variable)
    return text


def _check_choice(key: str, value: object, where: str) -> None:
    if key == "reader" and value not in ("floor", "phrase"):
        raise ConfigError(f"reader '{value}' is neither floor nor phrase", where=where)
    if key == "theme" and value not in THEMES:
        raise ConfigError(f"theme '{value}' is none of {', '.join(THEMES)}", where=where)
    if key == "notify" and value not in NOTICES:
        raise ConfigError(f"notify '{value}' is neither osc9 nor osc777", where=where)
    if key == "url" and value and not str(value).startswith(("postgresql://", "postgres://")):
        raise ConfigError("url is no address of a PostgreSQL store", where=where, remedy="Write postgresql://…")
    if key == "as_of":
        parse_as_of(str(value), where)


def parse_as_of(text: str, where: str) -> str | date | None:
    """An as-of setting as a value: register, today, a date, or None for an empty one. Raises ConfigError."""
    if text in ("register", "today"):
        return text
    if not text:
        return None
    try:
        return date.fromisoformat(text)
    except ValueError:
        raise ConfigError(f"as-of '{text}' is not register, today or a date like 2026-09-01", where=where) from None


def _platform_folder(kind: str) -> Path:
    from platformdirs import PlatformDirs

    folders = PlatformDirs("pendtui", appauthor=False)
    return Path(
        {"state": folders.user_state_dir, "cache": folders.user_cache_dir, "config": folders.user_config_dir}[kind]
    )
