"""A real terminal for tests: the program in tmux, typed to and read back."""

import os
import shutil
import subprocess
import sys
import time
from collections.abc import Mapping
from pathlib import Path

import pytest

needs_tmux = pytest.mark.skipif(shutil.which("tmux") is None, reason="tmux is not installed")

PATIENCE = 20.0
"""Seconds to wait for something to appear before a test fails."""


class Terminal:
    """One tmux session of its own server, with one program in it."""

    def __init__(self, folder: Path, columns: int, lines: int, environ: Mapping[str, str], *arguments: str) -> None:
        self._socket = str(folder / "tmux")
        settings = [f"{name}={value}" for name, value in environ.items()]
        # A test runner's own COLUMNS and LINES would overrule the terminal's size.
        command = ["env", "-u", "COLUMNS", "-u", "LINES", *settings, sys.executable, "-m", "pendtui", *arguments]
        size = ["-x", str(columns), "-y", str(lines)]
        # `exec sleep` keeps the pane, and so the last screen, when the program has ended.
        shell = " ".join(f"'{word}'" for word in command) + "; echo PROGRAM-ENDED $?; exec sleep 1000"
        self._tmux("-f", "/dev/null", "new-session", "-d", "-s", "desk", *size, shell)

    def press(self, *keys: str) -> None:
        """Send keys by tmux's names."""
        self._tmux("send-keys", "-t", "desk", *keys)

    def type(self, text: str) -> None:
        """Send text letter by letter."""
        self._tmux("send-keys", "-t", "desk", "-l", text)

    def screen(self) -> str:
        """The characters on screen now."""
        return self._tmux("capture-pane", "-p", "-t", "desk")

    def wait_for(self, text: str) -> str:
        """The screen, once it shows the text."""
        until = time.monotonic() + PATIENCE
        while text not in (screen := self.screen()):
            if time.monotonic() > until:
                raise AssertionError(f"{text!r} did not appear; the screen is:\n{screen}")
            time.sleep(0.05)
        return screen

    def wait_until_gone(self, text: str, seconds: float = PATIENCE) -> str:
        """The screen, once it no longer shows the text."""
        until = time.monotonic() + seconds
        while text in (screen := self.screen()):
            if time.monotonic() > until:
                raise AssertionError(f"{text!r} stays; the screen is:\n{screen}")
            time.sleep(0.05)
        return screen

    def hang_up(self) -> None:
        """Lose the terminal, as when a line is cut: what runs in it gets SIGHUP."""
        self._tmux("kill-session", "-t", "desk")

    def resize(self, columns: int, lines: int) -> None:
        """Give the terminal another size."""
        self._tmux("resize-window", "-t", "desk", "-x", str(columns), "-y", str(lines))

    def program_pid(self) -> int:
        """The process id of the program itself."""
        shell = self._tmux("display-message", "-p", "-t", "desk", "#{pane_pid}").strip()
        children = Path(f"/proc/{shell}/task/{shell}/children").read_text().split()
        return int(children[0])

    def close(self) -> None:
        """End session and server."""
        self._tmux("kill-server")

    def _tmux(self, *arguments: str) -> str:
        environ = {name: value for name, value in os.environ.items() if name != "TMUX"}
        done = subprocess.run(
            ["tmux", "-S", self._socket, *arguments], capture_output=True, text=True, env=environ, check=False
        )
        if done.returncode != 0 and arguments[0] != "kill-server":
            raise AssertionError(f"tmux {arguments[0]}: {done.stderr.strip()}")
        return done.stdout


def environ_for(folder: Path, **more: str) -> dict[str, str]:
    """Settings that keep a program inside a test's own folder."""
    return {
        "PENDTUI_QUEUE": str(folder / "queue"),
        "PENDTUI_JOURNAL": str(folder / "journal.db"),
        "PENDTUI_INDEX_FOLDER": str(folder / "index"),
        "PENDTUI_DISPLAY_NAME": "ann",
        "HOME": str(folder),
        **more,
    }
