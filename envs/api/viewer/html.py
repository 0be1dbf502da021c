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
from typing import Any

from kozyr.envs.api.notation import Record
from kozyr.envs.api.viewer.story import Opinions, story
from kozyr.envs.core import faces
from kozyr.envs.core.scene import CARD, FACE, KIND

_MOST = 200  # games of a page
_STYLES = ("theme.css", "scene.css", "viewer.css")
_MODULES = ("words.js", "pieces.js", "scene.js", "viewer.js")
_LINKS = re.compile(r"^import .*?;\n|^export ", re.MULTILINE | re.DOTALL)


def page(records: Sequence[Record], seat: int | None = None, analysis: Sequence[Opinions] | None = None) -> str:
    """Return a page that shows recorded games; it needs no server and no network.

    Args:
        records: the games.
        seat: whose knowledge to show: the page then holds nothing that this seat may not know. None: all that
            happened, and each seat's knowledge to choose from.
        analysis: an analyst's opinions, a game each, as `kozyr replay --analyst` makes them.

    Raises:
        ValueError: for no game or too many, and for a record that is not as the rules have it.
    """
    if not 1 <= len(records) <= _MOST:
        raise ValueError(f"a page shows 1 to {_MOST} games, and there are {len(records)}: choose one with --game")
    opinions: Sequence[Opinions] = [{} for _ in records] if analysis is None else analysis
    games = [story(one, seat, said) for one, said in zip(records, opinions, strict=True)]
    told = {"games": games, "symbols": faces.symbols(_cards(games), variables=True)}
    packed = b64encode(zlib.compress(json.dumps(told, separators=(",", ":")).encode(), 9)).decode()
    script, style, frame = _script(), _style(), _static("viewer.html")
    titles = sorted({one.game.title for one in records})
    parts = {"title": escape(", ".join(titles)), "policy": policy(), "style": style}
    parts |= {"data": packed, "script": script}
    return re.sub(r"<!--(\w+)-->", lambda found: parts[found[1]], frame)


def _cards(games: Sequence[Mapping[str, Any]]) -> list[int]:
    """Return the faces of cards that games show."""
    return sorted({what[FACE] for one in games for what in one["what"] if what[KIND] == CARD})


@cache
def _script() -> str:
    """Return the modules as one, behind each other; what they import from each other is then there."""
    return "".join(_LINKS.sub("", _static(name)) for name in _MODULES)


@cache
def _static(name: str) -> str:
    return (files("kozyr.envs.api.viewer.static") / name).read_text(encoding="utf-8")


@cache
def policy() -> str:
    """Return what the page may do, as a Content-Security-Policy: its own script and style, nothing else."""
    script, style = _hash(_script()), _hash(_style())
    return f"default-src 'none'; script-src {script}; style-src {style}; base-uri 'none'; form-action 'none'"


@cache
def _style() -> str:
    return "".join(map(_static, _STYLES))


def _hash(text: str) -> str:
    return f"'sha256-{b64encode(sha256(text.encode()).digest()).decode()}'"
