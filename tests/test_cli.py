"""The command line: its help, and how wrong calls are told."""

import subprocess
import sys

import pytest

from pendtui.cli import main
from pendtui.command_help import help_page
from pendtui.commands import COMMANDS, SOURCES


@pytest.mark.parametrize("columns", [44, 80, 200])
def test_the_help_page_names_every_command_and_option_and_keeps_to_the_width(columns: int) -> None:
    page = help_page(columns)
    for word in (*COMMANDS, *SOURCES):
        assert word in page
    assert max(map(len, page.splitlines())) <= columns


@pytest.mark.parametrize("command", list(COMMANDS))
def test_each_command_has_a_help_of_its_own(command: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as left:
        main([command, "--help"])
    assert left.value.code == 0
    assert f"usage: pendtui {command}" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["frobnicate"], "invalid choice: 'frobnicate'"),
        (["--frobnicate"], "unrecognized arguments: --frobnicate"),
        (["build"], "the following arguments are required: --out"),
        (["build", "--out", "x", "--records", "0"], "'0' is not a whole number above 0"),
        (["build", "--out", "x", "--records", "many"], "'many' is not a whole number above 0"),
        (["score", "--coverage", "2", "r"], "'2' is not a share above 0 and up to 1"),
        (["clock", "--fail-on", "never"], "invalid choice: 'never'"),
        (["clock", "--as-of", "soon"], "as-of 'soon' is not register, today or a date"),
        (["clock", "--queue", "/nowhere/at/all"], "/nowhere/at/all: is not a folder"),
        (["clock", "--policy", "nowhere.toml"], "nowhere.toml: there is no such policy file"),
        (["clock", "--config", "nowhere.toml"], "nowhere.toml: there is no such configuration file"),
        (["journal", "burn"], "invalid choice: 'burn'"),
        (["read", "--only", "PC-9999"], "PC-9999"),
        (["clock\x1b[31m"], "invalid choice"),
        (["open"], "needs a terminal"),
    ],
)
def test_a_wrong_call_is_one_line_and_exit_code_2(arguments: list[str], said: str) -> None:
    call = [sys.executable, "-m", "pendtui", *arguments]
    done = subprocess.run(call, capture_output=True, text=True, check=False, stdin=subprocess.DEVNULL)
    assert done.returncode == 2
    assert said in done.stderr
    assert done.stderr.count("\n") == 1
    assert "Traceback" not in done.stderr and "\x1b" not in done.stderr


def test_with_no_queue_in_sight_the_way_to_one_is_said(tmp_path: str) -> None:
    call = [sys.executable, "-m", "pendtui"]
    done = subprocess.run(call, capture_output=True, text=True, check=False, cwd=tmp_path, stdin=subprocess.DEVNULL)
    assert done.returncode == 2
    assert "--queue DIR" in done.stderr and "pendtui demo" in done.stderr
