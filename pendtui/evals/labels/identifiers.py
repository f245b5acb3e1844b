"""The sweep: what a pend record must not carry, found by shape and reported by place, never by value.

A pattern is compiled and run only where a cheap look at the text says that it could match: start-up time is
a feature, and most records give none of them anything to do. Every repetition is bounded, so that a hostile
text costs no more than its length.
"""

import re
from collections.abc import Callable, Iterator
from datetime import date
from typing import NamedTuple

from pendtui.evals.labels import identifier_patterns, person_names
from pendtui.evals.labels.report import day_of

CLASSES = (
    "name",
    "birth_date",
    "member_id",
    "ssn",
    "mbi",
    "phone",
    "street_address",
    "zip_plus_4",
    "email",
    "diagnosis_code",
    "x12_segment",
)
"""What the sweep looks for: identifiers of 45 CFR 164.514(b)(2) a record could pick up, and diagnoses."""

_ADULT_YEARS = 18

_CASED, _UNCASED = int(re.ASCII), int(re.ASCII | re.IGNORECASE)
"""As numbers, because joining the flags anew for every record costs more than most of the searches."""

_SHAPE = bytes.maketrans(b"123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz", b"0" * 9 + b"A" * 52)
_WORDS = bytes(sign if chr(sign).isascii() and chr(sign).isalnum() else 0x20 for sign in range(256))
"""Blanks everything but letters and digits."""
_LOOKALIKES = (
    *((dash, "-") for dash in "\u2010\u2011\u2012\u2013\u2014\u2212"),
    *((space, " ") for space in "\u00a0\u2002\u2003\u2007\u2009\u202f"),
    *((chr(0xFF10 + digit), str(digit)) for digit in range(10)),
    ("\u2019", "'"),
)


class Finding(NamedTuple):
    """One thing that should not be in a text: what kind, and where. It never holds the text itself."""

    kind: str
    """One of CLASSES."""
    line: int
    """Counted from 1."""
    start: int
    """Half-open character offsets into the text that was swept."""
    stop: int


class _Text(NamedTuple):
    """A text in the forms that the finders look at, all of the same length as the text."""

    said: str
    """The text in ASCII: unusual dashes, spaces and digits as plain ones, other signs as question marks."""
    lower: str
    shape: bytes
    """0 for a digit, A for a letter, other signs as they are."""
    received_on: date | None


_Spans = Iterator[tuple[int, int]]


def sweep(text: str, received_on: date | None) -> tuple[Finding, ...]:
    """The places in a text that look like a person's name, birth date, identifier, contact data or diagnosis.

    Classes are those of CLASSES; a finding gives class, line and character offsets and never the value, so
    that a report of it can be shown or logged. `received_on` is the claim's receipt date: a date more than 18
    years before it counts as a birth date. Where it is None, the newest date in the text stands in for it.

    Claim ids, NPIs (10 digits that pass the Luhn check over the prefix 80840), trail dates, procedure and
    revenue codes, dollar amounts and edit numbers are not findings. A text without findings is not
    de-identified: receipt date and claim id are identifiers too, and a bare name without a label is not seen.
    Never raises; time grows with the length of the text.
    """
    said = text
    if not text.isascii():
        for sign, plain_sign in _LOOKALIKES:
            if sign in said:
                said = said.replace(sign, plain_sign)
        said = said.encode("ascii", "replace").decode("ascii")
    seen = _Text(said, said.lower(), said.encode("ascii").translate(_SHAPE), received_on)
    found = [(*span, kind) for kind, finder in _FINDERS for span in _apart(finder(seen))]
    findings: list[Finding] = []
    line, at = 1, 0
    for start, stop, kind in sorted(found):
        line += text.count("\n", at, start)
        at = start
        findings.append(Finding(kind, line, start, stop))
    return tuple(findings)


def _apart(spans: _Spans) -> Iterator[tuple[int, int]]:
    """Spans in order, without those that overlap an earlier one."""
    end = 0
    for start, stop in sorted(spans):
        if start >= end:
            yield start, stop
            end = stop


