"""The four answers to a claim as lines of words, with the sentence, the rules and the sums behind them.

The screens paint these lines, plain mode says them, and a hand-over sheet prints them. The text is as record and
policy have it: whoever shows it makes it harmless for where it goes.
"""

from collections import defaultdict
from collections.abc import Iterator
from datetime import date
from enum import Enum
from typing import NamedTuple

from pendtui.desk.claim_view import ClaimView
from pendtui.desk.words import count, day_with_weekday, flowing, left_or_over
from pendtui.engines.clock import Clock
from pendtui.engines.policy import AS_OF_REGISTER, AS_OF_TODAY, Blocked, Policy
from pendtui.engines.readers import Reading, Support
from pendtui.engines.record import Section


class Kind(Enum):
    """What a line is for."""

    ANSWER = "answer"
    """One of the four answers, or what stands in its place."""
    TEXT = "text"
    NOTE = "note"
    """What explains a line before it."""
    QUOTE = "quote"
    """The cited sentence."""
    TERM = "term"
    """A term of the clock's sum."""
    WARNING = "warning"
    FAULT = "fault"


class Line(NamedTuple):
    """One line of the account."""

    kind: Kind
    text: str
    label: str = ""
    """What a term is called, or which term a note is about."""
    more: str = ""
    """What stands beside an answer or a term: a rule, or how the term was come by."""


HEADINGS = ("WHY IT PENDED", "WHAT TO DO", "WHERE THE CLOCK STANDS", "WHO APPLIES IT")
"""The four questions."""


def why_it_pended(view: ClaimView, policy: Policy, *, examiner: str = "you") -> Iterator[Line]:
    """The cause class, who read it, and its sentence. `examiner` is who chose it where the reader did not."""
    answers = view.answers
    if answers.cause is None:
        yield Line(Kind.ANSWER, "no cause class was read")
        yield Line(Kind.NOTE, f"the {view.reading.arm} reader found nothing that names one")
        return
    yield Line(Kind.ANSWER, answers.cause)
    yield Line(Kind.NOTE, policy.meanings["cause_class"][answers.cause])
    if view.cause_by_examiner:
        yield Line(
            Kind.NOTE, f"chosen by {examiner}; the {view.base.arm} reader said {view.base.cause or 'nothing'}"
        )
        return
    yield Line(Kind.NOTE, f"read by {source(view)}")
    if answers.quote is not None:
        yield Line(Kind.QUOTE, flowing(answers.quote))
        if answers.span is None:
            yield Line(Kind.FAULT, "not found in the record")


def source(view: ClaimView, *, examiner: str = "you") -> str:
    """Who read the cause class, and in which section of the record."""
    if view.cause_by_examiner:
        return examiner
    section = cited_section(view)
    return f"{view.base.arm}, from {section.name}" if section else view.base.arm


def cited_section(view: ClaimView) -> Section | None:
    """The section that the cited sentence stands in."""
    span = view.answers.span
    sections = view.claim.record.sections.values()
    return next((one for one in sections if span and one.span[0] <= span[0] < one.span[1]), None)


class Weighed(NamedTuple):
    """What spoke for and against one cause class."""

    cause: str
    total: float
    role: str
    """Words behind the total: that it is the runner-up, or nothing."""
    support: tuple[Support, ...]
    """The passages, the heaviest first."""


def weighed(reading: Reading) -> list[Weighed]:
    """The classes that anything spoke for: the given class first, then by weight."""
    by_class: dict[str, list[Support]] = defaultdict(list)
    for support in reading.support:
        by_class[support.cause].append(support)
    totals = {cause: sum(support.weight for support in found) for cause, found in by_class.items()}
    order = sorted(totals, key=lambda cause: (cause != reading.cause, -totals[cause]))
    return [
        Weighed(
            cause,
            totals[cause],
            ", the runner-up" if place == 1 and totals[cause] > 0 else "",
            tuple(sorted(by_class[cause], key=lambda one: -abs(one.weight))),
        )
        for place, cause in enumerate(order)
    ]


def what_to_do(view: ClaimView, policy: Policy, *, examiner: str = "you") -> Iterator[Line]:
    """The resolution, its rule, and why each earlier rule did not fire."""
    resolution = view.answers.resolution
    if isinstance(resolution, Blocked):
        yield Line(Kind.ANSWER, "blocked")
        yield Line(Kind.NOTE, resolution.reason)
        return
    rule = resolution.rule
    yield Line(Kind.ANSWER, resolution.resolution, more=f"by {rule.id}")
    yield Line(Kind.NOTE, policy.meanings["resolution"][resolution.resolution])
    yield Line(Kind.TEXT, f"register: {evidence(view, examiner=examiner)}")
    yield Line(Kind.NOTE, f"{rule.id}: {rule.title}. {rule.reason}")
    for passed, reason in resolution.passed_over:
        yield Line(Kind.NOTE, f"not {passed.id}: {reason}")


def evidence(view: ClaimView, *, examiner: str = "you") -> str:
    """What the register holds, in one word, and who said so where it was the examiner."""
    facts = view.claim.facts
    if facts is None or facts.evidence is None:
        return "unknown"
    return f"{facts.evidence}, set by {examiner}" if view.evidence_by_examiner else str(facts.evidence)


