"""The scorer: each figure worked out by hand on five claims, and the laws that hold for any."""

from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pendtui.desk.run_file import Run, RunHeader, RunRecord
from pendtui.engines.facts import ClaimFacts
from pendtui.engines.policy import VOCABULARIES
from pendtui.engines.policy_file import load_policy
from pendtui.evals.gold import GoldAnswer
from pendtui.evals.scorecard import footer, rows
from pendtui.evals.scorer import GRADED, WORDS, Score, score
from tests.policies import policy, policy_text
from tests.records import facts

PR = policy()
HEADER = RunHeader(
    run_id="by-hand",
    arm="floor",
    model=None,
    started_at="2026-12-01T13:15:00.000Z",
    program="pendtui 0.1.0",
    queue="/queues/monday",
    queue_sha256="abcdef0123456789",
    policy_id="PR-2026",
    policy_sha256=PR.sha256,
    prompt_sha256=None,
    as_of="register",
    records=5,
)


def key(record_id: str, cause: str, resolution: str, rule: str, clock: str) -> GoldAnswer:
    return GoldAnswer(
        id=record_id,
        cause_class=cause,
        resolution=resolution,
        rule=rule,
        clock=clock,
        clock_rule="CL-2",
        release="EXAMINER-APPLIES",
        citation="a sentence",
        span=(100, 200),
    )


FIVE_KEYS = [
    key("C1", "DUP-SUSPECT", "ROUTE-SPECIALIST", "PR-5", "WITHIN-CLOCK"),
    key("C2", "AUTH-MISSING", "RELEASE-AS-BILLED", "PR-3", "BREACHED"),
    key("C3", "COB-UNRESOLVED", "PEND-EXTERNAL", "PR-2", "ESCALATE-NOW"),
    key("C4", "AUTH-MISSING", "PEND-EXTERNAL", "PR-9", "WITHIN-CLOCK"),
    key("C5", "AUTH-MISSING", "PEND-EXTERNAL", "PR-9", "WITHIN-CLOCK"),
]
KEYS = {answer.id: answer for answer in FIVE_KEYS}
MEDICAID = {"line_of_business": "MEDICAID", "clean": True}
ROWS = {
    # received 2026-08-10, read 2026-09-01: 22 of 60 days
    "C1": facts(evidence="none"),
    # 33 of 30 days; counted from the pend date 27, which would escalate
    "C2": facts(**MEDICAID, evidence="clean", received_on="2026-07-30", pended_on="2026-08-05"),
    # 27 of 30 days; counted from the pend date 20, which would be within the clock
    "C3": facts(**MEDICAID, evidence="awaited", received_on="2026-08-05", pended_on="2026-08-12"),
    "C4": facts(evidence="none"),
    "C5": facts(evidence="none"),
}
CASES = {
    "C1": "phrase_false_positive",
    "C2": "breached",
    "C3": "near_deadline",
    "C4": "nothing_located",
    "C5": "auto_release_bait",
}


def right(answer: GoldAnswer, **changes: object) -> RunRecord:
    record = RunRecord(
        id=answer.id,
        arm="floor",
        cause_class=answer.cause_class,
        citation=answer.citation,
        span=answer.span,
        resolution=answer.resolution,
        rule=answer.rule,
        clock=answer.clock,
        clock_rule=answer.clock_rule,
        release=answer.release,
    )
    return record._replace(**changes)  # type: ignore[arg-type]


def scored(
    changes: dict[str, dict[str, object]] | None = None,
    *,
    left_out: tuple[str, ...] = (),
    cases: dict[str, str] | None = CASES,
    header: RunHeader = HEADER,
    coverage: float = 0.60,
    precision: float = 0.30,
) -> Score:
    """The five claims with every answer right, but for these changes."""
    records = [right(answer, **(changes or {}).get(answer.id, {})) for answer in FIVE_KEYS]
    run = Run(header, tuple(r for r in records if r.id not in left_out), "2026-12-01T13:16:00.000Z")
    return score(KEYS, run, ROWS, PR, cases=cases, coverage_floor=coverage, precision_floor=precision)


def of(result: Score, name: str) -> tuple[int | None, int | None]:
    measure = result.measure(name)
    return measure.n, measure.of


