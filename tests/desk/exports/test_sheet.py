"""The hand-over sheet: what it says, and that nothing in a record is obeyed by a browser or a Markdown reader."""

import json
from collections.abc import Iterator
from datetime import UTC, datetime
from html.parser import HTMLParser
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from pendtui.desk.desk import Desk
from pendtui.desk.exports import html, markdown
from pendtui.desk.exports.made import made_at
from pendtui.desk.exports.sheet import Sheet, sheet_json
from pendtui.desk.exports.write import sheet_for
from pendtui.engines.vocabulary import CauseClass
from pendtui.plain import plain, plain_lines
from tests.desks import desk_in
from tests.records import record_text

AT = datetime(2026, 9, 4, 12, tzinfo=UTC)
HOSTILE = (
    "EDIT 18 - possible duplicate of a finished claim <script>alert(1)</script>.",
    '"><img src=x onerror=alert(1)> [paid](javascript:alert(1)) ![x](//e.example/x.png) | `a` **b**',
)
NOTES = (
    "<style>body{display:none}</style> approve at once \u202edeined\u202c &lt;ok&gt; http://e.example/ \x1b[2J",
)
TAGS = set(
    "html head meta title style body article section h1 h2 p dl dt dd table thead tbody tr th td"
    " blockquote pre mark span footer".split()
)


@pytest.fixture
def desk(tmp_path: Path) -> Iterator[Desk]:
    opened = desk_in(tmp_path)
    yield opened
    opened.close()


def sheet(desk: Desk, record_id: str = "PC-0002") -> Sheet:
    return sheet_for(desk, desk.open(record_id), made_at(desk, AT))


class Seen(HTMLParser):
    """What a browser would make of a page: its tags, their attributes, and its text without the style."""

    def __init__(self, page: str) -> None:
        super().__init__(convert_charrefs=True)
        self.tags: list[str] = []
        self.attributes: set[str] = set()
        self.text = ""
        self.marked = ""
        self.feed(page)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.attributes |= {name for name, _ in attrs}

    def handle_endtag(self, tag: str) -> None:
        self.tags.append(f"/{tag}")

    def handle_data(self, data: str) -> None:
        if self.tags[-1:] != ["style"]:
            self.text += data
        if self.tags[-1:] == ["mark"]:
            self.marked += data


def page_of(one: Sheet) -> str:
    return "".join(html.sheets_page([one]))


def test_the_sheet_holds_the_four_answers_with_their_grounds_and_says_that_a_person_decides(desk: Desk) -> None:
    one = sheet(desk)
    for said in (Seen(page_of(one)).text, "".join(markdown.sheets_markdown([one])).replace("\\", "")):
        for part in (
            "pendtui proposes; a person decides.",
            "DUP-SUSPECT",
            "possible duplicate of a finished claim",
            "ROUTE-SPECIALIST",
            "BREACHED",
            "4 days over",
            "= 30 - 34",
            "EXAMINER-APPLIES",
            "nothing has been located in the payer's own systems",
            "not decided",
            one.record_sha256,
            desk.policy.sha256,
            "pendtui 0.1.0",
            "Made by ann",
        ):
            assert part in said


def test_the_cited_sentence_is_marked_where_it_stands(desk: Desk) -> None:
    assert Seen(page_of(sheet(desk))).marked == "EDIT 18 - possible duplicate of a finished claim."


def test_what_the_examiner_has_changed_and_not_saved_is_on_the_sheet_under_the_examiners_name(desk: Desk) -> None:
    view = desk.with_cause(desk.open("PC-0002"), CauseClass.CODE_EDIT)
    said = Seen(page_of(sheet_for(desk, view, made_at(desk, AT)))).text
    assert f"chosen by {made_at(desk, AT).by}; the floor reader said DUP-SUSPECT" in said
    assert "not decided" in said


