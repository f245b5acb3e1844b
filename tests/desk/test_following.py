"""The index follows the folder while the program runs: files that come, change and go, and the index itself."""

import json
import os
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from pendtui.desk.following import follow
from pendtui.desk.index import Changes, QueueIndex
from pendtui.desk.index_file import discard
from pendtui.desk.listing import QueueRow
from pendtui.engines.readers import Reading, offline_reader
from pendtui.engines.record import Record
from tests.policies import policy
from tests.queues import FIVE, days_left, write_queue
from tests.records import record_text

PR = policy()
Opening = Callable[[], QueueIndex]


@pytest.fixture
def queue(tmp_path: Path) -> Path:
    return write_queue(tmp_path / "queue", FIVE)


@pytest.fixture
def opening(tmp_path: Path, queue: Path) -> Opening:
    return lambda: QueueIndex.at(tmp_path / "index", queue, PR, offline_reader("floor"))


@pytest.fixture
def shown(opening: Opening) -> Iterator[QueueIndex]:
    """The connection that lists, as the screen has one."""
    index = opening()
    yield index
    index.close()


@pytest.fixture
def changes(opening: Opening) -> Iterator[Iterator[Changes]]:
    stop = threading.Event()
    following = follow(opening, stop, look_seconds=0.01)
    yield following
    stop.set()
    assert list(following) == []


def ids(index: QueueIndex) -> list[str]:
    index.reopened()
    return [row.id for row in index.listing.rows(index.listing.order("register"), "register")]


def up_to(changes: Iterator[Changes], wanted: Callable[[Changes], bool]) -> Changes:
    """The first changes that are wanted; others, such as a file read twice, are let pass."""
    return next(one for one in changes if wanted(one))


def test_the_first_changes_are_those_since_the_program_last_ran(
    changes: Iterator[Changes], shown: QueueIndex
) -> None:
    assert next(changes) == Changes(5, 0, 0, 5, 5)
    assert len(ids(shown)) == 5


def test_new_changed_and_removed_records_show_while_the_program_runs(
    changes: Iterator[Changes], shown: QueueIndex, queue: Path
) -> None:
    next(changes)
    (queue / "PC-0006.txt").write_text(record_text("PC-0006"))
    assert up_to(changes, lambda one: one.any) == Changes(1, 0, 0, 1, 1)
    assert "PC-0006" in ids(shown)

    text = (queue / "PC-0001.txt").read_text()
    (queue / "PC-0001.txt").write_text(text.replace("no precertification number", "duplicate of a claim"))
    assert up_to(changes, lambda one: one.any)[:3] == (0, 1, 0)
    row = shown.listing.row_of("PC-0001", "register")
    assert row is not None and row.cause == "DUP-SUSPECT"

    (queue / "PC-0002.txt").unlink()
    assert up_to(changes, lambda one: one.any)[:3] == (0, 0, 1)
    assert "PC-0002" not in ids(shown)

    rows = json.loads((queue / "claims.json").read_text())
    rows[0]["evidence"] = "clean"
    (queue / "claims.json").write_text(json.dumps(rows, indent=1))
    up_to(changes, lambda one: one.any)
    row = shown.listing.row_of("PC-0001", "register")
    assert row is not None and row.resolution == "RELEASE-AS-BILLED"


def test_a_file_put_in_the_place_of_another_shows(
    changes: Iterator[Changes], shown: QueueIndex, queue: Path
) -> None:
    next(changes)
    text = (queue / "PC-0003.txt").read_text()
    (queue / "next").write_text(text.replace("bundled into", "a possible duplicate of"))
    (queue / "next").rename(queue / "PC-0003.txt")
    assert up_to(changes, lambda one: one.any)[:3] == (0, 1, 0)


@pytest.mark.parametrize("broken", ["folder", "claims.json"])
def test_a_folder_that_cannot_be_read_is_said_once_and_followed_again_when_it_can(
    changes: Iterator[Changes], shown: QueueIndex, queue: Path, broken: str
) -> None:
    next(changes)
    rows = (queue / "claims.json").read_bytes()
    if broken == "folder":
        queue.rename(queue.with_name("away"))
    else:
        (queue / "claims.json").write_text("[{")
    assert broken.split(".", maxsplit=1)[0] in up_to(changes, lambda one: bool(one.fault)).fault.replace(
        "queue", "folder"
    )
    assert len(ids(shown)) == 5
    if broken == "folder":
        queue.with_name("away").rename(queue)
    else:
        (queue / "claims.json").write_bytes(rows)
    assert next(changes).fault == ""
    assert len(ids(shown)) == 5


@pytest.mark.parametrize("how", ["removed", "damaged"])
def test_an_index_that_is_lost_while_the_program_runs_is_built_again(
    changes: Iterator[Changes], shown: QueueIndex, how: str
) -> None:
    next(changes)
    discard(shown.path)
    if how == "damaged":
        shown.path.write_bytes(b"no database" * 1000)
    assert up_to(changes, lambda one: one.done == 5) == Changes(5, 0, 0, 5, 5)
    assert len(ids(shown)) == 5


def test_following_ends_when_told_even_in_the_middle_of_much_work(tmp_path: Path) -> None:
    queue = write_queue(tmp_path / "many", {f"PC-{n:04}": days_left(10) for n in range(1, 1300)})
    stop = threading.Event()
    following = follow(lambda: QueueIndex.at(tmp_path / "index", queue, PR, offline_reader("floor")), stop)
    assert next(following).done == 500
    stop.set()
    assert list(following) == []


