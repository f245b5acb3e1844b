"""How a record's text is taken apart."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pendtui.engines.record import MAX_CHARACTERS, parse_record
from pendtui.engines.vocabulary import READABLE_SECTIONS, SectionName
from tests.records import record_text


def units(text: str, name: SectionName) -> list[str]:
    return [unit.text for unit in parse_record(text, "PC-0001").units(name)]


def test_a_sound_record_has_five_sections_its_facts_and_no_fault() -> None:
    record = parse_record(record_text(), "PC-0001")
    assert record.faults == ()
    assert list(record.sections) == list(SectionName)
    assert record.title == "Outpatient claim"
    assert record.facts["received on"] == "2026-08-10"
    assert record.facts["queue"] == "general pend queue at a test plan"


@pytest.mark.parametrize(
    ("paragraph", "expected"),
    [
        ("One thing. Another thing.", ["One thing.", "Another thing."]),
        ("Is it on file? No. Asked again!", ["Is it on file?", "No.", "Asked again!"]),
        (
            "Checked auth. no. 12345 against the stay. Nothing.",
            ["Checked auth. no. 12345 against the stay.", "Nothing."],
        ),
        ("Rate is 1.5 times the base. Not loaded.", ["Rate is 1.5 times the base.", "Not loaded."]),
        (
            "A sentence that is\nwrapped over two lines. Next.",
            ["A sentence that is\nwrapped over two lines.", "Next."],
        ),
        ("- first finding\n- second finding", ["- first finding", "- second finding"]),
        ("08/14 called prov\n08/15 no answer", ["08/14 called prov", "08/15 no answer"]),
        (
            "the provider was asked for the operative report and the itemized bill on\n6/19, neither is here.",
            ["the provider was asked for the operative report and the itemized bill on\n6/19, neither is here."],
        ),
        ('He said "no auth." Then hung up.', ['He said "no auth."', "Then hung up."]),
        ("No auth. Called prov. They will fax it.", ["No auth.", "Called prov.", "They will fax it."]),
        ("Reviewed vs. claim on file; same modifier.", ["Reviewed vs. claim on file; same modifier."]),
    ],
)
def test_desk_notes_fall_into_sentences(paragraph: str, expected: list[str]) -> None:
    assert units(record_text(notes=[paragraph]), SectionName.NOTES) == expected


def test_a_trail_line_is_one_unit_with_its_date_and_its_continuation() -> None:
    text = record_text(
        trail=[
            ("2026-08-10", "claim received\n              by the clearing house"),
            ("2026-08-12", "pended. Again."),
        ]
    )
    found = list(parse_record(text, "PC-0001").units(SectionName.TRAIL))
    assert [unit.text.split()[0] for unit in found] == ["2026-08-10", "2026-08-12"]
    assert found[0].text.endswith("by the clearing house")
    assert found[1].day is not None and found[1].day.day == 12


def test_two_edits_printed_on_two_lines_are_two_units() -> None:
    text = record_text(message=["EDIT 100 - first edit, no stop", "EDIT 200 - second edit"])
    assert units(text, SectionName.MESSAGE) == ["EDIT 100 - first edit, no stop", "EDIT 200 - second edit"]


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("", "the file is empty"),
        (" \n\t\n", "the file is empty"),
        ("x" * (MAX_CHARACTERS + 1), "is not read"),
        (record_text("PC-0002"), "the title line names PC-0002, the file PC-0001"),
        (record_text().replace("PEND RECORD", "RECORD"), "the first line is not 'PEND RECORD"),
        (record_text().replace("DESK NOTES", "NOTES"), "section DESK NOTES is missing"),
        (record_text() + "\nDESK NOTES\n\nagain\n", "section DESK NOTES appears twice"),
        (record_text().replace("  Queue ", "  Claim id    CLM-9\n  Queue "), "gives 'Claim id' twice"),
    ],
)
def test_what_is_wrong_with_the_form_is_said(text: str, fault: str) -> None:
    assert any(fault in said for said in parse_record(text, "PC-0001").faults)


def test_line_ends_of_another_system_are_read_alike() -> None:
    unix = parse_record(record_text(), "PC-0001")
    dos = parse_record(record_text().replace("\n", "\r\n"), "PC-0001")
    assert dos.faults == ()
    assert dos.facts == unix.facts
    assert [u.text for u in dos.units(*SectionName)] == [
        u.text.replace("\n", "\r\n") for u in unix.units(*SectionName)
    ]


@given(st.text(max_size=400))
def test_any_text_can_be_parsed(text: str) -> None:
    parse_record(text, "PC-0001")


@given(st.lists(st.text(alphabet="ab .!?\n-\u2019\u00a0X1", max_size=60), max_size=4), st.integers(0, 400))
def test_every_unit_is_the_slice_its_span_names_and_units_do_not_overlap(notes: list[str], offset: int) -> None:
    text = record_text(notes=notes)
    record = parse_record(text, "PC-0001")
    end = 0
    for unit in record.units(*SectionName):
        assert text[slice(*unit.span)] == unit.text
        assert unit.text.strip() == unit.text != ""
        assert unit.span[0] >= end
        end = unit.span[1]
    found = record.unit_at(offset, *READABLE_SECTIONS)
    assert found is None or found.span[0] <= offset < found.span[1]


@given(st.text(alphabet="ab .!?\nX1", max_size=120))
def test_no_word_of_a_note_is_lost_between_units(note: str) -> None:
    text = record_text(notes=[note])
    record = parse_record(text, "PC-0001")
    body = record.body(SectionName.NOTES)
    assert "".join(body.split()) == "".join("".join(u.text.split()) for u in record.units(SectionName.NOTES))
