"""Batches against a real server in a process of its own, which counts what it is asked."""

import asyncio
import os
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

import pendtui
from pendtui.desk.batch import CANCELLED, Batch, BatchProgress, Limits
from pendtui.desk.reply_store import Question, ReplyStore
from pendtui.desk.run_file import read_run
from pendtui.desk.runs import queue_state
from pendtui.engines.prompt import build_prompt
from pendtui.engines.readers import Reading
from pendtui.engines.record import Record
from pendtui.engines.vocabulary import CauseClass
from pendtui.errors import RunError
from tests.desk.batches import MODEL, PRICE, Bench, calls_of, sixty
from tests.desk.chat_server import ChatServer, running
from tests.policies import policy
from tests.queues import CAUSE_LINES, days_left, write_queue
from tests.records import record_text

ROOT = Path(pendtui.__file__).parent.parent
SSN = "536-22-1847"


@pytest.fixture
def server() -> Iterator[ChatServer]:
    with running(0.02) as started:
        yield started


@pytest.fixture
def bench(tmp_path: Path, server: ChatServer) -> Bench:
    return Bench(sixty(tmp_path / "queue", 12), tmp_path / "runs", server.base_url)


async def test_every_record_is_asked_about_once_and_rechecked(bench: Bench, server: ChatServer) -> None:
    progress, run = await bench.read()
    assert sorted(server.asked()) == [record.id for record in sorted(run.records)]
    assert (progress.total, progress.done, progress.left, progress.failed) == (12, 12, 0, 0)
    assert run.finished_at is not None and run.header.prompt_sha256 == build_prompt(policy(), "").sha256
    for record in run.records:
        assert (record.arm, record.cause_class, record.citation) == (
            "model",
            "AUTH-MISSING",
            CAUSE_LINES["AUTH-MISSING"],
        )
        assert record.span is not None and record.error is None
        assert (record.resolution, record.release) == ("PEND-EXTERNAL", "EXAMINER-APPLIES")
        assert record.raw is not None and record.raw["why"] == "The message says so; PR-9."
    for answer in bench.answers:
        noted = answer.record.call
        assert noted is not None and answer.reply_sha256 is not None
        assert noted["usage"] is not None and noted["departures"] == [] and noted["held"] is False
        assert noted["record_sha256"] == answer.sha256


async def test_several_are_asked_about_at_once_and_no_more_than_there_are_workers(
    bench: Bench, server: ChatServer
) -> None:
    await bench.read(workers=4)
    assert server.at_once() == 4
    assert max(progress.reading for progress in bench.seen) == 4


async def test_the_wire_is_kept_busy(tmp_path: Path) -> None:
    with running(0.2) as server:
        bench = Bench(sixty(tmp_path / "queue"), tmp_path / "runs", server.base_url)
        progress, run = await bench.read(workers=5)
        assert (len(run.records), server.answered(), server.at_once()) == (60, 60, 5)
    # the pace itself is measured by bench/batch.py; here only that the calls are not made one after another
    assert progress.seconds < 60 * 0.2


async def test_progress_counts_up_to_the_end_and_estimates_the_rest(bench: Bench) -> None:
    progress, _ = await bench.read(workers=3)
    done = [each.done for each in bench.seen]
    assert done == sorted(done) and done[0] == 0 and done[-1] == 12
    assert all(each.left + each.reading + each.done == 12 for each in bench.seen)
    half = next(each for each in bench.seen if each.done == 6)
    assert half.spent is not None and half.estimate == pytest.approx(6 * PRICE)
    assert half.seconds_left is not None and half.seconds_left > 0
    assert progress.spent == pytest.approx(12 * PRICE) and progress.estimate == 0
    assert (progress.calls, progress.unpriced) == (12, 0)


async def test_a_cost_that_is_not_known_is_blank_and_never_0(bench: Bench) -> None:
    progress, _ = await bench.read(price=None)
    assert (progress.spent, progress.estimate, progress.unpriced) == (None, None, 12)


async def test_a_second_batch_buys_nothing(bench: Bench, server: ChatServer) -> None:
    _, first = await bench.read()
    progress, second = await bench.read()
    assert len(server.asked()) == 12
    assert (progress.held, progress.calls, progress.spent) == (12, 0, None)
    for name in ("cause_class", "citation", "resolution", "raw"):
        assert {r.id: getattr(r, name) for r in first.records} == {r.id: getattr(r, name) for r in second.records}
    assert all(call["held"] is True and call["usage"] is not None for call in calls_of(second).values())


