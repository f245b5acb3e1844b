"""The offline readers: message, notes and trail in; cause class and sentence out."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pendtui.engines.readers import OFFLINE_ARMS, offline_reader
from pendtui.engines.readers.phrase import PHRASES
from pendtui.engines.record import parse_record
from pendtui.engines.vocabulary import CauseClass
from tests.records import record_text

PHRASE = offline_reader("phrase")


@pytest.mark.parametrize(
    ("cause", "phrase"), [(cause, phrase) for cause, phrases in PHRASES.items() for phrase in phrases]
)
def test_each_phrase_alone_names_its_class(cause: CauseClass, phrase: str) -> None:
    text = record_text(message=["Suspended for review."], notes=[f"Desk found: {phrase} and so on."])
    reading = PHRASE.read(parse_record(text, "PC-0001"))
    assert reading.cause is cause
    assert reading.quote == f"Desk found: {phrase} and so on."


def test_the_topmost_phrase_wins_so_the_printed_edit_beats_the_notes() -> None:
    text = record_text(message=["EDIT 18 - duplicate of a finished claim."], notes=["Really there is no auth."])
    reading = PHRASE.read(parse_record(text, "PC-0001"))
    assert (reading.cause, reading.quote) == (CauseClass.DUP_SUSPECT, "EDIT 18 - duplicate of a finished claim.")


def test_facts_and_register_are_never_read() -> None:
    text = record_text(message=["Held."], claim_id="no auth", register="a duplicate was found in history.")
    assert PHRASE.read(parse_record(text, "PC-0001")).cause is None


def test_a_phrase_over_a_line_break_is_met() -> None:
    text = record_text(message=["Held."], notes=["We still have no\nauth for this."])
    assert PHRASE.read(parse_record(text, "PC-0001")).cause is CauseClass.AUTH_MISSING


def test_a_phrase_inside_another_word_is_not_met() -> None:
    text = record_text(message=["Held."], notes=["Cardiac inpins were used."])
    assert PHRASE.read(parse_record(text, "PC-0001")).cause is None


@pytest.mark.parametrize("arm", OFFLINE_ARMS)
@given(note=st.text(max_size=200))
def test_any_note_gives_a_quote_that_is_a_slice_of_the_record_or_none(arm: str, note: str) -> None:
    text = record_text(message=["Held."], notes=[note])
    record = parse_record(text, "PC-0001")
    reading = offline_reader(arm).read(record)
    assert reading.arm == arm
    assert (reading.cause is None) == (reading.span is None)
    if reading.span is not None:
        assert text[slice(*reading.span)] == reading.quote
