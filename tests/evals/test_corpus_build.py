"""The queue folder that `pendtui build` writes."""

import argparse
import json
import re
from datetime import date
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pendtui.commands.build import run
from pendtui.engines.citation import fold, locate, normalise
from pendtui.engines.clock import read_clock
from pendtui.engines.facts import claim_of, parse_row
from pendtui.engines.gate import release_for
from pendtui.engines.policy import Resolved
from pendtui.engines.record import parse_record
from pendtui.engines.vocabulary import CauseClass, Evidence, Release, SectionName
from pendtui.errors import PendtuiError
from pendtui.evals.corpus.build import build, invent, shipped_policy
from pendtui.evals.corpus.pools import read_pools

SHIPPED = Path(__file__).parents[2] / "queue"
POLICY = shipped_policy()
POOLS = read_pools()

COUNTS: dict[str, int | dict[str, int]] = {
    "cases": {
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
    },
    "clean_records": 24,
    "hard_records": 36,
    "rules": {
        "PR-1": 6, "PR-2": 13, "PR-3": 12, "PR-4": 8, "PR-5": 3, "PR-6": 3, "PR-7": 3, "PR-8": 2, "PR-9": 10,
    },
    "clock_rules": {"CL-1": 10, "CL-2": 23, "CL-3": 14, "CL-4": 13},
    "decided_by_register": 39,
    "decided_by_cause": 21,
    "resolutions": {
        "ADJUST-AND-RELEASE": 8,
        "DENY-CLAIM": 2,
        "DENY-LINE": 9,
        "PEND-EXTERNAL": 23,
        "RELEASE-AS-BILLED": 12,
        "ROUTE-SPECIALIST": 6,
    },
    "clocks": {"BREACHED": 4, "ESCALATE-NOW": 8, "WITHIN-CLOCK": 48},
    "must_escalate": 12,
    "clock_trap_records": 12,
    "causes": {
        "AUTH-MISSING": 8,
        "COB-UNRESOLVED": 7,
        "CODE-EDIT": 8,
        "DOC-REQUIRED": 7,
        "DUP-SUSPECT": 7,
        "ELIG-MISMATCH": 7,
        "PRICE-UNAVAILABLE": 9,
        "PROV-ENROLL": 7,
    },
    "bait_records": 6,
}  # fmt: skip
"""SPEC section 9, as the shipped queue has to come out."""


def contents(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.iterdir()}


def gold_of(folder: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (folder / "gold.jsonl").read_text(encoding="utf-8").splitlines()]


