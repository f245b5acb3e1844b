"""The command line as a test calls it: in this process, away from the machine's own settings and folders."""

import os
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest

from pendtui.cli import main


@dataclass(frozen=True, slots=True)
class Outcome:
    """What a call came to."""

    code: int
    out: str
    err: str


Program = Callable[..., Outcome]


@pytest.fixture
def program(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Program:
    """Call `pendtui` with these arguments, in a folder of the test's own that also holds its state."""
    for variable in [name for name in os.environ if name.startswith("PENDTUI_") or name == "API_KEY"]:
        monkeypatch.delenv(variable)
    for variable in ("HOME", "XDG_STATE_HOME", "XDG_CACHE_HOME", "XDG_CONFIG_HOME"):
        monkeypatch.setenv(variable, str(tmp_path / "home"))
    monkeypatch.setenv("PENDTUI_RUNS", str(tmp_path / "runs"))
    monkeypatch.chdir(tmp_path)

    def call(*arguments: object) -> Outcome:
        capsys.readouterr()
        try:
            code = main([str(argument) for argument in arguments])
        except SystemExit as left:
            code = int(str(left.code or 0))
        captured = capsys.readouterr()
        return Outcome(code, captured.out, captured.err)

    return call
