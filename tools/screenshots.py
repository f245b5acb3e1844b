"""Take the README's pictures of both screens, from the shipped queue.

Usage: python tools/screenshots.py [FOLDER]   (default: docs)
"""

import asyncio
import sys
import tempfile
from datetime import UTC, datetime
from pathlib import Path

from pendtui.app import PendtuiApp
from pendtui.config import Config
from pendtui.desk.desk import Desk

ROOT = Path(__file__).resolve().parent.parent
TAKEN_AT = datetime(2026, 9, 4, 15, tzinfo=UTC)
PICTURES = {
    "queue": ((112, 26), ()),
    "record": ((150, 44), ("e", "enter")),
    "narrow": ((80, 24), ("e", "enter")),
    "overview": ((112, 30), ("o",)),
}
"""Picture, terminal size and the keys pressed before it is taken."""


async def take(folder: Path) -> None:
    """Write one SVG a picture."""
    for name, (size, keys) in PICTURES.items():
        with tempfile.TemporaryDirectory() as scratch:
            own = {"journal": f"{scratch}/journal.db", "index_folder": f"{scratch}/index", "display_name": "you"}
            config = Config(queue=ROOT / "queue", **own)  # type: ignore[arg-type]
            desk = Desk(config, now=lambda: TAKEN_AT)
            app = PendtuiApp(config, desk)
            async with app.run_test(size=size) as pilot:
                for key in keys:
                    await pilot.press(key)
                    await pilot.pause()
                await pilot.pause(1.5)  # until what is counted in the background has been
                (folder / f"{name}.svg").write_text(app.export_screenshot(title="pendtui"), encoding="utf-8")
            desk.close()


if __name__ == "__main__":
    asyncio.run(take(Path(sys.argv[1]) if len(sys.argv) > 1 else ROOT / "docs"))
