"""The code on a page, run from top to bottom as one program."""

import doctest
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

from tests.docs import pages

FLAGS = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE
LIBRARIES = pages.ROOT / "docs" / "libraries"


def code(text: str) -> list[tuple[str, str]]:
    """Return a page's blocks of Python in order, with their languages."""
    found = [
        (text.index(block), language, block)
        for language in ("python", "pycon")
        for block in pages.blocks(text, language)
    ]
    return [(language, block) for _, language, block in sorted(found)]


def run(blocks: list[tuple[str, str]]) -> int:
    """Run blocks one after the other as one program and return how many examples failed to print what they say.

    They run as a module that can be imported, so that what they define can be pickled.
    """
    module = ModuleType("page")
    sys.modules[module.__name__] = module
    try:
        return _run_in(vars(module), blocks)
    finally:
        del sys.modules[module.__name__]


def _run_in(names: dict[str, Any], blocks: list[tuple[str, str]]) -> int:
    failures = 0
    runner = doctest.DocTestRunner(optionflags=FLAGS)
    for language, block in blocks:
        if language == "python":
            exec(block, names)  # noqa: S102
        else:
            test = doctest.DocTestParser().get_doctest(block, names, "page", None, 0)
            failures += runner.run(test, clear_globs=False).failed
            names.update(test.globs)
    return failures


def library(name: str) -> None:
    """Run the page of a library, in whose environment this is."""
    blocks = code(Path(LIBRARIES / f"{name}.md").read_text(encoding="utf-8"))
    assert blocks
    assert run(blocks) == 0
