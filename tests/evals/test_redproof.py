"""The red proof: every way of being wrong is caught by the row meant for it, and one that is not is reported."""

from collections.abc import Mapping
from pathlib import Path

import pytest

from pendtui.desk.run_file import RunRecord
from pendtui.evals.breaks import BREAKS, FEWER, MORE, Break, Sound
from pendtui.evals.ground import Ground
from pendtui.evals.redproof import prove, redproof, sound_run
from pendtui.evals.scorer import GRADED
from tests.evals.queue_runs import built_ground


@pytest.fixture(scope="module")
def ground(tmp_path_factory: pytest.TempPathFactory) -> Ground:
    return built_ground(tmp_path_factory.mktemp("built") / "queue", records=60)


@pytest.fixture(scope="module")
def sound(ground: Ground) -> Sound:
    return sound_run(ground)


def test_the_run_that_is_broken_is_right_throughout(sound: Sound) -> None:
    for name in ("answered", *GRADED, "all_correct"):
        assert (sound.score.measure(name).n, sound.score.measure(name).of) == (60, 60)
    for name in ("false_releases", "missed_escalations", "over_escalations", "raw/false_releases"):
        assert sound.score.measure(name).n == 0


@pytest.mark.parametrize("each", BREAKS, ids=lambda each: each.name)
def test_a_break_moves_the_row_meant_for_it(sound: Sound, each: Break) -> None:
    proof = prove(sound, each)
    assert proof.caught is True, proof
    assert proof.before != proof.after


@pytest.mark.parametrize("each", BREAKS, ids=lambda each: each.name)
def test_a_break_that_breaks_no_record_proves_nothing(sound: Sound, each: Break) -> None:
    proof = prove(sound, each._replace(spoil=lambda _: {}))
    assert proof.caught is None
    assert proof.before == proof.after


@pytest.mark.parametrize(
    ("name", "row"),
    [
        ("releases everything", "clock"),
        ("quotes the whole record", "cause_class"),
        ("resolves nothing", "wrong_clock_by_pend_date"),
        ("releases in the reply", "false_releases"),
    ],
)
def test_a_break_that_its_row_does_not_see_gets_through(sound: Sound, name: str, row: str) -> None:
    each = next(one for one in BREAKS if one.name == name)
    assert prove(sound, each._replace(row=row)).caught is False


@pytest.mark.parametrize("each", BREAKS, ids=lambda each: each.name)
def test_a_row_that_moves_the_other_way_does_not_catch_it(sound: Sound, each: Break) -> None:
    other_way = MORE if each.moves == FEWER else FEWER
    assert prove(sound, each._replace(moves=other_way)).caught is False


def test_every_break_is_of_the_whole_queue_or_of_records_that_it_has(sound: Sound) -> None:
    for each in BREAKS:
        assert set(each.spoil(sound)) <= set(sound.texts), each.name


def test_the_spoiled_records_leave_the_sound_run_as_it_was(sound: Sound) -> None:
    before = sound.run.records
    for each in BREAKS:
        prove(sound, each)
    assert sound.run.records == before


def test_the_guards_and_the_gate_refuse(ground: Ground) -> None:
    proofs = {proof.name: proof for proof in redproof(ground)}
    assert all(proof.caught for proof in proofs.values())
    for name in (
        "is of another queue",
        "is of another policy",
        "compares the incomparable",
        "opens the gate",
        "opens the gate by file",
        "writes a release",
    ):
        assert proofs[name].row == "refused" and proofs[name].after != "let through"


def test_a_row_with_nothing_to_count_neither_catches_nor_lets_through(tmp_path: Path) -> None:
    ground = built_ground(tmp_path / "queue", records=20)
    (ground.folder / "corpus.json").unlink()
    blind = ground._replace(cases=None)
    proofs = {proof.name: proof.caught for proof in redproof(blind)}
    assert proofs["releases the bait"] is None
    assert not [name for name, caught in proofs.items() if caught is False]


def test_a_reader_that_mixes_its_records_up_is_caught(sound: Sound) -> None:
    def shifted(sound: Sound) -> Mapping[str, RunRecord | None]:
        records = sound.run.records
        return {
            record.id: other._replace(id=record.id)
            for record, other in zip(records, (*records[1:], records[0]), strict=True)
        }

    for row in ("cause_class", "citation", "resolution", "clock", "all_correct"):
        assert prove(sound, Break("mixes up", "the answers of the record after", row, FEWER, shifted)).caught
