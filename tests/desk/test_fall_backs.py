"""The index is a cache: without it, or with a broken one, the queue is the same."""

import os
import random
import shutil
import sqlite3
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from pendtui.desk.desk import Desk
from pendtui.desk.following import follow
from pendtui.desk.index import QueueIndex
from pendtui.desk.index_file import discard
from pendtui.desk.listing import QueueRow
from pendtui.engines.readers import offline_reader
from pendtui.errors import QueueError
from tests.desks import desk_in
from tests.policies import policy
from tests.queues import CAUSE_LINES, days_left, write_queue

CLAIMS = {
    f"PC-{n:04}": {
        **days_left(n % 40 - 6),
        "cause": list(CAUSE_LINES)[n % len(CAUSE_LINES)],
        "evidence": ("clean", "awaited", "none")[n % 3],
    }
    for n in range(1, 161)
}


def listed(desk: Desk) -> list[QueueRow]:
    """The queue as a screen lists it, taking the list anew while the index has to be mended."""
    for _ in range(3):
        rows = desk.rows(list(desk.order("clock", "")))
        if not desk.mend():
            return [row._replace(rid=0) for row in rows]
    raise AssertionError("the index could not be mended")


def whole_pages(path: Path) -> None:
    """Put everything that was written into the file itself."""
    with sqlite3.connect(path) as db:
        db.execute("PRAGMA wal_checkpoint (TRUNCATE)")
    db.close()


@pytest.fixture(scope="module")
def sound(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, list[QueueRow]]:
    """A desk's folder with its index, and the queue as it has to be listed."""
    folder = tmp_path_factory.mktemp("sound")
    write_queue(folder / "queue", CLAIMS)
    for path in (folder / "queue").iterdir():
        os.utime(path, ns=(10**18, 10**18))
    desk = desk_in(folder)
    desk.refresh()
    rows = listed(desk)
    path = desk.index.path
    desk.close()
    whole_pages(path)
    assert len(rows) == len(CLAIMS)
    return folder, rows


@pytest.fixture
def folder(sound: tuple[Path, list[QueueRow]], tmp_path: Path) -> Path:
    """A copy of it, at a path of its own, with an index that is up with the folder."""
    for part in ("queue", "journal.db"):
        source = sound[0] / part
        (shutil.copytree if source.is_dir() else shutil.copy2)(source, tmp_path / part)
    desk = desk_in(tmp_path)
    desk.refresh()
    path = desk.index.path
    desk.close()
    whole_pages(path)
    return tmp_path


def index_file(folder: Path) -> Path:
    (path,) = (folder / "index").glob("*.db")
    return path


