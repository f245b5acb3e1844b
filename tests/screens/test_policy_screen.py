"""The policy view: every rule, and for an open record which one fired and why the others did not."""

from pathlib import Path

from pendtui.screens.policy import policy_lines
from tests.desks import app_in, desk_in
from tests.policies import policy
from tests.screens.screen_text import screen_text
from tests.screens.test_queue_screen import press


def text_of(folder: Path, record_id: str | None) -> str:
    desk = desk_in(folder)
    claim = desk.open(record_id) if record_id is not None else None
    return "\n".join(line.plain for line in policy_lines(desk.policy, claim))


def test_every_rule_stands_in_order(tmp_path: Path) -> None:
    text, rules = text_of(tmp_path, None), policy()
    ids = [*(rule.id for rule in rules.rules), *(rule.id for rule in rules.clock.rules)]
    places = [text.index(f"  {rule_id}  ") for rule_id in ids]
    assert places == sorted(places)
    for n, condition in enumerate(rules.gate.conditions, 1):
        assert f"{n}. {condition}" in text
    assert "no category is open" in text


def test_an_open_record_is_told_which_rule_fired_and_why_not_the_others(tmp_path: Path) -> None:
    text = text_of(tmp_path, "PC-0003")
    assert "PC-0003: PR-4 fires and gives ADJUST-AND-RELEASE; CL-3 sets its clock: 30 days" in text
    assert "> PR-4  ADJUST-AND-RELEASE" in text
    assert "> CL-3  30 days" in text
    assert "does not fire: asks for a register of contradicted; it holds correction" in text
    assert "not reached: PR-4 fired before it" in text


async def test_the_key_shows_the_policy_of_the_record_that_is_open(tmp_path: Path) -> None:
    async with app_in(tmp_path).run_test(size=(120, 40)) as pilot:
        assert "PC-0002: " not in await press(pilot, "P")
        await press(pilot, "q", "enter", "P")
        assert "PC-0002: PR-5 fires and gives ROUTE-SPECIALIST" in screen_text(pilot.app)
