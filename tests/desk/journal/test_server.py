"""A store on a server: lines that are cut, servers that go and come back, full disks, rights, and passwords."""

import shutil
import socket
import subprocess
import sys
import tempfile
import threading
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest

from pendtui.desk.journal import Journal, UnknownOutcomeError
from pendtui.desk.journal.postgres_address import Address
from pendtui.errors import JournalError
from tests.desk.journal.stores import tool
from tests.disks import fill_up, small_disk
from tests.journals import QUEUE, START, answers, decision, fill, soon
from tests.postgres import PASSWORD, Server, running


class Line:
    """A line to the server that can be cut at a message. It is plain bytes, so TLS has to be off."""

    def __init__(self, port: int) -> None:
        self._server = port
        self.cut_before: bytes = b""
        """The line is cut, once, when this is about to be sent to the server, which never gets it."""
        self.cut_after: bytes = b""
        """The line is cut, once, when the server has answered to this; the answer never arrives."""
        self.up = True
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.port: int = self._listener.getsockname()[1]
        threading.Thread(target=self._accept, daemon=True).start()

    def close(self) -> None:
        self._listener.close()

    def _accept(self) -> None:
        while True:
            try:
                client, _ = self._listener.accept()
            except OSError:
                return
            if not self.up:
                client.close()
                continue
            server = socket.create_connection(("127.0.0.1", self._server))
            swallow = threading.Event()
            threading.Thread(target=self._up, args=(client, server, swallow), daemon=True).start()
            threading.Thread(target=self._down, args=(server, client, swallow), daemon=True).start()

    def _up(self, client: socket.socket, server: socket.socket, swallow: threading.Event) -> None:
        while data := _received(client):
            if self.cut_before and self.cut_before in data:
                self.cut_before = b""
                break
            if self.cut_after and self.cut_after in data:
                self.cut_after = b""
                swallow.set()
            server.sendall(data)
        _hang_up(client, server)

    def _down(self, server: socket.socket, client: socket.socket, swallow: threading.Event) -> None:
        while data := _received(server):
            if swallow.is_set():
                break
            client.sendall(data)
        _hang_up(client, server)


def _received(end: socket.socket) -> bytes:
    try:
        return end.recv(65536)
    except OSError:
        return b""


def _hang_up(*ends: socket.socket) -> None:
    for end in ends:
        with suppress(OSError):
            end.shutdown(socket.SHUT_RDWR)
        end.close()


@pytest.fixture
def line(postgres: Server) -> Iterator[Line]:
    opened = Line(postgres.port)
    yield opened
    opened.close()


def by(line: Line, place: str) -> str:
    address = Address.parse(place)
    return (
        f"postgresql://examiner:{PASSWORD}@127.0.0.1:{line.port}/journals?schema={address.schema}&sslmode=disable"
    )


def test_a_decision_whose_commit_never_reached_the_server_is_said_not_to_be_saved(
    postgres: Server, line: Line
) -> None:
    place = postgres.new_store()
    with Journal.open(by(line, place)) as journal:
        line.cut_before = b"COMMIT"
        with pytest.raises(
            JournalError, match=r"lost while the change was being saved\. Nothing was saved"
        ) as told:
            journal.append(decision(), expected_last=None)
        assert not isinstance(told.value, UnknownOutcomeError)
        assert journal.head().rows == 0
        assert journal.append(decision(), expected_last=None).seq == 1
        assert journal.verify() == ()


def test_a_decision_that_was_saved_before_the_line_was_cut_is_known_to_be(postgres: Server, line: Line) -> None:
    place = postgres.new_store()
    with Journal.open(by(line, place)) as journal:
        line.cut_after = b"COMMIT"
        entry = journal.append(decision(), expected_last=None)
        assert list(journal.entries()) == [entry]
        assert journal.verify() == ()


