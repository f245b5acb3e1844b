"""The answer key and the cases, read from a queue folder, and what is said of one that cannot be used."""

import json
from pathlib import Path

import pytest

from pendtui.errors import QueueError
from pendtui.evals.corpus.build import build
from pendtui.evals.gold import read_cases, read_gold

ANSWER: dict[str, object] = {
    "id": "PC-0001",
    "cause_class": "AUTH-MISSING",
    "resolution": "PEND-EXTERNAL",
    "rule": "PR-9",
    "clock": "WITHIN-CLOCK",
    "clock_rule": "CL-2",
    "release": "EXAMINER-APPLIES",
    "citation": "no auth on file",
    "span": [10, 25],
}


def write_gold(folder: Path, *answers: dict[str, object]) -> Path:
    (folder / "gold.jsonl").write_text("".join(json.dumps(a) + "\n" for a in answers), encoding="utf-8")
    return folder


def test_a_built_queue_has_a_key_whose_spans_are_its_citations(tmp_path: Path) -> None:
    counts = build(tmp_path, records=60)
    gold, cases = read_gold(tmp_path), read_cases(tmp_path)
    assert len(gold) == 60
    for record_id, answer in gold.items():
        text = (tmp_path / f"{record_id}.txt").read_text(encoding="utf-8")
        assert text[slice(*answer.span)] == answer.citation
    assert cases is not None and set(cases) == set(gold)
    assert {case: list(cases.values()).count(case) for case in cases.values()} == counts.cases


def test_a_queue_without_a_key_says_what_scoring_needs(tmp_path: Path) -> None:
    with pytest.raises(QueueError, match="there is no answer key") as refused:
        read_gold(tmp_path)
    assert "pendtui build" in str(refused.value)
    assert read_cases(tmp_path) is None


def test_a_clock_may_be_unknown_where_a_contract_sets_the_days(tmp_path: Path) -> None:
    assert read_gold(write_gold(tmp_path, ANSWER | {"clock": None}))["PC-0001"].clock is None


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"id": ""}, "id is missing"),
        ({"cause_class": "NO-AUTH"}, "cause_class 'NO-AUTH' is none of ELIG-MISMATCH"),
        ({"resolution": "PAY"}, "resolution 'PAY' is none of"),
        ({"clock": "LATE"}, "clock 'LATE' is none of"),
        ({"release": "YES"}, "release 'YES' is none of"),
        ({"rule": 9}, "rule is missing or is not text"),
        ({"citation": None}, "citation is missing"),
        ({"span": None}, "span is not"),
        ({"span": [25, 10]}, "span is not"),
        ({"span": [True, 10]}, "span is not"),
        ({"span": [-1, 10]}, "span is not"),
    ],
)
def test_an_answer_that_cannot_be_right_is_named_by_its_line(
    tmp_path: Path, change: dict[str, object], said: str
) -> None:
    write_gold(tmp_path, ANSWER, ANSWER | {"id": "PC-0002"} | change)
    with pytest.raises(QueueError) as refused:
        read_gold(tmp_path)
    assert "gold.jsonl, line 2: " in str(refused.value)
    assert said in str(refused.value)


def test_a_record_answered_twice_is_refused(tmp_path: Path) -> None:
    with pytest.raises(QueueError, match="line 2: answers PC-0001 a second time"):
        read_gold(write_gold(tmp_path, ANSWER, ANSWER))


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (b"", "holds no answers"),
        (b"{", "line 1: not valid JSON"),
        (b"[]\n", "line 1: is not a JSON object"),
        (b"\xff", "not UTF-8 at offset 0"),
    ],
)
def test_a_file_that_is_no_key_is_refused(tmp_path: Path, data: bytes, said: str) -> None:
    (tmp_path / "gold.jsonl").write_bytes(data)
    with pytest.raises(QueueError, match=said):
        read_gold(tmp_path)


@pytest.mark.parametrize("text", ["{}", '{"cases": []}', '{"cases": {"PC-0001": 3}}'])
def test_a_corpus_file_without_cases_is_refused(tmp_path: Path, text: str) -> None:
    (tmp_path / "corpus.json").write_text(text, encoding="utf-8")
    with pytest.raises(QueueError, match="cases is not a table"):
        read_cases(tmp_path)
