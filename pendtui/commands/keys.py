"""`pendtui keys`: every action, where it applies, its key in force and how [keys] names it."""

import argparse

from pendtui.actions import rebound
from pendtui.desk import sources
from pendtui.tables import print_rows

COLUMNS = ("place", "key", "action", "does")


def run(args: argparse.Namespace) -> int:
    """Print the table. Raises ConfigError where [keys] asks for what cannot be."""
    table = rebound(sources.settings(args).keys)
    print_rows(COLUMNS, ((action.place, action.shown, action.name, action.help) for action in table), args.format)
    return 0
