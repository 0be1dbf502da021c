"""The store's tables in the pages, and a check that pages tell no other numbers.

A page keeps its tables in place, so that they can be read on GitHub, between two comments:

    <!-- results: NAME -->
    <!-- end of results -->

The file `pages/*.txt` with a block of that name holds the table with placeholders: `${ID}` for a row with its unit,
`${ID bare}` without, `${ID value}`, `${ID deals}`, `${ID date}`, and `${ID / ID}` for a ratio of two rows of one run.
The block `dates` needs no template: it says when a page's rows were measured.
"""

import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from string import Template

from . import text
from .store import FORMER, NORMAL, OLD, Row, StoreError

ROOT = Path(__file__).parents[2]
TEMPLATES = Path(__file__).parent / "pages"
COMMAND = "python -m docs.results"  # renders all pages
MARK = "†"  # behind a number with an old interval, on pages that have others as well
DATES = "dates"
_BLOCK = re.compile(
    r"^(?P<indent> *)<!-- results: (?P<name>\w+) -->\n(?P<body>.*?)^ *<!-- end of results -->$",
    re.MULTILINE | re.DOTALL,
)
_PLACEHOLDER = re.compile(r"\$\{([^{}]+)\}")
_MADE = ("_build", "_site", "_tables", "environments", "notebooks", "policies")  # of docs/, written by `make docs`
_MADE_FILES = ("commands.md", "scores.md")
_ANSWERS = ("baselines", "cycles", "ranks", "regularisation", "search", "transfer")  # by `tests.benchmarks.answers`


def rendered_pages(root: Path = ROOT) -> list[Path]:
    """Return the pages that may hold tables of the store: README, the documentation and the searches' cards."""
    docs = (path for path in (root / "docs").rglob("*.md") if not set(_MADE) & {*path.relative_to(root).parts})
    written = sorted(path for path in docs if path.name not in _MADE_FILES and not _is_answer(path))
    return [root / "README.md", *written, *sorted(root.glob("agents/*/learned.md"))]


def _is_answer(path: Path) -> bool:
    """Return True for a page that is made from rows of its own, beside it."""
    return path.parent.name == "benchmark" and path.stem in _ANSWERS


def checked_pages(root: Path = ROOT) -> list[Path]:
    """Return all files whose numbers must be in the store, the environments' docstrings and policies' cards too."""
    cards = sorted((root / "training" / "policies").glob("*.md"))
    return [*rendered_pages(root), *sorted((root / "envs").glob("*_v[0-9].py")), *cards]


def templates(folder: Path = TEMPLATES) -> dict[str, str]:
    """Return the templates of all blocks by name.

    Raises:
        StoreError: for a name that stands twice.
    """
    found = dict[str, str]()
    for file in sorted(folder.glob("*.txt")):
        for block in _BLOCK.finditer(file.read_text(encoding="utf-8")):
            if block["name"] in found or block["name"] == DATES:
                raise StoreError(f"{file.name}: the block {block['name']!r} stands twice")
            found[block["name"]] = block["body"].strip("\n")
    return found


def render(page: str, rows: Mapping[str, Row], blocks: Mapping[str, str], where: str = "a page") -> str:
    """Return a page with its blocks made from the store.

    Raises:
        StoreError: for a block without a template, an id that is not in the store, and a ratio of two runs.
    """
    names = [block["name"] for block in _BLOCK.finditer(page)]
    if lost := [name for name in names if name != DATES and name not in blocks]:
        raise StoreError(f"{where}: there is no block {lost[0]!r} in docs/results/pages")
    used = [row for name in names if name != DATES for row in _rows(blocks[name], rows, f"the block {name!r}")]
    fields = _Fields(rows, mixed=len({row.method in OLD for row in used if row.method}) > 1)

    def made(block: re.Match[str]) -> str:
        name = block["name"]
        body = _dates(used, fields.mixed) if name == DATES else _Placeholders(blocks[name]).substitute(fields)
        lines = [f"<!-- results: {name} -->", "", *body.split("\n"), "", "<!-- end of results -->"]
        return "\n".join(f"{block['indent']}{line}" if line else "" for line in lines)

    return _BLOCK.sub(made, page)


