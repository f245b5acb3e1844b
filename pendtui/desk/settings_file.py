"""Changing one setting in config.toml, with everything else in the file left as it stands."""

import os
import re
import tomllib
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import NamedTuple

from pendtui import config as config_module
from pendtui.config import ENVIRONMENT, FLAGS, NUMBERS, SECTIONS, Config, load_config, own_config_file
from pendtui.errors import ConfigError

_MOST_LINES = 40
"""Lines that one setting may take in the file."""


class CommentsLostError(ConfigError):
    """The setting stands in the file in a way that can only be changed by writing the whole file anew."""


class Changed(NamedTuple):
    """What a change came to."""

    config: Config
    """The settings in force now."""
    file: Path
    comments_kept: bool
    """Whether the rest of the file is as it was; where not, it was written anew without its comments."""


def section_of(name: str) -> str:
    """The table of config.toml that a setting belongs to."""
    return next(section for section, names in SECTIONS.items() if name in names)


def obstacle(config: Config, name: str) -> str:
    """Why a setting cannot be changed in the file with any effect; empty where it can."""
    origin = config.origins.get(name, "default")
    if origin in ENVIRONMENT:
        return f"the environment variable {origin} outranks the file"
    if origin.startswith("--"):
        return f"the option {origin} outranks the file"
    return ""


def target(config: Config) -> Path:
    """The file that a change goes to: the one that was read, else the user's own."""
    return config.file or own_config_file()


def change(
    config: Config,
    name: str,
    value: object,
    *,
    rewrite: bool = False,
    accept: Callable[[Config], None] = lambda config: None,
) -> Changed:
    """Put one setting into the file and give the settings as they are then.

    `accept` is called with them before the file is touched, and may refuse them by raising.

    `value` is as TOML has it: text, a number, true or false, a list of texts, a table. Unless `rewrite` is set, the
    file is refused where its comments could not be kept. Raises ConfigError, with the file as it was.
    """
    file = target(config)
    old = _read(file)
    document: dict[str, object] = tomllib.loads(old)
    section = section_of(name)
    table = document.setdefault(section, {})
    if not isinstance(table, dict):
        raise ConfigError(f"{section} is not a table", where=str(file))
    table[name] = value
    new = _edited(old, section, name, value, document)
    kept = new is not None
    if new is None:
        if not rewrite:
            raise CommentsLostError(
                f"{name} cannot be changed without losing the file's comments",
                where=str(file),
                remedy="Edit it by hand",
            )
        new = _dumped(document)
    in_force = _checked(file, new, config)
    accept(in_force)
    _replace(file, new)
    return Changed(in_force, file, kept)


def parse(name: str, text: str) -> object:
    """A setting's value from what was typed; names of a list are separated by commas. Raises ConfigError."""
    current = getattr(Config(), name)
    if name in FLAGS:
        return text.strip().lower() in ("true", "yes", "on", "1")
    if isinstance(current, tuple):
        return [part.strip() for part in text.split(",") if part.strip()]
    if isinstance(current, Mapping):
        try:
            return tomllib.loads(f"value = {text.strip() or '{}'}")["value"]
        except tomllib.TOMLDecodeError as fault:
            raise ConfigError(f"{name} is no table: {fault}", remedy='Write it as {name = "value"}') from None
    if name in NUMBERS and text.strip():
        try:
            return int(text) if "." not in text else float(text)
        except ValueError:
            return text  # refused with its own words when the file is checked
    return text


def shown(value: object) -> str:
    """A setting's value as it is edited: the inverse of `parse`."""
    if value is None:
        return ""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, tuple):
        return ", ".join(value)
    if isinstance(value, Mapping):
        return _inline(value)
    return str(value)


def meanings() -> dict[str, str]:
    """What each setting means: the line under each field of Config, without the key in front."""
    import ast
    from itertools import pairwise

    try:
        tree = ast.parse(Path(config_module.__file__).read_text(encoding="utf-8"))
    except (OSError, SyntaxError, ValueError):
        return {}
    body = next(node.body for node in tree.body if isinstance(node, ast.ClassDef) and node.name == "Config")
    found = {}
    for field, line in pairwise(body):
        if isinstance(field, ast.AnnAssign) and isinstance(field.target, ast.Name) and isinstance(line, ast.Expr):
            found[field.target.id] = str(ast.literal_eval(line.value)).partition(": ")[2]
    return found


