"""`pendtui export`: the queue, as it is listed by a filter and an order, as a file."""

import argparse
import sys
from datetime import UTC, datetime

from pendtui.commands import FINE
from pendtui.desk import sources
from pendtui.desk.desk import Desk
from pendtui.desk.export_file import export_file
from pendtui.desk.exports import LIST_FORMATS, format_of
from pendtui.desk.exports.listed import Wanted, choose, write_list
from pendtui.desk.exports.made import made_at
from pendtui.desk.words import count


def run(args: argparse.Namespace) -> int:
    """Write the claims to the terminal, or to a file that is not there yet (or is, with --replace)."""
    config = sources.settings(args)
    given = args.format or (format_of(args.out, LIST_FORMATS) if args.out is not None else "csv")
    wanted = Wanted(args.sort, args.filter, tuple(args.record_ids))
    desk = Desk(config)
    try:
        desk.refresh()
        desk.colleagues.look_at_leases()
        chosen = choose(desk.index.listing, wanted, desk.day, today=desk.today, me=desk.mine)
        made = made_at(desk, datetime.now(UTC))
        if args.out is None:
            write_list(chosen, given, sys.stdout, policy=desk.policy, made=made)
            return FINE
        with export_file(args.out, replace=args.replace) as out:
            written = write_list(chosen, given, out, policy=desk.policy, made=made)
    finally:
        desk.close()
    sys.stderr.write(f"pendtui: {count(written, 'claim')} written to {args.out}\n")
    return FINE
