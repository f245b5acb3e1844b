"""A journal's tables as somebody with a database tool has them, in a file and on a server alike."""

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Protocol

import psycopg

from pendtui.desk.journal.postgres_address import Address

GUARDS = ("decision_never_updated", "decision_never_deleted", "decision_only_appended")


class Tool(Protocol):
    """What such a tool offers. Values are given as `?`."""

    def run(self, statement: str, *values: object) -> None:
        """Carry out a statement at once."""
        ...

    def rows(self, statement: str, *values: object) -> list[tuple[Any, ...]]:
        """What a query finds."""
        ...


class FileTool:
    """On a SQLite file."""

    def __init__(self, path: Path) -> None:
        self.db = sqlite3.connect(path, isolation_level=None)

    def run(self, statement: str, *values: object) -> None:
        self.db.execute(statement, values)

    def rows(self, statement: str, *values: object) -> list[tuple[Any, ...]]:
        return self.db.execute(statement, values).fetchall()


class ServerTool:
    """On a PostgreSQL server, as its superuser."""

    def __init__(self, url: str) -> None:
        address = Address.parse(url)
        self.db = psycopg.connect(address.with_defaults(10), autocommit=True)
        self.db.execute(f'SET search_path TO "{address.schema}"'.encode())

    def run(self, statement: str, *values: object) -> None:
        self.db.execute(statement.replace("?", "%s").encode(), values or None)

    def rows(self, statement: str, *values: object) -> list[tuple[Any, ...]]:
        return self.db.execute(statement.replace("?", "%s").encode(), values or None).fetchall()


@contextmanager
def tool(place: Path | str) -> Iterator[FileTool | ServerTool]:
    """A connection past the program."""
    opened = FileTool(place) if isinstance(place, Path) else ServerTool(place)
    try:
        yield opened
    finally:
        opened.db.close()


@contextmanager
def behind_its_back(place: Path | str) -> Iterator[FileTool | ServerTool]:
    """The same for somebody who takes the guards off and puts them back afterwards."""
    with tool(place) as opened:
        if isinstance(opened, ServerTool):
            opened.run("SET session_replication_role TO replica")
            checks = opened.rows(
                "SELECT conname, pg_get_constraintdef(oid) FROM pg_constraint"
                " WHERE conrelid = to_regclass('decision') AND contype = 'c'"
            )
            for name, _ in checks:
                opened.run(f"ALTER TABLE decision DROP CONSTRAINT {name}")
            yield opened
            for name, definition in checks:
                opened.run(f"ALTER TABLE decision ADD CONSTRAINT {name} {definition} NOT VALID")
                opened.run("UPDATE pg_constraint SET convalidated = true WHERE conname = ?", name)
            return
        guards = opened.rows("SELECT name, sql FROM sqlite_master WHERE type = 'trigger'")
        assert len(guards) == len(GUARDS)
        for name, _ in guards:
            opened.run(f"DROP TRIGGER {name}")
        opened.run("PRAGMA ignore_check_constraints = ON")
        yield opened
        for _, statement in guards:
            opened.run(statement)
