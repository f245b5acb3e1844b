"""Plain mode: the triage in lines and prompts, by pipe and by pty."""

import json
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from pendtui.desk.journal import Entry, Journal
from pendtui.linear.session import COMMANDS, STAY_SECONDS, find_command
from tests.journals import answers, decision
from tests.linear.plain_program import PATIENCE, Talk, environ, piped
from tests.queues import FIVE, days_left, write_queue
from tests.test_layers import loaded_by


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    write_queue(tmp_path / "queue", {**FIVE, "PC-0006": {**days_left(9), "evidence": "contradicted"}})
    return tmp_path


@pytest.fixture
def talk(folder: Path) -> Iterator[Talk]:
    opened = Talk(folder)
    yield opened
    if opened.program.poll() is None:
        opened.program.send_signal(signal.SIGKILL)
        opened.program.wait()


def rows(folder: Path) -> list[Entry]:
    with Journal.open(folder / "journal.db", read_only=True) as journal:
        assert journal.verify() == ()
        return list(journal.entries())


def done(folder: Path) -> list[tuple[str, str]]:
    return [(entry.record_id, str(entry.action)) for entry in rows(folder)]


def bobs_journal(folder: Path) -> Journal:
    return Journal.open(folder / "journal.db")


def queue_name(folder: Path) -> str:
    return str((folder / "queue").resolve())


def said_in_time(talk: Talk, news: str) -> str:
    """What is said at the queue once the news is among it; they are told before a prompt and not in between."""
    shown, until = "", time.monotonic() + PATIENCE
    while news not in shown and time.monotonic() < until:
        time.sleep(0.2)
        talk.type("standing")
        shown = talk.wait_for("queue>")
    return shown


def test_plain_mode_loads_no_textual() -> None:
    loaded = loaded_by("import pendtui.commands.open, pendtui.linear.session, pendtui.linear.terminal")
    assert not {name for name in loaded if name.split(".")[0] in ("textual", "rich", "httpx")}


def test_nor_does_a_whole_sitting(folder: Path) -> None:
    code = (
        "import sys; from pendtui.cli import main; code = main(['--plain']);"
        "assert not [name for name in sys.modules if name.split('.')[0] in ('textual', 'rich')]; sys.exit(code)"
    )
    typed = b"1\ntext\nc dup\naccept\nhandover s.html\nq\nexport l.csv\nundo\nq\n"
    ran = subprocess.run(
        [sys.executable, "-c", code],
        input=typed,
        env=environ(folder),
        cwd=folder,
        capture_output=True,
        check=False,
    )
    assert (ran.returncode, ran.stderr) == (0, b"")
    assert (folder / "s.html").exists() and (folder / "l.csv").exists()


def test_three_claims_are_worked_from_a_pipe(folder: Path) -> None:
    ran = piped(folder, "next", "accept", "cause auth", "accept", "park waits for the op report", "quit")
    assert (ran.returncode, ran.stderr) == (0, "")
    assert done(folder) == [("PC-0002", "accept"), ("PC-0004", "change"), ("PC-0003", "park")]
    assert rows(folder)[2].note == "waits for the op report"
    assert "Saved as row 1: PC-0002 accepted." in ran.stdout
    assert "Left. Every decision is saved." in ran.stdout


def test_a_claim_is_said_answers_first_then_quote_then_sum(folder: Path) -> None:
    out = piped(folder, "PC-0002").stdout
    places = [
        out.index(part)
        for part in (
            "PC-0002: claim CLM-2026-400002, MEDICAID.",
            "Why it pended: DUP-SUSPECT",
            "What to do: ROUTE-SPECIALIST",
            "Where the clock stands: BREACHED, 4 days over",
            "Who applies it: EXAMINER-APPLIES",
            "Quote from the pend message: EDIT 18 - possible duplicate of a finished claim.",
            "Sum: elapsed: 34",
            "Sum: left: -4 = 30 - 34",
        )
    ]
    assert places == sorted(places)


def test_rules_why_and_text_come_on_request_and_say_what_each_line_is(folder: Path) -> None:
    ran = piped(folder, "PC-0002", "rules", "why", "text", "history")
    for part in (
        "What: not PR-1: asks for a register of contradicted; it holds none",
        "Section pend message",
        "Cited: EDIT 18 - possible duplicate of a finished claim.",
        "PC-0002 has no journal row.",
    ):
        assert part in ran.stdout
    assert "Cited:" not in piped(folder, "PC-0002").stdout


def test_nothing_moves_the_cursor_or_colours_anything_and_no_record_is_obeyed(folder: Path) -> None:
    (folder / "queue" / "PC-0001.txt").write_text(
        "PEND RECORD PC-0001 -- \x1b[2Jgone \x9b1m \u202e\n", encoding="utf-8"
    )
    ran = piped(folder, "list", "PC-0001", "text", "park \x1b]0;title\x07 later", "PC-0001", "history", "?")
    assert all(char.isprintable() or char == "\n" for char in ran.stdout)
    assert "␛[2Jgone" in ran.stdout and "later" in ran.stdout


