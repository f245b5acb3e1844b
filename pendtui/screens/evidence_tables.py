"""What the evidence screen shows, as tables: each entry with what it says in full and what is behind it.

Every figure and every share in here is a string of evals.scorecard, which the command line prints as well.
"""

from collections.abc import Callable, Sequence
from typing import NamedTuple

from pendtui.evals import evidence
from pendtui.evals.evidence import NO_ANSWER, NOTHING_READ, RAW, RECHECKED, Column
from pendtui.evals.exhibit import Exhibit
from pendtui.evals.scorecard import as_percent, footer, rows_with_intervals
from pendtui.evals.scorer import Grade, Score
from pendtui.screens.drawing import Pen
from pendtui.screens.plots import (
    reliability_plot,
)

RIGHT, WRONG, QUIET, PLAIN = "right", "wrong", "quiet", ""
"""How an entry is painted, beside what its text says."""
_SHORT = {NOTHING_READ: "none", NO_ANSWER: "error"}


_NARROW_LABEL = 21


class Entry(NamedTuple):
    """One cell."""

    text: str
    detail: str = ""
    """All that there is to say of it, for the line below the table."""
    opens: "Callable[[], Table] | None" = None
    """What is behind it."""
    record: str = ""
    """The record that it is about, to be opened."""
    style: str = PLAIN


class Table(NamedTuple):
    """One view, or what is behind an entry of another."""

    title: str
    head: str
    columns: tuple[str, ...]
    rows: tuple[tuple[str, tuple[Entry, ...]], ...]
    lines: tuple[str, ...] = ()
    """What stands above the table: a plot, or why it is empty."""
    height: int = 1
    """Lines of a row."""


class Size(NamedTuple):
    """The cells that there are."""

    width: int
    height: int


def arms_table(exhibit: Exhibit, size: Size) -> Table:
    """Every figure, the arms side by side, each with its denominator and its interval."""
    arms = exhibit.columns
    names = [name for name, _ in evidence.board(arms).rows]
    texts = [{str(row[0]): row for row in rows_with_intervals(arm.score, percent=True)} for arm in arms]
    cells = [{measure.name: evidence.cell(measure) for measure in arm.score.measures} for arm in arms]
    first = max(map(len, names), default=0)
    wide = first + 2 + len(arms) * 26 <= size.width
    room = 24 if wide else 13
    rows = []
    for name in names:
        entries = []
        for arm, text, found in zip(arms, texts, (each.get(name) for each in cells), strict=True):
            if found is None:
                entries.append(Entry("", f"{name}, {arm.title}: no such row"))
            else:
                entries.append(figure_entry(arm.score, arm.title, found, text[name], wide=wide))
        rows.append((name if wide else shortened(name, _NARROW_LABEL), tuple(entries)))
    heads = tuple(_heading(arm, arms, room) for arm in arms)
    return Table(f"the arms side by side, {len(exhibit.ground.gold):,} records", "measure", heads, tuple(rows))


def figure_entry(score: Score, title: str, cell: evidence.Cell, text: tuple[object, ...], *, wide: bool) -> Entry:
    """A figure with its denominator and interval, from its row of the scorecard; the records are behind it."""
    name, n, of, share, low, high, note = text
    measure = cell.measure
    if n is None:
        return Entry("", f"{name}, {title}: not measured; {note}", style=QUIET)
    between = f"{low}-{high}" if low is not None else ""
    detail = f"{name}, {title}: {n} of {of}"
    if share is not None:
        detail += f", {share} (at 95% {between})"
    detail += f"; {note}" if note else ""
    if wide:
        shown = f"{n} of {of}" + (f" ({between})" if between else "")
    else:
        ends = cell.interval
        shown = f"{n}/{of}" + (f" {100 * ends.low:.0f}-{100 * ends.high:.0f}%" if ends else "")
    opens = listed(f"{name}, {title}", score, measure.counted, measure.over) if measure.over else None
    return Entry(shown, detail, opens)


