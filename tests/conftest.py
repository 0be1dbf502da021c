"""What all tests share: limits of time, one thread for each process, and which process runs which tests."""

import os
from functools import cache
from typing import Any

import pytest

# Torch starts as many threads as there are cores, in each of as many processes: on small networks they only wait for
# each other, for up to ten times as long as the work takes. Torch reads this when it is loaded.
os.environ.setdefault("OMP_NUM_THREADS", "1")

SLOW = 3600.0  # seconds for a test that is marked as slow; pyproject.toml has the limit of the others
CONTRACT = "tests/contract/"


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Give slow tests more time."""
    for item in items:
        if item.get_closest_marker("slow") and not item.get_closest_marker("timeout"):
            item.add_marker(pytest.mark.timeout(SLOW))


@cache
def part(test: str) -> str:
    """Return the part that a test belongs to: the contract of a game, or a file."""
    file, _, name = test.partition("::")
    if not file.startswith(CONTRACT):
        return file
    from kozyr import envs

    given = name.partition("[")[2].rstrip("]").split("-")
    return next((f"{CONTRACT} of {game}" for game in envs.games() if game in given), file)


def urgency(part: str) -> tuple[bool, bool]:
    """Return what parts are sorted by: first the contracts, then the games, then all others."""
    return not part.startswith(CONTRACT), not part.startswith("tests/games/")


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> Any:
    """Give each process the contract of another game first, so that none waits for what another is compiling."""
    if config.getoption("dist") != "loadfile":
        return None
    from xdist.scheduler import LoadFileScheduling

    class ByGame(LoadFileScheduling):
        """Hands out parts in the order of their urgency, of equal ones first those with many tests."""

        def _split_scope(self, nodeid: str) -> str:
            return part(nodeid)

        def _assign_work_unit(self, node: Any) -> None:
            self.workqueue.move_to_end(min(self.workqueue, key=urgency), last=False)
            super()._assign_work_unit(node)

    return ByGame(config, log)