def _read(file: Path) -> str:
    try:
        return file.read_text(encoding="utf-8")
    except FileNotFoundError:
        return ""
    except (OSError, UnicodeDecodeError) as fault:
        raise ConfigError(f"cannot be read: {fault}", where=str(file)) from None


def _edited(old: str, section: str, name: str, value: object, wanted: Mapping[str, object]) -> str | None:
    """The file's text with that one setting changed and nothing else; None where no such edit gives `wanted`."""
    line = f"{name} = {_inline(value)}"
    for candidate in _candidates(old.splitlines(), section, name, line):
        text = "\n".join(candidate) + "\n"
        try:
            if tomllib.loads(text) == wanted:
                return text
        except tomllib.TOMLDecodeError:
            continue
    return None


def _candidates(lines: list[str], section: str, name: str, line: str) -> Iterator[list[str]]:
    heading = next((n for n, each in enumerate(lines) if re.match(rf"\s*\[\s*{section}\s*\]", each)), None)
    if heading is None:
        yield [*lines, *([""] if lines else []), f"[{section}]", line]
        return
    end = next((n for n in range(heading + 1, len(lines)) if lines[n].lstrip().startswith("[")), len(lines))
    for at in range(heading + 1, end):
        if re.match(rf"\s*{name}\s*=", lines[at]):
            # A value may go over several lines; the first length that parses to what is wanted is it.
            for last in range(at + 1, min(at + _MOST_LINES, len(lines)) + 1):
                yield [*lines[:at], line, *lines[last:]]
            return
    while end > heading + 1 and (not lines[end - 1].strip() or lines[end - 1].startswith("#")):
        end -= 1  # a comment above the next table belongs to that
    yield [*lines[:end], line, *lines[end:]]


def _inline(value: object) -> str:
    import tomli_w

    if isinstance(value, Mapping):
        return "{" + ", ".join(f"{_key(name)} = {_inline(each)}" for name, each in value.items()) + "}"
    if isinstance(value, list | tuple):
        return "[" + ", ".join(_inline(each) for each in value) + "]"
    return tomli_w.dumps({"value": value}).partition(" = ")[2].strip()


def _key(name: str) -> str:
    return name if re.fullmatch(r"[A-Za-z0-9_-]+", name) else _inline(name)


def _dumped(document: Mapping[str, object]) -> str:
    import tomli_w

    return tomli_w.dumps(document)


def _checked(file: Path, text: str, config: Config) -> Config:
    """The settings that a text gives, read as the file would be. Raises ConfigError."""
    trial = file.with_name(f"{file.name}.{os.getpid()}.part")
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        trial.write_text(text, encoding="utf-8")
        read = load_config(trial)
    except OSError as fault:
        raise ConfigError(f"cannot be written: {fault.strerror}", where=str(file)) from None
    except ConfigError as fault:
        raise ConfigError(str(fault.what), where=str(file), remedy=fault.remedy) from None
    finally:
        trial.unlink(missing_ok=True)
    origins = {name: str(file) if origin == str(trial) else origin for name, origin in read.origins.items()}
    options = {name: origin for name, origin in config.origins.items() if origin.startswith("--")}
    given = {name: getattr(config, name) for name in options}
    return read._replace(**given, origins=origins | options, file=file)


def _replace(file: Path, text: str) -> None:
    part = file.with_name(f"{file.name}.{os.getpid()}.part")
    try:
        part.write_text(text, encoding="utf-8")
        if file.exists():
            part.chmod(file.stat().st_mode & 0o777)
        part.replace(file)
    except OSError as fault:
        raise ConfigError(f"cannot be written: {fault.strerror}", where=str(file)) from None
    finally:
        part.unlink(missing_ok=True)