async def test_replies_are_bought_again_when_asked_for_afresh(bench: Bench, server: ChatServer) -> None:
    await bench.read()
    progress, _ = await bench.read(fresh=True)
    assert (progress.held, progress.calls, len(server.asked())) == (0, 12, 24)


async def test_a_record_whose_bytes_changed_is_asked_about_again(bench: Bench, server: ChatServer) -> None:
    await bench.read()
    path = bench.queue / "PC-0003.txt"
    path.write_bytes(path.read_bytes() + b"\n")
    progress, _ = await bench.read()
    assert (progress.held, progress.calls) == (11, 1)
    assert server.asked()[12:] == ["PC-0003"]


async def test_a_cancelled_batch_is_taken_up_under_its_name_and_buys_nothing_twice(
    bench: Bench, server: ChatServer
) -> None:
    def cancel(batch: Batch, progress: BatchProgress) -> None:
        if progress.done >= 5:
            batch.cancel()

    progress, run = await bench.read(workers=2, run_id="monday", on_progress=cancel)
    assert progress.stopped == CANCELLED and run.finished_at is None
    assert 5 <= len(run.records) < 12
    bought = {record.id for record in run.records}
    progress, run = await bench.read(run_id="monday")
    assert (progress.done, progress.stopped) == (12, "") and run.finished_at is not None
    assert progress.held >= len(bought)
    asked = Counter(server.asked())
    assert all(asked[record_id] == 1 for record_id in bought)


async def test_a_batch_whose_task_is_cancelled_leaves_its_run_to_be_taken_up(
    bench: Bench, server: ChatServer
) -> None:
    reading = asyncio.create_task(bench.read(workers=2, run_id="monday"))
    while len(bench.answers) < 4:
        await asyncio.sleep(0.01)
    reading.cancel()
    with pytest.raises(asyncio.CancelledError):
        await reading
    run = read_run(bench.runs / "monday.jsonl")
    assert run.finished_at is None and len(run.records) >= 4
    progress, run = await bench.read(run_id="monday")
    assert progress.done == 12 and run.finished_at is not None
    asked = Counter(server.asked())
    assert sum(asked.values()) <= 12 + 2 and max(asked.values()) <= 2


READ = """
import asyncio, sys
from pathlib import Path
from tests.desk.batches import Bench
bench = Bench(Path(sys.argv[1]), Path(sys.argv[2]), sys.argv[3])
def told(batch, progress):
    print(progress.done, flush=True)
asyncio.run(bench.read(workers=5, run_id="monday", on_progress=told))
"""


def held_ids(bench: Bench) -> set[str]:
    store = ReplyStore.open(bench.runs)
    prompt = build_prompt(policy(), "").sha256
    hashes = queue_state(bench.queue).hashes
    held = {
        record_id
        for record_id, sha256 in hashes.items()
        if store.held(Question(sha256, prompt, MODEL, bench.base_url)) is not None
    }
    store.close()
    return held


async def test_what_was_bought_before_a_kill_is_not_bought_again(tmp_path: Path) -> None:
    with running(0.1) as server:
        bench = Bench(sixty(tmp_path / "queue", 40), tmp_path / "runs", server.base_url)
        command = [sys.executable, "-c", READ, str(bench.queue), str(bench.runs), server.base_url]
        with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True) as reading:
            assert reading.stdout is not None
            for line in reading.stdout:
                if int(line) >= 17:
                    break
            os.kill(reading.pid, signal.SIGKILL)
        run = read_run(bench.runs / "monday.jsonl")
        assert run.finished_at is None and len(run.records) >= 17
        before = Counter(server.asked())
        held = held_ids(bench)
        assert {record.id for record in run.records} <= held and len(held) < 40
        progress, run = await bench.read(run_id="monday")
        asked = Counter(server.asked())
        assert (progress.done, progress.held) == (40, len(held))
        assert run.finished_at is not None and len(run.records) == 40
        assert all(asked[record_id] == 1 for record_id in held), "what was held was not bought again"
        assert sum(asked.values()) == sum(before.values()) + 40 - len(held), "and the rest was bought once"