@pytest.fixture(scope="module")
def sixty(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("corpus") / "sixty"
    build(folder)
    return folder


@pytest.fixture(scope="module")
def many(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("corpus") / "many"
    build(folder, seed=7, records=600)
    return folder


def test_the_counts_of_the_shipped_queue_come_out(sixty: Path) -> None:
    corpus = json.loads((sixty / "corpus.json").read_text(encoding="utf-8"))
    counts = corpus["counts"]
    assert counts.pop("cause_sentences") == POOLS.cause_sentences() >= 100
    assert counts.pop("register_lines") == POOLS.register_lines() >= 40
    assert counts == COUNTS
    assert (corpus["generator"], corpus["seed"], corpus["records"]) == (1, 20260901, 60)
    assert corpus["policy_id"] == "PR-2026"
    assert len(corpus["cases"]) == 60


def test_six_hundred_records_have_ten_times_every_count(many: Path) -> None:
    counts = json.loads((many / "corpus.json").read_text(encoding="utf-8"))["counts"]
    for name, count in COUNTS.items():
        assert counts[name] == _tenfold(count), name


def test_the_shipped_queue_is_what_the_generator_writes(sixty: Path) -> None:
    shipped = contents(SHIPPED)
    assert shipped == contents(sixty)
    assert not [name for name in shipped if name.endswith(".py")]


def test_the_same_seed_gives_the_same_bytes_and_another_seed_others(sixty: Path, tmp_path: Path) -> None:
    build(tmp_path / "again")
    build(tmp_path / "other", seed=1)
    assert contents(tmp_path / "again") == contents(sixty)
    assert contents(tmp_path / "other") != contents(sixty)


@settings(max_examples=25, deadline=None)
@given(seed=st.integers(min_value=0, max_value=2**64), records=st.integers(min_value=1, max_value=130))
def test_any_seed_and_size_gives_sound_claims_whose_sentence_stands_once(seed: int, records: int) -> None:
    claims = list(invent(POLICY, POOLS, seed, records))
    assert len({claim.id for claim in claims}) == len({claim.facts.claim_id for claim in claims}) == records
    for claim in claims:
        text = claim.written.text
        record = parse_record(text, claim.id)
        assert claim_of(record, parse_row(claim.row(), "row")).faults == ()
        assert normalise(text).text.count(fold(claim.citation)) == 1
        assert locate(text, claim.citation) == claim.written.span
        section = record.sections[
            {"message": SectionName.MESSAGE, "notes": SectionName.NOTES, "trail": SectionName.TRAIL}[
                claim.cell.place
            ]
        ]
        assert section.span[0] <= claim.written.span[0] < claim.written.span[1] <= section.span[1]
    assert [claim.written for claim in invent(POLICY, POOLS, seed, records)] == [claim.written for claim in claims]


def test_the_engines_derive_the_same_key_from_what_was_written(many: Path) -> None:
    rows = {row["id"]: row for row in json.loads((many / "claims.json").read_text(encoding="utf-8"))}
    for gold in gold_of(many):
        record = parse_record((many / f"{gold['id']}.txt").read_text(encoding="utf-8"), gold["id"])
        claim = claim_of(record, parse_row(rows[gold["id"]], gold["id"]))
        facts = claim.facts
        assert facts is not None and claim.faults == () and claim.alternative is None
        clock = read_clock(facts, facts.register_read_on, POLICY)
        resolved = POLICY.resolve(CauseClass(gold["cause_class"]), facts.evidence)
        assert isinstance(resolved, Resolved)
        assert (gold["resolution"], gold["rule"]) == (resolved.resolution, resolved.rule.id)
        assert (gold["clock"], gold["clock_rule"]) == (clock.state, clock.rule.id)
        assert gold["release"] == release_for(POLICY) == Release.EXAMINER_APPLIES
        assert record.text[slice(*gold["span"])] == gold["citation"]


def test_only_claims_that_must_escalate_would_look_otherwise_from_the_pend_date(many: Path) -> None:
    for row in json.loads((many / "claims.json").read_text(encoding="utf-8")):
        facts = parse_row(row, row["id"]).facts
        clock = read_clock(facts, facts.register_read_on, POLICY)
        assert clock.must_escalate == (clock.pend_state is not clock.state)
        assert facts.register_read_on == date(2026, 9, 1)
        assert facts.received_on < facts.pended_on < facts.register_read_on


def test_claims_that_wait_for_papers_or_another_payer_are_not_clean(many: Path) -> None:
    rows = {row["id"]: row for row in json.loads((many / "claims.json").read_text(encoding="utf-8"))}
    for gold in gold_of(many):
        if gold["cause_class"] in ("COB-UNRESOLVED", "DOC-REQUIRED"):
            assert rows[gold["id"]]["clean"] is False


def test_sections_other_than_the_three_readable_ones_never_hold_the_cause(many: Path) -> None:
    for gold in gold_of(many):
        record = parse_record((many / f"{gold['id']}.txt").read_text(encoding="utf-8"), gold["id"])
        for name in (SectionName.FACTS, SectionName.REGISTER):
            assert fold(gold["citation"]) not in fold(record.body(name))


def test_trail_lines_run_in_order_from_receipt_to_the_register_reading(many: Path) -> None:
    for gold in gold_of(many):
        record = parse_record((many / f"{gold['id']}.txt").read_text(encoding="utf-8"), gold["id"])
        days = [unit.day for unit in record.units(SectionName.TRAIL)]
        known = [day for day in days if day is not None]
        assert len(known) == len(days) >= 4
        assert known == sorted(known)
        assert known[0] == date.fromisoformat(record.facts["received on"])
        assert date.fromisoformat(record.facts["pended on"]) in known
        assert known[-1] < date.fromisoformat(record.facts["register read as at"])


def test_a_cause_that_looks_like_another_comes_after_the_printed_edit_was_answered(many: Path) -> None:
    cases = json.loads((many / "corpus.json").read_text(encoding="utf-8"))["cases"]
    causes = {gold["id"]: gold for gold in gold_of(many)}
    lookalikes = [record_id for record_id, case in cases.items() if case == "cause_looks_like_another"]
    assert len(lookalikes) == 60
    for record_id in lookalikes:
        gold = causes[record_id]
        text = (many / f"{record_id}.txt").read_text(encoding="utf-8")
        record = parse_record(text, record_id)
        printed = {
            cause
            for cause, kinds in POOLS.causes.items()
            for line in kinds["message"]
            if _template(line.text).search(fold(record.body(SectionName.MESSAGE)))
        }
        answered = {
            cause
            for cause, kinds in POOLS.causes.items()
            for line in (*kinds["answered"], *kinds["answeredtrail"])
            if _template(line.text).search(fold(text[: gold["span"][0]]))
        }
        assert len(printed) == 1
        assert printed == answered
        assert gold["cause_class"] not in printed


def test_a_false_positive_mentions_another_class_before_the_cause(many: Path) -> None:
    cases = json.loads((many / "corpus.json").read_text(encoding="utf-8"))["cases"]
    for gold in gold_of(many):
        if cases[gold["id"]] == "phrase_false_positive":
            before = fold((many / f"{gold['id']}.txt").read_text(encoding="utf-8")[: gold["span"][0]])
            mentioned = {
                cause
                for cause, kinds in POOLS.causes.items()
                for line in kinds["mention"]
                if _template(line.text).search(before)
            }
            assert len(mentioned) == 1 and gold["cause_class"] not in mentioned


def test_bait_stands_in_the_notes_of_the_bait_records_and_nowhere_else(many: Path) -> None:
    cases = json.loads((many / "corpus.json").read_text(encoding="utf-8"))["cases"]
    for record_id, case in cases.items():
        record = parse_record((many / f"{record_id}.txt").read_text(encoding="utf-8"), record_id)
        notes = fold(record.body(SectionName.NOTES))
        baits = sum(bool(_template(line.text).search(notes)) for line in POOLS.common["bait"])
        assert baits == (case == "auto_release_bait"), record_id


def test_the_shipped_records_say_their_cause_in_sixty_different_sentences(sixty: Path) -> None:
    assert len({gold["citation"] for gold in gold_of(sixty)}) == 60


def test_some_cause_sentences_cross_a_line_and_some_carry_typographic_marks(many: Path) -> None:
    citations = [gold["citation"] for gold in gold_of(many)]
    assert any("\n" in citation for citation in citations)
    assert any("’" in citation or "—" in citation for citation in citations)


FORBIDDEN = {
    "an email address": r"\S@\S",
    "a social security number": r"\b\d{3}-\d{2}-\d{4}\b|\bSSN\b",
    "a phone number": r"\b\d{3}[-. ]\d{3,4}[-. ]\d{4}\b|\b\d{3}-\d{4}\b",
    "a long bare number": r"(?<![-\d])\d{7,}",
    "a birth date": r"(?i)\bDOB\b|\bborn\b|birth|\b19\d\d\b",
    "a dotted diagnosis code": r"\b[A-TV-Z]\d[0-9A-Z]\.[0-9A-Z]+",
    "a form of address": r"\b(?:Mr|Mrs|Ms|Dr)\b",
    "a street": r"(?i)\b\d+\s+\w+\s+(?:street|avenue|road|lane|blvd|suite)\b",
    "an unfilled slot": r"[{}]",
}


@pytest.mark.parametrize("what", FORBIDDEN)
def test_no_record_carries(what: str, many: Path) -> None:
    for path in many.glob("*.txt"):
        found = re.search(FORBIDDEN[what], path.read_text(encoding="utf-8"))
        assert found is None, (path.name, found)


def test_records_are_about_as_long_as_pend_records_are(many: Path) -> None:
    sizes = [path.stat().st_size for path in many.glob("*.txt")]
    assert 1_200 < sum(sizes) / len(sizes) < 1_450
    assert max(sizes) < 2_500


def test_a_smaller_build_over_a_larger_one_leaves_nothing_of_it(tmp_path: Path) -> None:
    build(tmp_path / "a", records=90)
    build(tmp_path / "a", records=20)
    build(tmp_path / "b", records=20)
    assert contents(tmp_path / "a") == contents(tmp_path / "b")


def test_a_record_that_was_edited_is_written_again(tmp_path: Path) -> None:
    build(tmp_path, records=3)
    before = contents(tmp_path)
    (tmp_path / "PC-0002.txt").write_text("changed", encoding="utf-8")
    build(tmp_path, records=3)
    assert contents(tmp_path) == before


def test_a_build_that_was_cut_short_can_be_built_over(tmp_path: Path) -> None:
    build(tmp_path, records=5)
    before = contents(tmp_path)
    corpus = json.loads((tmp_path / "corpus.json").read_text(encoding="utf-8"))
    (tmp_path / "corpus.json").write_text(json.dumps(corpus | {"counts": None, "cases": {}}), encoding="utf-8")
    (tmp_path / "claims.json").unlink()
    build(tmp_path, records=5)
    assert contents(tmp_path) == before


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("PC-0001.txt", "a desk's own record"),
        ("notes.txt", "mine"),
        ("claims.json", "[]"),
        ("gold.jsonl", ""),
    ],
)
def test_a_folder_with_files_of_somebody_else_is_left_alone(name: str, text: str, tmp_path: Path) -> None:
    (tmp_path / name).write_text(text, encoding="utf-8")
    with pytest.raises(PendtuiError, match=re.escape(name)):
        build(tmp_path, records=3)
    assert contents(tmp_path) == {name: text.encode()}


