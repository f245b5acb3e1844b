"""`pendtui clock`: the order, the sum, the exit code for cron."""

import json
import os
import subprocess
import sys
from datetime import date
from pathlib import Path

import pytest

import pendtui
from tests.commands.conftest import Program
from tests.queues import FIVE, days_left, write_queue
from tests.records import record_text

COLUMNS = [
    "id",
    "claim_id",
    "line_of_business",
    "state",
    "days_left",
    "received_on",
    "as_of",
    "elapsed_days",
    "deadline_days",
    "deadline_on",
    "clock_rule",
    "basis",
    "cite",
    "pend_state",
    "fault",
]


@pytest.fixture
def queue(tmp_path: Path) -> Path:
    return write_queue(tmp_path / "queue", FIVE)


def listed(out: str) -> list[dict[str, object]]:
    rows: list[dict[str, object]] = json.loads(out)
    return rows


def test_the_most_urgent_claim_comes_first(program: Program, queue: Path) -> None:
    outcome = program("clock", "--format", "json")
    assert outcome.code == 0
    rows = listed(outcome.out)
    assert [(row["id"], row["days_left"], row["state"]) for row in rows] == [
        ("PC-0002", -4, "BREACHED"),
        ("PC-0004", -1, "BREACHED"),
        ("PC-0003", 3, "ESCALATE-NOW"),
        ("PC-0005", 5, "ESCALATE-NOW"),
        ("PC-0001", 20, "WITHIN-CLOCK"),
    ]
    assert "2 breached, 2 to escalate now, 1 within the clock, 0 with no clock known" in outcome.err


def test_every_term_of_the_sum_is_in_its_column(program: Program, queue: Path) -> None:
    row = listed(program("clock", "--format", "json").out)[0]
    assert list(row) == COLUMNS
    assert (row["claim_id"], row["line_of_business"]) == ("CLM-2026-400002", "MEDICAID")
    assert (row["received_on"], row["as_of"]) == ("2026-07-29", "2026-09-01")
    assert (row["elapsed_days"], row["deadline_days"], row["deadline_on"]) == (34, 30, "2026-08-28")
    assert (row["clock_rule"], row["basis"], row["cite"]) == ("CL-3", "regulation", "42 CFR 447.45(d)(2)")
    assert (row["pend_state"], row["fault"]) == ("BREACHED", None)


def test_what_the_pend_date_would_have_said_stands_beside_it(program: Program, tmp_path: Path) -> None:
    late = days_left(-1) | {"pended_on": "2026-08-20"}
    write_queue(tmp_path / "queue", {"PC-0001": late})
    (row,) = listed(program("clock", "--format", "json").out)
    assert (row["state"], row["pend_state"]) == ("BREACHED", "WITHIN-CLOCK")


def test_the_clocks_can_be_read_on_another_day(program: Program, queue: Path) -> None:
    rows = listed(program("clock", "--as-of", "2026-09-11", "--format", "json").out)
    assert [row["days_left"] for row in rows] == [-14, -11, -7, -5, 10]
    assert {row["as_of"] for row in rows} == {"2026-09-11"}
    before = date.today()
    rows = listed(program("clock", "--as-of", "today", "--format", "json").out)
    assert {row["as_of"] for row in rows} <= {str(before), str(date.today())}


@pytest.mark.parametrize(
    ("left", "fail_on", "code"),
    [
        (-1, "breached", 3),
        (-1, "escalate", 3),
        (0, "breached", 0),
        (0, "escalate", 3),
        (5, "escalate", 3),
        (6, "escalate", 0),
        (6, "breached", 0),
    ],
)
def test_a_condition_that_holds_is_exit_3(
    program: Program, tmp_path: Path, left: int, fail_on: str, code: int
) -> None:
    write_queue(tmp_path / "queue", {"PC-0001": days_left(20), "PC-0002": days_left(left)})
    outcome = program("clock", "--fail-on", fail_on)
    assert outcome.code == code
    assert "PC-0002" in outcome.out
    assert outcome.err.count("\n") == (1 if code else 0), "cron mails only what somebody has to read"


def test_faulty_records_keep_their_clock_and_unknown_ones_come_last(program: Program, queue: Path) -> None:
    (queue / "PC-0003.txt").write_text("", encoding="utf-8")
    (queue / "PC-0000.txt").write_text("only a note\n", encoding="utf-8")
    outcome = program("clock", "--format", "json", "--fail-on", "breached")
    rows = listed(outcome.out)
    assert [row["id"] for row in rows] == ["PC-0002", "PC-0004", "PC-0003", "PC-0005", "PC-0001", "PC-0000"]
    assert rows[2]["fault"] == "the file is empty" and rows[2]["days_left"] == 3
    unknown = rows[-1]
    assert (unknown["state"], unknown["days_left"], unknown["claim_id"]) == (None, None, None)
    assert "the first line is not" in str(unknown["fault"])
    assert outcome.code == 3 and "1 with no clock known" in outcome.err


def test_an_unknown_clock_is_told_even_where_no_condition_holds(program: Program, tmp_path: Path) -> None:
    write_queue(tmp_path / "queue", {"PC-0001": days_left(20)})
    (tmp_path / "queue" / "PC-0002.txt").write_text("only a note\n", encoding="utf-8")
    outcome = program("clock", "--fail-on", "breached")
    assert outcome.code == 0
    assert "1 with no clock known" in outcome.err


def test_days_that_a_contract_sets_and_nobody_entered_are_blank(program: Program, tmp_path: Path) -> None:
    write_queue(tmp_path / "queue", {"PC-0001": {"contracted": True}})
    (row,) = listed(program("clock", "--policy", "rg-2026", "--format", "json").out)
    assert row["basis"] == "contract"
    assert (row["state"], row["days_left"], row["deadline_on"]) == (None, None, None)
    assert row["elapsed_days"] == 22


def test_a_record_that_disagrees_with_its_row_is_listed_by_the_more_urgent_of_the_two(
    program: Program, tmp_path: Path
) -> None:
    folder = write_queue(tmp_path / "queue", {"PC-0001": {}})
    (folder / "PC-0001.txt").write_text(record_text(received_on="2026-06-01"), encoding="utf-8")
    (row,) = listed(program("clock", "--format", "json").out)
    assert (row["received_on"], row["state"], row["days_left"]) == ("2026-06-01", "BREACHED", -32)
    assert "received on" in str(row["fault"])


def test_every_format_lists_every_claim(program: Program, queue: Path) -> None:
    assert len(program("clock").out.splitlines()) == 2 + 5
    assert len(program("clock", "--format", "jsonl").out.splitlines()) == 5
    assert program("clock", "--format", "csv").out.splitlines()[0].split(",") == COLUMNS


def test_the_program_itself_exits_with_3(queue: Path, tmp_path: Path) -> None:
    environ = {**os.environ, "PYTHONPATH": str(Path(pendtui.__file__).parent.parent)}
    command = [sys.executable, "-m", "pendtui", "clock", "--queue", str(queue)]

    def code(*arguments: str) -> int:
        return subprocess.run(
            [*command, *arguments], cwd=tmp_path, env=environ, capture_output=True, check=False
        ).returncode

    assert code() == 0
    assert code("--fail-on", "breached") == 3
    assert code("--fail-on", "never") == 2
    assert code("--queue", "nowhere") == 2
