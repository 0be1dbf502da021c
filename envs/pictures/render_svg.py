"""The pictures of scenes as SVG, which notebooks show, and their pixels.

Rows of numbers, as `kozyr.envs.pictures.scene` describes them, become SVG.
"""

from __future__ import annotations

import io
import threading
from html import escape
from typing import TYPE_CHECKING, Any

import numpy as np

from kozyr.envs.core import install_hint
from kozyr.envs.core import labels as words
from kozyr.envs.pictures import svg_elements
from kozyr.envs.pictures.blocks import WIDEST, Shape
from kozyr.envs.pictures.layout import place
from kozyr.envs.pictures.scene import (
    COLUMNS,
    FACE,
    FELT,
    HIGH,
    KIND,
    MOST,
    PICTURE,
    SEES_ALL,
    SEES_PUBLIC,
    WIDE,
    ZONE,
    fill,
    show,
)
from kozyr.envs.pictures.svg_elements import Fill, Pen
from kozyr.envs.pictures.zones import BOARD, SEAT

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    from kozyr.envs.core.game import Game


_FRAME, _LINE = 7800, 1300  # heights of a frame with one line of others, and of one more, in tenths of a unit


class Picture(str):
    """Show itself as a drawing wherever a notebook displays it."""

    __slots__ = ()

    def _repr_svg_(self) -> str:
        return str(self)


class _Scratch(threading.local):
    """Arrays that every picture of a thread is made in."""

    def __init__(self) -> None:
        self.out = np.zeros((MOST, COLUMNS), np.int32)
        self.states: dict[Any, NDArray[Any]] = {}
        self.masks: dict[int, NDArray[np.int8]] = {}


_scratch = _Scratch()


def draw(
    game: Game, v: Any, s: Any, seat: int | None = None, names: Sequence[str] | None = None, frame: bool = True
) -> Picture:
    """Return a state as SVG: all of it, or what a seat knows.

    Args:
        game: the game.
        v: the variant.
        s: the state, one record.
        seat: whose knowledge to draw and who sits below; None or SEES_ALL shows everything and puts seat 0 below,
            SEES_PUBLIC shows what everybody knows.
        names: who plays, a seat each; None: player_0 and so on.
        frame: whether it has the size of all drawings of the variant; else it is as high as it must be.
    """
    layout = game.layout(v)
    states = _scratch.states.get(layout)
    if states is None:
        states = _scratch.states[layout] = np.zeros(1, layout)
    states[0] = s
    looks = SEES_ALL if seat is None else seat
    rows = _scene_rows(game, v, states, looks)
    if not len(rows):
        return _text(game, v, s, looks)
    title = game.title if looks < 0 else f"{game.title} as {names[looks] if names else f'player_{looks}'} knows it"
    return svg(rows, game.labels, names, title, frame=frame)


def rows(game: Game, v: Any, states: NDArray[Any], seat: int, marked: bool = True) -> NDArray[np.int32]:
    """Return the scene of the only table in `states`: [count, COLUMNS]; it is empty where a game has none.

    Args:
        game: the game.
        v: the variant.
        states: [1] records.
        seat: whose knowledge to draw, SEES_ALL or SEES_PUBLIC.
        marked: whether elements that legal actions use are flagged as LEGAL.
    """
    if marked:
        return _scene_rows(game, v, states, seat).copy()
    out = _scratch.out
    out[:] = 0
    return out[: fill(v, states, seat, out)].copy()


def _scene_rows(game: Game, v: Any, states: NDArray[Any], seat: int) -> NDArray[np.int32]:
    """Return the scene in this thread's scratch array, where it lasts until the next one."""
    size = game.actions(v)
    mask = _scratch.masks.get(size)
    if mask is None:
        mask = _scratch.masks[size] = np.zeros(size, np.int8)
    out = _scratch.out
    out[:] = 0
    return out[: show(v, states, seat, mask, out)]