def _has(text: str, words: tuple[str, ...]) -> bool:
    for word in words:  # noqa: SIM110 a generator takes twice as long, and this runs for every record
        if word in text:
            return True
    return False


def _has_bytes(shape: bytes, shapes: tuple[bytes, ...]) -> bool:
    for each in shapes:  # noqa: SIM110 as above
        if each in shape:
            return True
    return False


def _matches(pattern: str, text: str, flags: int = _CASED) -> Iterator[re.Match[str]]:
    return re.finditer(pattern, text, flags)


def _places(words: tuple[str, ...], within: str) -> Iterator[int]:
    """Where one of these words begins with no letter before it."""
    for word in words:
        at = within.find(word)
        while at >= 0:
            if not within[at - 1 : at].isalpha():
                yield at
            at = within.find(word, at + 1)


def _matches_at(
    words: tuple[str, ...], within: str, pattern: str, text: str, flags: int = _CASED
) -> Iterator[re.Match[str]]:
    """The matches that begin at one of these words, where no letter stands before it."""
    for at in _places(words, within):
        match = re.compile(pattern, flags).match(text, at)
        if match:
            yield match


def _ssn(seen: _Text) -> _Spans:
    shape = seen.shape
    if b"000-00-0000" in shape or b"000 00 0000" in shape:
        yield from (match.span() for match in _matches(identifier_patterns.SSN, seen.said))
    if b"000000000" in shape and "s" in seen.lower:
        yield from (match.span(1) for match in _matches(identifier_patterns.SSN_LABELED, seen.said, _UNCASED))


def _mbi(seen: _Text) -> _Spans:
    shape = seen.shape
    if b"0AA00" in shape or b"0-AA00" in shape or b"0 AA00" in shape:
        yield from (match.span() for match in _matches(identifier_patterns.MBI, seen.said, _UNCASED))


_CLAIM_ID_SHAPE = b"AAA-0000-000000"
_PHONE_SHAPES = (b"000-0000", b"000.0000", b"000 0000", b"0000000")
"""What every way to write a telephone number ends with, and a claim id does too."""


def _phone(seen: _Text) -> _Spans:
    if not _has_bytes(seen.shape.replace(_CLAIM_ID_SHAPE, b""), _PHONE_SHAPES):
        return
    for match in _matches(identifier_patterns.PHONE, seen.said):
        if not _is_other_number(seen.said, match):
            yield match.span()
    for match in _matches_at(
        identifier_patterns.PHONE_WORDS, seen.lower, identifier_patterns.PHONE_LOCAL, seen.said, _UNCASED
    ):
        yield match.span(1)


def _is_other_number(said: str, match: re.Match[str]) -> bool:
    """Whether ten digits of a telephone's shape are an NPI, or codes standing side by side."""
    number = match[0]
    before = said[max(0, match.start() - 24) : match.start()].rpartition("\n")[2].lower()
    if number.isdigit() and len(number) == 10:
        return is_npi(number) and not re.search(identifier_patterns.PHONE_WORD_BEFORE, before)
    if re.fullmatch(identifier_patterns.SPACED_TEN, number):
        return bool(re.search(identifier_patterns.CODE_WORD_BEFORE, before))
    return False


def is_npi(digits: str) -> bool:
    """Whether ten digits are a national provider identifier: they begin with 1 or 2 and pass its check."""
    if len(digits) != 10 or not digits.isdigit() or digits[0] not in "12":
        return False
    # 24 is what the prefix 80840 adds to the sum
    total = 24
    for place, digit in enumerate(digits):
        value = int(digit) * (2 if place % 2 == 0 else 1)
        total += value - 9 if value > 9 else value
    return total % 10 == 0


def _email(seen: _Text) -> _Spans:
    if "@" in seen.said:
        yield from (match.span() for match in _matches(identifier_patterns.EMAIL, seen.said))


