"""A policy's TOML text to a validated Policy, or a PolicyError that names the rule at fault."""

import hashlib
import tomllib
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import date, datetime
from enum import StrEnum
from functools import lru_cache
from itertools import product
from typing import TypeVar

from pendtui.engines.facts import DELIVERIES, ClaimFacts
from pendtui.engines.policy import (
    AS_OF_REGISTER,
    AS_OF_TODAY,
    VOCABULARIES,
    CleanStatus,
    ClockRule,
    ClockTable,
    Condition,
    Gate,
    Plan,
    Policy,
    Rule,
    SecondLook,
    SecondMark,
)
from pendtui.engines.vocabulary import CauseClass, Evidence, LineOfBusiness, Release, Resolution
from pendtui.errors import PolicyError

BASES = ("regulation", "contract", "house")
SATISFIED_BY = ("pay", "pay or deny")

_Word = TypeVar("_Word", bound=StrEnum)


@lru_cache(maxsize=8)
def load_policy(text: str, where: str = "policy") -> Policy:
    """Validate a policy file's text.

    Raises PolicyError, naming the rule, when the text is not TOML, a key is unknown or has the wrong type,
    the order list and the rules differ, a rule can never fire, a claim could fall through, a word of a
    vocabulary has no meaning, or the gate names an open category.
    """
    try:
        document = tomllib.loads(text)
    except tomllib.TOMLDecodeError as fault:
        raise PolicyError(f"not valid TOML: {fault}", where=where) from None
    top = _Table(document, where)
    rules = tuple(_rule(table) for table in top.tables("rules"))
    _in_order([rule.id for rule in rules], top.texts("order"), where)
    policy = Policy(
        policy_id=top.text("policy_id"),
        title=top.text("title", ""),
        as_of=_as_of(top),
        rules=rules,
        clock=_clock(top.table("clock")),
        gate=_gate(top.table("gate")),
        plan=_plan(top.table("plan", optional=True)),
        meanings=_meanings(top.table("vocabulary")),
        clean_status=tuple(_clean_status(table) for table in top.tables("clean_status", optional=True)),
        second_look=_second_look(top.table("second_look", optional=True)),
        sha256=hashlib.sha256(text.encode()).hexdigest(),
    )
    top.take("approved_on", None)
    top.refuse_the_rest()
    _every_claim_is_resolved(policy, where)
    _every_claim_has_a_deadline(policy, where)
    return policy


class _Table:
    """A TOML table that hands out its values by type and refuses what nobody asked for."""

    def __init__(self, values: Mapping[str, object], where: str) -> None:
        self._values = dict(values)
        self.where = where

    def take(self, key: str, *default: object) -> object:
        if key not in self._values and not default:
            raise PolicyError(f"'{key}' is missing", where=self.where)
        return self._values.pop(key, *default)

    def text(self, key: str, *default: str) -> str:
        value = self.take(key, *default)
        if not isinstance(value, str):
            raise PolicyError(f"'{key}' is not text", where=self.where)
        return value

    def number(self, key: str) -> int | None:
        value = self.take(key, None)
        if value is not None and (not isinstance(value, int) or isinstance(value, bool) or value < 1):
            raise PolicyError(f"'{key}' is not a whole number above 0", where=self.where)
        return value

    def flag(self, key: str) -> bool | None:
        value = self.take(key, None)
        if value is not None and not isinstance(value, bool):
            raise PolicyError(f"'{key}' is not true or false", where=self.where)
        return value

    def texts(self, key: str, *default: list[str]) -> list[str]:
        value = self.take(key, *default)
        if not isinstance(value, list) or not all(isinstance(item, str) for item in value):
            raise PolicyError(f"'{key}' is not a list of texts", where=self.where)
        return value

    def words(self, key: str, vocabulary: type[_Word]) -> tuple[_Word, ...] | None:
        if key not in self._values:
            return None
        words = self.texts(key)
        if not words:
            raise PolicyError(f"'{key}' is an empty list, so the rule could never fire", where=self.where)
        return tuple(self._word(word, key, vocabulary) for word in words)

    def word(self, key: str, vocabulary: type[_Word]) -> _Word:
        return self._word(self.text(key), key, vocabulary)

    def _word(self, word: str, key: str, vocabulary: type[_Word]) -> _Word:
        try:
            return vocabulary(word)
        except ValueError:
            raise PolicyError(f"{key} '{word}' is none of {', '.join(vocabulary)}", where=self.where) from None

    def choice(self, key: str, choices: Sequence[str], *default: str) -> str:
        value = self.text(key, *default)
        if value not in choices:
            raise PolicyError(f"{key} '{value}' is none of {', '.join(choices)}", where=self.where)
        return value

    def table(self, key: str, *, optional: bool = False) -> "_Table":
        value = self.take(key, {}) if optional else self.take(key)
        if not isinstance(value, dict):
            raise PolicyError(f"'{key}' is not a table", where=self.where)
        return _Table(value, f"{self.where}, [{key}]")

    def tables(self, key: str, *, optional: bool = False) -> list["_Table"]:
        if optional and key not in self._values:
            return []
        value = self.take(key)
        if not isinstance(value, list) or not value or not all(isinstance(item, dict) for item in value):
            raise PolicyError(f"'{key}' is not a list of tables", where=self.where)
        return [_Table(item, f"{self.where}, {item.get('id', f'{key} {n}')}") for n, item in enumerate(value, 1)]

    def refuse_the_rest(self) -> None:
        if self._values:
            raise PolicyError(f"unknown key '{next(iter(self._values))}'", where=self.where)


