"""`pendtui runs cost`: what a run's calls cost, what drove it, and what the same would cost elsewhere."""

import argparse
import sys

from pendtui.config import Config
from pendtui.desk import sources
from pendtui.desk.model.tariff import load_tariff
from pendtui.desk.queue_folder import read_record
from pendtui.desk.run_file import Run, read_run
from pendtui.desk.runs import find_run, queue_state
from pendtui.engines.readers import offline_reader
from pendtui.errors import PendtuiError, RunError
from pendtui.evals.calls import calls_of
from pendtui.evals.cost import Figure, costs_under, only_unsure, projected, spent, under
from pendtui.plain import plain
from pendtui.tables import print_rows

COLUMNS = ("group", "figure", "value", "unit", "basis", "note")


def run(config: Config, args: argparse.Namespace) -> int:
    """Print the figures, each marked as measured or as arithmetic."""
    stored = read_run(find_run(config.runs_folder(), args.run[0]))
    calls = calls_of(stored)
    if not calls:
        raise PendtuiError(f"run {stored.header.run_id} made no calls", remedy="Only runs of the model arm do")
    measured = spent(calls)
    groups: list[tuple[str, list[Figure]]] = [("this run", measured)]
    costs = {call.id: call.cost for call in calls}
    base = measured
    for file in args.tariff or ():
        tariff = load_tariff(file)
        figures = under(tariff, calls)
        groups.append((f"under {tariff.name or file.name}", figures))
        if measured[1].value is None and base is measured:
            base, costs = figures, costs_under(tariff, calls)
            calls = tuple(call._replace(currency=tariff.currency) for call in calls)
        if args.records:
            groups.append((f"under {tariff.name or file.name}", [projected(figures, len(calls), args.records)]))
    if args.records and measured[1].value is not None:
        groups.append(("this run", [projected(measured, int(measured[0].value or 0), args.records)]))
    groups.append(("only unsure", only_unsure(calls, costs, _marked(config, stored))))
    rows = [(group, *_cells(figure, args.format)) for group, figures in groups for figure in figures]
    print_rows(COLUMNS, rows, args.format)
    sys.stdout.flush()
    out = sys.stdout if args.format == "table" else sys.stderr
    out.write(
        plain(
            f"run {stored.header.run_id}; measured: the server's own counts, at the prices in force at each call's "
        )
        + "UTC time; arithmetic: worked out from those, and not measured\n"
    )
    return 0


def _cells(figure: Figure, format: str) -> tuple[object, ...]:
    value: object = figure.value
    if format == "table" and figure.value is not None:
        whole = figure.unit in ("calls", "tokens")
        value = f"{figure.value:.0f}" if whole else f"{figure.value:.6f}" if figure.unit else f"{figure.value:.1%}"
    return figure.name, value, figure.unit, figure.basis, figure.note


def _marked(config: Config, run: Run) -> set[str]:
    """The records that the floor would ask about. Raises RunError where the queue is another one by now."""
    folder = sources.queue_folder(config)
    queue = queue_state(folder)
    if queue.sha256 != run.header.queue_sha256:
        raise RunError(
            f"run {run.header.run_id} was made on another queue than {folder}, so the floor would mark other text",
            remedy="Name its queue with --queue",
        )
    floor = offline_reader("floor")
    asked = {record.id for record in run.records}
    return {
        file.id
        for file in queue.files
        if file.id in asked and floor.read(read_record(file.path, file.id).record).unsure
    }
