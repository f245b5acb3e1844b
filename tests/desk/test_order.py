"""The order by the clock: the same as sorting every record, without holding any but a block of them."""

import random
import sqlite3
from collections.abc import Iterator
from datetime import UTC, date, datetime
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pendtui.desk.index import QueueIndex
from pendtui.desk.index_file import RECORD_COLUMNS
from pendtui.desk.journal.claims import ClaimState, Lease, Waiting
from pendtui.desk.listing import Mark
from pendtui.engines.readers import offline_reader
from tests.policies import policy

PR = policy()
RECORDS = 700
REGISTER_DAY = date(2026, 9, 1).toordinal()
TODAY = date(2026, 9, 4)
NOW = datetime(2026, 9, 4, 12, tzinfo=UTC)


def put(index: QueueIndex, records: dict[str, int | None], **changes: object) -> None:
    """Write rows into the index as its own writer does, each with so many days left."""
    rows = []
    for record_id, left in records.items():
        row: dict[str, object] = dict.fromkeys(RECORD_COLUMNS, "")
        row |= {"id": record_id, "size": 1, "mtime_ns": 1, "register_day": REGISTER_DAY, "received_day": 1}
        row |= {"register_left": left, "deadline_day": None if left is None else REGISTER_DAY + left}
        rows.append(tuple((row | {"search": record_id.lower()} | changes).values()))
    index.write_rows(rows)


@pytest.fixture(scope="module")
def queue() -> dict[str, int | None]:
    chance = random.Random(4)
    # Few days, so that groups are longer than the blocks they are read in.
    return {f"PC-{n:04}": chance.choice([-3, -1, 0, 2, 5, 6, 6, 6, 6, 6, 9, None]) for n in range(1, RECORDS + 1)}


@pytest.fixture(scope="module")
def index(tmp_path_factory: pytest.TempPathFactory, queue: dict[str, int | None]) -> Iterator[QueueIndex]:
    folder = tmp_path_factory.mktemp("order")
    (folder / "queue").mkdir()
    opened = QueueIndex.at(folder / "index", folder / "queue", PR, offline_reader("floor"))
    put(opened, queue)
    yield opened
    opened.close()


def sorted_ids(queue: dict[str, int | None]) -> list[str]:
    return sorted(queue, key=lambda one: (5.5 if queue[one] is None else queue[one], one))


def ids(index: QueueIndex, as_of: str | date = "register", today: date = TODAY) -> list[str]:
    return [row.id for row in index.listing.rows(index.listing.order(as_of, today=today), as_of)]


@pytest.mark.parametrize("as_of", ["register", date(2026, 9, 1)], ids=["register", "day"])
def test_positions_slices_and_row_numbers_are_those_of_the_sorted_queue(
    index: QueueIndex, queue: dict[str, int | None], as_of: str | date
) -> None:
    order = index.listing.order(as_of)
    rids = list(order)
    assert [row.id for row in index.listing.rows(rids, as_of)] == sorted_ids(queue)
    assert len(order) == RECORDS and order[-1] == rids[-1]
    for at in (0, 1, 63, 64, 65, 127, 128, 350, RECORDS - 1, 5, 400):
        fresh = index.listing.order(as_of)
        assert fresh[at] == rids[at]
        assert fresh[at : at + 24] == rids[at : at + 24]
        assert index.listing.order(as_of).index(rids[at]) == at
    assert rids[7] in order and -5 not in order
    assert order[10:4] == [] and order[::100] == rids[::100]
    with pytest.raises(IndexError):
        order[RECORDS]
    with pytest.raises(ValueError, match="99999"):
        order.index(99999)


@given(data=st.data())
def test_claims_with_an_answer_or_a_due_request_come_first_and_the_rest_stays_in_order(
    index: QueueIndex, queue: dict[str, int | None], data: st.DataObject
) -> None:
    chosen = data.draw(st.lists(st.sampled_from(sorted(queue)), max_size=12, unique=True))
    answered = data.draw(st.lists(st.booleans(), min_size=len(chosen), max_size=len(chosen)))
    index.listing.set_claims(
        ClaimState(one, 1, waiting=Waiting.ANSWERED if yes else Waiting.ASKED, due_on="2026-09-04")
        for one, yes in zip(chosen, answered, strict=True)
    )
    rest = [one for one in sorted_ids(queue) if one not in chosen]
    assert ids(index) == [one for one in sorted_ids(queue) if one in chosen] + rest
    order = index.listing.order("register", today=TODAY)
    at = data.draw(st.integers(0, RECORDS - 1))
    assert index.listing.order("register", today=TODAY).index(order[at]) == at
    late = [one for one, yes in zip(chosen, answered, strict=True) if yes]
    assert ids(index, today=date(2026, 9, 3))[: len(late)] == [one for one in sorted_ids(queue) if one in late]
    filtered = index.listing.order("register", "clock", "PC", today=TODAY)
    assert list(filtered) == list(order)
    index.listing.set_claims([])


def test_a_decided_claim_stays_where_the_clock_puts_it(index: QueueIndex, queue: dict[str, int | None]) -> None:
    index.listing.set_claims([ClaimState("PC-0009", 3, "accepted", 3, "ann", "Ann", "2026-09-04T08:00:00Z")])
    assert ids(index) == sorted_ids(queue)
    index.listing.set_claims([])


