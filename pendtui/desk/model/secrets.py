"""The key for model calls: where it may come from, and a wrapping that no print, log or crash report opens."""

import os
import re
import stat
from collections.abc import Mapping
from pathlib import Path
from typing import NoReturn

from pendtui.config import Config
from pendtui.errors import ConfigError

KEY_VARIABLE = "API_KEY"
"""The environment variable that holds the key."""
HIDDEN = "[key]"
"""What stands where a key stood."""

_LARGEST = 8192
_MAY_BE_OPEN = 0o600
_USABLE = re.compile(r"[\x21-\x7e]+")
_SHAPES = re.compile(r"\b(?:sk|pk|key|gsk|xai)-[\w*.…-]{6,}|(?<=Bearer )[\w*.~+/=-]{6,}", re.IGNORECASE)
"""How keys look that a server may quote from a request, whole or in part."""


class Secret:
    """A key. Only `reveal` gives it; it is neither shown, compared, copied nor pickled by accident."""

    __slots__ = ("__value", "origin")

    def __init__(self, value: str, origin: str) -> None:
        """Wrap a key that came from `origin`. Raises ConfigError when it could not stand in a header."""
        if not _USABLE.fullmatch(value) or len(value) > _LARGEST:
            raise ConfigError("holds no usable key: a key is one word of plain characters", where=origin)
        self.__value = value
        self.origin = origin
        """Where it came from: a variable's name, a file's path or the keyring."""

    def reveal(self) -> str:
        """The key itself, for the one header that carries it."""
        return self.__value

    def __repr__(self) -> str:
        return f"Secret({HIDDEN}, from {self.origin})"

    def __reduce_ex__(self, protocol: object) -> NoReturn:
        raise TypeError("a key is not written anywhere")

    def scrub(self, text: str) -> str:
        """The text without the key."""
        return text.replace(self.__value, HIDDEN)


def scrub(text: str, secret: Secret | None) -> str:
    """A server's text without the key, and without anything of the shape of one."""
    if secret is not None:
        text = secret.scrub(text)
    return _SHAPES.sub(HIDDEN, text)


def find_secret(config: Config, host: str = "", environ: Mapping[str, str] | None = None) -> Secret | None:
    """The key from API_KEY, else the file that the settings name, else the keyring's entry; None where none is.

    `host` is the server's, under which the keyring holds the key. Raises ConfigError for a file that others
    may read, or that holds no key, and for a keyring that cannot be asked.
    """
    environ = os.environ if environ is None else environ
    value = environ.get(KEY_VARIABLE, "").strip()
    if value:
        return Secret(value, KEY_VARIABLE)
    if config.key_file:
        return _from_file(Path(config.key_file).expanduser())
    if config.keyring_service:
        return _from_keyring(config.keyring_service, host)
    return None


def _from_file(path: Path) -> Secret:
    """The key in a file that is the user's alone. The open file is looked at, not its name."""
    try:
        handle = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    except OSError as fault:
        raise ConfigError(f"the key's file cannot be read: {fault.strerror}", where=str(path)) from None
    try:
        status = os.fstat(handle)
        mode = stat.S_IMODE(status.st_mode)
        if not stat.S_ISREG(status.st_mode):
            raise ConfigError("the key's file is not a file", where=str(path))
        if mode & ~_MAY_BE_OPEN:
            raise ConfigError(
                f"the key's file can be opened by others (mode {mode:04o})",
                where=str(path),
                remedy="Run chmod 600 on it",
            )
        if status.st_uid not in (os.geteuid(), 0):
            raise ConfigError("the key's file belongs to somebody else", where=str(path))
        value = os.read(handle, _LARGEST + 1).decode("latin-1").strip()
    finally:
        os.close(handle)
    return Secret(value, str(path))


def _from_keyring(service: str, host: str) -> Secret:
    from importlib import import_module

    try:
        keyring, faults = import_module("keyring"), import_module("keyring.errors")
    except ImportError:
        raise ConfigError(
            "keyring_service is set, and the keyring package is not installed",
            remedy="Install pendtui[keyring], or give the key by API_KEY or key_file",
        ) from None
    where = f"keyring entry {service}, user {host}"
    try:
        value = keyring.get_password(service, host)
    except (faults.KeyringError, RuntimeError) as fault:
        raise ConfigError(f"cannot be read: {type(fault).__name__}", where=where) from None
    if not value:
        raise ConfigError("there is none", where=where, remedy=f"Store the key with `keyring set {service} {host}`")
    return Secret(value.strip(), where)
