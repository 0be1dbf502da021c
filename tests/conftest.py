"""Limits of time, so that nothing waits for ever, and one thread for each process, so that none waits for another."""

import os

import pytest

# Torch starts as many threads as there are cores, in each of as many processes: on small networks they only wait for
# each other, for up to ten times as long as the work takes. Torch reads this when it is loaded.
os.environ.setdefault("OMP_NUM_THREADS", "1")

SLOW = 3600.0  # seconds for a test that is marked as slow; pyproject.toml has the limit of the others


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Give slow tests more time."""
    for item in items:
        if item.get_closest_marker("slow") and not item.get_closest_marker("timeout"):
            item.add_marker(pytest.mark.timeout(SLOW))
