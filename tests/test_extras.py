"""What to install is said so that it can be typed: in a checkout, elsewhere, and where kozyr came from an index."""

import re
import tomllib
from pathlib import Path

import pytest

from kozyr.envs.core import install_hint

ROOT = Path(__file__).parents[1]
EXTRAS = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["optional-dependencies"]


def test_the_command_is_true_wherever_it_is_typed(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(install_hint, "_ROOT", ROOT)
    monkeypatch.chdir(ROOT)
    assert install_hint.command("train") == 'pip install -e ".[train]"'
    monkeypatch.chdir(tmp_path)
    assert install_hint.command("train") == f'pip install -e "{ROOT}[train]"'
    monkeypatch.setattr(install_hint, "_ROOT", tmp_path)
    assert install_hint.command("train") == 'pip install "kozyr[train]"'


def test_every_extra_that_the_code_names_is_there_and_nothing_else_says_how_to_install_one() -> None:
    files = [path for top in ("agents", "envs", "training") for path in (ROOT / top).rglob("*.py")]
    pages = set((ROOT / "envs").glob("*_v[0-9].py"))  # their docstrings are read as documentation
    sources = [path.read_text() for path in files if path not in pages and path.name != "install_hint.py"]
    named = {extra for text in sources for extra in re.findall(r"install_hint\.command\(['\"](\w+)['\"]\)", text)}
    assert {"play", "policies", "train", "window"} <= named <= set(EXTRAS)
    assert not re.findall(r"pip install ['\"]kozyr\[", "".join(sources))
