"""The text of a pend record around one cause sentence, and where that sentence stands in it."""

from collections.abc import Mapping
from datetime import date, timedelta
from random import Random
from typing import NamedTuple

from pendtui.engines.facts import ClaimFacts
from pendtui.engines.record import Span
from pendtui.engines.vocabulary import CauseClass, Evidence, LineOfBusiness
from pendtui.evals.corpus.claims import draw_slots, tags_of
from pendtui.evals.corpus.draw import below, between, pick, shuffle
from pendtui.evals.corpus.plan import Cell, Place
from pendtui.evals.corpus.pools import INDIRECT, SERVICE_TAGS, Deck, Line, Pools, Service

LOOKS_LIKE_ANOTHER = "cause_looks_like_another"
FALSE_POSITIVE = "phrase_false_positive"
BAIT = "auto_release_bait"

_WIDTH = 78
_BUSINESS = {LineOfBusiness.MA: "Medicare Advantage", LineOfBusiness.MEDICAID: "Medicaid"}
_BREAK = "\n\n"


class Written(NamedTuple):
    """One record's text, its title, and the span of its cause sentence."""

    title: str
    text: str
    span: Span


class _Core(NamedTuple):
    """What a record says of its cause, section by section, with the slots filled.

    `cause` stands in one of the three sections; the others give what surrounds it.
    """

    cause: str
    message: str
    trailer: str
    notes: tuple[str, ...]
    """Sentences of the notes that are not neutral, in order; the cause among them where it stands there."""
    trail: tuple[str, ...]


