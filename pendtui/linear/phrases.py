"""Claims in whole sentences: every line says by itself what it is about."""

from collections.abc import Iterable, Iterator
from datetime import date

from pendtui.desk import account
from pendtui.desk.account import Line
from pendtui.desk.claim_view import ClaimView
from pendtui.desk.desk import Standings
from pendtui.desk.journal import Lease
from pendtui.desk.listing import QueueRow
from pendtui.desk.words import count, flowing, left_or_over
from pendtui.engines.policy import Policy, Resolved
from pendtui.engines.record import Section
from pendtui.screens.wording import in_use_line


def row_sentence(number: int, row: QueueRow) -> str:
    """One claim of the list, with the number that opens it."""
    clock = (
        f"{row.state}, {left_or_over(row.days_left)}"
        if row.state and row.days_left is not None
        else "no days known"
    )
    parts = [f"{number}. {row.id}", clock, row.line_of_business or "line of business unknown"]
    if row.fault:
        parts.append(f"faulty: {row.fault}")
    else:
        parts.append(row.cause or "cause not read")
        parts.append(f"{row.resolution} by {row.rule}" if row.rule else "resolution blocked")
        parts.append(f"register {row.evidence or 'unknown'}")
    parts.append(f"{row.status} by {row.by}" if row.by else row.status)
    if row.stale:
        parts.append("stale")
    if row.waiting:
        parts.append(f"{row.waiting}: {row.asked}, due {row.due_on}")
    if row.assignee:
        parts.append(f"assigned to {row.assignee}")
    if row.in_use_by:
        parts.append(f"in use by {row.in_use_by}")
    if row.unsure and row.status == "open":
        parts.append("the reader is unsure")
    return ", ".join(parts)


def standings_sentence(standings: Standings) -> str:
    """How the whole queue stands."""
    counts = standings.counts
    return (
        f"{count(counts.records, 'claim')}: {counts.breached:,} breached, {counts.escalate:,} to escalate now,"
        f" {counts.within:,} within the clock, {counts.no_clock:,} with no clock known, {counts.faulty:,} faulty;"
        f" {standings.decided_today:,} decided today."
    )


def title_sentences(view: ClaimView, holder: Lease | None) -> Iterator[str]:
    """Which claim this is, how it stands, whose it is and who else has it open."""
    facts = view.claim.facts
    about = f"claim {facts.claim_id}, {facts.line_of_business}" if facts else "no claim facts"
    yield f"{view.id}: {about}. {view.claim.record.title or 'No title'}."
    standing = view.standing
    status = f"{standing.status} by {standing.entry.by}" if standing else "faulty" if view.claim.faults else "open"
    state = view.state
    if state is not None and state.waiting:
        status += f"; {state.waiting}: {state.asked}, due {state.due_on}"
    if state is not None and state.assignee:
        status += f"; assigned to {state.assignee}"
    yield f"Status: {status}."
    if holder is not None:
        yield f"Take care: {in_use_line(holder)}. You may look; a decision asks once more."
    for fault in view.claim.faults:
        yield f"Faulty: {fault}."


def answer_sentences(view: ClaimView) -> Iterator[str]:
    """The four answers, a line each."""
    answers, clock = view.answers, view.answers.clock
    yield f"Why it pended: {answers.cause or 'no cause class was read'}, by {account.source(view)}."
    resolution = answers.resolution
    if isinstance(resolution, Resolved):
        what = f"{resolution.resolution}, by {resolution.rule.id}, with a register of {account.evidence(view)}"
    else:
        what = f"blocked: {resolution.reason}"
    yield f"What to do: {what}."
    if clock is None or clock.state is None or clock.days_left is None:
        where = "the clock cannot be read" if clock is None else f"no days known, {clock.rule.id} leaves them open"
    else:
        where = f"{clock.state}, {left_or_over(clock.days_left)}, by {clock.rule.id}"
    yield f"Where the clock stands: {where}."
    yield f"Who applies it: {answers.release}; no category is open."


def quote_sentence(view: ClaimView) -> str:
    """The cited sentence, and the section that it stands in."""
    if view.answers.quote is None:
        return "Quote: no sentence is cited."
    section = account.cited_section(view)
    where = f"Quote from the {section.name.lower()}" if section else "Quote, not found in the record"
    return f"{where}: {flowing(view.answers.quote)}"


def sum_sentences(view: ClaimView, policy: Policy, as_of: str | date, today: date) -> Iterator[str]:
    """The arithmetic of the clock, term by term."""
    clock = view.answers.clock
    if clock is None:
        yield "Sum: the clock cannot be read."
        return
    yield from said("Sum", account.clock_sum(clock, as_of, today))
    yield from said("Clock", account.clock_rule(view, clock, policy))


def rule_sentences(view: ClaimView, policy: Policy) -> Iterator[str]:
    """What cause and resolution mean, the rule that fired, and why each earlier one did not."""
    yield from said("Why", account.why_it_pended(view, policy))
    yield from said("What", account.what_to_do(view, policy))
    yield from said("Who", account.who_applies_it(view, policy))


def weighed_sentences(view: ClaimView) -> Iterator[str]:
    """The passages that spoke for and against each cause class."""
    reading = view.reading
    sure = "" if reading.confidence is None else f", {reading.confidence:.0%} sure"
    yield f"The {reading.arm} reader gave {reading.cause or 'no cause class'}{sure}."
    if reading.unsure:
        yield f"Worth a call to a model: {reading.unsure}"
    found = account.weighed(reading)
    if not found:
        yield "Nothing in message, notes or trail spoke for any class."
    for cause, total, role, supports in found:
        yield f"{cause}: {total:+.1f} in all{role}."
        for support in supports:
            passage = flowing(view.claim.record.text[slice(*support.span)])
            yield f"{cause} {support.weight:+.1f}: {support.note}: {passage}"


def text_sentences(view: ClaimView) -> Iterator[str]:
    """The record's own lines, section by section; cited lines say so."""
    record, span = view.claim.record, view.answers.span
    sections = sorted(record.sections.values(), key=lambda section: section.span)
    if not sections:
        yield from (f"Text: {line.strip()}" for line in record.text.split("\n") if line.strip())
    for section in sections:
        yield f"Section {section.name.lower()}{f', {section.gloss}' if section.gloss else ''}."
        yield from _section_lines(record.text, section, span)


def _section_lines(text: str, section: Section, span: tuple[int, int] | None) -> Iterator[str]:
    at = section.span[0]
    for line in text[slice(*section.span)].split("\n"):
        cited = span is not None and at < span[1] and span[0] < at + len(line)
        if line.strip():
            yield f"{'Cited: ' if cited else ''}{flowing(line)}"
        at += len(line) + 1


def said(head: str, lines: Iterable[Line]) -> Iterator[str]:
    """Lines of the account, each with the word that says what it is about."""
    for line in lines:
        words = [f"{line.label}:" if line.label else "", line.text, line.more]
        yield f"{head}: {' '.join(word for word in words if word)}"
