"""The policy view: the rules in order, the clock table and the gate, and what they say of the open record."""

from collections.abc import Iterator

from textual.content import Content

from pendtui.actions import POLICY
from pendtui.desk.claim_view import ClaimView
from pendtui.desk.words import count
from pendtui.engines.policy import Blocked, ClockRule, Condition, Policy, Resolved, Rule
from pendtui.plain import plain
from pendtui.screens.bindings import bindings_at
from pendtui.screens.place import ViewScreen

HEADING = "bold $primary"
QUIET = "$text-muted"
FIRED, PASSED = ">", " "
"""Before the rule that fired for the open record, and before the others."""


class PolicyScreen(ViewScreen):
    """Shows the policy file that every answer comes from."""

    PLACE = POLICY
    BINDINGS = bindings_at(POLICY)

    def title_line(self) -> Content:
        policy = self.desk.policy
        about = f", and what it says of {self.claim.id}" if self.claim is not None else ""
        return Content(plain(f"{policy.policy_id}: {policy.title}{about}"))

    def lines(self, width: int) -> list[Content]:
        return list(policy_lines(self.desk.policy, self.claim))


def policy_lines(policy: Policy, claim: ClaimView | None) -> Iterator[Content]:
    """The whole policy, with the rule that fired for a claim and why the others did not."""
    if claim is not None:
        yield Content.styled(plain(_summary(claim)), "bold")
        yield Content("")
    yield from _rules(policy, claim)
    yield Content("")
    yield from _clock(policy, claim)
    yield Content("")
    yield from _clean(policy, claim)
    yield from _second_look(policy)
    yield Content("")
    yield from _gate(policy)
    yield Content("")
    yield Content.styled(f"sha256 {policy.sha256}", QUIET)


def _summary(claim: ClaimView) -> str:
    resolution, clock = claim.answers.resolution, claim.answers.clock
    if isinstance(resolution, Resolved):
        said = f"{resolution.rule.id} fires and gives {resolution.resolution}"
    else:
        said = f"no rule fires, {resolution.reason}"
    days = "" if clock is None else f"; {clock.rule.id} sets its clock: {_deadline(clock.rule)}"
    return f"{claim.id}: {said}{days}"


def _rules(policy: Policy, claim: ClaimView | None) -> Iterator[Content]:
    yield Content.styled("RESOLUTION: the first rule that fires, from the top", HEADING)
    resolution = claim.answers.resolution if claim is not None else None
    if isinstance(resolution, Blocked):
        yield Content.styled(f"  {plain(claim.id if claim else '')}: blocked, {plain(resolution.reason)}", "bold")
    fired = resolution.rule.id if isinstance(resolution, Resolved) else None
    passed = {rule.id: why for rule, why in resolution.passed_over} if isinstance(resolution, Resolved) else {}
    for rule in policy.rules:
        here = rule.id == fired
        yield Content.assemble(
            (f"{FIRED if here else PASSED} {rule.id}  {rule.resolution}", "bold" if here or fired is None else ""),
            f"  when {_asks(rule)}",
        )
        yield Content.styled(f"    {plain(rule.title)}. {plain(rule.reason)}", QUIET)
        if here and claim is not None:
            yield Content.styled(f"    fires for {plain(claim.id)}", "bold $success")
        elif rule.id in passed:
            yield Content(f"    does not fire: {plain(passed[rule.id])}")
        elif fired is not None:
            yield Content.styled(f"    not reached: {fired} fired before it", QUIET)


def _asks(rule: Rule) -> str:
    evidence = f"the register is {' or '.join(rule.evidence)}" if rule.evidence else "whatever the register holds"
    return f"{evidence}, and the cause is {' or '.join(rule.cause)}" if rule.cause else evidence


def _clock(policy: Policy, claim: ClaimView | None) -> Iterator[Content]:
    window = count(policy.clock.escalate_within_days, "day")
    yield Content.styled("CLOCK: counted from receipt, by the first rule that applies", HEADING)
    clock = claim.answers.clock if claim is not None else None
    for rule in policy.clock.rules:
        here = clock is not None and rule.id == clock.rule.id
        yield Content.assemble(
            (f"{FIRED if here else PASSED} {rule.id}  {_deadline(rule)}", "bold" if here or clock is None else ""),
            f"  {' or '.join(_facts(condition) for condition in rule.when)}",
        )
        standard = f"; {rule.standard_pct}% of such claims over a population" if rule.standard_pct else ""
        yield Content.styled(f"    {rule.basis}: {plain(rule.cite)}; {rule.satisfied_by}{standard}", QUIET)
        if rule.second_mark is not None:
            mark = rule.second_mark
            yield Content.styled(
                f"    second mark: {mark.standard_pct}% in {mark.days} days, {plain(mark.cite)}", QUIET
            )
        if rule.note:
            yield Content.styled(f"    {plain(rule.note)}", QUIET)
    yield Content(f"  ESCALATE-NOW with {window} or fewer left, BREACHED once the deadline has passed")


def _deadline(rule: ClockRule) -> str:
    if rule.by_contract:
        return "days of the contract"
    return count(rule.months, "month") if rule.months is not None else count(rule.days or 0, "day")


def _facts(condition: Condition) -> str:
    words = [str(condition.line_of_business)] if condition.line_of_business is not None else ["any line"]
    for value, yes, no in (
        (condition.clean, "clean", "not clean"),
        (condition.contracted, "contracted", "non-contracted"),
        (condition.private_fee_for_service, "private fee-for-service", "not private fee-for-service"),
    ):
        if value is not None:
            words.append(yes if value else no)
    if condition.medicaid_delivery is not None:
        words.append(condition.medicaid_delivery)
    return " ".join(words)


def _clean(policy: Policy, claim: ClaimView | None) -> Iterator[Content]:
    if not policy.clean_status:
        return
    yield Content.styled("CLEAN FLAG: what contradicts it; a warning only", HEADING)
    for status in policy.clean_status:
        against = f"not clean with {', '.join(status.not_clean)}" if status.not_clean else ""
        speaks_for = f"clean with {', '.join(status.clean)}" if status.clean else ""
        said = "; ".join(part for part in (against, speaks_for) if part)
        yield Content(f"  {status.line_of_business}: {said} ({plain(status.cite)})")
    warning = policy.clean_warning(claim.claim.facts, claim.answers.cause) if claim is not None else ""
    if warning:
        yield Content.styled(f"  {plain(warning)}", "bold $warning")
    yield Content("")


def _second_look(policy: Policy) -> Iterator[Content]:
    look = policy.second_look
    yield Content.styled("SECOND LOOK: what another examiner has to confirm", HEADING)
    asked = [str(resolution) for resolution in look.resolutions]
    if look.amount_over is not None:
        asked.append(f"billed amounts over {look.amount_over:,}")
    yield Content(f"  {', '.join(asked) or 'nothing'}")


def _gate(policy: Policy) -> Iterator[Content]:
    yield Content.styled(f"RELEASE GATE: {policy.gate.answer}, no category is open", HEADING)
    yield Content.styled("  A category could be opened only if, for it, all of these held:", QUIET)
    for n, condition in enumerate(policy.gate.conditions, 1):
        yield Content(f"  {n}. {plain(condition)}")
    yield Content.styled("  `pendtui dossier` reports what there is of each.", QUIET)