def test_an_output_without_our_quotation_marks_gets_plain_ones(folder: Path) -> None:
    ran = subprocess.run(
        [sys.executable, "-m", "pendtui", "--plain"],
        input="PC-0002\npark später, “soon”\n".encode(),
        capture_output=True,
        check=False,
        env=environ(folder, PYTHONIOENCODING="ascii", PYTHONUTF8="0", LC_ALL="C"),
    )
    assert ran.returncode == 0 and ran.stdout.isascii()
    assert rows(folder)[0].note == "später, “soon”"


def test_a_filter_lists_and_a_number_opens_what_was_listed(folder: Path) -> None:
    ran = piped(folder, "filter escalate", "2", "q", "sort nonsense", "filter nix:1", "filter", "99", "PC-77")
    assert "2 claims by clock that match escalate." in ran.stdout
    assert "PC-0005: claim" in ran.stdout
    assert "sort: there is no order nonsense" in ran.stdout
    assert "'nix:' is no filter word" in ran.stdout
    assert "6 claims by clock." in ran.stdout
    assert "Number 99 was not listed" in ran.stdout
    assert "PC-77: no command and no record of this queue." in ran.stdout


def test_a_long_list_comes_in_pages(tmp_path: Path) -> None:
    write_queue(tmp_path / "queue", {f"PC-{n:04}": days_left(9) for n in range(1, 24)})
    ran = piped(tmp_path, "more", "more", "more")
    assert "13 claims follow; more lists them." in ran.stdout
    assert ran.stdout.count("WITHIN-CLOCK, 9 days left") == 23
    assert "No more claims are listed." in ran.stdout


@pytest.mark.parametrize(("typed", "saved"), [("yes", [("PC-0006", "accept")]), ("no", []), ("", [])])
def test_a_denial_is_asked_once_more(folder: Path, typed: str, saved: list[tuple[str, str]]) -> None:
    ran = piped(folder, "PC-0006", "accept", typed)
    assert "PR-1:" in ran.stdout and (saved or "Not accepted." in ran.stdout)
    assert done(folder) == saved


def test_what_keeps_a_claim_from_being_accepted_is_said_and_it_can_be_parked(folder: Path) -> None:
    (folder / "queue" / "PC-0001.txt").write_bytes(b"")
    ran = piped(folder, "PC-0001", "accept", "park the file is empty")
    assert "Faulty: the file is empty" in ran.stdout
    assert "Not accepted: a faulty record can be parked (p) and not accepted." in ran.stdout
    assert done(folder) == [("PC-0001", "park")]


def test_what_the_register_holds_is_said_by_the_examiner_where_no_row_says_it(folder: Path) -> None:
    (folder / "queue" / "claims.json").write_text("[]", encoding="utf-8")
    ran = piped(folder, "PC-0002", "register", "1", "accept")
    assert "Not to be accepted yet:" in ran.stdout and "1. clean:" in ran.stdout
    assert "RELEASE-AS-BILLED, by PR-3, with a register of clean, set by you" in ran.stdout
    assert json.loads(rows(folder)[0].decided_json)["evidence"] == "clean"


def test_a_request_is_noted_answered_and_the_claim_assigned(folder: Path) -> None:
    ran = piped(
        folder,
        *("PC-0003", "diary", "the clinic", "op report", "ok", "assign contract loading"),
        *("diary", "in", "undo", "assign", "1"),
    )
    assert [act for _, act in done(folder)] == ["request", "assign", "answer", "assign"]
    assert "the clinic was asked; an answer is expected by" in ran.stdout
    assert "There is no decision of yours to undo." in ran.stdout
    assert rows(folder)[1].decided["assignee"] == "contract loading"


def test_my_last_decision_is_undone(folder: Path) -> None:
    ran = piped(folder, "next", "accept", "undo", "PC-0002")
    assert "Row 1 undone by row 2: PC-0002 is open again." in ran.stdout
    assert done(folder) == [("PC-0002", "accept"), ("PC-0002", "undo")]


def test_input_that_ends_in_a_question_leaves_the_claim_as_it_was(folder: Path) -> None:
    ran = piped(folder, "PC-0002", "park")
    assert (ran.returncode, ran.stderr, done(folder)) == (0, "", [])


def test_a_queue_that_is_not_there_is_one_line(tmp_path: Path) -> None:
    ran = piped(tmp_path, PENDTUI_QUEUE=str(tmp_path / "none"))
    assert ran.returncode == 2 and ran.stderr.count("\n") == 1 and "is not a folder" in ran.stderr


