"""The raw column as a run of its own: graded by the same rows as the rechecked one, and in agreement with them."""

from hypothesis import given
from hypothesis import strategies as st

from pendtui.desk.run_file import Run
from pendtui.engines.policy import VOCABULARIES
from pendtui.evals.raw_column import NO_REPLY, raw_run
from pendtui.evals.scorer import WORDS, score
from tests.evals.test_scorer import CASES, FIVE_KEYS, HEADER, KEYS, PR, ROWS, right

_words = {
    name: st.none()
    | st.sampled_from([*VOCABULARIES[name], "nonsense", VOCABULARIES[name][0].lower().replace("-", "_")])
    for name in WORDS
}
_raws = st.none() | st.fixed_dictionaries(_words)


def run_of(raws: list[dict[str, object] | None]) -> Run:
    records = tuple(right(key, raw=raw) for key, raw in zip(FIVE_KEYS, raws, strict=True))
    return Run(HEADER, records, HEADER.started_at)


def test_an_offline_reader_has_no_raw_column() -> None:
    assert raw_run(run_of([None] * 5)) is None


@given(st.lists(_raws, min_size=5, max_size=5).filter(any))
def test_the_raw_rows_of_a_score_are_the_rows_of_the_raw_column(raws: list[dict[str, object] | None]) -> None:
    run = run_of(raws)
    raw = raw_run(run)
    assert raw is not None
    beside = score(KEYS, run, ROWS, PR, cases=CASES)
    alone = score(KEYS, raw, ROWS, PR, cases=CASES)
    for name in (*WORDS, "false_releases", "wrong_clock_by_pend_date"):
        one, other = beside.measure(f"raw/{name}"), alone.measure(name)
        assert (one.n, one.of, one.counted, one.over) == (other.n, other.of, other.counted, other.over)


def test_a_record_without_a_reply_is_not_answered() -> None:
    words = {name: getattr(FIVE_KEYS[0], name) for name in WORDS}
    raw = raw_run(run_of([words, None, None, None, None]))
    assert raw is not None
    assert [record.error for record in raw.records] == [None, *[NO_REPLY] * 4]
    graded = score(KEYS, raw, ROWS, PR, cases=CASES)
    assert (graded.measure("answered").n, graded.measure("missed_escalations").n) == (1, 2)
