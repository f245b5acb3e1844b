"""The command line: it parses, calls one command, and turns a fault into one line and an exit code."""

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

from pendtui import __version__
from pendtui.commands import FINE, INTERRUPTED, WRONG_INPUT
from pendtui.errors import PendtuiError

_FORMATS = ("table", "json", "jsonl", "csv")


def main(argv: Sequence[str] | None = None) -> int:
    """Run pendtui with these arguments (default: the process's own) and give its exit code."""
    args = _parser().parse_args(argv)
    try:
        return _run(args)
    except PendtuiError as fault:
        sys.stderr.write(f"pendtui: {_one_line(str(fault))}\n")
        return WRONG_INPUT
    except KeyboardInterrupt:
        return INTERRUPTED
    except BrokenPipeError:
        _drop_output()
        return FINE
    except OSError as fault:
        _drop_output()
        where = f"{fault.filename}: " if fault.filename else ""
        sys.stderr.write(f"pendtui: {_one_line(f'{where}{fault.strerror or fault}')}\n")
        return WRONG_INPUT


def _run(args: argparse.Namespace) -> int:
    from importlib import import_module

    command = import_module(f"pendtui.commands.{args.command}")
    code: int = command.run(args)
    sys.stdout.flush()
    return code


def _drop_output() -> None:
    """Let what is still buffered go nowhere, so that the interpreter does not fail on it a second time."""
    import os
    from contextlib import suppress

    with suppress(OSError, ValueError):
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, sys.stdout.fileno())
        os.close(nowhere)


def _one_line(text: str) -> str:
    from pendtui.plain import plain

    return plain(" ".join(text.split()))


class _Parser(argparse.ArgumentParser):
    """An argument parser whose complaint is one line."""

    def error(self, message: str) -> None:  # type: ignore[override]
        sys.stderr.write(f"{self.prog}: {_one_line(message)}. See {self.prog} --help\n")
        raise SystemExit(WRONG_INPUT)


def _parser() -> argparse.ArgumentParser:
    parser = _Parser(
        prog="pendtui",
        description="Work pended health-plan claims by the clock that runs from receipt. "
        "Without a command, the full-screen program opens.",
    )
    parser.add_argument("--version", action="version", version=f"pendtui {__version__}")
    _sources(parser)
    parser.set_defaults(command="open", record=None)
    commands = parser.add_subparsers(title="commands", metavar="COMMAND", parser_class=_Parser)

    def command(name: str, summary: str, *, sources: bool = True, lists: bool = True) -> argparse.ArgumentParser:
        sub: argparse.ArgumentParser = commands.add_parser(name, help=summary, description=summary)
        sub.set_defaults(command=name)
        if sources:
            _sources(sub)
        if lists:
            sub.add_argument("--format", choices=_FORMATS, default="table", help="how the rows are printed")
        return sub

    opening = command("open", "open the full-screen program (the default)", lists=False)
    opening.add_argument("--record", metavar="ID", help="open this record at once")

    demo = command(
        "demo", "open the program on a freshly built demo queue in a temporary folder", sources=False, lists=False
    )
    demo.add_argument("--records", type=_count, default=60, metavar="N", help="how many claims to invent (60)")
    demo.add_argument("--seed", type=int, default=20260901, help="the seed of the generator (20260901)")

    build = command("build", "write a queue of invented claims with its answer key", sources=False, lists=False)
    build.add_argument("--out", type=Path, required=True, metavar="DIR", help="the folder to write")
    build.add_argument("--seed", type=int, default=20260901, help="same seed, same bytes (20260901)")
    build.add_argument("--records", type=_count, default=60, metavar="N", help="how many claims (60)")

    command("check", "derive the answer key anew and sweep the records; exit 1 on any failure")

    clock = command("clock", "list every claim's clock, most urgent first")
    clock.add_argument("--as-of", metavar="register|today|DATE", help="the day the clocks are read on")
    clock.add_argument("--fail-on", choices=("escalate", "breached"), help="exit 3 when a claim is that late")

    read = command("read", "read the queue with one reader and store the run")
    read.add_argument("--arm", choices=("phrase", "floor"), default="floor", help="the reader (floor)")
    read.add_argument("--only", nargs="+", metavar="ID", help="only these records")
    read.add_argument("--limit", type=_count, metavar="N", help="only the first N records")
    read.add_argument("--run-id", metavar="ID", help="the name of the stored run")
    read.add_argument("--as-of", metavar="register|today|DATE", help="the day the clocks are read on")

    score = command("score", "grade a stored run, or a reader, against the answer key")
    score.add_argument("run", nargs="?", metavar="RUN", help="a stored run's id or file")
    score.add_argument("--arm", choices=("phrase", "floor"), help="read now with this reader, and grade that")
    score.add_argument(
        "--coverage", type=_share, default=0.60, help="share of the labelled sentence to cover (0.60)"
    )
    score.add_argument("--precision", type=_share, default=0.30, help="share of the quote that must be it (0.30)")

    command("runs", "list the stored runs")

    journal = command("journal", "list, export or verify the decisions")
    journal.add_argument("action", choices=("list", "export", "verify"), help="what to do with the journal")
    journal.add_argument("--out", type=Path, metavar="FILE", help="write to this file and not to the terminal")

    command("config", "print the settings in force and where each came from")
    command("doctor", "look over the terminal, the queue, the policy, the journal and the key")
    return parser


def _sources(parser: argparse.ArgumentParser) -> None:
    # Repeated on every command, and never set by default, so that it may stand before or after the command.
    for flag, metavar, text in (
        ("--queue", "DIR", "the folder with the pend records"),
        ("--config", "FILE", "the settings file"),
        ("--policy", "FILE", "the policy file, or the name of one that ships"),
    ):
        kind = str if flag == "--policy" else Path
        parser.add_argument(flag, type=kind, metavar=metavar, default=argparse.SUPPRESS, help=text)


def _count(text: str) -> int:
    if not text.isdigit() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"'{text}' is not a whole number above 0")
    return int(text)


def _share(text: str) -> float:
    try:
        share = float(text)
    except ValueError:
        share = -1.0
    if not 0 < share <= 1:
        raise argparse.ArgumentTypeError(f"'{text}' is not a share above 0 and up to 1")
    return share
