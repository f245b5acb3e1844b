"""Telling an examiner who looks elsewhere: the bell, and the notice that some terminals show by themselves."""

from collections.abc import Mapping
from types import MappingProxyType

from textual.app import App

from pendtui.config import Config
from pendtui.plain import plain

SEQUENCES: Mapping[str, str] = MappingProxyType(
    {"osc9": "\x1b]9;pendtui: {text}\x1b\\", "osc777": "\x1b]777;notify;pendtui;{text}\x1b\\"}
)
"""What asks the terminal for a notice, by the setting's word."""


def raise_notice(app: App[None], config: Config, text: str) -> None:
    """Ring and send a notice, as far as the settings ask for either."""
    if config.bell:
        app.bell()
    sequence = notice(config.notify, text)
    driver = app._driver
    if sequence and driver is not None:
        driver.write(sequence)
        driver.flush()


def notice(kind: str, text: str) -> str:
    """The control sequence of a notice, with nothing in its text that could end it early; empty for no kind."""
    return SEQUENCES[kind].format(text=plain(text).replace(";", ",")) if kind else ""
