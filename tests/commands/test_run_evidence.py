"""`pendtui runs show`, `compare`, `bands`, `cost`, `export`, `replay`, `dossier` and `score --redproof`."""

import json
from pathlib import Path

import pytest

from pendtui.desk.run_archive import write_copy
from pendtui.desk.run_file import Run, read_run
from pendtui.evals.gold import GoldAnswer
from pendtui.evals.ground import Ground
from tests.commands.conftest import Outcome, Program
from tests.evals.queue_runs import Change, built_ground, run_on

USAGE = {"prompt_tokens": 2_000, "cached_tokens": 1_500, "completion_tokens": 100}
TARIFF = """
name = "night and day"
currency = "EUR"

[[rate]]
name = "peak"
begins = "08:00"
ends = "20:00"
prompt = 2.0
cached = 0.2
completion = 20.0

[[rate]]
name = "night"
prompt = 1.0
cached = 0.1
completion = 10.0
"""


@pytest.fixture
def ground(tmp_path: Path) -> Ground:
    return built_ground(tmp_path / "queue")


def called(key: GoldAnswer) -> dict[str, object]:
    """One call a record, of as many seconds as its number, at one price."""
    seconds = float(key.id[-2:])
    return {
        "call": {
            "started_at": f"2026-12-01T{9 if seconds <= 10 else 22:02d}:00:00Z",
            "seconds": seconds,
            "usage": USAGE,
            "cost": {"amount": 0.5, "currency": "EUR", "rate": "flat"},
        }
    }


def keep(ground: Ground, change: Change = lambda key: {}, **header: object) -> Run:
    """Store a made-up run of a model."""
    run = run_on(ground, change, **header)
    folder = ground.folder.parent / "runs"
    folder.mkdir(exist_ok=True)
    write_copy(run, folder / f"{run.header.run_id}.jsonl")
    return run


def rows_of(outcome: Outcome) -> list[dict[str, object]]:
    assert outcome.code == 0, outcome.err
    found: list[dict[str, object]] = json.loads(outcome.out)
    return found


def wrong_cause(*ids: str) -> Change:
    return lambda key: (
        {"cause_class": "CODE-EDIT" if key.cause_class != "CODE-EDIT" else "DOC-REQUIRED"} if key.id in ids else {}
    )


# show


def test_every_figure_of_show_is_the_figure_of_score(program: Program, ground: Ground) -> None:
    keep(ground, wrong_cause("PC-0001", "PC-0002"), run_id="m")
    program("read", "--arm", "phrase", "--run-id", "p")
    for run_id in ("m", "p"):
        for floors in ((), ("--coverage", "0.9", "--precision", "0.9")):
            scored = rows_of(program("score", run_id, *floors, "--format", "json"))
            shown = rows_of(program("runs", "show", run_id, *floors, "--format", "json"))
            assert [{name: row[name] for name in scored[0]} for row in shown] == scored
            table, show_table = program("score", run_id, *floors), program("runs", "show", run_id, *floors)
            assert table.out.splitlines()[-1] in show_table.out.splitlines(), "the same was graded"


def test_show_gives_each_rate_its_interval_and_leaves_blank_what_was_not_measured(
    program: Program, ground: Ground
) -> None:
    program("read", "--arm", "floor", "--run-id", "f")
    rows = {row["measure"]: row for row in rows_of(program("runs", "show", "f", "--format", "json"))}
    clock = rows["clock"]
    assert (clock["n"], clock["of"], clock["high"]) == (20, 20, 1.0)
    assert isinstance(clock["low"], float) and 0.83 < clock["low"] < 0.84
    raw = rows["raw/clock"]
    assert [raw[name] for name in ("n", "of", "share", "low", "high")] == [None] * 5


