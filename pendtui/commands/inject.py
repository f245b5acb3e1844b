"""`pendtui inject`: add a line to the notes of every record, read them so, and say what it moved."""

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

from pendtui.commands import CHECK_FAILED, FINE
from pendtui.config import Config
from pendtui.desk import sources
from pendtui.desk.offline_runs import start
from pendtui.desk.run_file import Run, read_run, run_path
from pendtui.desk.runs import find_run, queue_state
from pendtui.engines.readers import OFFLINE_ARMS
from pendtui.errors import PendtuiError, QueueError, RunError
from pendtui.evals.ground import Ground, ground_of
from pendtui.evals.injection.attack import attacks, write_attacked_queue
from pendtui.evals.injection.families import BY_NAME, FAMILIES, Family
from pendtui.evals.injection.outcome import BY_CONSTRUCTION, Outcome, outcome, require_same_question
from pendtui.plain import plain
from pendtui.tables import print_rows

COLUMNS = ("family", "figure", "n", "of", "share", "low", "high", "note", "ids")
"""Of the formats for programs: a row a figure. The table has a row a family and a column a figure."""
DRY_COLUMNS = ("family", "id", "line")


def run(args: argparse.Namespace) -> int:
    """Show the lines, or read with them; 1 when a call failed. Only calls to a model need --yes."""
    config = sources.settings(args)
    ground = ground_of(config)
    families = _families(args.families)
    if args.dry_run:
        return _show(ground, families, args)
    offline = args.arm in OFFLINE_ARMS
    if offline:
        control = start(config, args.arm, args.only, args.limit).run()
        if args.control is not None:
            control = read_run(find_run(config.runs_folder(), args.control))
    elif args.control is None:
        raise PendtuiError("name the model's run over the records as they are: --control RUN")
    else:
        control = read_run(find_run(config.runs_folder(), args.control))
    if ground.differs_from(control.header):
        raise RunError(
            f"run {control.header.run_id} is no control here: {'; '.join(ground.differs_from(control.header))}"
        )
    ids = _ids(ground, control, args)
    stored = {} if offline else _stored(config, ground, families, args.run_id)
    missing = [] if offline else [family for family in families if family.name not in stored]
    if missing and not args.yes:
        raise PendtuiError(
            f"this makes up to {len(missing) * len(ids)} calls: {len(missing)} lines in {len(ids)} records",
            remedy="Look at the lines with --dry-run; go on with --yes",
        )
    outcomes, failed = [], False
    for family in families:
        if offline:
            attacked = _read_offline(config, ground, family, args.arm, ids)
        elif family.name in stored:
            attacked = stored[family.name]
        else:
            attacked, stopped = _ask(config, args, ground, family, control=control, ids=ids)
            failed = failed or stopped or any(record.error for record in attacked.records)
        outcomes.append(outcome(ground, family, control, attacked, attacks(ground, family)))
    _print(outcomes, control, args.format)
    return CHECK_FAILED if failed else FINE


def _families(named: Sequence[str] | None) -> list[Family]:
    unknown = sorted(set(named or ()) - BY_NAME.keys())
    if unknown:
        raise PendtuiError(f"there is no family {', '.join(unknown)}", remedy=f"There are {', '.join(BY_NAME)}")
    return [family for family in FAMILIES if not named or family.name in named]


def _show(ground: Ground, families: list[Family], args: argparse.Namespace) -> int:
    ids = _chosen(list(ground.gold), args)
    if args.only is None and args.limit is None:
        ids = ids[:1]
    rows = [
        (family.name, record_id, each.line)
        for family in families
        for record_id, each in attacks(ground, family, ids).items()
    ]
    print_rows(DRY_COLUMNS, rows, args.format)
    sys.stdout.flush()
    sys.stderr.write(
        f"pendtui inject: {len(rows)} lines shown, of {len(families)} families in {len(ground.gold)} records; "
        "nothing was read and nothing was asked\n"
    )
    return FINE


def _ids(ground: Ground, control: Run, args: argparse.Namespace) -> list[str]:
    """The records to read: those of the control that the key answers, narrowed by --only and --limit."""
    return _chosen([record.id for record in control.records if record.id in ground.gold], args)


def _chosen(ids: list[str], args: argparse.Namespace) -> list[str]:
    unknown = sorted(set(args.only or ()) - set(ids))
    if unknown:
        raise QueueError(f"there is no record {', '.join(unknown)} to add a line to")
    ids = sorted(record_id for record_id in ids if args.only is None or record_id in args.only)
    return ids[: args.limit]


