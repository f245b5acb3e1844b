"""A real PostgreSQL server for the tests: in a temporary folder, on a loopback port, gone at the end."""

import os
import pwd
import shutil
import signal
import socket
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

PASSWORD = "not-to-be-shown"
"""Of the user that the tests connect as. No message may ever hold it."""


def binaries() -> Path:
    """The folder with initdb and postgres: on the path, or where Debian puts them. Fails where there is none."""
    found = shutil.which("initdb")
    folders = [Path(found).parent] if found else sorted(Path("/usr/lib/postgresql").glob("*/bin"), reverse=True)
    for folder in folders:
        if (folder / "postgres").exists():
            return folder
    raise AssertionError("The tests need a PostgreSQL server: install Debian's package postgresql")


class Server:
    """A server, its folder and how it is reached. It can be stopped, killed and started again."""

    def __init__(self, folder: Path, options: tuple[str, ...], as_user: dict[str, Any]) -> None:
        self.folder = folder
        self.port = _free_port()
        self._options = options
        self._as_user = as_user
        self._process: subprocess.Popen[bytes] | None = None
        self._stores = 0

    def start(self, largest_file: int | None = None) -> None:
        """Start it, and wait until it answers. No file of it can grow past `largest_file` bytes."""
        command: list[str | Path] = [
            *(binaries() / "postgres", "-D", self.folder / "data", f"--port={self.port}"),
            *("--listen_addresses=127.0.0.1", "--unix_socket_directories="),
            *("--max_wal_size=64MB", "--shared_buffers=16MB"),
            *(f"--{option}" for option in self._options),
        ]
        if largest_file is not None:
            command = ["prlimit", f"--fsize={largest_file}", *command]
        with open(self.folder / "log", "ab") as log:
            process: subprocess.Popen[bytes] = subprocess.Popen(
                command, stdout=log, stderr=log, start_new_session=True, **self._as_user
            )
        self._process = process
        self._wait_until_up(process)

    def stop(self) -> None:
        """Stop it at once, as a machine does that is switched off in order; whoever is connected is cut off."""
        self._end(signal.SIGQUIT)

    def kill(self) -> None:
        """Kill all of its processes."""
        self._end(signal.SIGKILL)

    def start_if_down(self) -> None:
        """Start it where it was stopped or killed."""
        if self._process is None:
            self.start()

    def _end(self, number: int) -> None:
        process, self._process = self._process, None
        if process is None:
            return
        if number == signal.SIGKILL:
            os.killpg(process.pid, number)
        else:
            process.send_signal(number)
        process.wait(20)

    def _wait_until_up(self, process: "subprocess.Popen[bytes]") -> None:
        import psycopg

        until = time.monotonic() + 60
        while True:
            if process.poll() is not None or time.monotonic() > until:
                raise AssertionError(f"PostgreSQL did not start:\n{(self.folder / 'log').read_text()}")
            try:
                with psycopg.connect(self.admin_url.replace("/journals", "/postgres"), autocommit=True) as db:
                    if db.execute("SELECT 1 FROM pg_database WHERE datname = 'journals'").fetchone() is None:
                        db.execute("CREATE DATABASE journals")
                return
            except psycopg.OperationalError:
                time.sleep(0.05)

    def new_store(self) -> str:
        """The address of a store that nobody has created yet."""
        self._stores += 1
        return self.url(f"store_{os.getpid()}_{self._stores}")

    def url(self, schema: str, database: str = "journals") -> str:
        """The address of a store of its own on this server."""
        return f"postgresql://examiner:{PASSWORD}@127.0.0.1:{self.port}/{database}?schema={schema}"

    @property
    def admin_url(self) -> str:
        """The address of the database for a driver that knows nothing of stores."""
        return f"postgresql://examiner:{PASSWORD}@127.0.0.1:{self.port}/journals"


@pytest.fixture(scope="session")
def postgres() -> Iterator[Server]:
    """One server for all tests of this process. What a machine that loses its power keeps is not their subject."""
    with running("fsync=off") as server:
        yield server


@pytest.fixture(params=["sqlite", "postgresql"])
def place(request: pytest.FixtureRequest, tmp_path: Path) -> Path | str:
    """Where a journal may be made that is not there yet: a file, and a store on a server."""
    if request.param == "sqlite":
        return tmp_path / "state" / "journal.db"
    server: Server = request.getfixturevalue("postgres")
    return server.new_store()


@contextmanager
def running(*options: str, largest_file: int | None = None, within: Path | None = None) -> Iterator[Server]:
    """A new server until the end of the block. It keeps every promise about the disk unless options say no.

    Its folder is made in `within`, or where temporary files go.
    """
    folder = Path(tempfile.mkdtemp(prefix="pendtui-postgres-", dir=within))
    try:
        as_user = _unprivileged(folder)
        (folder / "password").write_text(PASSWORD, encoding="utf-8")
        subprocess.run(
            [
                *(binaries() / "initdb", f"--pgdata={folder / 'data'}", "--wal-segsize=1", "--no-sync"),
                *("--username=examiner", f"--pwfile={folder / 'password'}", "--auth=scram-sha-256"),
                *("--encoding=UTF8", "--locale=C"),
            ],
            check=True,
            capture_output=True,
            **as_user,
        )
        server = Server(folder, options, as_user)
        try:
            server.start(largest_file)
            yield server
        finally:
            server.stop()
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _unprivileged(folder: Path) -> dict[str, Any]:
    # The server refuses to run as root.
    if os.geteuid() != 0:
        return {"cwd": folder}
    names = {user.pw_name: user for user in pwd.getpwall()}
    user = names.get("postgres") or names["nobody"]
    os.chown(folder, user.pw_uid, user.pw_gid)
    return {"cwd": folder, "user": user.pw_uid, "group": user.pw_gid, "extra_groups": []}


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
    return port
