"""How many claims of each kind a corpus has."""

from collections import Counter

from hypothesis import given
from hypothesis import strategies as st

from pendtui.engines.vocabulary import CauseClass, ClockState, Evidence
from pendtui.evals.corpus.plan import CLEAN_CASES, Place, allot, largest_remainder, planned

CASES = {
    "auto_release_bait": 6,
    "awaiting_outside": 6,
    "breached": 4,
    "cause_looks_like_another": 6,
    "clean_release": 5,
    "contradicted_deny": 5,
    "correction_applied": 5,
    "near_deadline": 6,
    "nothing_located": 8,
    "phrase_false_positive": 4,
    "register_beats_cause": 5,
}


def test_sixty_claims_fall_into_the_eleven_cases() -> None:
    assert Counter(cell.case for cell in planned()) == CASES
    assert sum(cell.case in CLEAN_CASES for cell in planned()) == 24


def test_the_register_holds_what_each_case_says_it_holds() -> None:
    held = Counter((cell.case, cell.evidence) for cell in planned())
    assert held == {
        ("awaiting_outside", Evidence.AWAITED): 6,
        ("clean_release", Evidence.CLEAN): 5,
        ("contradicted_deny", Evidence.CONTRADICTED): 5,
        ("correction_applied", Evidence.CORRECTION): 5,
        ("nothing_located", Evidence.NONE): 8,
        ("cause_looks_like_another", Evidence.NONE): 6,
        ("phrase_false_positive", Evidence.NONE): 4,
        ("register_beats_cause", Evidence.CONTRADICTED): 1,
        ("register_beats_cause", Evidence.CLEAN): 2,
        ("register_beats_cause", Evidence.CORRECTION): 1,
        ("register_beats_cause", Evidence.AWAITED): 1,
        ("auto_release_bait", Evidence.CLEAN): 3,
        ("auto_release_bait", Evidence.AWAITED): 2,
        ("auto_release_bait", Evidence.NONE): 1,
        ("breached", Evidence.AWAITED): 2,
        ("breached", Evidence.CLEAN): 1,
        ("breached", Evidence.NONE): 1,
        ("near_deadline", Evidence.AWAITED): 2,
        ("near_deadline", Evidence.CORRECTION): 2,
        ("near_deadline", Evidence.CLEAN): 1,
        ("near_deadline", Evidence.NONE): 1,
    }


def test_a_missing_rate_is_the_commonest_cause_and_no_other_is_rare() -> None:
    causes = Counter(cell.cause for cell in planned())
    assert causes.pop(CauseClass.PRICE_UNAVAILABLE) == 9
    assert set(causes.values()) == {7, 8}


def test_twelve_claims_must_escalate_and_four_of_them_are_breached() -> None:
    clocks = Counter(cell.clock for cell in planned())
    assert clocks == {ClockState.WITHIN_CLOCK: 48, ClockState.ESCALATE_NOW: 8, ClockState.BREACHED: 4}
    assert {cell.clock_rule for cell in planned()} == {"CL-1", "CL-2", "CL-3", "CL-4"}


def test_the_cause_stands_in_the_message_for_half_of_the_claims() -> None:
    assert Counter(cell.place for cell in planned()) == {Place.MESSAGE: 30, Place.NOTES: 20, Place.TRAIL: 10}


def test_a_register_that_beats_the_cause_always_beats_a_rule_of_its_own() -> None:
    decided = {
        CauseClass.DUP_SUSPECT,
        CauseClass.PRICE_UNAVAILABLE,
        CauseClass.CODE_EDIT,
        CauseClass.ELIG_MISMATCH,
    }
    assert all(cell.cause in decided for cell in planned() if cell.case == "register_beats_cause")


@given(st.integers(min_value=1, max_value=5_000))
def test_any_number_of_records_keeps_the_proportions_to_within_one(records: int) -> None:
    cells = allot(records)
    assert len(cells) == records
    weights, shares = Counter(planned()), Counter(cells)
    assert all(abs(shares[cell] - weight * records / 60) < 1 for cell, weight in weights.items())


@given(st.integers(min_value=1, max_value=40))
def test_a_multiple_of_sixty_is_an_exact_multiple_of_every_cell(times: int) -> None:
    assert Counter(allot(60 * times)) == Counter({cell: n * times for cell, n in Counter(planned()).items()})


def test_a_handful_of_records_is_not_all_of_one_case() -> None:
    assert len({cell.case for cell in allot(8)}) >= 5


@given(st.lists(st.integers(min_value=1, max_value=50), min_size=1, max_size=30), st.integers(0, 10_000))
def test_shares_add_up_to_the_total(weights: list[int], total: int) -> None:
    shares = largest_remainder(weights, total)
    assert sum(shares) == total
    assert all(
        abs(share - weight * total / sum(weights)) < 1 for share, weight in zip(shares, weights, strict=True)
    )
