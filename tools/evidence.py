"""Write the output below each command of evidence/README.md, or check that it is what the commands print.

Usage: tools/evidence.py [--check]

A block of that file that begins with `$ pendtui` is run on the shipped queue and the runs in evidence/runs. Nothing
is read or asked: all of it is scored again from what is stored.
"""

import argparse
import os
import re
import shlex
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
README = ROOT / "evidence" / "README.md"
BLOCK = re.compile(r"```console\n\$ (pendtui [^\n]*)\n(.*?)```", re.DOTALL)


def printed(command: str) -> str:
    """What a command prints, with its exit code where that is not 0."""
    with tempfile.TemporaryDirectory() as home:
        environment = {
            **{name: value for name, value in os.environ.items() if not name.startswith("PENDTUI_")},
            **dict.fromkeys(("HOME", "XDG_STATE_HOME", "XDG_CACHE_HOME", "XDG_CONFIG_HOME"), home),
            "PENDTUI_RUNS": "evidence/runs",
            "PYTHONUTF8": "1",
        }
        done = subprocess.run(
            [sys.executable, "-m", *shlex.split(command)],
            cwd=ROOT,
            env=environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            encoding="utf-8",
            check=False,
        )
    lines = [line.rstrip() for line in done.stdout.splitlines()]
    if done.returncode:
        lines.append(f"(exit code {done.returncode})")
    return "\n".join(lines) + "\n"


def with_output(text: str) -> str:
    """The file with what each command prints below it."""
    return BLOCK.sub(lambda block: f"```console\n$ {block[1]}\n{printed(block[1])}```", text)


def main() -> int:
    """Write it, or with --check say whether it is as it should be: 1 where it is not."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--check", action="store_true")
    args = parser.parse_args()
    before = README.read_text(encoding="utf-8")
    after = with_output(before)
    if args.check:
        if before != after:
            sys.stderr.write("evidence/README.md is not what its commands print: run tools/evidence.py\n")
        return int(before != after)
    README.write_text(after, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