async def test_the_days_budget_stops_before_the_call_that_would_pass_it(bench: Bench, server: ChatServer) -> None:
    progress, run = await bench.read(workers=5, limits=Limits(calls_a_day=7), run_id="monday")
    assert len(server.asked()) == 7 == progress.done == len(run.records)
    assert "the day's budget of 7 calls is used up" in progress.stopped
    assert run.finished_at is None
    progress, _ = await bench.read(workers=5, limits=Limits(calls_a_day=7), run_id="monday")
    assert (len(server.asked()), progress.held, progress.done) == (7, 7, 7)
    progress, run = await bench.read(workers=5, limits=Limits(calls_a_day=12), run_id="monday")
    assert (len(server.asked()), progress.done) == (12, 12) and run.finished_at is not None


@pytest.mark.parametrize(
    ("limit", "ceiling", "calls"),
    [(0.055, PRICE, 5), (0.05, PRICE, 5), (0.055, 0.03, 3), (0.009, PRICE, 0), (0.0, PRICE, 0), (9.0, PRICE, 12)],
)
async def test_a_spending_limit_is_never_passed_by_any_number_of_workers(
    bench: Bench, server: ChatServer, limit: float, ceiling: float, calls: int
) -> None:
    progress, run = await bench.read(workers=12, limits=Limits(spending=limit), ceiling=ceiling)
    assert len(server.asked()) == calls == progress.calls == progress.done
    assert (progress.spent or 0) <= limit + 1e-9
    assert bool(progress.stopped) == (calls < 12) == (run.finished_at is None)
    if calls < 12:
        assert "the next call could cost" in progress.stopped


async def test_a_call_of_unknown_cost_counts_as_the_most_it_can_have_cost(bench: Bench, server: ChatServer) -> None:
    progress, _ = await bench.read(limits=Limits(spending=0.1), ceiling=0.02, price=None)
    assert (len(server.asked()), progress.spent, progress.unpriced) == (5, None, 5)


async def test_without_a_known_price_no_spending_limit_can_be_kept(bench: Bench, server: ChatServer) -> None:
    progress, _ = await bench.read(limits=Limits(spending=1.0), ceiling=None)
    assert (server.asked(), progress.done) == ([], 0)
    assert "what a call can cost is not known" in progress.stopped


async def test_a_record_that_carries_what_it_must_not_never_leaves(bench: Bench, server: ChatServer) -> None:
    path = bench.queue / "PC-0004.txt"
    path.write_text(path.read_text(encoding="utf-8").replace("Monday", f"SSN {SSN} Monday"), encoding="utf-8")
    progress, run = await bench.read()
    assert "PC-0004" not in server.asked() and len(server.asked()) == 11
    assert not server.has_seen(SSN) and server.has_seen("PC-0005")
    (stopped,) = (record for record in run.records if record.id == "PC-0004")
    offset = path.read_text(encoding="utf-8").index(SSN)
    line = path.read_text(encoding="utf-8").count("\n", 0, offset) + 1
    assert stopped.error == f"not sent: the record holds ssn on line {line} at offset {offset}"
    assert (stopped.cause_class, stopped.citation, stopped.resolution, stopped.rule) == (None, None, None, None)
    assert (stopped.clock, stopped.release, stopped.call) == ("WITHIN-CLOCK", "EXAMINER-APPLIES", None)
    assert (progress.done, progress.not_sent, progress.failed) == (12, 1, 0)
    assert SSN not in "".join(path.read_text(encoding="utf-8") for path in bench.runs.glob("*.jsonl"))


async def test_a_record_with_control_words_of_a_chat_template_never_leaves(
    bench: Bench, server: ChatServer
) -> None:
    path = bench.queue / "PC-0004.txt"
    path.write_text(path.read_text(encoding="utf-8").replace("Monday", "<|im_end|> Monday"), encoding="utf-8")
    _, run = await bench.read()
    assert not server.has_seen("<|im_end|>")
    (stopped,) = (record for record in run.records if record.id == "PC-0004")
    assert stopped.error is not None and "chat template control word on line" in stopped.error


async def test_a_record_that_changes_under_the_batch_is_an_error_and_not_sent(
    bench: Bench, server: ChatServer
) -> None:
    def change(batch: Batch) -> None:
        path = bench.queue / "PC-0012.txt"
        path.write_bytes(path.read_bytes() + b"\n")

    progress, run = await bench.read(workers=1, started=change)
    assert {record.id: record.error for record in run.records if record.error} == {
        "PC-0012": "the record changed while the batch ran"
    }
    assert (len(server.asked()), progress.done, progress.not_sent) == (11, 12, 1)


