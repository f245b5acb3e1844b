"""The stored evidence: its page is what the program prints of its runs, and its runs are fit to be passed on."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from pendtui.config import Config
from pendtui.desk.run_file import read_run
from pendtui.evals.exact import interval
from pendtui.evals.ground import ground_of
from pendtui.evals.injection.families import BY_NAME

ROOT = Path(__file__).parent.parent
RUNS = sorted((ROOT / "evidence" / "runs").glob("*.jsonl"))
FIGURES = sorted((ROOT / "evidence" / "injection").glob("*.jsonl"))


def test_the_page_is_what_its_commands_print() -> None:
    done = subprocess.run(
        [sys.executable, ROOT / "tools" / "evidence.py", "--check"], capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.parametrize("path", RUNS, ids=lambda path: path.stem)
def test_a_stored_run_is_whole_of_the_shipped_queue_and_names_no_folder(path: Path) -> None:
    run = read_run(path)
    assert run.header.run_id == path.stem and run.finished_at is not None
    assert len(run.records) == run.header.records and "/" not in run.header.queue
    ground = ground_of(Config(queue=ROOT / "queue"))
    assert {record.id for record in run.records} <= set(ground.gold)
    family = path.stem.removeprefix("attack-")
    if family == path.stem:
        assert ground.differs_from(run.header) == [], "measure again: the queue or the policy is another"
    else:
        assert family in BY_NAME and run.header.queue == f"queue+{family}"


@pytest.mark.parametrize("path", FIGURES, ids=lambda path: path.stem)
def test_every_stored_figure_of_the_experiment_has_its_denominator_interval_and_records(path: Path) -> None:
    rows = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    assert {row["family"] for row in rows} == set(BY_NAME)
    for row in rows:
        if row["n"] is None:
            assert (row["of"], row["share"], row["ids"]) == (None, None, [])
            continue
        assert len(row["ids"]) == row["n"] <= row["of"]
        ends = interval(row["n"], row["of"]) or (None, None)
        assert (row["low"], row["high"]) == pytest.approx(ends)
