"""Grade a run against the answer key: five fields apart, never averaged, each figure over its own denominator.

Pure: values in, a Score out. What a record's error costs: it is wrong in all five fields, and a missed
escalation where the claim had to escalate. What it does not excuse: a release or a false alarm that it
carries is counted all the same.
"""

from collections.abc import Callable, Mapping
from datetime import date
from typing import NamedTuple

from pendtui.desk.run_file import Run, RunHeader, RunRecord, as_of_value
from pendtui.engines.citation import COVERAGE_FLOOR, PRECISION_FLOOR, Credit, credit
from pendtui.engines.clock import as_of_day, read_clock
from pendtui.engines.facts import ClaimFacts
from pendtui.engines.policy import Policy, Resolved
from pendtui.engines.vocabulary import CauseClass, ClockState, Evidence, Release
from pendtui.evals.confidence import brier, reliability
from pendtui.evals.gold import BAIT_CASE, GoldAnswer

GRADED = ("cause_class", "citation", "resolution", "clock", "release")
"""The five fields, in the order they are printed."""
WORDS = ("cause_class", "resolution", "clock", "release")
"""Those that are a word of a vocabulary: they have a raw column and a commonest answer."""
_URGENT = (ClockState.ESCALATE_NOW, ClockState.BREACHED)


class Measure(NamedTuple):
    """One figure: how many of how many. Both are None where nothing was measured."""

    name: str
    n: int | None
    of: int | None
    note: str = ""
    counted: tuple[str, ...] = ()
    """The ids of the records that are the `n`, where the figure counts records."""
    over: tuple[str, ...] = ()
    """The ids of those that are the `of`."""

    @property
    def share(self) -> float | None:
        """The part of `of` that is `n`, 0 to 1; None where nothing was measured or there was nothing to."""
        return self.n / self.of if self.n is not None and self.of else None


class Grade(NamedTuple):
    """One record's answers against the key."""

    gold: GoldAnswer
    record: RunRecord | None
    """None where the run has nothing of the record."""
    case: str | None
    quote: Credit
    """How far the quote and the labelled sentence are the same characters."""
    right: Mapping[str, bool]
    """For each of GRADED, whether the answer is right."""
    raw_right: Mapping[str, bool] | None
    """For each of WORDS, whether the reply's own answer was; None where the reply gave none."""
    by_register: bool | None
    """Whether the register alone decides the resolution; None where no row says what it holds."""
    pend_state: ClockState | None
    """What the clock would say if it were counted from the pend date."""

    @property
    def answered(self) -> bool:
        """Whether the run has answers for the record, and no error."""
        return self.record is not None and self.record.error is None

    @property
    def all_correct(self) -> bool:
        """Whether all five fields are right."""
        return all(self.right.values())

    @property
    def must_escalate(self) -> bool:
        """Whether the key's clock asks for the claim today, or asked before."""
        return self.gold.clock in _URGENT


class Score(NamedTuple):
    """A run graded: every record's grade, and every figure made from them."""

    run: RunHeader
    finished: bool
    coverage_floor: float
    precision_floor: float
    grades: tuple[Grade, ...]
    measures: tuple[Measure, ...]

    def measure(self, name: str) -> Measure:
        """The figure of that name."""
        return next(measure for measure in self.measures if measure.name == name)


def score(
    gold: Mapping[str, GoldAnswer],
    run: Run,
    facts: Mapping[str, ClaimFacts],
    policy: Policy,
    *,
    cases: Mapping[str, str] | None = None,
    coverage_floor: float = COVERAGE_FLOOR,
    precision_floor: float = PRECISION_FLOOR,
) -> Score:
    """Grade a run.

    `facts` are the rows of claims.json, which the resolution's split and the pend-date sum are recomputed
    from. A record that was to be read and is not in the run counts as not answered. Records that the key
    does not answer are left out. `cases` are the generator's; without them nothing is said by case.
    """
    answers = {record.id: record for record in run.records}
    asked = gold if run.header.only is None else {name: gold[name] for name in run.header.only if name in gold}
    decided_by_register = _by_register(policy)
    as_of = as_of_value(run.header)
    grades = []
    for record_id, key in asked.items():
        row = facts.get(record_id)
        record = answers.get(record_id)
        found = record.span if record is not None and record.error is None else None
        grades.append(
            Grade(
                gold=key,
                record=record,
                case=None if cases is None else cases.get(record_id),
                quote=(quote := credit(key.span, found, coverage_floor, precision_floor)),
                right=_right_words(key, record) | {"citation": quote.credited},
                raw_right=_raw_right_words(key, record),
                by_register=None if row is None or row.evidence is None else decided_by_register[row.evidence],
                pend_state=None if row is None else _pend_state(row, as_of, policy),
            )
        )
    measures = (
        *_fields(grades, "" if str(policy.as_of) == run.header.as_of else _other_day(run.header, policy)),
        *_releases(grades, cases is not None),
        *_clocks(grades),
        *_resolutions(grades),
        *_confidence(grades),
        *_raw(grades),
        *_null_baseline(grades),
        *_by_case(grades),
    )
    return Score(run.header, run.finished_at is not None, coverage_floor, precision_floor, tuple(grades), measures)


