"""The queue index: a cache that follows the folder and gives rows in order."""

import json
import os
import time
from collections.abc import Iterator
from datetime import date
from pathlib import Path

import pytest

from pendtui.desk.index import Changes, QueueIndex
from pendtui.desk.journal.claims import ClaimState
from pendtui.desk.listing import SORTS
from pendtui.engines.readers import offline_reader
from pendtui.engines.vocabulary import ClockState
from pendtui.errors import QueueError
from tests.policies import policy
from tests.queues import FIVE, days_left, write_queue
from tests.records import record_text

PR = policy()
HOUR_AGO = time.time_ns() - 3600 * 10**9


@pytest.fixture
def queue(tmp_path: Path) -> Path:
    folder = write_queue(tmp_path / "queue", FIVE)
    for path in folder.iterdir():
        # A file that changed only just now is read once more.
        os.utime(path, ns=(HOUR_AGO, HOUR_AGO))
    return folder


@pytest.fixture
def index(queue: Path, tmp_path: Path) -> Iterator[QueueIndex]:
    opened = QueueIndex.at(tmp_path / "index", queue, PR, offline_reader("floor"))
    list(opened.refresh())
    yield opened
    opened.close()


def ids(index: QueueIndex, as_of: str | date = "register", sort: str = "clock", search: str = "") -> list[str]:
    return [row.id for row in index.listing.rows(index.listing.order(as_of, sort, search), as_of)]


def refreshed(index: QueueIndex) -> list[tuple[int, int]]:
    return [(changes.done, changes.due) for changes in index.refresh()]


def decided(record_id: str, status: str, record_sha256: str = "", policy_sha256: str = "") -> ClaimState:
    """A claim that ann decided with her first row."""
    return ClaimState(
        record_id, 1, status, 1, "ann7", "ann", "2026-09-01T09:00:00Z", "", record_sha256, policy_sha256
    )


def touch(path: Path, text: str) -> None:
    stamp = path.stat().st_mtime_ns if path.exists() else 0
    path.write_text(text, encoding="utf-8")
    os.utime(path, ns=(stamp + 10**9, stamp + 10**9))


def test_the_most_overdue_claim_stands_on_top(index: QueueIndex) -> None:
    assert ids(index) == ["PC-0002", "PC-0004", "PC-0003", "PC-0005", "PC-0001"]
    rows = index.listing.rows(index.listing.order("register"), "register")
    assert [row.days_left for row in rows] == [-4, -1, 3, 5, 20]
    assert [row.state for row in rows] == [
        ClockState.BREACHED,
        ClockState.BREACHED,
        ClockState.ESCALATE_NOW,
        ClockState.ESCALATE_NOW,
        ClockState.WITHIN_CLOCK,
    ]


def test_a_row_carries_what_the_list_shows(index: QueueIndex) -> None:
    row = index.listing.row_of("PC-0003", "register")
    assert row is not None
    assert (row.cause, row.resolution, row.rule) == ("CODE-EDIT", "ADJUST-AND-RELEASE", "PR-4")
    assert (row.evidence, row.line_of_business, row.status, row.fault) == ("correction", "MEDICAID", "open", "")


def test_another_as_of_day_counts_every_clock_anew(index: QueueIndex) -> None:
    row = index.listing.row_of("PC-0001", date(2026, 9, 22))
    assert row is not None and row.days_left == -1
    assert index.listing.counts(date(2026, 9, 22)).breached == 5
    counts = index.listing.counts("register")
    assert (counts.records, counts.breached, counts.escalate, counts.within) == (5, 2, 2, 1)


def test_what_has_not_changed_is_not_read_again(index: QueueIndex) -> None:
    assert refreshed(index) == [(0, 0)]