def test_where_nothing_says_whether_it_was_saved_that_is_said(postgres: Server, line: Line) -> None:
    place = postgres.new_store()
    with Journal.open(by(line, place), timeout=2) as journal:
        line.cut_after = b"COMMIT"
        line.up = False
        with pytest.raises(UnknownOutcomeError, match=r"may or may not have been saved\. Look at the claim again"):
            journal.append(decision(), expected_last=None)
        line.up = True
        assert [entry.record_id for entry in journal.entries()] == ["PC-0001"]


def test_a_connection_that_the_server_ends_in_the_middle_saves_nothing_and_is_made_again(
    postgres: Server,
) -> None:
    place = postgres.new_store()
    with Journal.open(place) as journal, tool(place) as admin:
        journal.append(decision("PC-0001"), expected_last=None)
        pid = journal._db.row("SELECT pg_backend_pid()")
        assert pid is not None
        lost = pytest.raises(JournalError, match=r"connection to the store was lost\. Nothing was saved")
        with lost, journal._db.writing():
            admin.run("SELECT pg_terminate_backend(?)", pid[0])
            journal._insert(journal.history(QUEUE, "PC-0001")[0])
        assert journal.head().rows == 1
        assert journal.append(decision("PC-0002"), expected_last=None).seq == 2


def test_what_was_written_while_the_line_was_down_is_news_when_it_is_back(postgres: Server, line: Line) -> None:
    place = postgres.new_store()
    with Journal.open(by(line, place)) as ann, Journal.open(place) as bob:
        assert not ann.changed()
        line.up, line.cut_before = False, b"head"
        with pytest.raises(JournalError):
            ann._db.row("SELECT 'head'")
        with pytest.raises(JournalError, match="cannot be reached") as told:
            ann.changed()
        assert "\n" not in str(told.value) and PASSWORD not in str(told.value)
        bob.append(decision("PC-0003", who="bob"), expected_last=None)
        line.up = True
        assert soon(lambda: _changed(ann), 15)
        assert [claim.by for claim in ann.claims(QUEUE)] == ["bob"]


def _changed(journal: Journal) -> bool:
    try:
        return journal.changed()
    except JournalError:
        return False


def test_a_look_does_not_wait_for_a_server_that_was_just_found_to_be_gone(postgres: Server, line: Line) -> None:
    with Journal.open(by(line, postgres.new_store())) as journal:
        line.up, line.cut_before = False, b"head"
        with pytest.raises(JournalError):
            journal._db.row("SELECT 'head'")
        told = []
        for _ in range(3):
            with pytest.raises(JournalError) as fault:
                journal.changed()
            told.append(fault.value)
        assert told[0] is told[1] is told[2]


def test_a_server_that_is_stopped_and_started_is_found_again_with_all_that_was_saved() -> None:
    with running() as server:
        place = server.new_store()
        with Journal.open(place, timeout=2) as journal:
            journal.append(decision("PC-0001"), expected_last=None)
            server.stop()
            with pytest.raises(JournalError, match=r"Nothing was saved|cannot be reached") as told:
                journal.append(decision("PC-0002"), expected_last=None)
            assert "\n" not in str(told.value) and PASSWORD not in str(told.value)
            server.start()
            assert [entry.record_id for entry in journal.entries()] == ["PC-0001"]
            assert journal.append(decision("PC-0002"), expected_last=None).seq == 2
            server.stop()
            server.start()  # and nobody has noticed: the decision goes through at once
            assert journal.append(decision("PC-0003"), expected_last=None).seq == 3
            assert journal.verify() == ()


def test_a_server_that_is_killed_keeps_every_decision_it_said_was_saved() -> None:
    with running() as server:
        place = server.new_store()
        with Journal.open(place, timeout=2) as journal:
            killer = threading.Timer(0.4, server.kill)
            killer.start()
            saved, said = decide_until_refused(journal, 100_000)
            killer.join()
            assert "\n" not in said
            server.start()
            rows = [entry.seq for entry in journal.entries()]
            assert rows[: len(saved)] == saved
            assert len(rows) <= len(saved) + 1
            assert journal.verify() == ()


