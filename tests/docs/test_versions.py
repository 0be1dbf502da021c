"""The pages name the versions of libraries that were tested: those that are pinned."""

import re

import pytest

from tests.docs import pages

INDEX = (pages.ROOT / "docs" / "libraries" / "index.md").read_text(encoding="utf-8")
TABLES = {name: (pages.ROOT / name).read_text(encoding="utf-8") for name in ("README.md", "docs/compatibility.md")}
PACKAGES = {  # pages whose library's package, or whose constraints, have another name
    "openenv": ("llm", "openenv"),
    "openspiel": ("shared", "open-spiel"),
    "pufferlib": ("pufferlib", "pufferlib-core"),
    "rllib": ("rllib", "ray"),
    "sb3": ("shared", "stable-baselines3"),
    "sbx": ("sbx", "sbx-rl"),
    "trl": ("llm", "trl"),
}
ROWS = re.findall(r"^\| ([^|]+) \| ([\d.]+) \| \[[^]]+\]\((\w+)\.md\)", INDEX, re.MULTILINE)


def pinned(page: str) -> str:
    """Return the version of a page's library that its tests are run with."""
    file, package = PACKAGES.get(page, (page, page))
    path = pages.ROOT / "constraints" / f"{file}.txt"
    text = (path if path.is_file() else path.with_name("shared.txt")).read_text(encoding="utf-8")
    versions = re.findall(r"^([\w.-]+)===?([\d.]+)", text, re.MULTILINE)
    return {name.lower().replace("_", "-"): version for name, version in versions}[package.replace("_", "-")]


def test_the_table_has_every_page() -> None:
    listed = set(re.findall(r"\]\((\w+)\.md\)", INDEX))
    assert listed == {path.stem for path in (pages.ROOT / "docs" / "libraries").glob("*.md")} - {"index"}
    assert len(ROWS) >= 20


@pytest.mark.parametrize(("library", "version", "page"), ROWS, ids=[page for *_, page in ROWS])
def test_a_page_names_the_version_that_is_tested(library: str, version: str, page: str) -> None:
    assert version == pinned(page)
    for name, text in TABLES.items():
        told = re.findall(rf"\]\([\w/]*{page}\.md\)\)? \| ([\d.]+)", text)
        assert set(told) <= {version}, f"{name} names {told} for {library}"
