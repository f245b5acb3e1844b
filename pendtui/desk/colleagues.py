"""Working a queue with others: who has which claim open, and what they did since one looked."""

import os
from collections.abc import Callable
from typing import NamedTuple

from pendtui.desk.journal import ClaimState, Journal, Lease
from pendtui.desk.listing import Listing

LEASES_EVERY = 10
"""Looks between two that ask who still has what open: a lease lapses without anybody writing."""


class News(NamedTuple):
    """What others did since the last look."""

    claims: tuple[ClaimState, ...]
    """Those with new journal rows, as they stand now."""
    leases: bool
    """Whether others have opened or left claims."""


class Colleagues:
    """What this program shares with others that work the same queue. `load_claims` takes new journal rows over."""

    def __init__(
        self,
        journal: Journal,
        queue: str,
        *,
        who: str,
        name: str,
        listing: Callable[[], Listing],
        load_claims: Callable[[], tuple[ClaimState, ...]],
    ) -> None:
        self._journal = journal
        self._queue = queue
        self._who = who
        self._name = name
        self._listing = listing
        self._load_claims = load_claims
        self._token = os.urandom(16).hex()
        self._open: dict[str, bool] = {}  # the claims that are open here, and whether their lease is this program's
        self._others: tuple[Lease, ...] = ()
        self._looks = 0

    @property
    def others(self) -> tuple[Lease, ...]:
        """Who else has which claim open, as last seen."""
        return self._others

    def take(self, record_id: str) -> Lease | None:
        """Say that I have a claim open; the lease of somebody else who has it open already, else None.

        As long as I have it open, `stay` tries for it again.
        """
        self._open[record_id] = False
        lease = self._journal.take_lease(
            self._queue, record_id, token=self._token, who=self._who, by=self._name or self._who
        )
        if lease.token == self._token:
            self._open[record_id] = True
            return None
        self.look_at_leases()
        return lease

    def holds(self, record_id: str) -> bool:
        """Whether I have a claim's lease, as last seen."""
        return self._open.get(record_id, False)

    def let_go(self, record_id: str) -> None:
        """Say that I no longer have a claim open."""
        if self._open.pop(record_id, False):
            self._journal.release_lease(self._queue, record_id, self._token)

    def let_go_of_all(self) -> None:
        """Say that I have no claim open any more."""
        if self._open:
            self._open.clear()
            self._journal.release_leases(self._token)

    def stay(self) -> tuple[Lease, ...]:
        """Renew what I have open; to be called several times in a lease's term.

        A lease that lapsed meanwhile (a computer that slept, a line that was cut) is taken again. Returned are
        those that somebody else has taken.
        """
        if not self._open:
            return ()
        held = {lease.record_id for lease in self._journal.renew_leases(self._queue, self._token)}
        lost = []
        for record_id, was_mine in list(self._open.items()):
            if record_id not in held:
                other = self.take(record_id)
                if other is not None and was_mine:
                    lost.append(other)
        return tuple(lost)

    def holder(self, record_id: str) -> Lease | None:
        """Who else has a claim open, as last seen."""
        return next((lease for lease in self._others if lease.record_id == record_id), None)

    def look_at_leases(self) -> bool:
        """Ask who has what open; whether that has changed for anybody but me."""
        others = tuple(lease for lease in self._journal.leases(self._queue) if lease.token != self._token)
        changed = _held(others) != _held(self._others)
        self._others = others
        self._listing().set_leases(others, self._token)
        return changed

    def look(self) -> News | None:
        """What others did since the last look; None for nothing. Cheap enough to ask twice a second."""
        self._looks += 1
        if self._journal.changed():
            return _news(self._load_claims(), self.look_at_leases())
        if self._others and self._looks % LEASES_EVERY == 0:
            return _news((), self.look_at_leases())
        return None


def _news(claims: tuple[ClaimState, ...], leases: bool) -> News | None:
    return News(claims, leases) if claims or leases else None


def _held(leases: tuple[Lease, ...]) -> set[tuple[str, str]]:
    return {(lease.record_id, lease.token) for lease in leases}