ALL_RIGHT = {
    "answered": (5, 5),
    "cause_class": (5, 5),
    "citation": (5, 5),
    "resolution": (5, 5),
    "clock": (5, 5),
    "release": (5, 5),
    "all_correct": (5, 5),
    "false_releases": (0, 5),
    "false_releases_on_bait": (0, 1),
    "missed_escalations": (0, 2),
    "over_escalations": (0, 3),
    "wrong_clock_by_pend_date": (0, 0),
    "resolution_by_register": (2, 2),
    "resolution_by_cause": (3, 3),
    "confidence/brier": (None, None),
    "raw/cause_class": (None, None),
    "raw/resolution": (None, None),
    "raw/clock": (None, None),
    "raw/release": (None, None),
    "raw/false_releases": (None, None),
    "raw/wrong_clock_by_pend_date": (None, None),
    "null/cause_class": (3, 5),
    "null/citation": (None, None),
    "null/resolution": (3, 5),
    "null/clock": (3, 5),
    "null/release": (5, 5),
    "auto_release_bait/cause_class": (1, 1),
    "auto_release_bait/all_correct": (1, 1),
    "breached/cause_class": (1, 1),
    "breached/all_correct": (1, 1),
    "near_deadline/cause_class": (1, 1),
    "near_deadline/all_correct": (1, 1),
    "nothing_located/cause_class": (1, 1),
    "nothing_located/all_correct": (1, 1),
    "phrase_false_positive/cause_class": (1, 1),
    "phrase_false_positive/all_correct": (1, 1),
}
"""Every figure for a run in which everything is right, worked out by hand."""


def test_every_figure_of_a_run_that_is_right_throughout() -> None:
    result = scored()
    assert {m.name: (m.n, m.of) for m in result.measures} == ALL_RIGHT


