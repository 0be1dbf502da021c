"""The notebooks run from top to bottom, and what is committed was made from their .py."""

import importlib.util
import re
import subprocess
import tomllib
from pathlib import Path
from typing import Any

import pytest
from packaging.requirements import Requirement

pytest.importorskip("jupytext", reason="run by `make test-notebooks`")
pytest.importorskip("nbclient", reason="run by `make test-notebooks`")

import nbformat

from notebooks.execute import HERE, NAMES, execute, read

EXTRAS = tomllib.loads((HERE.parent / "pyproject.toml").read_text())["project"]["optional-dependencies"]

pytestmark = pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore::ResourceWarning")


def sources(notebook: Any) -> list[tuple[str, str]]:
    return [(cell.cell_type, cell.source) for cell in notebook.cells]


def test_every_notebook_is_a_pair() -> None:
    assert NAMES
    assert sorted(path.stem for path in HERE.glob("*.ipynb")) == NAMES


@pytest.mark.parametrize("name", NAMES)
def test_the_committed_notebook_has_the_cells_of_its_py(name: str) -> None:
    committed: Any = nbformat.read(HERE / f"{name}.ipynb", as_version=4)
    assert sources(committed) == sources(read(name))


@pytest.mark.parametrize("name", NAMES)
def test_the_committed_notebook_was_run_to_its_end(name: str) -> None:
    committed: Any = nbformat.read(HERE / f"{name}.ipynb", as_version=4)
    nbformat.validate(committed)
    counts = [cell.execution_count for cell in committed.cells if cell.cell_type == "code"]
    assert counts == list(range(1, len(counts) + 1))
    assert not [out for cell in committed.cells for out in cell.get("outputs", []) if out.output_type == "error"]


def first_cell(name: str) -> str:
    """Return the cell that installs."""
    return next(source for kind, source in sources(read(name)) if kind == "code")


@pytest.mark.parametrize("name", NAMES)
def test_a_notebook_names_its_extras(name: str) -> None:
    (extras,) = re.findall(r'^EXTRAS = "(.*)"$', first_cell(name), re.MULTILINE)
    names = [one for one in extras.strip("[]").split(",") if one]
    assert set(names) <= set(EXTRAS)
    (told,) = [source for _, source in sources(read(name)) if "This notebook needs" in source]
    assert all(f"`{one}`" in told for one in names)


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("place", ["checkout", "wheel", "index"])
def test_the_first_cell_installs_what_is_missing(
    name: str, place: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    ran, cell, wheel = list[list[str]](), first_cell(name), "https://example.org/kozyr-0.2.0-py3-none-any.whl"
    monkeypatch.setattr(subprocess, "run", lambda words, check: ran.append(words))
    monkeypatch.chdir(HERE if place == "checkout" else tmp_path)
    if place == "wheel":
        cell = cell.replace('WHEEL = ""', f'WHEEL = "{wheel}"')
    exec(cell, {})  # noqa: S102
    assert not ran
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    exec(cell, {})  # noqa: S102
    ((*_, asked),) = ran
    wanted = Requirement(asked if place != "checkout" else f"kozyr{asked.removeprefix('..')}")
    assert wanted.name == "kozyr"
    assert wanted.extras <= set(EXTRAS)
    assert wanted.url == (wheel if place == "wheel" else None)
    assert asked.startswith("..") == (place == "checkout")


@pytest.mark.slow
@pytest.mark.parametrize("name", NAMES)
def test_a_notebook_runs(name: str) -> None:
    ran = execute(name)
    assert any(cell.get("outputs") for cell in ran.cells)
