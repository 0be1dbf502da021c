"""Recorded games as ONE page that opens anywhere: the pictures, the words and the player are inside."""

import json
import re
import zlib
from base64 import b64encode
from collections.abc import Mapping, Sequence
from functools import cache
from hashlib import sha256
from html import escape
from importlib.resources import files
from pathlib import Path
from typing import Any

from kozyr.envs.core.game import Game
from kozyr.envs.pictures import card_art
from kozyr.envs.pictures.scene import CARD, COLUMNS, FACE, KIND, MOST
from kozyr.envs.table.record import read_file
from kozyr.envs.table.record_format import Record
from kozyr.envs.table.table import Table
from kozyr.envs.viewer.story import Opinions, by_rules, story

_MOST = 200  # games of a page
_STYLES = ("theme.css", "scene.css", "viewer.css")
_SCRIPTS = ("words.js", "pieces.js", "layout.js", "scene.js", "replayed.js", "viewer.js")
Modules = Mapping[tuple[str, Any], bytes]  # by the game's id and the variant
_LINKS = re.compile(r"^import .*?;\n|^export ", re.MULTILINE | re.DOTALL)


def page(
    records: Sequence[Record],
    seat: int | None = None,
    analysis: Sequence[Opinions] | None = None,
    modules: Modules | None = None,
) -> str:
    """Return a page that shows recorded games; it needs no server and no network.

    Args:
        records: the games.
        seat: whose knowledge to show: the page then holds nothing that this seat may not know. None: all that
            happened, and each seat's knowledge to choose from.
        analysis: an analyst's opinions, a game each, as `kozyr replay --analyst` makes them.
        modules: games as WebAssembly with `start`, `play` and `scene`. Where there is one, the page holds the actions
            and makes the scenes by the rules; it knows the whole deal then, so there may be none for a seat's page.

    Raises:
        ValueError: for no game or too many, for modules with a seat, and for a record that is not as the rules have it.
    """
    if not 1 <= len(records) <= _MOST:
        raise ValueError(f"a page shows 1 to {_MOST} games, and there are {len(records)}: choose one with --game")
    if seat is not None and modules:
        raise ValueError("a page of what one seat knows cannot replay the deal: leave out the modules")
    opinions: Sequence[Opinions] = [{} for _ in records] if analysis is None else analysis
    stories = [story(one, seat, advice) for one, advice in zip(records, opinions, strict=True)]
    kinds = {(one.game.id, one.variant): one.game for one in records}
    known = {key: code for key, code in (modules or {}).items() if key in kinds}
    places = {key: place for place, key in enumerate(known)}
    games = [
        by_rules(page_data, one, places.get((one.game.id, one.variant)))
        for page_data, one in zip(stories, records, strict=True)
    ]
    page_data: dict[str, Any] = {"games": games, "modules": [_sizes(kinds[key], key[1]) for key in known]}
    page_data["symbols"] = card_art.symbols(_cards(stories), variables=True)
    packed = _packed(json.dumps(page_data, separators=(",", ":")).encode())
    script, style, frame = _script(), _style(), _static("viewer.html")
    titles = sorted({one.game.title for one in records})
    parts = {"title": escape(", ".join(titles)), "policy": policy(bool(known)), "style": style}
    parts |= {"data": packed, "script": script, "modules": "".join(map(_module, known.values()))}
    return re.sub(r"<!--(\w+)-->", lambda mark: parts[mark[1]], frame)


def _cards(games: Sequence[Mapping[str, Any]]) -> list[int]:
    """Return the faces of cards that games show."""
    return sorted({what[FACE] for one in games for what in one["what"] if what[KIND] == CARD})


def _packed(content: bytes) -> str:
    """Return bytes as letters, as few as can be."""
    return b64encode(zlib.compress(content, 9)).decode()


def _module(code: bytes) -> str:
    """Return a module as an element of the page."""
    return f'<script type="application/octet-stream" class="module">{_packed(code)}</script>\n'


def _sizes(game: Game, variant: Any) -> dict[str, int]:
    """Return the sizes of a module's buffers."""
    return {"state": game.layout(variant).itemsize, "actions": game.actions(variant), "rows": MOST, "columns": COLUMNS}


@cache
def _script() -> str:
    """Return the modules as one, behind each other; what they import from each other is then there."""
    return "".join(_LINKS.sub("", _static(name)) for name in _SCRIPTS)


@cache
def _static(name: str) -> str:
    return (files("kozyr.envs.viewer.static") / name).read_text(encoding="utf-8")


@cache
def policy(modules: bool = False) -> str:
    """Return the Content-Security-Policy of the page: its own script, modules and style, nothing else."""
    script, style = _hash(_script()) + " 'wasm-unsafe-eval'" * modules, _hash(_style())
    return f"default-src 'none'; script-src {script}; style-src {style}; base-uri 'none'; form-action 'none'"


@cache
def _style() -> str:
    return "".join(map(_static, _STYLES))


def _hash(text: str) -> str:
    return f"'sha256-{b64encode(sha256(text.encode()).digest()).decode()}'"


class Show:
    """The viewer of recorded games, which a notebook displays.

    Attributes:
        page: the whole page as HTML.
        high: how high the cell is, in pixels.
    """

    def __init__(self, page: str, high: int) -> None:
        self.page, self.high = page, high

    def __repr__(self) -> str:
        return f"Show({len(self.page)} characters of HTML)"

    def _repr_html_(self) -> str:
        look = f'width="100%" height="{self.high}" style="border:0"'
        return f'<iframe title="A recorded game" {look} sandbox="allow-scripts" srcdoc="{escape(self.page)}"></iframe>'


def show(games: Record | Table | str | Path, seat: int | None = None, high: int = 720) -> Show:
    """Return the viewer of recorded games for a notebook's cell.

    Args:
        games: a record, a table, or the path of a file of records.
        seat: whose knowledge to show; None: everything, and each seat's to choose from.
        high: how high the cell is, in pixels.

    Raises:
        ValueError: for a file without games, or with a record that is not as the rules have it.
    """
    if isinstance(games, (str, Path)):
        records = list(read_file(games))
    else:
        records = [games.record if isinstance(games, Table) else games]
    return Show(page(records, seat), high)
