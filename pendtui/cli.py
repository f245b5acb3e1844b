"""The command line: it parses, calls one command, and turns a fault into one line and an exit code."""

import gc
import sys
from collections.abc import Sequence

from pendtui.commands import FINE, INTERRUPTED, WRONG_INPUT
from pendtui.errors import PendtuiError

TYPE_CHECKING = False
if TYPE_CHECKING:
    import argparse


def main(argv: Sequence[str] | None = None) -> int:
    """Run pendtui with these arguments (default: the process's own) and give its exit code."""
    argv = sys.argv[1:] if argv is None else argv
    if argv and argv[0] in ("-h", "--help"):
        from pendtui.command_help import help_page, terminal_columns

        sys.stdout.write(help_page(terminal_columns()))
        return FINE
    from pendtui.arguments import one_line, parse

    args = parse(argv)
    try:
        return _run(args)
    except PendtuiError as fault:
        sys.stderr.write(f"pendtui: {one_line(str(fault))}\n")
        return WRONG_INPUT
    except KeyboardInterrupt:
        return INTERRUPTED
    except BrokenPipeError:
        _drop_output()
        return FINE
    except OSError as fault:
        _drop_output()
        where = f"{fault.filename}: " if fault.filename else ""
        sys.stderr.write(f"pendtui: {one_line(f'{where}{fault.strerror or fault}')}\n")
        return WRONG_INPUT


def _run(args: "argparse.Namespace") -> int:
    from importlib import import_module

    # What a command makes lives until it ends; looking for rubbish meanwhile costs a tenth of a short one.
    gc.set_threshold(100_000)
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
