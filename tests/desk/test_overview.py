"""The overview's counts, on whole queues and against the rule of the clock."""

from datetime import date, timedelta
from pathlib import Path

import pytest

from pendtui.desk.desk import Desk
from pendtui.desk.overview import AGES, DAYS_AHEAD, Overview
from pendtui.engines.vocabulary import ClockState
from tests.desks import desk_in
from tests.queues import FIVE, days_left

REGISTER_DAY = date(2026, 9, 1)
LEFTS = (-9, -1, 0, 0, 1, 4, 5, 5, 6, 12, 13, 14, 18, 19, 20, 25)


def queue_of(*lefts: int) -> dict[str, dict[str, object]]:
    return {f"PC-{n:04}": {**days_left(left)} for n, left in enumerate(lefts, 1)}


def look(desk: Desk) -> Overview:
    desk.refresh()
    return desk.overview_elsewhere()


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    return desk_in(tmp_path, queue_of(*LEFTS))


def test_each_coming_day_counts_what_its_clock_turns(desk: Desk) -> None:
    window = desk.policy.clock.escalate_within_days
    seen = look(desk)

    def state(left: int) -> ClockState:
        if left < 0:
            return ClockState.BREACHED
        return ClockState.ESCALATE_NOW if left <= window else ClockState.WITHIN_CLOCK

    for offset, day in enumerate(seen.ahead, 1):
        turned = [(state(left - offset + 1), state(left - offset)) for left in LEFTS]
        assert day.escalate == turned.count((ClockState.WITHIN_CLOCK, ClockState.ESCALATE_NOW))
        assert day.breached == turned.count((ClockState.ESCALATE_NOW, ClockState.BREACHED))
        assert day.day == REGISTER_DAY + timedelta(days=offset)
    assert len(seen.ahead) == DAYS_AHEAD


def test_what_is_urgent_today_agrees_with_the_strip(desk: Desk) -> None:
    seen, counts = look(desk), desk.standings().counts
    assert (seen.undecided, seen.breached, seen.escalate) == (counts.records, counts.breached, counts.escalate)
    assert seen.due == sum(left <= 0 for left in LEFTS)


def test_a_decided_claim_leaves_every_count_but_todays(desk: Desk) -> None:
    before = look(desk)
    desk.decisions.accept(desk.open("PC-0002"))
    after = desk.overview_elsewhere()
    assert (after.undecided, after.breached) == (before.undecided - 1, before.breached - 1)
    assert (after.due, after.due_decided, after.decided_today) == (before.due - 1, 1, 1)
    assert after.decided_by == (("ann", 1),)


def test_a_parked_claim_keeps_ageing(desk: Desk) -> None:
    before = look(desk)
    desk.decisions.park(desk.open("PC-0002"), "asked the plan")
    assert desk.overview_elsewhere() == before


def test_assigned_claims_are_counted_by_whose_they_are(desk: Desk) -> None:
    look(desk)
    for record_id in ("PC-0001", "PC-0003"):
        desk.decisions.assign(record_id, "contract loading")
    assert dict(desk.overview_elsewhere().assigned) == {"": len(LEFTS) - 2, "contract loading": 2}


@pytest.mark.parametrize(
    ("age", "bucket"), [(0, 0), (30, 0), (31, 1), (60, 1), (61, 2), (90, 2), (91, 3), (400, 3)], ids=str
)
def test_a_claims_age_falls_into_one_bucket(tmp_path: Path, age: int, bucket: int) -> None:
    received = (REGISTER_DAY - timedelta(days=age)).isoformat()
    desk = desk_in(tmp_path, {"PC-0001": {"received_on": received, "pended_on": received}})
    (ages,) = look(desk).ages
    assert ages.counts == tuple(int(n == bucket) for n in range(len(AGES)))


def test_without_one_register_day_the_days_are_counted_and_not_dated(tmp_path: Path) -> None:
    queue = queue_of(3, 4)
    queue["PC-0002"]["register_read_on"] = "2026-09-02"
    seen = look(desk_in(tmp_path, queue))
    assert seen.as_of is None
    assert {day.day for day in seen.ahead} == {None}


def test_the_as_of_setting_moves_the_days(tmp_path: Path) -> None:
    seen = look(desk_in(tmp_path, FIVE, as_of="2026-09-03"))
    assert seen.as_of == date(2026, 9, 3)
    assert seen.ahead[0].day == date(2026, 9, 4)


def test_a_queue_counted_in_stretches_counts_as_it_does_at_once(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    desk.refresh()
    desk.decisions.assign("PC-0003", "kim")
    desk.decisions.accept(desk.open("PC-0005"))
    at_once = desk.overview_elsewhere(), desk.population_elsewhere()
    monkeypatch.setattr("pendtui.desk.index_file.GROUPED", 3)
    assert (desk.overview_elsewhere(), desk.population_elsewhere()) == at_once
    assert desk.index.check()
    assert desk.standings().counts.records == len(LEFTS)
