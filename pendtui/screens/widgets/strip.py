"""The lines above the queue: how it stands, on which day, by which reader."""

from datetime import date

from textual.content import Content
from textual.widgets import Static

from pendtui.desk.desk import Desk
from pendtui.desk.words import count
from pendtui.plain import plain


class DeskStrip(Static):
    """Counts by clock state, decided today, the as-of day and its age, the reader, and whether a key is present."""

    def show(self, desk: Desk, listed: int, search: str, sort: str, progress: str = "") -> None:
        """Show how the desk stands now."""
        standings = desk.standings()
        counts = standings.counts
        parts = [
            (f"{counts.breached:,} breached", "bold $error" if counts.breached else ""),
            (f"{counts.escalate:,} escalate-now", "bold $warning" if counts.escalate else ""),
            (f"{counts.within:,} within", ""),
        ]
        if counts.no_clock:
            parts.append((f"{counts.no_clock:,} no clock", "bold $warning"))
        if counts.faulty:
            parts.append((f"{counts.faulty:,} faulty", "bold $error"))
        parts.append((f"{standings.decided_today:,} decided today", "bold"))
        first = Content.assemble(
            (_unbroken(f"{plain(desk.folder.resolve().name)}: {count(counts.records, 'claim')}"), "bold"),
            *[part for text, style in parts for part in ("  ", (_unbroken(text), style))],
        )
        described = [
            _as_of(desk, counts.oldest_register, counts.newest_register),
            desk.policy.policy_id,
            desk.reader.name,
            "key present" if desk.has_key else "no key",
            f"by {sort}",
        ]
        if search:
            described.append(f"filter '{plain(search)}': {listed:,} listed")
        if progress:
            described.append(progress)
        self.update(
            Content("\n").join(
                [first, Content.styled(" · ".join(_unbroken(part) for part in described), "$text-muted")]
            )
        )


def _unbroken(text: str) -> str:
    return text.replace(" ", "\N{NO-BREAK SPACE}")


def _as_of(desk: Desk, oldest: date | None, newest: date | None) -> str:
    if isinstance(desk.as_of, date):
        return f"as of {desk.as_of.isoformat()}"
    if desk.as_of == "today":
        return f"as of today, {desk.today.isoformat()}"
    if oldest is None or newest is None:
        return "as of the register reading"
    age = (desk.today - oldest).days
    days = oldest.isoformat() if oldest == newest else f"{oldest.isoformat()} to {newest.isoformat()}"
    return f"register {days} ({count(age, 'day')} old)" if age > 0 else f"register {days}"
