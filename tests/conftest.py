"""Limits of time: a test that takes longer fails, so that nothing waits for ever."""

import pytest

SLOW = 3600.0  # seconds for a test that is marked as slow; pyproject.toml has the limit of the others


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Give slow tests more time."""
    for item in items:
        if item.get_closest_marker("slow") and not item.get_closest_marker("timeout"):
            item.add_marker(pytest.mark.timeout(SLOW))
