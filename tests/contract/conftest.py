from typing import Any

import pytest

from kozyr import envs
from tests.contract import variants
from tests.contract.table import difference


def pytest_assertrepr_compare(op: str, left: Any, right: Any) -> list[str] | None:
    """Name the first field in which compared states differ, instead of showing bytes."""
    told = difference(left, right) if op == "==" else ""
    return [f"states that should be equal are not: {told}"] if told else None


@pytest.fixture(params=envs.games())
def game(request: pytest.FixtureRequest) -> Any:
    return envs.game(request.param)


@pytest.fixture
def drawn(game: Any) -> list[Any]:
    """The default variant and some drawn at random."""
    return variants.drawn(game, 8)
