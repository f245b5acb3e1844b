"""Who has a claim open: taken, renewed, given back, lapsed, on a file and on a server alike."""

import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from pendtui.desk.journal import Journal, Lease
from tests.journals import QUEUE, soon


@pytest.fixture
def ann(place: Path | str) -> Iterator[Journal]:
    with Journal.open(place) as journal:
        yield journal


@pytest.fixture
def bob(ann: Journal, place: Path | str) -> Iterator[Journal]:
    with Journal.open(place) as journal:
        yield journal


def take(journal: Journal, who: str, record_id: str = "PC-0001", term: float = 60.0) -> Lease:
    return journal.take_lease(QUEUE, record_id, token=f"{who}'s", who=who, by=who.title(), term=term)


def test_a_lease_says_who_has_the_claim_open_on_which_host_and_since_when(ann: Journal, bob: Journal) -> None:
    mine = take(ann, "ann")
    (seen,) = bob.leases(QUEUE)
    assert seen == mine
    assert (seen.who, seen.by, seen.host) == ("ann", "Ann", ann._host)
    assert abs(seen.since.timestamp() - ann._db.now() / 1e6) < 60
    assert 59 < (seen.until - seen.since).total_seconds() < 61


def test_the_second_to_open_a_claim_is_told_who_has_it_and_does_not_get_it(ann: Journal, bob: Journal) -> None:
    first = take(ann, "ann")
    assert take(bob, "bob") == first
    assert [lease.who for lease in ann.leases(QUEUE)] == ["ann"]


def test_taking_a_lease_again_renews_it_and_keeps_its_beginning(ann: Journal) -> None:
    first = take(ann, "ann", term=5.0)
    again = take(ann, "ann", term=50.0)
    assert again.since == first.since
    assert again.until > first.until


def test_a_lease_lapses_by_itself_and_another_takes_over(ann: Journal, bob: Journal) -> None:
    take(ann, "ann", term=0.2)
    assert soon(lambda: bob.leases(QUEUE) == ())
    assert take(bob, "bob").who == "bob"
    assert ann.renew_leases(QUEUE, "ann's") == ()
    assert [lease.who for lease in ann.leases(QUEUE)] == ["bob"]


def test_a_lease_that_is_renewed_does_not_lapse(ann: Journal, bob: Journal) -> None:
    take(ann, "ann", term=0.5)
    until = time.monotonic() + 1.0
    while time.monotonic() < until:
        assert [lease.record_id for lease in ann.renew_leases(QUEUE, "ann's", term=30)] == ["PC-0001"]
        time.sleep(0.05)
    assert [lease.who for lease in bob.leases(QUEUE)] == ["ann"]


def test_only_the_holder_gives_a_lease_back(ann: Journal, bob: Journal) -> None:
    take(ann, "ann")
    bob.release_lease(QUEUE, "PC-0001", "bob's")
    bob.release_leases("bob's")
    assert [lease.who for lease in bob.leases(QUEUE)] == ["ann"]
    ann.release_lease(QUEUE, "PC-0001", "ann's")
    assert bob.leases(QUEUE) == ()


def test_a_program_that_ends_gives_back_all_that_it_has_open(ann: Journal, bob: Journal) -> None:
    take(ann, "ann", "PC-0001")
    take(ann, "ann", "PC-0002")
    take(bob, "bob", "PC-0003")
    ann.release_leases("ann's")
    assert [lease.record_id for lease in bob.leases()] == ["PC-0003"]


def test_leases_of_another_queue_are_not_in_the_way(ann: Journal) -> None:
    take(ann, "ann")
    ann.take_lease("/srv/other", "PC-0001", token="x", who="x", by="")
    assert [lease.who for lease in ann.leases(QUEUE)] == ["ann"]
    assert sorted(lease.who for lease in ann.leases()) == ["ann", "x"]


def test_leases_leave_no_trace_in_what_is_kept_for_the_record(ann: Journal) -> None:
    take(ann, "ann")
    ann.release_leases("ann's")
    assert ann.head().rows == 0
    assert ann.verify() == ()
