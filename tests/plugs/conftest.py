"""What every foreign library's tests begin with."""

import sys

import pytest


@pytest.fixture(autouse=True)
def steady_torch():
    """Fix the luck of torch where it is loaded; its threads would wait for each other on busy cores."""
    torch = sys.modules.get("torch")
    if torch is None:
        yield
        return
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    torch.manual_seed(0)
    yield
    torch.set_num_threads(before)
