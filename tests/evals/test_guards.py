"""Guards: what has to be equal, and the refusal that names what is not."""

import pytest

from pendtui.errors import RunError
from pendtui.evals.guards import broken, guards, require_comparable, shown
from pendtui.evals.scorer import Score
from tests.evals.test_scorer import CASES, HEADER, scored

MODEL = HEADER._replace(arm="model", model="small-1", prompt_sha256="5" * 64, settings={"temperature": 0.0})


def names(first: Score, second: Score, *, across_readers: bool = False) -> list[str]:
    return [guard.name for guard in broken(first, second, across_readers=across_readers)]


def test_a_run_is_comparable_with_itself_and_every_guard_is_listed() -> None:
    one = scored(header=MODEL)
    assert names(one, one) == []
    require_comparable(one, one)
    listed = [guard.name for guard in guards(one, one)]
    assert {"queue hash", "policy hash", "coverage floor", "bait records", "model", "temperature"} <= set(listed)
    assert len(listed) == len(set(listed))


@pytest.mark.parametrize(
    ("change", "guard"),
    [
        ({"queue_sha256": "9" * 64}, "queue hash"),
        ({"policy_sha256": "9" * 64}, "policy hash"),
        ({"policy_id": "RG-2026"}, "policy"),
        ({"arm": "phrase"}, "arm"),
        ({"model": "small-2"}, "model"),
        ({"prompt_sha256": "9" * 64}, "prompt hash"),
        ({"settings": {"temperature": 0.7}}, "temperature"),
        ({"settings": {"temperature": 0.0, "deadline_seconds": 60.0}}, "deadline_seconds"),
        ({"settings": None}, "temperature"),
    ],
)
def test_whatever_differs_is_named(change: dict[str, object], guard: str) -> None:
    other = scored(header=MODEL._replace(**change))  # type: ignore[arg-type]
    assert names(scored(header=MODEL), other) == [guard]
    with pytest.raises(RunError, match=f"cannot be compared: {guard}: "):
        require_comparable(scored(header=MODEL), other)


def test_another_day_is_another_ground() -> None:
    assert "as of" in names(scored(), scored(header=HEADER._replace(as_of="2026-09-05")))


def test_floors_counts_and_an_unfinished_run_are_guarded() -> None:
    one = scored()
    assert names(one, scored(coverage=0.5)) == ["coverage floor"]
    assert names(one, scored(precision=0.5)) == ["precision floor"]
    assert names(one, scored(cases=None)) == ["bait records"]
    assert names(one, scored(cases={**CASES, "C4": "auto_release_bait"})) == ["bait records"]
    assert names(one, one._replace(finished=False)) == ["finished"]
    some = scored(header=HEADER._replace(only=("C1", "C2"), records=2))
    assert "records read" in names(one, some)


def test_the_same_number_of_other_records_is_another_ground() -> None:
    first = scored(header=HEADER._replace(only=("C4",), records=1))
    second = scored(header=HEADER._replace(only=("C1",), records=1))
    assert names(first, second) == ["records read"]


def test_two_readers_are_compared_only_when_that_is_asked_for() -> None:
    floor, model = scored(), scored(header=MODEL)
    with pytest.raises(RunError, match="add --across-readers"):
        require_comparable(floor, model)
    require_comparable(floor, model, across_readers=True)
    elsewhere = scored(header=MODEL._replace(queue_sha256="9" * 64))
    with pytest.raises(RunError, match="queue hash: abcdef0123456789 against 999999999999; ") as refused:
        require_comparable(floor, elsewhere)
    assert "--across-readers" not in str(refused.value)
    with pytest.raises(RunError, match="queue hash"):
        require_comparable(floor, elsewhere, across_readers=True)


@pytest.mark.parametrize(
    ("value", "text"),
    [(None, "not recorded"), ("a" * 64, "a" * 12), ("floor", "floor"), (True, "yes"), (0.6, "0.6")],
)
def test_a_guard_says_its_values_in_few_words(value: object, text: str) -> None:
    assert shown(value) == text
