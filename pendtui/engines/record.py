"""A pend record's text, taken apart without losing where anything stood."""

import re
from collections.abc import Iterator, Mapping
from datetime import date
from itertools import zip_longest
from types import MappingProxyType
from typing import NamedTuple

from pendtui.engines.vocabulary import SectionName

Span = tuple[int, int]
"""Half-open character offsets into the record's original text."""

MAX_CHARACTERS = 200_000
"""A record longer than this is not a pend record; it is listed as faulty and not read."""

_NAMES = tuple(SectionName)

WRAP_WIDTH = 56
"""A line of desk notes at least this long may have been wrapped; a shorter one was ended by its writer."""

_TITLE = re.compile(r"\ufeff?\s*PEND RECORD[ \t]+(\S+)(?:[ \t]+(?:--|[–—])[ \t]+(\S.*?))?[ \t\r]*(?:\n|\Z)")
_TRAIL = re.compile(r"^[ \t]*(\d{4}-\d{2}-\d{2})\b[ \t]*", re.MULTILINE)
_PARAGRAPH = re.compile(r"\S[^\n]*(?:\n(?![ \t\r]*(?:\n|\Z))[^\n]*)*")
# Both alternatives begin with one set of characters, so that the search skips all others at once.
_BREAK = re.compile(
    r"""[.!?\n](?:(?<=[.!?])["'”’)\]]*(\s+)(?=[A-Z0-9"'“‘(\[#*-])"""
    r"""|(?<=\n)[ \t]*(?=[-*•>][ \t]|\d{1,4}[-/]\d{1,2}\b|(?:EDIT|CARC|RARC|REMARK|STATUS)\b"""
    r"""|[A-Z]{0,3}\d{3,}[ \t:]))"""
)
_ALWAYS_SHORT = re.compile(r"""(?:^|[\s("'])(?:vs|dr|st|approx|incl|inc|e\.g|i\.e|u\.s|cfr)\.$""", re.IGNORECASE)
"""Abbreviations that never end a sentence."""
_SHORT_BEFORE_A_NUMBER = re.compile(
    r"""(?:^|[\s("'])(?:nos?|auth|prov|ref|eff|exp|rec'?d|req|acct|dept|mbr|pt|svc|sec|para|fig|est|orig|ext|proc)\.$""",
    re.IGNORECASE,
)
"""Abbreviations that end a sentence unless a number follows, as in "auth. no. 12345"."""
_NUMBER = re.compile(r"[A-Z]{0,4}-?\d")


class Unit(NamedTuple):
    """One sentence, or one dated trail line: the smallest thing that can be quoted."""

    section: SectionName
    span: Span
    text: str
    """Exactly the original characters of the span, line wraps included."""
    day: date | None = None
    """The date a trail line begins with."""


class Section(NamedTuple):
    """One headed part of a record. The span covers its body, without the heading."""

    name: SectionName
    gloss: str
    heading: Span
    span: Span


class Record(NamedTuple):
    """A pend record as read. `faults` says, in words, everything that is wrong with its form."""

    id: str
    title: str
    text: str
    sections: Mapping[SectionName, Section] = MappingProxyType({})
    facts: Mapping[str, str] = MappingProxyType({})
    """The labels of CLAIM FACTS in lower case, and their values as printed."""
    faults: tuple[str, ...] = ()

    def body(self, name: SectionName) -> str:
        """The original characters of a section's body; empty where the section is missing."""
        section = self.sections.get(name)
        return self.text[section.span[0] : section.span[1]] if section else ""

    def units(self, *names: SectionName) -> Iterator[Unit]:
        """The quotable units of the named sections, in the order given, top down."""
        for name in names:
            section = self.sections.get(name)
            if section is None:
                continue
            split = _trail_units if name is SectionName.TRAIL else _sentence_units
            yield from split(self.text, section)

    def unit_at(self, offset: int, *names: SectionName) -> Unit | None:
        """The unit of the named sections that holds the character at `offset`."""
        for name in names:
            section = self.sections.get(name)
            if section is not None and section.span[0] <= offset < section.span[1]:
                if name is not SectionName.TRAIL:
                    section = self._paragraph_at(offset, section)
                split = _trail_units if name is SectionName.TRAIL else _sentence_units
                return next((u for u in split(self.text, section) if u.span[0] <= offset < u.span[1]), None)
        return None

    def _paragraph_at(self, offset: int, section: Section) -> Section:
        start = self.text.rfind("\n\n", section.span[0], offset)
        end = self.text.find("\n\n", offset, section.span[1])
        return section._replace(span=(max(start, section.span[0]), section.span[1] if end < 0 else end))


