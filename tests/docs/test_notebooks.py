"""The notebooks run from top to bottom, and what is committed was made from their .py."""

from typing import Any

import pytest

pytest.importorskip("jupytext", reason="run by `make test-notebooks`")
pytest.importorskip("nbclient", reason="run by `make test-notebooks`")

import nbformat

from notebooks.execute import HERE, NAMES, execute, read

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


@pytest.mark.slow
@pytest.mark.parametrize("name", NAMES)
def test_a_notebook_runs(name: str) -> None:
    ran = execute(name)
    assert any(cell.get("outputs") for cell in ran.cells)
