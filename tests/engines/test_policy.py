"""The rulebook: validated once, then one resolution for every claim."""

from datetime import date
from itertools import permutations, product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pendtui.engines.facts import ClaimFacts
from pendtui.engines.policy import Blocked, Policy, Resolved
from pendtui.engines.policy_file import load_policy
from pendtui.engines.vocabulary import CauseClass, Evidence, LineOfBusiness, Resolution
from pendtui.errors import PolicyError
from tests.policies import policy, policy_text

PR = policy()

TABLE = {
    **{(cause, Evidence.CONTRADICTED): ("PR-1", Resolution.DENY_LINE) for cause in CauseClass},
    **{(cause, Evidence.AWAITED): ("PR-2", Resolution.PEND_EXTERNAL) for cause in CauseClass},
    **{(cause, Evidence.CLEAN): ("PR-3", Resolution.RELEASE_AS_BILLED) for cause in CauseClass},
    **{(cause, Evidence.CORRECTION): ("PR-4", Resolution.ADJUST_AND_RELEASE) for cause in CauseClass},
    **{(cause, Evidence.NONE): ("PR-9", Resolution.PEND_EXTERNAL) for cause in CauseClass},
    (CauseClass.DUP_SUSPECT, Evidence.NONE): ("PR-5", Resolution.ROUTE_SPECIALIST),
    (CauseClass.PRICE_UNAVAILABLE, Evidence.NONE): ("PR-6", Resolution.ROUTE_SPECIALIST),
    (CauseClass.CODE_EDIT, Evidence.NONE): ("PR-7", Resolution.DENY_LINE),
    (CauseClass.ELIG_MISMATCH, Evidence.NONE): ("PR-8", Resolution.DENY_CLAIM),
}


def facts(billed_amount: float | None = None) -> ClaimFacts:
    day = date(2026, 8, 3)
    return ClaimFacts("CLM-2026-400001", LineOfBusiness.MA, True, True, day, day, day, billed_amount=billed_amount)


def resolved(rulebook: Policy, cause: CauseClass | None, evidence: Evidence | None) -> Resolved:
    answer = rulebook.resolve(cause, evidence)
    assert isinstance(answer, Resolved)
    return answer


@pytest.mark.parametrize(("cause", "evidence"), list(product(CauseClass, Evidence)))
def test_every_cause_and_register_has_the_resolution_of_pr_2026(cause: CauseClass, evidence: Evidence) -> None:
    answer = resolved(PR, cause, evidence)
    assert (answer.rule.id, answer.resolution) == TABLE[cause, evidence]


@pytest.mark.parametrize(("cause", "evidence"), list(product(CauseClass, Evidence)))
def test_each_earlier_rule_says_why_it_did_not_fire(cause: CauseClass, evidence: Evidence) -> None:
    answer = resolved(PR, cause, evidence)
    ids = [rule.id for rule in PR.rules]
    assert [rule.id for rule, _ in answer.passed_over] == ids[: ids.index(answer.rule.id)]
    assert all(why for _, why in answer.passed_over)


def test_an_unknown_register_blocks_the_resolution() -> None:
    answer = PR.resolve(CauseClass.AUTH_MISSING, None)
    assert isinstance(answer, Blocked) and answer.missing == "evidence"


@pytest.mark.parametrize("evidence", list(Evidence))
def test_an_unread_cause_blocks_only_where_a_rule_asks_for_it(evidence: Evidence) -> None:
    answer = PR.resolve(None, evidence)
    if evidence is Evidence.NONE:
        assert isinstance(answer, Blocked) and answer.missing == "cause" and "PR-5" in answer.reason
    else:
        assert isinstance(answer, Resolved)


def test_both_shipped_policies_load_and_differ_only_in_the_clock() -> None:
    second = policy("rg-2026")
    assert [rule.id for rule in second.rules] == [rule.id for rule in PR.rules]
    assert [rule.id for rule in second.clock.rules] == ["RC-1", "RC-2", "RC-3", "RC-4", "RC-5", "RC-6"]
    assert second.clock.rules[3].second_mark is not None and second.clock.rules[3].second_mark.days == 90