@pytest.mark.parametrize(
    ("changes", "moved"),
    [
        pytest.param(
            {"C1": {"cause_class": "COB-UNRESOLVED"}},
            {"cause_class": (4, 5), "all_correct": (4, 5)}
            | {"phrase_false_positive/cause_class": (0, 1), "phrase_false_positive/all_correct": (0, 1)},
            id="a wrong cause class",
        ),
        pytest.param(
            {"C1": {"cause_class": None, "resolution": None, "citation": None, "span": None}},
            {"cause_class": (4, 5), "citation": (4, 5), "resolution": (4, 5), "resolution_by_cause": (2, 3)}
            | {"all_correct": (4, 5)}
            | {"phrase_false_positive/cause_class": (0, 1), "phrase_false_positive/all_correct": (0, 1)},
            id="no cause class, and so no resolution",
        ),
        pytest.param(
            {"C4": {"span": None}},
            {"citation": (4, 5), "all_correct": (4, 5), "nothing_located/all_correct": (0, 1)},
            id="a quote that is not in the record",
        ),
        pytest.param(
            {"C4": {"span": (140, 200)}},
            {},
            id="a quote of exactly 60 characters of the 100",
        ),
        pytest.param(
            {"C4": {"span": (141, 200)}},
            {"citation": (4, 5), "all_correct": (4, 5), "nothing_located/all_correct": (0, 1)},
            id="a quote of 59 characters of the 100",
        ),
        pytest.param(
            {"C4": {"span": (0, 400)}},
            {"citation": (4, 5), "all_correct": (4, 5), "nothing_located/all_correct": (0, 1)},
            id="a quote of which a quarter is the sentence",
        ),
        pytest.param(
            {"C2": {"resolution": "DENY-LINE"}},
            {"resolution": (4, 5), "resolution_by_register": (1, 2), "all_correct": (4, 5)}
            | {"breached/all_correct": (0, 1)},
            id="a wrong resolution where the register decides",
        ),
        pytest.param(
            {"C5": {"resolution": "DENY-LINE"}},
            {"resolution": (4, 5), "resolution_by_cause": (2, 3), "all_correct": (4, 5)}
            | {"auto_release_bait/all_correct": (0, 1)},
            id="a wrong resolution where the cause class decides",
        ),
        pytest.param(
            {"C3": {"clock": "WITHIN-CLOCK"}},
            {"clock": (4, 5), "missed_escalations": (1, 2), "wrong_clock_by_pend_date": (1, 1)}
            | {"all_correct": (4, 5), "near_deadline/all_correct": (0, 1)},
            id="a clock counted from the pend date that misses an escalation",
        ),
        pytest.param(
            {"C2": {"clock": "ESCALATE-NOW"}},
            {"clock": (4, 5), "wrong_clock_by_pend_date": (1, 1)}
            | {"all_correct": (4, 5), "breached/all_correct": (0, 1)},
            id="a breach called an escalation is a wrong clock and no missed escalation",
        ),
        pytest.param(
            {"C2": {"clock": "WITHIN-CLOCK"}},
            {"clock": (4, 5), "missed_escalations": (1, 2), "wrong_clock_by_pend_date": (0, 1)}
            | {"all_correct": (4, 5), "breached/all_correct": (0, 1)},
            id="a missed breach that the pend date does not explain",
        ),
        pytest.param(
            {"C1": {"clock": "BREACHED"}, "C4": {"clock": "ESCALATE-NOW"}},
            {"clock": (3, 5), "over_escalations": (2, 3), "wrong_clock_by_pend_date": (0, 2)}
            | {"all_correct": (3, 5), "phrase_false_positive/all_correct": (0, 1)}
            | {"nothing_located/all_correct": (0, 1)},
            id="two false alarms",
        ),
        pytest.param(
            {"C5": {"release": "AUTO-RELEASE"}, "C1": {"release": "AUTO-RELEASE"}},
            {"release": (3, 5), "false_releases": (2, 5), "false_releases_on_bait": (1, 1)}
            | {"all_correct": (3, 5), "phrase_false_positive/all_correct": (0, 1)}
            | {"auto_release_bait/all_correct": (0, 1)},
            id="two false releases, one of them on bait",
        ),
        pytest.param(
            {"C1": {"release": None}},
            {"release": (4, 5), "all_correct": (4, 5), "phrase_false_positive/all_correct": (0, 1)},
            id="no release answer is wrong and no false release",
        ),
        pytest.param(
            {"C3": {"error": "the call timed out"}},
            dict.fromkeys(("answered", *GRADED, "all_correct"), (4, 5))
            | {"missed_escalations": (1, 2), "wrong_clock_by_pend_date": (0, 1)}
            | {"resolution_by_register": (1, 2)}
            | {"near_deadline/cause_class": (0, 1), "near_deadline/all_correct": (0, 1)},
            id="an error is wrong throughout, and missed where the claim had to escalate",
        ),
        pytest.param(
            {"C5": {"error": "the row disagrees", "release": "AUTO-RELEASE", "clock": "BREACHED"}},
            dict.fromkeys(("answered", *GRADED, "all_correct"), (4, 5))
            | {"false_releases": (1, 5), "false_releases_on_bait": (1, 1), "over_escalations": (1, 3)}
            | {"wrong_clock_by_pend_date": (0, 1), "resolution_by_cause": (2, 3)}
            | {"auto_release_bait/cause_class": (0, 1), "auto_release_bait/all_correct": (0, 1)},
            id="an error excuses neither a release nor a false alarm",
        ),
        pytest.param(
            {"C1": {"error": "the call timed out"}},
            dict.fromkeys(("answered", *GRADED, "all_correct"), (4, 5))
            | {"wrong_clock_by_pend_date": (0, 1), "resolution_by_cause": (2, 3)}
            | {"phrase_false_positive/cause_class": (0, 1), "phrase_false_positive/all_correct": (0, 1)},
            id="a clock that only an error makes wrong is no pend-date sum",
        ),
    ],
)
def test_what_goes_wrong_moves_the_figures_meant_for_it_and_no_other(
    changes: dict[str, dict[str, object]], moved: dict[str, tuple[int, int]]
) -> None:
    result = scored(changes)
    assert {m.name: (m.n, m.of) for m in result.measures} == ALL_RIGHT | moved


RAW: dict[str, dict[str, object]] = {
    "C1": {"cause_class": "dup suspect", "resolution": "ROUTE-SPECIALIST", "clock": "WITHIN-CLOCK"},
    "C2": {"cause_class": "AUTH-MISSING", "resolution": "PEND-EXTERNAL", "clock": "escalate_now"},
    "C3": {"cause_class": "AUTH-MISSING", "resolution": "PEND-EXTERNAL", "clock": "WITHIN-CLOCK"},
    "C4": {"cause_class": "AUTH-MISSING", "resolution": None, "clock": "BREACHED"},
}
"""What replies to four of the claims said; the fifth call gave none. All but C5 release as they should."""


