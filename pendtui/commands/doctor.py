"""`pendtui doctor`: whether the program can work here, in words, with what to do about what does not."""

import argparse
import os
import sys
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from pendtui.commands import CHECK_FAILED, FINE
from pendtui.commands.config import KEY_VARIABLE
from pendtui.config import Config
from pendtui.desk import sources
from pendtui.errors import NoJournalError, PendtuiError
from pendtui.tables import print_rows

COLUMNS = ("check", "state", "detail")
OK, NOTE, BROKEN = "ok", "note", "broken"
"""What a check comes to: works; works, with something to know; does not work."""

PACKAGES = ("textual", "platformdirs", "ahocorasick_rs")
"""The packages that the program cannot do without."""
SMALLEST = (80, 24)
"""Columns and rows that the screens are laid out for."""


@dataclass(frozen=True, slots=True)
class Finding:
    """What one check found."""

    check: str
    state: str
    detail: str


def run(args: argparse.Namespace) -> int:
    """Make every check, print what each found, and give 1 when something does not work."""
    findings = list(_findings(args))
    print_rows(COLUMNS, [(f.check, f.state, f.detail) for f in findings], args.format)
    return CHECK_FAILED if any(f.state == BROKEN for f in findings) else FINE


def _findings(args: argparse.Namespace) -> Iterator[Finding]:
    yield python_version()
    yield packages()
    yield terminal_size()
    yield terminal_kind(os.environ)
    yield colours(os.environ)
    yield encoding(os.environ)
    yield Finding("key", OK, key_detail(os.environ))
    try:
        config = sources.settings(args)
    except PendtuiError as fault:
        yield Finding("settings", BROKEN, str(fault))
        return
    files = sorted({origin for origin in config.origins.values() if origin.endswith(".toml")})
    yield Finding(
        "settings", OK, f"read from {', '.join(files)}" if files else "no settings file; defaults in force"
    )
    checks: tuple[tuple[str, Callable[[Config], Finding]], ...] = (
        ("policy", policy),
        ("queue", queue),
        ("journal", journal),
        ("index", lambda config: folder_writable("index", config.index_path())),
        ("runs", lambda config: folder_writable("runs", config.runs_folder())),
    )
    for name, check in checks:
        try:
            yield check(config)
        except PendtuiError as fault:
            yield Finding(name, BROKEN, str(fault))


def python_version() -> Finding:
    """Which Python runs the program."""
    return Finding("python", OK, f"{sys.version.split()[0]} at {sys.executable}")


def packages() -> Finding:
    """Whether every package that is needed is installed."""
    from importlib.metadata import PackageNotFoundError, version

    found, missing = [], []
    for name in PACKAGES:
        try:
            found.append(f"{name} {version(name)}")
        except PackageNotFoundError:
            missing.append(name)
    if missing:
        return Finding("packages", BROKEN, f"not installed: {', '.join(missing)}. Install pendtui anew with pip")
    return Finding("packages", OK, ", ".join(found))


def terminal_size() -> Finding:
    """Whether the screens fit the terminal."""
    for stream in (sys.__stdout__, sys.__stderr__, sys.__stdin__):
        try:
            columns, lines = os.get_terminal_size(stream.fileno()) if stream is not None else (0, 0)
        except (OSError, ValueError):
            continue
        if columns >= SMALLEST[0] and lines >= SMALLEST[1]:
            return Finding("size", OK, f"{columns} by {lines}")
        wanted = f"{SMALLEST[0]} by {SMALLEST[1]}"
        return Finding("size", NOTE, f"{columns} by {lines}: enlarge the window to {wanted} to see every column")
    return Finding("size", NOTE, "this is no terminal; the full-screen program needs one, the commands do not")


def terminal_kind(environ: Mapping[str, str]) -> Finding:
    """Whether the terminal says what it is."""
    term = environ.get("TERM", "")
    if not term:
        return Finding("terminal", NOTE, "TERM is not set. Set it to what the terminal is, such as xterm-256color")
    if term == "dumb":
        return Finding(
            "terminal", NOTE, "TERM is dumb, which cannot show full screens. Set it to what the terminal is"
        )
    return Finding("terminal", OK, f"TERM is {term}")


def colours(environ: Mapping[str, str]) -> Finding:
    """How many colours there are to use. No meaning is carried by colour alone."""
    if environ.get("NO_COLOR"):
        return Finding("colours", NOTE, "NO_COLOR is set, so none are used; every state has its word as well")
    if environ.get("COLORTERM", "").lower() in ("truecolor", "24bit"):
        return Finding("colours", OK, "16 million")
    try:
        import curses

        curses.setupterm(environ.get("TERM") or "unknown", sys.__stdout__.fileno() if sys.__stdout__ else 1)
        count = curses.tigetnum("colors")
    except (ImportError, OSError, ValueError, curses.error):
        return Finding("colours", NOTE, "not known for this terminal; it is taken to have 16")
    if count < 8:
        return Finding("colours", NOTE, "none; every state has its word as well")
    return Finding("colours", OK, str(count))


