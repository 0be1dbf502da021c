"""Engines of ours wait here as long as their code compiles, so that no answer depends on a cache."""

from collections.abc import Iterator

import pytest

from kozyr.agents.programs import gomocup_engine


@pytest.fixture(autouse=True, scope="session")
def patient() -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(gomocup_engine, "_WAIT", 300.0)
        yield