def _zip_plus_4(seen: _Text) -> _Spans:
    if b"00000-0000" in seen.shape:
        yield from (match.span() for match in _matches(identifier_patterns.ZIP_PLUS_4, seen.said))


def _street_address(seen: _Text) -> _Spans:
    lower = seen.lower
    if _has_numbered_street(seen):
        yield from (match.span() for match in _matches(identifier_patterns.STREET, seen.said))
    if "box" in lower:
        yield from (match.span() for match in _matches(identifier_patterns.PO_BOX, seen.said, _UNCASED))


def _has_numbered_street(seen: _Text) -> bool:
    """Whether the kind of a street stands in the text with a digit in the words before it."""
    said = seen.said.encode("ascii")
    kinds = identifier_patterns.STREET_KINDS.intersection(said.translate(_WORDS).split())
    for kind in kinds:
        at = said.find(b" " + kind)
        while at >= 0:
            # a number and a street's name stand in one line with single spaces
            before = seen.shape[max(0, at - 128) : at].rpartition(b"\n")[2].rpartition(b"  ")[2]
            if b"0" in b"".join(before.split(b" ")[-identifier_patterns.STREET_WORDS :]):
                return True
            at = said.find(b" " + kind, at + 1)
    return False


def _member_id(seen: _Text) -> _Spans:
    for word in identifier_patterns.MEMBER_WORDS:
        for at in _places((word,), seen.lower):
            # every such id has a digit
            if b"0" in seen.shape[at : at + identifier_patterns.MEMBER_REACH]:
                yield from _member_ids_at(seen, word, at)


def _member_ids_at(seen: _Text, word: str, at: int) -> _Spans:
    matches = [re.compile(identifier_patterns.MEMBER_KEYED, _UNCASED).match(seen.said, at)]
    if word in identifier_patterns.MEMBER_BARE_WORDS:
        matches.append(re.compile(identifier_patterns.MEMBER_BARE, _CASED).match(seen.said, at))
    for match in matches:
        if match is None:
            continue
        token = match["token"]
        if token.isalpha() or token[:4].upper() == "CLM-" or day_of(token[:10]):
            continue
        if is_npi(token) and word in ("account", "acct"):
            continue
        yield match.span("token")


def _diagnosis_code(seen: _Text) -> _Spans:
    if not _has(seen.lower, identifier_patterns.ICD_WORDS):
        return
    for match in _matches_at(
        identifier_patterns.ICD_WORDS, seen.lower, identifier_patterns.ICD_BESIDE, seen.said, _UNCASED
    ):
        yield match.span("code")
    for match in _matches(identifier_patterns.ICD_DOTTED, seen.said):
        around = seen.said[max(0, match.start() - 48) : match.end() + 48]
        if re.search(identifier_patterns.ICD_WORD, around, re.IGNORECASE):
            yield match.span()


def _x12_segment(seen: _Text) -> _Spans:
    if "NM1" in seen.said or "DMG" in seen.said:
        yield from (match.span() for match in _matches(identifier_patterns.X12, seen.said))


def _birth_date(seen: _Text) -> _Spans:
    said = seen.said
    reference: date | None = None
    if _has(seen.lower, identifier_patterns.BIRTH_WORDS):
        words = identifier_patterns.BIRTH_WORDS
        reference = _reference(seen)
        for match in _matches_at(words, seen.lower, identifier_patterns.BIRTH_BESIDE, said, _UNCASED):
            yield match.span("day")
        for match in _matches(identifier_patterns.BIRTH_AFTER, said, _UNCASED):
            # a trail line's own date stands first in its line
            line = said[max(0, match.start() - 8) : match.start()].rpartition("\n")[2]
            if line.strip() or not day_of(match["day"]):
                yield match.span("day")
        for match in _matches_at(words, seen.lower, identifier_patterns.BIRTH_NEAR, said, _UNCASED):
            # with words between, a recent day is one on which something was looked up
            day = _read_day(match["day"])
            if day is not None and (reference is None or (reference - day).days > 365):
                yield match.span("day")
    numeric, worded = _old_years(seen)
    if numeric or worded:
        reference = reference or _reference(seen)
    if reference is None:
        return
    if numeric:
        for match in _matches(identifier_patterns.OLD_DATE, said):
            day = _read_day(match[0])
            if day is not None and _is_adult(day, reference):
                yield match.span()
    if worded:
        for match in _matches(identifier_patterns.OLD_DATE_IN_WORDS, said, _UNCASED):
            if reference.year - int(match["year"]) > _ADULT_YEARS:
                yield match.span()