def shortened(name: str, room: int) -> str:
    """A name in so many cells, an ellipsis in its middle where it is longer."""
    if len(name) <= room:
        return name
    return f"{name[: (room - 1) // 2]}…{name[len(name) - room // 2 :]}"


def _heading(arm: Column, arms: Sequence[Column], room: int) -> str:
    if len(arm.title) <= room:
        return arm.title
    if sum(other.raw for other in arms) > 1:
        return shortened(arm.title, room)
    return (
        f"{arm.score.run.arm} {RAW}"
        if arm.raw
        else RECHECKED
        if arm.title.endswith(RECHECKED)
        else arm.score.run.arm
    )


def records_table(title: str, score: Score, counted: Sequence[str], over: Sequence[str]) -> Table:
    """The records behind a figure: those that it counts first, each with what was right and what was read."""
    ids = set(counted)
    grades = {grade.gold.id: grade for grade in score.grades}
    rows = [
        (record_id, _record_entries(grades[record_id], record_id in ids))
        for record_id in sorted(over, key=lambda each: (each not in ids, each))
        if record_id in grades
    ]
    others = len(over) - len(ids)
    told = f"{title}: {len(ids)} counted" + (f", then the {others} others" if others else "")
    return Table(
        told, "record", ("counted", "cause class", "resolution", "clock", "release", "quote", "case"), tuple(rows)
    )


def _record_entries(grade: Grade, counted: bool) -> tuple[Entry, ...]:
    record_id, record = grade.gold.id, grade.record
    error = record.error if record is not None else "not in the run"
    said = f"{record_id}: {error}" if error else _in_full(grade)
    entries = [Entry("yes" if counted else "no", said, record=record_id, style=PLAIN if counted else QUIET)]
    for name in ("cause_class", "resolution", "clock", "release"):
        key, read = str(getattr(grade.gold, name)), record and getattr(record, name)
        right = grade.right[name]
        text = key if right else f"{read or ('error' if error else 'none')} (is {key})"
        entries.append(Entry(text, said, record=record_id, style=PLAIN if right else WRONG))
    right = grade.right["citation"]
    quote = f"{grade.quote.coverage:.2f} {grade.quote.precision:.2f}" if record and record.span else "not found"
    entries.append(Entry(quote, said, record=record_id, style=PLAIN if right else WRONG))
    entries.append(Entry(grade.case or "", said, record=record_id))
    return tuple(entries)


def _in_full(grade: Grade) -> str:
    record, key = grade.record, grade.gold
    quote = " ".join((record.citation or "").split()) if record is not None else ""
    wrong = [name for name, right in grade.right.items() if not right]
    state = f"wrong in {', '.join(wrong)}" if wrong else "right throughout"
    return f"{key.id}: {state}; quoted “{quote}”; the key's “{' '.join(key.citation.split())}”"


def figures_table(score: Score) -> Table:
    """Every figure of one run."""
    texts = rows_with_intervals(score, percent=True)
    rows = []
    for measure, text in zip(score.measures, texts, strict=True):
        entry = figure_entry(score, score.run.run_id, evidence.cell(measure), text, wide=True)
        share, note = text[3], str(text[6])
        rows.append((measure.name, (entry, entry._replace(text=str(share or "")), entry._replace(text=note))))
    return Table(footer(score), "measure", ("n of N (95%)", "share", "note"), tuple(rows))


def confusion_table(arm: Column, size: Size) -> Table:
    """Which cause class was read where another was right."""
    matrix = evidence.confusion(arm.score)
    first = max(map(len, matrix.keys))
    wide = first + 2 + sum(len(read) + 2 for read in matrix.read) <= size.width
    rows = []
    for key in matrix.keys:
        total = sum(len(ids) for (of, _), ids in matrix.cells.items() if of == key)
        entries = []
        for read in matrix.read:
            ids = matrix.cells.get((key, read), ())
            said = f"{len(ids)} of the {total} that are {key} were read as {read}"
            if not ids:
                entries.append(Entry(".", said, style=QUIET))
                continue
            entries.append(
                Entry(
                    str(len(ids)),
                    said,
                    behind(f"{key} read as {read}, {arm.title}", arm.score, ids),
                    style=RIGHT if key == read else WRONG,
                )
            )
        rows.append((key, tuple(entries)))
    heads = matrix.read if wide else tuple(_SHORT.get(read, read.split("-")[0][:5]) for read in matrix.read)
    return Table(
        f"cause class, {arm.title}: down what the key says, across what was read", "key", heads, tuple(rows)
    )


