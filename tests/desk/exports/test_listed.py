"""The listed claims as a file: which, in what order, and with what in each cell."""

import csv
import io
import json
import threading
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest

from pendtui.arguments import LIST_FORMATS, SHEET_FORMATS, SORTS
from pendtui.desk import exports, listing
from pendtui.desk.desk import Desk
from pendtui.desk.exports.listed import CHUNK, COLUMNS, Wanted, choose, write_list
from pendtui.desk.exports.made import made_at
from pendtui.desk.exports.write import CancelledError, write_list_file
from pendtui.errors import QueueError
from tests.desks import desk_in

AT = datetime(2026, 9, 4, 12, tzinfo=UTC)
ALL = Wanted()
BY_CLOCK = ["PC-0002", "PC-0004", "PC-0003", "PC-0005", "PC-0001"]


@pytest.fixture
def desk(tmp_path: Path) -> Iterator[Desk]:
    opened = desk_in(tmp_path)
    opened.refresh()
    yield opened
    opened.close()


def written(desk: Desk, form: str, wanted: Wanted = ALL) -> str:
    out = io.StringIO()
    chosen = choose(desk.index.listing, wanted, desk.day, today=desk.today, me=desk.mine)
    write_list(chosen, form, out, policy=desk.policy, made=made_at(desk, AT))
    return out.getvalue()


def ids(desk: Desk, wanted: Wanted) -> list[str]:
    return [row["record_id"] for row in csv.DictReader(io.StringIO(written(desk, "csv", wanted)))]


def test_the_claims_come_as_the_queue_lists_them(desk: Desk) -> None:
    assert ids(desk, Wanted()) == BY_CLOCK
    assert ids(desk, Wanted(sort="record")) == sorted(BY_CLOCK)
    assert ids(desk, Wanted(search="escalate")) == ["PC-0003", "PC-0005"]


def test_chosen_records_come_in_the_order_of_the_list_whatever_the_filter(desk: Desk) -> None:
    assert ids(desk, Wanted(search="breached", ids=("PC-0001", "PC-0004", "PC-0001"))) == ["PC-0004", "PC-0001"]


def test_a_record_that_the_queue_does_not_hold_is_named(desk: Desk) -> None:
    with pytest.raises(QueueError, match="PC-9999: no such record"):
        ids(desk, Wanted(ids=("PC-9999",)))


def test_what_was_proposed_and_what_was_decided_stand_apart(desk: Desk) -> None:
    view = desk.open("PC-0002")
    desk.decisions.accept(desk.with_cause(view, view.answers.cause.AUTH_MISSING))  # type: ignore[union-attr]
    row = json.loads(written(desk, "jsonl").splitlines()[0])
    assert tuple(row) == COLUMNS
    assert (row["proposed_cause"], row["proposed_resolution"]) == ("DUP-SUSPECT", "ROUTE-SPECIALIST")
    assert (row["status"], row["decided_resolution"], row["decided_by"]) == ("changed", "PEND-EXTERNAL", "ann")
    assert (row["days_left"], row["clock"], row["release"], row["fault"]) == (
        -4,
        "BREACHED",
        "EXAMINER-APPLIES",
        None,
    )
    assert "changed PEND-EXTERNAL by ann" in written(desk, "html")


@pytest.mark.parametrize("form", ["md", "html"])
def test_a_printed_list_says_which_claims_when_by_whom_and_that_a_person_decides(desk: Desk, form: str) -> None:
    said = written(desk, form, Wanted(search="escalate")).replace("\\", "")
    for part in ("2 claims by clock that match “escalate”", "Made by ann", "pendtui 0.1.0", "a person decides"):
        assert part in said


def test_no_cell_is_a_formula(tmp_path: Path, desk: Desk) -> None:
    desk.decisions.assign("PC-0002", "=HYPERLINK(1)")
    first = next(csv.DictReader(io.StringIO(written(desk, "csv"))))
    assert first["assignee"] == "'=HYPERLINK(1)"


def test_a_list_longer_than_one_read_is_whole(tmp_path: Path) -> None:
    from tests.queues import days_left

    count = CHUNK + 3
    desk = desk_in(tmp_path, {f"PC-{n:04}": days_left(9) for n in range(1, count + 1)})
    desk.refresh()
    assert len(set(ids(desk, Wanted()))) == count
    desk.close()


def test_an_export_that_is_given_up_leaves_no_file(tmp_path: Path, desk: Desk) -> None:
    stop = threading.Event()
    stop.set()
    with pytest.raises(CancelledError, match="No file was written"):
        write_list_file(desk, ALL, tmp_path / "listed.csv", stop=stop, step=lambda seen, total: None)
    assert not list(tmp_path.glob("listed*"))


def test_a_file_is_written_from_another_thread_while_the_desk_is_in_use(tmp_path: Path, desk: Desk) -> None:
    counts: list[int] = []
    written = threading.Thread(
        target=lambda: counts.append(
            write_list_file(
                desk, ALL, tmp_path / "listed.jsonl", stop=threading.Event(), step=lambda seen, total: None
            )
        )
    )
    written.start()
    assert desk.open("PC-0002").id == "PC-0002"
    written.join()
    assert counts == [5]
    lines = (tmp_path / "listed.jsonl").read_text(encoding="utf-8").splitlines()
    assert [json.loads(line)["record_id"] for line in lines] == BY_CLOCK


def test_the_command_line_offers_what_there_is() -> None:
    assert (LIST_FORMATS, SHEET_FORMATS, SORTS) == (exports.LIST_FORMATS, exports.SHEET_FORMATS, listing.SORTS)
