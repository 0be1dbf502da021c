"""Parts of a frame: drawn elements with their places, and their identity from one frame to the next."""

import re
from collections.abc import Sequence
from typing import Any, NamedTuple

from kozyr.envs.core.game import Game
from kozyr.envs.pictures import svg_elements
from kozyr.envs.pictures.scene import FACE, HIGH, ID, KIND, WIDE
from kozyr.envs.viewer.frames import Frame

_PLACED = re.compile(r'<g([^>]*?) transform="([^"]*)">(.*)</g>', re.DOTALL)
_PICTURE = re.compile(r'<svg[^>]*? viewBox="0 0 (\d+) (\d+)"[^>]*>(?:<title>.*?</title>)?(.*)</svg>', re.DOTALL)
_NUMBER = re.compile(r"-?[\d.]+")


class Part(NamedTuple):
    """One element of a frame.

    Attributes:
        name: what keeps its identity from one frame to the next.
        place: the `transform` that puts it where it is; empty for what is drawn in its place.
        body: what is drawn, as SVG.
    """

    name: str
    place: str
    body: str

    def at(self) -> tuple[float, float]:
        """Return the origin's place."""
        x, y = _NUMBER.findall(self.place)[:2]
        return float(x), float(y)


class Drawing(NamedTuple):
    """A frame, taken apart.

    Attributes:
        wide, high: the picture's size.
        ground: its colour, or empty.
        parts: back to front.
        symbols: names of the shared drawings that the parts use.
    """

    wide: int
    high: int
    ground: str
    parts: list[Part]
    symbols: set[str]


def taken_apart(game: Game, variant: Any, frame: Frame, seat: int | None, names: Sequence[str] | None) -> Drawing:
    """Return a frame as parts.

    Args:
        game: the game; variant: its options.
        frame: what there is to see.
        seat: whose knowledge it shows; None for everything.
        names: who plays, a seat each; None: player_0 and so on.
    """
    if not len(frame.rows):
        return _whole(game.draw(variant, frame.state[0], seat))
    rows: list[list[int]] = frame.rows.tolist()
    first, counts, parts = rows[0], dict[int, int](), list[Part]()
    pen = svg_elements.Pen(game.labels, names, first)
    keys = set[str]()
    for row in rows[1:]:
        counts[row[KIND]] = counts.get(row[KIND], 0) + 1
        name = f"{row[KIND]}:{row[ID]}" if row[ID] else f"{row[KIND]}-{counts[row[KIND]]}"
        name = f"{name}+{len(parts)}" if name in keys else name
        keys.add(name)
        parts.append(_part(name, svg_elements.DRAWN[row[KIND]](row, pen)))
    return Drawing(first[WIDE], first[HIGH], svg_elements.GROUNDS[first[FACE]], parts, pen.used)


def _part(name: str, svg: str) -> Part:
    """Separate a drawing from its place, so that an element that moves is the same drawing everywhere."""
    match = _PLACED.fullmatch(svg)
    if match is None or not match[2].startswith("translate") or "scale" in match[2]:
        return Part(f"{name} in place", "", svg)  # which never moves, and is no part that does
    return Part(name, match[2], match[3])


def _whole(svg: str) -> Drawing:
    """Return a picture that is not made of a scene as a single part."""
    match = _PICTURE.fullmatch(svg)
    if match is None:
        raise ValueError("the game's drawing is not as kozyr.envs.pictures.render_svg makes it")
    return Drawing(int(match[1]), int(match[2]), "", [Part("picture", "", match[3])], set())