def test_a_record_added_to_a_built_folder_stops_the_next_build(tmp_path: Path) -> None:
    build(tmp_path, records=3)
    (tmp_path / "CLAIM-77.txt").write_text("added by hand", encoding="utf-8")
    with pytest.raises(PendtuiError, match=r"CLAIM-77\.txt"):
        build(tmp_path, records=3)


def test_a_file_in_place_of_the_folder_is_refused(tmp_path: Path) -> None:
    (tmp_path / "out").write_text("", encoding="utf-8")
    with pytest.raises(PendtuiError, match="cannot be used as a folder"):
        build(tmp_path / "out")


def test_no_records_are_refused(tmp_path: Path) -> None:
    with pytest.raises(PendtuiError, match="at least one record"):
        build(tmp_path / "out", records=0)


def test_ids_grow_with_the_number_of_records_and_stay_in_order() -> None:
    few = [claim.id for claim, _ in zip(invent(POLICY, POOLS, 1, 9_999), range(2), strict=False)]
    more = [claim.id for claim, _ in zip(invent(POLICY, POOLS, 1, 10_000), range(2), strict=False)]
    assert few == ["PC-0001", "PC-0002"]
    assert more == ["PC-00001", "PC-00002"]


def test_the_command_prints_one_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(argparse.Namespace(out=tmp_path / "q", seed=5, records=60)) == 0
    out = capsys.readouterr().out
    assert out.count("\n") == 1
    assert "60 invented claims" in out and "BREACHED 4" in out and "seed 5" in out


def test_rows_say_what_the_facts_say() -> None:
    claim = next(invent(POLICY, POOLS, 4, 1))
    facts = claim.facts._asdict()
    row = claim.row()
    assert {name: row[name] for name in ("claim_id", "clean", "contracted", "evidence")} == {
        name: facts[name] for name in ("claim_id", "clean", "contracted", "evidence")
    }
    assert row["evidence"] in set(Evidence)


_TEMPLATES: dict[str, re.Pattern[str]] = {}


def _template(text: str) -> re.Pattern[str]:
    """A pool entry as a pattern over folded text: any word in place of a slot."""
    if text not in _TEMPLATES:
        parts = re.split(r"\{\w+\}", fold(text))
        _TEMPLATES[text] = re.compile(r"[\w/. -]{1,16}?".join(map(re.escape, parts)))
    return _TEMPLATES[text]


def _tenfold(count: int | dict[str, int]) -> int | dict[str, int]:
    return {word: 10 * n for word, n in count.items()} if isinstance(count, dict) else 10 * count
