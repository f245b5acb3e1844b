"""A policy file read a second time: the rules in their order, the clock table, and the closed gate."""

from collections.abc import Callable, Mapping
from datetime import date, timedelta
from itertools import product
from typing import NamedTuple

from pendtui.evals.labels.report import Failure, day_of, shown
from pendtui.evals.labels.rows import Row
from pendtui.evals.labels.words import (
    BREACHED,
    CAUSES,
    CLOCKS,
    DELIVERIES,
    ESCALATE,
    EVIDENCE,
    EXAMINER,
    LINES,
    RELEASES,
    RESOLUTIONS,
    WITHIN,
)

_CONDITIONS: Mapping[str, tuple[object, ...]] = {
    "line_of_business": LINES,
    "clean": (True, False),
    "contracted": (True, False),
    "private_fee_for_service": (True, False),
    "medicaid_delivery": DELIVERIES,
}
_VOCABULARIES = {
    "cause_class": CAUSES,
    "resolution": RESOLUTIONS,
    "clock": CLOCKS,
    "release": RELEASES,
    "evidence": EVIDENCE,
}

Fault = Callable[[str, str, str], None]
"""Called with the check, what was expected and what was found."""


class ClockRule(NamedTuple):
    """One line of the clock table. `days` is None where the contract says or months are counted."""

    id: str
    when: tuple[Mapping[str, object], ...]
    days: int | None
    months: int | None

    def matches(self, facts: Mapping[str, object]) -> bool:
        """Whether any one of the rule's sets of conditions holds in full."""
        return any(all(facts.get(name) == wanted for name, wanted in every.items()) for every in self.when)


class Standing(NamedTuple):
    """Where a claim's clock stands, and where the count from the pend date would put it.

    The states are None where only a contract knows the days and nobody has said how many.
    """

    rule: str
    state: str | None
    pend_state: str | None


class Policy(NamedTuple):
    """What the gate needs of a policy."""

    policy_id: str
    as_of: str | date
    decisions: Mapping[tuple[str, str], tuple[str, str]]
    """(evidence, cause class) to (rule, resolution): the first rule that matches."""
    clock_rules: tuple[ClockRule, ...]
    window: int
    plan: Mapping[str, object]

    def standing(self, row: Row, today: date) -> Standing | None:
        """The clock of one claim by the first clock rule that matches; None where no rule does."""
        facts = {
            "line_of_business": row.line_of_business,
            "clean": row.clean,
            "contracted": row.contracted,
            "private_fee_for_service": self._own_or_plan(row, "private_fee_for_service"),
            "medicaid_delivery": self._own_or_plan(row, "medicaid_delivery"),
        }
        rule = next((rule for rule in self.clock_rules if rule.matches(facts)), None)
        if rule is None:
            return None
        as_of = self.as_of if isinstance(self.as_of, date) else row.register_read_on
        if self.as_of == "today":
            as_of = today
        days = rule.days
        if days is None and rule.months is None:
            contract = self._own_or_plan(row, "contract_days")
            if not isinstance(contract, int):
                return Standing(rule.id, None, None)
            days = contract
        return Standing(
            rule.id,
            self._state(row.received_on, as_of, days, rule.months),
            self._state(row.pended_on, as_of, days, rule.months),
        )

    def _own_or_plan(self, row: Row, name: str) -> object:
        """What the claim's own row says, or else what the policy says of the plan."""
        own = getattr(row, name)
        return self.plan.get(name) if own is None else own

    def _state(self, start: date, as_of: date, days: int | None, months: int | None) -> str:
        """The state when days are counted from `start`."""
        if days is None:
            days = (_months_after(start, months or 0) - start).days
        elapsed = (as_of - start).days
        if elapsed > days:
            return BREACHED
        return ESCALATE if days - elapsed <= self.window else WITHIN


