"""Textual bindings from the table of actions, and the table as the settings have it."""

from textual.binding import Binding, BindingType
from textual.widget import Widget

from pendtui.actions import ACTIONS, Action, actions_at


def bindings_at(place: str) -> list[BindingType]:
    """The bindings of a place, as a Screen's BINDINGS wants them."""
    return [
        Binding(action.keys, action.name, action.label, show=action.bar, key_display=action.shown, id=action.id)
        for action in actions_at(place)
    ]


def actions_here(widget: Widget, place: str) -> tuple[Action, ...]:
    """The actions of a place with the keys that they have in this run of the program."""
    return actions_at(place, getattr(widget.app, "actions", ACTIONS))