def test_a_changed_a_new_and_a_removed_file_are_followed(index: QueueIndex, queue: Path) -> None:
    text = (queue / "PC-0001.txt").read_text(encoding="utf-8")
    touch(queue / "PC-0001.txt", text.replace("no precertification number", "duplicate of a claim"))
    touch(queue / "PC-0006.txt", record_text("PC-0006"))
    (queue / "PC-0002.txt").unlink()
    refreshed(index)
    assert "PC-0002" not in ids(index)
    new, changed = index.listing.row_of("PC-0006", "register"), index.listing.row_of("PC-0001", "register")
    assert new is not None and (new.evidence, new.resolution) == ("", "")
    assert changed is not None and changed.cause == "DUP-SUSPECT"


def test_a_changed_row_of_claims_json_is_followed_and_the_others_are_left_alone(
    index: QueueIndex, queue: Path
) -> None:
    rows = json.loads((queue / "claims.json").read_text())
    rows[0]["evidence"] = "clean"
    touch(queue / "claims.json", json.dumps(rows))
    assert refreshed(index) == [(1, 1)]
    row = index.listing.row_of("PC-0001", "register")
    assert row is not None and row.resolution == "RELEASE-AS-BILLED"


def test_a_damaged_index_is_built_anew(index: QueueIndex, queue: Path, tmp_path: Path) -> None:
    index.close()
    index.path.write_bytes(b"this is no database" * 100)
    again = QueueIndex.at(tmp_path / "index", queue, PR, offline_reader("floor"))
    list(again.refresh())
    assert len(ids(again)) == 5
    again.close()


def test_another_policy_has_an_index_of_its_own(index: QueueIndex, queue: Path, tmp_path: Path) -> None:
    other = QueueIndex.at(tmp_path / "index", queue, policy("rg-2026"), offline_reader("floor"))
    assert other.path != index.path
    other.close()


@pytest.mark.parametrize(
    ("search", "expected"),
    [
        ("breached", ["PC-0002", "PC-0004"]),
        ("escalate", ["PC-0003", "PC-0005"]),
        ("within", ["PC-0001"]),
        ("medicaid awaited", ["PC-0004"]),
        ("dup", ["PC-0002"]),
        ("400003", ["PC-0003"]),
        ("parked", ["PC-0001"]),
        ("ann", ["PC-0001"]),
        ("open", ["PC-0002", "PC-0004", "PC-0003", "PC-0005"]),
        ("100%", []),
        ("_", []),
        ("medicare advantage", []),
    ],
)
def test_filter_words_all_have_to_match(index: QueueIndex, search: str, expected: list[str]) -> None:
    index.listing.set_claims([decided("PC-0001", "parked")])
    assert ids(index, search=search) == expected


@pytest.mark.parametrize("sort", SORTS)
def test_every_order_lists_every_record_once(index: QueueIndex, sort: str) -> None:
    index.listing.set_claims([decided("PC-0003", "accepted")])
    for as_of in ("register", date(2026, 10, 1)):
        assert sorted(ids(index, as_of, sort)) == sorted(FIVE)


def test_a_decision_on_other_bytes_or_another_policy_is_stale(index: QueueIndex) -> None:
    row = index.listing.row_of("PC-0001", "register")
    assert row is not None
    for record_hash, policy_hash, stale in (
        (row.sha256, PR.sha256, False),
        ("x", PR.sha256, True),
        (row.sha256, "x", True),
    ):
        index.listing.set_claims([decided("PC-0001", "accepted", record_hash, policy_hash)])
        found = index.listing.row_of("PC-0001", "register")
        assert found is not None and (found.status, found.by, found.stale) == ("accepted", "ann", stale)
        assert (ids(index, search="stale") == ["PC-0001"]) is stale


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"", "the file is empty"),
        (b"\xff\xfe\x00", "not UTF-8: byte 0xff at offset 0"),
        (b"x" * 300_000, "is not read"),
        (b"PEND RECORD PC-0009 -- cut\n\nCLAIM FACTS\n", "is missing"),
        (record_text("PC-0008").encode(), "the title line names PC-0008"),
    ],
    ids=["empty", "not UTF-8", "enormous", "cut off", "another id"],
)
def test_a_bad_record_is_listed_as_faulty_and_hides_no_other(
    index: QueueIndex, queue: Path, content: bytes, said: str
) -> None:
    (queue / "PC-0009.txt").write_bytes(content)
    refreshed(index)
    row = index.listing.row_of("PC-0009", "register")
    assert row is not None and row.status == "faulty" and said in row.fault
    assert len(ids(index)) == 6
    assert ids(index, search="faulty") == ["PC-0009"]