def encoding(environ: Mapping[str, str]) -> Finding:
    """Whether the locale is one in which any character of a record can be shown."""
    variable = next((name for name in ("LC_ALL", "LC_CTYPE", "LANG") if environ.get(name)), None)
    if variable is None:
        return Finding("locale", NOTE, "no locale is set. Set LANG to C.UTF-8, or lines may come out garbled")
    value = environ[variable]
    if "utf8" in value.lower().replace("-", ""):
        return Finding("locale", OK, f"{variable} is {value}")
    return Finding("locale", NOTE, f"{variable} is {value}, not a UTF-8 locale. Set it to C.UTF-8")


def key_detail(environ: Mapping[str, str]) -> str:
    """Whether a key for model calls is there; never what it is."""
    if environ.get(KEY_VARIABLE):
        return f"{KEY_VARIABLE} is present"
    return f"{KEY_VARIABLE} is absent; the offline readers need none"


def policy(config: Config) -> Finding:
    """Whether the policy in force is valid."""
    rules = sources.read_policy(config)
    counts = f"{len(rules.rules)} resolution rules, {len(rules.clock.rules)} clock rules"
    return Finding(
        "policy", OK, f"{rules.policy_id} at {sources.policy_file(config)}: {counts}, release gate closed"
    )


def queue(config: Config) -> Finding:
    """How many records and rows the queue has, and which records are faulty."""
    from pendtui.desk.queue_folder import claims, read_rows

    folder = sources.queue_folder(config)
    rows = read_rows(folder)
    records, faulty = 0, []
    for claim, _ in claims(folder):
        records += 1
        if claim.faults:
            faulty.append(f"{claim.record.id}: {claim.faults[0]}")
    counts = f"{records} records and {len(rows.rows)} rows in {folder}"
    if not records:
        return Finding("queue", BROKEN, f"{counts}. Point --queue at a folder of *.txt pend records")
    if faulty:
        more = f" and {len(faulty) - 1} more" if len(faulty) > 1 else ""
        return Finding(
            "queue",
            NOTE,
            f"{counts}, {len(faulty)} faulty ({faulty[0]}{more}). `pendtui clock` lists each fault",
        )
    return Finding("queue", OK, f"{counts}, none faulty")


def journal(config: Config) -> Finding:
    """Whether decisions can be saved, privately, and whether those there are as they were written."""
    if config.url:
        return _store(config.url)
    path = config.journal_path()
    if not path.exists():
        place = folder_writable("journal", path.parent)
        return place if place.state == BROKEN else Finding("journal", OK, f"{path} is made at the first decision")
    if not os.access(path, os.R_OK | os.W_OK) or not os.access(path.parent, os.W_OK):
        return Finding(
            "journal", BROKEN, f"{path} or its folder is not yours to write. Name another in the settings"
        )
    saved = _verified(path, str(path))
    mode = path.stat().st_mode & 0o777
    if saved.state == BROKEN:
        return saved
    if mode & 0o007:
        remedy = "Run chmod 600 on it, or 660 to share it with its group"
        return Finding("journal", BROKEN, f"{path} can be opened by others (mode {mode:04o}). {remedy}")
    shared = f", shared with the group {_group(path)}" if mode & 0o070 else ""
    return Finding("journal", OK, f"{saved.detail}, mode {mode:04o}{shared}")


def _store(url: str) -> Finding:
    from pendtui.desk.journal.postgres_address import Address

    where = Address.parse(url).shown
    try:
        return _verified(url, where)
    except NoJournalError:
        return Finding("journal", OK, f"{where} answers; the tables are made at the first start")


def _verified(store: Path | str, where: str) -> Finding:
    from pendtui.desk.journal import Journal

    with Journal.open(store, read_only=True) as entries:
        faults = entries.verify()
        rows = entries.head().rows
    if faults:
        what = faults[0].what if faults[0].seq is None else f"row {faults[0].seq}: {faults[0].what}"
        return Finding(
            "journal",
            BROKEN,
            f"{where} does not verify ({what}). `pendtui journal verify` lists all; keep a copy",
        )
    return Finding("journal", OK, f"{where}: decisions saved: {rows}, all verify")


def _group(path: Path) -> str:
    try:
        return path.group()
    except KeyError:
        return str(path.stat().st_gid)


def folder_writable(check: str, folder: Path) -> Finding:
    """Whether files can be made in a folder, or the folder itself where it is not there yet."""
    place = folder
    while not place.exists() and place != place.parent:
        place = place.parent
    if not place.is_dir():
        return Finding(check, BROKEN, f"{place} is not a folder. Name another in the settings")
    if not os.access(place, os.W_OK | os.X_OK):
        return Finding(check, BROKEN, f"{place} is not yours to write. Name another folder in the settings")
    return Finding(check, OK, f"{folder} can be written" if place == folder else f"{folder} is made when needed")
