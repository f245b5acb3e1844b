"""The filter line: every word by itself, and the laws by which words combine."""

from collections.abc import Iterator
from datetime import UTC, date, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pendtui.desk.index import QueueIndex
from pendtui.desk.journal.claims import ClaimState, Lease, Waiting
from pendtui.desk.query import WORDS, FilterError
from pendtui.engines.readers import offline_reader
from tests.policies import policy
from tests.queues import days_left, write_queue

PR = policy()
TODAY = date(2026, 9, 4)
NOW = datetime(2026, 9, 4, 12, tzinfo=UTC)
ALL = ["PC-0001", "PC-0002", "PC-0003", "PC-0004", "PC-0005", "PC-0006"]
CLAIMS = {
    "PC-0001": {**days_left(20), "cause": "AUTH-MISSING"},
    "PC-0002": {**days_left(-4), "cause": "DUP-SUSPECT", "evidence": "none"},
    "PC-0003": {**days_left(3), "cause": "CODE-EDIT", "evidence": "correction"},
    "PC-0004": {**days_left(-1), "cause": "ELIG-MISMATCH", "evidence": "awaited"},
    "PC-0005": {
        **days_left(5),
        "cause": "PRICE-UNAVAILABLE",
        "evidence": "clean",
        "title": "12:30 is in the title",
    },
    "PC-0006": {
        "line_of_business": "MA",
        "clean": False,
        "contracted": True,
        "received_on": "2026-07-13",
        "pended_on": "2026-07-14",
        "evidence": "contradicted",
    },
}
STATES = (
    ClaimState("PC-0001", 7, "parked", 7, "ann7", "Ann Oake", "2026-09-03T09:00:00Z", assignee="ben"),
    ClaimState(
        "PC-0002", 8, "accepted", 8, "ben", "Ben", "2026-09-03T09:00:00Z", "ROUTE-SPECIALIST", "other", "other"
    ),
    ClaimState("PC-0003", 9, "second look", 9, "ben", "Ben", "2026-09-03T10:00:00Z", assignee="pricing desk"),
    ClaimState("PC-0004", 10, waiting=Waiting.ASKED, asked="plan", due_on="2026-09-04"),
    ClaimState("PC-0005", 11, waiting=Waiting.ASKED, asked="provider", due_on="2026-09-05"),
    ClaimState("PC-0006", 12, waiting=Waiting.ANSWERED, asked="provider", due_on="2026-08-30"),
)
LEASES = (
    Lease("PC-0003", "other", "ben", "Ben", "host", NOW, NOW),
    Lease("PC-0006", "own", "ann7", "Ann Oake", "host", NOW, NOW),
)


@pytest.fixture(scope="module")
def index(tmp_path_factory: pytest.TempPathFactory) -> Iterator[QueueIndex]:
    folder = tmp_path_factory.mktemp("filter")
    opened = QueueIndex.at(folder / "index", write_queue(folder / "queue", CLAIMS), PR, offline_reader("floor"))
    list(opened.refresh())
    opened.listing.set_claims(STATES)
    opened.listing.set_leases(LEASES, "own")
    yield opened
    opened.close()


def found(index: QueueIndex, line: str, as_of: str | date = "register") -> list[str]:
    rids = index.listing.order(as_of, "record", line, today=TODAY, me=("ben",))
    return [row.id for row in index.listing.rows(rids, as_of)]


