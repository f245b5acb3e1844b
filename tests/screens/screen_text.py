"""What a person sees: the characters on an app's screen."""

from textual.app import App


def screen_text(app: App[None]) -> str:
    """The whole screen as lines of text."""
    strips = app.screen._compositor.render_strips()
    return "\n".join("".join(segment.text for segment in strip) for strip in strips)


def listed_ids(text: str) -> list[str]:
    """The record ids in a painted list, top down."""
    words = [line.split() for line in text.splitlines()]
    return [
        next(word for word in line if word.startswith("PC-")) for line in words if "left" in line or "over" in line
    ]