def test_a_run_is_scored_again_at_other_floors_for_nothing(
    program: Program, ground: Ground, tmp_path: Path
) -> None:
    def half(key: GoldAnswer) -> dict[str, object]:
        start, end = key.span
        return {"span": (start, start + (end - start) // 2)}

    keep(ground, half, run_id="m")
    before = (tmp_path / "runs" / "m.jsonl").read_bytes()

    def citations(*floors: object) -> object:
        rows = rows_of(program("runs", "show", "m", *floors, "--format", "json"))
        return next(row["n"] for row in rows if row["measure"] == "citation")

    assert citations() == 0
    assert citations("--coverage", 0.4) == 20
    assert citations("--coverage", 0.4, "--precision", 1) == 20
    assert (tmp_path / "runs" / "m.jsonl").read_bytes() == before


def test_the_records_behind_a_figure_are_those_it_counts_and_then_the_others(
    program: Program, ground: Ground
) -> None:
    keep(ground, wrong_cause("PC-0003", "PC-0009"), run_id="m")
    rows = rows_of(program("runs", "show", "m", "--figure", "cause_class", "--format", "json"))
    assert len(rows) == 20
    assert [row["counted"] for row in rows] == [True] * 18 + [False] * 2
    assert [row["id"] for row in rows[-2:]] == ["PC-0003", "PC-0009"]
    assert rows[-1]["cause_key"] != rows[-1]["cause_read"]
    wrong = program("runs", "show", "m", "--figure", "average")
    assert wrong.code == 2 and "has no figure 'average'" in wrong.err


def test_arms_stand_side_by_side_and_a_models_run_twice(program: Program, ground: Ground) -> None:
    keep(ground, run_id="m")
    program("read", "--arm", "phrase", "--run-id", "p")
    rows = rows_of(program("runs", "show", "p", "m", "--view", "arms", "--format", "json"))
    arms = list(dict.fromkeys(str(row["arm"]) for row in rows))
    assert arms == ["1:phrase", "2:model (small-1) raw", "3:model (small-1) rechecked"]
    table = program("runs", "show", "p", "m", "--view", "arms").out
    line = next(line for line in table.splitlines() if line.startswith("clock "))
    assert line.count("20 of 20 (83.2%-100.0%)") == 3


@pytest.mark.parametrize("view", ["confusion", "reliability", "recheck", "calls", "history"])
def test_each_view_is_a_table_and_rows_for_programs(program: Program, ground: Ground, view: str) -> None:
    keep(ground, lambda key: {**called(key), "confidence": 0.75}, run_id="m")
    table = program("runs", "show", "m", "--view", view)
    assert table.code == 0 and "run m (model (small-1))" in table.out
    assert rows_of(program("runs", "show", "m", "--view", view, "--format", "json"))


def test_the_confusion_matrix_names_the_records_of_each_pair(program: Program, ground: Ground) -> None:
    keep(ground, wrong_cause("PC-0003"), run_id="m")
    rows = rows_of(program("runs", "show", "m", "--view", "confusion", "--format", "json"))
    assert sum(row["n"] for row in rows if isinstance(row["n"], int)) == 20
    (off,) = [row for row in rows if row["key"] != row["read"]]
    assert (off["n"], off["ids"]) == (1, ["PC-0003"])


def test_the_calls_of_a_run_are_told_by_quantiles_over_those_that_were_measured(
    program: Program, ground: Ground
) -> None:
    keep(ground, called, run_id="m")
    rows = {
        row["amount"]: row for row in rows_of(program("runs", "show", "m", "--view", "calls", "--format", "json"))
    }
    seconds = rows["seconds"]
    assert [seconds[name] for name in ("measured", "of", "least", "median", "p95", "most", "total")] == [
        *(20, 20, 1.0, 10.0, 19.0, 20.0, 210.0)
    ]
    reasoning = rows["reasoning_tokens"]
    assert (reasoning["measured"], reasoning["of"], reasoning["median"]) == (0, 20, None)


def test_runs_may_be_named_before_and_after_an_option(program: Program, ground: Ground) -> None:
    keep(ground, run_id="a")
    keep(ground, run_id="b")
    said = program("runs", "compare", "a", "b").out
    assert said == program("runs", "compare", "--coverage", "0.6", "a", "b").out
    assert said == program("runs", "compare", "a", "--coverage", "0.6", "b").out
    unknown = program("runs", "compare", "a", "--nonsense", "b")
    assert (unknown.code, unknown.err.count("\n")) == (2, 1)


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("show",), "takes one run or more, not 0"),
        (("show", "nowhere"), "there is no run 'nowhere'"),
        (("show", "m", "m"), "takes one run"),
        (("compare", "m"), "takes two runs, not 1"),
        (("compare", "m", "m", "m"), "takes two runs, not 3"),
        (("bands",), "takes one run, not 0"),
        (("cost", "m", "m"), "takes one run, not 2"),
        (("list", "m"), "takes no run, not 1"),
        (("export", "m"), "needs --out FILE"),
        (("cost", "m"), "made no calls"),
        (("replay", "nowhere"), "there is no run 'nowhere'"),
        (("replay", "m"), "needs a terminal"),
    ],
)
def test_a_wrong_call_is_one_line_and_exit_2(
    program: Program, ground: Ground, arguments: tuple[str, ...], said: str
) -> None:
    keep(ground, run_id="m")
    outcome = program("runs", *arguments)
    assert (outcome.code, outcome.out) == (2, "")
    assert said in outcome.err and outcome.err.count("\n") == 1


