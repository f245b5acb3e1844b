"""A whole desk for tests: a queue on disk, with journal and index of its own."""

from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from pathlib import Path

from pendtui.app import PendtuiApp
from pendtui.config import Config
from pendtui.desk.desk import Desk
from tests.queues import FIVE, write_queue

NOW = datetime(2026, 9, 4, 12, tzinfo=UTC)


def config_for(folder: Path, queue: Path | None = None, **changes: object) -> Config:
    """Settings that keep everything inside a test's own folder."""
    base = Config(
        queue=queue or folder / "queue",
        display_name="ann",
        journal=str(folder / "journal.db"),
        index_folder=str(folder / "index"),
        runs=str(folder / "runs"),
        origins={"queue": "test"},
    )
    return base._replace(**changes)  # type: ignore[arg-type]


def desk_in(
    folder: Path,
    claims: Mapping[str, Mapping[str, object]] = FIVE,
    *,
    queue: Path | None = None,
    now: Callable[[], datetime] = lambda: NOW,
    **changes: object,
) -> Desk:
    """Open a desk, writing its queue first where there is none."""
    if queue is None and not (folder / "queue").exists():
        write_queue(folder / "queue", claims)
    return Desk(config_for(folder, queue, **changes), now=now)


def app_in(folder: Path, claims: Mapping[str, Mapping[str, object]] = FIVE, **changes: object) -> PendtuiApp:
    """The full-screen program on such a desk."""
    desk = desk_in(folder, claims, **changes)  # type: ignore[arg-type]
    return PendtuiApp(desk.config, desk)
