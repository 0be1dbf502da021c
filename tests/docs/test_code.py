"""The code on the documentation's pages runs as it stands, and so do the examples of docstrings."""

import doctest
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

from kozyr.envs.api import check
from tests.docs import pages

DOCS = pages.ROOT / "docs"
PAGES = [*sorted((DOCS / "start").glob("*.md")), *sorted((DOCS / "howto").glob("*.md")), DOCS / "about" / "design.md"]
MODULES = (
    "kozyr.envs",
    "kozyr.envs.api.agent",
    "kozyr.envs.api.clock",
    "kozyr.envs.api.event",
    "kozyr.envs.api.structured",
    "kozyr.envs.api.table",
    "kozyr.envs.core.layout",
    "kozyr.envs.registry",
    "kozyr.agents",
    "kozyr.agents.arena.match",
    "kozyr.agents.engines.child",
    "kozyr.agents.name",
    "kozyr.agents.player",
    "kozyr.agents.players",
    "kozyr.agents.text.agent",
    "kozyr.agents.text.dialogue",
)
FLAGS = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE


def code(text: str) -> list[tuple[str, str]]:
    """Return a page's blocks of Python in order, with their languages."""
    found = [
        (text.index(block), language, block)
        for language in ("python", "pycon")
        for block in pages.blocks(text, language)
    ]
    return [(language, block) for _, language, block in sorted(found)]


def run(blocks: list[tuple[str, str]]) -> int:
    """Run blocks one after the other as one program and return how many examples failed to print what they say."""
    names: dict[str, Any] = {"__name__": "page"}
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


@pytest.mark.parametrize(
    "page", [page for page in PAGES if code(page.read_text(encoding="utf-8"))], ids=lambda page: page.stem
)
def test_the_code_of_a_page_runs(page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    text = page.read_text(encoding="utf-8")
    if 'device="cuda"' in text:
        try:
            check.device("cuda")
        except ValueError as missing:
            pytest.skip(str(missing))
    if "import pyarrow" in text:
        pytest.importorskip("pyarrow", reason="comes with the extra [data]")
    assert run(code(text)) == 0


def test_an_example_that_lies_is_noticed(capsys: pytest.CaptureFixture[str]) -> None:
    assert run([("python", "x = 2\n"), ("pycon", ">>> x + x\n5\n")]) == 1
    assert "Expected" in capsys.readouterr().out


@pytest.mark.parametrize("module", MODULES)
def test_the_examples_of_docstrings_hold(module: str) -> None:
    outcome = doctest.testmod(import_module(module), optionflags=FLAGS)
    assert outcome.attempted
    assert outcome.failed == 0
