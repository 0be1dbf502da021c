"""A server on a real port, for the tests of a file."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from .served import Served, served
from .wire import Server


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    with Server(tmp_path_factory.mktemp("house")) as running:
        yield running
        assert running.process.poll() is None, "the server has ended"
    log = Path(running.log.name).read_text(encoding="utf-8")
    assert "Traceback" not in log, log[-3000:]


@pytest.fixture(scope="module")
def house() -> Iterator[Served]:
    with served() as one:
        yield one
