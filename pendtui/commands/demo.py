"""`pendtui demo`: open the program on a freshly built queue that is thrown away afterwards."""

import argparse
import tempfile
from pathlib import Path

from pendtui.commands.open import open_plain, open_program
from pendtui.config import load_config


def run(args: argparse.Namespace) -> int:
    """Build a queue of invented claims in a temporary folder and open it, with a journal of its own there."""
    from pendtui.evals.corpus.build import build

    with tempfile.TemporaryDirectory(prefix="pendtui-demo-") as name:
        folder = Path(name)
        build(folder / "demo", seed=args.seed, records=args.records)
        config = load_config(environ={})._replace(
            queue=folder / "demo",
            policy="pr-2026",
            journal=str(folder / "journal.db"),
            index_folder=str(folder / "index"),
        )
        return open_plain(config) if getattr(args, "plain", False) else open_program(config)
