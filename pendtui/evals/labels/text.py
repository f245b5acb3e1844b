"""A record's text read a second time: its sections, its facts, and what is one sentence or trail line."""

import re
from collections.abc import Mapping
from typing import NamedTuple

from pendtui.evals.labels.report import Failure, day_of, shown

FACTS = "CLAIM FACTS"
MESSAGE = "PEND MESSAGE"
NOTES = "DESK NOTES"
TRAIL = "CORRESPONDENCE AND SYSTEM TRAIL"
REGISTER = "ADJUDICATION REGISTER"
SECTIONS = (FACTS, MESSAGE, NOTES, TRAIL, REGISTER)
"""The headings in the order a record has them."""
CITABLE = (MESSAGE, NOTES, TRAIL)
"""The sections that a cause may be cited from."""

_INITIALS = frozenset(heading[0] for heading in SECTIONS)
_TITLE = "PEND RECORD "
_MESSAGE_WIDTH = 70
"""A message line that the next word would take past this width may have been wrapped there."""

_CLOSING_SIGNS = "\"'\u201d\u2019)]"
_CLOSING, _OPENING = r"""["'\u201d\u2019)\]]""", r"""["'\u201c\u2018(\[]"""
_BOUNDARY = rf"[.!?]{{1,4}}{_CLOSING}{{0,3}}\s+{_OPENING}{{0,3}}[A-Z0-9]"
_SHORT_FORMS = frozenset(
    (
        *("no", "nos", "vs", "dr", "mr", "mrs", "ms", "approx", "ext", "exp", "eff", "dept", "proc", "amt"),
        *("est", "acct", "inc", "fig", "ref", "min", "max", "pt", "tel", "st", "art", "sec", "e.g", "i.e"),
    )
)
_TRAIL_LINE = r"[ \t]*([0-9]{4}-[0-9]{2}-[0-9]{2})[ \t]+"


class Document(NamedTuple):
    """One record as the gate reads it."""

    text: str
    facts: Mapping[str, str]
    sections: Mapping[str, tuple[int, int]]
    """Heading to the half-open span of what stands below it."""

    def body(self, heading: str) -> str:
        """What stands below a heading, or nothing."""
        start, stop = self.sections.get(heading, (0, 0))
        return self.text[start:stop]

    def section_at(self, start: int, stop: int) -> str | None:
        """The heading that the whole span stands below."""
        for heading, (first, last) in self.sections.items():
            if first <= start and stop <= last:
                return heading
        return None


def read_document(record_id: str, text: str) -> tuple[Document, list[Failure]]:
    """A record's text taken apart, and what is wrong with its shape."""
    failures: list[Failure] = []
    lines = text.split("\n")
    if lines[0].partition(" -- ")[0].rstrip() != _TITLE + record_id:
        failures.append(Failure(record_id, "title line", _TITLE + record_id, "another first line"))
    starts: list[tuple[str, int, int]] = []
    at = 0
    facts: dict[str, str] = {}
    for line in lines:
        if line and line[0] in _INITIALS:
            heading = line.partition(" -- ")[0].rstrip()
            if heading in SECTIONS:
                starts.append((heading, at, at + len(line)))
        elif len(starts) == 1 and starts[0][0] == FACTS and line:
            label, _, value = line.strip().partition("  ")
            if label in facts:
                failures.append(Failure(record_id, "section", f"{shown(label)} once in {FACTS}", "twice"))
            facts[label] = value.strip()
        at += len(line) + 1
    sections: dict[str, tuple[int, int]] = {}
    for n, (heading, _, body) in enumerate(starts):
        end = starts[n + 1][1] if n + 1 < len(starts) else len(text)
        if heading in sections:
            failures.append(Failure(record_id, "section", f"{heading} once", "twice"))
        else:
            sections[heading] = (body, end)
    for heading in SECTIONS:
        if heading not in sections:
            failures.append(Failure(record_id, "section", heading, "nothing"))
        elif heading != FACTS and not text[slice(*sections[heading])].strip():
            failures.append(Failure(record_id, "section", f"text below {heading}", "nothing"))
    if [heading for heading in SECTIONS if heading in sections] != list(sections):
        failures.append(Failure(record_id, "section", "the five sections in their order", " / ".join(sections)))
    document = Document(text, facts, sections)
    failures += _trail_faults(record_id, document.body(TRAIL))
    return document, failures