def read_policy(data: bytes) -> tuple[Policy | None, tuple[Failure, ...]]:
    """The policy of a file's bytes, and what is wrong with it; None where no label can be derived by it."""
    import tomllib

    failures: list[Failure] = []

    def fault(check: str, expected: str, found: str) -> None:
        failures.append(Failure("policy", check, expected, found))

    try:
        table = tomllib.loads(data.decode("utf-8"))
    except (ValueError, RecursionError) as wrong:
        reason = "bytes that are not UTF-8" if isinstance(wrong, UnicodeDecodeError) else shown(wrong)
        fault("file", "TOML in UTF-8", reason)
        return None, tuple(failures)
    _gate(table, fault)
    _vocabularies(table, fault)
    policy_id = table.get("policy_id")
    if not isinstance(policy_id, str) or not policy_id:
        fault("policy_id", "a text", shown(policy_id))
        policy_id = ""
    as_of = _as_of(table.get("as_of", "register"), fault)
    decisions = _decisions(table, fault)
    clock = table.get("clock")
    if not isinstance(clock, dict):
        fault("clock", "a clock table", shown(clock))
        clock = {}
    clock_rules = _clock_rules(clock, fault)
    window = clock.get("escalate_within_days")
    if not _whole(window, 0):
        fault("clock.escalate_within_days", "a whole number of days, 0 or more", shown(window))
    if clock.get("count_from") != "received_on":
        fault("clock.count_from", "received_on", shown(clock.get("count_from")))
    plan = _plan(table.get("plan", {}), fault)
    if decisions is None or clock_rules is None or as_of is None or not _whole(window, 0):
        return None, tuple(failures)
    return Policy(policy_id, as_of, decisions, clock_rules, window, plan), tuple(failures)  # type: ignore[arg-type]


def _gate(table: Mapping[str, object], fault: Fault) -> None:
    gate = table.get("gate")
    if not isinstance(gate, dict):
        fault("gate", "a gate, with no open category", shown(gate))
        return
    if gate.get("answer") != EXAMINER:
        fault("gate.answer", EXAMINER, shown(gate.get("answer")))
    opened = gate.get("open_categories")
    if opened != []:
        number = f"{len(opened)} open" if isinstance(opened, list) else shown(opened)
        fault("gate.open_categories", "none", number)


def _vocabularies(table: Mapping[str, object], fault: Fault) -> None:
    vocabulary = table.get("vocabulary")
    for name, words in _VOCABULARIES.items():
        given = vocabulary.get(name) if isinstance(vocabulary, dict) else None
        if not isinstance(given, dict):
            fault(f"vocabulary.{name}", f"the meaning of {len(words)} words", shown(given))
        elif set(given) != set(words):
            off = sorted(set(given) ^ set(words))
            fault(f"vocabulary.{name}", "exactly " + " ".join(words), f"a difference in {shown(' '.join(off))}")


def _as_of(value: object, fault: Fault) -> str | date | None:
    if value in ("register", "today"):
        return str(value)
    day = value if type(value) is date else day_of(value)
    if day is None:
        fault("as_of", "register, today or a date", shown(value))
    return day


def _ordered(table: Mapping[str, object], name: str, fault: Fault) -> list[dict[str, object]] | None:
    """The rules of a table that are tables and have an id of their own, in the order they stand."""
    rules = table.get("rules")
    if not isinstance(rules, list) or not rules:
        fault(name, "a list of rules", shown(rules))
        return None
    good: list[dict[str, object]] = []
    ids: list[str] = []
    for number, rule in enumerate(rules, 1):
        rule_id = rule.get("id") if isinstance(rule, dict) else None
        if not isinstance(rule_id, str) or not rule_id:
            fault(name, f"an id for rule {number}", shown(rule_id))
        elif rule_id in ids:
            fault(rule_id, "an id of its own", "two rules with it")
        else:
            ids.append(rule_id)
            good.append(rule)
    order = table.get("order")
    if order != ids:
        fault(
            f"{name}.order",
            " ".join(ids),
            " ".join(map(str, order)) if isinstance(order, list) else shown(order),
        )
    return good


