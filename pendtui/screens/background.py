"""A thread with an event loop of its own, so that what streams in keeps nobody waiting who types."""

import asyncio
import sys
import threading
from collections.abc import Callable, Coroutine
from concurrent.futures import Future

SWITCH_SECONDS = 0.0005
"""How long the thread may hold the interpreter while the screen waits for it: Python's own 5 ms are felt."""


class Background:
    """Runs coroutines beside the screen. The thread begins with the first one."""

    def __init__(self) -> None:
        self._loop: asyncio.AbstractEventLoop | None = None
        self._thread: threading.Thread | None = None

    def start(self, work: Coroutine[None, None, None]) -> Future[None]:
        """Begin with some work. Cancelling the future cancels it."""
        return asyncio.run_coroutine_threadsafe(work, self._loop or self._begun())

    def soon(self, act: Callable[[], object]) -> None:
        """Do something in the thread of the work, to which its objects belong."""
        if self._loop is not None:
            self._loop.call_soon_threadsafe(act)

    def stop(self) -> None:
        """Cancel all work, and return when it has ended."""
        loop, thread, self._loop, self._thread = self._loop, self._thread, None, None
        if loop is not None and thread is not None:
            loop.call_soon_threadsafe(loop.stop)
            thread.join()

    def _begun(self) -> asyncio.AbstractEventLoop:
        ready: Future[asyncio.AbstractEventLoop] = Future()
        self._thread = threading.Thread(target=_run, args=(ready,), name="background", daemon=True)
        self._thread.start()
        sys.setswitchinterval(SWITCH_SECONDS)
        self._loop = ready.result()
        return self._loop


def _run(ready: "Future[asyncio.AbstractEventLoop]") -> None:
    # At its end the runner cancels what is under way, and waits for it.
    with asyncio.Runner() as runner:
        loop = runner.get_loop()
        ready.set_result(loop)
        loop.run_forever()
