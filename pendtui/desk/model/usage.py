"""Token counts in the spellings of the servers that report them. What is not reported stays None."""

from collections.abc import Mapping

from pendtui.desk.model.calls import Usage

NOT_REPORTED = Usage()

_SPELLINGS: dict[str, tuple[str, ...]] = {
    "prompt_tokens": ("prompt_tokens", "input_tokens"),
    "completion_tokens": ("completion_tokens", "output_tokens"),
    "cached_tokens": (
        "prompt_tokens_details.cached_tokens",
        "input_tokens_details.cached_tokens",
        "prompt_cache_hit_tokens",
        "cache_read_input_tokens",
        "cached_tokens",
    ),
    "reasoning_tokens": (
        "completion_tokens_details.reasoning_tokens",
        "output_tokens_details.reasoning_tokens",
        "reasoning_tokens",
    ),
    "cache_write_tokens": (
        "prompt_tokens_details.cache_write_tokens",
        "prompt_tokens_details.cache_creation_tokens",
        "cache_creation_input_tokens",
    ),
}
"""Where each count may stand, the first one that is there taken."""


def read_usage(reported: Mapping[str, object], before: Usage = NOT_REPORTED) -> Usage:
    """The counts of a usage object, over those that were reported before it.

    A server that counts reasoning beside the completion instead of within it says so by its total; the
    completion then has both.
    """
    found = {name: _count(reported, paths) for name, paths in _SPELLINGS.items()}
    prompt, completion, reasoning = (
        found[name] for name in ("prompt_tokens", "completion_tokens", "reasoning_tokens")
    )
    total = _count(reported, ("total_tokens",))
    if prompt is not None and completion is not None and reasoning and total == prompt + completion + reasoning:
        found["completion_tokens"] = completion + reasoning
    return before._replace(**{name: count for name, count in found.items() if count is not None})


def _count(reported: Mapping[str, object], paths: tuple[str, ...]) -> int | None:
    for path in paths:
        value: object = reported
        for key in path.split("."):
            value = value.get(key) if isinstance(value, Mapping) else None
        if isinstance(value, float) and value.is_integer():
            value = int(value)
        if isinstance(value, int) and not isinstance(value, bool) and value >= 0:
            return value
    return None
