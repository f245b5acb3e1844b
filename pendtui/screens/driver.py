"""The terminal as Textual drives it, written to as little as may be."""

import signal
from types import FrameType
from typing import TYPE_CHECKING, cast

from textual.drivers.linux_driver import LinuxDriver
from textual.events import Resize
from textual.message import Message
from textual.messages import InBandWindowResize

from pendtui.screens.place import HasFrames

if TYPE_CHECKING:
    from textual.app import App


class SparingDriver(LinuxDriver):
    """Sends only the cells that differ from what the terminal shows."""

    def __init__(
        self, app: "App[object]", *, debug: bool = False, mouse: bool = True, size: tuple[int, int] | None = None
    ) -> None:
        super().__init__(app, debug=debug, mouse=mouse, size=size)
        self._frames = cast("HasFrames", app).frames

    def write(self, data: str) -> None:
        """Write data to the terminal, without what it shows already."""
        if data := self._frames.reduced(data):
            super().write(data)

    def start_application_mode(self) -> None:
        """Take the terminal, of which nothing is known."""
        self._frames.forget()
        super().start_application_mode()  # type: ignore[no-untyped-call]
        resized = signal.getsignal(signal.SIGWINCH)

        def forget(number: int, frame: FrameType | None) -> None:
            self._frames.forget()
            if callable(resized):
                resized(number, frame)

        signal.signal(signal.SIGWINCH, forget)

    def process_message(self, message: Message) -> None:
        """Take in what the terminal said."""
        if isinstance(message, InBandWindowResize | Resize):
            self._frames.forget()
        super().process_message(message)