def test_a_claim_that_somebody_else_has_open_is_told_and_asked_once_more(folder: Path) -> None:
    with bobs_journal(folder) as journal:
        journal.take_lease(queue_name(folder), "PC-0002", token="bob's", who="bob", by="Bob")
        ran = piped(folder, "PC-0002", "accept", "", "get")
        assert "Take care: in use by Bob on" in ran.stdout
        assert "Not accepted." in ran.stdout and done(folder) == []
        # What is dealt out is the next one, and it is given back when the program has ended.
        assert "PC-0004: claim" in ran.stdout
        assert [lease.who for lease in journal.leases(queue_name(folder))] == ["bob"]


def test_a_colleagues_decision_is_told_and_never_written_over(folder: Path, talk: Talk) -> None:
    talk.wait_for("queue>")
    talk.type("PC-0002")
    talk.wait_for("PC-0002>")
    with bobs_journal(folder) as journal:
        queue = queue_name(folder)
        assert [lease.record_id for lease in journal.leases(queue)] == ["PC-0002"]
        bob = decision("PC-0002", who="bob", queue=queue, display_name="Bob", decided=answers("CODE-EDIT"))
        journal.append(bob, expected_last=None)
    talk.type("accept")
    said = talk.wait_for("PC-0002>")
    assert "Not saved: PC-0002: Bob was here first" in said
    assert "Status: accepted by Bob" in said
    talk.type("quit")
    assert talk.end() == 0
    assert done(folder) == [("PC-0002", "accept")]


def test_what_others_did_is_told_before_the_next_prompt(folder: Path, talk: Talk) -> None:
    talk.wait_for("queue>")
    with bobs_journal(folder) as journal:
        journal.append(
            decision("PC-0004", who="bob", queue=queue_name(folder), display_name="Bob"), expected_last=None
        )
    talk.type("standing")
    assert "News: PC-0004 accepted by Bob." in talk.wait_for("queue>")


def test_a_record_that_changes_while_it_is_open_is_told_and_not_decided_on(folder: Path, talk: Talk) -> None:
    talk.wait_for("queue>")
    talk.type("PC-0002")
    talk.wait_for("PC-0002>")
    path = folder / "queue" / "PC-0002.txt"
    path.write_text(path.read_text(encoding="utf-8") + "  and more.\n", encoding="utf-8")
    talk.type("accept")
    said = talk.wait_for("PC-0002>")
    assert "the record has changed in the folder. Type show" in said and "Not accepted" in said
    talk.type("show")
    talk.wait_for("PC-0002>")
    talk.type("accept")
    talk.wait_for("Saved as row 1")


def test_records_that_come_are_told(folder: Path, talk: Talk) -> None:
    talk.wait_for("queue>")
    write_queue(folder / "more", {"PC-0009": days_left(2)}, rows=False)
    (folder / "more" / "PC-0009.txt").rename(folder / "queue" / "PC-0009.txt")
    assert "News: In the queue's folder: 1 record new." in said_in_time(talk, "1 record new")


def test_a_number_means_the_claim_that_was_heard_with_it(folder: Path, talk: Talk) -> None:
    assert "2. PC-0004," in talk.wait_for("queue>")
    (folder / "queue" / "PC-0002.txt").unlink()
    assert "News: In the queue's folder: 1 record removed." in said_in_time(talk, "1 record removed")
    talk.type("2")
    assert "PC-0004: claim" in talk.wait_for("PC-0004>")


def test_ctrl_c_leaves_a_question_and_at_the_prompt_the_program(folder: Path, talk: Talk) -> None:
    talk.wait_for("queue>")
    talk.type("PC-0002")
    talk.wait_for("PC-0002>")
    talk.type("park")
    talk.wait_for("why, and what it waits for?")
    talk.type("\x03")
    talk.wait_for("Not parked")
    talk.wait_for("PC-0002>")
    talk.type("\x03")
    assert talk.end() == 130
    assert "Traceback" not in talk.shown and done(folder) == []
    with bobs_journal(folder) as journal:
        assert list(journal.leases(queue_name(folder))) == []


def test_ctrl_d_ends_it(folder: Path, talk: Talk) -> None:
    talk.wait_for("queue>")
    talk.type("\x04")
    assert talk.end() == 0
    assert "\x1b" not in talk.shown


def test_no_two_commands_share_a_word_or_where_they_apply_a_letter() -> None:
    assert len({one.word for one in COMMANDS}) == len(COMMANDS)
    letters = [(one.letter, one.on_claim) for one in COMMANDS if one.letter]
    assert len(set(letters)) == len(letters)
    exported = find_command("X", on_claim=False)
    handed = find_command("X", on_claim=True)
    assert exported is not None and exported.word == "export" and handed is not None and handed.word == "handover"
    assert find_command("A") != find_command("a")


def test_a_lease_is_renewed_well_within_its_term() -> None:
    from pendtui.desk.journal.sharing import TERM

    assert STAY_SECONDS * 2 < TERM