def spoil(path: Path, how: str) -> None:
    size = path.stat().st_size
    if how == "missing":
        discard(path)
    elif how == "folder missing":
        shutil.rmtree(path.parent)
    elif how in {"older", "newer"}:
        with sqlite3.connect(path) as db:
            db.execute(f"PRAGMA user_version = {1 if how == 'older' else 999}")
            db.execute("ALTER TABLE record DROP COLUMN title")
        db.close()
    elif how == "no table":
        with sqlite3.connect(path) as db:
            db.execute("DROP TABLE tally")
        db.close()
    elif how == "text":
        path.write_text("not a database at all\n" * 100)
    elif how == "zeros":
        path.write_bytes(bytes(size))
    else:
        os.truncate(path, size * int(how.removesuffix("%")) // 100)


HOW = [
    *("missing", "folder missing", "older", "newer", "no table", "text", "zeros"),
    *("0%", "1%", "30%", "50%", "80%", "99%"),
]


@pytest.mark.parametrize("how", HOW)
def test_a_missing_older_or_damaged_index_is_made_anew(
    sound: tuple[Path, list[QueueRow]], folder: Path, how: str
) -> None:
    spoil(index_file(folder), how)
    desk = desk_in(folder)
    desk.refresh()
    assert listed(desk) == sound[1]
    assert desk.standings().counts.records == len(CLAIMS)
    desk.close()


@pytest.mark.parametrize("how", ["missing", "text", "zeros", "0%", "30%", "80%"])
def test_an_index_that_is_lost_or_spoilt_under_an_open_desk_is_made_anew(
    sound: tuple[Path, list[QueueRow]], folder: Path, how: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("pendtui.desk.index_file.LOCK_SECONDS", 0.5)
    desk = desk_in(folder)
    desk.refresh()
    spoil(index_file(folder), how)
    stop = threading.Event()
    following = follow(
        lambda: QueueIndex(desk.index.path, desk.folder, desk.policy, offline_reader("floor")), stop, 0.01
    )
    next(following)
    stop.set()
    assert list(following) == []
    assert listed(desk) == sound[1]
    assert desk.row_of("PC-0001") is not None and desk.open("PC-0001").claim.facts is not None
    desk.close()


@pytest.mark.parametrize("seed", range(24))
def test_flipped_bytes_are_found_by_the_check_and_the_queue_is_the_same(
    sound: tuple[Path, list[QueueRow]], folder: Path, seed: int
) -> None:
    chance = random.Random(seed)
    path = index_file(folder)
    data = bytearray(path.read_bytes())
    for _ in range(chance.choice([1, 1, 2, 10, 100])):
        data[chance.randrange(len(data))] ^= 1 << chance.randrange(8)
    path.write_bytes(data)
    desk = desk_in(folder)
    # As the examiner meets it before the check: what is listed is right, or the list is taken anew.
    truth = {row.id: row for row in sound[1]}
    assert all(row == truth[row.id] for row in listed(desk))
    desk.index.check()
    desk.refresh()
    assert listed(desk) == sound[1]
    for record_id in chance.sample(sorted(CLAIMS), 5):
        facts = desk.open(record_id).claim.facts
        assert facts is not None and facts.evidence == CLAIMS[record_id]["evidence"]
    desk.close()


def test_following_checks_the_file_once_a_day_and_reads_everything_again_where_it_is_damaged(
    sound: tuple[Path, list[QueueRow]], folder: Path
) -> None:
    desk = desk_in(folder)
    with sqlite3.connect(desk.index.path) as db:
        db.execute("UPDATE record SET title = 'another' WHERE id = 'PC-0007'")
        db.execute("UPDATE meta SET value = '0' WHERE key = 'checked'")
    db.close()
    stop = threading.Event()
    following = follow(
        lambda: QueueIndex(desk.index.path, desk.folder, desk.policy, offline_reader("floor")), stop, 0.01
    )
    assert next(changes for changes in following if changes.any).new == len(CLAIMS)
    stop.set()
    assert list(following) == []
    assert listed(desk) == sound[1]
    desk.close()


def test_a_sound_index_passes_its_check_and_is_kept(folder: Path) -> None:
    desk = desk_in(folder)
    before = desk.index.path.stat().st_ino
    assert desk.index.check()
    assert desk.index.path.stat().st_ino == before
    assert [changes.due for changes in desk.index.refresh()] == [0]
    desk.close()


@pytest.fixture
def as_nobody() -> Iterator[None]:
    """For file permissions this process is not the superuser."""
    own = os.geteuid()
    if own == 0:
        os.seteuid(65534)
    yield
    os.seteuid(own)


@pytest.mark.parametrize("where", ["read-only", "below a file", "holds a folder of that name"])
def test_where_no_index_can_be_kept_it_is_kept_in_a_temporary_folder_that_goes_with_the_program(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, as_nobody: None, where: str
) -> None:
    own = os.geteuid()
    os.seteuid(os.getuid())
    queue = write_queue(tmp_path / "queue", CLAIMS)
    cache, passing = tmp_path / "cache", tmp_path / "passing"
    passing.mkdir()
    passing.chmod(0o777)
    if os.getuid() == 0:
        for folder in (tmp_path, *tmp_path.parents):
            folder.chmod(folder.stat().st_mode | 0o055)
    if where == "below a file":
        cache.write_text("a file")
    else:
        cache.mkdir()
    if where == "holds a folder of that name":
        named = QueueIndex.at(cache, queue, policy(), offline_reader("floor"))
        named.close()
        discard(named.path)
        (named.path / "inside").mkdir(parents=True)
    monkeypatch.setattr("tempfile.tempdir", str(passing))
    cache.chmod(0o555)
    os.seteuid(own)
    index = QueueIndex.at(cache, queue, policy(), offline_reader("floor"))
    list(index.refresh())
    assert index.path.is_relative_to(passing)
    assert index.listing.counts("register").records == len(CLAIMS)
    index.close()
    assert list(passing.iterdir()) == []


def test_where_not_even_a_temporary_folder_can_be_written_it_is_said_in_one_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    queue = write_queue(tmp_path / "queue", {"PC-0001": {}})
    (tmp_path / "file").write_text("")
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path / "file"))
    with pytest.raises(QueueError, match="index"):
        QueueIndex.at(tmp_path / "file" / "cache", queue, policy(), offline_reader("floor"))
