"""By when an answer is expected."""

from datetime import date
from pathlib import Path

import pytest

from pendtui.desk.diary import due_day, suggested_due_day
from tests.desks import desk_in

TODAY = date(2026, 9, 4)


def test_a_due_day_is_typed_as_a_date_or_as_days_from_today() -> None:
    assert due_day("2026-09-14", TODAY) == due_day("+10", TODAY) == due_day("10", TODAY) == date(2026, 9, 14)
    assert due_day("soon", TODAY) is due_day("", TODAY) is due_day("+99999999999", TODAY) is None


@pytest.mark.parametrize(
    ("record_id", "due"),
    [("PC-0005", date(2026, 9, 6)), ("PC-0002", date(2026, 9, 14)), ("PC-0001", date(2026, 9, 14))],
    ids=["the deadline comes first", "the deadline is past", "the deadline is far"],
)
def test_an_answer_is_wanted_before_the_deadline_where_there_is_time(
    tmp_path: Path, record_id: str, due: date
) -> None:
    desk = desk_in(tmp_path)
    assert suggested_due_day(desk.open(record_id).answers.clock, TODAY) == due
    assert suggested_due_day(None, TODAY) == date(2026, 9, 14)
    desk.close()
