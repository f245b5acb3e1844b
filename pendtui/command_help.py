"""The page that `pendtui --help` prints, without loading the parser: it is there in a blink."""

import os
import sys

from pendtui.commands import COMMANDS, DESCRIPTION, PLAIN, SOURCES

EXIT_CODES = "Exit codes: 0 fine, 1 a check failed, 2 wrong input, 3 a --fail-on condition holds, 130 interrupted."


def terminal_columns() -> int:
    """How wide the terminal is; 80 where there is none."""
    try:
        return int(os.environ.get("COLUMNS") or os.get_terminal_size(sys.stdout.fileno()).columns)
    except (ValueError, OSError):
        return 80


def help_page(columns: int) -> str:
    """What pendtui is and takes, in lines no longer than the terminal is wide (40 columns at least)."""
    width = max(40, columns)
    options = {
        "-h, --help": "show this page; COMMAND --help shows a command's own",
        "--version": "show the version",
        "--plain": PLAIN,
        **{f"{flag} {metavar}": summary for flag, (metavar, summary) in SOURCES.items()},
    }
    lines = ["usage: pendtui [OPTION] [COMMAND [OPTION]]", "", *_wrapped(DESCRIPTION, width)]
    for title, listed in (("options", options), ("commands", COMMANDS)):
        margin = max(map(len, listed)) + 4
        lines += ["", f"{title}:"]
        for word, summary in listed.items():
            first, *rest = _wrapped(summary, width - margin)
            lines += [f"  {word}".ljust(margin) + first, *(" " * margin + line for line in rest)]
    return "\n".join([*lines, "", *_wrapped(EXIT_CODES, width)]) + "\n"


def _wrapped(text: str, width: int) -> list[str]:
    lines = [""]
    for word in text.split():
        if lines[-1] and len(lines[-1]) + 1 + len(word) > width:
            lines.append("")
        lines[-1] += f" {word}" if lines[-1] else word
    return lines