def clock_answer(view: ClaimView) -> Iterator[Line]:
    """The state of the clock, and the days left."""
    clock = view.answers.clock
    if clock is None:
        yield Line(Kind.ANSWER, "cannot be read")
        yield Line(Kind.NOTE, "neither the record nor claims.json gives the facts for it")
    elif clock.state is None:
        yield Line(Kind.ANSWER, "no days known")
    else:
        yield Line(Kind.ANSWER, clock.state, more=left_or_over(clock.days_left or 0))


def clock_sum(clock: Clock, as_of: str | date, today: date) -> Iterator[Line]:
    """The arithmetic of the clock, term by term. `as_of` is the setting in force."""
    yield Line(Kind.TERM, day_with_weekday(clock.received_on), "received")
    yield Line(Kind.TERM, day_with_weekday(clock.as_of), "as of", _as_of_source(as_of))
    if as_of == AS_OF_REGISTER and today > clock.as_of:
        old = count((today - clock.as_of).days, "day")
        yield Line(Kind.NOTE, f"the register reading is {old} old today", "as of")
    yield Line(Kind.TERM, str(clock.elapsed_days), "elapsed", "= as of - received")
    if clock.deadline_days is None or clock.deadline_on is None or clock.days_left is None:
        yield Line(
            Kind.NOTE, "deadline set by the provider's contract: put contract_days into the policy or the row"
        )
        return
    yield Line(Kind.TERM, str(clock.deadline_days), "deadline", f"on {day_with_weekday(clock.deadline_on)}")
    yield Line(Kind.TERM, str(clock.days_left), "left", f"= {clock.deadline_days} - {clock.elapsed_days}")
    if clock.deadline_on.weekday() >= 5:
        friday = date.fromordinal(clock.deadline_on.toordinal() - (clock.deadline_on.weekday() - 4))
        yield Line(
            Kind.NOTE,
            f"the deadline is not moved for a weekend; the last weekday before it is {friday.isoformat()}",
        )


def clock_rule(view: ClaimView, clock: Clock, policy: Policy) -> Iterator[Line]:
    """What the deadline rests on, whether the clean flag is in doubt, and what the pend date would wrongly say."""
    if view.claim.alternative is not None:
        yield Line(Kind.NOTE, "record and claims.json disagree: this is the more urgent of the two clocks")
    rule = clock.rule
    share = f"; a standard of {rule.standard_pct}% over a population" if rule.standard_pct else ""
    yield Line(Kind.TEXT, f"{rule.id}, {rule.basis}: {rule.cite}; {rule.satisfied_by}{share}")
    if rule.second_mark is not None:
        mark = rule.second_mark
        yield Line(Kind.NOTE, f"second mark at {mark.days} days: {mark.standard_pct}%, {mark.cite}")
    if rule.note:
        yield Line(Kind.NOTE, rule.note)
    if warning := policy.clean_warning(view.claim.facts, view.answers.cause):
        yield Line(Kind.WARNING, f"check the clean flag: {warning}")
    if clock.pend_state is not None:
        verdict = "the same" if clock.pend_state == clock.state else f"{clock.pend_state}, wrongly"
        yield Line(
            Kind.NOTE,
            f"counted from the pend date ({clock.pended_on.isoformat()}) it would be"
            f" {count(clock.pend_elapsed_days, 'day')}: {verdict}",
        )


def where_the_clock_stands(view: ClaimView, policy: Policy, as_of: str | date, today: date) -> Iterator[Line]:
    """The clock's state, its sum and its rule."""
    yield from clock_answer(view)
    clock = view.answers.clock
    if clock is not None:
        yield from clock_sum(clock, as_of, today)
        yield from clock_rule(view, clock, policy)


def who_applies_it(view: ClaimView, policy: Policy) -> Iterator[Line]:
    """The release answer, which is the same for every claim."""
    yield Line(Kind.ANSWER, view.answers.release)
    yield Line(Kind.NOTE, policy.meanings["release"][view.answers.release])
    yield Line(Kind.NOTE, "no category is open, and nothing in a record or a reply can open one")


def on_file(view: ClaimView, policy: Policy) -> Iterator[Line]:
    """The decision that stands; nothing for an open claim."""
    standing = view.standing
    if standing is None:
        return
    entry = standing.entry
    when = entry.at.astimezone().strftime("%Y-%m-%d %H:%M")
    yield Line(Kind.TEXT, f"{standing.status} by {entry.by} on {when}")
    if standing.status != "parked":
        yield Line(Kind.TEXT, f"{entry.decided.get('cause_class')}, {entry.decided.get('resolution')}")
    if entry.note:
        yield Line(Kind.TEXT, f"note: {entry.note}")
    for changed, what in ((view.stale, "record"), (standing.policy_sha256 != policy.sha256, "policy")):
        if changed:
            yield Line(Kind.WARNING, f"stale: the {what} has changed since; decide it anew")


def _as_of_source(as_of: str | date) -> str:
    if as_of == AS_OF_REGISTER:
        return "the register's reading"
    return "today" if as_of == AS_OF_TODAY else "the date set"
