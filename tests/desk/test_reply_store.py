"""Replies already bought, and the day's budget, in a file that several programs share."""

import json
import os
import sqlite3
import stat
import subprocess
import sys
import threading
from datetime import UTC, datetime
from pathlib import Path

import pytest

import pendtui
from pendtui.desk.reply_store import FILE_NAME, VERSION, Question, ReplyStore
from pendtui.errors import RunError

ROOT = Path(pendtui.__file__).parent.parent
QUESTION = Question("1" * 64, "2" * 64, "small-1", "http://127.0.0.1:1/v1")
CALL: dict[str, object] = {"text": '{"why": "half \ud83d"}', "usage": None, "cost_usd": 0.002}


def test_a_reply_held_is_given_for_the_same_question_only(tmp_path: Path) -> None:
    store = ReplyStore.open(tmp_path)
    assert store.held(QUESTION) is None
    store.hold(QUESTION, CALL)
    assert store.held(QUESTION) == CALL
    for field in Question._fields:
        assert store.held(QUESTION._replace(**{field: "another"})) is None, field
    store.close()
    again = ReplyStore.open(tmp_path)
    assert again.held(QUESTION) == CALL
    again.close()


def test_the_newest_of_two_replies_is_given_and_the_older_one_kept(tmp_path: Path) -> None:
    store = ReplyStore.open(tmp_path)
    store.hold(QUESTION, {"text": "first"})
    store.hold(QUESTION, {"text": "second"})
    assert store.held(QUESTION) == {"text": "second"}
    store.close()
    with sqlite3.connect(tmp_path / FILE_NAME) as db:
        assert [json.loads(row[0])["text"] for row in db.execute("SELECT call FROM reply")] == ["first", "second"]
    db.close()


def test_replies_that_come_in_together_are_all_kept_each_once(tmp_path: Path) -> None:
    store = ReplyStore.open(tmp_path)
    faults: list[BaseException] = []

    def keep(worker: int) -> None:
        for n in range(10):
            question = QUESTION._replace(record_sha256=f"{worker} {n}")
            store.hold(question, {"text": f"{worker} {n}"})
            if store.held(question) != {"text": f"{worker} {n}"}:
                faults.append(AssertionError(f"{worker} {n} was not there when hold returned"))

    threads = [threading.Thread(target=keep, args=(worker,)) for worker in range(12)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    store.close()
    assert not faults
    with sqlite3.connect(tmp_path / FILE_NAME) as db:
        kept = [row[0] for row in db.execute("SELECT record_sha256 FROM reply")]
    db.close()
    assert sorted(kept) == sorted(f"{worker} {n}" for worker in range(12) for n in range(10))


def test_a_reply_that_cannot_be_written_is_told_to_whoever_brought_it(tmp_path: Path) -> None:
    store = ReplyStore.open(tmp_path)
    store.hold(QUESTION, CALL)
    with sqlite3.connect(store.path) as db:
        db.execute("CREATE TRIGGER full BEFORE INSERT ON reply BEGIN SELECT RAISE(ABORT, 'disk is full'); END")
    told: list[str] = []

    def keep(worker: int) -> None:
        try:
            store.hold(QUESTION._replace(model=str(worker)), CALL)
        except RunError as fault:
            told.append(str(fault))

    threads = [threading.Thread(target=keep, args=(worker,)) for worker in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(told) == 6 and all("disk is full" in text for text in told)
    db.execute("DROP TRIGGER full")
    db.close()
    store.hold(QUESTION._replace(model="after"), CALL)
    assert store.held(QUESTION._replace(model="after")) == store.held(QUESTION) == CALL
    assert store.held(QUESTION._replace(model="3")) is None, "what was told as not kept is not kept later"
    store.close()


def test_the_file_is_for_its_owner_alone(tmp_path: Path) -> None:
    ReplyStore.open(tmp_path / "runs").close()
    assert stat.S_IMODE((tmp_path / "runs").stat().st_mode) == 0o700
    assert stat.S_IMODE((tmp_path / "runs" / FILE_NAME).stat().st_mode) == 0o600


def test_a_days_budget_is_given_out_once_however_many_ask(tmp_path: Path) -> None:
    store = ReplyStore.open(tmp_path)
    granted: list[bool] = []

    def ask() -> None:
        granted.extend([store.begin_call(12) for _ in range(5)])

    threads = [threading.Thread(target=ask) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sum(granted) == 12 == store.calls_today()
    assert not store.begin_call(12) and not store.begin_call(0)
    assert store.begin_call(13) and store.begin_call(None)
    store.close()


ASK = """
import sys
from pathlib import Path
from pendtui.desk.reply_store import ReplyStore
store = ReplyStore.open(Path(sys.argv[1]))
print(sum(store.begin_call(30) for _ in range(20)))
"""


def test_a_days_budget_is_shared_between_programs_that_start_together(tmp_path: Path) -> None:
    asking = [
        subprocess.Popen([sys.executable, "-c", ASK, str(tmp_path)], stdout=subprocess.PIPE, text=True, cwd=ROOT)
        for _ in range(4)
    ]
    granted = [int(program.communicate()[0]) for program in asking]
    assert [program.returncode for program in asking] == [0] * 4
    assert sum(granted) == 30


def test_the_budget_is_a_new_one_each_day(tmp_path: Path) -> None:
    store = ReplyStore.open(tmp_path)
    assert store.begin_call(1)
    with sqlite3.connect(store.path) as db:
        db.execute("UPDATE call_begun SET day = '2026-01-01'")
    db.close()
    assert store.calls_today() == 0
    assert store.begin_call(1) and not store.begin_call(1)
    with sqlite3.connect(store.path) as db:
        days = [row[0] for row in db.execute("SELECT day FROM call_begun ORDER BY seq")]
    db.close()
    assert days[0] == "2026-01-01" and days[1] == datetime.now(UTC).date().isoformat()
    store.close()


def test_what_is_no_such_file_is_refused_in_words(tmp_path: Path) -> None:
    (tmp_path / FILE_NAME).write_bytes(b"not a database, but long enough to be looked at" * 20)
    with pytest.raises(RunError, match="the replies already bought cannot be used"):
        ReplyStore.open(tmp_path)
    with pytest.raises(RunError, match="cannot be used"):
        ReplyStore.open(tmp_path / FILE_NAME)
    other = tmp_path / "other"
    ReplyStore.open(other).close()
    with sqlite3.connect(other / FILE_NAME) as db:
        db.execute(f"PRAGMA user_version = {VERSION + 1}")
    db.close()
    with pytest.raises(RunError, match=f"this program knows {VERSION}"):
        ReplyStore.open(other)


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")
def test_a_folder_that_may_not_be_written_is_refused_in_words(tmp_path: Path) -> None:
    tmp_path.chmod(0o500)
    with pytest.raises(RunError, match="Permission denied"):
        ReplyStore.open(tmp_path)