@pytest.mark.parametrize(
    ("line", "numbers"),
    [
        ("breached", "24"),
        ("escalate", "35"),
        ("ESCALATE-NOW", "35"),
        ("within", "16"),
        ("open", "456"),
        ("accepted", "2"),
        ("changed", ""),
        ("parked", "1"),
        ("second", "3"),
        ("faulty", ""),
        ("stale", "123"),
        ("mine", "1"),
        ("unassigned", "2456"),
        ("waiting", "45"),
        ("due", "4"),
        ("answer", "6"),
        ("inuse", "3"),
        ("by:ben", "23"),
        ("by:ann7", "1"),
        ('by:"ann oake"', "1"),
        ("for:BEN", "1"),
        ("for:pricing", "3"),
        ("lob:ma", "6"),
        ("lob:medicaid", "12345"),
        ("cause:dup", "2"),
        ("resolution:adjust", "3"),
        ("evidence:awaited", "4"),
        ("type:not", "6"),
        ("rule:pr-4", "3"),
        ("rule:cl-3", "12345"),
        ("age:>30", "246"),
        ("age:<=27", "135"),
        ("age:31-34", "24"),
        ("age:50", "6"),
        ("left:<=5", "2345"),
        ("left:-4", "2"),
        ("left:-4--1", "24"),
        ("left:=20", "1"),
        ("received:2026-07", "26"),
        ("received:2026-08", "1345"),
        ("received:2026-07-13", "6"),
        ("-open", "123"),
        ("-left:>5 -waiting", "23"),
        ("ben", "123"),
        ("-ben", "456"),
        ("waiting -due", "5"),
        ('"open"', ""),
        ('"12:30"', "5"),
        ("cause:code second", "3"),
        ("", "123456"),
        ("  ", "123456"),
    ],
)
def test_a_word_lets_through_the_claims_it_means(index: QueueIndex, line: str, numbers: str) -> None:
    assert found(index, line) == [f"PC-000{n}" for n in numbers]


def test_the_queue_that_the_record_names_is_a_word_of_its_own(index: QueueIndex) -> None:
    row = index.listing.row_of("PC-0001", "register")
    assert row is not None and row.queue_name and row.claim_type == "clean claim"
    assert found(index, f'queue:"{row.queue_name.upper()}"') == ALL


def test_days_are_counted_to_the_as_of_day(index: QueueIndex) -> None:
    assert found(index, "age:50") == ["PC-0006"]
    assert found(index, "age:60", date(2026, 9, 11)) == ["PC-0006"]
    assert found(index, "left:10", date(2026, 9, 11)) == ["PC-0001"]


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("colour:red", "'colour:' is no filter word"),
        ("open:yes", "'open:' is no filter word"),
        ("12:30", "'12:' is no filter word"),
        ("age:old", "age: 'old' is no number of days"),
        ("age:>", "age: '>' is no number of days"),
        ("left:1-2-3", "left: '1-2-3' is no number of days"),
        ("left:99999999999999999999", "is no number of days"),
        ("received:August", "received: 'August' is no date"),
        ("received:2026-8x", "is no date"),
        ("by:", "by: needs a value"),
        ('lob:""', "lob: needs a value"),
    ],
)
def test_a_word_that_is_not_understood_is_said_in_one_line(index: QueueIndex, line: str, said: str) -> None:
    with pytest.raises(FilterError, match=said) as fault:
        found(index, line)
    assert "\n" not in str(fault.value)


LINES = st.lists(
    st.one_of(
        st.sampled_from([word.name for word in WORDS if not word.takes]),
        st.sampled_from(["left:<=5", "age:>30", "by:ben", "cause:e", "ben", "PC-0003", "received:2026-08", "zzz"]),
    ),
    max_size=3,
).map(" ".join)


@given(first=LINES, second=LINES)
def test_two_filters_together_let_through_what_both_do(index: QueueIndex, first: str, second: str) -> None:
    both = found(index, f"{first} {second}")
    assert both == [one for one in found(index, first) if one in found(index, second)]


@given(line=LINES.filter(lambda line: line and " " not in line))
def test_a_word_and_its_negation_part_the_queue(index: QueueIndex, line: str) -> None:
    assert sorted(found(index, line) + found(index, f"-{line}")) == ALL


@given(line=st.text(max_size=30))
def test_no_line_whatever_ends_in_anything_but_a_list_or_one_clear_line(index: QueueIndex, line: str) -> None:
    try:
        listed = found(index, line)
    except FilterError:
        listed = []
    assert set(listed) <= set(ALL)


@pytest.mark.parametrize(
    "line", ["o'brien", "by:o'brien", "lob:'--", "-'", 'cause:"\' OR 1=1"', "{days}", "cause:{age}"]
)
def test_no_value_becomes_part_of_the_question_to_the_database(index: QueueIndex, line: str) -> None:
    assert found(index, line) == (ALL if line.startswith("-") else [])


def test_every_word_says_in_the_help_what_it_means() -> None:
    assert all(word.help and word.help[0].islower() for word in WORDS)
    assert len({word.name for word in WORDS}) == len(WORDS)