def test_records_that_come_and_go_are_counted(tmp_path: Path) -> None:
    (tmp_path / "queue").mkdir()
    index = QueueIndex.at(tmp_path / "index", tmp_path / "queue", PR, offline_reader("floor"))
    put(index, {"A": -1, "B": 3, "C": None, "D": 40})
    before = index.listing.order("register")
    put(index, {"B": -9, "E": 0})
    put(index, {"D": 40}, fault="broken")
    counts = index.listing.counts("register")
    assert counts[:6] == (5, 2, 1, 1, 1, 1)
    assert counts.oldest_register == counts.newest_register == date(2026, 9, 1)
    assert ids(index) == ["B", "A", "E", "C", "D"]
    # An order taken earlier has a position too many or too few, and never a wrong answer or an error.
    assert len(before) == 4 and len(before[0:4]) == 4
    list(index.refresh())
    assert index.listing.counts("register").records == 0 and list(index.listing.order("register")) == []
    index.close()


# The next claim to work


def state(record_id: str, status: str = "", **other: str) -> ClaimState:
    decided = ClaimState(record_id, 2, status, 2, "ben", "Ben", "2026-09-04T08:00:00Z")
    return decided._replace(**other)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("claims", "skip", "expected"),
    [
        ([], [], "A"),
        ([], ["A", "B"], "C"),
        ([state("A", "accepted", policy_sha256=PR.sha256)], [], "B"),
        ([state("A", "accepted", policy_sha256="another")], [], "A"),
        ([state("A", assignee="ben")], [], "B"),
        ([state("A", assignee="ann")], [], "A"),
        ([state("A", assignee="pricing desk")], [], "B"),
        ([state("A", assignee="audit desk")], [], "A"),
        ([state("A", "second look", policy_sha256=PR.sha256)], [], "A"),
        ([state("A", "second look", policy_sha256=PR.sha256, who="ann")], [], "B"),
        ([state("A", waiting=Waiting.ASKED)], [], "B"),
        ([state("A", waiting=Waiting.ANSWERED)], [], "A"),
        ([], ["A", "B", "C", "D"], ""),
    ],
)
def test_the_next_claim_to_work_is_open_free_and_mine_or_nobodys(
    tmp_path: Path, claims: list[ClaimState], skip: list[str], expected: str
) -> None:
    (tmp_path / "queue").mkdir()
    index = QueueIndex.at(tmp_path / "index", tmp_path / "queue", PR, offline_reader("floor"))
    put(index, {"D": 40, "C": None, "B": 3, "A": -1, "Z": -2})
    put(index, {"Y": -7}, fault="broken")
    index.listing.set_claims(claims)
    index.listing.set_leases([Lease("Z", "theirs", "ben", "", "host", NOW, NOW)], "mine")
    for as_of in ("register", date(2026, 9, 1)):
        row = index.listing.next_to_work("ann", ["ann", "audit desk"], as_of, skip)
        assert (row.id if row else "") == expected
    lent = index.listing.row_of("Z", "register")
    assert lent is not None and lent.in_use_by == "ben"
    index.close()


# What the journal says


def test_claims_are_still_known_after_a_start_up_to_the_row_that_was_told(tmp_path: Path) -> None:
    (tmp_path / "queue").mkdir()
    opened = [QueueIndex.at(tmp_path / "index", tmp_path / "queue", PR, offline_reader("floor"), "j") for _ in "12"]
    put(opened[0], {"A": 1, "B": 2})
    assert opened[0].listing.mark() is None
    opened[0].listing.set_claims([state("A", "accepted")], Mark(2, "hash of 2"))
    opened[0].listing.add_claims([state("B", "parked")._replace(last_seq=5)], Mark(5, "hash of 5"))
    opened[1].listing.add_claims([state("B", "changed")._replace(last_seq=4)])
    for index in opened:
        assert index.listing.mark() == (5, "hash of 5")
        assert [row.status for row in index.listing.rows(index.listing.order("register"), "register")] == [
            "accepted",
            "parked",
        ]
        index.close()
    other = QueueIndex.at(tmp_path / "index", tmp_path / "queue", PR, offline_reader("floor"), "another journal")
    assert other.listing.mark() is None
    other.close()


def test_a_decision_is_shown_even_where_the_index_cannot_be_written(tmp_path: Path) -> None:
    (tmp_path / "queue").mkdir()
    index = QueueIndex.at(tmp_path / "index", tmp_path / "queue", PR, offline_reader("floor"))
    put(index, {"A": 1, "B": 2})
    index.listing.set_claims([state("A", "accepted")], Mark(2, "x"))
    with sqlite3.connect(index.path) as other:
        # The table is as good as read-only: every write to it fails.
        for what in ("INSERT", "UPDATE", "DELETE"):
            other.execute(f"CREATE TRIGGER no_{what} BEFORE {what} ON claim BEGIN SELECT * FROM missing; END")
    other.close()
    index.listing.add_claims([state("B", "parked")], Mark(3, "y"))
    index.listing.add_claims([state("A", "changed")], Mark(4, "z"))
    assert [row.status for row in index.listing.rows(index.listing.order("register"), "register")] == [
        "changed",
        "parked",
    ]
    assert index.listing.mark() is None
    index.close()


def test_claims_decided_within_a_day_are_counted(index: QueueIndex) -> None:
    times = ("2026-09-03T23:59:59Z", "2026-09-04T00:00:00Z", "2026-09-04T11:00:00Z", "2026-09-05T00:00:00Z")
    index.listing.set_claims(
        ClaimState(f"PC-000{n}", n, status, n, "ann", "Ann", at)
        for n, (at, status) in enumerate(zip(times, ("accepted", "accepted", "parked", "changed"), strict=True), 1)
    )
    start, end = datetime(2026, 9, 4, tzinfo=UTC), datetime(2026, 9, 5, tzinfo=UTC)
    assert index.listing.decided_between(start, end) == 1
    index.listing.set_claims([])
