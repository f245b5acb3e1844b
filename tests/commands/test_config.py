"""`pendtui config`: values, origins and meanings; never the key."""

import json
from pathlib import Path

import pytest

from pendtui.config import SECTIONS
from tests.commands.conftest import Program


def shown(program: Program, *arguments: object) -> dict[str, dict[str, object]]:
    outcome = program("config", "--format", "json", *arguments)
    assert outcome.code == 0
    return {row["key"]: row for row in json.loads(outcome.out)}


def test_every_setting_is_listed_with_its_meaning(program: Program) -> None:
    rows = shown(program)
    assert list(rows) == [f"{table}.{key}" for table, keys in SECTIONS.items() for key in keys] + ["API_KEY"]
    for key, row in rows.items():
        assert row["meaning"], f"{key} says nothing of what it is for"
        assert not str(row["meaning"]).startswith("["), "the key is not repeated"
    assert rows["desk.policy"]["value"] == "pr-2026"
    assert rows["screen.confirm_denials"]["value"] is True
    assert rows["desk.as_of"]["value"] is None


def test_each_value_says_where_it_came_from(
    program: Program, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "config.toml").write_text(
        '[desk]\npolicy = "rg-2026"\nreader = "phrase"\n[screen]\nconfirm_denials = false\n', encoding="utf-8"
    )
    monkeypatch.setenv("PENDTUI_READER", "floor")
    rows = shown(program, "--queue", "monday")
    assert (rows["desk.policy"]["value"], rows["desk.policy"]["origin"]) == ("rg-2026", "config.toml")
    assert (rows["desk.reader"]["value"], rows["desk.reader"]["origin"]) == ("floor", "PENDTUI_READER")
    assert (rows["desk.queue"]["value"], rows["desk.queue"]["origin"]) == ("monday", "--queue")
    assert (rows["screen.theme"]["value"], rows["screen.theme"]["origin"]) == ("dark", "default")
    assert rows["screen.confirm_denials"]["value"] is False


def test_folders_left_to_the_platform_are_shown_as_they_are_in_force(program: Program, tmp_path: Path) -> None:
    rows = shown(program)
    assert rows["desk.runs"]["value"] == str(tmp_path / "runs")
    assert str(rows["desk.journal"]["value"]).endswith("journal.db")
    assert str(tmp_path) in str(rows["desk.journal"]["value"])


def test_of_the_key_only_its_presence_is_said(program: Program, monkeypatch: pytest.MonkeyPatch) -> None:
    assert shown(program)["API_KEY"]["value"] == "absent"
    monkeypatch.setenv("API_KEY", "s3cret-value")
    assert shown(program)["API_KEY"]["value"] == "present"
    for form in ("table", "json", "jsonl", "csv"):
        outcome = program("config", "--format", form)
        assert "s3cret" not in outcome.out + outcome.err


def test_a_wrong_settings_file_is_one_line_and_exit_2(program: Program, tmp_path: Path) -> None:
    (tmp_path / "config.toml").write_text("[desk]\ncolour = 1\n", encoding="utf-8")
    outcome = program("config")
    assert (outcome.code, outcome.out) == (2, "")
    assert "unknown key colour" in outcome.err and outcome.err.count("\n") == 1
