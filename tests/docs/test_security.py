"""Each promise of SECURITY.md names the tests that hold it, and there are such tests."""

import ast
import re

from tests.docs.pages import ROOT

TABLE = re.compile(r"^\| Promise \| Test(?: in `(?P<file>[^`]+)`)? \|\n\|[-|]+\|\n(?P<rows>(?:\|.*\n)+)", re.MULTILINE)
NAME = re.compile(r"`(?:(?P<file>[\w/]+\.py)::)?(?P<test>test_\w+)`")


def promises() -> list[tuple[str, list[tuple[str, str]]]]:
    """Return each promise with its tests, as a file and a function."""
    page = (ROOT / "SECURITY.md").read_text(encoding="utf-8")
    rows = [(row, one["file"]) for one in TABLE.finditer(page) for row in one["rows"].splitlines()]
    return [
        (row.split("|")[1].strip(), [(one["file"] or file or "", one["test"]) for one in NAME.finditer(row)])
        for row, file in rows
    ]


def names_in(file: str) -> set[str]:
    """Return the names of a file's tests."""
    tree = ast.parse((ROOT / file).read_text(encoding="utf-8"))
    return {one.name for one in ast.walk(tree) if isinstance(one, ast.FunctionDef | ast.AsyncFunctionDef)}


def test_every_promise_has_a_test() -> None:
    found = promises()
    assert len(found) > 20
    assert [words for words, named in found if not named] == []
    assert [f"{file}::{name}" for _, named in found for file, name in named if name not in names_in(file)] == []
