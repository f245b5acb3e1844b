"""One file for the examiners of one host, each with a user of their own in one group, as the manual sets it up."""

import multiprocessing
import os
import shutil
import stat
import tempfile
from collections.abc import Iterator
from multiprocessing.connection import Connection
from pathlib import Path

import pytest

from pendtui.desk.journal import Journal
from pendtui.errors import JournalError
from tests.journals import decision, fill

GROUP, ANN, BOB, STRANGER = 64_000, 64_001, 64_002, 64_003
FORK = multiprocessing.get_context("fork")

pytestmark = pytest.mark.skipif(os.geteuid() != 0, reason="only root can act as several users")


@pytest.fixture
def journal() -> Iterator[Path]:
    """A journal that was set up as the manual says: a folder and a file of the group's."""
    folder = Path(tempfile.mkdtemp(prefix="pendtui-test-"))
    path = folder / "journal.db"
    fill(path, 1)
    for place in (folder, path):
        os.chown(place, ANN, GROUP)
    folder.chmod(0o2770)
    path.chmod(0o660)
    yield path
    shutil.rmtree(folder)


def work(path: Path, user: int, group: int, claims: int, told: Connection) -> None:
    os.setgroups([])
    os.setgid(group)
    os.setuid(user)
    os.umask(0o077)
    try:
        for n in range(claims):  # opened and closed each time: the side files come and go between the users
            with Journal.open(path) as journal:
                journal.append(decision(f"{user}-{n}", who=str(user)), expected_last=None)
        told.send("")
    except JournalError as fault:
        told.send(str(fault))


def test_users_of_one_group_share_a_journal_and_others_are_kept_out(journal: Path) -> None:
    pipes = {user: FORK.Pipe() for user in (ANN, BOB, STRANGER)}
    programs = [
        FORK.Process(target=work, args=(journal, user, STRANGER if user == STRANGER else GROUP, 40, theirs))
        for user, (_, theirs) in pipes.items()
    ]
    for program in programs:
        program.start()
    said = {user: ours.recv() for user, (ours, _) in pipes.items()}
    for program in programs:
        program.join()
    assert (said[ANN], said[BOB]) == ("", "")
    assert "Permission denied. Give yourself write access" in said[STRANGER]
    with Journal.open(journal, read_only=True) as opened:
        assert opened.head().rows == 81
        assert opened.verify() == ()
    assert {stat.S_IMODE(file.stat().st_mode) for file in journal.parent.iterdir()} == {0o660}
