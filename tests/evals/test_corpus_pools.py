"""The sentences that records are written from."""

from collections.abc import Iterator
from datetime import date
from random import Random
from string import Formatter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pendtui.engines.facts import ClaimFacts
from pendtui.engines.record import parse_record
from pendtui.engines.vocabulary import CauseClass, Evidence, LineOfBusiness, SectionName
from pendtui.evals.corpus.claims import draw_slots
from pendtui.evals.corpus.pools import CAUSE_KINDS, SERVICE_TAGS, Deck, Line, read_pools

POOLS = read_pools()
FACTS = ClaimFacts(
    "CLM-2026-400001", LineOfBusiness.MA, False, True, date(2026, 8, 1), date(2026, 8, 4), date(2026, 9, 1)
)
SLOTS = draw_slots(Random(3), FACTS, POOLS.services[0], CauseClass.AUTH_MISSING)
NOTHING: frozenset[str] = frozenset()


def cause_lines() -> Iterator[tuple[CauseClass, str, Line]]:
    for cause, kinds in POOLS.causes.items():
        for kind in CAUSE_KINDS:
            for line in kinds[kind]:
                yield cause, kind, line


def all_lines() -> Iterator[Line]:
    for kinds in (*POOLS.causes.values(), POOLS.common):
        for lines in kinds.values():
            yield from lines


def test_there_are_enough_sentences_of_every_kind() -> None:
    assert POOLS.cause_sentences() >= 100
    assert POOLS.register_lines() >= 40
    assert len(POOLS.common["neutral"]) >= 60
    assert len(POOLS.common["trail"]) >= 40
    assert len(POOLS.common["bait"]) >= 6
    for cause in CauseClass:
        assert sum(owner is cause for owner, _, _ in cause_lines()) >= 12


def test_no_sentence_stands_in_two_pools() -> None:
    texts = [line.text for line in all_lines()]
    assert len(texts) == len(set(texts))


def test_every_slot_has_a_word() -> None:
    for line in all_lines():
        for text in (line.text, line.trailer):
            assert {name for _, name, _, _ in Formatter().parse(text) if name is not None} <= SLOTS.keys()


@pytest.mark.parametrize("cause", CauseClass)
@pytest.mark.parametrize("kind", CAUSE_KINDS)
def test_a_cause_can_be_told_of_any_claim_in_any_place(cause: CauseClass, kind: str) -> None:
    assert any(not line.needs for line in POOLS.causes[cause][kind])
    assert all(len(line.facets) == 1 for line in POOLS.causes[cause][kind])


@pytest.mark.parametrize("cause", CauseClass)
def test_the_register_has_a_line_for_every_side_of_a_cause(cause: CauseClass) -> None:
    facets = {facet for owner, _, line in cause_lines() if owner is cause for facet in line.facets}
    for facet in facets:
        for evidence in Evidence:
            assert any(line.fits(facet, NOTHING) for line in POOLS.causes[cause][evidence]), (facet, evidence)


@pytest.mark.parametrize("cause", CauseClass)
@pytest.mark.parametrize("kind", ["answered", "answeredtrail", "mention"])
def test_every_cause_can_be_answered_and_mentioned_in_passing(cause: CauseClass, kind: str) -> None:
    assert all(not line.needs for line in POOLS.causes[cause][kind])


def test_a_register_line_names_no_side_that_its_cause_does_not_have() -> None:
    for cause, kinds in POOLS.causes.items():
        facets = {facet for owner, _, line in cause_lines() if owner is cause for facet in line.facets}
        for evidence in Evidence:
            for line in kinds[evidence]:
                assert line.facets <= facets


def test_every_cause_sentence_is_one_sentence() -> None:
    for _, kind, line in cause_lines():
        said = line.text.format_map(SLOTS)
        text = f"PEND RECORD PC-1 -- x\n\nDESK NOTES\n\n{said}\n"
        units = list(parse_record(text, "PC-1").units(SectionName.NOTES))
        assert [unit.text for unit in units] == [said], kind


def test_every_condition_of_a_service_is_met_by_some_service() -> None:
    assert set().union(*(service.tags for service in POOLS.services)) == SERVICE_TAGS
    assert all(len(service.codes) >= 2 for service in POOLS.services)


@given(st.integers(min_value=1, max_value=30), st.integers())
def test_a_deck_deals_every_entry_before_any_comes_again(size: int, seed: int) -> None:
    deck = Deck([Line(str(n), "", NOTHING, NOTHING) for n in range(size)], Random(seed))
    for _ in range(3):
        assert len({deck.deal("", NOTHING).text for _ in range(size)}) == size


@given(st.integers())
def test_a_deck_never_deals_an_entry_that_does_not_fit(seed: int) -> None:
    lines = [
        Line("any", "", NOTHING, NOTHING),
        Line("units", "", frozenset({"units"}), NOTHING),
        Line("surgery", "", NOTHING, frozenset({"surg"})),
    ]
    deck = Deck(lines, Random(seed))
    assert {deck.deal("dates", NOTHING).text for _ in range(9)} == {"any"}
    with pytest.raises(LookupError):
        Deck(lines[1:], Random(seed)).deal("dates", NOTHING)


@given(st.integers(), st.integers(min_value=1, max_value=6))
def test_entries_dealt_apart_do_not_repeat_or_contradict(seed: int, count: int) -> None:
    deck = Deck(POOLS.common["neutral"], Random(seed))
    for _ in range(40):
        taken = {"calls"}
        dealt = deck.deal_apart(count, taken)
        groups = [group for line in dealt for group in line.facets]
        assert len({line.text for line in dealt}) == count
        assert len(groups) == len(set(groups)) and "calls" not in groups
