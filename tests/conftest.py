"""Every test away from the settings, folders and terminal of whoever runs it."""

import os
import tempfile
import time
from pathlib import Path

import pytest
from hypothesis import settings

from pendtui.config import ENVIRONMENT
from tests.postgres import place, postgres

__all__ = ["place", "postgres"]

OF_THE_TERMINAL = {"NO_COLOR", "FORCE_COLOR", "CLICOLOR", "CLICOLOR_FORCE", "COLUMNS", "LINES", "COLORTERM"}
"""Variables by which a terminal or its user changes what a program prints."""

OF_THE_PROGRAM = {*ENVIRONMENT, "PENDTUI_CONFIG", "API_KEY"}
"""Variables that the program reads; a test that wants one sets its own."""

HOMES = ("HOME", "XDG_CACHE_HOME", "XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_STATE_HOME", "XDG_RUNTIME_DIR")
"""Variables that say where a program may keep something of its own."""

# A machine under load is slow now and then; that is no finding about a claim.
settings.register_profile("pendtui", deadline=None, print_blob=True)
settings.load_profile("pendtui")


def pytest_configure(config: pytest.Config) -> None:
    """Forget what the caller has set, and give this process a home that is thrown away at the end."""
    home = tempfile.TemporaryDirectory(prefix="pendtui-home-")
    config.add_cleanup(home.cleanup)
    for name in list(os.environ):
        if name in OF_THE_PROGRAM | OF_THE_TERMINAL:
            del os.environ[name]
    for name in HOMES:
        folder = Path(home.name) / name.lower()
        folder.mkdir(mode=0o700)
        os.environ[name] = str(folder)
    # The desk's day is the examiner's own, so a test's instant has to be of one day everywhere.
    os.environ |= {"TERM": "xterm-256color", "TZ": "UTC"}
    time.tzset()
