"""The documentation's pages, read as the tests need them."""

import re
from pathlib import Path

ROOT = Path(__file__).parents[2]
_FENCE = re.compile(r"^(`{3,}|~{3,}).*?^\1[`~]*$", re.MULTILINE | re.DOTALL)
_LINK = re.compile(r"\[[^\]]*\]\(([^)\s]+)\)")
_HEADING = re.compile(r"^#{1,6} +(.+?)\s*$", re.MULTILINE)
_MADE = (
    "_build",
    "environments",
    "notebooks",
    "policies",
    "commands.md",
    "leaderboard.md",
)  # of the pages' paths: written by `make docs`


def written() -> list[Path]:
    """Return the pages that people write: those beside README, the rules and the documentation's own."""
    docs = [path for path in (ROOT / "docs").rglob("*.md") if not set(_MADE) & set(path.relative_to(ROOT).parts)]
    return sorted([*ROOT.glob("*.md"), *ROOT.glob("envs/*/RULES.md"), *docs])


def prose(text: str) -> str:
    """Return a page without its blocks of code."""
    return _FENCE.sub("", text)


def links(text: str) -> list[str]:
    """Return the targets of a page's links that lead to files or headings of this repository."""
    return [link for link in _LINK.findall(prose(text)) if "://" not in link and not link.startswith("mailto:")]


def anchors(text: str) -> set[str]:
    """Return the anchors of a page's headings, as GitHub and Sphinx name them."""
    return {anchor(heading) for heading in _HEADING.findall(prose(text))}


def anchor(heading: str) -> str:
    """Return the anchor of a heading."""
    return re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-")


def blocks(text: str, language: str) -> list[str]:
    """Return the contents of the blocks of code in a language."""
    return re.findall(rf"^```{language}\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)
