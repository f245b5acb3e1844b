"""What examiners share besides the decisions: who has which claim open, and the filters that each has saved."""

from datetime import UTC, datetime, timedelta

from pendtui.desk.journal.claims import Lease
from pendtui.desk.journal.database import Row
from pendtui.desk.journal.reading import Reading
from pendtui.desk.journal.rows import storable
from pendtui.errors import JournalError

TERM = 60.0
"""Seconds for which a lease holds unless it is renewed."""
PATIENCE = 1.0
"""Seconds that taking or giving back a lease waits for another program; the claim is on screen without it."""

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_COLUMNS = "record_id, token, who, display_name, host, since, until"
_TAKE = (
    "INSERT INTO lease (queue, record_id, token, who, display_name, host, since, until)"
    " VALUES (?, ?, ?, ?, ?, ?, ?, ?)"
    " ON CONFLICT (queue, record_id) DO UPDATE SET until = excluded.until WHERE lease.token = excluded.token"
)


class Sharing(Reading):
    """Leases and saved filters of an open journal.

    Neither is part of what is kept for the record: they have no rows in the chain. Leases go by the clock of the
    PostgreSQL server, or of the host that a file is on.
    """

    def take_lease(self, queue: str, record_id: str, *, token: str, who: str, by: str, term: float = TERM) -> Lease:
        """Say that this program has a claim open, unless another has it; the lease that is now in force.

        It is mine when its token is. Taking it again renews it. `term` is in seconds.
        """
        claim, mine = (storable(queue), storable(record_id)), storable(token)
        with self._db.writing("lease", PATIENCE):
            now = self._db.now()
            self._db.run("DELETE FROM lease WHERE until <= ?", now)
            until = now + round(term * 1e6)
            self._db.run(_TAKE, *claim, mine, storable(who), storable(by), storable(self._host), now, until)
            row = self._db.row(f"SELECT {_COLUMNS} FROM lease WHERE queue = ? AND record_id = ?", *claim)
        if row is None:
            raise JournalError("the lease that was just written is not there", where=self.where)
        return _lease(row)

    def renew_leases(self, queue: str, token: str, *, term: float = TERM) -> tuple[Lease, ...]:
        """Renew every lease that this program holds in a queue; those it holds now.

        One that lapsed and was taken by another, or swept away, is not among them.
        """
        held = storable(queue), storable(token)
        with self._db.writing("lease", PATIENCE):
            until = self._db.now() + round(term * 1e6)
            self._db.run("UPDATE lease SET until = ? WHERE queue = ? AND token = ?", until, *held)
            rows = self._db.rows(f"SELECT {_COLUMNS} FROM lease WHERE queue = ? AND token = ?", *held)
        return tuple(map(_lease, rows))

    def release_lease(self, queue: str, record_id: str, token: str) -> None:
        """Say that this program no longer has a claim open. Nothing happens where another has it."""
        with self._db.writing("lease", PATIENCE):
            self._db.run(
                "DELETE FROM lease WHERE queue = ? AND record_id = ? AND token = ?",
                storable(queue),
                storable(record_id),
                storable(token),
            )

    def release_leases(self, token: str) -> None:
        """Say that this program no longer has any claim open."""
        with self._db.writing("lease", PATIENCE):
            self._db.run("DELETE FROM lease WHERE token = ?", storable(token))

    def leases(self, queue: str | None = None) -> tuple[Lease, ...]:
        """Who has which claim of a queue open (without one: of all queues); lapsed ones are left out."""
        only, values = ("", ()) if queue is None else ("AND queue = ?", (storable(queue),))
        now = self._db.now()
        found = self._db.rows(f"SELECT {_COLUMNS} FROM lease WHERE until > ? {only} ORDER BY since", now, *values)
        return tuple(map(_lease, found))

    # Saved filters

    def filters(self, who: str) -> dict[str, str]:
        """An examiner's saved filters: the words of each, by its name and in that order."""
        return dict(sorted(self._db.rows("SELECT name, words FROM saved_filter WHERE who = ?", storable(who))))

    def save_filter(self, who: str, name: str, words: str) -> None:
        """Save a filter under a name; one that had the name before is replaced."""
        with self._db.writing("filter"):
            self._db.run(
                "INSERT INTO saved_filter (who, name, words) VALUES (?, ?, ?)"
                " ON CONFLICT (who, name) DO UPDATE SET words = excluded.words",
                storable(who),
                storable(name),
                storable(words),
            )

    def drop_filter(self, who: str, name: str) -> None:
        """Forget a saved filter; nothing happens where there is none of that name."""
        with self._db.writing("filter"):
            self._db.run("DELETE FROM saved_filter WHERE who = ? AND name = ?", storable(who), storable(name))


def _lease(row: Row) -> Lease:
    record_id, token, who, by, host, since, until = row
    return Lease(record_id, token, who, by, host, _instant(since), _instant(until))


def _instant(microseconds: int) -> datetime:
    return _EPOCH + timedelta(microseconds=microseconds)
