"""The four answers as text: in full with their arithmetic, and in short."""

from collections.abc import Iterator
from datetime import date

from textual.content import Content

from pendtui.desk.claim_view import ClaimView
from pendtui.desk.model_reads import ModelAnswer
from pendtui.engines.clock import Clock
from pendtui.engines.policy import AS_OF_REGISTER, AS_OF_TODAY, Blocked, Policy, Resolved
from pendtui.engines.vocabulary import ClockState, SectionName
from pendtui.plain import plain
from pendtui.screens.compare import compare
from pendtui.screens.drawing import pen_for, timeline
from pendtui.screens.wording import count, day_with_weekday

HEADING = "bold $primary"
ANSWER = "bold"
QUIET = "$text-muted"
TIMELINE = 50
"""Cells of the time line: it fits beside a record on a wide screen, and alone on a narrow one."""
STATE_STYLES = {
    ClockState.BREACHED: "bold $error",
    ClockState.ESCALATE_NOW: "bold $warning",
    ClockState.WITHIN_CLOCK: "bold $success",
}
"""Colour beside the words, never instead of them."""


def full(view: ClaimView, policy: Policy, as_of: str | date, today: date, obstacle: str | None) -> Content:
    """The four answers with the sentence, the rules and the sums behind them."""
    compared = [*compare(view, view.model), Content("")] if view.model is not None else []
    lines = [
        *_faults(view),
        *compared,
        *_why(view, policy),
        Content(""),
        *_what(view, policy),
        Content(""),
        *_where(view, policy, as_of, today),
        Content(""),
        *_who(view, policy),
    ]
    if obstacle:
        lines += [Content(""), Content.styled(f"Not to be accepted yet: {plain(obstacle)}", "bold $warning")]
    lines += _decision(view, policy)
    return Content("\n").join(lines)


def short(view: ClaimView, obstacle: str | None) -> Content:
    """The four answers in five lines or so, for a screen too small for the whole."""
    answers = view.answers
    lines = []
    if view.claim.faults:
        lines.append(Content.styled(f"FAULTY {plain(view.claim.faults[0])}", "bold $error"))
    lines.append(_pair("WHY", answers.cause or "not read", _source(view)))
    if isinstance(answers.resolution, Resolved):
        held = _evidence(view)
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
                f"  {_left(clock.days_left)} = {clock.deadline_days} - {clock.elapsed_days}, {clock.rule.id};"
                f" from the pend date: {clock.pend_state}",
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


def _why(view: ClaimView, policy: Policy) -> Iterator[Content]:
    answers = view.answers
    yield Content.styled("1 WHY IT PENDED", HEADING)
    if answers.cause is None:
        yield Content.styled("  no cause class was read", ANSWER)
        yield _note(f"the {view.reading.arm} reader found nothing that names one")
        return
    yield Content.styled(f"  {answers.cause}", ANSWER)
    yield _note(policy.meanings["cause_class"][answers.cause])
    if view.cause_by_examiner:
        yield _note(f"chosen by you; the {view.base.arm} reader said {view.base.cause or 'nothing'}")
        return
    yield _note(f"read by {_source(view)}")
    if answers.quote is not None:
        quote = " ".join(plain(answers.quote.replace("\n", " ")).split())
        yield Content(f"  “{quote}”")
        if answers.span is None:
            yield Content.styled("  not found in the record", "bold $error")


def _source(view: ClaimView) -> str:
    if view.cause_by_examiner:
        return "you"
    span = view.answers.span
    sections = view.claim.record.sections.values()
    section = next((s.name for s in sections if span and s.span[0] <= span[0] < s.span[1]), None)
    return f"{view.base.arm}, from {section}" if section else view.base.arm


def _what(view: ClaimView, policy: Policy) -> Iterator[Content]:
    resolution = view.answers.resolution
    yield Content.styled("2 WHAT TO DO", HEADING)
    if isinstance(resolution, Blocked):
        yield Content.styled("  blocked", ANSWER)
        yield _note(resolution.reason)
        return
    yield Content.assemble((f"  {resolution.resolution}", ANSWER), f"  by {resolution.rule.id}")
    yield _note(policy.meanings["resolution"][resolution.resolution])
    yield Content(f"  register: {_evidence(view)}")
    yield _note(f"{resolution.rule.id}: {resolution.rule.title}. {resolution.rule.reason}")
    for rule, why in resolution.passed_over:
        yield _note(f"not {rule.id}: {why}")


def _evidence(view: ClaimView) -> str:
    facts = view.claim.facts
    if facts is None or facts.evidence is None:
        return "unknown"
    return f"{facts.evidence}, set by you" if view.evidence_by_examiner else str(facts.evidence)