class Writer:
    """Writes records one after another, dealing sentences from one set of decks."""

    def __init__(self, pools: Pools, rng: Random) -> None:
        self._rng = rng
        self._causes = {
            cause: {kind: Deck(lines, rng) for kind, lines in kinds.items()}
            for cause, kinds in pools.causes.items()
        }
        self._common = {kind: Deck(lines, rng) for kind, lines in pools.common.items()}
        self._services = pools.services
        self._fitting: dict[frozenset[str], tuple[Service, ...]] = {}

    def write(self, record_id: str, cell: Cell, facts: ClaimFacts) -> Written:
        """The record of one claim."""
        rng = self._rng
        cause_line = self._cause_line(cell, facts)
        service = pick(rng, self._services_for(cause_line.needs))
        tags = tags_of(facts) | service.tags
        facet = min(cause_line.facets)
        decoy = None
        if cell.case in (LOOKS_LIKE_ANOTHER, FALSE_POSITIVE):
            decoy = pick(rng, [cause for cause in CauseClass if cause is not cell.cause])
        printed = cell.cause if cell.place is Place.MESSAGE else None
        if cell.case == LOOKS_LIKE_ANOTHER:
            printed = decoy
        slots = draw_slots(rng, facts, service, printed)

        core = self._core(cell, cause_line, decoy, tags, slots)
        taken = {"calls"} if cell.case == FALSE_POSITIVE else set()
        title = f"{service.name} claim, {self._deal('titles', tags).text}"
        register = self._causes[cell.cause][cell.evidence].deal(facet, tags).text.format_map(slots)
        message, message_at = _message(core)
        notes, notes_at = self._notes(core, slots, taken)
        trail, trail_at = self._trail(core, cell, facts, slots, taken)

        head = _head(
            record_id, title, facts, f"{self._deal('queues', tags).text} at {self._deal('plans', tags).text}"
        )
        before_notes = f"{head}{message}\n\nDESK NOTES\n\n"
        before_trail = f"{before_notes}{notes}\n\nCORRESPONDENCE AND SYSTEM TRAIL\n\n"
        text = (
            f"{before_trail}{trail}\n\n"
            f"ADJUDICATION REGISTER -- read from the payer's own file, apart from the notes\n\n  {register}\n"
        )
        if cell.place is Place.MESSAGE:
            start, stop = len(head) + message_at[0], len(head) + message_at[1]
        elif cell.place is Place.NOTES:
            start, stop = (len(before_notes) + notes_at[0], len(before_notes) + notes_at[1])
        else:
            start, stop = (len(before_trail) + trail_at[0], len(before_trail) + trail_at[1])
        return Written(title, text, (start, stop))

    def _deal(self, kind: str, tags: frozenset[str]) -> Line:
        return self._common[kind].deal("", tags)

    def _cause_line(self, cell: Cell, facts: ClaimFacts) -> Line:
        kind = f"real{cell.place}" if cell.case == LOOKS_LIKE_ANOTHER else str(cell.place)
        flags = tags_of(facts)
        # any kind of service can still be drawn to fit, one that bills by the unit or an inpatient stay included
        open_tags = flags | SERVICE_TAGS | {INDIRECT}
        return self._causes[cell.cause][kind].deal("", open_tags)

    def _services_for(self, needs: frozenset[str]) -> tuple[Service, ...]:
        wanted = needs & SERVICE_TAGS
        if wanted not in self._fitting:
            self._fitting[wanted] = tuple(
                service
                for service in self._services
                if wanted <= service.tags and ("inp" in wanted or "inp" not in service.tags)
            )
        return self._fitting[wanted]

    def _core(
        self,
        cell: Cell,
        cause_line: Line,
        decoy: CauseClass | None,
        tags: frozenset[str],
        slots: Mapping[str, str],
    ) -> _Core:
        cause = cause_line.text.format_map(slots)
        if cell.place is Place.MESSAGE:
            message = cause_line
        elif cell.case == LOOKS_LIKE_ANOTHER and decoy is not None:
            message = self._causes[decoy]["message"].deal("", tags)
        else:
            message = self._deal("vague", tags)
        notes: list[str] = []
        trail: list[str] = []
        in_notes = cell.place is Place.NOTES
        if cell.case == LOOKS_LIKE_ANOTHER and decoy is not None:
            kind = "answered" if in_notes else "answeredtrail"
            answered = self._causes[decoy][kind].deal("", tags).text.format_map(slots)
            (notes if in_notes else trail).append(answered)
        if cell.case == FALSE_POSITIVE and decoy is not None:
            notes.append(self._causes[decoy]["mention"].deal("", tags).text.format_map(slots))
        if in_notes:
            notes.append(cause)
        if cell.place is Place.TRAIL:
            trail.append(cause)
        if cell.case == BAIT:
            bait = self._deal("bait", tags).text.format_map(slots)
            notes.insert(below(self._rng, len(notes) + 1), bait)
        if cell.evidence is Evidence.AWAITED and self._rng.random() < 0.6:
            trail.append(self._deal("awaitedtrail", tags).text.format_map(slots))
        return _Core(cause, message.text.format_map(slots), message.trailer, tuple(notes), tuple(trail))

    def _notes(self, core: _Core, slots: Mapping[str, str], taken: set[str]) -> tuple[str, Span]:
        rng = self._rng
        neutral = self._common["neutral"].deal_apart(between(rng, 3, 5) - len(core.notes) // 2, taken)
        sentences = [line.text.format_map(slots) for line in neutral]
        at = below(rng, len(sentences) + 1)
        sentences[at:at] = core.notes
        typographic = rng.random() < 0.25
        wrapped = rng.random() < 0.4
        parts: list[str] = []
        span = (0, 0)
        length = 0
        for sentence in sentences:
            if parts:
                between_them = _BREAK if rng.random() < 0.4 else " "
                parts.append(between_them)
                length += len(between_them)
            said = _typeset(sentence) if typographic else sentence
            if sentence is core.cause:
                span = (length, length + len(said))
            parts.append(said)
            length += len(said)
        notes = "".join(parts)
        if wrapped:
            # a wrap puts a line break where a space was, so that spans stay as they are
            notes = _BREAK.join(_wrap(paragraph, _WIDTH) for paragraph in notes.split(_BREAK))
        return notes, span

    def _trail(
        self, core: _Core, cell: Cell, facts: ClaimFacts, slots: Mapping[str, str], taken: set[str]
    ) -> tuple[str, Span]:
        rng = self._rng
        none: frozenset[str] = frozenset()
        entries: list[tuple[date, str]] = [(facts.received_on, self._deal("received", none).text.format_map(slots))]
        lag = (facts.pended_on - facts.received_on).days
        if lag > 2 and rng.random() < 0.4:
            day = facts.received_on + timedelta(days=between(rng, 1, lag - 1))
            entries.append((day, self._deal("intake", none).text.format_map(slots)))
        entries.append((facts.pended_on, self._deal("pended", none).text.format_map(slots)))
        neutral = self._common["trail"].deal_apart(between(rng, 2, 4) - len(core.trail) // 2, taken)
        later = [line.text.format_map(slots) for line in neutral]
        marks = [True] * len(core.trail) + [False] * len(later)
        shuffle(rng, marks)
        named, unnamed = iter(core.trail), iter(later)
        days = sorted(between(rng, 1, (facts.register_read_on - facts.pended_on).days - 1) for _ in marks)
        for mark, after in zip(marks, days, strict=True):
            entries.append((facts.pended_on + timedelta(days=after), next(named) if mark else next(unnamed)))
        lines: list[str] = []
        span = (0, 0)
        length = 0
        for when, entry in entries:
            lead = f"  {when.isoformat()}  "
            if entry is core.cause:
                span = (length + len(lead), length + len(lead) + len(entry))
            lines.append(lead + entry)
            length += len(lead) + len(entry) + 1
        return "\n".join(lines), span


def _head(record_id: str, title: str, facts: ClaimFacts, queue: str) -> str:
    return (
        f"PEND RECORD {record_id} -- {title}\n\nCLAIM FACTS\n"
        f"  Claim id                      {facts.claim_id}\n"
        f"  Line of business              {_BUSINESS[facts.line_of_business]}\n"
        f"  Billing provider              {'contracted' if facts.contracted else 'non-contracted'}\n"
        f"  Claim type                    {'clean claim' if facts.clean else 'not a clean claim'}\n"
        f"  Received on                   {facts.received_on.isoformat()}\n"
        f"  Pended on                     {facts.pended_on.isoformat()}\n"
        f"  Register read as at           {facts.register_read_on.isoformat()}\n"
        f"  Queue                         {queue}\n"
        "\nPEND MESSAGE -- as the claims system printed it\n\n"
    )


def _message(core: _Core) -> tuple[str, Span]:
    said = _wrap(core.message, _WIDTH - 2, "\n  ")
    text = f"  {said}\n  {core.trailer}" if core.trailer else f"  {said}"
    return text, (2, 2 + len(said))


def _wrap(text: str, width: int, line_break: str = "\n") -> str:
    """Break lines at spaces so that none is longer than `width`, unless one word is."""
    start = 0
    lines = []
    while len(text) - start > width:
        cut = text.rfind(" ", start, start + width + 1)
        if cut <= start:
            break
        lines.append(text[start:cut])
        start = cut + 1
    lines.append(text[start:])
    return line_break.join(lines)


def _typeset(sentence: str) -> str:
    """The sentence as a word processor would set it: curly quotes, long dashes."""
    said = sentence.replace("'", "’").replace(" -- ", " — ")
    if '"' in said:
        opened = said.split('"')
        said = opened[0] + "".join(("“" if at % 2 == 0 else "”") + part for at, part in enumerate(opened[1:]))
    return said
