"""What the model said beside what the recheck made of it, field by field."""

from collections.abc import Iterator, Mapping

from textual.content import Content

from pendtui.desk.claim_view import ClaimView
from pendtui.desk.model_reads import ModelAnswer
from pendtui.engines.policy import Resolved
from pendtui.engines.readers import RawAnswers
from pendtui.engines.recheck import Answers
from pendtui.plain import plain

HEADING = "bold $primary"
QUIET = "$text-muted"
WIDTHS = (12, 19, 19)
"""Cells for field, raw reply and recheck; the verdict takes the rest."""


def compare(view: ClaimView, answer: ModelAnswer) -> Iterator[Content]:
    """The comparison as lines: the table, the model's reason, how the call went, and what acceptance rests on."""
    yield Content.styled("WHAT THE MODEL SAID, RECHECKED", HEADING)
    if answer.reading is None or answer.answers is None or answer.reading.raw is None:
        yield Content.styled(f"  no answer: {plain(answer.record.error or 'unknown')}", "bold $warning")
        yield Content.styled(f"  the {view.reading.arm} reader's answers stand", QUIET)
        yield from _call(answer.record.call)
        return
    yield Content.styled("  " + _row("field", "raw reply", "recheck", "verdict"), "underline")
    raw = answer.reading.raw
    for field, said, rechecked, verdict in _fields(raw, answer.answers, answer):
        style = "" if verdict in ("same", "kept", "found") else "bold $warning"
        yield Content.styled("  " + plain(_row(field, said, rechecked, verdict)), style)
    if answer.reading.quote:
        yield Content(f"  quote “{' '.join(plain(answer.reading.quote.replace(chr(10), ' ')).split())}”")
    if raw.why:
        yield Content(f"  why: {plain(raw.why)}")
    yield Content.styled(
        f"  confidence: {'not given' if answer.reading.confidence is None else f'{answer.reading.confidence:.2f}'}",
        QUIET,
    )
    for departure in answer.reply.departures if answer.reply else ():
        yield Content.styled(f"  not as asked: {plain(departure)}", QUIET)
    yield from _call(answer.record.call)
    base = view.base.arm
    yield Content.assemble(
        ("  acceptance rests on: ", ""), (base, "bold"), "  (t takes the other, x shows the raw text)"
    )


def _fields(raw: RawAnswers, answers: Answers, answer: ModelAnswer) -> Iterator[tuple[str, str, str, str]]:
    cause = answers.cause or "none"
    yield "cause", raw.cause_class or "none", cause, "kept" if answers.cause else "no class of the eight"
    quoted = answer.reading.quote if answer.reading else None
    found = "found" if answers.span else "not found" if quoted else "not given"
    yield "quote", "given" if quoted else "none", "searched for", found
    resolution = answers.resolution
    resolved = resolution.resolution if isinstance(resolution, Resolved) else "blocked"
    clock = answers.clock.state if answers.clock and answers.clock.state else "unknown"
    for field, said, rechecked in (
        ("resolution", raw.resolution, resolved),
        ("clock", raw.clock, clock),
        ("release", raw.release, answers.release),
    ):
        override = next((one for one in answers.overrides if one.field == field), None)
        verdict = f"overridden by {override.rule}" if override else "same" if said == rechecked else "not given"
        yield field, said or "none", rechecked, verdict


def _call(call: Mapping[str, object] | None) -> Iterator[Content]:
    """How the call went, as far as it was reported: seconds, tokens, cost."""
    if not call:
        return
    parts = [str(call["model"])] if call.get("model") else []
    if call.get("held"):
        parts.append("held from an earlier read")
    if isinstance(call.get("seconds"), int | float):
        parts.append(f"{call['seconds']} s")
    if isinstance(call.get("first_token_seconds"), int | float):
        parts.append(f"first token after {call['first_token_seconds']} s")
    usage = call.get("usage")
    if isinstance(usage, Mapping):
        counts = ((usage.get(key), word) for key, word in _COUNTS)
        parts += [f"{number:,} {word}" for number, word in counts if isinstance(number, int)]
    cost = call.get("cost")
    if isinstance(cost, Mapping):
        parts.append(f"{cost.get('amount'):.6f} {cost.get('currency')} ({cost.get('rate')})")
    if parts:
        yield Content.styled(f"  {plain(', '.join(parts))}", QUIET)


_COUNTS = (
    ("prompt_tokens", "tokens in"),
    ("cached_tokens", "of them cached"),
    ("completion_tokens", "tokens out"),
    ("reasoning_tokens", "of them reasoning"),
)


def _row(*cells: str) -> str:
    return " ".join([*(cell.ljust(width) for cell, width in zip(cells, WIDTHS, strict=False)), cells[-1]])
