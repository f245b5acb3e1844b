"""The shipped policies, loaded, and their texts."""

from pathlib import Path

import pendtui
from pendtui.engines.policy import Policy
from pendtui.engines.policy_file import load_policy

FOLDER = Path(pendtui.__file__).parent / "policies"


def policy_text(name: str = "pr-2026") -> str:
    """The text of a shipped policy."""
    return (FOLDER / f"{name}.toml").read_text(encoding="utf-8")


def policy(name: str = "pr-2026") -> Policy:
    """A shipped policy."""
    return load_policy(policy_text(name), name)