def _where(view: ClaimView, policy: Policy, as_of: str | date, today: date) -> Iterator[Content]:
    clock = view.answers.clock
    yield Content.styled("3 WHERE THE CLOCK STANDS", HEADING)
    if clock is None:
        yield Content.styled("  cannot be read", ANSWER)
        yield _note("neither the record nor claims.json gives the facts for it")
        return
    if clock.state is None:
        yield Content.styled("  no days known", ANSWER)
    else:
        yield Content.assemble((f"  {clock.state}", STATE_STYLES[clock.state]), f"  {_left(clock.days_left or 0)}")
    yield from _sum(clock, as_of, today)
    yield from _drawn(view, clock, policy, today)
    if view.claim.alternative is not None:
        yield _note("record and claims.json disagree: this is the more urgent of the two clocks")
    yield from _rule(clock)
    if warning := policy.clean_warning(view.claim.facts, view.answers.cause):
        yield Content.styled(f"  check the clean flag: {plain(warning)}", "bold $warning")
    if clock.pend_state is not None:
        verdict = "the same" if clock.pend_state == clock.state else f"{clock.pend_state}, wrongly"
        yield _note(
            f"counted from the pend date ({clock.pended_on.isoformat()}) it would be"
            f" {count(clock.pend_elapsed_days, 'day')}: {verdict}"
        )


def _sum(clock: Clock, as_of: str | date, today: date) -> Iterator[Content]:
    yield Content(f"  received    {day_with_weekday(clock.received_on)}")
    yield Content(f"  as of       {day_with_weekday(clock.as_of)}  {_as_of_source(as_of)}")
    if as_of == AS_OF_REGISTER and today > clock.as_of:
        yield _note(f"            the register reading is {count((today - clock.as_of).days, 'day')} old today")
    yield Content(f"  elapsed     {clock.elapsed_days:>4}  = as of - received")
    if clock.deadline_days is None or clock.deadline_on is None or clock.days_left is None:
        yield _note("deadline    set by the provider's contract: put contract_days into the policy or the row")
        return
    yield Content(f"  deadline    {clock.deadline_days:>4}  on {day_with_weekday(clock.deadline_on)}")
    yield Content(f"  left        {clock.days_left:>4}  = {clock.deadline_days} - {clock.elapsed_days}")
    if clock.deadline_on.weekday() >= 5:
        friday = date.fromordinal(clock.deadline_on.toordinal() - (clock.deadline_on.weekday() - 4))
        yield _note(f"the deadline is not moved for a weekend; the last weekday before it is {friday.isoformat()}")


def _drawn(view: ClaimView, clock: Clock, policy: Policy, today: date) -> Iterator[Content]:
    trail = [unit.day for unit in view.claim.record.units(SectionName.TRAIL) if unit.day is not None]
    window = policy.clock.escalate_within_days
    line, legend = timeline(clock, trail, today, window_days=window, width=TIMELINE, pen=pen_for())
    yield Content.styled(f"  {line}", STATE_STYLES[clock.state] if clock.state else "")
    yield _note(legend)


def _rule(clock: Clock) -> Iterator[Content]:
    rule = clock.rule
    share = f"; a standard of {rule.standard_pct}% over a population" if rule.standard_pct else ""
    yield Content(f"  {rule.id}, {rule.basis}: {rule.cite}; {rule.satisfied_by}{share}")
    if rule.second_mark is not None:
        mark = rule.second_mark
        yield _note(f"second mark at {mark.days} days: {mark.standard_pct}%, {mark.cite}")
    if rule.note:
        yield _note(rule.note)


def _as_of_source(as_of: str | date) -> str:
    if as_of == AS_OF_REGISTER:
        return "the register's reading"
    return "today" if as_of == AS_OF_TODAY else "the date set"


def _who(view: ClaimView, policy: Policy) -> Iterator[Content]:
    yield Content.styled("4 WHO APPLIES IT", HEADING)
    yield Content.styled(f"  {view.answers.release}", ANSWER)
    yield _note(policy.meanings["release"][view.answers.release])
    yield _note("no category is open, and nothing in a record or a reply can open one")


def _decision(view: ClaimView, policy: Policy) -> Iterator[Content]:
    standing = view.standing
    if standing is None:
        return
    entry = standing.entry
    when = entry.at.astimezone().strftime("%Y-%m-%d %H:%M")
    yield Content("")
    yield Content.styled("ON FILE", HEADING)
    yield Content(f"  {standing.status} by {plain(entry.by)} on {when}")
    decided = f"  {entry.decided.get('cause_class')}, {entry.decided.get('resolution')}"
    if standing.status != "parked":
        yield Content(plain(decided))
    if entry.note:
        yield Content(f"  note: {plain(entry.note)}")
    for changed, what in ((view.stale, "record"), (standing.policy_sha256 != policy.sha256, "policy")):
        if changed:
            yield Content.styled(f"  stale: the {what} has changed since; decide it anew", "bold $warning")


def _note(text: str) -> Content:
    return Content.styled(f"  {plain(text)}", QUIET)


def _left(days: int) -> str:
    return f"{count(-days, 'day')} over" if days < 0 else f"{count(days, 'day')} left"
