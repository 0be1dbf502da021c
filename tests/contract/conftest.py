from typing import Any

import pytest

from kozyr import envs
from tests.contract import variants


@pytest.fixture(params=envs.games())
def game(request: pytest.FixtureRequest) -> Any:
    return envs.game(request.param)


@pytest.fixture
def drawn(game: Any) -> list[Any]:
    """The default variant and some drawn at random."""
    return variants.drawn(game, 8)