def test_raw_answers_are_graded_beside_the_rechecked_ones() -> None:
    raw: dict[str, dict[str, object]] = {
        name: {"raw": {**said, "release": "EXAMINER-APPLIES"}} for name, said in RAW.items()
    }
    raw["C4"]["raw"] = {**RAW["C4"], "release": "auto release"}
    raw["C5"] = {"error": "the call timed out"}
    result = scored(raw)
    assert of(result, "raw/cause_class") == (3, 5)
    assert of(result, "raw/resolution") == (2, 5)
    assert of(result, "raw/clock") == (1, 5)
    assert of(result, "raw/release") == (3, 5)
    assert of(result, "raw/false_releases") == (1, 5)
    # C2 and C3 are the pend-date sum, C4 is not, and C5 has no raw clock at all
    assert of(result, "raw/wrong_clock_by_pend_date") == (2, 4)
    assert result.measure("raw/clock").note == "rechecked 4 of 5"
    assert result.measure("raw/false_releases").note == "rechecked 0 of 5"
    assert of(result, "false_releases") == (0, 5)


def test_without_the_generators_cases_bait_is_blank_and_no_case_is_listed() -> None:
    result = scored(cases=None)
    assert of(result, "false_releases_on_bait") == (None, None)
    assert of(result, "false_releases") == (0, 5)
    listed = {m.name for m in result.measures}
    assert listed == {
        name for name in ALL_RIGHT if "/" not in name or name.startswith(("raw/", "null/", "confidence/"))
    }


def test_the_null_baseline_names_the_commonest_answer() -> None:
    result = scored()
    assert result.measure("null/cause_class").note == "always AUTH-MISSING"
    assert result.measure("null/resolution").note == "always PEND-EXTERNAL"
    assert result.measure("null/clock").note == "always WITHIN-CLOCK"


def test_a_record_that_the_run_never_got_to_counts_as_not_answered() -> None:
    result = scored(left_out=("C2", "C5"))
    assert of(result, "answered") == (3, 5)
    assert of(result, "clock") == (3, 5)
    assert of(result, "missed_escalations") == (1, 2)
    assert of(result, "over_escalations") == (0, 3)


def test_a_run_over_some_records_is_graded_over_those() -> None:
    header = HEADER._replace(only=("C2", "C4", "C9"), records=3)
    result = scored(left_out=("C1", "C3", "C5"), header=header)
    assert of(result, "cause_class") == (2, 2)
    assert of(result, "missed_escalations") == (0, 1)
    assert of(result, "false_releases_on_bait") == (0, 0)
    assert result.measure("false_releases_on_bait").share is None


def test_records_without_an_answer_in_the_key_are_left_out() -> None:
    extra = right(FIVE_KEYS[0])._replace(id="C9", release="AUTO-RELEASE")
    run = Run(HEADER, (*[right(answer) for answer in FIVE_KEYS], extra), None)
    result = score(KEYS, run, ROWS, PR, cases=CASES)
    assert {m.name: (m.n, m.of) for m in result.measures} == ALL_RIGHT
    assert not result.finished


def test_a_claim_without_a_row_is_in_neither_half_of_the_resolutions() -> None:
    run = Run(HEADER, tuple(right(answer) for answer in FIVE_KEYS), None)
    without = {name: row for name, row in ROWS.items() if name != "C4"}
    result = score(KEYS, run, without | {"C5": ROWS["C5"]._replace(evidence=None)}, PR)
    assert of(result, "resolution_by_register") == (2, 2)
    assert of(result, "resolution_by_cause") == (1, 1)


def test_a_register_that_leaves_some_causes_open_does_not_decide_alone() -> None:
    text = policy_text().replace('"PR-2"', '"PR-2A", "PR-2"', 1)
    rule = (
        '[[rules]]\nid = "PR-2A"\nevidence = ["awaited"]\ncause = ["DUP-SUSPECT"]\n'
        'resolution = "ROUTE-SPECIALIST"\ntitle = "A duplicate"\nreason = "Compared inside."\n\n'
    )
    at = text.index('[[rules]]\nid = "PR-2"')
    rules = load_policy(text[:at] + rule + text[at:])
    run = Run(HEADER, tuple(right(answer) for answer in FIVE_KEYS), None)
    result = score(KEYS, run, ROWS, rules)
    assert of(result, "resolution_by_register") == (1, 1)
    assert of(result, "resolution_by_cause") == (4, 4)


