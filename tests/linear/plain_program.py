"""Plain mode as a program of its own: typed to through a pipe or a pty, its lines read back."""

import os
import pty
import select
import subprocess
import sys
import time
from pathlib import Path

from tests.terminal.tmux import environ_for

PATIENCE = 30.0
"""Seconds to wait for a line before a test fails."""

COMMAND = [sys.executable, "-m", "pendtui", "--plain"]


def environ(folder: Path, **more: str) -> dict[str, str]:
    """The environment of a program that keeps everything inside a test's folder."""
    return {**os.environ, **environ_for(folder, **more)}


def piped(
    folder: Path, *typed: str, arguments: tuple[str, ...] = (), **more: str
) -> subprocess.CompletedProcess[str]:
    """The program run to its end with these lines as its input."""
    return subprocess.run(
        COMMAND,
        input="".join(f"{line}\n" for line in typed),
        capture_output=True,
        text=True,
        check=False,
        timeout=2 * PATIENCE,
        env=environ(folder, **more),
    )


IN_A_TERMINAL = """
import fcntl, runpy, sys, termios
fcntl.ioctl(0, termios.TIOCSCTTY, 0)
runpy.run_module("pendtui", run_name="__main__", alter_sys=True)
"""
"""Runs the program with its input as the terminal that Ctrl-C comes from."""


class Talk:
    """The program in a pty, line by line."""

    def __init__(self, folder: Path, **more: str) -> None:
        self._ours, theirs = pty.openpty()
        self.shown = ""
        self.program = subprocess.Popen(
            [sys.executable, "-c", IN_A_TERMINAL, *COMMAND[3:]],
            stdin=theirs,
            stdout=theirs,
            stderr=theirs,
            env=environ(folder, TERM="dumb", **more),
            start_new_session=True,
        )
        os.close(theirs)

    def type(self, text: str) -> None:
        """Type a line and its Enter, or a control character as it is."""
        os.write(self._ours, (text if text in ("\x03", "\x04") else f"{text}\n").encode())

    def wait_for(self, text: str) -> str:
        """What was shown since the last call up to where the text comes."""
        until = time.monotonic() + PATIENCE
        while text not in self.shown:
            left = until - time.monotonic()
            if left <= 0 or not self._read(left):
                raise AssertionError(f"{text!r} did not come; shown is:\n{self.shown}")
        before, _, self.shown = self.shown.partition(text)
        return before + text

    def end(self) -> int:
        """The exit code, once the program has ended."""
        until = time.monotonic() + PATIENCE
        while self._read(max(0.0, until - time.monotonic())):
            pass
        os.close(self._ours)
        return self.program.wait(PATIENCE)

    def _read(self, seconds: float) -> bool:
        ready, _, _ = select.select([self._ours], [], [], seconds)
        try:
            part = os.read(self._ours, 65536) if ready else b""
        except OSError:  # the other end is closed
            return False
        self.shown += part.decode()
        return bool(part)