# compare and bands


def test_two_runs_of_one_reader_are_compared_by_figure_by_field_and_by_record(
    program: Program, ground: Ground
) -> None:
    keep(ground, wrong_cause("PC-0001", "PC-0002", "PC-0003"), run_id="a")
    keep(ground, wrong_cause("PC-0003"), run_id="b")
    figures = {row["measure"]: row for row in rows_of(program("runs", "compare", "a", "b", "--format", "json"))}
    cause = figures["cause_class"]
    assert (cause["n_1"], cause["of_1"], cause["n_2"], cause["of_2"]) == (17, 20, 19, 20)
    assert cause["difference"] == pytest.approx(0.1)
    assert figures["null/citation"]["difference"] is None
    fields = rows_of(program("runs", "compare", "a", "b", "--by", "fields", "--format", "json"))
    (paired,) = [row for row in fields if row["field"] == "cause_class"]
    assert [paired[name] for name in ("both_right", "only_1", "only_2", "both_wrong", "of")] == [17, 0, 2, 1, 20]
    assert paired["p"] == pytest.approx(0.5)
    records = rows_of(program("runs", "compare", "a", "b", "--by", "records", "--format", "json"))
    assert [(row["id"], row["field"], row["right"]) for row in records] == [
        ("PC-0001", "cause_class", "2"),
        ("PC-0002", "cause_class", "2"),
    ]
    table = program("runs", "compare", "a", "b").out
    assert "guards hold" in table and "+10.0 pt" in table and "McNemar" in table


def test_two_runs_that_were_asked_otherwise_are_refused_by_the_guards_name(
    program: Program, ground: Ground
) -> None:
    keep(ground, run_id="a")
    keep(ground, run_id="b", settings={"temperature": 1.0})
    outcome = program("runs", "compare", "a", "b")
    assert (outcome.code, outcome.out) == (2, "")
    assert "a and b cannot be compared: temperature: 0.0 against 1.0" in outcome.err
    assert "--across-readers" in outcome.err
    assert program("runs", "compare", "a", "b", "--across-readers").code == 0


def test_two_readers_of_other_records_are_refused_however_they_are_asked_for(
    program: Program, ground: Ground
) -> None:
    program("read", "--arm", "phrase", "--limit", 5, "--run-id", "five")
    program("read", "--arm", "floor", "--run-id", "all")
    outcome = program("runs", "compare", "five", "all", "--across-readers")
    assert outcome.code == 2
    assert "records read: 5, " in outcome.err and "against all 20" in outcome.err
    assert "arm" not in outcome.err, "readers may differ here"


def test_a_band_of_earlier_runs_holds_or_breaks_and_then_says_what_changed(
    program: Program, ground: Ground
) -> None:
    keep(ground, wrong_cause("PC-0001"), run_id="a", started_at="2026-12-01T09:00:00.000Z")
    keep(ground, wrong_cause("PC-0001"), run_id="b", started_at="2026-12-02T09:00:00.000Z")
    keep(ground, wrong_cause("PC-0001"), run_id="c", started_at="2026-12-03T09:00:00.000Z")
    holds = program("runs", "bands", "c")
    assert holds.code == 0 and "earlier runs that hold every guard: a, b" in holds.out
    keep(ground, wrong_cause("PC-0001", "PC-0002"), run_id="d", started_at="2026-12-04T09:00:00.000Z")
    breaks = program("runs", "bands", "d")
    assert breaks.code == 1
    assert "what changed since c:" in breaks.out and "PC-0002: cause_class lost" in breaks.out
    line = next(line for line in breaks.out.splitlines() if line.startswith("cause_class"))
    assert line.split()[1:6] == ["18", "20", "19", "19", "breaks"]


# cost


