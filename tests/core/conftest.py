"""A cache of compiled code for a test."""

import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

import platformdirs
import pytest

from kozyr.envs.compile import cache_files

from .doubles import forget, loaded


@pytest.fixture(scope="session")
def compiled(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder in which the function is kept."""
    root = tmp_path_factory.mktemp("compiled") / "kozyr"
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(platformdirs, "user_cache_dir", lambda name: str(root))
        forget()
        assert not loaded()
    return root


@pytest.fixture
def home(compiled: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A copy of it for each test, and a folder for temporary files."""
    root, temporary = tmp_path / "cache" / "kozyr", tmp_path / "tmp"
    shutil.copytree(compiled, root)
    temporary.mkdir()
    monkeypatch.setattr(platformdirs, "user_cache_dir", lambda name: str(root))
    monkeypatch.setattr(tempfile, "tempdir", str(temporary))
    monkeypatch.setattr(cache_files, "_warnings", set[str]())
    monkeypatch.setenv("KOZYR_TEMPORARY_CACHE", "")
    forget()
    yield root
    forget()
