"""What is installed is what the tree has."""

import importlib.util
import os
import subprocess
import sys
import tomllib
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
TOPS = ("agents", "envs", "training")
SHIPPED = {".md", ".npz", ".onnx", ".py", ".toml", ".typed"}

SETUPTOOLS = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["setuptools"]

needs_wheel = pytest.mark.skipif("KOZYR_WHEEL" not in os.environ, reason="run by `make test-wheel`")


def shipped_files() -> set[str]:
    paths = (path.relative_to(ROOT) for top in TOPS for path in (ROOT / top).rglob("*"))
    return {f"kozyr/{path.as_posix()}" for path in paths if path.suffix in SHIPPED}


def test_every_package_of_the_tree_is_listed() -> None:
    folders = {path.rpartition("/")[0].replace("/", ".") for path in shipped_files()}
    assert sorted(folders) == SETUPTOOLS["packages"]


def test_every_listed_package_has_a_docstring() -> None:
    for package in SETUPTOOLS["packages"]:
        source = ROOT.joinpath(*package.split(".")[1:], "__init__.py").read_text()
        assert source.startswith('"""'), package


def test_the_top_packages_are_typed_and_share_a_namespace() -> None:
    assert SETUPTOOLS["package-dir"] == {f"kozyr.{top}": top for top in TOPS}
    assert all((ROOT / top / "py.typed").is_file() for top in TOPS)
    assert importlib.util.find_spec("kozyr").origin is None  # pyright: ignore[reportOptionalMemberAccess]


def test_the_type_checker_sees_the_tree() -> None:
    for top in TOPS:
        assert (ROOT / ".types" / "kozyr" / top).resolve() == ROOT / top


@pytest.mark.parametrize("module", ["kozyr.envs", "kozyr.agents", "kozyr.agents.arena"])
def test_importing_loads_nothing_heavy(module: str) -> None:
    heavy = ("torch", "stable_baselines3", "pygame", "matplotlib", "onnxruntime", "pandas")
    code = f"import sys, {module}; print(*(name for name in {heavy!r} if name in sys.modules))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split() == []


@needs_wheel
def test_the_wheel_has_every_file_of_the_tree() -> None:
    with zipfile.ZipFile(ROOT / os.environ["KOZYR_WHEEL"]) as wheel:
        names = {name for name in wheel.namelist() if name.startswith("kozyr/")}
    assert names == shipped_files()


@needs_wheel
@pytest.mark.parametrize("top", TOPS)
def test_the_wheel_is_what_is_imported(top: str) -> None:
    spec = importlib.util.find_spec(f"kozyr.{top}")
    assert spec is not None
    assert spec.origin is not None
    assert Path(spec.origin).is_relative_to(sys.prefix)