def svg(
    rows: NDArray[np.int32],
    labels: Mapping[int, str],
    names: Sequence[str] | None = None,
    title: str = "",
    shape: Shape = WIDEST,
    frame: bool = False,
    fill: Fill = words.fill,
) -> Picture:
    """Return rows as SVG.

    Args:
        rows: [count, COLUMNS], of which the first is the PICTURE.
        labels: the game's words by their numbers.
        names: who plays, a seat each; None: player_0 and so on.
        title: what screen readers say.
        shape: the kind of page that zones are placed for.
        frame: whether it is one of several that must have one size, as those of a film.
        fill: gives a label with its arguments and the names, in another language too.
    """
    if rows[0, KIND] != PICTURE:
        raise ValueError(f"a scene begins with a PICTURE, and this one with an element of kind {rows[0, KIND]}")
    elements = place(rows.tolist(), shape)
    zones = [row[FACE] for row in rows.tolist() if row[KIND] == ZONE]
    if frame and zones and BOARD not in zones:  # a board's picture has one size anyway
        high = _FRAME + _LINE * ((zones.count(SEAT) - 2) // shape.across)
        elements = place(rows.tolist(), shape, 1000 * high // elements[0][WIDE])
        elements[0][HIGH] = max(elements[0][HIGH], high)
    first = elements[0]
    pen = Pen(labels, names, first, fill)
    body = svg_elements.ground(first) + "".join([svg_elements.DRAWN[row[KIND]](row, pen) for row in elements[1:]])
    wide, high = first[WIDE], first[HIGH]
    size = f'width="{wide / 10:g}" height="{high / 10:g}" viewBox="0 0 {wide} {high}"'
    heading = f"<title>{escape(title)}</title>" if title else ""
    defs = f"<defs>{''.join(map(svg_elements.defined, sorted(pen.used)))}</defs>" if pen.used else ""
    return Picture(f'<svg xmlns="http://www.w3.org/2000/svg" role="img" {size}>{heading}{defs}{body}</svg>')


def difference(before: NDArray[np.int32] | None, after: NDArray[np.int32]) -> list[list[int]]:
    """Return the rows of a scene that differ from one before, each as [its place, its numbers …].

    A scene that is shorter than the one before needs no more: whoever applies this knows how many rows there are.

    Args:
        before: [count, COLUMNS], or None for an empty scene.
        after: [count, COLUMNS].
    """
    known = 0 if before is None else min(len(before), len(after))
    differ = np.ones(len(after), bool)
    if before is not None:
        differ[:known] = (before[:known] != after[:known]).any(1)
    places = np.flatnonzero(differ)
    return np.column_stack((places, after[places])).tolist()


def _text(game: Game, v: Any, s: Any, seat: int) -> Picture:
    """Return the game's own text as a picture, line by line: what a game without a scene looks like."""
    if seat == SEES_PUBLIC:
        lines = [f"{game.title} has no drawing for those who only watch."]
    else:
        lines = game.text.write(v, s, None if seat < 0 else seat).split("\n")
    return text_picture(lines, game.title)


def text_picture(lines: Sequence[str], title: str = "") -> Picture:
    """Return lines of text as a picture."""
    pen = Pen({}, None, [PICTURE, 0, 0, FELT, 0, 0, 0, 0, 0, 0, 0, 0])
    widest = max((svg_elements.span_of(line, 100) for line in lines), default=0.0)
    wide, high = max(4000, round(widest) + 600), 600 + 200 * len(lines)
    body = "".join(svg_elements.text(line, 300, 450 + 200 * i, 100, pen.ink, 1.4)[0] for i, line in enumerate(lines))
    size = f'width="{wide / 10:g}" height="{high / 10:g}" viewBox="0 0 {wide} {high}"'
    ground = svg_elements.ground([PICTURE, 0, 0, FELT, 0, 0, wide, high, 0, 0, 0, 0])
    heading = f"<title>{escape(title)}</title>"
    return Picture(f'<svg xmlns="http://www.w3.org/2000/svg" role="img" {size}>{heading}{ground}{body}</svg>')


def raster(text: str, width: int | None = None) -> NDArray[np.uint8]:
    """Turn an SVG into pixels.

    Args:
        text: A complete SVG document.
        width: Pixels across; the height follows. None keeps the size written in the document.

    Returns:
        Colours 0..255 in an array [height, width, 3].

    Raises:
        ImportError: Without resvg-py and Pillow, naming the extra to install.
    """
    try:
        import resvg_py
        from PIL import Image
    except ImportError as missing:
        raise ImportError(f"pixels need resvg-py and Pillow: {install_hint.command('pictures')}") from missing
    strokes_only = "<text" not in text
    png = resvg_py.svg_to_bytes(svg_string=str(text), width=width, skip_system_fonts=strokes_only)
    with Image.open(io.BytesIO(png)) as image:
        return np.array(image.convert("RGB"), np.uint8)
