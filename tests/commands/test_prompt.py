"""`pendtui prompt` on a queue on disk."""

import json
from datetime import date
from pathlib import Path

import pytest

from pendtui.engines.prompt import PARTS, build_prompt, messages
from tests.commands.conftest import Program
from tests.policies import policy
from tests.queues import FIVE, write_queue
from tests.records import record_text


@pytest.fixture
def queue(tmp_path: Path) -> Path:
    return write_queue(tmp_path / "queue", FIVE)


def test_both_messages_are_printed_with_the_record_as_it_is(program: Program, queue: Path) -> None:
    outcome = program("prompt", "PC-0002")
    assert outcome.code == 0
    text = (queue / "PC-0002.txt").read_text(encoding="utf-8")
    asked = build_prompt(policy(), text)
    system, user = (message["content"] for message in messages(asked))
    assert outcome.out == f"[system]\n{system}\n\n[user]\n{user}\n\n"
    assert text in outcome.out
    assert asked.sha256 in outcome.err


def test_the_parts_are_listed_with_their_characters_and_shares(program: Program, queue: Path) -> None:
    outcome = program("prompt", "PC-0002", "--parts", "--format", "json")
    rows = json.loads(outcome.out)
    assert [row["part"] for row in rows] == list(PARTS)
    asked = build_prompt(policy(), (queue / "PC-0002.txt").read_text(encoding="utf-8"))
    assert [row["characters"] for row in rows] == [len(part.text) for part in asked.parts]
    assert sum(row["share"] for row in rows) == pytest.approx(1, abs=0.001)
    table = program("prompt", "PC-0002", "--parts").out.splitlines()
    assert len(table) == 2 + 6
    assert all(line.endswith("%") for line in table[2:])


def test_text_of_a_record_reaches_no_terminal_as_a_control_sequence(program: Program, tmp_path: Path) -> None:
    folder = tmp_path / "queue"
    folder.mkdir()
    text = record_text(message=["EDIT 4410 \x1b[2J no \x9b31m precert \u202e on file."])
    (folder / "PC-0001.txt").write_text(text, encoding="utf-8")
    for form in ("table", "json", "jsonl", "csv"):
        out = program("prompt", "PC-0001", "--format", form).out
        assert not {"\x1b", "\x9b", "\u202e"} & set(out), form
    asked = [json.loads(line) for line in program("prompt", "PC-0001", "--format", "jsonl").out.splitlines()]
    assert asked == messages(build_prompt(policy(), text)), "JSON gives it to the letter"


def test_a_clock_read_today_is_asked_for_with_the_day(program: Program, queue: Path, tmp_path: Path) -> None:
    (tmp_path / "config.toml").write_text('[desk]\nas_of = "today"\n', encoding="utf-8")
    before = date.today()
    out = program("prompt", "PC-0001").out
    assert f"receipt to {before}" in out or f"receipt to {date.today()}" in out


def test_an_unknown_record_is_one_line_and_exit_2(program: Program, queue: Path) -> None:
    outcome = program("prompt", "PC-0999")
    assert (outcome.code, outcome.out) == (2, "")
    assert "there is no record PC-0999" in outcome.err and outcome.err.count("\n") == 1