def _rule(table: _Table) -> Rule:
    rule = Rule(
        id=table.text("id"),
        resolution=table.word("resolution", Resolution),
        title=table.text("title", ""),
        reason=table.text("reason", ""),
        evidence=table.words("evidence", Evidence),
        cause=table.words("cause", CauseClass),
    )
    table.refuse_the_rest()
    return rule


def _clock(table: _Table) -> ClockTable:
    if table.text("count_from") != "received_on":
        raise PolicyError("count_from is not received_on; the clock runs from receipt", where=table.where)
    window = table.number("escalate_within_days")
    if window is None:
        raise PolicyError("'escalate_within_days' is missing", where=table.where)
    rules = tuple(_clock_rule(rule) for rule in table.tables("rules"))
    _in_order([rule.id for rule in rules], table.texts("order"), table.where)
    table.refuse_the_rest()
    return ClockTable(rules, window)


def _clock_rule(table: _Table) -> ClockRule:
    by_contract = False
    days = table.take("days", None)
    if days == "contract":
        by_contract, days = True, None
    elif days is not None and (not isinstance(days, int) or isinstance(days, bool) or days < 1):
        raise PolicyError("'days' is neither a whole number above 0 nor \"contract\"", where=table.where)
    months = table.number("months")
    if (days is not None) + (months is not None) + by_contract != 1:
        raise PolicyError('exactly one of days, months and days = "contract" has to be given', where=table.where)
    second = table.table("second_mark", optional=True)
    rule = ClockRule(
        id=table.text("id"),
        when=tuple(_condition(condition) for condition in table.tables("when")),
        basis=table.choice("basis", BASES),
        cite=table.text("cite"),
        satisfied_by=table.choice("satisfied_by", SATISFIED_BY),
        days=days,
        months=months,
        by_contract=by_contract,
        standard_pct=_percent(table),
        second_mark=_second_mark(second),
        note=table.text("note", ""),
    )
    if by_contract != (rule.basis == "contract"):
        raise PolicyError('basis "contract" and days = "contract" go together', where=table.where)
    table.refuse_the_rest()
    return rule


def _percent(table: _Table) -> int | None:
    percent = table.number("standard_pct")
    if percent is not None and percent > 100:
        raise PolicyError("'standard_pct' is above 100", where=table.where)
    return percent


def _second_mark(table: _Table) -> SecondMark | None:
    if not table._values:
        return None
    days, percent = table.number("days"), _percent(table)
    if days is None or percent is None:
        raise PolicyError("a second mark needs days and standard_pct", where=table.where)
    mark = SecondMark(days, percent, table.text("cite"))
    table.refuse_the_rest()
    return mark


def _condition(table: _Table) -> Condition:
    business = table.take("line_of_business", None)
    if business is not None and business not in set(LineOfBusiness):
        raise PolicyError(
            f"line_of_business '{business}' is none of {', '.join(LineOfBusiness)}", where=table.where
        )
    delivery = table.take("medicaid_delivery", None)
    if delivery is not None and delivery not in DELIVERIES:
        raise PolicyError(f"medicaid_delivery '{delivery}' is none of {', '.join(DELIVERIES)}", where=table.where)
    condition = Condition(
        line_of_business=LineOfBusiness(str(business)) if business is not None else None,
        clean=table.flag("clean"),
        contracted=table.flag("contracted"),
        private_fee_for_service=table.flag("private_fee_for_service"),
        medicaid_delivery=str(delivery) if delivery is not None else None,
    )
    table.refuse_the_rest()
    return condition


def _plan(table: _Table) -> Plan:
    plan = Plan(
        private_fee_for_service=table.flag("private_fee_for_service") or False,
        medicaid_delivery=table.choice("medicaid_delivery", DELIVERIES, DELIVERIES[0]),
        contract_days=table.number("contract_days"),
    )
    table.refuse_the_rest()
    return plan