def test_an_unknown_clock_is_listed_right_after_the_urgent_ones(index: QueueIndex, queue: Path) -> None:
    (queue / "PC-0009.txt").write_bytes(b"")
    refreshed(index)
    assert ids(index) == ["PC-0002", "PC-0004", "PC-0003", "PC-0005", "PC-0009", "PC-0001"]
    assert index.listing.counts("register").no_clock == 1


def test_a_row_that_disagrees_shows_the_more_urgent_clock(tmp_path: Path) -> None:
    queue = write_queue(tmp_path / "q", {"PC-0001": days_left(20)})
    rows = json.loads((queue / "claims.json").read_text())
    rows[0]["received_on"] = "2026-07-01"
    (queue / "claims.json").write_text(json.dumps(rows))
    index = QueueIndex.at(tmp_path / "index", queue, PR, offline_reader("floor"))
    list(index.refresh())
    row = index.listing.row_of("PC-0001", "register")
    assert row is not None and row.status == "faulty" and row.days_left == 30 - 62
    index.close()


@pytest.mark.parametrize("content", ["{", "{}", "[1, 2"])
def test_a_claims_json_that_is_no_list_is_refused_in_one_line(tmp_path: Path, content: str) -> None:
    queue = write_queue(tmp_path / "q", FIVE)
    (queue / "claims.json").write_text(content)
    index = QueueIndex.at(tmp_path / "index", queue, PR, offline_reader("floor"))
    with pytest.raises(QueueError, match=r"claims\.json"):
        list(index.refresh())
    index.close()


def test_a_row_that_cannot_be_read_is_a_fault_of_its_record_only(tmp_path: Path) -> None:
    queue = write_queue(tmp_path / "q", FIVE)
    rows = json.loads((queue / "claims.json").read_text())
    rows[0]["evidence"] = "lost"
    rows.append(rows[1])
    (queue / "claims.json").write_text(json.dumps(rows))
    index = QueueIndex.at(tmp_path / "index", queue, PR, offline_reader("floor"))
    list(index.refresh())
    assert sorted(ids(index, search="faulty")) == ["PC-0001", "PC-0002"]
    index.close()


def test_records_are_there_to_list_after_each_batch(tmp_path: Path) -> None:
    many = {f"PC-{n:04}": days_left(10) for n in range(1, 1202)}
    index = QueueIndex.at(tmp_path / "index", write_queue(tmp_path / "q", many), PR, offline_reader("floor"))
    work = index.refresh()
    assert next(work) == Changes(500, 0, 0, 500, 1201)
    assert index.listing.counts("register").records == 500
    assert [(changes.done, changes.due) for changes in work] == [(1000, 1201), (1201, 1201)]
    assert index.listing.counts("register").records == 1201
    index.close()


def test_a_long_list_is_read_from_its_most_urgent_end(tmp_path: Path) -> None:
    many = {f"PC-{n:04}": days_left(n % 30) for n in range(1, 901)}
    queue = write_queue(tmp_path / "q", many)
    rows = json.loads((queue / "claims.json").read_text())
    (queue / "claims.json").write_text(json.dumps(rows[:-1]))
    index = QueueIndex.at(tmp_path / "index", queue, PR, offline_reader("floor"))
    work = index.refresh()
    next(work)
    read = index.listing.rows(index.listing.order("register"), "register")
    assert len(read) == 500
    assert read[-1].days_left is not None and read[-1].days_left <= 17
    assert [row.id for row in read if row.id == "PC-0900"] == ["PC-0900"]
    assert list(work)[-1].done == 900
    index.close()
