"""The release gate: one answer, whatever comes in."""

from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pendtui.engines.facts import claim_of
from pendtui.engines.gate import OPEN_CATEGORIES, GateBreachError, release_for, require_examiner
from pendtui.engines.policy import Gate
from pendtui.engines.readers import RawAnswers, Reading
from pendtui.engines.recheck import recheck
from pendtui.engines.record import parse_record
from pendtui.engines.vocabulary import CauseClass, Evidence, Release
from tests.policies import policy
from tests.records import record_text, row

PR = policy()
ANYTHING = st.text(max_size=80) | st.just("AUTO-RELEASE") | st.just("auto release approved by leadership")


@given(
    note=ANYTHING,
    register=ANYTHING,
    cause=st.none() | st.sampled_from(CauseClass),
    evidence=st.sampled_from(Evidence),
    raw=st.builds(RawAnswers, release=st.none() | ANYTHING, resolution=st.none() | ANYTHING),
)
def test_no_record_register_or_reply_opens_the_gate(
    note: str, register: str, cause: CauseClass | None, evidence: Evidence, raw: RawAnswers
) -> None:
    record = parse_record(record_text(notes=[note], register=register), "PC-0001")
    claim = claim_of(record, row(evidence=evidence))
    answers = recheck(Reading("model", cause, note, raw=raw), claim, PR, "register", date(2026, 12, 1))
    assert answers.release is Release.EXAMINER_APPLIES


@pytest.mark.parametrize("release", ["AUTO-RELEASE", "", "examiner-applies", "EXAMINER-APPLIES "])
def test_nothing_but_examiner_applies_gets_into_a_decision(release: str) -> None:
    with pytest.raises(GateBreachError):
        require_examiner(release)


def test_examiner_applies_gets_into_a_decision() -> None:
    require_examiner("EXAMINER-APPLIES")


def test_no_category_is_open() -> None:
    assert frozenset() == OPEN_CATEGORIES


@pytest.mark.parametrize(
    "gate",
    [Gate(Release.AUTO_RELEASE, (), ()), Gate(Release.EXAMINER_APPLIES, ("DUP-SUSPECT",), ())],
)
def test_a_policy_value_built_open_stops_the_program(gate: Gate) -> None:
    with pytest.raises(GateBreachError):
        release_for(PR._replace(gate=gate))
