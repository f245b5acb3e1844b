"""`pendtui population`: where the percentile standards stand, by month of receipt."""

import argparse

from pendtui.commands import FINE
from pendtui.desk import sources
from pendtui.desk.desk import Desk
from pendtui.engines.population import COLUMNS, rows
from pendtui.tables import print_rows


def run(args: argparse.Namespace) -> int:
    """Print a row a standard and month; 0 whatever they say."""
    desk = Desk(sources.settings(args))
    try:
        desk.refresh()
        population = desk.population_elsewhere()
    finally:
        desk.close()
    print_rows(COLUMNS, rows(population, desk.policy), args.format)
    return FINE