def _second_look(table: _Table) -> SecondLook:
    asked = SecondLook(table.words("resolutions", Resolution) or (), table.number("amount_over"))
    table.refuse_the_rest()
    return asked


def _clean_status(table: _Table) -> CleanStatus:
    status = CleanStatus(
        line_of_business=table.word("line_of_business", LineOfBusiness),
        clean=table.words("clean", CauseClass) or (),
        not_clean=table.words("not_clean", CauseClass) or (),
        cite=table.text("cite"),
        reason=table.text("reason"),
    )
    if both := set(status.clean) & set(status.not_clean):
        raise PolicyError(f"{', '.join(sorted(both))} speaks both for and against", where=table.where)
    table.refuse_the_rest()
    return status


def _gate(table: _Table) -> Gate:
    open_categories = table.texts("open_categories")
    if open_categories:
        raise PolicyError(
            f"the release gate names {', '.join(open_categories)} as open",
            where=table.where,
            remedy="No category can be opened here: open_categories has to be an empty list",
        )
    answer = table.word("answer", Release)
    if answer is not Release.EXAMINER_APPLIES:
        raise PolicyError(f"the gate's answer is {answer}; it can only be EXAMINER-APPLIES", where=table.where)
    gate = Gate(answer, (), tuple(table.texts("conditions")))
    table.refuse_the_rest()
    return gate


def _meanings(table: _Table) -> dict[str, dict[str, str]]:
    meanings = {}
    for name, words in VOCABULARIES.items():
        given = table.table(name)
        meanings[name] = {word: given.text(word) for word in words}
        given.refuse_the_rest()
    table.refuse_the_rest()
    return meanings


def _as_of(table: _Table) -> str | date:
    value = table.take("as_of", AS_OF_REGISTER)
    if isinstance(value, date) and not isinstance(value, datetime):
        return value
    if value in (AS_OF_REGISTER, AS_OF_TODAY):
        return str(value)
    raise PolicyError(f'as_of is \'{value}\', not "register", "today" or a date', where=table.where)


def _in_order(ids: Sequence[str], order: Sequence[str], where: str) -> None:
    for n, rule_id in enumerate(ids):
        if rule_id in ids[:n]:
            raise PolicyError(f"rule {rule_id} appears twice", where=where)
        if n >= len(order) or order[n] != rule_id:
            expected = order[n] if n < len(order) else "nothing more"
            raise PolicyError(f"rule {rule_id} stands where the order list has {expected}", where=where)
    if len(order) > len(ids):
        raise PolicyError(f"the order list names {order[len(ids)]}, and there is no such rule", where=where)


def _every_claim_is_resolved(policy: Policy, where: str) -> None:
    cases = list(product(CauseClass, Evidence))
    fired = _first_of_each(
        policy.rules,
        cases,
        lambda rule, case: rule.fires(*case),
        lambda case: f"a claim with cause {case[0]} and a register of {case[1]} falls through every rule",
        where,
    )
    for rule in policy.rules:
        if rule.id not in fired:
            raise PolicyError("can never fire: earlier rules take every claim", where=f"{where}, {rule.id}")


def _every_claim_has_a_deadline(policy: Policy, where: str) -> None:
    day = date(2026, 1, 1)
    cases = [
        ClaimFacts("", lob, clean, contracted, day, day, day, None, fee_for_service, delivery)
        for lob, clean, contracted, fee_for_service, delivery in product(
            LineOfBusiness, (True, False), (True, False), (True, False), DELIVERIES
        )
    ]

    def gap(facts: ClaimFacts) -> str:
        clean = "clean" if facts.clean else "not clean"
        contracted = "contracted" if facts.contracted else "non-contracted"
        return f"a {facts.line_of_business} claim, {clean}, {contracted}, has no clock rule"

    fired = _first_of_each(
        policy.clock.rules, cases, lambda rule, facts: rule.applies(facts, policy.plan), gap, where
    )
    for rule in policy.clock.rules:
        if rule.id not in fired:
            raise PolicyError("can never apply: earlier rules take every claim", where=f"{where}, {rule.id}")


_AnyRule = TypeVar("_AnyRule", Rule, ClockRule)
_Case = TypeVar("_Case")


def _first_of_each(
    rules: Sequence[_AnyRule],
    cases: Iterable[_Case],
    fires: Callable[[_AnyRule, _Case], bool],
    gap: Callable[[_Case], str],
    where: str,
) -> set[str]:
    """The ids of the rules that are the first to fire for some case. Raises where none fires."""
    fired = set()
    for case in cases:
        rule_id = next((rule.id for rule in rules if fires(rule, case)), None)
        if rule_id is None:
            raise PolicyError(gap(case), where=where)
        fired.add(rule_id)
    return fired
