"""`pendtui score` on a built queue and on runs of it."""

import csv
import io
import json
from pathlib import Path

import pytest

from pendtui.evals.corpus.build import build
from tests.commands.conftest import Outcome, Program
from tests.policies import policy_text


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("built") / "queue"
    build(folder)
    return folder


@pytest.fixture
def own(tmp_path: Path) -> Path:
    """A queue that the test may change."""
    build(tmp_path / "queue", records=20)
    return tmp_path / "queue"


def figures(outcome: Outcome) -> dict[str, dict[str, object]]:
    assert outcome.code == 0, outcome.err
    return {row["measure"]: row for row in json.loads(outcome.out)}


@pytest.mark.parametrize("arm", ["phrase", "floor"])
def test_the_offline_readers_get_every_clock_and_release_right(program: Program, built: Path, arm: str) -> None:
    shown = figures(program("score", "--queue", built, "--arm", arm, "--format", "json"))

    def counted(name: str) -> tuple[object, object]:
        return shown[name]["n"], shown[name]["of"]

    for name in ("answered", "clock", "release"):
        assert counted(name) == (60, 60)
    assert counted("false_releases") == (0, 60)
    assert counted("false_releases_on_bait") == (0, 6)
    assert counted("missed_escalations") == (0, 12)
    assert counted("over_escalations") == (0, 48)
    assert counted("wrong_clock_by_pend_date") == (0, 0)
    assert counted("resolution_by_register") == (39, 39)
    assert shown["resolution_by_cause"]["of"] == 21
    assert counted("null/cause_class") == (9, 60)
    assert counted("null/resolution") == (23, 60)
    assert counted("null/clock") == (48, 60)
    assert counted("null/release") == (60, 60)
    assert shown["cause_looks_like_another/cause_class"]["of"] == 6
    assert counted("raw/resolution") == (None, None)
    assert shown["raw/resolution"]["share"] is None


def test_a_stored_run_scores_as_the_reader_itself_does(program: Program, built: Path) -> None:
    program("read", "--queue", built, "--arm", "phrase", "--run-id", "p")
    stored = program("score", "--queue", built, "p", "--format", "json")
    now = program("score", "--queue", built, "--arm", "phrase", "--format", "json")
    assert stored.out == now.out
    by_path = program("score", "--queue", built, Path("runs") / "p.jsonl", "--format", "json")
    assert by_path.out == stored.out


def test_every_format_gives_the_same_figures_and_says_what_was_scored(program: Program, built: Path) -> None:
    program("read", "--queue", built, "--run-id", "f")
    as_json = program("score", "--queue", built, "f", "--format", "json")
    listed = json.loads(as_json.out)
    as_lines = program("score", "--queue", built, "f", "--format", "jsonl")
    assert [json.loads(line) for line in as_lines.out.splitlines()] == listed
    as_csv = program("score", "--queue", built, "f", "--format", "csv")
    cells = list(csv.DictReader(io.StringIO(as_csv.out)))
    assert [(row["measure"], row["n"], row["of"]) for row in cells] == [
        (row["measure"], *("" if row[name] is None else str(row[name]) for name in ("n", "of"))) for row in listed
    ]
    table = program("score", "--queue", built, "f")
    header, _, *body, last = table.out.splitlines()
    assert header.split() == ["measure", "n", "of", "share", "note"]
    assert [line.split()[0] for line in body] == [row["measure"] for row in listed]
    clock = next(line for line in body if line.startswith("clock "))
    assert clock.split()[:4] == ["clock", "60", "60", "100.0%"]
    raw = next(line for line in body if line.startswith("raw/clock "))
    assert raw.split()[1] == "the", "what was not measured is blank"
    assert last.startswith("run f (floor), queue ")
    for outcome in (as_json, as_lines, as_csv):
        assert outcome.err.strip() == last


def test_the_floors_change_the_citation_alone(program: Program, built: Path) -> None:
    program("read", "--queue", built, "--run-id", "f")
    plain = figures(program("score", "--queue", built, "f", "--format", "json"))
    strict = figures(program("score", "--queue", built, "f", "--coverage", 1, "--precision", 1, "--format", "json"))
    assert {name for name in plain if plain[name]["n"] != strict[name]["n"]} <= {"citation"} | {
        name for name in plain if name.endswith("all_correct")
    }


def test_a_run_made_on_another_queue_is_refused_by_the_hash_that_differs(program: Program, own: Path) -> None:
    program("read", "--run-id", "a")
    with (own / "PC-0007.txt").open("a", encoding="utf-8") as record:
        record.write("\n")
    outcome = program("score", "a")
    assert (outcome.code, outcome.out) == (2, "")
    assert "queue hash" in outcome.err and "policy hash" not in outcome.err
    assert outcome.err.count("\n") == 1


def test_a_run_made_under_another_policy_is_refused_by_the_hash_that_differs(
    program: Program, own: Path, tmp_path: Path
) -> None:
    program("read", "--run-id", "a")
    other = tmp_path / "other.toml"
    other.write_text(policy_text() + "\n# the same rules, other bytes\n", encoding="utf-8")
    outcome = program("score", "a", "--policy", other)
    assert outcome.code == 2
    assert "policy hash" in outcome.err and "queue hash" not in outcome.err


def test_a_run_of_some_records_is_scored_over_those(program: Program, own: Path) -> None:
    program("read", "--limit", 5, "--run-id", "five")
    shown = figures(program("score", "five", "--format", "json"))
    assert (shown["answered"]["n"], shown["clock"]["of"]) == (5, 5)


def test_a_run_cut_short_is_scored_with_what_it_never_got_to_as_not_answered(
    program: Program, own: Path, tmp_path: Path
) -> None:
    program("read", "--run-id", "a")
    path = tmp_path / "runs" / "a.jsonl"
    path.write_bytes(b"".join(path.read_bytes().splitlines(keepends=True)[: 1 + 12]))
    outcome = program("score", "a", "--format", "json")
    shown = figures(outcome)
    assert (shown["answered"]["n"], shown["answered"]["of"]) == (12, 20)
    assert (shown["release"]["n"], shown["release"]["of"]) == (12, 20)
    assert "not finished" in outcome.err


def test_without_corpus_json_bait_is_blank_and_nothing_is_listed_by_case(program: Program, own: Path) -> None:
    (own / "corpus.json").unlink()
    shown = figures(program("score", "--arm", "floor", "--format", "json"))
    assert shown["false_releases_on_bait"]["n"] is None
    assert not [name for name in shown if name.endswith("/all_correct")]


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ((), "name a stored run or a reader"),
        (("a", "--arm", "floor"), "name a stored run or a reader"),
        (("nowhere",), "there is no run 'nowhere'"),
        (("--arm", "floor", "--coverage", "0"), "is not a share above 0"),
        (("--arm", "floor", "--precision", "1.5"), "is not a share above 0"),
        (("queue/gold.jsonl",), "is not a stored run"),
    ],
)
def test_a_wrong_call_is_one_line_and_exit_2(
    program: Program, own: Path, arguments: tuple[str, ...], said: str
) -> None:
    outcome = program("score", *arguments)
    assert (outcome.code, outcome.out) == (2, "")
    assert said in outcome.err and outcome.err.count("\n") == 1


def test_a_queue_without_an_answer_key_cannot_be_scored(program: Program, own: Path) -> None:
    (own / "gold.jsonl").unlink()
    outcome = program("score", "--arm", "floor")
    assert outcome.code == 2 and "there is no answer key" in outcome.err
