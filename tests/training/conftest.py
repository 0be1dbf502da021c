"""A settings file of a small run, and the small run itself."""

import pytest

from kozyr.training.run import train
from tests.training.tiny import TINY


@pytest.fixture
def tiny(tmp_path):
    path = tmp_path / "tiny.toml"
    path.write_text(TINY)
    return path


@pytest.fixture
def finished(tmp_path, tiny):
    train("mnk", out=tmp_path / "run", settings=tiny)
    return tmp_path / "run"