def stale(rows: Mapping[str, Row], root: Path = ROOT) -> Iterator[tuple[Path, str]]:
    """Give each page that is not as the store makes it, and what it should be."""
    blocks = templates()
    for path in rendered_pages(root):
        page = path.read_text(encoding="utf-8")
        made = render(page, rows, blocks, path.relative_to(root).as_posix())
        if made != page:
            yield path, made


def unused(root: Path = ROOT) -> set[str]:
    """Return the blocks that no page shows."""
    shown = (_BLOCK.finditer(path.read_text(encoding="utf-8")) for path in rendered_pages(root))
    return set(templates()) - {block["name"] for blocks in shown for block in blocks}


class _Placeholders(Template):
    """A template whose placeholders are `${ID}` and `${ID WORD}`."""

    idpattern = r"(?!)"
    braceidpattern = r"[^{}]+"


class _Fields(dict[str, str]):
    """What stands for each placeholder."""

    def __init__(self, rows: Mapping[str, Row], mixed: bool) -> None:
        super().__init__()
        self.rows, self.mixed = rows, mixed

    def __missing__(self, key: str) -> str:
        first, _, word = key.partition(" ")
        row = _row(first, self.rows, "a template")
        if word.startswith("/ "):
            return _ratio(row, _row(word[2:], self.rows, "a template"))
        mark = MARK if self.mixed and row.method in OLD else ""
        match word:
            case "":
                return text.full(row) + mark
            case "bare":
                return text.bare(row) + mark
            case "value":
                return text.number(row.value, text.digits(row))
            case "deals":
                return f"{row.deals:,}" if row.deals else ""
            case "date":
                return row.date.isoformat()
            case _:
                raise StoreError(f"${{{key}}}: {word!r} is none of bare, value, deals, date, / ID")


def _row(name: str, rows: Mapping[str, Row], where: str) -> Row:
    if name not in rows:
        raise StoreError(f"{where} names {name!r}, which is no row of docs/results")
    return rows[name]


def _ids(body: str) -> list[str]:
    """Return the ids that a template names."""
    keys = (key.split(" ") for key in _PLACEHOLDER.findall(body))
    return [name for key in keys for name in (key[0], *(key[2:] if key[1:2] == ["/"] else ()))]


def _rows(body: str, rows: Mapping[str, Row], where: str) -> list[Row]:
    return [_row(name, rows, where) for name in _ids(body)]


def _ratio(row: Row, other: Row) -> str:
    """Return how many times one row is the other."""
    if row.run is None or row.run != other.run or row.unit.split(" ")[-1] != other.unit.split(" ")[-1]:
        raise StoreError(f"{row.id} / {other.id}: a ratio takes two rows of one run and one unit")
    times = row.value * text.scale(row.unit) / (other.value * text.scale(other.unit))
    return f"{times:.0f}×" if times >= 3 else f"{times:.1f}×"


def _dates(used: list[Row], mixed: bool) -> str:
    """Return the sentences that say when a page's tables were measured, and which intervals are old."""
    days = sorted({row.date.isoformat() for row in used})
    when = days[0] if len(days) == 1 else f"{days[0]} to {days[-1]}"
    words = f"Measured {when}."
    methods = {row.method for row in used}
    rules = {
        NORMAL: f"by the {NORMAL}: too narrow for few deals, and near 0 or 100 %",
        FORMER: "by the rule before: wider where few deals differ",
    }
    former = ", or ".join(rule for method, rule in rules.items() if method in methods)
    if not former:
        return words
    return f"{words} {f'Intervals with {MARK}' if mixed else 'Intervals'} are {former}."