def _decisions(table: Mapping[str, object], fault: Fault) -> Mapping[tuple[str, str], tuple[str, str]] | None:
    """What every pair of evidence and cause class comes to, by the first rule that names it."""
    rules = _ordered(table, "rules", fault)
    if rules is None:
        return None
    decided: dict[tuple[str, str], tuple[str, str]] = {}
    for rule in rules:
        rule_id = str(rule["id"])
        resolution = rule.get("resolution")
        if resolution not in RESOLUTIONS:
            fault(rule_id, "a resolution of the vocabulary", shown(resolution))
            continue
        evidence = _words(rule, "evidence", EVIDENCE, fault)
        causes = _words(rule, "cause", CAUSES, fault)
        if evidence is None or causes is None:
            continue
        fresh = [pair for pair in product(evidence, causes) if pair not in decided]
        if not fresh:
            fault(rule_id, "a claim that it decides", "earlier rules decide all of its claims")
        decided.update((pair, (rule_id, str(resolution))) for pair in fresh)
    gaps = [pair for pair in product(EVIDENCE, CAUSES) if pair not in decided]
    if gaps:
        fault("rules", "a rule for every claim", f"none for evidence {gaps[0][0]} with {gaps[0][1]}")
    return decided


def _words(
    rule: Mapping[str, object], name: str, vocabulary: tuple[str, ...], fault: Fault
) -> tuple[str, ...] | None:
    """The words that a rule's condition lists; every word where the rule has no such condition."""
    if name not in rule:
        return vocabulary
    listed = rule[name]
    if not isinstance(listed, list) or not listed or any(word not in vocabulary for word in listed):
        fault(str(rule["id"]), f"{name}: words of the vocabulary", shown(listed))
        return None
    return tuple(listed)


def _clock_rules(clock: Mapping[str, object], fault: Fault) -> tuple[ClockRule, ...] | None:
    rules = _ordered(clock, "clock", fault)
    if rules is None:
        return None
    read: list[ClockRule] = []
    for rule in rules:
        rule_id = str(rule["id"])
        when = rule.get("when")
        if not isinstance(when, list) or not when or not all(_is_condition(every) for every in when):
            fault(rule_id, "when: conditions on " + " ".join(_CONDITIONS), shown(when))
            continue
        days, months = rule.get("days"), rule.get("months")
        if (days is None) == (months is None) or not (days == "contract" or _whole(days, 1) or _whole(months, 1)):
            fault(rule_id, 'days, days = "contract", or months', f"days {shown(days)}, months {shown(months)}")
            continue
        read.append(
            ClockRule(
                rule_id,
                tuple(when),
                days if isinstance(days, int) else None,
                months if isinstance(months, int) else None,
            )
        )
    reached: set[str] = set()
    for values in product(*_CONDITIONS.values()):
        facts = dict(zip(_CONDITIONS, values, strict=True))
        first = next((rule.id for rule in read if rule.matches(facts)), None)
        if first is None:
            fault("clock", "a clock rule for every claim", f"none for {_spelled(facts)}")
            break
        reached.add(first)
    else:
        for idle in (rule.id for rule in read if rule.id not in reached):
            fault(idle, "a claim that it times", "earlier rules time all of its claims")
    return tuple(read)


def _is_condition(every: object) -> bool:
    return (
        isinstance(every, dict)
        and bool(every)
        and all(
            name in _CONDITIONS
            and any(type(value) is type(wanted) and value == wanted for value in _CONDITIONS[name])
            for name, wanted in every.items()
        )
    )


def _plan(plan: object, fault: Fault) -> Mapping[str, object]:
    if not isinstance(plan, dict):
        fault("plan", "a table", shown(plan))
        return {}
    for name, right in (
        ("private_fee_for_service", isinstance(plan.get("private_fee_for_service", True), bool)),
        ("medicaid_delivery", plan.get("medicaid_delivery", "managed-care") in DELIVERIES),
        ("contract_days", _whole(plan.get("contract_days", 1), 1)),
    ):
        if not right:
            fault(f"plan.{name}", "a value that a claim can have", shown(plan[name]))
    return plan


def _spelled(facts: Mapping[str, object]) -> str:
    return ", ".join(f"{name} {value}" for name, value in facts.items())


def _whole(value: object, least: int) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and value >= least


def _months_after(day: date, months: int) -> date:
    """The same day so many months on, or that month's last day where it has no such day."""
    index = day.year * 12 + day.month - 1 + months
    if index // 12 > 9998:
        return date.max
    first = date(index // 12, index % 12 + 1, 1)
    next_first = date((index + 1) // 12, (index + 1) % 12 + 1, 1)
    return min(first + timedelta(days=day.day - 1), next_first - timedelta(days=1))