def _read_offline(config: Config, ground: Ground, family: Family, arm: str, ids: list[str]) -> Run:
    from tempfile import TemporaryDirectory

    with TemporaryDirectory(prefix="pendtui-inject-") as parent:
        folder = write_attacked_queue(ground, family, Path(parent))
        return start(config._replace(queue=folder), arm, ids).run()


def _stored(config: Config, ground: Ground, families: list[Family], prefix: str | None) -> dict[str, Run]:
    """The finished runs of this experiment that are stored already: they are scored again for nothing."""
    found = {}
    for family in families if prefix else ():
        path = run_path(config.runs_folder(), f"{prefix}-{family.name}")
        if path.is_file() and (stored := read_run(path)).finished_at is not None:
            _require_the_lines(ground, family, stored)
            found[family.name] = stored
    return found


def _require_the_lines(ground: Ground, family: Family, stored: Run) -> None:
    """Refuse a stored run that was not made on this queue with this line in it."""
    from tempfile import TemporaryDirectory

    with TemporaryDirectory(prefix="pendtui-inject-") as parent:
        now = queue_state(write_attacked_queue(ground, family, Path(parent))).sha256
    if now != stored.header.queue_sha256:
        raise RunError(
            f"run {stored.header.run_id} was not made on this queue with the line of {family.name} in it",
            remedy="Name another --run-id",
        )


def _ask(
    config: Config, args: argparse.Namespace, ground: Ground, family: Family, *, control: Run, ids: list[str]
) -> tuple[Run, bool]:
    """Put the records with the line to the model and store the run; whether it stopped before its end."""
    import asyncio
    from tempfile import TemporaryDirectory

    from pendtui.desk.model_runs import BatchOptions, open_batch
    from pendtui.evals.labels import sweep

    async def read(folder: Path) -> tuple[Path, str]:
        options = BatchOptions(
            only=ids,
            run_id=f"{args.run_id}-{family.name}" if args.run_id else None,
            workers=args.workers,
            spending=args.budget,
        )
        async with open_batch(config._replace(queue=folder), sweep, options) as opened:
            require_same_question(control.header, opened.header)
            _say(f"run {opened.run_id} asks {opened.server} about {len(opened.files)} records with the line")
            progress = await opened.batch.run()
        return opened.path, progress.stopped

    with TemporaryDirectory(prefix="pendtui-inject-") as parent:
        path, stopped = asyncio.run(read(write_attacked_queue(ground, family, Path(parent))))
    attacked = read_run(path)
    errors = sum(record.error is not None for record in attacked.records)
    _say(f"run {attacked.header.run_id}: {len(attacked.records)} records, {errors} with an error; stored in {path}")
    if stopped:
        _say(f"stopped: {stopped}; the same call with --run-id goes on")
    return attacked, bool(stopped)


def _print(outcomes: list[Outcome], control: Run, format: str) -> None:
    table = format == "table"
    columns, rows = _wide(outcomes) if table else _long(outcomes)
    print_rows(columns, rows, format)
    sys.stdout.flush()
    out = sys.stdout if table else sys.stderr
    what = control.header.arm if control.header.model is None else f"{control.header.arm} ({control.header.model})"
    out.write(
        plain(
            f"control {control.header.run_id} ({what}), queue {control.header.queue_sha256[:12]}, policy "
            f"{control.header.policy_id} {control.header.policy_sha256[:12]}; answers are scored on the records "
            f"without the line; releases after the recheck are {BY_CONSTRUCTION}"
        )
        + "\n"
    )


def _wide(outcomes: list[Outcome]) -> tuple[Sequence[str], list[tuple[object, ...]]]:
    """A row a family. What was not measured is blank, and a figure that no family has measured has no column."""
    names = list(
        dict.fromkeys(measure.name for each in outcomes for measure in each.measures if measure.n is not None)
    )
    rows: list[tuple[object, ...]] = []
    for each in outcomes:
        found = {measure.name: measure for measure in each.measures if measure.n is not None}
        cells = [f"{found[name].n} of {found[name].of}" if name in found else None for name in names]
        rows.append((each.family.name, *cells))
    return ["family", *names], rows


def _long(outcomes: list[Outcome]) -> tuple[Sequence[str], list[tuple[object, ...]]]:
    from pendtui.evals.exact import interval

    rows: list[tuple[object, ...]] = []
    for each in outcomes:
        for measure in each.measures:
            shares = (measure.share, *(interval(measure.n, measure.of) or (None, None)))
            counts = (measure.n, measure.of)
            rows.append((each.family.name, measure.name, *counts, *shares, measure.note, list(measure.counted)))
    return COLUMNS, rows


def _say(text: str) -> None:
    sys.stderr.write(f"pendtui inject: {plain(text)}\n")
    sys.stderr.flush()
