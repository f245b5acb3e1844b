"""The stored runs as an archive: what each one is and cost, and a copy of one that can be passed on."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from pendtui.desk.run_file import (
    FORMAT,
    Run,
    RunHeader,
    RunSummary,
    header_object,
    read_run,
    record_object,
    run_summary,
)
from pendtui.desk.runs import run_files
from pendtui.errors import RunError


class Listed(NamedTuple):
    """One stored run of the list."""

    path: Path
    summary: RunSummary
    cost: float | None
    """What its calls cost by the tariff then in force; None where none has a known cost."""
    currency: str
    unpriced: int
    """Calls of which the cost is not known."""


class Archive(NamedTuple):
    """A folder of runs, the newest first, and what could not be read in it."""

    runs: tuple[Listed, ...]
    faults: tuple[RunError, ...]


def archive(folder: Path) -> Archive:
    """List a folder of runs. A file that is no run is among the faults and hides no other."""
    listed, faults = [], []
    for path in run_files(folder):
        try:
            listed.append(_listed(path))
        except RunError as fault:
            faults.append(fault)
    listed.sort(key=lambda each: (each.summary.header.started_at, each.summary.header.run_id), reverse=True)
    return Archive(tuple(listed), tuple(faults))


def _listed(path: Path) -> Listed:
    summary = run_summary(path)
    if summary.header.model is None:
        return Listed(path, summary, None, "", 0)
    bought = [
        record.call for record in read_run(path).records if record.call and record.call.get("held") is not True
    ]
    costs = [cost for call in bought if isinstance(cost := call.get("cost"), dict)]
    amounts = [amount for cost in costs if isinstance(amount := cost.get("amount"), int | float)]
    currency = next((str(cost["currency"]) for cost in costs if cost.get("currency")), "")
    return Listed(path, summary, sum(amounts) if amounts else None, currency, len(bought) - len(amounts))


def portable(run: Run) -> Run:
    """The run as it may be passed on: its queue by the folder's name, without where that was on a machine."""
    return run._replace(header=run.header._replace(queue=Path(run.header.queue).name))


def write_copy(run: Run, out: Path) -> None:
    """Write a run to a new file. Raises RunError where there is one already or it cannot be written."""
    lines: list[dict[str, object]] = [{"type": "run", "format": FORMAT, **header_object(run.header)}]
    lines += [{"type": "record", **record_object(record)} for record in run.records]
    if run.finished_at is not None:
        lines.append({"type": "end", "finished_at": run.finished_at, "records": len(run.records)})
    try:
        with out.open("x", encoding="utf-8", errors="backslashreplace", newline="\n") as file:
            file.writelines(json.dumps(line, ensure_ascii=False) + "\n" for line in lines)
    except FileExistsError:
        raise RunError("there is already such a file", where=str(out)) from None
    except OSError as fault:
        raise RunError(f"cannot be written: {fault.strerror}", where=str(out)) from None


def made_on(listed: Sequence[Listed], queue_sha256: str, policy_sha256: str) -> list[Listed]:
    """Those that were made on one queue under one policy."""
    return [each for each in listed if _ground(each.summary.header) == (queue_sha256, policy_sha256)]


def _ground(header: RunHeader) -> tuple[str, str]:
    return header.queue_sha256, header.policy_sha256
