"""The overview: what turns urgent on which day, how old the claims are, how today goes, and who works what."""

from collections.abc import Iterator
from datetime import date

from textual import work
from textual.content import Content

from pendtui.actions import OVERVIEW
from pendtui.desk.claim_view import ClaimView
from pendtui.desk.desk import Desk
from pendtui.desk.overview import AGES, DAYS_AHEAD, DayAhead, Overview
from pendtui.desk.words import count, day_with_weekday
from pendtui.errors import PendtuiError
from pendtui.plain import plain
from pendtui.screens.bindings import bindings_at
from pendtui.screens.drawing import Pen, bar, pen_for
from pendtui.screens.place import ViewScreen

AFRESH_SECONDS = 5.0
"""Between two counts while the overview is open."""
BESIDE = 100
"""From this many columns on, ages and people stand beside each other."""


class OverviewScreen(ViewScreen):
    """Shows what the queue is heading for, as counts and bars."""

    PLACE = OVERVIEW
    BINDINGS = bindings_at(OVERVIEW)

    def __init__(self, desk: Desk, claim: ClaimView | None = None) -> None:
        super().__init__(desk, claim)
        self._overview: Overview | None = None
        self._fault = ""
        self._pen = pen_for()

    def begin(self) -> None:
        super().begin()
        self._count()
        self.set_interval(AFRESH_SECONDS, self._count)

    @work(thread=True, exclusive=True)
    def _count(self) -> None:
        try:
            counted = self.desk.overview_elsewhere()
        except PendtuiError as fault:
            self.app.call_from_thread(self._shown, None, str(fault))
        else:
            self.app.call_from_thread(self._shown, counted, "")

    def _shown(self, counted: Overview | None, fault: str) -> None:
        if self.is_attached and (counted, fault) != (self._overview, self._fault):
            self._overview, self._fault = counted or self._overview, fault
            self.show()

    def title_line(self) -> Content:
        day = self._overview.as_of if self._overview is not None else None
        as_of = f"as of {day.isoformat()}" if day is not None else "as of each register reading"
        return Content(
            plain(f"Overview of {self.desk.folder.resolve().name}, {as_of}, by {self.desk.policy.policy_id}")
        )

    def lines(self, width: int) -> list[Content]:
        if self._overview is None:
            return [Content(plain(self._fault) or "counting …")]
        shown = [Content.styled(plain(self._fault), "bold $error")] if self._fault else []
        shown += progress_lines(self._overview, self.desk.today, width, self._pen)
        shown += [Content(""), *ahead_lines(self._overview, width, self._pen)]
        ages, people = list(age_lines(self._overview)), list(people_lines(self._overview, self._open_elsewhere()))
        if width >= BESIDE:
            return [*shown, Content(""), *_beside(ages, people, width // 2)]
        return [*shown, Content(""), *ages, Content(""), *people]

    def _open_elsewhere(self) -> list[tuple[str, str]]:
        return [(lease.by or lease.who, lease.record_id) for lease in self.desk.colleagues.others]


def progress_lines(overview: Overview, today: date, width: int, pen: Pen) -> Iterator[Content]:
    """What is due against what was done today."""
    due, done = overview.due + overview.due_decided, overview.due_decided
    yield Content.styled(f"Today, {day_with_weekday(today)}", "bold")
    if due:
        room = max(10, min(40, width - 50))
        filled = bar(done, due, room, pen).ljust(room, pen.axis)
        yield Content.assemble(
            (filled, "$success"), f" {done:,} of {due:,} decided that were due: on their last day or past it"
        )
    else:
        yield Content("No claim is on its last day or past it.")
    yield Content(
        f"{overview.decided_today:,} decided today in all; {overview.undecided:,} undecided:"
        f" {overview.breached:,} breached, {overview.escalate:,} escalate-now"
    )


def ahead_lines(overview: Overview, width: int, pen: Pen) -> Iterator[Content]:
    """A line a day: how many claims turn escalate-now and breached on it if nobody works them."""
    days = overview.ahead
    most = max((max(day.escalate, day.breached) for day in days), default=0)
    digits = max(5, len(f"{most:,}"))
    room = max(4, min(40, (width - 2 * digits - 26) // 2))
    yield Content.styled(f"If nobody works them, the coming {DAYS_AHEAD} days turn", "bold")
    heading = f"{'':14}  {'breached'.ljust(room + digits + 1)}  escalate-now"
    yield Content.styled(heading, "$text-muted")
    for day in days:
        breached = f"{day.breached:>{digits},} {bar(day.breached, most, room, pen)}".ljust(digits + 1 + room)
        escalate = f"{day.escalate:>{digits},} {bar(day.escalate, most, room, pen)}"
        yield Content.assemble(
            f"{_day(day):14}  ",
            (breached, "bold $error" if day.breached else "$text-muted"),
            "  ",
            (escalate, "$warning" if day.escalate else "$text-muted"),
        )


def _day(ahead: DayAhead) -> str:
    return day_with_weekday(ahead.day) if ahead.day is not None else f"in {count(ahead.offset, 'day')}"


def age_lines(overview: Overview) -> Iterator[Content]:
    """The undecided claims by days since receipt, a line a line of business."""
    widest = max((len(plain(ages.line_of_business)) for ages in overview.ages), default=0)
    first = max(8, min(20, widest)) + 1
    yield Content.styled("Undecided by days since receipt", "bold")
    yield Content.styled(" " * first + "".join(f"{age:>10}" for age in AGES) + f"{'all':>10}", "$text-muted")
    for ages in overview.ages:
        name = plain(ages.line_of_business) or "unknown"
        total = sum(ages.counts) + ages.unknown
        numbers = "".join(f"{number:>10,}" for number in (*ages.counts, total))
        unknown = f"  {ages.unknown:,} without a receipt date" if ages.unknown else ""
        yield Content(f"{name[: first - 1]:{first}}{numbers}{unknown}")


def people_lines(overview: Overview, open_elsewhere: list[tuple[str, str]]) -> Iterator[Content]:
    """Who has what open, who decided how many today, and whose the undecided claims are."""
    yield Content.styled("Who works what", "bold")
    for by, record_id in open_elsewhere:
        yield Content(plain(f"{by} has {record_id} open"))
    if not open_elsewhere:
        yield Content("Nobody else has a claim open.")
    for by, decided in overview.decided_by:
        yield Content(plain(f"{by}: {count(decided, 'claim')} decided today"))
    for assignee, records in overview.assigned:
        yield Content(plain(f"{assignee or 'Assigned to nobody'}: {records:,} undecided"))


def _beside(left: list[Content], right: list[Content], width: int) -> Iterator[Content]:
    for at in range(max(len(left), len(right))):
        first = left[at] if at < len(left) else Content("")
        second = right[at] if at < len(right) else Content("")
        yield Content.assemble(first.pad_right(max(0, width - first.cell_length)), second)