def parse_record(text: str, record_id: str) -> Record:
    """Take a record's text apart.

    Never raises. What is wrong with the form (another id in the title, a missing or doubled section,
    an empty or enormous text) is listed in `faults`, and whatever could be read is still there.
    """
    if not text.strip():
        return Record(record_id, "", text, faults=("the file is empty",))
    if len(text) > MAX_CHARACTERS:
        shown = text[:MAX_CHARACTERS]
        fault = f"the file has {len(text):,} characters; a record of more than {MAX_CHARACTERS:,} is not read"
        return Record(record_id, "", shown, faults=(fault,))

    faults: list[str] = []
    title = _TITLE.match(text)
    if title is None:
        faults.append("the first line is not 'PEND RECORD <id> -- <title>'")
    elif title[1] != record_id:
        faults.append(f"the title line names {title[1]}, the file {record_id}")

    sections = _sections(text, faults)
    facts = _facts(text, sections[SectionName.FACTS].span, faults) if SectionName.FACTS in sections else {}
    return Record(record_id, (title[2] or "") if title else "", text, sections, facts, tuple(faults))


def _sections(text: str, faults: list[str]) -> dict[SectionName, Section]:
    headings: list[tuple[int, int, SectionName, str]] = []
    for name in _NAMES:
        at = text.find(name)
        while at >= 0:
            if (at == 0 or text[at - 1] == "\n") and (heading := _heading(text, at, name)) is not None:
                headings.append(heading)
            at = text.find(name, at + 1)
    headings.sort()
    sections: dict[SectionName, Section] = {}
    for (start, end, name, gloss), following in zip_longest(headings, headings[1:]):
        if name in sections:
            faults.append(f"section {name} appears twice")
            continue
        sections[name] = Section(name, gloss, (start, end), (end, following[0] if following else len(text)))
    if len(sections) < len(_NAMES):
        faults.extend(f"section {name} is missing" for name in _NAMES if name not in sections)
    return sections


def _heading(text: str, start: int, name: SectionName) -> tuple[int, int, SectionName, str] | None:
    """Start, end, name and gloss of a line that is the section's heading and nothing else."""
    end = text.find("\n", start)
    if end < 0:
        end = len(text)
    rest = text[start + len(name) : end].strip()
    gloss = rest.lstrip("-–—").lstrip()
    if not rest or (gloss != rest and text[start + len(name)].isspace()):
        return start, end, name, gloss
    return None


def _facts(text: str, span: Span, faults: list[str]) -> dict[str, str]:
    """The labels and values of CLAIM FACTS: indented lines, the two parted by two spaces, a tab or a colon."""
    facts: dict[str, str] = {}
    for line in text[span[0] : span[1]].split("\n"):
        if line[:1] not in (" ", "\t"):
            continue
        label, _, value = line.strip().partition("  ")
        if not value:
            label, _, value = label.partition("\t" if "\t" in label else ": ")
        name, value = label.rstrip(":").lower(), value.strip()
        if value and facts.setdefault(name, value) != value:
            faults.append(f"CLAIM FACTS gives '{label}' twice, with different values")
    return facts


def _sentence_units(text: str, section: Section) -> list[Unit]:
    units: list[Unit] = []
    name = section.name
    for paragraph in _PARAGRAPH.finditer(text, *section.span):
        start, end = paragraph.span()
        for found in _BREAK.finditer(text, start, end):
            if found[1] is not None:
                if _is_abbreviation(text, start, found):
                    continue
                gap = found.span(1)
            elif _is_wrapped(text, found):
                continue
            else:
                gap = found.span()
            _add_unit(units, text, name, start, gap[0])
            start = gap[1]
        _add_unit(units, text, name, start, end)
    return units


def _is_abbreviation(text: str, start: int, found: re.Match[str]) -> bool:
    stop = found.start() + 1
    if text[stop - 1] != "." or found.start(1) != stop:
        return False
    if _ALWAYS_SHORT.search(text, start, stop):
        return True
    return bool(_NUMBER.match(text, found.end(1)) and _SHORT_BEFORE_A_NUMBER.search(text, start, stop))


def _is_wrapped(text: str, found: re.Match[str]) -> bool:
    """Whether a line that begins with a date or code only goes on with the sentence of the line before."""
    if text[found.end()] in "-*•>":
        return False
    line = text[text.rfind("\n", 0, found.start()) + 1 : found.start()].rstrip()
    return len(line) >= WRAP_WIDTH and line[-1] not in ".;:!?)"


def _trail_units(text: str, section: Section) -> list[Unit]:
    entries = list(_TRAIL.finditer(text, *section.span))
    if not entries:
        return _sentence_units(text, section)
    units: list[Unit] = []
    _add_unit(units, text, section.name, section.span[0], entries[0].start())
    for entry, following in zip_longest(entries, entries[1:]):
        end = following.start() if following else section.span[1]
        _add_unit(units, text, section.name, entry.start(1), end, parse_day(entry[1]))
    return units


def _add_unit(  # noqa: PLR0917
    units: list[Unit], text: str, name: SectionName, start: int, end: int, day: date | None = None
) -> None:
    """The stretch from start to end without the white space around it, where anything is left."""
    part = text[start:end]
    body = part.strip()
    if body:
        if body != part:
            start += len(part) - len(part.lstrip())
        units.append(Unit(name, (start, start + len(body)), body, day))


def parse_day(text: str) -> date | None:
    """A date written as 2026-08-10, or None."""
    try:
        return date.fromisoformat(text)
    except ValueError:
        return None