def test_cost_keeps_what_was_measured_apart_from_what_was_worked_out(
    program: Program, ground: Ground, tmp_path: Path
) -> None:
    keep(ground, called, run_id="m")
    (tmp_path / "tariff.toml").write_text(TARIFF, encoding="utf-8")
    rows = rows_of(program("runs", "cost", "m", "--tariff", "tariff.toml", "--records", 1000, "--format", "json"))
    assert {row["basis"] for row in rows if row["group"] == "under night and day"} == {"arithmetic"}
    found = {(row["group"], row["figure"]): row for row in rows}
    assert (found["this run", "cost"]["value"], found["this run", "cost"]["basis"]) == (10.0, "measured")
    assert found["this run", "1,000 records"]["value"] == pytest.approx(500.0)
    assert found["this run", "1,000 records"]["basis"] == "arithmetic"
    night = (500 * 1.0 + 1_500 * 0.1 + 100 * 10.0) / 1e6
    assert found["under night and day", "cost"]["value"] == pytest.approx(10 * night + 10 * 2 * night)
    assert found["under night and day", "at rate peak"]["value"] == pytest.approx(10 * 2 * night)
    assert found["under night and day", "all at rate night"]["value"] == pytest.approx(20 * night)
    saved = found["only unsure", "saved by --only-unsure"]
    asked = found["only unsure", "calls with --only-unsure"]["value"]
    assert isinstance(asked, int | float) and saved["value"] == pytest.approx(0.5 * (20 - asked))
    assert saved["basis"] == "arithmetic"


def test_a_cost_that_nobody_priced_is_blank(program: Program, ground: Ground) -> None:
    keep(ground, lambda key: {"call": {"seconds": 1.0, "usage": USAGE}}, run_id="m")
    found = {row["figure"]: row for row in rows_of(program("runs", "cost", "m", "--format", "json"))}
    assert found["cost"]["value"] is None and "20 of unknown cost" in str(found["cost"]["note"])
    assert found["saved by --only-unsure"]["value"] is None
    assert found["cached share of the prompt"]["value"] == 0.75


# export, dossier, red proof


def test_an_exported_run_scores_the_same_and_names_no_folder_of_this_machine(
    program: Program, ground: Ground, tmp_path: Path
) -> None:
    program("read", "--arm", "phrase", "--run-id", "p")
    assert program("runs", "export", "p", "--out", tmp_path / "copy.jsonl").code == 0
    assert read_run(tmp_path / "copy.jsonl").header.queue == "queue"
    assert str(tmp_path) not in (tmp_path / "copy.jsonl").read_text(encoding="utf-8")
    assert program("score", tmp_path / "copy.jsonl").out == program("score", "p").out
    again = program("runs", "export", "p", "--out", tmp_path / "copy.jsonl")
    assert again.code == 2 and "there is already such a file" in again.err


def test_the_dossier_ends_in_not_open_with_flawless_runs_too(program: Program, ground: Ground) -> None:
    keep(ground, run_id="m")
    report = program("dossier")
    assert report.code == 0
    assert report.out.rstrip().endswith("Every category: *not open*.")
    rows = rows_of(program("dossier", "m", "--format", "json"))
    assert len(rows) == 8 and {row["status"] for row in rows} == {"not open"}
    assert sum(int(str(row["n"])) for row in rows) == 20


def test_a_dossier_without_a_run_on_this_queue_is_one_line(program: Program, ground: Ground) -> None:
    outcome = program("dossier")
    assert outcome.code == 2 and "no stored run was made on this queue and policy" in outcome.err


def test_the_red_proof_catches_every_break_and_says_so(program: Program, ground: Ground) -> None:
    outcome = program("score", "--redproof")
    assert outcome.code == 0
    assert outcome.out.splitlines()[-1].endswith("0 with no record to show it on")
    assert "GOT THROUGH" not in outcome.out
    with_a_run = program("score", "--redproof", "--arm", "floor")
    assert with_a_run.code == 2 and "takes neither a run nor a reader" in with_a_run.err


def test_the_red_proof_fails_where_a_break_gets_through(
    program: Program, ground: Ground, monkeypatch: pytest.MonkeyPatch
) -> None:
    from pendtui.evals.breaks import BREAKS

    blind = tuple(each._replace(row="clock") for each in BREAKS if each.name == "releases everything")
    monkeypatch.setattr("pendtui.evals.redproof.BREAKS", blind)
    outcome = program("score", "--redproof")
    assert outcome.code == 1 and "GOT THROUGH" in outcome.out and "1 got through" in outcome.out