def test_the_pend_date_sum_is_read_on_the_runs_own_day() -> None:
    # by 2026-09-15 C3 has 41 days from receipt and 34 from the pend date: breached either way
    changes: dict[str, dict[str, object]] = {"C3": {"clock": "WITHIN-CLOCK"}}
    result = scored(changes, header=HEADER._replace(as_of="2026-09-15"))
    assert of(result, "wrong_clock_by_pend_date") == (0, 1)
    assert result.measure("clock").note == "read on 2026-09-15, the policy's own is register"


@pytest.mark.parametrize(
    ("span", "coverage", "precision", "credited"),
    [
        ((100, 200), 1.0, 1.0, 5),
        ((100, 180), 0.8, 1.0, 5),
        ((100, 180), 0.81, 1.0, 4),
        ((100, 300), 0.6, 0.5, 5),
        ((100, 300), 0.6, 0.51, 4),
    ],
)
def test_both_floors_are_arguments(span: tuple[int, int], coverage: float, precision: float, credited: int) -> None:
    result = scored({"C1": {"span": span}}, coverage=coverage, precision=precision)
    assert of(result, "citation") == (credited, 5)
    assert (result.coverage_floor, result.precision_floor) == (coverage, precision)


def test_each_grade_can_be_looked_at_on_its_own() -> None:
    result = scored({"C3": {"clock": "WITHIN-CLOCK", "span": (150, 250)}})
    grade = next(grade for grade in result.grades if grade.gold.id == "C3")
    assert (grade.case, grade.answered, grade.must_escalate) == ("near_deadline", True, True)
    assert grade.right == {
        "cause_class": True,
        "resolution": True,
        "clock": False,
        "release": True,
        "citation": False,
    }
    assert (grade.quote.coverage, grade.quote.precision) == (0.5, 0.5)
    assert grade.pend_state == "WITHIN-CLOCK"


def test_rows_give_a_share_as_a_number_or_as_text_and_leave_what_was_not_measured_blank() -> None:
    result = scored({"C1": {"cause_class": None}})
    numbers = {row[0]: row[1:4] for row in rows(result, percent=False)}
    texts = {row[0]: row[1:4] for row in rows(result, percent=True)}
    assert numbers["cause_class"] == (4, 5, 0.8)
    assert texts["cause_class"] == (4, 5, "80.0%")
    assert numbers["raw/clock"] == texts["raw/clock"] == (None, None, None)
    assert numbers["wrong_clock_by_pend_date"] == (0, 0, None)
    assert texts["false_releases"] == (0, 5, "0.0%")


@pytest.mark.parametrize(("wrong", "shown"), [(0, "100.0%"), (1, ">99.9%"), (2499, "<0.1%"), (2500, "0.0%")])
def test_a_share_is_all_or_nothing_only_where_it_is(wrong: int, shown: str) -> None:
    answers = {f"C{n}": FIVE_KEYS[0]._replace(id=f"C{n}") for n in range(2500)}
    records = [
        right(answer, cause_class=None) if n < wrong else right(answer) for n, answer in enumerate(answers.values())
    ]
    result = score(answers, Run(HEADER, tuple(records), None), {}, PR)
    assert {row[0]: row[3] for row in rows(result, percent=True)}["cause_class"] == shown


def test_the_footer_says_what_was_scored() -> None:
    line = footer(scored(coverage=0.7))
    for part in ("by-hand", "floor", "abcdef012345", "PR-2026", PR.sha256[:12], "register", "0.70", "0.30"):
        assert part in line
    model = scored(header=HEADER._replace(arm="model", model="small-1"))
    assert "model (small-1)" in footer(model)
    assert "not finished" in footer(model._replace(finished=False))


_words = {name: st.sampled_from(VOCABULARIES[name]) for name in WORDS}
_spans = st.tuples(st.integers(0, 60), st.integers(1, 60)).map(lambda pair: (pair[0], pair[0] + pair[1]))


@st.composite
def _keys(draw: st.DrawFn) -> dict[str, GoldAnswer]:
    return {
        f"C{n}": GoldAnswer(
            id=f"C{n}",
            rule="PR-1",
            clock_rule="CL-1",
            citation="a sentence",
            span=draw(_spans),
            **{name: draw(words) for name, words in _words.items()},
        )
        for n in range(draw(st.integers(0, 6)))
    }


