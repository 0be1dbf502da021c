"""The check that README and the pages tell no number that is not in the store."""

import re
from collections.abc import Iterable, Iterator
from pathlib import Path

from . import pages, text
from .store import Row

_NUMBER = r"[+−-]?\d+(?:,\d{3})*(?:\.\d+)?"
_INTERVAL = re.compile(rf"(?P<value>{_NUMBER}) ± (?P<half>{_NUMBER})(?P<unit> %)?")
_RANGE = re.compile(rf"(?P<value>{_NUMBER})(?P<unit> %)? \((?P<low>{_NUMBER}) … (?P<high>{_NUMBER})(?: %)?\)")
_THINGS = "steps|moves|decisions|actions|plies|positions|samples|nodes|games"
_RATE = re.compile(
    rf"(?P<value>{_NUMBER}) ?(?P<scale>M|k|G|million|billion)?(?: (?:[a-z]+ ){{0,2}}?(?:{_THINGS}))?(?:/s| a second)\b"
)
_CODE = re.compile(r"`[^`]*`")  # what a program prints, as an example
_SCALES = {"million": "M", "billion": "G"}


def problems(rows: dict[str, Row], root: Path = pages.ROOT) -> list[str]:
    """Return in words what is wrong with the pages: numbers that are no rows, and tables that are not the store's."""
    old = [
        f"{path.relative_to(root)}: its tables are not those of docs/results. `{pages.COMMAND}` writes them"
        for path, _ in pages.stale(rows, root)
    ]
    told = set(tellings(rows.values()))
    for path in pages.checked_pages(root):
        name = path.relative_to(root).as_posix()
        for line, number in unknown(path.read_text(encoding="utf-8"), told):
            old.append(f"{name}:{line}: {number!r} is no row of docs/results. Add it, or run `{pages.COMMAND} ID`")
    return old


def unknown(page: str, told: set[str]) -> Iterator[tuple[int, str]]:
    """Give the line and the text of each number of a page that no row tells."""
    page = page.replace(pages.MARK, "")
    for at, number in numbers(page):
        if number not in told:
            yield page.count("\n", 0, at) + 1, number


def tellings(rows: Iterable[Row]) -> Iterator[str]:
    """Give all ways in which pages may write the rows, as `numbers` reads them."""
    for row in rows:
        for words in (text.full(row), text.bare(row)):
            for _, number in numbers(words):
                yield number
                yield number.removeprefix("−")  # "loses 181.7 ± 8.8"


def numbers(page: str) -> Iterator[tuple[int, str]]:
    """Give the place and the text of all numbers of a page that have an interval or are rates, also across lines."""
    page = _CODE.sub(lambda code: " " * len(code[0]), page.replace("\n", " "))
    for found in _INTERVAL.finditer(page):
        yield found.start(), f"{_sign(found['value'])} ± {found['half']}{found['unit'] or ''}"
    for found in _RANGE.finditer(page):
        ends = f"({_sign(found['low'])} … {_sign(found['high'])})"
        yield found.start(), f"{_sign(found['value'])}{found['unit'] or ''} {ends}"
    for found in _RATE.finditer(page):
        prefix = _SCALES.get(found["scale"], found["scale"] or "")
        yield found.start(), f"{found['value']} {prefix}/s"


def _sign(number: str) -> str:
    """Return a number with a true minus sign and no plus."""
    return number.replace("-", "−").lstrip("+")
