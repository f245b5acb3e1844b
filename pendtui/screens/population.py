"""The population view: where the regulations' percentile standards stand, by month of receipt."""

from collections.abc import Iterator, Sequence
from pathlib import Path

from textual import work
from textual.content import Content

from pendtui.actions import POPULATION
from pendtui.desk.claim_view import ClaimView
from pendtui.desk.desk import Desk
from pendtui.desk.export_file import export_file
from pendtui.desk.overview import AGES
from pendtui.engines.policy import Policy
from pendtui.engines.population import (
    COLUMNS,
    MET,
    NOT_MET,
    Cohort,
    Lags,
    Population,
    rows,
    standard_name,
    standards,
)
from pendtui.errors import PendtuiError
from pendtui.plain import plain
from pendtui.screens.bindings import bindings_at
from pendtui.screens.dialogs import Field, FormDialog
from pendtui.screens.place import ViewScreen
from pendtui.tables import print_rows

VERDICT_STYLES = {MET: "bold $success", NOT_MET: "bold $error"}
"""Colour beside the words, never instead of them."""
CAVEAT = (
    "The standards are shares of all such claims received in a month. A pend queue holds only some of them, so"
    " nothing is said to be met or not without the month's total: [population] in config.toml. A decision here is"
    " not yet a payment."
)


class PopulationScreen(ViewScreen):
    """Shows each standard's months, and how many of today's claims would move them."""

    PLACE = POPULATION
    BINDINGS = bindings_at(POPULATION)

    def __init__(self, desk: Desk, claim: ClaimView | None = None) -> None:
        super().__init__(desk, claim)
        self._population: Population | None = None
        self._fault = ""

    def begin(self) -> None:
        super().begin()
        self._measure()

    @work(thread=True, exclusive=True)
    def _measure(self) -> None:
        try:
            measured = self.desk.population_elsewhere()
        except PendtuiError as fault:
            self.app.call_from_thread(self._shown, None, str(fault))
        else:
            self.app.call_from_thread(self._shown, measured, "")

    def _shown(self, measured: Population | None, fault: str) -> None:
        if self.is_attached:
            self._population, self._fault = measured, fault
            self.show()

    def action_export(self) -> None:
        if self._population is not None:
            question = "Export the standards, a row a standard and month, to a CSV file"
            self.app.push_screen(FormDialog(question, [Field("File", "population.csv")]), self._export)

    def _export(self, said: list[str] | None) -> None:
        if said is None or self._population is None:
            return
        path = Path(said[0]).expanduser()
        try:
            with export_file(path) as out:
                print_rows(COLUMNS, rows(self._population, self.desk.policy), "csv", out)
        except PendtuiError as fault:
            self.say(f"Not exported: {fault}", wrong=True)
        else:
            self.say(f"Written to {path}.")

    def title_line(self) -> Content:
        day = f" as of {self._population.as_of.isoformat()}" if self._population is not None else ""
        return Content(plain(f"Population standards{day}, by {self.desk.policy.policy_id}"))

    def lines(self, width: int) -> list[Content]:
        if self._population is None:
            said = Content.styled(plain(self._fault), "bold $error") if self._fault else Content("measuring …")
            return [said]
        return list(population_lines(self._population, self.desk.policy))


def population_lines(population: Population, policy: Policy) -> Iterator[Content]:
    """The standards one after another, then the two ageing views."""
    yield Content.styled(CAVEAT, "$text-muted")
    window = policy.clock.escalate_within_days
    for standard in standards(policy):
        yield Content("")
        name = standard_name(standard, policy)
        yield Content.styled(
            f"{name}  {standard.percent}% in {standard.days} days  {standard.cite}", "bold $primary"
        )
        cohorts = [cohort for cohort in population.cohorts if cohort.standard == standard]
        if not cohorts:
            yield Content("  no such claim here, and no total in the settings")
            continue
        head = ("pended", "decided", "late", "open", f"last {window}d", "last day", "late")
        yield Content.styled(f"  {'received':8}{''.join(f'{word:>9}' for word in head)}", "$text-muted")
        for cohort in cohorts:
            yield from _cohort_lines(cohort)
    yield Content("")
    yield from _lag_lines("Inventory age: open claims by days since receipt", population.inventory_age)
    yield Content("")
    yield from _lag_lines("Lag of the decided: days from receipt to the decision here", population.lag_of_decided)


def _cohort_lines(cohort: Cohort) -> Iterator[Content]:
    counts = (
        *(cohort.pended, cohort.decided_in_time, cohort.decided_late, cohort.open_in_time),
        *(cohort.last_days, cohort.last_day, cohort.open_late),
    )
    yield Content(f"  {cohort.month:8}{''.join(f'{number:>9,}' for number in counts)}")
    total, parts, reason = cohort.total, [], cohort.reason
    if total is None:
        reason = ""  # said once, at the top
    if total is not None:
        if total.in_time is not None and cohort.share is not None:
            parts.append(f"{total.in_time:,} of {total.received:,} in time, {cohort.share:.2%}")
        else:
            parts.append(f"{total.received:,} received")
        parts.append(f"{cohort.may_be_late:,} may be late, headroom {cohort.headroom:,}")
    said = f"{'; '.join(parts)}: " if parts else ""
    yield Content.assemble(
        f"    {said}",
        (cohort.verdict, VERDICT_STYLES.get(cohort.verdict, "bold")),
        (f" ({reason})" if reason else "", "$text-muted"),
    )


def _lag_lines(title: str, lags: Sequence[Lags]) -> Iterator[Content]:
    yield Content.styled(title, "bold")
    yield Content.styled(f"  {'rule':8}{''.join(f'{age:>10}' for age in AGES)}{'all':>10}", "$text-muted")
    for each in lags:
        numbers = "".join(f"{number:>10,}" for number in (*each.counts, sum(each.counts)))
        yield Content(f"  {plain(each.line):8}{numbers}")
    if not lags:
        yield Content("  none")