def test_a_store_locked_by_another_program_is_said_and_can_be_tried_again(postgres: Server) -> None:
    place = postgres.new_store()
    fill(place, 1)
    with Journal.open(place, timeout=0.3) as journal, tool(place) as other:
        other.run("BEGIN")
        other.run("LOCK TABLE decision IN EXCLUSIVE MODE")
        with pytest.raises(JournalError, match=r"locked for 0\.3 s\. Nothing was saved"):
            journal.append(decision("PC-0009"), expected_last=None)
        assert journal.head().rows == 1
        other.run("ROLLBACK")
        assert journal.append(decision("PC-0009"), expected_last=None).seq == 2


# A full disk


def decide_until_refused(journal: Journal, limit: int = 20_000) -> tuple[list[int], str]:
    saved: list[int] = []
    for n in range(limit):
        try:
            saved.append(journal.append(decision(f"PC-{n:05}", note="x" * 2000), expected_last=None).seq)
        except JournalError as fault:
            return saved, str(fault)
    raise AssertionError("it never got full")


def test_a_file_of_the_server_that_cannot_grow_is_said_and_what_was_saved_stays_whole() -> None:
    with running("fsync=off", largest_file=2 << 20) as server:
        place = server.new_store()
        with Journal.open(place) as journal:
            saved, said = decide_until_refused(journal)
            assert "the server's disk is full. Nothing was saved. Free some space there, then try again" in said
            assert "\n" not in said and PASSWORD not in said
            assert [entry.seq for entry in journal.entries()] == saved
            assert journal.verify() == ()
            server.stop()
            server.start()  # without the limit
            assert journal.append(decision("PC-99999"), expected_last=None).seq == len(saved) + 1
            assert journal.verify() == ()


@pytest.fixture
def open_folder() -> Iterator[Path]:
    """A folder that the server's user can reach, as pytest's own cannot be."""
    folder = Path(tempfile.mkdtemp(prefix="pendtui-test-"))
    folder.chmod(0o755)
    yield folder
    shutil.rmtree(folder)


def test_a_server_whose_whole_disk_is_full_keeps_every_decision_that_it_said_was_saved(open_folder: Path) -> None:
    with small_disk(open_folder / "small", 96 << 10) as disk, running(within=disk) as server:
        place = server.new_store()
        with Journal.open(place, timeout=2) as journal:
            before = [journal.append(decision(f"PC-9{n:04}"), expected_last=None).seq for n in range(50)]
            ballast = fill_up(disk)
            saved, said = decide_until_refused(journal)
            saved = before + saved
            assert "\n" not in said and PASSWORD not in said
            ballast.unlink()
            server.kill()  # where the log of writes could not be written it went down by itself
            server.start()
            rows = [entry.seq for entry in journal.entries()]
            assert rows[: len(saved)] == saved
            assert len(rows) <= len(saved) + 1
            assert journal.verify() == ()
            assert journal.append(decision("PC-99999"), expected_last=None).seq == len(rows) + 1


# Rights


