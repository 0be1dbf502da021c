"""How Sphinx builds the documentation; `make docs` runs it."""

import os
import re
import shutil
import sys
from importlib.metadata import version as installed
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from pydantic_core import core_schema
from sphinx.ext.autodoc.mock import _MockObject

# The pages' few games are played by plain Python, which takes a fraction of the time that compiling them would take.
os.environ["NUMBA_DISABLE_JIT"] = "1"

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE))

project = "kozyr"
author = "The kozyr authors"
copyright = author  # noqa: A001 - Sphinx reads this name
version = release = installed("kozyr")

extensions = [
    "myst_nb",  # Markdown and notebooks
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "sphinx.ext.napoleon",
    "sphinx.ext.viewcode",
]
exclude_patterns = ["_build", "_site", "_tables", "results"]
default_role = "code"  # docstrings write `name` as Markdown does

myst_enable_extensions = ["colon_fence", "deflist"]
myst_heading_anchors = 3
nb_execution_mode = "off"  # the tests run the notebooks; their outputs are committed

# What of it is not installed is stood in for, so that the pages are built without torch and without a GPU.
_LARGE = ("numba_cuda", "torch", "stable_baselines3", "sb3_contrib", "tensorboard", "onnx")
autodoc_mock_imports = [name for name in _LARGE if name == "numba_cuda" or find_spec(name) is None]
# A stand-in can what is asked of torch's classes: `Tensor | None` in an annotation, and a field of a pydantic table.
_ABLE: dict[str, Any] = {
    "__or__": lambda one, other: one,
    "__ror__": lambda one, other: one,
    "__get_pydantic_core_schema__": lambda one, source, handler: core_schema.any_schema(),
}
for _name, _answer in _ABLE.items():
    setattr(_MockObject, _name, _answer)
autodoc_member_order = "bysource"
autodoc_typehints = "signature"
autodoc_typehints_format = "short"
autodoc_default_options = {"members": True, "show-inheritance": True}
autosummary_generate = False
napoleon_numpy_docstring = False
napoleon_use_ivar = True  # attributes are told in the class's docstring and need no entry of their own

html_theme = "furo"
SITE = HERE / "_site"
SITE.mkdir(exist_ok=True)
html_extra_path = ["_site"]  # films of games, and a course's cup: all that is there before Sphinx works
html_static_path = ["pages.css", "pages.js"]
html_css_files = ["pages.css"]
html_js_files = ["pages.js"]
html_title = f"kozyr {version}"


def keep_numbers_together(app: Any, page: str, source: list[str]) -> None:
    """Let no line of a table break inside a number with its interval and unit, as in "56.2 ± 1.1 %"."""
    rows = [
        re.sub(r"(?<=\d) (?=[±%])|(?<=±) (?=\d)", "\u00a0", row) if row.startswith("|") else row
        for row in source[0].split("\n")
    ]
    source[0] = "\n".join(rows)


def tell_levels(app: Any, page: str, template: str, context: dict[str, Any], tree: Any) -> None:
    """Say of which level the sidebar's headings are, without which a screen reader cannot place them."""
    if "furo_navigation_tree" in context:
        plain = context["furo_navigation_tree"]
        context["furo_navigation_tree"] = plain.replace('role="heading"', 'role="heading" aria-level="2"')


def setup(app: Any) -> None:
    """Write the pages that are made from the sources before Sphinx looks for pages."""
    import generated

    tables = list[Any]()  # what compiles their games while Sphinx works

    def copy_tables(app: Any, error: Exception | None) -> None:
        for one in tables:
            one.result()
        if error is None and app.builder.format == "html":
            shutil.copytree(generated.TABLES, app.outdir / "play", dirs_exist_ok=True)

    app.connect("builder-inited", lambda app: tables.append(generated.write(HERE)))
    app.connect("build-finished", copy_tables)
    app.connect("source-read", keep_numbers_together)
    app.connect("html-page-context", tell_levels, priority=900)  # after the theme's own
