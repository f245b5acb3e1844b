"""Lines in and lines out: no cursor is moved, nothing is coloured, and nothing in a record is obeyed."""

import os
import select
from collections.abc import Callable
from typing import TextIO

from pendtui.plain import plain

_TYPEWRITER = str.maketrans({"“": '"', "”": '"', "’": "'", "‘": "'", "…": "...", "–": "-", "—": "-"})
"""Signs of our own wording, for an output that does not have them."""


class EndOfInputError(Exception):
    """There is nothing more to read."""


class Terminal:
    """One line of input at a time, and one line of output."""

    def __init__(self, given: int, out: TextIO, *, prompts: bool) -> None:
        """`given` is the input's file descriptor. With `prompts` off, as in a pipe, no prompt is printed."""
        self._given = given
        self._out = out
        self._prompts = prompts
        self._held = b""
        self._ended = False

    def say(self, text: str = "") -> None:
        """Print one line; control characters are made visible."""
        self._print(f"{plain(text)}\n")

    def ask(self, prompt: str, meanwhile: Callable[[], None], every_seconds: float) -> str:
        """The next line of input, without its end. `meanwhile` is called now and then while it is waited for.

        Raises EndOfInputError, and KeyboardInterrupt.
        """
        if self._prompts:
            self._print(f"{plain(prompt)} ")
        self._out.flush()
        while b"\n" not in self._held and not self._ended:
            ready, _, _ = select.select([self._given], [], [], every_seconds)
            if not ready:
                meanwhile()
                continue
            part = os.read(self._given, 65536)
            self._held += part
            self._ended = not part
        line, newline, self._held = self._held.partition(b"\n")
        if not line and not newline:
            if self._prompts:
                self._print("\n")
            raise EndOfInputError
        return line.decode("utf-8", "replace").strip()

    def _print(self, text: str) -> None:
        encoding = self._out.encoding or "utf-8"
        try:
            text.encode(encoding)
        except UnicodeEncodeError:
            text = text.translate(_TYPEWRITER).encode(encoding, "backslashreplace").decode(encoding)
        self._out.write(text)