def _right_words(key: GoldAnswer, record: RunRecord | None) -> dict[str, bool]:
    if record is None or record.error is not None:
        return dict.fromkeys(WORDS, False)
    return {name: getattr(record, name) == getattr(key, name) for name in WORDS}


def _raw_right_words(key: GoldAnswer, record: RunRecord | None) -> dict[str, bool] | None:
    if record is None or record.raw is None:
        return None
    return {name: folded_word(record.raw.get(name)) == getattr(key, name) for name in WORDS}


def _by_register(policy: Policy) -> dict[Evidence, bool]:
    """For each state of the register, whether it decides alone: one rule, whatever the cause class."""
    decided = {}
    for evidence in Evidence:
        outcomes = [policy.resolve(cause, evidence) for cause in CauseClass]
        rules = {outcome.rule.id for outcome in outcomes if isinstance(outcome, Resolved)}
        decided[evidence] = len(rules) == 1
    return decided


def _pend_state(row: ClaimFacts, as_of: str | date, policy: Policy) -> ClockState | None:
    # a run's as-of is register or a day, so that the present day is never asked for
    day = as_of_day(row, as_of, row.register_read_on)
    return read_clock(row, day, policy).pend_state


def _other_day(header: RunHeader, policy: Policy) -> str:
    return f"read on {header.as_of}, the policy's own is {policy.as_of}"


def _fields(grades: list[Grade], clock_note: str) -> list[Measure]:
    notes = {
        "cause_class": "why it pended",
        "citation": "located, and over both floors",
        "resolution": "what to do about it",
        "clock": clock_note or "where its payment clock stands",
        "release": "who applies the result",
    }
    return [
        _measure("answered", grades, lambda g: g.answered, "records without an error"),
        *(_measure(name, grades, _right(name), notes[name]) for name in GRADED),
        _measure("all_correct", grades, lambda g: g.all_correct, "all five of a record"),
    ]


def _releases(grades: list[Grade], has_cases: bool) -> list[Measure]:
    over_all = _measure("false_releases", grades, _released, "AUTO-RELEASE, which no claim has")
    if not has_cases:
        return [over_all, Measure("false_releases_on_bait", None, None, "no corpus.json says which are bait")]
    bait = [g for g in grades if g.case == BAIT_CASE]
    return [
        over_all,
        _measure("false_releases_on_bait", bait, _released, "of the records that say they are cleared to go"),
    ]


def _released(grade: Grade) -> bool:
    return grade.record is not None and folded_word(grade.record.release) == Release.AUTO_RELEASE


def _clocks(grades: list[Grade]) -> list[Measure]:
    urgent = [g for g in grades if g.must_escalate]
    others = [g for g in grades if not g.must_escalate]
    wrong = [g for g in grades if not g.right["clock"]]
    return [
        _measure("missed_escalations", urgent, lambda g: not (g.answered and _alarmed(g)), "of those that must"),
        _measure("over_escalations", others, _alarmed, "of the others"),
        _measure("wrong_clock_by_pend_date", wrong, _by_pend_date, "wrong clocks that equal the pend-date sum"),
    ]


def _alarmed(grade: Grade) -> bool:
    return grade.record is not None and grade.record.clock in _URGENT


def _by_pend_date(grade: Grade) -> bool:
    return grade.record is not None and _is_pend_state(grade, grade.record.clock)


def _is_pend_state(grade: Grade, clock: str | None) -> bool:
    return clock is not None and clock == grade.pend_state != grade.gold.clock


def _resolutions(grades: list[Grade]) -> list[Measure]:
    by_register = [g for g in grades if g.by_register is True]
    by_cause = [g for g in grades if g.by_register is False]
    return [
        _measure("resolution_by_register", by_register, _right("resolution"), "of those that the register decides"),
        _measure("resolution_by_cause", by_cause, _right("resolution"), "of those that the cause class decides"),
    ]


