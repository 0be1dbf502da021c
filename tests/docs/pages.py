"""The documentation's pages, read as the tests need them."""

import re
from pathlib import Path

ROOT = Path(__file__).parents[2]
_FENCE = re.compile(r"^(`{3,}|~{3,}).*?^\1[`~]*$", re.MULTILINE | re.DOTALL)
_LINK = re.compile(
    r"""\[[^\]]*\]\(([^)\s]+)\)|(?<=\))\]\(([^)\s]+)\)|(?:src|href)="([^"]+)\""""
)  # texts, pictures, HTML
_HEADING = re.compile(r"^#{1,6} +(.+?)\s*$", re.MULTILINE)
_MADE = (
    "_build",
    "environments",
    "notebooks",
    "policies",
    "commands.md",
    "scores.md",
)  # of the pages' paths: written by `make docs`


def written() -> list[Path]:
    """Return the pages that people write: those beside README, rules, searches' cards and the documentation's own."""
    docs = [path for path in (ROOT / "docs").rglob("*.md") if not set(_MADE) & set(path.relative_to(ROOT).parts)]
    return sorted([*ROOT.glob("*.md"), *ROOT.glob("envs/*/RULES.md"), *ROOT.glob("agents/*/learned.md"), *docs])


def prose(text: str) -> str:
    """Return a page without its blocks of code."""
    return _FENCE.sub("", text)


def links(text: str) -> list[str]:
    """Return the targets of a page's links that lead to files or headings of this repository."""
    found = ["".join(groups) for groups in _LINK.findall(prose(text))]
    return [link for link in found if "://" not in link and not link.startswith("mailto:")]


def sentences(text: str) -> list[str]:
    """Return a page's sentences as they are read aloud: no code blocks, tables, headings, and links by their words."""
    text = re.sub(r"^(\||#|:::|\+\+\+).*$", "", prose(text), flags=re.MULTILINE)
    text = re.sub(r"!\[[^\]]*\]\([^)]*\)|<[^>]+>|^ {4}.*$", "", text, flags=re.MULTILINE)
    text = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", text)
    text = re.sub(r"^\s*(?:[-*]|\d+\.) +", "\n\n", text, flags=re.MULTILINE)
    found = list[str]()
    for paragraph in re.split(r"\n\s*\n", text):
        line = " ".join(paragraph.replace("**", "").split())
        found += [part for part in re.split(r"(?<=[.!?])\s+", line) if re.search(r"\w", part)]
    return found


def anchors(text: str) -> set[str]:
    """Return the anchors of a page's headings, as GitHub and Sphinx name them."""
    return {anchor(heading) for heading in _HEADING.findall(prose(text))}


def anchor(heading: str) -> str:
    """Return the anchor of a heading."""
    return re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-")


def blocks(text: str, language: str) -> list[str]:
    """Return the contents of the blocks of code in a language."""
    return re.findall(rf"^```{language}\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)
