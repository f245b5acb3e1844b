"""The table of actions, and the keys that the settings may give them."""

import pytest

from pendtui.actions import ACTIONS, EVERYWHERE, PLACES, actions_at, rebound
from pendtui.errors import ConfigError


@pytest.mark.parametrize("place", PLACES)
def test_no_two_actions_of_a_place_share_a_key(place: str) -> None:
    keys = [key for action in actions_at(place) for key in action.keys.split(",")]
    assert sorted(keys) == sorted(set(keys))


def test_without_settings_the_table_is_as_it_is() -> None:
    assert rebound({}) == ACTIONS


def test_an_action_takes_the_keys_that_the_settings_give() -> None:
    changed = {action.id: action for action in rebound({"record.accept": "ctrl+y, f5"})}
    assert changed["record.accept"].keys == "ctrl+y,f5"
    assert changed["record.accept"].shown == "Ctrl+y F5"


def test_a_sign_may_be_written_as_itself() -> None:
    changed = {action.id: action for action in rebound({f"{EVERYWHERE}.help": "?,f1", "queue.filter": "/"})}
    assert changed["everywhere.help"].keys == "question_mark,f1"
    assert changed["queue.filter"].keys == "slash"


def test_two_actions_may_change_places() -> None:
    changed = {action.id: action for action in rebound({"record.accept": "p", "record.park": "a"})}
    assert (changed["record.accept"].keys, changed["record.park"].keys) == ("p", "a")


@pytest.mark.parametrize(
    ("keys", "said"),
    [
        ({"record.accept": "p"}, "p would be both record.accept and record.park"),
        ({"everywhere.help": "a"}, "a would be both record.accept and everywhere.help"),
        ({"record.release": "y"}, "record.release is no action"),
        ({"record.accept": ""}, "record.accept has no key"),
        ({"record.accept": "7"}, "'7' is no key"),
        ({"record.accept": "hyper+y"}, "'hyper\\+y' is no key"),
        ({"record.accept": "f13"}, "'f13' is no key"),
    ],
)
def test_a_key_that_cannot_be_is_refused_by_name(keys: dict[str, str], said: str) -> None:
    with pytest.raises(ConfigError, match=said):
        rebound(keys)
