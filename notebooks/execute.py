"""Execute the notebooks from their .py and write the .ipynb with outputs: `make notebooks`."""

import sys
from pathlib import Path
from typing import Any

import jupytext
import nbformat
from nbclient import NotebookClient

HERE = Path(__file__).parent
NAMES = sorted(path.stem for path in HERE.glob("[0-9]*.py"))
LIMIT = 900  # seconds for a cell, on a machine with much else to do


def read(name: str) -> Any:
    """Return a notebook made from its .py, without outputs; cells are numbered, so that equal sources are equal."""
    notebook: Any = jupytext.read(HERE / f"{name}.py")
    for number, cell in enumerate(notebook.cells):
        cell["id"] = f"cell-{number}"
    return notebook


def execute(name: str) -> Any:
    """Return a notebook with the outputs of a run in a fresh kernel.

    Raises:
        CellExecutionError: with the traceback of the cell that failed.
    """
    notebook = read(name)
    NotebookClient(
        notebook, timeout=LIMIT, kernel_name="python3", record_timing=False, resources={"metadata": {"path": str(HERE)}}
    ).execute()
    return notebook


def main(names: list[str]) -> None:
    """Execute some notebooks, or all, and write them."""
    for name in names or NAMES:
        nbformat.write(execute(name), HERE / f"{name}.ipynb")
        print(name)


if __name__ == "__main__":
    main(sys.argv[1:])