def _trail_faults(record_id: str, trail: str) -> list[Failure]:
    """Trail lines that begin like a date and do not go on as one, or have no words."""
    failures = []
    for line in trail.split("\n"):
        words = line.split(None, 1)
        if not words or not words[0][:2].isdigit() or "-" not in words[0]:
            continue
        if day_of(words[0]) is None:
            failures.append(
                Failure(record_id, "trail", "a date, YYYY-MM-DD, at the start of the line", shown(words[0]))
            )
        elif len(words) == 1:
            failures.append(Failure(record_id, "trail", f"words after {words[0]}", "nothing"))
    return failures


def unit_fault(document: Document, heading: str, start: int, stop: int) -> str | None:
    """Why a span below a citable heading is not one whole sentence or trail line; None where it is one."""
    text = document.text
    first, last = document.sections[heading]
    cited = text[start:stop]
    if cited != cited.strip():
        return "space at its ends"
    if heading == TRAIL:
        line = text.rfind("\n", first, start) + 1
        dated = re.compile(_TRAIL_LINE)
        lead = dated.match(text, line, last)
        while lead is None and line > first + 1:
            line = text.rfind("\n", first, line - 1) + 1
            lead = dated.match(text, line, last)
        first = lead.end() if lead else line
        last = _entry_end(text, line, last, dated)
        if stop > last:
            return "more than one trail line"
        if stop == last and (start == first or (lead and start == lead.start(1))):
            return None
        if start < first:
            return "part of a trail line"
    in_message = heading == MESSAGE
    if not _starts_unit(text[first:start], cited, in_message):
        return "a start in the middle of a sentence"
    if not _ends_unit(cited, text[stop:last], in_message):
        return "an end in the middle of a sentence"
    if "\n\n" in cited:
        return "more than one paragraph"
    if not any(_is_ended(word) for word in cited.split()[:-1]):
        return None
    for boundary in re.finditer(_BOUNDARY, cited):
        if not _after_short_form(cited, boundary.start()):
            return "more than one sentence"
    return None


def _entry_end(text: str, line: int, last: int, dated: re.Pattern[str]) -> int:
    """Where the trail entry that begins at `line` ends: before the next dated or empty line."""
    end = _line_end(text, line, last)
    while end < last and not dated.match(text, end + 1, last):
        following = _line_end(text, end + 1, last)
        if not text[end + 1 : following].strip():
            break
        end = following
    while end > line and text[end - 1].isspace():
        end -= 1
    return end


def _line_end(text: str, start: int, last: int) -> int:
    end = text.find("\n", start, last)
    return last if end < 0 else end


def _starts_unit(before: str, cited: str, in_message: bool) -> bool:
    above = before.rstrip()
    if not above or "\n\n" in before[len(above) :] or _is_ended(above):
        return True
    if not in_message or "\n" not in before[len(above) :]:
        return False
    line = above.rpartition("\n")[2]
    return not _wrapped(line, cited)


def _ends_unit(cited: str, after: str, in_message: bool) -> bool:
    below = after.lstrip()
    space = after[: len(after) - len(below)]
    if not below or "\n\n" in space:
        return True
    if _is_ended(cited):
        return bool(space)
    return in_message and "\n" in space and not _wrapped(cited.rpartition("\n")[2], below)


def _is_ended(text: str) -> bool:
    """Whether a text ends as a sentence does."""
    return text[-4:].rstrip(_CLOSING_SIGNS)[-1:] in (".", "!", "?")


def _wrapped(line: str, following: str) -> bool:
    """Whether the second of two message lines goes on with the sentence of the first."""
    word = following.split(None, 1)[0]
    return word[0].islower() or len(line.strip()) + len(word) >= _MESSAGE_WIDTH


def _after_short_form(cited: str, at: int) -> bool:
    """Whether the stop at an offset is the period of an abbreviation or an initial."""
    word = f" {cited[max(0, at - 12) : at]}".rsplit(None, 1)[-1:]
    return cited[at] == "." and bool(word) and (word[0].lower() in _SHORT_FORMS or len(word[0]) == 1)


_FOLDS = (
    *((quote, "'") for quote in "\u2018\u2019\u201a\u201b\u2032"),
    *((quote, '"') for quote in "\u201c\u201d\u201e\u201f\u2033"),
    *((dash, "-") for dash in "\u2010\u2011\u2012\u2013\u2014\u2015\u2212"),
)


def fold(text: str) -> str:
    """Text with spaces and line wraps as single spaces, and typographic quotes and dashes as typed ones."""
    folded = " ".join(text.split())
    if not folded.isascii():
        for sign, typed in _FOLDS:
            if sign in folded:
                folded = folded.replace(sign, typed)
    return folded.replace("--", "-")
