"""`pendtui check` on the command line."""

import csv
import io
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from pendtui.cli import main
from tests.evals.label_queue import Queue, hand_made

ROOT = Path(__file__).parents[2]


def check(queue: Queue, folder: Path, *options: str) -> int:
    where, policy = queue.write(folder)
    return main(["check", "--queue", str(where), "--policy", str(policy), *options])


def broken() -> Queue:
    """A queue with two things wrong: one answer of the key, and one identifier."""
    queue = hand_made()
    queue.label(6)["clock"] = "WITHIN-CLOCK"
    queue.note(2, "SSN on the fax was 219-09-9999.")
    return queue


def test_a_sound_queue_passes_and_its_counts_are_listed(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert check(hand_made(), tmp_path) == 0
    out, err = capsys.readouterr()
    assert err == ""
    assert "must_escalate" in out and "clock_trap_records" in out
    assert out.splitlines()[-1].startswith("11 records, ")
    assert out.splitlines()[-1].endswith(" 0 findings of the sweep, 0 failures")


def test_a_failure_is_one_line_and_exit_1(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert check(broken(), tmp_path) == 1
    out, _ = capsys.readouterr()
    assert out.splitlines()[0].startswith("PC-0002: sweep ssn: expected none, found one at line ")
    assert out.splitlines()[1] == "PC-0006: clock: expected BREACHED by CL-3, found WITHIN-CLOCK"
    assert out.splitlines()[-1].endswith(" 1 findings of the sweep, 2 failures")
    assert "219-09-9999" not in out


def test_json_is_one_object(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert check(broken(), tmp_path, "--format", "json") == 1
    found: dict[str, Any] = json.loads(capsys.readouterr().out)
    assert found["failures"][1] == {
        "record": "PC-0006",
        "check": "clock",
        "expected": "BREACHED by CL-3",
        "found": "WITHIN-CLOCK",
    }
    assert {"source": "corpus.json", "name": "must_escalate", "expected": 2, "found": 2, "holds": True} in found[
        "counts"
    ]
    assert found["sweep"]["ssn"] == 1 and found["sweep"]["mbi"] == 0
    assert (found["records"], found["not_run"]) == (11, [])


def test_json_lines_and_csv_have_a_row_a_failure_count_and_class(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "a").mkdir()
    (tmp_path / "b").mkdir()
    assert check(broken(), tmp_path / "a", "--format", "jsonl") == 1
    lines = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert check(broken(), tmp_path / "b", "--format", "csv") == 1
    rows = list(csv.DictReader(io.StringIO(capsys.readouterr().out)))
    assert [row["type"] for row in rows] == [line["type"] for line in lines]
    assert {row["type"] for row in rows} == {"failure", "count", "sweep"}
    assert rows[0]["record"] == lines[0]["record"] == "PC-0002"
    assert lines[-1] == {
        "type": "sweep",
        "record": None,
        "check": "x12_segment",
        "expected": 0,
        "found": 0,
        "holds": True,
    }


def test_what_was_not_run_is_said(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    queue = hand_made()
    queue.absent |= {"gold.jsonl", "corpus.json"}
    assert check(queue, tmp_path) == 0
    out, _ = capsys.readouterr()
    assert "not run: the answer key: there is no gold.jsonl" in out
    assert "not run: cases and counts: there is no corpus.json" in out


def test_control_characters_of_a_file_do_not_reach_the_terminal(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    queue = hand_made()
    queue.label(1)["clock"] = "\x1b[2J\u202eWITHIN"
    assert check(queue, tmp_path) == 1
    out, _ = capsys.readouterr()
    assert "\x1b" not in out and "\u202e" not in out
    assert len(out.split("\n\n")[0].splitlines()) == 1


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--queue", "/nowhere/at/all"], "not a folder"),
        (["--queue", str(ROOT / "queue"), "--policy", "pr-1999"], "no such policy"),
    ],
)
def test_a_wrong_queue_or_policy_is_one_line_and_exit_2(
    options: list[str], said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["check", *options]) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert said in err and len(err.splitlines()) == 1


def test_the_shipped_queue_passes_from_the_shell() -> None:
    shown = subprocess.run(
        [sys.executable, "-m", "pendtui", "check", "--queue", "queue", "--format", "json"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert (shown.returncode, shown.stderr) == (0, "")
    found = json.loads(shown.stdout)
    assert found["failures"] == [] and found["records"] == 60
    assert all(count["holds"] for count in found["counts"])
    shipped = {count["name"] for count in found["counts"] if count["source"] == "shipped queue"}
    assert {"rules.PR-1", "cases.breached", "must_escalate", "cause_sentences", "register_lines"} <= shipped
