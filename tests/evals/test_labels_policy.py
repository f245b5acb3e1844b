"""The label gate's own reading of a policy, and its clocks."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import date, timedelta
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pendtui.evals.labels.policy import Policy, read_policy
from pendtui.evals.labels.rows import Row, read_row
from tests.evals.label_queue import POLICIES

PR_2026 = (POLICIES / "pr-2026.toml").read_text(encoding="utf-8")
RG_2026 = (POLICIES / "rg-2026.toml").read_text(encoding="utf-8")
READ_ON = date(2026, 9, 1)
TODAY = date(2026, 12, 1)


def policy_of(text: str) -> Policy:
    policy, failures = read_policy(text.encode())
    assert policy is not None and failures == ()
    return policy


def row_of(line: str = "MA", *, clean: bool = True, contracted: bool = False, **fields: Any) -> Row:
    given = {
        "claim_id": "CLM-2026-400001",
        "title": "Invented claim",
        "line_of_business": line,
        "clean": clean,
        "contracted": contracted,
        "received_on": "2026-08-01",
        "pended_on": "2026-08-03",
        "register_read_on": READ_ON.isoformat(),
        "evidence": "none",
        **fields,
    }
    row, failures = read_row("PC-0001", given)
    assert row is not None and failures == []
    return row


def elapsed(days: int, **fields: object) -> dict[str, Any]:
    received = READ_ON - timedelta(days=days)
    return {"received_on": received.isoformat(), "pended_on": received.isoformat(), **fields}


@pytest.mark.parametrize(
    ("evidence", "cause", "rule", "resolution"),
    [
        ("contradicted", "DUP-SUSPECT", "PR-1", "DENY-LINE"),
        ("contradicted", "ELIG-MISMATCH", "PR-1", "DENY-LINE"),
        ("awaited", "CODE-EDIT", "PR-2", "PEND-EXTERNAL"),
        ("clean", "PRICE-UNAVAILABLE", "PR-3", "RELEASE-AS-BILLED"),
        ("correction", "AUTH-MISSING", "PR-4", "ADJUST-AND-RELEASE"),
        ("none", "DUP-SUSPECT", "PR-5", "ROUTE-SPECIALIST"),
        ("none", "PRICE-UNAVAILABLE", "PR-6", "ROUTE-SPECIALIST"),
        ("none", "CODE-EDIT", "PR-7", "DENY-LINE"),
        ("none", "ELIG-MISMATCH", "PR-8", "DENY-CLAIM"),
        ("none", "AUTH-MISSING", "PR-9", "PEND-EXTERNAL"),
        ("none", "COB-UNRESOLVED", "PR-9", "PEND-EXTERNAL"),
        ("none", "PROV-ENROLL", "PR-9", "PEND-EXTERNAL"),
        ("none", "DOC-REQUIRED", "PR-9", "PEND-EXTERNAL"),
    ],
)
def test_the_first_rule_that_matches_decides(evidence: str, cause: str, rule: str, resolution: str) -> None:
    for text in (PR_2026, RG_2026):
        assert policy_of(text).decisions[evidence, cause] == (rule, resolution)


@pytest.mark.parametrize(
    ("row", "rule", "state"),
    [
        (row_of(**elapsed(24)), "CL-1", "WITHIN-CLOCK"),
        (row_of(**elapsed(25)), "CL-1", "ESCALATE-NOW"),
        (row_of(**elapsed(30)), "CL-1", "ESCALATE-NOW"),
        (row_of(**elapsed(31)), "CL-1", "BREACHED"),
        (row_of(contracted=True, **elapsed(31)), "CL-2", "WITHIN-CLOCK"),
        (row_of(clean=False, **elapsed(60)), "CL-2", "ESCALATE-NOW"),
        (row_of(clean=False, contracted=True, **elapsed(61)), "CL-2", "BREACHED"),
        (row_of("MEDICAID", contracted=True, **elapsed(31)), "CL-3", "BREACHED"),
        (row_of("MEDICAID", **elapsed(30)), "CL-3", "ESCALATE-NOW"),
        (row_of("MEDICAID", clean=False, **elapsed(84)), "CL-4", "WITHIN-CLOCK"),
        (row_of("MEDICAID", clean=False, **elapsed(91)), "CL-4", "BREACHED"),
    ],
)
def test_a_clock_counts_from_receipt_to_the_register_reading(row: Row, rule: str, state: str) -> None:
    standing = policy_of(PR_2026).standing(row, TODAY)
    assert standing is not None
    assert (standing.rule, standing.state) == (rule, state)


def test_the_twin_counts_from_the_pend_date() -> None:
    row = row_of(received_on="2026-08-01", pended_on="2026-08-12")
    standing = policy_of(PR_2026).standing(row, TODAY)
    assert standing == ("CL-1", "BREACHED", "WITHIN-CLOCK")


@pytest.mark.parametrize(
    ("as_of", "state"),
    [
        ('"register"', "WITHIN-CLOCK"),
        ('"today"', "BREACHED"),
        ('"2026-09-07"', "ESCALATE-NOW"),
        ("2026-09-30", "BREACHED"),
    ],
)
def test_the_policy_names_the_day_the_clock_is_read_on(as_of: str, state: str) -> None:
    policy = policy_of(PR_2026.replace('as_of = "register"', f"as_of = {as_of}"))
    standing = policy.standing(row_of(**elapsed(20)), TODAY)
    assert standing is not None and standing.state == state


@dataclass(frozen=True)
class Regulated:
    row: Row
    rule: str
    state: str | None


@pytest.mark.parametrize(
    "case",
    [
        Regulated(row_of(**elapsed(31)), "RC-1", "BREACHED"),
        Regulated(row_of(contracted=True, private_fee_for_service=True, **elapsed(30)), "RC-1", "ESCALATE-NOW"),
        Regulated(row_of(clean=False, **elapsed(31)), "RC-2", "WITHIN-CLOCK"),
        Regulated(row_of(contracted=True, **elapsed(31)), "RC-3", None),
        Regulated(row_of(contracted=True, contract_days=30, **elapsed(31)), "RC-3", "BREACHED"),
        Regulated(row_of("MEDICAID", contracted=True, **elapsed(31)), "RC-4", "BREACHED"),
        Regulated(row_of("MEDICAID", clean=False, **elapsed(31)), "RC-6", None),
        Regulated(row_of("MEDICAID", clean=False, contract_days=45, **elapsed(41)), "RC-6", "ESCALATE-NOW"),
        Regulated(
            row_of("MEDICAID", clean=False, medicaid_delivery="fee-for-service", **elapsed(365)),
            "RC-5",
            "ESCALATE-NOW",
        ),
        Regulated(
            row_of("MEDICAID", clean=False, medicaid_delivery="fee-for-service", **elapsed(366)), "RC-5", "BREACHED"
        ),
    ],
)
def test_the_regulation_close_policy_leaves_contract_days_open_until_somebody_says_them(case: Regulated) -> None:
    standing = policy_of(RG_2026).standing(case.row, TODAY)
    assert standing is not None
    assert (standing.rule, standing.state) == (case.rule, case.state)


def test_contract_days_of_the_plan_hold_where_the_row_says_none() -> None:
    policy = policy_of(RG_2026.replace("# contract_days = 60 ", "contract_days = 30 # "))
    for own, state in ((None, "BREACHED"), (90, "WITHIN-CLOCK")):
        standing = policy.standing(row_of(contracted=True, contract_days=own, **elapsed(31)), TODAY)
        assert standing == ("RC-3", state, state)


@pytest.mark.parametrize(
    ("received", "day", "state"),
    [
        (date(2024, 2, 29), date(2025, 2, 28), "ESCALATE-NOW"),
        (date(2024, 2, 29), date(2025, 3, 1), "BREACHED"),
        (date(2025, 1, 31), date(2026, 1, 31), "ESCALATE-NOW"),
    ],
)
def test_twelve_months_end_on_the_same_day_of_the_next_year(received: date, day: date, state: str) -> None:
    row = row_of(
        "MEDICAID",
        clean=False,
        medicaid_delivery="fee-for-service",
        received_on=received.isoformat(),
        pended_on=received.isoformat(),
        register_read_on=day.isoformat(),
    )
    standing = policy_of(RG_2026).standing(row, TODAY)
    assert standing is not None and standing.state == state


def swap(old: str, new: str) -> Callable[[str], str]:
    def change(text: str) -> str:
        assert old in text
        return text.replace(old, new, 1)

    return change


WITHOUT_LAST_RULE = PR_2026.replace('"PR-8", "PR-9"]', '"PR-8"]').split('[[rules]]\nid = "PR-9"')


@pytest.mark.parametrize(
    ("change", "check"),
    [
        (swap('resolution = "DENY-LINE"', 'resolution = "DENY"'), "PR-1"),
        (swap('evidence = ["awaited"]', 'evidence = ["waiting"]'), "PR-2"),
        (swap('evidence = ["awaited"]', "evidence = []"), "PR-2"),
        (swap('cause = ["DUP-SUSPECT"]', 'cause = "DUP-SUSPECT"'), "PR-5"),
        (swap('cause = ["PRICE-UNAVAILABLE"]', 'cause = ["DUP-SUSPECT"]'), "PR-6"),
        (swap('id = "PR-2"', 'id = "PR-1"'), "PR-1"),
        (swap('id = "PR-2"', "id = 2"), "rules"),
        (swap('order = ["PR-1", ', "order = ["), "rules.order"),
        (lambda _: WITHOUT_LAST_RULE[0] + "[clock]" + WITHOUT_LAST_RULE[1].split("[clock]", 1)[1], "rules"),
        (swap('order = ["CL-1", "CL-2"', 'order = ["CL-2", "CL-1"'), "clock.order"),
        (swap("days = 30", "days = 0"), "CL-1"),
        (swap("days = 30", 'days = "thirty"'), "CL-1"),
        (swap("days = 30", "days = 30\nmonths = 1"), "CL-1"),
        (swap("clean = true, contracted = false", "clean = 1"), "CL-1"),
        (swap("clean = true, contracted = false", "paper = true"), "CL-1"),
        (swap('[{ line_of_business = "MA" }]', "[]"), "CL-2"),
        (swap('{ line_of_business = "MEDICAID" }', '{ line_of_business = "MA" }'), "clock"),
        (swap('{ line_of_business = "MEDICAID", clean = true }', '{ line_of_business = "MA" }'), "CL-3"),
        (swap("escalate_within_days = 5", "escalate_within_days = -1"), "clock.escalate_within_days"),
        (swap("escalate_within_days = 5", "escalate_within_days = true"), "clock.escalate_within_days"),
        (swap('as_of = "register"', 'as_of = "yesterday"'), "as_of"),
        (swap("open_categories = []", ""), "gate.open_categories"),
        (swap("[gate]", "[gates]"), "gate"),
        (swap("[vocabulary.clock]", "[vocabulary.clocks]"), "vocabulary.clock"),
        (lambda text: f"{text}\n[plan]\ncontract_days = 0\n", "plan.contract_days"),
        (lambda text: f"{text}\n[plan]\nmedicaid_delivery = 'post'\n", "plan.medicaid_delivery"),
        (lambda text: f"plan = 3\n{text}", "plan"),
        (lambda _: "", "rules"),
    ],
)
def test_a_policy_that_cannot_hold_is_a_failure_that_names_the_rule(
    change: Callable[[str], str], check: str
) -> None:
    _, failures = read_policy(change(PR_2026).encode())
    assert check in {failure.check for failure in failures}
    assert {failure.record for failure in failures} == {"policy"}


@given(st.binary(max_size=200))
def test_reading_a_policy_never_raises(data: bytes) -> None:
    policy, failures = read_policy(data)
    assert policy is None and failures


@given(
    row=st.builds(
        row_of,
        st.sampled_from(["MA", "MEDICAID"]),
        clean=st.booleans(),
        contracted=st.booleans(),
        received_on=st.dates(date(2026, 1, 1), date(2026, 9, 1)).map(date.isoformat),
        pended_on=st.just("2026-09-01"),
    ),
    text=st.sampled_from([PR_2026, RG_2026]),
)
def test_a_clock_only_ever_gets_later_with_the_day_it_is_read_on(row: Row, text: str) -> None:
    policy = policy_of(text.replace('as_of = "register"', 'as_of = "today"'))
    order = ("WITHIN-CLOCK", "ESCALATE-NOW", "BREACHED")
    read = [policy.standing(row, READ_ON + timedelta(days=days)) for days in range(0, 120, 3)]
    states = [standing.state for standing in read if standing is not None and standing.state is not None]
    assert [order.index(state) for state in states] == sorted(order.index(state) for state in states)
