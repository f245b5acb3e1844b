"""`pendtui handover`: claims as hand-over sheets, to print or to pass on."""

import argparse
import sys
from datetime import UTC, datetime

from pendtui.commands import FINE
from pendtui.desk import sources
from pendtui.desk.desk import Desk
from pendtui.desk.export_file import export_file
from pendtui.desk.exports import SHEET_FORMATS, format_of
from pendtui.desk.exports.made import made_at
from pendtui.desk.exports.write import sheet_for, write_sheets
from pendtui.desk.words import count


def run(args: argparse.Namespace) -> int:
    """Write the sheets to the terminal, or to a file that is not there yet (or is, with --replace)."""
    config = sources.settings(args)
    given = args.format or (format_of(args.out, SHEET_FORMATS) if args.out is not None else "html")
    desk = Desk(config)
    try:
        made = made_at(desk, datetime.now(UTC))
        sheets = [sheet_for(desk, desk.open(record_id), made) for record_id in dict.fromkeys(args.record_ids)]
    finally:
        desk.close()
    if args.out is None:
        write_sheets(sheets, given, sys.stdout)
        return FINE
    with export_file(args.out, replace=args.replace) as out:
        write_sheets(sheets, given, out)
    sys.stderr.write(f"pendtui: {count(len(sheets), 'hand-over sheet')} written to {args.out}\n")
    return FINE
