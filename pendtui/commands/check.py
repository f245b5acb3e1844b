"""`pendtui check`: the answer key derived anew by other code, every count verified, every record swept."""

import argparse
import json
import sys
from collections.abc import Callable, Iterator, Sequence
from datetime import date
from pathlib import Path

from pendtui.commands import CHECK_FAILED, FINE
from pendtui.evals.labels import Report, check
from pendtui.plain import plain
from pendtui.tables import print_rows

COLUMNS = ("type", "record", "check", "expected", "found", "holds")
"""One row a failure, a count or a class of the sweep, in CSV and JSON lines."""
_COUNT_COLUMNS = ("held against", "count", "expected", "found", "holds")


def run(args: argparse.Namespace) -> int:
    """Check the queue under the policy, print what was found, and give 1 when anything does not hold.

    Clocks are read on the day that the policy file names and not on the desk's own setting: the key was
    labeled by the policy.
    """
    folder, policy_file = _sources(args)
    report = check(folder, policy_file, date.today())
    if args.format == "table":
        _print_for_people(report)
    elif args.format == "json":
        _print_object(report)
    else:
        print_rows(COLUMNS, _rows(report), args.format)
        _say(report.not_run, sys.stderr.write)
    return CHECK_FAILED if report.failures else FINE


def _sources(args: argparse.Namespace) -> tuple[Path, Path]:
    """The queue's folder and the policy's file, from the options or the settings."""
    from pendtui.desk import sources

    config = sources.settings(args)
    return sources.queue_folder(config), sources.policy_file(config)


def _print_for_people(report: Report) -> None:
    write = sys.stdout.write
    for failure in report.failures:
        line = f"{failure.record}: {failure.check}: expected {failure.expected}, found {failure.found}"
        write(_printable(line) + "\n")
    if report.failures:
        write("\n")
    if report.counts:
        print_rows(_COUNT_COLUMNS, report.counts)
        write("\n")
    print_rows(("sweep of every record", "found"), report.sweep.items())
    write("\n")
    _say(report.not_run, write)
    held = sum(count.holds for count in report.counts)
    write(
        f"{report.records} records, {held} of {len(report.counts)} counts hold, "
        f"{sum(report.sweep.values())} findings of the sweep, {len(report.failures)} failures\n"
    )


def _print_object(report: Report) -> None:
    found = {
        "records": report.records,
        "failures": [failure._asdict() for failure in report.failures],
        "counts": [count._asdict() for count in report.counts],
        "sweep": report.sweep,
        "not_run": report.not_run,
    }
    sys.stdout.write(json.dumps(found, indent=1) + "\n")


def _rows(report: Report) -> Iterator[Sequence[object]]:
    for failure in report.failures:
        yield ("failure", *failure, False)
    for count in report.counts:
        yield ("count", *count)
    for kind, number in report.sweep.items():
        yield ("sweep", None, kind, 0, number, number == 0)


def _say(not_run: Sequence[str], write: Callable[[str], object]) -> None:
    for what in not_run:
        write(_printable(f"not run: {what}") + "\n")


def _printable(line: str) -> str:
    """The line without control characters, in what the terminal's encoding has."""
    encoding = sys.stdout.encoding or "utf-8"
    return plain(line).encode(encoding, "backslashreplace").decode(encoding)
