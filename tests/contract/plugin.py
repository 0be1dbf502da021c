"""Options `--kozyr-game` and `--kozyr-stage` of pytest; loaded wherever kozyr is installed."""

from pathlib import Path

import pytest

STAGES = ("rules", "view", "imagine", "text", "scene")  # of a game in the making, in the order of its functions
RULES, VIEW, IMAGINE, TEXT, SCENE = (pytest.mark.kozyr_stage(name) for name in STAGES)
_HERE = Path(__file__).resolve().parent


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the options that choose games and tests."""
    group = parser.getgroup("kozyr")
    group.addoption(
        "--kozyr-game",
        action="append",
        metavar="GAME",
        help="run kozyr's contract on this game only; may be given often (default: all games that are installed)",
    )
    group.addoption(
        "--kozyr-stage",
        choices=STAGES,
        help="run the contract's tests up to this stage of a game in the making, which need no later function: "
        "rules (start, legal, play), view (observe), imagine (imagine, sound), text (say), scene (scene, elements). "
        "Tests of players and environments are left out (default: all tests)",
    )


def pytest_configure(config: pytest.Config) -> None:
    """Refuse unknown games, and declare the mark of a stage."""
    config.addinivalue_line("markers", "kozyr_stage(name): the first stage at which a game must pass this test")
    named: list[str] = config.getoption("kozyr_game") or []
    if named:
        from kozyr import envs

        for name in set(named) - set(envs.games()):
            raise pytest.UsageError(f"--kozyr-game {name}: there is no such game; there are {', '.join(envs.games())}")


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave out the contract's tests of later stages; other tests run at every stage."""
    last = config.getoption("kozyr_stage")
    if last is None:
        return
    due = STAGES[: STAGES.index(last) + 1]
    later = [item for item in items if _HERE in item.path.resolve().parents and _stage(item) not in due]
    if later:
        items[:] = [item for item in items if item not in later]
        config.hook.pytest_deselected(items=later)


def _stage(item: pytest.Item) -> str:
    """Return the stage of a test of the contract, or "" for one of whole games."""
    mark = item.get_closest_marker("kozyr_stage")
    return mark.args[0] if mark else ""