def test_a_touched_file_with_the_same_bytes_is_not_read_as_a_change(opening: Opening, queue: Path) -> None:
    index = opening()
    list(index.refresh())
    for path in queue.iterdir():
        os.utime(path, ns=(10**18, 10**18))
    assert list(index.refresh()) == [Changes(0, 0, 0, 5, 5)]
    assert list(index.refresh()) == [Changes()]
    index.close()


def test_records_read_in_processes_of_their_own_and_in_two_goes_are_those_read_here(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    queue = write_queue(tmp_path / "many", {f"PC-{n:04}": days_left(n % 30 - 5) for n in range(1, 1102)})
    (queue / "PC-0500.txt").write_bytes(b"\xff\xfe")
    listed = []
    for many in (10_000, 1):
        monkeypatch.setattr("pendtui.desk.index.MANY", many)
        index = QueueIndex.at(tmp_path / f"index {many}", queue, PR, offline_reader("floor"))
        assert list(index.refresh())[-1] == Changes(1101, 0, 0, 1101, 1101)
        waiting = [row for row in rows_in(index) if not row.answered]
        assert len(waiting) == (1101 if many == 1 else 0)
        assert not any(row.cause for row in waiting)
        assert [changes.answered for changes in index.answer()][2:] == ([1101] if many == 1 else [])
        assert list(index.answer()) == []
        listed.append([row._replace(rid=0) for row in rows_in(index)])
        index.close()
    assert listed[0] == listed[1]
    assert [row.id for row in listed[0] if row.fault] == ["PC-0500"]


def rows_in(index: QueueIndex) -> list[QueueRow]:
    return index.listing.rows(index.listing.order("register"), "register")


def test_the_most_urgent_are_answered_first_and_a_stop_in_between_loses_nothing(
    tmp_path: Path, opening: Opening, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("pendtui.desk.index.MANY", 600)
    queue = write_queue(tmp_path / "many", {f"PC-{n:04}": days_left(n % 30 - 5) for n in range(1, 1102)})
    for start in (1, 2):
        index = QueueIndex.at(tmp_path / "index", queue, PR, offline_reader("floor"))
        list(index.refresh())
        answers = index.answer()
        assert next(answers).unanswered == (1101 if start == 1 else 601)
        del answers
        rows = rows_in(index)
        answered = [row.answered for row in rows]
        assert answered == sorted(answered, reverse=True) and sum(answered) == 500 * start
        index.close()


def test_following_answers_what_is_listed_and_takes_what_comes_meanwhile(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("pendtui.desk.index.MANY", 600)
    queue = write_queue(tmp_path / "many", {f"PC-{n:04}": days_left(n % 30 - 5) for n in range(1, 1102)})
    stop = threading.Event()
    index = QueueIndex.at(tmp_path / "index", queue, PR, offline_reader("floor"))
    following = follow(
        lambda: QueueIndex.at(tmp_path / "index", queue, PR, offline_reader("floor")), stop, look_seconds=0.01
    )
    up_to(following, lambda one: one.answered > 0)
    (queue / "PC-2000.txt").write_text(record_text("PC-2000"))
    row = None
    while row is None or not all(each.answered for each in rows_in(index)):
        next(following)
        row = index.listing.row_of("PC-2000", "register")
    assert row.cause
    stop.set()
    assert list(following) == []
    index.close()


UNDER_A_SCREEN = """
import io, sys
from pathlib import Path
from pendtui.desk import index
from pendtui.engines.readers import Reading, offline_reader
from pendtui.engines.record import Record
from tests.policies import policy

class Captured(io.StringIO):
    def fileno(self):
        return -1

if __name__ == "__main__":
    sys.stderr = Captured()
    index.MANY = 1
    queue = index.QueueIndex.at(Path(sys.argv[1]), Path(sys.argv[2]), policy(), offline_reader("floor"))
    print(list(queue.refresh())[-1].new, list(queue.answer())[-1].answered)
"""


def test_a_full_screen_program_whose_error_stream_has_no_number_reads_in_processes(tmp_path: Path) -> None:
    program = tmp_path / "program.py"
    program.write_text(UNDER_A_SCREEN)
    queue = write_queue(tmp_path / "queue", FIVE)
    done = subprocess.run(
        [sys.executable, program, tmp_path / "index", queue],
        capture_output=True,
        text=True,
        env={**os.environ, "PYTHONPATH": str(Path(__file__).parent.parent.parent)},
        check=False,
    )
    assert (done.stdout, done.returncode) == (f"{len(FIVE)} {len(FIVE)}\n", 0), done.stderr


class SlowReader:
    """The phrase reader, with a quarter of a second of work a record."""

    name = identity = "slow"

    def read(self, record: Record) -> Reading:
        until = time.thread_time() + 0.25
        while time.thread_time() < until:
            pass
        return offline_reader("phrase").read(record)


def test_reading_many_records_does_not_put_off_the_next_look_at_the_folder(tmp_path: Path, queue: Path) -> None:
    index = QueueIndex.at(tmp_path / "index", queue, PR, SlowReader())
    worked = time.thread_time()
    assert sum(1 for _ in index.refresh()) == 1
    assert time.thread_time() - worked > len(FIVE) * 0.25
    assert index.looking < 0.25
    index.close()