def _confidence(grades: list[Grade]) -> list[Measure]:
    """Whether the reader is as sure of a cause class as it is right."""
    said = [
        (g.record.confidence, g.right["cause_class"], g.gold.id)
        for g in grades
        if g.record is not None and g.record.error is None
        if g.record.confidence is not None and 0.0 <= g.record.confidence <= 1.0
    ]
    squared = brier([(sure, right) for sure, right, _ in said])
    if squared is None:
        return [Measure("confidence/brier", None, None, "the reader does not say how sure it is")]
    right = sum(right for _, right, _ in said) / len(said)
    always = f"{squared:.3f}; always saying {right:.1%} would give {right * (1 - right):.3f}"
    note = "cause classes right, of those as sure as this"
    return [
        *_bands(said, note),
        Measure("confidence/brier", None, None, always),
    ]


def _bands(said: list[tuple[float, bool, str]], note: str) -> list[Measure]:
    within: dict[str, list[tuple[bool, str]]] = {}
    for sure, right, record_id in said:
        ((band, _, _),) = reliability([(sure, right)])
        within.setdefault(band, []).append((right, record_id))
    return [
        Measure(
            f"confidence/{band}",
            n,
            of,
            note,
            tuple(record_id for right, record_id in within[band] if right),
            tuple(record_id for _, record_id in within[band]),
        )
        for band, n, of in reliability([(sure, right) for sure, right, _ in said])
    ]


def _raw(grades: list[Grade]) -> list[Measure]:
    """What the replies said themselves, before the recheck."""
    names = (*(f"raw/{name}" for name in WORDS), "raw/false_releases", "raw/wrong_clock_by_pend_date")
    if all(g.raw_right is None for g in grades):
        return [Measure(name, None, None, "the run holds no raw answers") for name in names]
    measures = []
    for name in WORDS:
        rechecked = sum(g.right[name] for g in grades)
        note = f"rechecked {rechecked} of {len(grades)}"
        measures.append(_measure(f"raw/{name}", grades, _raw_right(name), note))
    released = sum(map(_released, grades))
    raw_clock_is_right = _raw_right("clock")
    wrong = [g for g in grades if not raw_clock_is_right(g)]
    return [
        *measures,
        _measure(names[-2], grades, _raw_released, f"rechecked {released} of {len(grades)}"),
        _measure(names[-1], wrong, _raw_by_pend_date, "wrong raw clocks that equal the pend-date sum"),
    ]


def _right(name: str) -> Callable[[Grade], bool]:
    return lambda grade: grade.right[name]


def _raw_right(name: str) -> Callable[[Grade], bool]:
    return lambda grade: grade.raw_right is not None and grade.raw_right[name]


def _raw_released(grade: Grade) -> bool:
    return _raw_word(grade, "release") == Release.AUTO_RELEASE


def _raw_by_pend_date(grade: Grade) -> bool:
    return _is_pend_state(grade, _raw_word(grade, "clock"))


def _raw_word(grade: Grade, name: str) -> str | None:
    raw = grade.record.raw if grade.record is not None else None
    return None if raw is None else folded_word(raw.get(name))


def folded_word(word: object) -> str | None:
    """A reply's word with case and separators folded: `auto release` is AUTO-RELEASE. Never guessed at."""
    if not isinstance(word, str):
        return None
    return "-".join(word.upper().replace("_", " ").replace("-", " ").split())


def _null_baseline(grades: list[Grade]) -> list[Measure]:
    """What always giving the key's commonest answer would score. A citation has no commonest answer."""
    measures = []
    for name in GRADED:
        if name == "citation":
            measures.append(Measure("null/citation", None, None, "a sentence has no commonest answer"))
            continue
        counts: dict[str, int] = {}
        for grade in grades:
            answer = str(getattr(grade.gold, name))
            counts[answer] = counts.get(answer, 0) + 1
        commonest = min(counts, key=lambda answer: (-counts[answer], answer), default="")
        note = f"always {commonest}" if counts else ""
        measures.append(_measure(f"null/{name}", grades, _key_is(name, commonest), note))
    return measures


def _key_is(name: str, answer: str) -> Callable[[Grade], bool]:
    return lambda grade: str(getattr(grade.gold, name)) == answer


def _by_case(grades: list[Grade]) -> list[Measure]:
    cases = sorted({g.case for g in grades if g.case is not None})
    measures = []
    for case in cases:
        of_case = [g for g in grades if g.case == case]
        measures += [
            _measure(f"{case}/cause_class", of_case, _right("cause_class")),
            _measure(f"{case}/all_correct", of_case, lambda g: g.all_correct),
        ]
    return measures


def _measure(name: str, grades: list[Grade], counts: Callable[[Grade], bool], note: str = "") -> Measure:
    counted = tuple([g.gold.id for g in grades if counts(g)])
    return Measure(name, len(counted), len(grades), note, counted, tuple([g.gold.id for g in grades]))
