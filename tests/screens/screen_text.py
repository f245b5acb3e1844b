"""What a person sees: the characters on an app's screen."""

from textual.app import App
from textual.pilot import Pilot


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


async def settled(pilot: Pilot[None]) -> str:
    """The screen once its background work is done; what follows the folder never is."""
    screen = pilot.app.screen
    own = [each for each in pilot.app.workers if each.node is screen]
    if own:  # of no workers, Textual waits for all
        await pilot.app.workers.wait_for_complete(own)
    await pilot.pause()
    return screen_text(pilot.app)
