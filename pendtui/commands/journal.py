"""`pendtui journal`: list the decisions, export them whole, verify and seal them, and keep or move copies."""

import argparse
import os
import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TextIO

from pendtui.desk import sources
from pendtui.desk.journal import Entry, Fault, Head, Journal
from pendtui.desk.journal.database import URL_STARTS
from pendtui.errors import PendtuiError
from pendtui.plain import plain
from pendtui.tables import print_rows

LISTED = (
    "seq",
    "at",
    "who",
    "action",
    "record_id",
    "proposed_cause",
    "cause_class",
    "resolution",
    "clock",
    "undoes",
    "note",
)
"""What `list` shows of a row: the decided answers, and the cause class that was proposed."""

ROW_FIELDS = (
    "seq",
    "at",
    "who",
    "display_name",
    "host",
    "program",
    "queue",
    "record_id",
    "record_sha256",
    "policy_id",
    "policy_sha256",
    "action",
    "reader",
)
END_FIELDS = ("note", "undoes", "previous_hash", "hash")
ANSWER_FIELDS = (
    "cause_class",
    "citation",
    "span",
    "resolution",
    "rule",
    "clock",
    "clock_rule",
    "release",
    "as_of",
    "elapsed_days",
    "deadline_days",
    "evidence",
)
"""The fields of the proposed and of the decided answers; `export` writes both sets of them."""


COPYING = ("backup", "restore", "move")
"""What takes the name of another place."""


def run(args: argparse.Namespace) -> int:
    """Carry out what `args.action` names. Exit code 1 when verification finds a fault."""
    where = sources.settings(args).store()
    _check(args, where)
    if args.action in COPYING:
        return _copy(args, where)
    sealed = _seal(args)
    with Journal.open(where, read_only=True) as journal:
        if args.action == "verify":
            return _verify(journal, args, sealed)
        if args.action == "seal":
            return _print_seal(journal, args)
        entries = journal.entries(_queue(args))
        with _output(args.out) as out:
            if args.action == "list":
                print_rows(LISTED, (_listed(entry) for entry in entries), args.format, out)
            elif args.format == "jsonl":
                columns = (*ROW_FIELDS, "proposed", "decided", *END_FIELDS)
                print_rows(columns, (_nested(entry) for entry in entries), "jsonl", out)
            else:
                answers = (f"{side}_{name}" for side in ("proposed", "decided") for name in ANSWER_FIELDS)
                flat = (*ROW_FIELDS, *answers, *END_FIELDS)
                print_rows(flat, (_flat(entry) for entry in entries), "csv", out)
    return 0


def _queue(args: argparse.Namespace) -> str | None:
    # Only a queue named on the command line narrows the rows: the journal is about all of them.
    queue: Path | None = getattr(args, "queue", None)
    return str(queue.resolve()) if queue is not None else None


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


def _listed(entry: Entry) -> tuple[object, ...]:
    proposed, decided = entry.proposed, entry.decided
    return (
        entry.seq,
        _instant(entry),
        entry.by,
        str(entry.action),
        entry.record_id,
        proposed.get("cause_class"),
        decided.get("cause_class"),
        decided.get("resolution"),
        decided.get("clock"),
        entry.undoes,
        entry.note,
    )


def _nested(entry: Entry) -> tuple[object, ...]:
    return (*_fields(entry, ROW_FIELDS), entry.proposed, entry.decided, *_fields(entry, END_FIELDS))


def _flat(entry: Entry) -> tuple[object, ...]:
    answers = (side.get(name) for side in (entry.proposed, entry.decided) for name in ANSWER_FIELDS)
    return (*_fields(entry, ROW_FIELDS), *answers, *_fields(entry, END_FIELDS))


def _fields(entry: Entry, names: Iterable[str]) -> Iterator[object]:
    return (_instant(entry) if name == "at" else getattr(entry, name) for name in names)


def _instant(entry: Entry) -> str:
    return entry.at.isoformat(timespec="microseconds").replace("+00:00", "Z")


@contextmanager
def _output(file: Path | None) -> Iterator[TextIO]:
    # The file appears whole or not at all, and for its owner alone: it says who decided what.
    if file is None:
        yield sys.stdout
        return
    part = file.with_name(f"{file.name}.{os.getpid()}.part")
    try:
        with open(part, "w", encoding="utf-8", newline="", opener=_private) as out:
            yield out
        part.replace(file)
    except OSError as fault:
        raise PendtuiError(f"cannot be written: {fault.strerror}", where=str(file)) from None
    finally:
        part.unlink(missing_ok=True)


def _private(name: str, flags: int) -> int:
    return os.open(name, flags, 0o600)
