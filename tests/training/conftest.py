"""A settings file of a small run, the small run itself, and copies of one that may be damaged."""

from pathlib import Path

import pytest

from kozyr.training.run.plan import RunPlan
from kozyr.training.run.train import train
from tests.training.tiny import TINY


@pytest.fixture
def tiny(tmp_path):
    path = tmp_path / "tiny.toml"
    path.write_text(TINY)
    return path


@pytest.fixture
def finished(tmp_path, tiny):
    train(RunPlan("mnk", out=tmp_path / "run", settings=tiny))
    return tmp_path / "run"


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("whole")
    (folder / "tiny.toml").write_text(TINY)
    train(RunPlan("mnk", out=folder / "run", settings=folder / "tiny.toml"))
    return folder / "run"


@pytest.fixture
def copied(whole: Path, tmp_path: Path) -> Path:
    folder = tmp_path / "copied"
    folder.mkdir()
    for name in ("checkpoint.pt", "run.json", "policy.onnx"):
        (folder / name).write_bytes((whole / name).read_bytes())
    return folder
