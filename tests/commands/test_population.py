"""`pendtui population`: the standards as rows, from queue, journal and month totals."""

import csv
import io
from pathlib import Path

import pytest

from tests.commands.conftest import Program
from tests.queues import FIVE, write_queue

TOTALS = "[population]\nmonths.2026-08.CL-3 = {received = 20, in_time = 19}\n"


@pytest.fixture
def queue(tmp_path: Path) -> Path:
    return write_queue(tmp_path / "queue", FIVE)


def test_each_standard_and_month_is_a_row(program: Program, queue: Path, tmp_path: Path) -> None:
    config = tmp_path / "config.toml"
    config.write_text(TOTALS, encoding="utf-8")
    done = program("population", "--queue", str(queue), "--config", str(config), "--format", "csv")
    assert done.code == 0
    found = list(csv.DictReader(io.StringIO(done.out)))
    of_august = next(row for row in found if (row["standard"], row["month"]) == ("CL-3", "2026-08"))
    assert (of_august["received"], of_august["in_time"], of_august["verdict"]) == ("20", "19", "met")
    of_july = next(row for row in found if (row["standard"], row["month"]) == ("CL-3", "2026-07"))
    assert (of_july["received"], of_july["verdict"]) == ("", "no denominator")


def test_a_total_that_cannot_be_is_one_line(program: Program, queue: Path, tmp_path: Path) -> None:
    config = tmp_path / "config.toml"
    config.write_text("[population]\nmonths.2026-08.CL-2 = {received = 20}\n", encoding="utf-8")
    done = program("population", "--queue", str(queue), "--config", str(config))
    assert done.code == 2
    assert "CL-2 is no population standard of PR-2026" in done.err
    assert done.err.count("\n") == 1
