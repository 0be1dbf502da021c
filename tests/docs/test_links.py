"""Links between the pages lead somewhere, looked up without a network."""

import re
from pathlib import Path

import pytest

from kozyr import envs
from tests.docs import pages

PAGES = pages.written()
NOTEBOOKS = pages.ROOT / "notebooks"


def source(target: Path) -> Path:
    """Return the file that a page of the built documentation is made from, or the target itself."""
    docs = pages.ROOT / "docs"
    if not target.is_relative_to(docs):
        return target
    made = target.relative_to(docs)
    folder, name = made.parts[0], made.name
    if folder == "notebooks":
        return NOTEBOOKS / name
    if made.as_posix() == "course/cup.html":
        return docs / "course"
    if folder == "policies" and name.endswith("_search.md"):
        return pages.ROOT / "agents" / name.removesuffix("_search.md") / "learned.md"
    if folder == "policies":
        return pages.ROOT / "training" / "policies" / name
    if made.as_posix() == "benchmark/scores.md":
        return docs / "benchmark" / "reports"
    if made.as_posix() == "reference/commands.md":
        return pages.ROOT / "training" / "cli" / "__init__.py"
    if folder == "environments" and name.endswith("_rules.md"):
        return pages.ROOT / "envs" / name.removesuffix("_rules.md") / "RULES.md"
    if folder == "environments":
        return pages.ROOT / "envs" / name.replace(".md", ".py")
    return target


def broken(page: Path, link: str) -> bool:
    path, _, anchor = link.partition("#")
    target = source((page.parent / path).resolve()) if path else page
    if not target.exists():
        return True
    return bool(anchor) and anchor not in pages.anchors(target.read_text(encoding="utf-8"))


def test_the_pages_are_found_and_have_links() -> None:
    names = {page.relative_to(pages.ROOT).as_posix() for page in PAGES}
    assert {"README.md", "CONTRIBUTING.md", "docs/index.md", "docs/start/tutorial.md", "envs/durak/RULES.md"} <= names
    assert any(pages.links(page.read_text(encoding="utf-8")) for page in PAGES)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.relative_to(pages.ROOT).as_posix())
def test_links_lead_to_files_and_headings(page: Path) -> None:
    links = pages.links(page.read_text(encoding="utf-8"))
    assert [link for link in links if broken(page, link)] == []


def test_a_broken_link_is_noticed(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text("# One two: `three`\n\n```\n[no link](nowhere)\n```\n", encoding="utf-8")
    assert pages.links('[![a](b.png)](c.md) [d](e) <img src="f">') == ["b.png", "c.md", "e", "f"]
    assert pages.links(page.read_text(encoding="utf-8")) == []
    assert not broken(page, "#one-two-three")
    assert broken(page, "#one")
    assert broken(page, "missing.md")
    assert not broken(page, "page.md#one-two-three")


def guide() -> list[tuple[str, list[str]]]:
    """Return the files that CONTRIBUTING's table sends readers to, each with the names that it has of it."""
    text = (pages.ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    table = text[text.index("| You look for") :].partition("\n\n")[0]
    places = [part for row in table.splitlines()[2:] for part in re.split("[;,] (?=[^`]*`[^`]*[/])", row.split("|")[2])]
    found = [re.findall("`([^`]+)`", place) for place in places]
    return [(path, names) for path, *names in filter(None, found)]


@pytest.mark.parametrize(("path", "names"), guide(), ids=lambda part: part if isinstance(part, str) else "")
def test_what_one_looks_for_is_where_the_guide_says(path: str, names: list[str]) -> None:
    for game in envs.games() if "<game>" in path else [""]:
        content = (pages.ROOT / path.replace("<game>", game)).read_text(encoding="utf-8")
        for name in names:
            assert re.search(rf"^(def|class) {name}\b", content, re.MULTILINE), (game, name)
