"""What the command line takes: its commands, their options, and how a wrong call is told."""

import argparse
import sys
from collections.abc import Callable, Sequence

from pendtui import __version__
from pendtui.command_help import terminal_columns
from pendtui.commands import COMMANDS, DESCRIPTION, LISTING, PLAIN, SOURCES, WITHOUT_QUEUE, WRONG_INPUT

TYPE_CHECKING = False
if TYPE_CHECKING:  # typing itself costs a fifth of the time that --help may take
    from pathlib import Path
    from typing import NoReturn

FORMATS = ("table", "json", "jsonl", "csv")
OFFLINE_ARMS = ("phrase", "floor")
ARMS = (*OFFLINE_ARMS, "model")
AS_OF = "register|today|DATE"
LIST_FORMATS = ("csv", "jsonl", "md", "html")
SHEET_FORMATS = ("html", "md", "jsonl")
SORTS = ("clock", "received", "record", "cause", "resolution", "status")
RUN_ACTIONS = ("list", "show", "compare", "bands", "cost", "export", "replay")
RUN_VIEWS = ("figures", "arms", "confusion", "reliability", "recheck", "calls", "history")


def parse(argv: Sequence[str]) -> argparse.Namespace:
    """The arguments of a call, with `command` naming the module of pendtui.commands that carries it out.

    Raises SystemExit, after one line on standard error, when the call is wrong.
    """
    if argv and argv[0] in COMMANDS:
        # A call that begins with its command needs no parser around the command's own, which takes as long again.
        own = _Parser(prog=f"pendtui {argv[0]}", description=COMMANDS[argv[0]], formatter_class=_Help)
        _add_command(own, argv[0])
        args, unknown = own.parse_known_args(argv[1:])
        if unknown:  # runs may be named before and after an option, which takes argparse twice as long
            args, unknown = own.parse_known_intermixed_args(argv[1:])
        if not unknown:
            return args
    parser = _Parser(prog="pendtui", description=DESCRIPTION, formatter_class=_Help)
    parser.add_argument("--version", action="version", version=f"pendtui {__version__}")
    _add_sources(parser)
    _add_plain(parser)
    parser.set_defaults(command="open", record=None)
    commands = parser.add_subparsers(title="commands", metavar="COMMAND", parser_class=_Parser)
    # Parsers are put together only for the commands that the call names, to save start-up time.
    for name in [name for name in COMMANDS if name in argv] or COMMANDS:
        summary = COMMANDS[name]
        _add_command(commands.add_parser(name, help=summary, description=summary, formatter_class=_Help), name)
    return parser.parse_args(argv)


def one_line(text: str) -> str:
    """A message as one line of plain characters."""
    from pendtui.plain import plain

    return plain(" ".join(text.split()))


class _Parser(argparse.ArgumentParser):
    """An argument parser whose complaint is one line."""

    def error(self, message: str) -> "NoReturn":
        sys.stderr.write(f"{self.prog}: {one_line(message)}. See {self.prog} --help\n")
        raise SystemExit(WRONG_INPUT)


class _Help(argparse.HelpFormatter):
    """Help as wide as the terminal, found without the modules that argparse would load for it."""

    def __init__(self, prog: str) -> None:
        super().__init__(prog, width=max(40, terminal_columns() - 2))


def _add_command(parser: argparse.ArgumentParser, name: str) -> None:
    """Everything that one command takes."""
    parser.set_defaults(command=name, record=None)
    if name not in WITHOUT_QUEUE:
        _add_sources(parser)
    if name in LISTING:
        parser.add_argument("--format", choices=FORMATS, default="table", help="how the rows are printed")
    if name in OPTIONS:
        OPTIONS[name](parser)


def _open_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--record", metavar="ID", help="open this record at once")
    _add_plain(parser)


def _demo_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--records", type=_count, default=60, metavar="N", help="how many claims to invent (60)")
    parser.add_argument("--seed", type=int, default=20260901, help="the seed of the generator (20260901)")
    _add_plain(parser)


def _add_plain(parser: argparse.ArgumentParser) -> None:
    # Never set by default, so that it may stand before or after the command.
    parser.add_argument("--plain", action="store_true", default=argparse.SUPPRESS, help=PLAIN)


def _serve_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--port", type=_port, default=8000, metavar="N", help="the port on 127.0.0.1 (8000)")
    parser.add_argument("--public-url", metavar="URL", help="the address of a proxy in front, as browsers see it")


def _build_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--out", type=_path, required=True, metavar="DIR", help="the folder to write")
    parser.add_argument("--seed", type=int, default=20260901, help="same seed, same bytes (20260901)")
    parser.add_argument("--records", type=_count, default=60, metavar="N", help="how many claims (60)")


def _clock_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--as-of", metavar=AS_OF, help="the day the clocks are read on")
    parser.add_argument("--fail-on", choices=("escalate", "breached"), help="exit 3 when a claim is that late")


def _read_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--arm", choices=ARMS, default="floor", help="the reader (floor)")
    parser.add_argument("--only", nargs="+", metavar="ID", help="only these records")
    parser.add_argument("--limit", type=_count, metavar="N", help="only the first N records")
    parser.add_argument("--run-id", metavar="ID", help="the name of the stored run")
    parser.add_argument("--as-of", metavar=AS_OF, help="the day the clocks are read on")
    parser.add_argument("--workers", type=_count, metavar="N", help="model: how many records at once (5)")
    parser.add_argument("--only-unsure", action="store_true", help="model: only what the floor is unsure of")
    parser.add_argument("--budget", type=_amount, metavar="USD", help="model: what it may cost at most")
    parser.add_argument("--fresh", action="store_true", help="model: buy replies again that are held")


