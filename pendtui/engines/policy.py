"""The rulebook: one TOML file, validated once, then asked for a resolution."""

from collections.abc import Mapping
from datetime import date
from typing import NamedTuple

from pendtui.engines.facts import ClaimFacts
from pendtui.engines.vocabulary import CauseClass, ClockState, Evidence, LineOfBusiness, Release, Resolution

AS_OF_REGISTER = "register"
"""Read each clock on the day the claim's own register was read."""
AS_OF_TODAY = "today"
"""Read each clock on the current day."""

VOCABULARIES: Mapping[str, tuple[str, ...]] = {
    "cause_class": tuple(CauseClass),
    "resolution": tuple(Resolution),
    "clock": tuple(ClockState),
    "release": tuple(Release),
    "evidence": tuple(Evidence),
}
"""The vocabularies whose every word a policy file has to give a meaning."""


class Rule(NamedTuple):
    """One resolution rule. A condition of None asks nothing."""

    id: str
    resolution: Resolution
    title: str
    reason: str
    evidence: tuple[Evidence, ...] | None = None
    cause: tuple[CauseClass, ...] | None = None

    def fires(self, cause: CauseClass | None, evidence: Evidence) -> bool:
        """Whether both conditions hold."""
        return (self.evidence is None or evidence in self.evidence) and (self.cause is None or cause in self.cause)

    def mismatch(self, cause: CauseClass | None, evidence: Evidence) -> str | None:
        """Why the rule does not fire, in words; None when it does. An unread cause matches no cause condition."""
        if self.evidence is not None and evidence not in self.evidence:
            return f"asks for a register of {' or '.join(self.evidence)}; it holds {evidence}"
        if self.cause is not None and cause not in self.cause:
            return f"asks for {' or '.join(self.cause)}; the cause read is {cause}"
        return None


class Condition(NamedTuple):
    """One alternative of a clock rule: every fact that is not None has to match."""

    line_of_business: LineOfBusiness | None = None
    clean: bool | None = None
    contracted: bool | None = None
    private_fee_for_service: bool | None = None
    medicaid_delivery: str | None = None


class SecondMark(NamedTuple):
    """A later day by which the regulation asks for a higher share of the same claims."""

    days: int
    standard_pct: int
    cite: str


class ClockRule(NamedTuple):
    """One deadline. Exactly one of `days`, `months` and `by_contract` says how long it is."""

    id: str
    when: tuple[Condition, ...]
    basis: str
    """regulation, contract or house: who set the days."""
    cite: str
    satisfied_by: str
    """pay, or pay or deny: what has to have happened by the deadline."""
    days: int | None = None
    months: int | None = None
    by_contract: bool = False
    standard_pct: int | None = None
    """Share of such claims, in percent, for which the regulation asks this over a population."""
    second_mark: SecondMark | None = None
    note: str = ""

    def applies(self, facts: ClaimFacts, plan: "Plan") -> bool:
        """Whether one of the rule's conditions matches the claim."""
        return any(_holds(condition, facts, plan) for condition in self.when)


class Plan(NamedTuple):
    """What a policy says of all its claims where their rows are silent."""

    private_fee_for_service: bool = False
    medicaid_delivery: str = "managed-care"
    contract_days: int | None = None


class ClockTable(NamedTuple):
    """The ordered deadlines and the escalation window, in days."""

    rules: tuple[ClockRule, ...]
    escalate_within_days: int

    def rule_for(self, facts: ClaimFacts, plan: Plan) -> ClockRule:
        """The first rule with a condition that matches. A validated policy always has one."""
        return next(rule for rule in self.rules if rule.applies(facts, plan))


class CleanStatus(NamedTuple):
    """Which cause classes speak for, and which against, a claim of one line of business being clean."""

    line_of_business: LineOfBusiness
    clean: tuple[CauseClass, ...]
    not_clean: tuple[CauseClass, ...]
    cite: str
    reason: str

    def warning(self, facts: ClaimFacts, cause: CauseClass) -> str:
        """How the claim's flag and its cause class contradict each other, in words; empty when they do not."""
        if facts.line_of_business != self.line_of_business:
            return ""
        if facts.clean and cause in self.not_clean:
            return f"the claim is flagged as clean, and {cause} speaks against it. {self.reason} {self.cite}"
        if not facts.clean and cause in self.clean:
            return f"the claim is flagged as not clean, and {cause} speaks for it. {self.reason} {self.cite}"
        return ""