def _old_years(seen: _Text) -> tuple[bool, bool]:
    """Whether an old year stands beside the signs of a date, and whether one stands after a month's name."""
    numeric = worded = False
    if not _has(seen.said, identifier_patterns.OLD_DECADES):
        return numeric, worded
    for year in _matches(identifier_patterns.OLD_YEAR, seen.said):
        start, stop = year.span()
        beside = seen.said[start - 1 : start] + seen.said[stop : stop + 1]
        numeric = numeric or "-" in beside or "/" in beside or "." in beside
        worded = worded or _has(seen.lower[max(0, start - 14) : start], identifier_patterns.MONTHS)
    return numeric, worded


def _is_adult(born: date, on: date) -> bool:
    return (on.year - born.year - ((on.month, on.day) <= (born.month, born.day))) >= _ADULT_YEARS


def _reference(seen: _Text) -> date | None:
    """The day that ages are counted back from: receipt, or the newest date of the text."""
    if seen.received_on is not None:
        return seen.received_on
    days = (day_of(match[0]) for match in _matches(identifier_patterns.ISO_DATE, seen.said))
    return max((day for day in days if day is not None), default=None)


def _read_day(written: str) -> date | None:
    """The day of a numeric date: year first, or month, day and year."""
    parts = re.split(r"[-/.]", written)
    if len(parts) != 3 or not all(part.isdigit() for part in parts):
        return None
    numbers = [int(part) for part in parts]
    year, month, day = numbers if len(parts[0]) == 4 else (numbers[2], numbers[0], numbers[1])
    if year < 100:
        year += 1900 if year > 26 else 2000
    try:
        return date(year, month, day)
    except ValueError:
        try:
            return date(year, day, month)
        except ValueError:
            return None


def _name(seen: _Text) -> _Spans:
    said = seen.said
    for match in _matches_at(person_names.TITLES, said, person_names.TITLED, said):
        if match["name"].lower() not in person_names.NOT_NAMES:
            yield match.span("name")
    for at in _places(person_names.ROLES, seen.lower):
        after = said[at + person_names.ROLE_LEAST : at + person_names.ROLE_REACH].partition("\n\n")[0]
        # a name has a capital, and a small letter or an apostrophe
        if after.islower() or (after.isupper() and "'" not in after):
            continue
        named = re.compile(person_names.ROLE, _CASED).match(said, at)
        if named is None:
            continue
        words = re.findall(r"[A-Za-z'-]+", named["name"])
        if not any(word.lower() in person_names.NOT_NAMES for word in words):
            yield named.span("name")
    if "name:" in seen.lower or "name :" in seen.lower or "name=" in seen.lower:
        for match in _matches(person_names.LABELED, said):
            owner = match["owner"] or ""
            if (
                owner.lower() not in person_names.NAMED_THINGS
                and match["first"].lower() not in person_names.NOT_NAMES
            ):
                yield match.span("name")


_FINDERS: tuple[tuple[str, Callable[[_Text], _Spans]], ...] = (
    ("name", _name),
    ("birth_date", _birth_date),
    ("member_id", _member_id),
    ("ssn", _ssn),
    ("mbi", _mbi),
    ("phone", _phone),
    ("street_address", _street_address),
    ("zip_plus_4", _zip_plus_4),
    ("email", _email),
    ("diagnosis_code", _diagnosis_code),
    ("x12_segment", _x12_segment),
)