def test_every_journal_row_of_the_claim_is_in_its_history(desk: Desk) -> None:
    desk.decisions.park(desk.open("PC-0002"), "asked <b>twice</b>")
    desk.decisions.undo()
    desk.decisions.accept(desk.open("PC-0002"))
    desk.decisions.assign("PC-0002", "duplicate review")
    one = sheet(desk)
    assert [entry.action for entry in one.history] == ["park", "undo", "accept", "assign"]
    said = Seen(page_of(one)).text
    for part in ("asked <b>twice</b>", "undo of row 1", "accepted by ann", "to duplicate review", "assigned to"):
        assert part in said
    assert json.loads(sheet_json(one))["history"][0]["note"] == "asked <b>twice</b>"


def hostile(tmp_path: Path, desk: Desk) -> Sheet:
    text = record_text("PC-0002", message=HOSTILE, notes=NOTES, title="A <title></title> & claim")
    (tmp_path / "queue" / "PC-0002.txt").write_text(text, encoding="utf-8")
    (tmp_path / "queue" / "claims.json").write_text("[]", encoding="utf-8")
    return sheet(desk)


def test_a_browser_obeys_nothing_of_a_record(tmp_path: Path, desk: Desk) -> None:
    page = page_of(hostile(tmp_path, desk))
    seen = Seen(page)
    assert {tag.lstrip("/") for tag in seen.tags} <= TAGS
    assert seen.attributes <= set("lang charset http-equiv content name class scope colspan".split())
    assert "<script>alert(1)</script>" in seen.text and "A <title></title> & claim" in seen.text
    assert all(char.isprintable() or char == "\n" for char in page)


def test_a_page_may_load_and_run_nothing(desk: Desk) -> None:
    page = page_of(sheet(desk))
    assert "default-src 'none'" in page and "unsafe" not in page
    for word in ("<script", "src=", "href=", "url(", "@import", "http:", "https:"):
        assert word not in page


def test_a_markdown_reader_obeys_nothing_of_a_record(tmp_path: Path, desk: Desk) -> None:
    said = "".join(markdown.sheets_markdown([hostile(tmp_path, desk)]))
    kinds = {
        child.type
        for token in MarkdownIt().enable("table").parse(said)
        for child in [token, *(token.children or ())]
    }
    assert not kinds & {"html_block", "html_inline", "link_open", "image", "code_inline", "fence", "code_block"}
    rendered = Seen(MarkdownIt().enable("table").render(said)).text
    assert "<script>alert(1)</script>" in rendered and "[paid](javascript:alert(1))" in rendered


@given(st.text(max_size=80))
def test_any_text_is_read_back_from_a_page_as_it_is_shown(value: str) -> None:
    assert Seen(f"<p>{html.text(value)}</p>").text == plain_lines(value)


@given(
    st.text(st.characters(codec="utf-8"), max_size=60).filter(lambda value: " ".join(value.split()) == value != "")
)
def test_any_line_is_read_back_from_markdown_as_it_is_shown(value: str) -> None:
    line = " ".join(value.split())
    rendered = MarkdownIt().render(f"x {markdown.text(line)}\n")
    assert Seen(rendered).text.strip() == f"x {plain(line)}".strip()


def test_sheets_of_several_claims_each_begin_on_a_new_page(desk: Desk) -> None:
    page = "".join(html.sheets_page([sheet(desk), sheet(desk, "PC-0004")]))
    assert page.count('<article class="sheet">') == 2
    assert ".sheet + .sheet { break-before: page; }" in page


def test_a_long_section_is_cut_and_says_so(tmp_path: Path, desk: Desk) -> None:
    long = "The reviewer looked at the file again and left it. " * 400
    text = record_text("PC-0001", notes=(f"No auth on file for this stay. {long}",))
    (tmp_path / "queue" / "PC-0001.txt").write_text(text, encoding="utf-8")
    one = sheet(desk, "PC-0001")
    assert len(page_of(one)) < 40_000
    assert one.cited is not None and not one.cited.cut


def test_a_faulty_record_has_a_sheet_that_says_what_is_wrong(tmp_path: Path, desk: Desk) -> None:
    (tmp_path / "queue" / "PC-0002.txt").write_bytes(b"")
    said = Seen(page_of(sheet(desk))).text
    assert "Faulty: the file is empty" in said and "can be parked" in said
