"""`pendtui config`: the settings in force, where each came from and what it means."""

import argparse
import os
from collections.abc import Iterator
from pathlib import Path

from pendtui import config as settings_module
from pendtui.config import SECTIONS, Config
from pendtui.desk import sources
from pendtui.tables import print_rows

COLUMNS = ("key", "value", "origin", "meaning")
KEY_VARIABLE = "API_KEY"
"""The environment variable of the key for model calls. Only whether it is there is ever said."""


def run(args: argparse.Namespace) -> int:
    """Print them all; of the key for model calls, only whether it is there."""
    print_rows(COLUMNS, _rows(sources.settings(args)), args.format)
    return 0


def _rows(config: Config) -> Iterator[tuple[object, ...]]:
    meanings = _meanings()
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


def _meanings() -> dict[str, str]:
    """The line under each field of Config, without the key in front; none where there is no source."""
    import ast
    from itertools import pairwise

    try:
        tree = ast.parse(Path(settings_module.__file__).read_text(encoding="utf-8"))
    except (OSError, SyntaxError, ValueError):
        return {}
    body = next(node.body for node in tree.body if isinstance(node, ast.ClassDef) and node.name == "Config")
    meanings = {}
    for field, line in pairwise(body):
        if isinstance(field, ast.AnnAssign) and isinstance(field.target, ast.Name) and isinstance(line, ast.Expr):
            meanings[field.target.id] = str(ast.literal_eval(line.value)).partition(": ")[2]
    return meanings
