"""Installation lines of the pages: they name what is there, and work in a checkout, too, without PyPI."""

import re
import tomllib
from pathlib import Path

import pytest

from tests.docs import pages

EXTRAS = tomllib.loads((pages.ROOT / "pyproject.toml").read_text())["project"]["optional-dependencies"]
# Of an index: `pip install kozyr`, with or without extras and marks around it.
INDEX = re.compile(r"""pip install (?:-\S+ )*['"]?kozyr(?:\[([\w,-]+)\])?(?![\w-])""")
MODULES = sorted((pages.ROOT / "envs").glob("*_v[0-9].py"))  # whose docstrings are pages
PAGES = [*pages.written(), *sorted((pages.ROOT / "training" / "policies").glob("*.md")), *MODULES]


def only_from_an_index(text: str) -> list[str]:
    """Return the commands of a page that nothing in the same line or paragraph says for a checkout."""
    alone = list[str]()
    for part in re.split(r"\n\s*\n", text):
        said = part.replace("\n", " ")
        for found in INDEX.finditer(said):
            place = f'".[{found[1]}]"' if found[1] else "."
            if not re.search(rf"in a checkout:? `?pip install -e {re.escape(place)}(?=[\s`.,]|$)", said):
                alone.append(found[0])
    return alone


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.relative_to(pages.ROOT).as_posix())
def test_a_page_says_what_to_type_in_a_checkout(page: Path) -> None:
    assert only_from_an_index(page.read_text(encoding="utf-8")) == []


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.relative_to(pages.ROOT).as_posix())
def test_extras_that_a_page_tells_to_install_are_there(page: Path) -> None:
    named = re.findall(r"pip install [^\n`]*?(?:kozyr|\.)\[([\w,-]+)\]", page.read_text(encoding="utf-8"))
    as_in_wheels = {extra.replace("_", "-") for extra in EXTRAS}  # the only form that pip below 23.3 finds there
    assert {extra for one in named for extra in one.split(",")} <= as_in_wheels


def test_a_command_that_needs_an_index_is_noticed() -> None:
    assert only_from_an_index("Type `pip install 'kozyr[play]'`.") == ["pip install 'kozyr[play]"]
    assert only_from_an_index("pip install kozyr\n\nin a checkout: pip install -e .") == ["pip install kozyr"]
    assert only_from_an_index('pip install "kozyr[play]"  # in a checkout: pip install -e ".[train]"') != []
    assert only_from_an_index('pip install "kozyr[play]"  # in a checkout: pip install -e ".[play]"') == []
    assert only_from_an_index("pip install kozyr  # in a checkout: pip install -e .\npython x.py") == []
    assert only_from_an_index("`pip install kozyr-leduc`") == []
