"""The hand-over sheet: one claim with everything that whoever takes it over has to know."""

import json
from collections.abc import Iterator, Sequence
from datetime import date
from typing import NamedTuple

from pendtui.desk import account
from pendtui.desk.account import HEADINGS, Line
from pendtui.desk.claim_view import ClaimView
from pendtui.desk.exports.made import PROPOSES, Made, local_minute
from pendtui.desk.journal import Action, Entry, Waiting
from pendtui.engines.facts import ClaimFacts
from pendtui.engines.policy import Policy, Resolved
from pendtui.engines.record import Span
from pendtui.engines.vocabulary import SectionName

CONTEXT = 3000
"""Most characters of a section that are printed around the cited sentence, and of the register."""


class Context(NamedTuple):
    """A stretch of the record as it stands there, and the cited sentence in it."""

    section: str
    before: str
    quote: str
    after: str
    cut: bool
    """Whether the section goes on before or after what is printed."""


class Sheet(NamedTuple):
    """A claim as it is handed over. All texts are as the record has them; the renderers make them harmless."""

    record_id: str
    title: str
    facts: tuple[tuple[str, str], ...]
    """Names and values."""
    faults: tuple[str, ...]
    answers: tuple[tuple[str, tuple[Line, ...]], ...]
    """The four questions, each with the lines of its answer."""
    obstacle: str
    """What keeps the claim from being accepted as it stands; empty for nothing."""
    cited: Context | None
    """The cited sentence where it stands; None where there is none."""
    register: Context | None
    """What the record says was located."""
    standing: tuple[Line, ...]
    """The decision that stands; empty for a claim that is not decided."""
    diary: tuple[str, ...]
    """Whose the claim is, and who was asked for what."""
    history: tuple[Entry, ...]
    """Every journal row of the claim, oldest first."""
    record_sha256: str
    answers_json: dict[str, object]
    """The answers as values, for programs."""
    made: Made


def sheet_of(
    view: ClaimView, history: Sequence[Entry], policy: Policy, today: date, made: Made, *, obstacle: str | None
) -> Sheet:
    """The sheet of a claim as it is on screen, with what the examiner has changed and not yet saved."""
    examiner = made.by
    answered = (
        account.why_it_pended(view, policy, examiner=examiner),
        account.what_to_do(view, policy, examiner=examiner),
        account.where_the_clock_stands(view, policy, made.as_of, today),
        account.who_applies_it(view, policy),
    )
    record = view.claim.record
    section = account.cited_section(view)
    return Sheet(
        record_id=view.id,
        title=record.title,
        facts=tuple(_facts(view.claim.facts, record.facts.get("queue", ""))),
        faults=view.claim.faults,
        answers=tuple((heading, tuple(lines)) for heading, lines in zip(HEADINGS, answered, strict=True)),
        obstacle=obstacle or "",
        cited=_context(record.text, section.name, section.span, view.answers.span) if section is not None else None,
        register=_register(view),
        standing=tuple(account.on_file(view, policy)),
        diary=tuple(_diary(view)),
        history=tuple(history),
        record_sha256=view.sha256,
        answers_json=_values(view),
        made=made,
    )


def history_cells(entry: Entry) -> tuple[str, str, str, str, str]:
    """One journal row as the history prints it: row, when, who, what was done, and what was decided or noted."""
    name = f"{entry.by} ({entry.who})" if entry.by != entry.who else entry.by
    what = f"{entry.action} of row {entry.undoes}" if entry.undoes else str(entry.action)
    return str(entry.seq), local_minute(entry.at), f"{name} on {entry.host}", what, "; ".join(_decided(entry))


HISTORY_HEADS = ("row", "when", "who", "what", "decided or noted")


def foot_lines(sheet: Sheet) -> Iterator[str]:
    """Who made the sheet, when and with what, and what it rests on."""
    made = sheet.made
    yield f"{PROPOSES} The four answers are the program's; what was decided, and by whom, is said under On file."
    yield f"Made by {made.by} on {made.when} with {made.program}."
    yield f"Queue {made.queue}; policy {made.policy_id}, SHA-256 {made.policy_sha256}."
    yield f"Record {sheet.record_id}, SHA-256 {sheet.record_sha256}."
    yield "Holds health information of the minimum that is necessary; keep it where such data may be."


def sheet_json(sheet: Sheet) -> str:
    """The sheet as one JSON object on one line."""
    made = sheet.made
    value = {
        "record_id": sheet.record_id,
        "title": sheet.title,
        "facts": dict(sheet.facts),
        "faults": list(sheet.faults),
        "answers": sheet.answers_json,
        "account": {heading: [_spoken(line) for line in lines] for heading, lines in sheet.answers},
        "not_to_be_accepted": sheet.obstacle or None,
        "cited": sheet.cited._asdict() if sheet.cited else None,
        "register": sheet.register._asdict() if sheet.register else None,
        "on_file": [_spoken(line) for line in sheet.standing],
        "diary": list(sheet.diary),
        "history": [_row(entry) for entry in sheet.history],
        "record_sha256": sheet.record_sha256,
        "made": made._asdict() | {"at": made.at.isoformat(), "as_of": str(made.as_of)},
        "proposes": PROPOSES,
    }
    line = json.dumps(value, ensure_ascii=False)
    return line if line.isprintable() else json.dumps(value)


