"""The four answers as text: in full with their arithmetic, and in short."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from datetime import date

from textual.content import Content

from pendtui.desk import account
from pendtui.desk.account import Kind, Line
from pendtui.desk.claim_view import ClaimView
from pendtui.desk.model_reads import ModelAnswer
from pendtui.desk.words import left_or_over
from pendtui.engines.clock import Clock
from pendtui.engines.policy import Policy, Resolved
from pendtui.engines.vocabulary import ClockState, SectionName
from pendtui.plain import plain
from pendtui.screens.compare import compare
from pendtui.screens.drawing import pen_for, timeline

HEADING = "bold $primary"
ANSWER = "bold"
QUIET = "$text-muted"
TIMELINE = 50
"""Cells of the time line: it fits beside a record on a wide screen, and alone on a narrow one."""
TERM = 12
"""Cells for the names of the sum's terms."""
STATE_STYLES = {
    ClockState.BREACHED: "bold $error",
    ClockState.ESCALATE_NOW: "bold $warning",
    ClockState.WITHIN_CLOCK: "bold $success",
}
"""Colour beside the words, never instead of them."""


def full(view: ClaimView, policy: Policy, as_of: str | date, today: date, obstacle: str | None) -> Content:
    """The four answers with the sentence, the rules and the sums behind them."""
    compared = [*compare(view, view.model), Content("")] if view.model is not None else []
    answered = (
        _painted(account.why_it_pended(view, policy)),
        _painted(account.what_to_do(view, policy)),
        _where(view, policy, as_of, today),
        _painted(account.who_applies_it(view, policy)),
    )
    lines = [*_faults(view), *compared]
    for n, (heading, answer) in enumerate(zip(account.HEADINGS, answered, strict=True), 1):
        lines += [Content("")] * (n > 1) + [Content.styled(f"{n} {heading}", HEADING), *answer]
    if obstacle:
        lines += [Content(""), Content.styled(f"Not to be accepted yet: {plain(obstacle)}", "bold $warning")]
    if decided := [*_painted(account.on_file(view, policy))]:
        lines += [Content(""), Content.styled("ON FILE", HEADING), *decided]
    return Content("\n").join(lines)


def short(view: ClaimView, obstacle: str | None) -> Content:
    """The four answers in five lines or so, for a screen too small for the whole."""
    answers = view.answers
    lines = []
    if view.claim.faults:
        lines.append(Content.styled(f"FAULTY {plain(view.claim.faults[0])}", "bold $error"))
    lines.append(_pair("WHY", answers.cause or "not read", account.source(view)))
    if isinstance(answers.resolution, Resolved):
        held = account.evidence(view)
        lines.append(_pair("WHAT", answers.resolution.resolution, f"{answers.resolution.rule.id}, register {held}"))
    else:
        lines.append(_pair("WHAT", "blocked", answers.resolution.reason))
    clock = answers.clock
    if clock is None:
        lines.append(_pair("CLOCK", "cannot be read", ""))
    elif clock.state is None or clock.days_left is None:
        lines.append(_pair("CLOCK", "no days known", f"{clock.rule.id} leaves them to the contract"))
    else:
        lines.append(
            Content.assemble(
                ("CLOCK  ", HEADING),
                (clock.state, STATE_STYLES[clock.state]),
                f"  {left_or_over(clock.days_left)} = {clock.deadline_days} - {clock.elapsed_days},"
                f" {clock.rule.id}; from the pend date: {clock.pend_state}",
            )
        )
    lines.append(_pair("WHO", answers.release, "no category is open"))
    if view.model is not None:
        lines.append(_model(view, view.model))
    if obstacle:
        lines.append(Content.styled(f"Not to be accepted yet: {plain(obstacle)}", "bold $warning"))
    elif view.standing is not None:
        lines.append(_pair("DONE", view.standing.status, f"by {plain(view.standing.entry.by)}"))
    return Content("\n").join(lines)


def _model(view: ClaimView, answer: ModelAnswer) -> Content:
    if answer.reading is None:
        return _pair("MODEL", "no answer", answer.record.error or "")
    if view.rests_on_model:
        return _pair(
            "MODEL", "taken", f"the {view.reading.arm} reader said {view.reading.cause or 'nothing'}; Tab, t"
        )
    same = answer.reading.cause == view.reading.cause
    return _pair(
        "MODEL",
        answer.reading.cause or "no class",
        "the same class" if same else "differs: Tab compares, t takes it",
    )


def _pair(head: str, answer: str, more: str) -> Content:
    return Content.assemble((f"{head:<7}", HEADING), (answer, ANSWER), f"  {plain(more)}" if more else "")


def _faults(view: ClaimView) -> Iterator[Content]:
    for fault in view.claim.faults:
        yield Content.styled(f"FAULTY  {plain(fault)}", "bold $error")
    if view.claim.faults:
        yield Content("")


def _painted(lines: Iterable[Line]) -> Iterator[Content]:
    for line in lines:
        yield _PAINTED[line.kind](line)


def _answer(line: Line) -> Content:
    style = STATE_STYLES[ClockState(line.text)] if line.text in set(ClockState) else ANSWER
    return Content.assemble((f"  {line.text}", style), f"  {plain(line.more)}" if line.more else "")


def _term(line: Line) -> Content:
    # Numbers stand under each other; dates begin where they do.
    value = f"{line.text:>4}" if line.text.lstrip("-").isdigit() else line.text
    return Content(f"  {line.label:<{TERM}}{value}  {plain(line.more)}".rstrip())


_PAINTED: Mapping[Kind, Callable[[Line], Content]] = {
    Kind.ANSWER: _answer,
    Kind.TERM: _term,
    Kind.TEXT: lambda line: Content(f"  {plain(line.text)}"),
    Kind.QUOTE: lambda line: Content(f"  “{plain(line.text)}”"),
    Kind.NOTE: lambda line: _note(" " * TERM * bool(line.label) + line.text),
    Kind.WARNING: lambda line: Content.styled(f"  {plain(line.text)}", "bold $warning"),
    Kind.FAULT: lambda line: Content.styled(f"  {plain(line.text)}", "bold $error"),
}


def _where(view: ClaimView, policy: Policy, as_of: str | date, today: date) -> Iterator[Content]:
    yield from _painted(account.clock_answer(view))
    clock = view.answers.clock
    if clock is not None:
        yield from _painted(account.clock_sum(clock, as_of, today))
        yield from _drawn(view, clock, policy, today)
        yield from _painted(account.clock_rule(view, clock, policy))


def _drawn(view: ClaimView, clock: Clock, policy: Policy, today: date) -> Iterator[Content]:
    trail = [unit.day for unit in view.claim.record.units(SectionName.TRAIL) if unit.day is not None]
    window = policy.clock.escalate_within_days
    line, legend = timeline(clock, trail, today, window_days=window, width=TIMELINE, pen=pen_for())
    yield Content.styled(f"  {line}", STATE_STYLES[clock.state] if clock.state else "")
    yield _note(legend)


def _note(text: str) -> Content:
    return Content.styled(f"  {plain(text)}", QUIET)
