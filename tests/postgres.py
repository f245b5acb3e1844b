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
    """A running server, its folder and how it is reached."""

    def __init__(self, folder: Path, port: int, process: "subprocess.Popen[bytes]") -> None:
        self.folder = folder
        self.port = port
        self.process = process
        self._stores = 0

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
def running(*options: str, wal_segment_mb: int = 1) -> Iterator[Server]:
    """A new server until the end of the block. It keeps every promise about the disk unless options say no."""
    bin_folder = binaries()
    folder = Path(tempfile.mkdtemp(prefix="pendtui-postgres-"))
    try:
        as_user = _unprivileged(folder)
        (folder / "password").write_text(PASSWORD, encoding="utf-8")
        data = folder / "data"
        subprocess.run(
            [
                bin_folder / "initdb",
                f"--pgdata={data}",
                "--username=examiner",
                f"--pwfile={folder / 'password'}",
                "--auth=scram-sha-256",
                "--encoding=UTF8",
                "--locale=C",
                "--no-sync",
                f"--wal-segsize={wal_segment_mb}",
            ],
            check=True,
            capture_output=True,
            **as_user,
        )
        port = _free_port()
        with open(folder / "log", "wb") as log:
            process = subprocess.Popen(
                [
                    bin_folder / "postgres",
                    "-D",
                    data,
                    f"--port={port}",
                    "--listen_addresses=127.0.0.1",
                    "--unix_socket_directories=",
                    "--max_wal_size=64MB",
                    "--shared_buffers=16MB",
                    *(f"--{option}" for option in options),
                ],
                stdout=log,
                stderr=log,
                **as_user,
            )
        server = Server(folder, port, process)
        try:
            _wait_until_up(server)
            yield server
        finally:
            process.send_signal(signal.SIGQUIT)  # at once: the folder goes as well
            process.wait(20)
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


def _wait_until_up(server: Server) -> None:
    import psycopg

    until = time.monotonic() + 60
    while True:
        if server.process.poll() is not None or time.monotonic() > until:
            raise AssertionError(f"PostgreSQL did not start:\n{(server.folder / 'log').read_text()}")
        try:
            with psycopg.connect(server.admin_url.replace("/journals", "/postgres"), autocommit=True) as db:
                db.execute("CREATE DATABASE journals")
            return
        except psycopg.OperationalError:
            time.sleep(0.05)
