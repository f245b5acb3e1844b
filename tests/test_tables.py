"""The four output formats: nothing lost, nothing obeyed by a terminal or a spreadsheet."""

import csv
import io
import json
from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pendtui.tables import print_rows

STRANGE = "a\x1b[2Jb\x9bc\u202ed\te"


def printed(form: str, *rows: tuple[object, ...], columns: tuple[str, ...] = ("name", "value")) -> str:
    out = io.StringIO()
    print_rows(columns, rows, form, out)
    return out.getvalue()


def test_a_table_is_aligned_and_numbers_stand_to_the_right() -> None:
    assert printed("table", ("a", 5), ("bcd", 120), ("e", None)).splitlines() == [
        "name  value",
        "----  -----",
        "a         5",
        "bcd     120",
        "e",
    ]


def test_nothing_is_an_empty_cell_in_a_table_and_null_in_json() -> None:
    assert printed("csv", ("a", None)).splitlines()[1] == "a,"
    assert json.loads(printed("json", ("a", None))) == [{"name": "a", "value": None}]
    assert json.loads(printed("json")) == []
    assert printed("jsonl") == ""


@pytest.mark.parametrize("form", ["table", "json", "jsonl", "csv"])
def test_no_control_sequence_reaches_a_terminal(form: str) -> None:
    out = printed(form, (STRANGE, [STRANGE]))
    assert not {"\x1b", "\x9b", "\u202e"} & set(out)


@pytest.mark.parametrize("text", ["=1+1", "+1", "-1", "@SUM(A1)", "\t=1", "\r=1"])
def test_no_text_is_a_formula_to_a_spreadsheet(text: str) -> None:
    _, row = csv.reader(io.StringIO(printed("csv", (text, -1))))
    assert row[0].startswith("'")
    assert row[1] == "-1", "a number is a number"


@pytest.mark.parametrize(
    ("value", "in_csv"), [(True, "true"), (2.5, "2.5"), (date(2026, 9, 1), "2026-09-01"), ([1, "a"], '[1, "a"]')]
)
def test_values_that_are_no_text_read_the_same_everywhere(value: object, in_csv: str) -> None:
    _, row = csv.reader(io.StringIO(printed("csv", ("a", value))))
    assert row[1] == in_csv
    assert printed("table", ("a", value)).splitlines()[2].split(maxsplit=1)[1] == in_csv


@given(st.lists(st.tuples(st.text(), st.none() | st.integers() | st.booleans() | st.text()), max_size=3))
def test_json_loses_nothing(rows: list[tuple[object, ...]]) -> None:
    expected = [{"name": name, "value": value} for name, value in rows]
    assert json.loads(printed("json", *rows)) == expected
    lines = printed("jsonl", *rows).split("\n")[:-1]
    assert [json.loads(line) for line in lines] == expected
    assert all(line.isprintable() for line in lines)


@pytest.mark.parametrize("encoding", ["ascii", "latin-1", "utf-8"])
@pytest.mark.parametrize("form", ["table", "json", "jsonl", "csv"])
def test_what_the_outputs_encoding_does_not_have_is_escaped(encoding: str, form: str) -> None:
    out = io.TextIOWrapper(io.BytesIO(), encoding=encoding, newline="\n")
    print_rows(("name",), [("\u201cé\u201d \udcff",)], form, out)
    out.seek(0)
    text = out.read()
    if form.startswith("json"):
        (row,) = json.loads(text) if form == "json" else [json.loads(text)]
        assert row["name"] == "\u201cé\u201d \udcff"
    else:
        assert "name" in text
