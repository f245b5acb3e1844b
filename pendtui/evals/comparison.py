"""Two runs side by side: field by field with exact intervals and McNemar's test, and record by record."""

from typing import NamedTuple

from pendtui.evals.exact import Interval, interval, mcnemar
from pendtui.evals.guards import Guard, guards, require_comparable
from pendtui.evals.scorer import GRADED, Grade, Measure, Score

ALL_CORRECT = "all_correct"


class Compared(NamedTuple):
    """One figure of two runs. Whatever was not measured is None, and so is every difference with it."""

    name: str
    first: Measure
    second: Measure
    first_interval: Interval | None
    second_interval: Interval | None
    difference: float | None
    """The second's share less the first's; None where either was not measured or the denominators differ."""


class Paired(NamedTuple):
    """One field over the same records: who has it right where."""

    name: str
    both: tuple[str, ...]
    only_first: tuple[str, ...]
    only_second: tuple[str, ...]
    neither: tuple[str, ...]

    @property
    def p(self) -> float:
        """McNemar's exact p of the records on which the two part."""
        return mcnemar(len(self.only_first), len(self.only_second))


class Parted(NamedTuple):
    """One field of one record that the two runs answer differently."""

    id: str
    field: str
    first: str | None
    second: str | None
    key: str
    first_right: bool
    second_right: bool


class Comparison(NamedTuple):
    """Two comparable runs."""

    first: Score
    second: Score
    guards: tuple[Guard, ...]
    figures: tuple[Compared, ...]
    paired: tuple[Paired, ...]
    parted: tuple[Parted, ...]


def compare(first: Score, second: Score, *, across_readers: bool = False) -> Comparison:
    """Compare two graded runs. Raises RunError, by the guard's name, where they cannot be compared.

    Five fields are tested besides the records that are right throughout, and no p is adjusted for that.
    """
    require_comparable(first, second, across_readers=across_readers)
    seconds = {measure.name: measure for measure in second.measures}
    names = [measure.name for measure in first.measures]
    names += [name for name in seconds if name not in set(names)]
    firsts = {measure.name: measure for measure in first.measures}
    return Comparison(
        first,
        second,
        tuple(guards(first, second)),
        tuple(_compared(name, firsts.get(name), seconds.get(name)) for name in names),
        tuple(_paired(name, first, second) for name in (*GRADED, ALL_CORRECT)),
        tuple(_parted(first, second)),
    )


def _compared(name: str, first: Measure | None, second: Measure | None) -> Compared:
    a = first or Measure(name, None, None, "not measured")
    b = second or Measure(name, None, None, "not measured")
    same = a.share is not None and b.share is not None and set(a.over) == set(b.over)
    difference = b.share - a.share if same and a.share is not None and b.share is not None else None
    return Compared(name, a, b, interval(a.n, a.of), interval(b.n, b.of), difference)


def _paired(name: str, first: Score, second: Score) -> Paired:
    rights = {grade.gold.id: _right(grade, name) for grade in second.grades}
    found: dict[tuple[bool, bool], list[str]] = {}
    for grade in first.grades:
        found.setdefault((_right(grade, name), rights[grade.gold.id]), []).append(grade.gold.id)
    pairs = ((True, True), (True, False), (False, True), (False, False))
    both, only_first, only_second, neither = (tuple(found.get(pair, ())) for pair in pairs)
    return Paired(name, both, only_first, only_second, neither)


def _right(grade: Grade, name: str) -> bool:
    return grade.all_correct if name == ALL_CORRECT else grade.right[name]


def _parted(first: Score, second: Score) -> list[Parted]:
    others = {grade.gold.id: grade for grade in second.grades}
    found = []
    for grade in first.grades:
        other = others[grade.gold.id]
        for name in GRADED:
            answers = _answer(grade, name), _answer(other, name)
            if answers[0] != answers[1]:
                key = str(getattr(grade.gold, name))
                found.append(Parted(grade.gold.id, name, *answers, key, grade.right[name], other.right[name]))
    return found


def _answer(grade: Grade, name: str) -> str | None:
    """What the run says of a field; its error where it has no answer."""
    if grade.record is None:
        return None
    if grade.record.error is not None:
        return f"({grade.record.error})"
    value = getattr(grade.record, name)
    return None if value is None else str(value)