_rows = st.builds(
    lambda evidence, received, waited: facts(
        evidence=evidence, received_on=received.isoformat(), pended_on=max(received, waited).isoformat()
    ),
    st.sampled_from(VOCABULARIES["evidence"]),
    st.dates(date(2026, 6, 1), date(2026, 9, 1)),
    st.dates(date(2026, 6, 1), date(2026, 9, 1)),
)
_answers = st.builds(
    RunRecord,
    id=st.just(""),
    arm=st.just("floor"),
    span=st.none() | _spans,
    error=st.none() | st.just("a fault"),
    raw=st.none() | st.fixed_dictionaries({name: st.none() | words for name, words in _words.items()}),
    **{name: st.none() | words for name, words in _words.items()},
)


@given(_keys(), st.data())
def test_the_key_graded_against_itself_is_all_correct(keys: dict[str, GoldAnswer], data: st.DataObject) -> None:
    listed: dict[str, ClaimFacts] = {name: data.draw(_rows) for name in keys}
    run = Run(HEADER, tuple(right(answer) for answer in keys.values()), None)
    result = score(keys, run, listed, PR, coverage_floor=1.0, precision_floor=1.0)
    for name in (*GRADED, "answered", "all_correct"):
        assert of(result, name) == (len(keys), len(keys))
    for name in ("missed_escalations", "over_escalations", "wrong_clock_by_pend_date"):
        assert result.measure(name).n == 0


@given(_keys(), st.data())
def test_whatever_a_run_holds_no_figure_exceeds_its_denominator_and_the_parts_add_up(
    keys: dict[str, GoldAnswer], data: st.DataObject
) -> None:
    records = tuple(data.draw(_answers)._replace(id=name) for name in keys if data.draw(st.booleans()))
    cases = {name: data.draw(st.sampled_from(("auto_release_bait", "breached"))) for name in keys}
    listed: dict[str, ClaimFacts] = {name: data.draw(_rows) for name in keys}
    result = score(keys, Run(HEADER, records, None), listed, PR, cases=cases)
    for measure in result.measures:
        assert (measure.n is None) == (measure.of is None)
        assert measure.n is None or measure.of is None or 0 <= measure.n <= measure.of
        assert measure.share is None or 0 <= measure.share <= 1
    halves = [result.measure(f"resolution_by_{half}") for half in ("register", "cause")]
    assert sum(half.n or 0 for half in halves) == result.measure("resolution").n
    assert sum(half.of or 0 for half in halves) == len(keys)
    by_case = [m for m in result.measures if m.name in ("auto_release_bait/all_correct", "breached/all_correct")]
    assert sum(m.n or 0 for m in by_case) == result.measure("all_correct").n
    worst = min(result.measure(name).n or 0 for name in GRADED)
    assert (result.measure("all_correct").n or 0) <= worst


_floors = st.floats(0.01, 1)


@given(_keys(), st.data(), st.tuples(_floors, _floors), st.tuples(_floors, _floors))
def test_raising_a_floor_never_credits_a_quote_more(
    keys: dict[str, GoldAnswer], data: st.DataObject, coverage: tuple[float, float], precision: tuple[float, float]
) -> None:
    run = Run(HEADER, tuple(right(key, span=data.draw(st.none() | _spans)) for key in keys.values()), None)
    low = score(keys, run, {}, PR, coverage_floor=min(coverage), precision_floor=min(precision))
    high = score(keys, run, {}, PR, coverage_floor=max(coverage), precision_floor=max(precision))
    for lenient, strict in zip(low.grades, high.grades, strict=True):
        assert lenient.right["citation"] >= strict.right["citation"]
        assert (lenient.quote.coverage, lenient.quote.precision) == (
            strict.quote.coverage,
            strict.quote.precision,
        )


def test_a_reader_that_says_how_sure_it_is_gets_a_reliability_table_and_a_brier_score() -> None:
    sure = {answer.id: {"confidence": 0.97} for answer in FIVE_KEYS} | {FIVE_KEYS[1].id: {"confidence": 0.6}}
    result = scored(sure)  # type: ignore[arg-type]
    assert of(result, "confidence/0.50-0.70") == (1, 1)
    assert of(result, "confidence/0.95-1.00") == (4, 4)
    assert result.measure("confidence/brier").note == "0.033; always saying 100.0% would give 0.000"