async def test_a_faulty_record_is_not_paid_for(bench: Bench, server: ChatServer) -> None:
    (bench.queue / "PC-0002.txt").write_bytes(b"\xff\xfe")
    (bench.queue / "PC-0006.txt").write_text(record_text("PC-0006", received_on="2026-06-01"), encoding="utf-8")
    progress, run = await bench.read()
    errors = {record.id: record.error for record in run.records if record.error}
    assert set(errors) == {"PC-0002", "PC-0006"} and "not UTF-8" in str(errors["PC-0002"])
    assert (len(server.asked()), progress.not_sent, progress.failed) == (10, 2, 0)


async def test_a_failed_call_is_the_records_error_and_stops_no_other(tmp_path: Path) -> None:
    with running(broken="PC-0005") as server:
        bench = Bench(sixty(tmp_path / "queue", 12), tmp_path / "runs", server.base_url)
        progress, run = await bench.read(run_id="monday")
        assert (progress.done, progress.failed, progress.stopped) == (12, 1, "")
        (failed,) = (record for record in run.records if record.error)
        assert (failed.id, failed.error) == ("PC-0005", "the server answered 500")
        assert (failed.cause_class, failed.resolution, failed.raw) == (None, None, None)
        assert (failed.clock, failed.release) == ("WITHIN-CLOCK", "EXAMINER-APPLIES")
        assert failed.call is not None and failed.call["failure"] == "server"
        progress, _ = await bench.read()
        assert (progress.held, progress.failed) == (11, 1), "a call that failed is tried again"
        assert Counter(server.asked()) == Counter({**{f"PC-{n:04d}": 1 for n in range(1, 13)}, "PC-0005": 2})


async def test_a_server_that_refuses_everybody_is_not_asked_on(tmp_path: Path) -> None:
    with running(broken="PC-0003", status=401) as server:
        bench = Bench(sixty(tmp_path / "queue", 12), tmp_path / "runs", server.base_url)
        progress, run = await bench.read(workers=1, limits=Limits(spending=9.0))
        assert server.asked() == ["PC-0001", "PC-0002", "PC-0003"]
        assert (progress.done, progress.failed, progress.left) == (3, 1, 9)
        assert progress.stopped == "the server answered 401"
        assert (progress.calls, progress.unpriced) == (3, 0), "a refused key costs nothing"
        assert run.finished_at is None


async def test_a_refusal_of_the_very_last_record_ends_a_batch_that_was_complete(tmp_path: Path) -> None:
    with running(broken="PC-0003", status=401) as server:
        bench = Bench(sixty(tmp_path / "queue", 3), tmp_path / "runs", server.base_url)
        progress, run = await bench.read(workers=1)
        assert (progress.done, progress.failed, progress.stopped) == (3, 1, "")
        assert run.finished_at is not None


async def test_a_server_that_fails_time_after_time_is_not_asked_on(tmp_path: Path) -> None:
    with running(broken="*") as server:
        bench = Bench(sixty(tmp_path / "queue", 12), tmp_path / "runs", server.base_url)
        progress, run = await bench.read(workers=1)
        assert (len(server.asked()), progress.failed, progress.left) == (5, 5, 7)
        assert progress.stopped == "5 calls in a row failed, the last one because the server answered 500"
        assert run.finished_at is None


async def test_a_call_that_broke_off_counts_against_the_limit_as_the_most_it_can_have_cost(tmp_path: Path) -> None:
    with running(broken="PC-0001") as server:
        bench = Bench(sixty(tmp_path / "queue", 12), tmp_path / "runs", server.base_url)
        progress, _ = await bench.read(workers=1, limits=Limits(spending=0.035))
        assert (len(server.asked()), progress.unpriced) == (3, 1)
        assert progress.spent == pytest.approx(0.02)


async def test_a_reply_without_an_answer_is_kept_and_not_bought_again(tmp_path: Path) -> None:
    with running(cause='"') as server:
        bench = Bench(sixty(tmp_path / "queue", 1), tmp_path / "runs", server.base_url)
        _, run = await bench.read()
        assert run.records[0].error is None and run.records[0].cause_class is None
        store = ReplyStore.open(bench.runs)
        state = queue_state(bench.queue)
        question = Question(state.hashes["PC-0001"], build_prompt(policy(), "").sha256, MODEL, server.base_url)
        store.hold(question, {"text": "I would rather not."})
        store.close()
        progress, run = await bench.read()
        assert (progress.failed, len(server.asked())) == (1, 1)
        error = run.records[0].error
        assert error is not None and error.startswith("the reply holds no JSON object; a reply is held")
        progress, run = await bench.read(fresh=True)
        assert (progress.failed, len(server.asked()), run.records[0].error) == (0, 2, None)