def _spoken(line: Line) -> str:
    return " ".join(part for part in (line.label, line.text, line.more) if part)


def _facts(facts: ClaimFacts | None, queue: str) -> Iterator[tuple[str, str]]:
    if facts is None:
        yield "Facts", "not enough of them are known for a clock"
        return
    yield "Claim", facts.claim_id
    yield "Line of business", facts.line_of_business
    yield "Billing provider", "contracted" if facts.contracted else "non-contracted"
    yield "Claim type", "clean claim" if facts.clean else "not a clean claim"
    yield "Received on", facts.received_on.isoformat()
    yield "Pended on", facts.pended_on.isoformat()
    yield "Register read as at", facts.register_read_on.isoformat()
    if facts.billed_amount is not None:
        yield "Billed", f"{facts.billed_amount:,.2f}"
    if queue:
        yield "Queue", queue


def _context(text: str, section: str, body: Span, cited: Span | None) -> Context:
    """The section around a stretch of it, cut where it is long."""
    start, end = cited if cited is not None else (body[0], body[0])
    end = min(end, start + CONTEXT)
    first = max(body[0], start - CONTEXT)
    last = min(body[1], end + CONTEXT)
    before, quote, after = text[first:start], text[start:end], text[end:last].rstrip()
    if before.strip():
        before = before.lstrip("\r\n")
    elif not quote:
        after = after.lstrip("\r\n")
    return Context(section, before, quote, after, cut=first > body[0] or last < body[1])


def _register(view: ClaimView) -> Context | None:
    section = view.claim.record.sections.get(SectionName.REGISTER)
    return _context(view.claim.record.text, section.name, section.span, None) if section is not None else None


def _diary(view: ClaimView) -> Iterator[str]:
    state = view.state
    if state is None:
        return
    if state.assignee:
        yield f"assigned to {state.assignee}"
    if state.waiting == Waiting.ASKED:
        yield f"waiting: {state.asked} was asked, answer expected by {state.due_on or 'no day'}"
    elif state.waiting:
        yield f"the answer of {state.asked} is in"


def _decided(entry: Entry) -> Iterator[str]:
    if entry.action in (Action.ACCEPT, Action.CHANGE, Action.CONFIRM):
        decided, proposed = entry.decided, entry.proposed
        for name in ("cause_class", "resolution"):
            was = f" (proposed {proposed.get(name)})" if proposed.get(name) != decided.get(name) else ""
            yield f"{decided.get(name)}{was}"
        if decided.get("second_look"):
            yield f"second look: {decided['second_look']}"
    elif entry.action is Action.ASSIGN:
        yield f"to {entry.decided.get('assignee') or 'nobody'}"
    elif entry.action is Action.REQUEST:
        asked = entry.decided
        yield f"{asked.get('asked')}: {asked.get('what') or 'no words'}; expected by {asked.get('due_on')}"
    elif entry.action is Action.ANSWER:
        yield "no longer needed" if entry.decided.get("withdrawn") else f"to row {entry.decided.get('request')}"
    if entry.note:
        yield entry.note


def _row(entry: Entry) -> dict[str, object]:
    """A journal row as JSON has it."""
    row: dict[str, object] = {
        name: getattr(entry, name)
        for name in ("seq", "who", "display_name", "host", "program", "reader", "note", "undoes", "hash")
    }
    answers: dict[str, object] = {"proposed": entry.proposed, "decided": entry.decided}
    return row | answers | {"at": entry.at.isoformat(), "action": str(entry.action)}


def _values(view: ClaimView) -> dict[str, object]:
    answers, clock = view.answers, view.answers.clock
    resolved = answers.resolution if isinstance(answers.resolution, Resolved) else None
    return {
        "cause_class": answers.cause,
        "citation": answers.quote,
        "span": list(answers.span) if answers.span else None,
        "reader": view.base.arm,
        "cause_by_examiner": view.cause_by_examiner,
        "evidence": view.claim.facts.evidence if view.claim.facts else None,
        "evidence_by_examiner": view.evidence_by_examiner,
        "resolution": resolved.resolution if resolved else None,
        "rule": resolved.rule.id if resolved else None,
        "clock": clock.state if clock else None,
        "clock_rule": clock.rule.id if clock else None,
        "as_of": clock.as_of.isoformat() if clock else None,
        "elapsed_days": clock.elapsed_days if clock else None,
        "deadline_days": clock.deadline_days if clock else None,
        "deadline_on": clock.deadline_on.isoformat() if clock and clock.deadline_on else None,
        "days_left": clock.days_left if clock else None,
        "release": answers.release,
    }
