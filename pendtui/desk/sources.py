"""Which settings, queue and policy a command works on, from its arguments, the environment and the file."""

import argparse
from datetime import date
from pathlib import Path

from pendtui.config import Config, load_config, parse_as_of
from pendtui.engines.policy import Policy
from pendtui.engines.policy_file import load_policy
from pendtui.errors import PolicyError, QueueError

POLICIES = Path(__file__).resolve().parent.parent / "policies"
"""The policy files that ship."""


def settings(args: argparse.Namespace) -> Config:
    """The settings in force for a command, its own options included."""
    config = load_config(getattr(args, "config", None))
    given: dict[str, object] = {}
    for option, name in (("queue", "queue"), ("policy", "policy"), ("as_of", "as_of")):
        value = getattr(args, option, None)
        if value is not None:
            given[name] = value
    if not given:
        return config
    if "as_of" in given:
        parse_as_of(str(given["as_of"]), "--as-of")
    origins = {**config.origins, **{name: f"--{name.replace('_', '-')}" for name in given}}
    return config._replace(**given, origins=origins)  # type: ignore[arg-type]


def queue_folder(config: Config) -> Path:
    """The queue's folder. Raises QueueError that says how to point pendtui at one, when there is none."""
    folder = config.queue
    if folder.is_dir():
        return folder
    if config.origins.get("queue") == "default":
        raise QueueError(
            "no queue in sight: there is no folder ./queue",
            remedy="Name one with --queue DIR or PENDTUI_QUEUE, or try `pendtui demo`",
        )
    raise QueueError("is not a folder", where=str(folder), remedy=f"It was named by {config.origins['queue']}")


def queue_name(config: Config, folder: Path) -> str:
    """How the journal names a queue: by the settings, else by the folder's resolved path."""
    return config.queue_name or str(folder.resolve())


def policy_file(config: Config) -> Path:
    """The policy's file: a path, or the name of a policy that ships."""
    named = Path(config.policy).expanduser()
    shipped = POLICIES / f"{config.policy}.toml"
    if named.is_file():
        return named
    if shipped.is_file():
        return shipped
    names = ", ".join(sorted(file.stem for file in POLICIES.glob("*.toml")))
    raise PolicyError("there is no such policy file", where=config.policy, remedy=f"Shipped policies are {names}")


def read_policy(config: Config) -> Policy:
    """The policy in force, validated. Raises PolicyError."""
    file = policy_file(config)
    try:
        text = file.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as fault:
        raise PolicyError(f"cannot be read: {fault}", where=str(file)) from None
    return load_policy(text, str(file))


def as_of(config: Config, policy: Policy) -> str | date:
    """The as-of setting in force: the desk's where it has one, else the policy's."""
    return parse_as_of(config.as_of, str(config.origins.get("as_of", ""))) or policy.as_of
