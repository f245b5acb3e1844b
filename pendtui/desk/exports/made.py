"""Where an export comes from: who made it, when, from which queue and under which policy."""

from datetime import date, datetime
from typing import TYPE_CHECKING, NamedTuple

from pendtui import __version__

if TYPE_CHECKING:
    from pendtui.desk.desk import Desk

PROPOSES = "pendtui proposes; a person decides."


class Made(NamedTuple):
    """The circumstances of an export, as its foot prints them."""

    by: str
    """The examiner's name as shown, and the system user where that is another."""
    at: datetime
    """An aware instant."""
    program: str
    queue: str
    """The queue folder's name."""
    policy_id: str
    policy_sha256: str
    as_of: str | date
    """The as-of setting: register, today or a day."""

    @property
    def when(self) -> str:
        """The instant where the examiner sits, to the minute, with the offset from UTC."""
        return local_minute(self.at)


def made_at(desk: "Desk", at: datetime) -> Made:
    """The circumstances of an export from this desk."""
    name = desk.config.display_name
    by = f"{name} ({desk.user})" if name and name != desk.user else desk.user
    program = f"pendtui {__version__}"
    return Made(by, at, program, desk.folder.name, desk.policy.policy_id, desk.policy.sha256, desk.as_of)


def local_minute(at: datetime) -> str:
    """An instant where the examiner sits, to the minute, with the offset from UTC."""
    local = at.astimezone()
    return f"{local:%Y-%m-%d %H:%M} {local:%z}"
