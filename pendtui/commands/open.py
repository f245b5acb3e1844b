"""`pendtui`: open the full-screen program on a queue."""

import argparse
import os
import sys

from pendtui.config import Config
from pendtui.desk import sources
from pendtui.errors import PendtuiError


def run(args: argparse.Namespace) -> int:
    """Open the program on the queue in force and stay until the examiner leaves."""
    config = sources.settings(args)
    if getattr(args, "plain", False):
        return open_plain(config, args.record)
    return open_program(config, args.record)


def open_plain(config: Config, record: str | None = None) -> int:
    """Work the queue in lines and prompts, from a terminal or a pipe. Raises PendtuiError without a queue."""
    from pendtui.desk.desk import Desk
    from pendtui.linear.session import Session
    from pendtui.linear.terminal import Terminal

    sources.queue_folder(config)
    desk = Desk(config)
    try:
        terminal = Terminal(sys.stdin.fileno(), sys.stdout, prompts=sys.stdin.isatty())
        return Session(desk, terminal).run(record)
    finally:
        desk.close()


def open_program(config: Config, record: str | None = None) -> int:
    """Run the full-screen program. Raises PendtuiError when there is no queue or no terminal."""
    from pendtui.desk.desk import Desk

    sources.queue_folder(config)
    if not _serves_a_browser() and not (sys.stdin.isatty() and sys.stdout.isatty()):
        raise PendtuiError(
            "the full-screen program needs a terminal",
            remedy="Without one, use --plain, or a command such as `pendtui clock` or `pendtui read`",
        )
    desk = Desk(config)
    try:
        from pendtui.app import PendtuiApp

        app = PendtuiApp(config, desk, record, first_start=_is_first_start(config))
        try:
            app.run()
        finally:
            desk = app.desk  # other settings may have opened another one
        return app.return_code or 0
    finally:
        desk.close()


def _serves_a_browser() -> bool:
    """Whether textual-serve has started this process to show the program in a page."""
    return os.environ.get("TEXTUAL_DRIVER", "").endswith(":WebDriver")


def _is_first_start(config: Config) -> bool:
    """Whether this user has never opened the program here; the next start is none, as far as that can be noted."""
    mark = config.tour_mark_path()
    if mark.exists():
        return False
    try:
        mark.parent.mkdir(parents=True, exist_ok=True)
        mark.touch()
    except OSError:
        return False  # a tour that came up at every start would be worse than none
    return True