def changed(old: str, new: str, name: str = "pr-2026") -> str:
    text = policy_text(name)
    assert old in text
    return text.replace(old, new, 1)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("not = [toml", "not valid TOML"),
        (changed('policy_id = "PR-2026"', ""), "'policy_id' is missing"),
        (changed('policy_id = "PR-2026"', 'policy_id = "PR-2026"\nsurprise = 1'), "unknown key 'surprise'"),
        (changed('"PR-1", "PR-2"', '"PR-2", "PR-1"'), "rule PR-1 stands where the order list has PR-2"),
        (changed('"PR-9"]', '"PR-9", "PR-10"]'), "the order list names PR-10"),
        (changed(', "PR-9"]', "]"), "rule PR-9 stands where the order list has nothing more"),
        (changed('id = "PR-2"', 'id = "PR-1"'), "rule PR-1 appears twice"),
        (
            changed(
                'evidence = ["none"]\ncause = ["DUP-SUSPECT"]', 'evidence = ["clean"]\ncause = ["DUP-SUSPECT"]'
            ),
            "PR-5: can never fire",
        ),
        (changed('evidence = ["awaited"]', 'evidence = ["late"]'), "evidence 'late' is none of"),
        (changed('evidence = ["awaited"]', "evidence = []"), "could never fire"),
        (changed('evidence = ["awaited"]', 'evidence = "awaited"'), "not a list of texts"),
        (changed('resolution = "PEND-EXTERNAL"', 'resolution = "PEND"'), "resolution 'PEND' is none of"),
        (
            changed('evidence = ["none"]\nresolution', 'evidence = ["none"]\ncause = ["DOC-REQUIRED"]\nresolution'),
            "falls through every rule",
        ),
        (changed("days = 30", "days = 0"), "neither a whole number above 0"),
        (changed("days = 30", "days = true"), "neither a whole number above 0"),
        (changed("days = 30", ""), "exactly one of days, months"),
        (changed("days = 30", "days = 30\nmonths = 1"), "exactly one of days, months"),
        (changed('basis = "regulation"', 'basis = "custom"'), "basis 'custom' is none of"),
        (changed('basis = "regulation"', 'basis = "contract"'), "go together"),
        (changed("standard_pct = 95", "standard_pct = 195"), "above 100"),
        (
            changed('when = [{ line_of_business = "MA" }]', 'when = [{ line_of_business = "MA", clean = true }]'),
            "has no clock rule",
        ),
        (
            changed('when = [{ line_of_business = "MA" }]', 'when = [{ line_of_business = "HMO" }]'),
            "'HMO' is none of",
        ),
        (changed(", clean = true, contracted = false }]", " }]"), "CL-2: can never apply"),
        (changed('count_from = "received_on"', 'count_from = "pended_on"'), "the clock runs from receipt"),
        (changed("escalate_within_days = 5", "escalate_within_days = -1"), "not a whole number above 0"),
        (changed("open_categories = []", 'open_categories = ["DUP-SUSPECT"]'), "names DUP-SUSPECT as open"),
        (changed('answer = "EXAMINER-APPLIES"', 'answer = "AUTO-RELEASE"'), "can only be EXAMINER-APPLIES"),
        (changed('none = "Nothing has been located"', ""), "'none' is missing"),
        (changed('as_of = "register"', 'as_of = "yesterday"'), "as_of is 'yesterday'"),
    ],
    ids=lambda value: "policy" if len(value) > 100 else value,
)
def test_a_policy_that_cannot_be_used_is_refused_by_name(text: str, said: str) -> None:
    with pytest.raises(PolicyError) as fault:
        load_policy(text, "test.toml")
    assert said in str(fault.value)
    assert "test.toml" in str(fault.value)
    assert "\n" not in str(fault.value)


def reordered(order: tuple[int, ...]) -> str:
    """PR-2026 with its rules, and its order list, in another order."""
    text = policy_text()
    head, *rules = text.split("[[rules]]\n")
    last, clock = rules[-1].split("[clock]\n", 1)
    rules[-1] = last
    ids = ", ".join(f'"PR-{n + 1}"' for n in order)
    start, end = head.index("order = ["), head.index("]", head.index("order = [")) + 1
    head = f"{head[:start]}order = [{ids}]{head[end:]}"
    return head + "".join(f"[[rules]]\n{rules[n]}" for n in order) + "[clock]\n" + clock


@given(st.permutations(range(9)))
def test_moving_a_rule_changes_only_claims_on_which_both_rules_could_fire(order: list[int]) -> None:
    try:
        moved = load_policy(reordered(tuple(order)), "moved")
    except PolicyError as fault:
        refused = str(fault)
        assert "can never fire" in refused
        return
    for cause, evidence in product(CauseClass, Evidence):
        before, after = resolved(PR, cause, evidence).rule, resolved(moved, cause, evidence).rule
        if before.id != after.id:
            assert before.mismatch(cause, evidence) is None
            assert after.mismatch(cause, evidence) is None
            assert order.index(int(after.id[3:]) - 1) < order.index(int(before.id[3:]) - 1)


def test_swapping_two_register_rules_changes_nothing() -> None:
    for first, second in permutations(range(4), 2):
        order = list(range(9))
        order[first], order[second] = order[second], order[first]
        moved = load_policy(reordered(tuple(order)), "moved")
        for cause, evidence in product(CauseClass, Evidence):
            assert resolved(moved, cause, evidence).rule == resolved(PR, cause, evidence).rule


def test_putting_the_catch_all_first_of_the_cause_rules_makes_the_others_unreachable() -> None:
    with pytest.raises(PolicyError, match="PR-5: can never fire"):
        load_policy(reordered((0, 1, 2, 3, 8, 4, 5, 6, 7)), "moved")


def with_second_look(lines: str) -> str:
    return policy_text().replace("[gate]", f"[second_look]\n{lines}\n\n[gate]", 1)


@pytest.mark.parametrize(
    ("lines", "resolution", "billed", "asked"),
    [
        ('resolutions = ["DENY-CLAIM"]', Resolution.DENY_CLAIM, None, True),
        ('resolutions = ["DENY-CLAIM"]', Resolution.DENY_LINE, 90_000.0, False),
        ("amount_over = 5000", Resolution.RELEASE_AS_BILLED, 5000.01, True),
        ("amount_over = 5000", Resolution.RELEASE_AS_BILLED, 5000.0, False),
        ("amount_over = 5000", Resolution.RELEASE_AS_BILLED, None, False),
    ],
)
def test_a_policy_says_which_decisions_another_examiner_confirms(
    lines: str, resolution: Resolution, billed: float | None, asked: bool
) -> None:
    second_look = load_policy(with_second_look(lines)).second_look
    assert bool(second_look.reason(resolution, facts(billed_amount=billed))) is asked


@pytest.mark.parametrize("resolution", list(Resolution))
def test_the_shipped_policy_asks_for_no_second_look(resolution: Resolution) -> None:
    assert PR.second_look.reason(resolution, facts(billed_amount=1e9)) == ""


@pytest.mark.parametrize("lines", ['resolutions = ["PAY"]', "resolutions = []", "amount_over = 0", "amounts = 3"])
def test_a_second_look_that_cannot_be_is_refused(lines: str) -> None:
    with pytest.raises(PolicyError, match="second_look"):
        load_policy(with_second_look(lines))
