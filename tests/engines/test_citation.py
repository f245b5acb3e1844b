"""Quotes: searched for exactly, mapped back to the original characters."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pendtui.engines.citation import credit, fold, locate, normalise

FOLDABLE = st.text(alphabet="ab-'\" \n\t\u00a0\u2009\u2018\u2019\u201c\u201d\u2013\u2014\u2212", max_size=60)


@pytest.mark.parametrize(
    ("record", "quote", "found"),
    [
        ("No auth on file.", "auth on", "auth on"),
        ("wrapped\n   over lines", "wrapped over lines", "wrapped\n   over lines"),
        ("the provider’s “own” file", 'the provider\'s "own" file', "the provider’s “own” file"),
        ("EDIT 302 -- missing", "EDIT 302 — missing", "EDIT 302 -- missing"),
        ("EDIT 302 — missing", "EDIT 302 - missing", "EDIT 302 — missing"),
        ("a\u00a0b", "a b", "a\u00a0b"),
        ("twice, twice", "twice", "twice"),
    ],
)
def test_a_quote_is_found_at_its_original_characters(record: str, quote: str, found: str) -> None:
    span = locate(record, quote)
    assert span is not None
    assert record[slice(*span)] == found


@pytest.mark.parametrize(
    "quote",
    ["no auth on file", "No auth ... file.", "No auth on", "", "  ", "No authorization on file."],
    ids=["other case", "ellipsis", "found: none, see below", "empty", "blank", "paraphrase"],
)
def test_what_is_not_there_to_the_letter_is_not_found(quote: str) -> None:
    record = "No auth was on file."
    assert locate(record, quote) is None


def test_the_first_of_two_places_is_given() -> None:
    assert locate("aa bb aa", "aa") == (0, 2)


@given(FOLDABLE)
def test_folding_twice_changes_nothing_more(text: str) -> None:
    assert fold(fold(text)) == fold(text) == normalise(text).text


@given(FOLDABLE, FOLDABLE)
def test_a_located_span_slices_back_to_text_that_normalises_to_the_quote(record: str, quote: str) -> None:
    span = locate(record, quote)
    if span is not None:
        assert fold(record[slice(*span)]) == fold(quote)


@given(FOLDABLE, st.data())
def test_any_slice_of_a_record_can_be_found_in_it(record: str, data: st.DataObject) -> None:
    start = data.draw(st.integers(0, len(record)))
    end = data.draw(st.integers(start, len(record)))
    cut_inside_dashes = any(0 < at < len(record) and fold(record[at - 1 : at + 1]) == "-" for at in (start, end))
    if fold(record[start:end]) and not cut_inside_dashes:
        assert locate(record, record[start:end]) is not None


@given(FOLDABLE)
def test_each_normalised_character_knows_where_it_stood(record: str) -> None:
    folded = normalise(record)
    assert len(folded.text) == len(folded.starts) == len(folded.ends)
    assert all(start < end for start, end in zip(folded.starts, folded.ends, strict=True))
    assert all(a <= b for a, b in zip(folded.ends, folded.starts[1:], strict=False))


@pytest.mark.parametrize(
    ("found", "coverage", "precision", "credited"),
    [
        ((10, 20), 1.0, 1.0, True),
        ((10, 16), 0.6, 1.0, True),
        ((10, 15), 0.5, 1.0, False),
        ((0, 33), 1.0, 10 / 33, True),
        ((0, 34), 1.0, 10 / 34, False),
        ((20, 30), 0.0, 0.0, False),
        (None, 0.0, 0.0, False),
    ],
)
def test_credit_needs_both_floors(
    found: tuple[int, int] | None, coverage: float, precision: float, credited: bool
) -> None:
    given_credit = credit((10, 20), found)
    assert given_credit.coverage == pytest.approx(coverage)
    assert given_credit.precision == pytest.approx(precision)
    assert given_credit.credited is credited


def test_the_floors_are_arguments() -> None:
    assert credit((10, 20), (10, 15), coverage_floor=0.5).credited
    assert not credit((10, 20), (0, 25), precision_floor=0.5).credited


SPANS = st.tuples(st.integers(0, 50), st.integers(1, 50)).map(lambda pair: (pair[0], pair[0] + pair[1]))


@given(SPANS, SPANS, st.floats(0.01, 1), st.floats(0.01, 1))
def test_a_lower_floor_never_takes_credit_away(
    gold: tuple[int, int], found: tuple[int, int], floor: float, lower: float
) -> None:
    if lower <= floor and credit(gold, found, floor, floor).credited:
        assert credit(gold, found, lower, lower).credited
