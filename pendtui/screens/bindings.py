"""Textual bindings from the table of actions."""

from textual.binding import Binding, BindingType

from pendtui.actions import actions_at


def bindings_at(place: str) -> list[BindingType]:
    """The bindings of a place, as a Screen's BINDINGS wants them."""
    return [
        Binding(action.keys, action.name, action.label, show=action.footer, key_display=action.shown)
        for action in actions_at(place)
    ]
