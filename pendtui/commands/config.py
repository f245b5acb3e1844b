"""`pendtui config`: the settings in force, where each came from and what it means."""

import argparse
import os
from collections.abc import Iterator

from pendtui.config import SECTIONS, Config
from pendtui.desk import settings_file, sources
from pendtui.tables import print_rows

COLUMNS = ("key", "value", "origin", "meaning")
KEY_VARIABLE = "API_KEY"
"""The environment variable of the key for model calls. Only whether it is there is ever said."""


def run(args: argparse.Namespace) -> int:
    """Print them all; of the key for model calls, only whether it is there."""
    print_rows(COLUMNS, _rows(sources.settings(args)), args.format)
    return 0


def _rows(config: Config) -> Iterator[tuple[object, ...]]:
    meanings = settings_file.meanings()
    in_force = {
        "queue": str(config.queue),
        "journal": str(config.journal_path()),
        "index_folder": str(config.index_path()),
        "runs": str(config.runs_folder()),
        "url": _without_password(config.url),
    }
    for section, names in SECTIONS.items():
        for name in names:
            value = in_force.get(name, getattr(config, name))
            yield (
                f"{section}.{name}",
                None if value == "" else value,
                config.origins[name],
                meanings.get(name),
            )
    present = "present" if os.environ.get(KEY_VARIABLE) else "absent"
    yield KEY_VARIABLE, present, "environment", "the key for model calls; it is never stored or shown"


def _without_password(url: str) -> str:
    if not url:
        return ""
    from pendtui.desk.journal.postgres_address import Address

    return Address.parse(url).shown
