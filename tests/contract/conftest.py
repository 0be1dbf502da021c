"""Games that the contract is run on: all, or those that `--kozyr-game` names."""

from typing import Any

import pytest

from kozyr import envs

from . import variants
from .table import difference


def pytest_assertrepr_compare(op: str, left: Any, right: Any) -> list[str] | None:
    """Name the first field in which compared states differ, instead of showing bytes."""
    sentence = difference(left, right) if op == "==" else ""
    return [f"states that should be equal are not: {sentence}"] if sentence else None


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    if "game_name" in metafunc.fixturenames:
        named = metafunc.config.getoption("kozyr_game") or envs.games()
        metafunc.parametrize("game_name", list(dict.fromkeys(named)))  # `addopts` may name what is named again


@pytest.fixture
def game(game_name: str) -> Any:
    return envs.game(game_name)


@pytest.fixture
def drawn(game: Any) -> list[Any]:
    """The default variant and some drawn at random."""
    return variants.drawn(game, 8)