def test_an_examiner_with_the_rights_that_the_manual_gives_can_work_and_change_no_row(postgres: Server) -> None:
    place = postgres.new_store()
    fill(place, 3)
    schema = Address.parse(place).schema
    with tool(place) as admin:
        admin.run("DROP ROLE IF EXISTS desk")
        for statement in granted("desk", schema):
            admin.run(statement)
        admin.run(f"ALTER ROLE desk LOGIN PASSWORD '{PASSWORD}'")
    url = place.replace("examiner:", "desk:")
    with Journal.open(url) as journal:
        entry = journal.append(decision("PC-0009", who="bob", decided=answers(second_look="x")), expected_last=None)
        journal.undo(journal.confirm(entry, who="ann", at=START), who="ann", at=START)
        journal.assign(QUEUE, "PC-0009", "bob", who="ann", at=START)
        journal.take_lease(QUEUE, "PC-0009", token="t", who="bob", by="")
        journal.renew_leases(QUEUE, "t")
        journal.release_leases("t")
        journal.save_filter("bob", "late", "left:<0")
        journal.drop_filter("bob", "late")
        assert journal.verify() == ()
        for statement in (
            "UPDATE decision SET note = ''",
            "DELETE FROM decision",
            "TRUNCATE decision",
            "ALTER TABLE decision DISABLE TRIGGER ALL",
            "DROP TABLE decision",
            "SET session_replication_role TO replica",
            "CREATE OR REPLACE FUNCTION decision_refused() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN END'",
        ):
            with pytest.raises(JournalError, match="access was refused"):
                journal._db.run(statement)
    with Journal.open(place) as journal:
        assert journal.head().rows == 7
        assert journal.verify() == ()
    with tool(place) as admin:
        admin.run("DROP OWNED BY desk")
        admin.run("DROP ROLE desk")


def granted(role: str, schema: str) -> list[str]:
    """The statements of the manual, for another role and schema."""
    manual = (Path(__file__).parents[3] / "docs" / "sharing.md").read_text(encoding="utf-8")
    block = manual.partition("```sql\n")[2].partition("```")[0]
    assert "GRANT" in block
    named = block.replace("examiners", role).replace("DATABASE pendtui", "DATABASE journals")
    named = named.replace("pendtui", schema)
    return [statement.strip() for statement in named.split(";") if statement.strip()]


# What is said of a wrong address, and that no password is ever shown


@pytest.mark.parametrize(
    ("url", "what"),
    [
        ("postgresql://u:{secret}@127.0.0.1:1/db", "cannot be reached: .*refused"),
        ("postgresql://u:{secret}@name.invalid/db", "cannot be reached: .*name.invalid"),
        ("postgresql://u:{secret}@127.0.0.1:{port}/journals", "cannot be reached: .*authentication failed"),
        ("postgresql://examiner:{secret}@127.0.0.1:{port}/nowhere", "cannot be reached"),
        ("postgresql://u@127.0.0.1:1/db?password={secret}", "cannot be reached"),
        ("postgresql://u:{secret}@127.0.0.1:abc/db", "address cannot be read"),
        ("postgresql://u:{secret}", "address cannot be read"),
        ("postgresql://u:a/{secret}@127.0.0.1:1/db", "address cannot be read"),
        ("postgresql://u:a?b={secret}@127.0.0.1:1/db", "address cannot be read"),
        ("postgresql://u:a#{secret}@127.0.0.1:1/db", "address cannot be read"),
        ("postgresql://u:{secret}%zz@127.0.0.1:1/db", "cannot be reached"),
        ("postgresql://u:{secret}@127.0.0.1:1/db?nonsense=1", "cannot be reached: .*nonsense"),
        ("postgresql://u:{secret}@127.0.0.1:1/db?schema=Bad-Name", "schema's name .* is not plain"),
    ],
)
def test_a_wrong_address_is_one_line_without_the_password(postgres: Server, url: str, what: str) -> None:
    secret = "s3cr3tw0rd"
    with pytest.raises(JournalError, match=what) as told:
        Journal.open(url.format(secret=secret, port=postgres.port), timeout=2)
    assert secret not in str(told.value) and "\n" not in str(told.value)


def test_without_the_driver_the_extra_to_install_is_named() -> None:
    code = (
        "import sys; sys.modules['psycopg'] = None\n"
        "from pendtui.desk.journal import Journal\n"
        "Journal.open('postgresql://u:s3cr3tw0rd@127.0.0.1:1/db')"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    last = done.stderr.strip().splitlines()[-1]
    assert "needs the driver psycopg. Install it with: pip install 'pendtui[postgres]'" in last
    assert "s3cr3tw0rd" not in done.stderr
