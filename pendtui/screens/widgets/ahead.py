"""One line over the queue: how many claims turn breached and escalate-now on each coming day, if nobody acts."""

import time
from collections.abc import Sequence

from textual import work
from textual.content import Content
from textual.widgets import Static

from pendtui.desk.desk import Desk
from pendtui.desk.overview import Overview
from pendtui.desk.words import day_with_weekday
from pendtui.errors import PendtuiError

LEAST_SECONDS = 3.0
SHARE = 20
"""Between two counts: the least time, and how many times as long as the last one took."""
TALL = 30
"""Rows of the terminal from which on there is room for the line."""


class AheadLine(Static):
    """Counts in a thread of its own, and seldom where that takes long."""

    DEFAULT_CSS = "AheadLine { height: 1; padding: 0 1; background: $panel; text-wrap: nowrap; display: none; }"

    def __init__(self, desk: Desk) -> None:
        super().__init__()
        self._desk = desk
        self._counted: Overview | None = None

    def on_mount(self) -> None:
        # After the first painting, which it would slow down.
        self.set_timer(0.5, self._count)

    @property
    def counted(self) -> bool:
        """Whether there is anything to show yet."""
        return self._counted is not None

    def fit(self, rows: int) -> None:
        """Be there where the terminal has so many rows, or not."""
        self.display = rows >= TALL and self._counted is not None

    @work(thread=True, exclusive=True, group="ahead")
    def _count(self) -> None:
        started = time.monotonic()
        try:
            counted = self._desk.overview_elsewhere()
        except PendtuiError:
            counted = None  # whoever looks at the queue is told of it there
        took = time.monotonic() - started
        self.app.call_from_thread(self._shown, counted, max(LEAST_SECONDS, SHARE * took))

    def _shown(self, counted: Overview | None, again_in: float) -> None:
        if not self.is_attached:
            return
        if counted is not None and (self._counted is None or counted.ahead != self._counted.ahead):
            self._counted = counted
            self.update(ahead_line(counted))
            self.fit(self.app.size.height)
        self.set_timer(again_in, self._count)


def ahead_line(overview: Overview) -> Content:
    """The line: a sign a day, 1 to 9 or a dot for none; where more than 9 turn on a day, 9 stands for the most."""
    breached, escalate = [day.breached for day in overview.ahead], [day.escalate for day in overview.ahead]
    most = max((*breached, *escalate), default=0)
    first = overview.ahead[0].day
    start = f"from {day_with_weekday(first)}" if first is not None else "from tomorrow"
    scale = f"  (9 is {most:,})" if most > 9 else ""
    return Content.assemble(
        f"{len(breached)} days {start}, if nobody works them:  breached ",
        (signs(breached, most), "bold $error"),
        "  escalate-now ",
        (signs(escalate, most), "bold $warning"),
        scale,
    )


def signs(counts: Sequence[int], most: int) -> str:
    """A sign for each count: the count up to 9, else its share of the most in ninths, rounded up."""
    if most <= 9:
        return "".join(str(number) if number else "." for number in counts)
    return "".join(str(-(-9 * number // most)) if number else "." for number in counts)
