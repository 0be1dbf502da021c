"""The option `--kozyr-game`, which pytest must know before it looks for tests; loaded wherever kozyr is installed."""

import pytest


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the option that chooses the games."""
    parser.getgroup("kozyr").addoption(
        "--kozyr-game",
        action="append",
        metavar="GAME",
        help="run kozyr's contract on this game only; may be given often (default: all games that are installed)",
    )


def pytest_configure(config: pytest.Config) -> None:
    """Refuse games that there are not."""
    named: list[str] = config.getoption("kozyr_game") or []
    if named:
        from kozyr import envs

        for name in set(named) - set(envs.games()):
            raise pytest.UsageError(f"--kozyr-game {name}: there is no such game; there are {', '.join(envs.games())}")
