"""`pendtui journal`: list the decisions, export them whole, verify and seal them, and keep or move copies."""

import argparse
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TextIO

from pendtui.config import Config
from pendtui.desk import sources
from pendtui.desk.export_file import export_file
from pendtui.desk.journal import Fault, Head, Journal
from pendtui.desk.journal.database import URL_STARTS
from pendtui.desk.journal.export import export_entries, list_entries
from pendtui.errors import PendtuiError
from pendtui.plain import plain
from pendtui.tables import print_rows

COPYING = ("backup", "restore", "move")
"""What takes the name of another place."""


def run(args: argparse.Namespace) -> int:
    """Carry out what `args.action` names. Exit code 1 when verification finds a fault."""
    config = sources.settings(args)
    where = config.store()
    _check(args, where)
    if args.action in COPYING:
        return _copy(args, where)
    sealed = _seal(args)
    with Journal.open(where, read_only=True) as journal:
        if args.action == "verify":
            return _verify(journal, args, sealed)
        if args.action == "seal":
            return _print_seal(journal, args)
        entries = journal.entries(_queue(args, config))
        with _output(args.out) as out:
            if args.action == "list":
                list_entries(entries, args.format, out)
            else:
                export_entries(entries, args.format, out)
    return 0


def _queue(args: argparse.Namespace, config: Config) -> str | None:
    # Only a queue named on the command line narrows the rows: the journal is about all of them.
    queue: Path | None = getattr(args, "queue", None)
    return sources.queue_name(config, queue) if queue is not None else None


def _check(args: argparse.Namespace, where: Path | str) -> None:
    if args.action == "export" and args.format == "json":
        raise PendtuiError("an export is CSV or JSON lines", remedy="Use --format csv or --format jsonl")
    if args.out is not None and isinstance(where, Path) and args.out.resolve() == where.resolve():
        raise PendtuiError("is the journal itself", where=str(args.out), remedy="Name another file with --out")
    if args.action in COPYING and args.place is None:
        wanted = "TO, a file or postgresql://…" if args.action == "move" else "FILE"
        raise PendtuiError(f"journal {args.action} needs another place", remedy=f"Name it: {wanted}")
    if args.action in ("backup", "restore") and args.place.startswith(URL_STARTS):
        raise PendtuiError("a backup is a file", remedy="Name a file; `journal move` takes a store's address")
    if args.action not in COPYING and args.place is not None:
        raise PendtuiError(f"journal {args.action} takes no other place", remedy="Leave it out")
    if args.seal is not None and args.action != "verify":
        raise PendtuiError("only journal verify takes a seal", remedy="Leave --seal out")


def _seal(args: argparse.Namespace) -> Head | None:
    if args.seal is None:
        return None
    try:
        return Head.parse(args.seal)
    except ValueError as fault:
        raise PendtuiError(str(fault), where="--seal", remedy="Give what `pendtui journal seal` printed") from None


def _verify(journal: Journal, args: argparse.Namespace, sealed: Head | None) -> int:
    head, faults = journal.head(), journal.verify(sealed)
    with _output(args.out) as out:
        if args.format != "table":
            print_rows(("seq", "fault"), ((fault.seq, fault.what) for fault in faults), args.format, out)
        elif not faults:
            out.write(f"{plain(journal.where)}: {head.rows} rows, each as it was written; head {head.hash}\n")
        for fault in faults if args.format == "table" else ():
            out.write(f"{plain(_said(fault))}\n")
    return 1 if faults else 0


def _print_seal(journal: Journal, args: argparse.Namespace) -> int:
    # What does not verify is not sealed, or the seal would vouch for it.
    head, faults = journal.head(), journal.verify()
    if faults:
        sys.stderr.write(f"pendtui: {plain(journal.where)} does not verify: {plain(_said(faults[0]))}\n")
        return 1
    with _output(args.out) as out:
        out.write(f"{head}\n")
    return 0


def _copy(args: argparse.Namespace, where: Path | str) -> int:
    from pendtui.desk.journal import transfer
    from pendtui.desk.journal.store import TIMEOUT

    with _output(args.out) as out:
        if args.action == "backup":
            head = transfer.back_up(where, Path(args.place), timeout=TIMEOUT)
            out.write(f"{plain(args.place)}: {head.rows} rows, verified; head {head.hash}\n")
        elif args.action == "restore":
            head = transfer.restore(Path(args.place), where, timeout=TIMEOUT)
            out.write(f"{head.rows} rows restored and verified; head {head.hash}\n")
        else:
            head = transfer.move(where, args.place, timeout=TIMEOUT)
            out.write(
                f"{head.rows} rows moved and verified; head {head.hash}\n"
                "The old store is as it was. Set the new one for everybody before anyone decides again.\n"
            )
    return 0


def _said(fault: Fault) -> str:
    return fault.what if fault.seq is None else f"row {fault.seq}: {fault.what}"


@contextmanager
def _output(file: Path | None) -> Iterator[TextIO]:
    if file is None:
        yield sys.stdout
        return
    with export_file(file, replace=True) as out:
        yield out