async def test_a_paused_batch_begins_no_call_until_it_goes_on(bench: Bench, server: ChatServer) -> None:
    paused: list[Batch] = []

    def pause(batch: Batch, progress: BatchProgress) -> None:
        if progress.done == 3 and not paused:
            paused.append(batch)
            batch.pause()

    begun = time.monotonic()
    reading = asyncio.create_task(bench.read(workers=2, on_progress=pause))
    while not paused or paused[0].progress.reading:
        await asyncio.sleep(0.01)
    await asyncio.sleep(0.1)
    asked, done = len(server.asked()), paused[0].progress.done
    await asyncio.sleep(0.2)
    assert (len(server.asked()), paused[0].progress.done) == (asked, done) and asked < 12
    assert paused[0].progress.paused
    at_pause = paused[0].progress.seconds
    assert paused[0].progress.seconds == at_pause, "a pause is not counted as time"
    paused[0].go_on()
    progress, run = await reading
    assert (progress.done, progress.paused) == (12, False) and run.finished_at is not None
    assert progress.seconds < time.monotonic() - begun - 0.25


async def test_a_batch_paused_before_its_first_call_makes_none(bench: Bench, server: ChatServer) -> None:
    def pause(batch: Batch, progress: BatchProgress) -> None:
        if progress.done == 0 and not progress.reading and not progress.paused:
            batch.pause()
            asyncio.get_running_loop().call_later(0.3, batch.cancel)

    progress, _ = await bench.read(workers=5, on_progress=pause)
    assert (server.asked(), progress.done, progress.stopped) == ([], 0, CANCELLED)


async def test_a_paused_batch_can_be_cancelled(bench: Bench) -> None:
    def pause(batch: Batch, progress: BatchProgress) -> None:
        if progress.done == 2:
            batch.pause()
            asyncio.get_running_loop().call_later(0.1, batch.cancel)

    progress, run = await bench.read(workers=2, on_progress=pause)
    assert progress.stopped == CANCELLED and not progress.paused
    assert run.finished_at is None


class SureOfEven:
    """Reads as sure where the record's number is even."""

    name = "floor"

    def read(self, record: Record) -> Reading:
        unsure = "" if int(record.id[-1]) % 2 == 0 else "two classes are close"
        return Reading("floor", CauseClass.CODE_EDIT, unsure=unsure)


async def test_only_what_the_first_reader_is_unsure_of_is_asked_about(bench: Bench, server: ChatServer) -> None:
    progress, run = await bench.read(first=SureOfEven())
    assert sorted(server.asked()) == [f"PC-{n:04d}" for n in range(1, 13) if n % 2]
    assert (progress.by_first, progress.calls, progress.done) == (6, 6, 12)
    arms = {record.id: (record.arm, record.cause_class) for record in run.records}
    assert arms["PC-0002"] == ("floor", "CODE-EDIT") and arms["PC-0003"] == ("model", "AUTH-MISSING")
    assert set(calls_of(run)) == set(server.asked())


async def test_a_run_that_cannot_be_written_ends_the_batch_with_its_reason(bench: Bench) -> None:
    def break_it(batch: Batch) -> None:
        # the disk behind the writer is full from now on
        full = os.open("/dev/full", os.O_WRONLY)
        os.dup2(full, batch._writer._file.fileno())
        os.close(full)

    with pytest.raises(RunError, match="could not be written"):
        await bench.read(started=break_it)


async def test_a_queue_of_one_is_a_batch_of_one(tmp_path: Path, server: ChatServer) -> None:
    queue = write_queue(tmp_path / "queue", {"PC-0001": days_left(-2)})
    bench = Bench(queue, tmp_path / "runs", server.base_url)
    started = time.monotonic()
    progress, run = await bench.read(workers=50)
    assert (progress.done, len(run.records), run.records[0].clock) == (1, 1, "BREACHED")
    assert progress.seconds <= time.monotonic() - started
