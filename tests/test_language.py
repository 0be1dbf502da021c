"""Plain language: counts of riddles and of participles as names, which may only fall.

A module's docstring is a noun phrase of the field, a function's an imperative sentence that names its result. A name is
a noun. Whoever lowers a count writes the new one below.
"""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parents[1]
FOLDERS = "envs", "agents", "training"
MOST_RIDDLES = 0  # of module docstrings
MOST_VAGUE = 2  # of function docstrings
MOST_PARTICIPLES = 197  # places that bind a name

RIDDLE = re.compile(r"(What|Who|Whom|Whose|Where|Whether|How|When|Which|Everything|All)\b")
VAGUE = re.compile(r"(Return|Tell|Give|Say|Yield) (what|who|whom|whose|where|whether|how|which)\b")
PARTICIPLES = re.compile(
    r"_*(asked|begun|bidden|chosen|copied|drawn|fitted|found|given|heard|held|kept|laid|left|made|merged|named|opened|"
    r"opposed|owned|played|posted|said|seen|shown|spent|taken|taught|told|wanted|written)_*"
)


def modules() -> Iterator[tuple[str, ast.Module]]:
    """Yield the modules of the package with their paths."""
    for path in sorted(path for folder in FOLDERS for path in (ROOT / folder).rglob("*.py")):
        if not path.stem.endswith("_pb2"):
            yield path.relative_to(ROOT).as_posix(), ast.parse(path.read_text(encoding="utf-8"))


def bound(tree: ast.Module) -> Iterator[str]:
    """Yield the names that a module binds, once for each place."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            yield node.id
        elif isinstance(node, ast.arg):
            yield node.arg
        elif isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            yield node.name
        elif isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store):
            yield node.attr


def functions(tree: ast.Module) -> Iterator[str]:
    """Yield the docstrings of a module's functions."""
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and (words := ast.get_docstring(node)):
            yield words


def test_module_docstrings_that_are_riddles_do_not_become_more() -> None:
    riddles = [path for path, tree in modules() if RIDDLE.match(ast.get_docstring(tree) or "")]
    assert len(riddles) <= MOST_RIDDLES, riddles


def test_function_docstrings_that_name_no_result_do_not_become_more() -> None:
    vague = [f"{path}: {words}" for path, tree in modules() for words in functions(tree) if VAGUE.match(words)]
    assert len(vague) <= MOST_VAGUE, vague


def test_participles_as_names_do_not_become_more() -> None:
    places = [f"{path}: {name}" for path, tree in modules() for name in bound(tree) if PARTICIPLES.fullmatch(name)]
    assert len(places) <= MOST_PARTICIPLES, places


def test_the_counts_see_what_they_should() -> None:
    assert RIDDLE.match("Whom the learner plays")
    assert not RIDDLE.match("Opponent pool")
    assert VAGUE.match("Return whether it is over")
    assert sorted(bound(ast.parse("def f(given): self.told = found = 1"))) == ["f", "found", "given", "told"]