class Gate(NamedTuple):
    """The release gate as the file states it. It is closed, or the file was refused."""

    answer: Release
    open_categories: tuple[str, ...]
    conditions: tuple[str, ...]


class SecondLook(NamedTuple):
    """Which decisions another examiner has to confirm before they stand. Empty asks for none."""

    resolutions: tuple[Resolution, ...] = ()
    amount_over: int | None = None
    """Billed amounts above this, in whole units of the plan's currency, where a claim's row gives one."""

    def reason(self, resolution: Resolution, facts: ClaimFacts | None) -> str:
        """Why a decision needs another examiner's confirmation, in words; empty when it does not."""
        if resolution in self.resolutions:
            return f"the policy asks another examiner to confirm {resolution}"
        billed = facts.billed_amount if facts is not None else None
        if self.amount_over is not None and billed is not None and billed > self.amount_over:
            return f"the policy asks another examiner to confirm amounts over {self.amount_over:,}"
        return ""


class Resolved(NamedTuple):
    """The resolution, the rule that gave it, and why each earlier rule did not."""

    resolution: Resolution
    rule: Rule
    passed_over: tuple[tuple[Rule, str], ...]


class Blocked(NamedTuple):
    """No resolution yet, and what is missing for one."""

    reason: str
    missing: str
    """evidence or cause."""


class Policy(NamedTuple):
    """A payer's rulebook, known to be complete, ordered and with its gate closed."""

    policy_id: str
    title: str
    as_of: str | date
    """AS_OF_REGISTER, AS_OF_TODAY, or a date."""
    rules: tuple[Rule, ...]
    clock: ClockTable
    gate: Gate
    plan: Plan
    meanings: Mapping[str, Mapping[str, str]]
    """Vocabulary name, then word, then its meaning."""
    second_look: SecondLook = SecondLook()
    clean_status: tuple[CleanStatus, ...] = ()
    sha256: str = ""
    """Of the file's bytes."""

    def resolve(self, cause: CauseClass | None, evidence: Evidence | None) -> Resolved | Blocked:
        """The first rule that fires for a cause class and what the register holds.

        Blocked when the register is unknown, or when the next rule in order asks for a cause and none was read.
        """
        if evidence is None:
            return Blocked("what the register holds is not known", "evidence")
        passed_over: list[tuple[Rule, str]] = []
        for rule in self.rules:
            why_not = rule.mismatch(cause, evidence)
            if why_not is None:
                return Resolved(rule.resolution, rule, tuple(passed_over))
            if cause is None and rule.fires(rule.cause[0] if rule.cause else None, evidence):
                return Blocked(f"{rule.id} asks for the cause class, and none was read", "cause")
            passed_over.append((rule, why_not))
        raise AssertionError(f"{self.policy_id} lets {cause} with {evidence} fall through")

    def clean_warning(self, facts: ClaimFacts | None, cause: CauseClass | None) -> str:
        """How a claim's clean flag and its cause class contradict each other; empty when they do not."""
        if facts is None or cause is None:
            return ""
        return next((said for status in self.clean_status if (said := status.warning(facts, cause))), "")

    def rule(self, rule_id: str) -> Rule | None:
        """The resolution rule of that id."""
        return next((rule for rule in self.rules if rule.id == rule_id), None)


def _holds(condition: Condition, facts: ClaimFacts, plan: Plan) -> bool:
    fee_for_service = facts.private_fee_for_service
    if fee_for_service is None:
        fee_for_service = plan.private_fee_for_service
    return (
        condition.line_of_business in (None, facts.line_of_business)
        and condition.clean in (None, facts.clean)
        and condition.contracted in (None, facts.contracted)
        and condition.private_fee_for_service in (None, fee_for_service)
        and condition.medicaid_delivery in (None, facts.medicaid_delivery or plan.medicaid_delivery)
    )
