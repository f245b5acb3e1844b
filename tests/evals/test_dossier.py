"""The release gate's dossier: what there is, class by class, and not open whatever it is."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pendtui.engines.gate import GateBreachError
from pendtui.engines.vocabulary import CauseClass
from pendtui.errors import RunError
from pendtui.evals.dossier import NOT_OPEN, dossier, records_needed
from pendtui.evals.exact import interval
from pendtui.evals.gold import GoldAnswer
from pendtui.evals.ground import Ground
from tests.evals.queue_runs import built_ground, run_on


@pytest.fixture(scope="module")
def ground(tmp_path_factory: pytest.TempPathFactory) -> Ground:
    return built_ground(tmp_path_factory.mktemp("built") / "queue", records=60)


def released_in_the_reply(key: GoldAnswer) -> dict[str, object]:
    words = {name: getattr(key, name) for name in ("cause_class", "resolution", "clock")}
    return {"raw": {**words, "release": "AUTO-RELEASE"}} if key.cause_class == CauseClass.DUP_SUSPECT else {}


def test_a_run_without_a_mistake_leaves_every_class_not_open(ground: Ground) -> None:
    found = dossier(ground, [run_on(ground)])
    (reader,) = found.readers
    assert [each.cause for each in reader.classes] == list(CauseClass)
    assert {each.status for each in reader.classes} == {found.status} == {NOT_OPEN}
    for each in reader.classes:
        keys = [key for key in ground.gold.values() if key.cause_class == each.cause]
        assert each.cause_right.measure.n == each.cause_right.measure.of == len(keys)
        assert (each.releases.measure.n, each.releases.measure.of) == (0, len(keys))
    assert sum(each.releases.measure.of or 0 for each in reader.classes) == 60


def test_releases_in_the_replies_stand_in_their_class_with_the_bound_over_it(ground: Ground) -> None:
    (reader,) = dossier(ground, [run_on(ground, released_in_the_reply)]).readers
    for each in reader.classes:
        assert each.raw_releases is not None
        measure = each.raw_releases.measure
        assert measure.n == (measure.of if each.cause == CauseClass.DUP_SUSPECT else 0)
        assert each.raw_releases.interval == interval(measure.n, measure.of)
        assert each.releases.measure.n == 0
        assert each.status == NOT_OPEN


def test_a_reader_without_replies_has_no_raw_column(ground: Ground) -> None:
    (reader,) = dossier(ground, [run_on(ground, lambda key: {"raw": None}, model=None, arm="floor")]).readers
    assert [each.raw_releases for each in reader.classes] == [None] * 8


def test_the_same_queue_read_again_is_no_second_cycle(ground: Ground) -> None:
    runs = [run_on(ground, run_id=f"run-{n}", started_at=f"2026-12-0{n}T09:00:00Z") for n in (1, 3, 2)]
    (reader,) = dossier(ground, runs).readers
    assert reader.run_id == "run-3", "the newest counts"
    assert {each.cycles for each in reader.classes} == {1}


def test_each_reader_has_a_table_and_an_unfinished_run_has_none(ground: Ground) -> None:
    runs = [
        run_on(ground, run_id="a"),
        run_on(ground, run_id="b", model="small-2"),
        run_on(ground, run_id="c", prompt_sha256="6" * 64),
        run_on(ground, run_id="d", arm="floor", model=None)._replace(finished_at=None),
    ]
    assert [reader.run_id for reader in dossier(ground, runs).readers] == ["a", "b", "c"]


def test_a_run_of_another_queue_is_refused(ground: Ground) -> None:
    with pytest.raises(RunError, match="queue hash"):
        dossier(ground, [run_on(ground, queue_sha256="0" * 64)])


def test_nothing_is_reported_under_a_policy_that_opens_a_category(ground: Ground) -> None:
    opened = ground.policy._replace(gate=ground.policy.gate._replace(open_categories=("DUP-SUSPECT",)))
    with pytest.raises(GateBreachError):
        dossier(ground._replace(policy=opened), [run_on(ground)])


@given(st.floats(0.0005, 0.5))
def test_so_many_records_bring_the_exact_bound_down_and_one_fewer_does_not(bound: float) -> None:
    needed = records_needed(bound)
    assert needed >= 1
    ends = interval(0, needed)
    assert ends is not None and ends.high <= bound * (1 + 1e-9)
    if needed > 1:
        fewer = interval(0, needed - 1)
        assert fewer is not None and fewer.high > bound * (1 - 1e-9)
