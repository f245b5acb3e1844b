"""What people take out of the desk: the listed claims, and one claim as a hand-over sheet."""

from pathlib import Path

from pendtui.errors import PendtuiError

LIST_FORMATS = ("csv", "jsonl", "md", "html")
"""What the listed claims can be written as."""
SHEET_FORMATS = ("html", "md", "jsonl")
"""What one claim can be handed over as."""

_SAME = {"htm": "html", "markdown": "md"}


def format_of(path: Path, formats: tuple[str, ...]) -> str:
    """The format that a file's name asks for by its ending. Raises PendtuiError for any other."""
    ending = path.suffix.removeprefix(".").lower()
    named = _SAME.get(ending, ending)
    if named not in formats:
        known = ", ".join(f".{one}" for one in formats)
        raise PendtuiError("the name's ending says no format", where=str(path), remedy=f"End it in one of {known}")
    return named
