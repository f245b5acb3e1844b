"""`pendtui serve`: the full-screen program in a browser, on the loopback interface."""

import argparse
import os
import secrets
import shlex
import sys
from urllib.parse import urlsplit

from pendtui.commands import FINE
from pendtui.desk import sources
from pendtui.errors import ConfigError, PendtuiError

TOKEN_VARIABLE = "PENDTUI_SERVE_TOKEN"
"""The environment variable with a token of one's own, for a proxy in front; without it each start makes one."""
SHORTEST_TOKEN = 20


def run(args: argparse.Namespace) -> int:
    """Serve the program until Ctrl-C. Raises PendtuiError where it cannot be served."""
    config = sources.settings(args)
    sources.queue_folder(config)
    sources.read_policy(config)
    try:
        from pendtui.web.server import HOST, Address, serve
    except ImportError:
        raise PendtuiError("a browser is served by textual-serve", remedy="Install pendtui[serve]") from None
    public_url = _public_url(args.public_url) if args.public_url else f"http://{HOST}:{args.port}"
    # The processes that show the program inherit the environment, and have no use for the token.
    token = os.environ.pop(TOKEN_VARIABLE, "") or secrets.token_urlsafe(32)
    if len(token) < SHORTEST_TOKEN or not token.isascii() or not token.isprintable():
        raise ConfigError(f"the token is not {SHORTEST_TOKEN} plain characters or more", where=TOKEN_VARIABLE)
    serve(_command(args), Address(args.port, public_url), token)
    return FINE


def _public_url(given: str) -> str:
    parts = urlsplit(given)
    if parts.scheme not in ("http", "https") or not parts.netloc or parts.path.strip("/") or parts.query:
        raise PendtuiError(f"'{given}' is no address such as https://desk.example", where="--public-url")
    return f"{parts.scheme}://{parts.netloc}"


def _command(args: argparse.Namespace) -> str:
    """The command line that opens the program for one page, with the same queue, settings and policy."""
    words = [sys.executable, "-m", "pendtui", "open"]
    for name in ("queue", "config", "policy"):
        given = getattr(args, name, None)
        if given is not None:
            words += [f"--{name}", str(given)]
    return shlex.join(words)
