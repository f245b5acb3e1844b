"""The address of a PostgreSQL store: what the driver takes of it, and what of it a message may show."""

import re
from typing import NamedTuple
from urllib.parse import parse_qsl, quote, unquote, urlencode, urlsplit

from pendtui.errors import JournalError

SCHEMA = "pendtui"
"""The schema of the database that a store is in, unless the address names another."""

_SCHEMA_NAME = re.compile("[a-z_][a-z0-9_]{0,39}")
_HOST = re.compile(r"(\[[0-9A-Fa-f:.%]*\]|[^:\[\]]*)(:\d{1,5})?")
_SECRETS = ("password", "sslpassword", "passfile", "sslkey")
_KEEPALIVES = {
    "keepalives_idle": "30",
    "keepalives_interval": "10",
    "keepalives_count": "3",
    "tcp_user_timeout": "10000",  # a line that is cut is noticed within seconds, and not after a quarter of an hour
}


class Address(NamedTuple):
    """An address taken apart."""

    netloc: str
    """User, password and hosts as they were written."""
    path: str
    options: tuple[tuple[str, str], ...]
    """The driver's own options."""
    schema: str
    shown: str
    """The address without password and the driver's options."""
    secrets: tuple[str, ...]
    """What no message may show."""

    @classmethod
    def parse(cls, url: str) -> "Address":
        """Take postgresql://user:password@host:port/database?schema=name apart. Raises JournalError."""
        try:
            parts = urlsplit(url)
            options = parse_qsl(parts.query, keep_blank_values=True, strict_parsing=bool(parts.query))
        except ValueError:
            raise _unreadable() from None
        user_info, _, hosts = parts.netloc.rpartition("@")
        user, _, password = user_info.partition(":")
        # An unescaped / ? # or @ in a password ends up elsewhere, where it would be shown.
        if "@" in parts.path + parts.query or parts.fragment or not all(map(_HOST.fullmatch, hosts.split(","))):
            raise _unreadable()
        given = dict(options).get("schema")
        schema = SCHEMA if given is None else given
        shown = f"postgresql://{user}{'@' if user else ''}{hosts}{parts.path}"
        if given is not None:
            shown += f"?schema={given}"
        if not _SCHEMA_NAME.fullmatch(schema):
            raise JournalError(
                "the schema's name in the store's address is not plain",
                where=shown,
                remedy="Use at most 40 small letters, digits and underscores",
            )
        others = tuple((name, value) for name, value in options if name != "schema")
        secrets = {password, unquote(password), *(value for name, value in others if name in _SECRETS)}
        return cls(parts.netloc, parts.path, others, schema, shown, tuple(secrets - {""}))

    def with_defaults(self, connect_seconds: int) -> str:
        """What the driver connects by, with what the address does not say otherwise."""
        defaults = {"connect_timeout": f"{connect_seconds}", "application_name": "pendtui", **_KEEPALIVES}
        options = {**defaults, **dict(self.options), "client_encoding": "UTF8"}
        return f"postgresql://{self.netloc}{self.path}?{urlencode(options, quote_via=quote)}"

    def scrubbed(self, text: str) -> str:
        """A message of the driver as one line that holds no password."""
        for secret in sorted(self.secrets, key=len, reverse=True):
            text = text.replace(secret, "***")
        return "; ".join(line.strip() for line in text.splitlines() if line.strip()).rstrip(".?")


def _unreadable() -> JournalError:
    return JournalError(
        "the store's address cannot be read",
        remedy="Write [store] url as postgresql://user@host:5432/database; in a password, %2F for / and %40 for @",
    )
