"""What the tests of the model client start from."""

from collections.abc import AsyncIterator

import pytest

from tests.desk.model.server import ModelServer, serving


@pytest.fixture
async def server() -> AsyncIterator[ModelServer]:
    async with serving() as running:
        yield running
