"""The evidence view: the same figures as the command line, and the way down to the records behind them."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from textual.pilot import Pilot

from pendtui.app import PendtuiApp
from pendtui.desk.desk import Desk
from pendtui.desk.offline_runs import start
from pendtui.desk.run_archive import write_copy
from pendtui.desk.run_file import Run, read_run
from pendtui.evals.bands import WATCHED_COUNTS
from pendtui.evals.exhibit import exhibit
from pendtui.evals.gold import GoldAnswer
from pendtui.evals.ground import Ground, grade
from pendtui.evals.raw_column import raw_run
from pendtui.evals.scorecard import rows_with_intervals
from pendtui.screens.drawing import ASCII, LINES
from pendtui.screens.evidence import VIEWS, EvidenceScreen
from pendtui.screens.evidence_tables import Size, Table, arms_table
from pendtui.screens.plots import reliability_plot, small_multiple
from tests.commands.conftest import Program, program  # noqa: F401
from tests.desks import config_for
from tests.evals.queue_runs import Change, built_ground, run_on
from tests.screens.screen_text import screen_text, settled
from tests.screens.test_queue_screen import SIZES, press


def model_answers(shift: int = 0) -> Change:
    """A model that errs in a few records, fails in one, and is sure of what it says."""

    def change(key: GoldAnswer) -> dict[str, object]:
        n = int(key.id[-2:]) + shift
        call = {
            "started_at": "2026-12-01T09:00:00Z",
            "seconds": 1.0 + n % 5,
            "usage": {"prompt_tokens": 2_600, "cached_tokens": 1_900, "completion_tokens": 100 + n},
            "cost": {"amount": 0.001 * (1 + n % 3), "currency": "EUR", "rate": "flat"},
        }
        words = {name: getattr(key, name) for name in ("cause_class", "resolution", "clock", "release")}
        if n % 7 == 0:
            return {"error": "timed out", "raw": None, "call": {"failure": "timeout"}}
        if n % 5 == 0:
            words["clock"], words["release"] = "WITHIN-CLOCK", "AUTO-RELEASE"
        wrong = {"cause_class": "CODE-EDIT"} if n % 4 == 0 else {}
        return {"raw": {**words, **wrong}, "call": call, "confidence": 0.6 if n % 4 else 0.97, **wrong}

    return change


def keep(folder: Path, run: Run) -> Run:
    (folder / "runs").mkdir(exist_ok=True)
    write_copy(run, folder / "runs" / f"{run.header.run_id}.jsonl")
    return run


def offline(run: Run) -> Run:
    """The run as one of a reader that has no replies."""
    records = tuple(record._replace(arm=run.header.arm, raw=None, call=None) for record in run.records)
    return run._replace(header=run.header._replace(model=None, prompt_sha256=None, settings=None), records=records)


@pytest.fixture
def ground(tmp_path: Path) -> Ground:
    found = built_ground(tmp_path / "queue")
    keep(tmp_path, run_on(found, model_answers(), run_id="monday", started_at="2026-12-01T09:00:00.000Z"))
    keep(tmp_path, run_on(found, model_answers(1), run_id="tuesday", started_at="2026-12-02T09:00:00.000Z"))
    return found


@pytest.fixture
def app(tmp_path: Path, ground: Ground) -> Iterator[PendtuiApp]:
    config = config_for(tmp_path, ground.folder)
    desk = Desk(config)
    yield PendtuiApp(config, desk)
    desk.close()


def shown_table(app: PendtuiApp) -> Table:
    assert isinstance(app.screen, EvidenceScreen)
    assert app.screen.table is not None
    return app.screen.table


@pytest.mark.parametrize("size", SIZES)
async def test_every_view_is_opened_by_its_number_and_by_tab(app: PendtuiApp, size: tuple[int, int]) -> None:
    async with app.run_test(size=size) as pilot:
        await press(pilot, "E")
        await settled(pilot)
        titles = []
        for number in range(1, len(VIEWS) + 1):
            await press(pilot, str(number))
            titles.append(shown_table(app).title)
            assert shown_table(app).rows
        assert len(set(titles)) == len(VIEWS)
        for title in titles:
            await press(pilot, "tab")
            assert shown_table(app).title == title


async def test_all_arms_fit_an_eighty_column_screen(app: PendtuiApp) -> None:
    async with app.run_test(size=(80, 24)) as pilot:
        await press(pilot, "E")
        text = await settled(pilot)
        head = next(line for line in text.splitlines() if line.startswith("measure"))
        assert head.split() == ["measure", "phrase", "floor", "model", "raw", "rechecked"]
        clock = next(line for line in text.splitlines() if line.startswith("clock"))
        assert clock.count("/20 ") == 4
        assert "answered, phrase: 20 of 20, 100.0% (at 95% 83.2%-100.0%)" in text


def test_score_show_and_screen_give_the_identical_figure(
    ground: Ground,
    program: Program,  # noqa: F811
    tmp_path: Path,
) -> None:
    for arm in ("phrase", "floor"):
        program("read", "--queue", ground.folder, "--arm", arm, "--run-id", arm)
    found = exhibit(config_for(tmp_path, ground.folder))
    table = arms_table(found, Size(200, 50))
    assert [arm.score.run.run_id for arm in found.columns] == ["phrase", "floor", "tuesday", "tuesday"]
    compared = 0
    for place, column in enumerate(found.columns):
        if column.raw:
            continue
        run_id = column.score.run.run_id
        scored = program("score", "--queue", ground.folder, run_id).out.splitlines()
        shown = program("runs", "show", "--queue", ground.folder, run_id).out.splitlines()
        for name, entries in table.rows:
            if "no such row" in entries[place].detail:
                assert not [line for line in scored + shown if line.startswith(f"{name} ")]
                continue
            score_line = next(line for line in scored if line.startswith(f"{name} ")).split()
            show_line = next(line for line in shown if line.startswith(f"{name} ")).split()
            entry = entries[place]
            if "not measured" in entry.detail:
                assert not score_line[1:2] or not score_line[1].isdigit()
                assert entry.text == ""
                continue
            n, of = score_line[1:3]
            assert show_line[1:3] == [n, of]
            assert entry.text.startswith(f"{n} of {of}")
            if int(of):
                share = score_line[3]
                assert show_line[3] == share
                low, high = show_line[4:6]
                assert entry.text == f"{n} of {of} ({low}-{high})"
                assert f"{n} of {of}, {share} (at 95% {low}-{high})" in entry.detail
            compared += 1
    assert compared > 90


def test_the_raw_column_is_the_replies_own_words_graded_by_the_same_rows(ground: Ground, tmp_path: Path) -> None:
    found = exhibit(config_for(tmp_path, ground.folder))
    raw = raw_run(read_run(tmp_path / "runs" / "tuesday.jsonl"))
    assert raw is not None
    graded = grade(ground, raw)
    place = next(n for n, arm in enumerate(found.columns) if arm.raw)
    shown = dict(arms_table(found, Size(200, 50)).rows)
    for name, n, of, *_ in rows_with_intervals(graded, percent=True):
        if n is not None:
            assert shown[str(name)][place].text.startswith(f"{n} of {of}")
    releases = shown["false_releases"]
    assert releases[place].text.startswith("4 of 20") and releases[place + 1].text.startswith("0 of 20")


def every_entry(table: Table, depth: int = 0) -> Iterator[tuple[Table, int]]:
    """The table and all that is behind its entries, down to the records."""
    yield table, depth
    opened = set()
    for _, entries in table.rows:
        for entry in entries:
            if entry.opens is not None and depth < 3:
                below = entry.opens()
                if below.title not in opened:
                    opened.add(below.title)
                    yield from every_entry(below, depth + 1)


async def test_behind_every_cell_that_counts_records_are_exactly_those_records(
    app: PendtuiApp, ground: Ground
) -> None:
    async with app.run_test(size=(120, 40)) as pilot:
        await press(pilot, "E")
        await settled(pilot)
        for number in range(1, len(VIEWS) + 1):
            await press(pilot, str(number))
            reached = 0
            for table, _ in every_entry(shown_table(app)):
                if table.head == "record":
                    reached += 1
                    ids = [label for label, _ in table.rows]
                    assert len(set(ids)) == len(ids) and set(ids) <= set(ground.gold)
                    assert all(entry.record == label for label, entries in table.rows for entry in entries)
                    counted = sum(entries[0].text == "yes" for _, entries in table.rows)
                    assert f": {counted} counted" in table.title
            assert reached, VIEWS[number - 1]


async def test_enter_lists_the_records_behind_a_figure_and_then_opens_one(app: PendtuiApp) -> None:
    async with app.run_test(size=(120, 40)) as pilot:
        await press(pilot, "E")
        await settled(pilot)
        await press(pilot, "j", "l", "l", "l", "enter")
        table = shown_table(app)
        assert table.title.startswith("cause_class, model (small-1) rechecked: ")
        assert [entries[0].text for _, entries in table.rows] == sorted(
            (entries[0].text for _, entries in table.rows), reverse=True
        )
        await press(pilot, "G")
        record_id = table.rows[-1][0]
        await press(pilot, "enter")
        await pilot.pause()
        assert not isinstance(app.screen, EvidenceScreen)
        assert record_id in screen_text(app)


async def test_escape_goes_back_one_step_to_the_cell_that_was_left(app: PendtuiApp) -> None:
    async with app.run_test(size=(120, 40)) as pilot:
        await press(pilot, "E")
        await settled(pilot)
        await press(pilot, "2", "j", "l", "enter")
        assert shown_table(app).head in ("record", "key")
        await press(pilot, "6", "enter")
        assert shown_table(app).head == "run"
        await press(pilot, "j", "enter")
        assert shown_table(app).head == "record"
        assert "monday" in shown_table(app).title
        await press(pilot, "escape")
        assert shown_table(app).head == "run"
        assert isinstance(app.screen, EvidenceScreen) and "monday" in app.screen.entry.detail  # type: ignore[union-attr]
        await press(pilot, "escape", "escape")
        assert not isinstance(app.screen, EvidenceScreen)


async def test_the_views_of_one_arm_are_shown_for_each_arm_in_turn(app: PendtuiApp) -> None:
    async with app.run_test(size=(120, 40)) as pilot:
        await press(pilot, "E")
        await settled(pilot)
        await press(pilot, "a")
        assert "shows every arm already" in screen_text(app)
        await press(pilot, "5")
        assert "model (small-1) rechecked" in shown_table(app).title and shown_table(app).rows
        await press(pilot, "a")
        assert shown_table(app).rows == () and "phrase made no calls." in screen_text(app)
        await press(pilot, "4")
        assert "gives no answers of its own to recheck" in screen_text(app)


async def test_where_the_recheck_helped_and_hurt_can_be_looked_up(app: PendtuiApp) -> None:
    async with app.run_test(size=(120, 40)) as pilot:
        await press(pilot, "E")
        await settled(pilot)
        await press(pilot, "4")
        rows = dict(shown_table(app).rows)
        helped, hurt = rows["release"][0], rows["release"][1]
        assert (helped.text, hurt.text) == ("4 of 20", "0 of 20")
        assert helped.opens is not None and len(helped.opens().rows) == 4
        assert hurt.opens is None


async def test_the_history_has_a_small_plot_for_each_watched_figure_and_reader(app: PendtuiApp) -> None:
    async with app.run_test(size=(120, 48)) as pilot:
        await press(pilot, "E")
        await settled(pilot)
        await press(pilot, "6")
        table = shown_table(app)
        assert table.columns == ("model (small-1)",)
        assert [label for label, _ in table.rows] == list(WATCHED_COUNTS)
        assert all("in 2 runs" in entries[0].detail for _, entries in table.rows)


async def test_a_run_of_another_queue_is_listed_with_what_keeps_it_out(
    app: PendtuiApp, ground: Ground, tmp_path: Path
) -> None:
    keep(tmp_path, run_on(ground, run_id="elsewhere", queue_sha256="0" * 64, started_at="2026-11-01T09:00:00Z"))
    (tmp_path / "runs" / "broken.jsonl").write_text("no run\n", encoding="utf-8")
    async with app.run_test(size=(120, 40)) as pilot:
        await press(pilot, "E")
        await settled(pilot)
        await press(pilot, "7")
        table = shown_table(app)
        assert [label for label, _ in table.rows] == ["tuesday", "monday", "elsewhere"]
        apart = table.rows[-1][1][0]
        assert apart.opens is None and "queue hash 000000000000 then" in apart.detail
        assert "broken.jsonl" in screen_text(app)


async def test_a_replayed_run_stands_in_the_arms_although_a_newer_one_is_stored(
    ground: Ground, tmp_path: Path
) -> None:
    config = config_for(tmp_path, ground.folder, recorded="monday")
    desk = Desk(config)
    app = PendtuiApp(config, desk)
    async with app.run_test(size=(120, 40)) as pilot:
        await press(pilot, "E")
        await settled(pilot)
        found = exhibit(config)
        assert [arm.score.run.run_id for arm in found.columns][-2:] == ["monday", "monday"]
        await press(pilot, "escape", "enter")
        await pilot.pause()
        assert "recorded" in screen_text(app)
    desk.close()


async def test_a_queue_without_an_answer_key_says_so(app: PendtuiApp, ground: Ground) -> None:
    (ground.folder / "gold.jsonl").unlink()
    async with app.run_test(size=(80, 24)) as pilot:
        await press(pilot, "E")
        assert "there is no answer key" in " ".join((await settled(pilot)).split())
        await press(pilot, "2", "enter", "a", "j", "tab", "escape")
        assert not isinstance(app.screen, EvidenceScreen)


async def test_text_of_a_run_is_shown_as_text(ground: Ground, tmp_path: Path) -> None:
    def hostile(key: GoldAnswer) -> dict[str, object]:
        return {"error": "[bold]boom[/] \x1b[2J \u202e", "raw": None}

    keep(tmp_path, run_on(ground, hostile, run_id="z", model="[red]x\x1b[0m", started_at="2026-12-03T09:00:00Z"))
    config = config_for(tmp_path, ground.folder)
    desk = Desk(config)
    app = PendtuiApp(config, desk)
    async with app.run_test(size=(200, 50)) as pilot:
        await press(pilot, "E")
        await settled(pilot)
        await press(pilot, "7", "enter", "enter")
        text = screen_text(app)
        assert "[bold]boom[/]" in text and "\x1b" not in text and "\u202e" not in text
        await press(pilot, "1")
        assert "[red]x" in screen_text(app)
    desk.close()


@pytest.mark.parametrize("pen", [LINES, ASCII], ids=["lines", "ascii"])
def test_a_small_plot_goes_from_the_least_to_the_most_of_what_it_shows(pen: object) -> None:
    under, over = ("▄", "▀") if pen is LINES else (".", "'")
    top, bottom = small_multiple([0.0, 1 / 3, 2 / 3, 1.0], 24, pen)  # type: ignore[arg-type]
    assert (top, bottom) == (f"  {under}{over}", f"{under}{over}  ")
    assert small_multiple([0.5] * 3, 24, pen) == (under * 3, "   ")  # type: ignore[arg-type]
    assert small_multiple([0.0, 0.9, 1.0], 2, pen) == (f" {over}", f"{under} ")  # type: ignore[arg-type]
    assert small_multiple([], 24, pen) == ("", "")  # type: ignore[arg-type]


def test_the_reliability_plot_has_its_points_where_the_table_has_them(ground: Ground, tmp_path: Path) -> None:
    from pendtui.evals.evidence import reliability

    found = reliability(grade(ground, read_run(tmp_path / "runs" / "monday.jsonl")))
    lines = reliability_plot(found.points, 66, 12, ASCII)
    assert len(lines) == 12 and all(len(line) <= 66 and line.isascii() for line in lines)
    marks = [(n, at) for n, line in enumerate(lines[:-1]) for at, sign in enumerate(line[5:]) if sign == "o"]
    assert len(marks) == len(found.points) == 2
    for (n, at), point in zip(sorted(marks, key=lambda mark: mark[1]), found.points, strict=True):
        assert at == round(point.said * 60)
        assert point.right.share is not None and n == 10 - round(point.right.share * 10)


@pytest.fixture
def pictured(app: PendtuiApp, ground: Ground, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> PendtuiApp:
    """The program with stored runs of the offline readers too, so that no picture rests on what those read."""
    for arm, shift in (("phrase", 2), ("floor", 3)):
        keep(tmp_path, offline(run_on(ground, model_answers(shift), run_id=arm, arm=arm)))
    monkeypatch.setenv("LC_ALL", "C.UTF-8")
    return app


@pytest.mark.parametrize("size", [(80, 24), (160, 48)], ids=["80x24", "160x48"])
@pytest.mark.parametrize(
    "keys",
    [["1"], ["2"], ["3"], ["4"], ["5"], ["6"], ["7"], ["1", "j", "l", "l", "l", "enter"]],
    ids=[*VIEWS, "records"],
)
def test_the_evidence_looks_as_it_did(
    pictured: PendtuiApp, snap_compare: object, size: tuple[int, int], keys: list[str]
) -> None:
    async def gathered(pilot: Pilot[None]) -> None:
        await pilot.press("E")
        await settled(pilot)
        await pilot.press(*keys)
        # a table measures its columns when nothing else is to be done, and only then lays itself out
        for _ in range(3):
            await pilot.pause()
            await pilot.wait_for_scheduled_animations()

    assert snap_compare(pictured, terminal_size=size, run_before=gathered)  # type: ignore[operator]


def test_an_offline_reader_without_a_stored_run_is_read_on_the_spot(ground: Ground, tmp_path: Path) -> None:
    config = config_for(tmp_path, ground.folder)
    found = exhibit(config)
    floor = next(arm for arm in found.columns if arm.title == "floor")
    assert floor.score.run.run_id == "not stored (floor)"
    now = grade(ground, start(config, "floor").run())
    assert floor.score.measures == now.measures
    assert not list((tmp_path / "runs").glob("floor*")), "looking stores nothing"
