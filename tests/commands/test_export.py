"""`pendtui export` and `pendtui handover`: to the terminal, or to a new file."""

import json
import stat
from pathlib import Path

import pytest

from tests.commands.conftest import Program
from tests.queues import FIVE, write_queue


@pytest.fixture
def queue(tmp_path: Path) -> Path:
    return write_queue(tmp_path / "queue", FIVE)


def test_the_listed_claims_are_csv_unless_told_otherwise(program: Program, queue: Path) -> None:
    done = program("export", "--filter", "breached")
    assert (done.code, done.err) == (0, "")
    assert [line.split(",")[0] for line in done.out.splitlines()] == ["record_id", "PC-0002", "PC-0004"]


@pytest.mark.parametrize(
    ("name", "start"), [("a.jsonl", "{"), ("a.md", "# "), ("a.HTML", "<!DOCTYPE"), ("a.csv", "rec")]
)
def test_the_files_ending_says_the_format_and_one_line_says_where_it_is(
    program: Program, queue: Path, tmp_path: Path, name: str, start: str
) -> None:
    done = program("export", "--out", name)
    assert (done.code, done.out, done.err) == (0, "", f"pendtui: 5 claims written to {name}\n")
    assert (tmp_path / name).read_text(encoding="utf-8").startswith(start)
    assert stat.S_IMODE((tmp_path / name).stat().st_mode) == 0o600


@pytest.mark.parametrize("arguments", [("export",), ("handover", "PC-0002")])
def test_no_file_is_written_over_unless_asked_to(
    program: Program, queue: Path, tmp_path: Path, arguments: tuple[str, ...]
) -> None:
    mine = tmp_path / "mine.html"
    mine.write_text("mine", encoding="utf-8")
    done = program(*arguments, "--out", mine)
    assert done.code == 2
    assert done.err == f"pendtui: {mine}: there is such a file already. Name another one\n"
    assert mine.read_text(encoding="utf-8") == "mine"
    assert program(*arguments, "--out", mine, "--replace").code == 0
    assert mine.read_text(encoding="utf-8").startswith("<!DOCTYPE html>")
    assert sorted(file.name for file in tmp_path.glob("mine*")) == ["mine.html"]


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (
            ("export", "--out", "a.pdf"),
            "a.pdf: the name's ending says no format. End it in one of .csv, .jsonl, .md, .html",
        ),
        (("export", "--filter", "nix:1"), "'nix:' is no filter word"),
        (("export", "PC-9999"), "PC-9999: no such record in the queue"),
        (("handover", "PC-9999"), "PC-9999: the record is no longer in the queue"),
        (("handover", "PC-0001", "--out", "a.csv"), "End it in one of .html, .md, .jsonl"),
        (("handover",), "the following arguments are required: RECORD"),
    ],
)
def test_a_wrong_call_is_one_line_and_leaves_no_file(
    program: Program, queue: Path, tmp_path: Path, arguments: tuple[str, ...], said: str
) -> None:
    done = program(*arguments)
    assert done.code == 2 and said in done.err and done.err.count("\n") == 1
    assert not list(tmp_path.glob("a.*"))


def test_sheets_of_the_named_records_are_written(program: Program, queue: Path) -> None:
    done = program("handover", "PC-0003", "PC-0001", "--format", "jsonl")
    assert [json.loads(line)["record_id"] for line in done.out.splitlines()] == ["PC-0003", "PC-0001"]