def behind(title: str, score: Score, ids: Sequence[str]) -> "Callable[[], Table]":
    """What opens these records, all of them counted."""
    return lambda: records_table(title, score, ids, ids)


def reliability_table(arm: Column, size: Size, pen: Pen) -> Table:
    """Whether the reader is as sure of a cause class as it is right."""
    found = evidence.reliability(arm.score)
    title = f"how sure of the cause class, {arm.title}"
    if found.brier is not None:
        title += f"; Brier score {found.brier:.3f}"
    if not found.points:
        return Table(title, "said", (), (), ("This reader does not say how sure it is.",))
    rows = []
    for point in found.points:
        right, ends = point.right, point.interval
        between = f"{as_percent(ends.low)}-{as_percent(ends.high)}" if ends else ""
        band = f"{point.low:.2f}-{point.high:.2f}"
        said = f"said {band}, {as_percent(point.said)} on average: {right.n} of {right.of} right, {between} at 95%"
        texts = (as_percent(point.said), f"{right.n} of {right.of}", as_percent(right.share), between)
        opens = listed(f"cause class of those said {band}, {arm.title}", arm.score, right.counted, right.over)
        rows.append((band, tuple(Entry(text or "", said, opens) for text in texts)))
    if found.unsaid:
        said = f"{len(found.unsaid)} of {len(arm.score.grades)} records are answered without saying how surely"
        opens = behind(f"not said how surely, {arm.title}", arm.score, found.unsaid)
        rows.append(("not said", (Entry("", said, opens), Entry(str(len(found.unsaid)), said, opens))))
    height = max(6, size.height - len(rows) - 2)
    lines = reliability_plot(found.points, min(size.width - 2, 4 * height + 20), min(height, 24), pen)
    return Table(title, "said", ("mean", "right", "share", "95%"), tuple(rows), tuple(lines))


def listed(title: str, score: Score, counted: Sequence[str], over: Sequence[str]) -> "Callable[[], Table]":
    """What opens the records of a figure: those it counts, then the others of its denominator."""
    return lambda: records_table(title, score, counted, over)


def recheck_table(arm: Column) -> Table:
    """Where the recheck helped and where it hurt."""
    title = f"what the recheck did, {arm.title}"
    if all(grade.raw_right is None for grade in arm.score.grades) or arm.raw:
        which = (
            f"{arm.title} is not rechecked." if arm.raw else f"{arm.title} gives no answers of its own to recheck."
        )
        return Table(title, "field", (), (), (which, "Choose a rechecked arm with a."))
    of = len(arm.score.grades)
    rows = []
    for effect in evidence.effects(arm.score):
        entries = []
        for name, words, style in (
            ("helped", "raw wrong, rechecked right", RIGHT),
            ("hurt", "raw right, rechecked wrong", WRONG),
            ("both_right", "right both times", PLAIN),
            ("both_wrong", "wrong both times", PLAIN),
            ("no_reply", "no reply to recheck", QUIET),
        ):
            ids = getattr(effect, name)
            said = f"{effect.field}: {len(ids)} of {of} {words}"
            opens = behind(f"{effect.field}, {words}, {arm.title}", arm.score, ids) if ids else None
            entries.append(Entry(f"{len(ids)} of {of}", said, opens, style=style if ids else QUIET))
        rows.append((effect.field, tuple(entries)))
    heads = ("helped", "hurt", "both right", "both wrong", "no reply")
    return Table(
        title, "field", heads, tuple(rows), ("The cause class stays as it was read; the rest is recomputed.",)
    )