def _prompt_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("id", metavar="ID", help="the record's id")
    parser.add_argument("--parts", action="store_true", help="list the parts, their characters and shares")


def _score_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("run", nargs="?", metavar="RUN", help="a stored run's id or file")
    parser.add_argument("--arm", choices=OFFLINE_ARMS, help="read now with this reader, and grade that")
    parser.add_argument("--redproof", action="store_true", help="break every check; exit 1 if one is not caught")

    _add_floors(parser)


def _add_floors(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--coverage", type=_share, default=0.60, help="share of the sentence to cover (0.60)")
    parser.add_argument("--precision", type=_share, default=0.30, help="share of the quote that is it (0.30)")


def _runs_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("action", nargs="?", choices=RUN_ACTIONS, default="list", help="what to do (list)")
    parser.add_argument("run", nargs="*", metavar="RUN", help="stored runs, by id or file")
    parser.add_argument("--view", choices=RUN_VIEWS, default="figures", help="show: what of them (figures)")
    parser.add_argument("--figure", metavar="NAME", help="show: the records behind this figure")
    parser.add_argument("--by", choices=("figures", "fields", "records"), help="compare: this part alone")
    parser.add_argument("--across-readers", action="store_true", help="compare: two readers on one ground")
    parser.add_argument("--tariff", type=_path, action="append", metavar="FILE", help="cost: at these prices too")
    parser.add_argument("--records", type=_count, metavar="N", help="cost: what a queue of N would cost")
    parser.add_argument("--out", type=_path, metavar="FILE", help="export: the file to write")
    _add_floors(parser)


def _inject_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--arm", choices=ARMS, default="model", help="the reader (model)")
    parser.add_argument("--control", metavar="RUN", help="its run over the records without the line")
    parser.add_argument("--dry-run", action="store_true", help="show the lines and read nothing")
    parser.add_argument("--yes", action="store_true", help="model: make the calls")
    parser.add_argument("--families", nargs="+", metavar="NAME", help="only these kinds of line")
    parser.add_argument("--only", nargs="+", metavar="ID", help="only these records")
    parser.add_argument("--limit", type=_count, metavar="N", help="only the first N records")
    parser.add_argument(
        "--run-id", metavar="ID", help="model: what its runs are called; stored ones are scored again"
    )
    parser.add_argument("--workers", type=_count, metavar="N", help="model: how many records at once (5)")
    parser.add_argument("--budget", type=_amount, metavar="USD", help="model: what a family may cost at most")


def _dossier_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("run", nargs="*", metavar="RUN", help="these stored runs (all of this queue and policy)")


def _export_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("record_ids", nargs="*", metavar="RECORD", help="these records (all that the filter lists)")
    parser.add_argument("--filter", default="", metavar="WORDS", help="only claims that match this filter line")
    parser.add_argument("--sort", choices=SORTS, default="clock", help="the order (clock)")
    parser.add_argument("--format", choices=LIST_FORMATS, help="how (by the file's ending, else csv)")
    _add_output(parser)


def _handover_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("record_ids", nargs="+", metavar="RECORD", help="the records")
    parser.add_argument("--format", choices=SHEET_FORMATS, help="how (by the file's ending, else html)")
    _add_output(parser)


def _add_output(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--as-of", metavar=AS_OF, help="the day the clocks are read on")
    parser.add_argument("--out", type=_path, metavar="FILE", help="write to this new file and not to the terminal")
    parser.add_argument("--replace", action="store_true", help="write over a file that is there")


def _journal_options(parser: argparse.ArgumentParser) -> None:
    actions = ("list", "export", "verify", "seal", "backup", "restore", "move")
    parser.add_argument("action", choices=actions, help="what to do with the journal")
    parser.add_argument("place", nargs="?", metavar="PLACE", help="the file, or for move also a postgresql://…")
    parser.add_argument("--seal", metavar="SEAL", help="verify: what `seal` printed at an earlier time")
    parser.add_argument("--out", type=_path, metavar="FILE", help="write to this file and not to the terminal")


OPTIONS: dict[str, Callable[[argparse.ArgumentParser], None]] = {
    "open": _open_options,
    "demo": _demo_options,
    "serve": _serve_options,
    "build": _build_options,
    "clock": _clock_options,
    "read": _read_options,
    "prompt": _prompt_options,
    "score": _score_options,
    "runs": _runs_options,
    "inject": _inject_options,
    "dossier": _dossier_options,
    "export": _export_options,
    "handover": _handover_options,
    "journal": _journal_options,
}
"""What adds the options of those commands that have any of their own."""


def _add_sources(parser: argparse.ArgumentParser) -> None:
    # Given for every command and never set by default, so that they may stand before or after the command.
    for flag, (metavar, summary) in SOURCES.items():
        kind = str if flag == "--policy" else _path
        parser.add_argument(flag, type=kind, metavar=metavar, default=argparse.SUPPRESS, help=summary)


def _path(text: str) -> "Path":
    from pathlib import Path

    return Path(text)


def _count(text: str) -> int:
    if not text.isdigit() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"'{text}' is not a whole number above 0")
    return int(text)


def _port(text: str) -> int:
    number = _count(text)
    if number > 65_535:
        raise argparse.ArgumentTypeError(f"'{text}' is not a port, which is 1 to 65535")
    return number


def _amount(text: str) -> float:
    try:
        amount = float(text)
    except ValueError:
        amount = -1.0
    if not 0 < amount < float("inf"):
        raise argparse.ArgumentTypeError(f"'{text}' is not an amount above 0")
    return amount


def _share(text: str) -> float:
    try:
        share = float(text)
    except ValueError:
        share = -1.0
    if not 0 < share <= 1:
        raise argparse.ArgumentTypeError(f"'{text}' is not a share above 0 and up to 1")
    return share
