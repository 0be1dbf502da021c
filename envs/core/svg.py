"""Draw shapes, text and playing cards as SVG strings, and turn a picture into pixels."""

from __future__ import annotations

import io
from html import escape
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

INK = "#1c2430"
RED = "#c8202f"
PAPER = "#fffdf8"
EDGE = "#b9b4a6"
GOLD = "#f6b73c"
NAVY = "#2a4d8f"
GREEN = "#3c9a5f"

CARD_WIDTH, CARD_HEIGHT = 60.0, 84.0

# Strokes of a letter and its width: capitals stand on y = 10 and are 10 high, small letters begin at 3.4.
FONT: dict[str, tuple[float, str]] = {
    " ": (2.4, ""),
    "A": (7.2, "M0 10L3.6 0L7.2 10M1.3 6.6H5.9"),
    "B": (6, "M0 4.6H2.9A2.3 2.3 0 0 0 2.9 0H0V10H3.3A2.7 2.7 0 0 0 3.3 4.6"),
    "C": (6.3, "M6.29 1.9A3.3 3.3 0 0 0 0 3.3V6.7A3.3 3.3 0 0 0 6.29 8.1"),
    "D": (6.5, "M0 0V10H2.5A4 4 0 0 0 6.5 6V4A4 4 0 0 0 2.5 0Z"),
    "E": (5.4, "M5.4 0H0V10H5.4M0 4.8H4.6"),
    "F": (5.3, "M5.3 0H0V10M0 5H4.5"),
    "G": (6.6, "M6.29 1.9A3.3 3.3 0 0 0 0 3.3V6.7A3.3 3.3 0 0 0 6.6 6.7V5.3H3.8"),
    "H": (6.4, "M0 0V10M6.4 0V10M0 4.8H6.4"),
    "I": (1, "M.5 0V10"),
    "J": (4.6, "M4.6 0V7.4A2.4 2.4 0 0 1 0 8"),
    "K": (6.2, "M0 0V10M6 0L0 6.2M2.1 4.1L6.2 10"),
    "L": (5, "M0 0V10H5"),
    "M": (8, "M0 10V0L4 7L8 0V10"),
    "N": (6.6, "M0 10V0L6.6 10V0"),
    "O": (6.6, "M0 3.3A3.3 3.3 0 0 1 6.6 3.3V6.7A3.3 3.3 0 0 1 0 6.7Z"),
    "P": (6, "M0 10V0H3.2A2.8 2.8 0 0 1 3.2 5.6H0"),
    "Q": (6.9, "M0 3.3A3.3 3.3 0 0 1 6.6 3.3V6.7A3.3 3.3 0 0 1 0 6.7ZM4 7.2L6.9 10.6"),
    "R": (6.2, "M0 10V0H3.2A2.8 2.8 0 0 1 3.2 5.6H0M3.2 5.6L6.2 10"),
    "S": (6, "M5.7 2A2.9 2.4 0 0 0 3 0A2.9 2.4 0 0 0 3 4.8A3 2.6 0 0 1 3 10A3 2.6 0 0 1 0 8"),
    "T": (6.4, "M0 0H6.4M3.2 0V10"),
    "U": (6.4, "M0 0V6.8A3.2 3.2 0 0 0 6.4 6.8V0"),
    "V": (7, "M0 0L3.5 10L7 0"),
    "W": (9.6, "M0 0L2.4 10L4.8 2L7.2 10L9.6 0"),
    "X": (6.6, "M0 0L6.6 10M6.6 0L0 10"),
    "Y": (6.8, "M0 0L3.4 5L6.8 0M3.4 5V10"),
    "Z": (6, "M0 0H6L0 10H6"),
    "a": (5.6, "M0 6.2A2.8 2.8 0 0 1 5.6 6.2V7.2A2.8 2.8 0 0 1 0 7.2ZM5.6 3.4V10"),
    "b": (5.6, "M0 6.2A2.8 2.8 0 0 1 5.6 6.2V7.2A2.8 2.8 0 0 1 0 7.2ZM0 0V10"),
    "c": (5.2, "M5.2 4.9A2.8 2.8 0 0 0 0 6.2V7.2A2.8 2.8 0 0 0 5.2 8.5"),
    "d": (5.6, "M0 6.2A2.8 2.8 0 0 1 5.6 6.2V7.2A2.8 2.8 0 0 1 0 7.2ZM5.6 0V10"),
    "e": (5.6, "M0 6.7H5.6V6.2A2.8 2.8 0 0 0 0 6.2V7.2A2.8 2.8 0 0 0 5.2 8.6"),
    "f": (3.6, "M3.6 0H3.4A2 2 0 0 0 1.4 2V10M0 3.6H3.3"),
    "g": (5.6, "M0 6.2A2.8 2.8 0 0 1 5.6 6.2V7.2A2.8 2.8 0 0 1 0 7.2ZM5.6 3.4V10.4A2.7 2.6 0 0 1 .5 11.7"),
    "h": (5.4, "M0 0V10M0 6.1A2.7 2.7 0 0 1 5.4 6.1V10"),
    "i": (1, "M.5 3.4V10M.5 .5V.6"),
    "j": (2, "M1.5 3.4V11A2 2 0 0 1 -.3 12.9M1.5 .5V.6"),
    "k": (5, "M0 0V10M4.7 3.4L0 7.7M1.7 6.1L5 10"),
    "l": (2, "M.4 0V8.4A1.6 1.6 0 0 0 2 10"),
    "m": (8.6, "M0 3.4V10M0 5.55A2.15 2.15 0 0 1 4.3 5.55V10M4.3 5.55A2.15 2.15 0 0 1 8.6 5.55V10"),
    "n": (5.4, "M0 3.4V10M0 6.1A2.7 2.7 0 0 1 5.4 6.1V10"),
    "o": (5.6, "M0 6.2A2.8 2.8 0 0 1 5.6 6.2V7.2A2.8 2.8 0 0 1 0 7.2Z"),
    "p": (5.6, "M0 6.2A2.8 2.8 0 0 1 5.6 6.2V7.2A2.8 2.8 0 0 1 0 7.2ZM0 3.4V13"),
    "q": (5.6, "M0 6.2A2.8 2.8 0 0 1 5.6 6.2V7.2A2.8 2.8 0 0 1 0 7.2ZM5.6 3.4V13"),
    "r": (3.2, "M0 3.4V10M0 6.2A2.8 2.8 0 0 1 3.2 3.5"),
    "s": (
        4.6,
        "M4.4 4.8A2.2 1.6 0 0 0 2.3 3.4A2.1 1.6 0 0 0 2.3 6.6A2.3 1.7 0 0 1 2.3 10A2.4 1.8 0 0 1 0 8.6",
    ),
    "t": (3.6, "M1.4 .8V8A2 2 0 0 0 3.4 10H3.6M0 3.6H3.4"),
    "u": (5.4, "M0 3.4V7.3A2.7 2.7 0 0 0 5.4 7.3M5.4 3.4V10"),
    "v": (5.4, "M0 3.4L2.7 10L5.4 3.4"),
    "w": (8, "M0 3.4L2 10L4 4.4L6 10L8 3.4"),
    "x": (5, "M0 3.4L5 10M5 3.4L0 10"),
    "y": (5.4, "M0 3.4L2.8 9.8M5.4 3.4L2.2 12Q1.7 13.1 .3 13"),
    "z": (4.8, "M0 3.4H4.8L0 10H4.8"),
    "0": (6, "M0 3A3 3 0 0 1 6 3V7A3 3 0 0 1 0 7Z"),
    "1": (3, "M0 2.4L3 0V10"),
    "2": (6, "M.2 2.6A2.9 2.9 0 1 1 5.3 4.7L0 10H6"),
    "3": (5.8, "M.2 2.2A2.75 2.35 0 1 1 2.8 4.7H2.2M2.8 4.7A3 2.65 0 1 1 0 7.8"),
    "4": (6.2, "M4.6 10V0L0 7H6.2"),
    "5": (6, "M5.6 0H1L.5 4.7Q1.4 3.8 2.9 3.8A3.1 3.1 0 0 1 2.9 10A3 3 0 0 1 0 8.2"),
    "6": (6, "M5 0Q0 2.4 0 6.9A3 3.1 0 0 0 6 6.9A3 3.1 0 0 0 0 6.9"),
    "7": (6, "M0 0H6L2 10"),
    "8": (6, "M3 0A2.6 2.35 0 0 1 3 4.7A2.6 2.35 0 0 1 3 0ZM3 4.7A3 2.65 0 0 1 3 10A3 2.65 0 0 1 3 4.7Z"),
    "9": (6, "M1 10Q6 7.6 6 3.1A3 3.1 0 0 0 0 3.1A3 3.1 0 0 0 6 3.1"),
    "_": (5, "M0 11.6H5"),
    "-": (3.8, "M0 6H3.8"),
    "+": (5, "M0 6H5M2.5 3.5V8.5"),
    "=": (5, "M0 4.6H5M0 7.6H5"),
    ".": (1, "M.5 9.9V10"),
    ",": (1, "M.7 9.8L.1 11.8"),
    ":": (1, "M.5 4.6V4.7M.5 9.9V10"),
    "/": (4, "M0 11L4 -1"),
    "(": (2.4, "M2.4 -1Q-1.6 5 2.4 11"),
    ")": (2.4, "M0 -1Q4 5 0 11"),
    "'": (1, "M.5 0V2.4"),
    "!": (1, "M.5 0V6.8M.5 9.9V10"),
    "?": (5, "M0 2.4A2.5 2.4 0 1 1 3.6 4.6Q2.5 5.2 2.5 7M2.5 9.9V10"),
    "%": (8, "M0 0H3V4H0ZM5 6H8V10H5ZM7 0L1 10"),
}
UNKNOWN = (6.0, "M0 0H6V10H0Z")
GAP = 2.4

# Filled shapes around the origin, ten high.
SUIT_SHAPES = {
    "C": "M0-5A2.3 2.3 0 0 1 1.7-1.15A2.35 2.35 0 1 1 .55 2.7Q.7 4.2 1.8 5H-1.8Q-.7 4.2-.55 2.7"
    "A2.35 2.35 0 1 1-1.7-1.15A2.3 2.3 0 0 1 0-5Z",
    "S": "M0-5C1-3.1 4.6-1 4.6 1.5C4.6 3 3.5 3.8 2.4 3.8C1.6 3.8.9 3.4.5 2.8Q.6 4.2 1.7 5H-1.7Q-.6 4.2-.5 2.8"
    "C-.9 3.4-1.6 3.8-2.4 3.8C-3.5 3.8-4.6 3-4.6 1.5C-4.6-1-1-3.1 0-5Z",
    "H": "M0 5C-1 3-4.8.9-4.8-2C-4.8-3.8-3.5-4.8-2.3-4.8C-1.2-4.8-.4-4.1 0-3"
    "C.4-4.1 1.2-4.8 2.3-4.8C3.5-4.8 4.8-3.8 4.8-2C4.8.9 1 3 0 5Z",
    "D": "M0-5Q1.7-2.2 4 0Q1.7 2.2 0 5Q-1.7 2.2-4 0Q-1.7-2.2 0-5Z",
}
SUIT_COLORS = {"C": INK, "S": INK, "H": RED, "D": RED}


class Picture(str):
    """Show itself as a drawing wherever a notebook displays it."""

    __slots__ = ()

    def _repr_svg_(self) -> str:
        return str(self)


def number(value: float) -> str:
    """Write a coordinate with at most two decimals."""
    return f"{round(value, 2) + 0.0:g}"


def element(name: str, *content: str, **attributes: str | float | None) -> str:
    """Write one element, skipping attributes that are None."""
    written = "".join(
        f' {key.replace("_", "-")}="{escape(value) if isinstance(value, str) else number(value)}"'
        for key, value in attributes.items()
        if value is not None
    )
    inside = "".join(content)
    return f"<{name}{written}>{inside}</{name}>" if inside else f"<{name}{written}/>"


def picture(width: float, height: float, *parts: str, title: str = "") -> Picture:
    """Join the parts into one complete SVG document."""
    size = {"width": width, "height": height, "viewBox": f"0 0 {number(width)} {number(height)}"}
    named = element("title", escape(title)) if title else ""
    return Picture(element("svg", named, *parts, xmlns="http://www.w3.org/2000/svg", role="img", **size))


def group(*parts: str, x: float = 0, y: float = 0, turn: float = 0, scale: float = 1) -> str:
    """Move parts drawn around the origin to (x, y), turned clockwise by degrees and scaled."""
    moves = f"translate({number(x)} {number(y)})"
    moves += f" rotate({number(turn)})" if turn else ""
    moves += f" scale({number(scale)})" if scale != 1 else ""
    return element("g", *parts, transform=moves)


def box(x: float, y: float, width: float, height: float, **look: str | float | None) -> str:
    """Draw a rectangle; `rx` rounds its corners."""
    return element("rect", x=x, y=y, width=width, height=height, **look)


def path(d: str, **look: str | float | None) -> str:
    """Draw a path, unfilled unless a fill is given."""
    return element("path", d=d, **{"fill": "none", **look})


def span(text: str, size: float) -> float:
    """Tell how wide a label of this size is."""
    widths = [FONT.get(letter, UNKNOWN)[0] for letter in text]
    return (sum(widths) + GAP * max(len(text) - 1, 0)) * size / 10


def label(x: float, y: float, text: str, size: float, color: str = INK, anchor: float = 0, weight: float = 1.4) -> str:
    """Draw text with capitals `size` high on the line y; anchor 0 begins at x, 0.5 centres, 1 ends there."""
    glyphs: list[str] = []
    across = 0.0
    for letter in text:
        width, strokes = FONT.get(letter, UNKNOWN)
        if strokes:
            glyphs.append(element("path", d=strokes, transform=f"translate({number(across)})" if across else None))
        across += width + GAP
    left = x - anchor * span(text, size)
    where = f"translate({number(left)} {number(y - size)}) scale({number(size / 10)})"
    pen = {"stroke_width": weight, "stroke_linecap": "round", "stroke_linejoin": "round"}
    return element("g", *glyphs, transform=where, fill="none", stroke=color, **pen)


def tag_width(text: str, size: float = 8) -> float:
    """Tell how wide a tag is."""
    return span(text, size) + 1.7 * size


def tag(x: float, y: float, text: str, fill: str, color: str = "#ffffff", size: float = 8) -> str:
    """Draw text on a rounded plate whose left edge is x and whose middle is y."""
    height = size * 2.2
    plate = box(x, y - height / 2, tag_width(text, size), height, rx=height / 2, fill=fill)
    return plate + label(x + 0.85 * size, y + size / 2, text, size, color, weight=1.7)


def suit(name: str, x: float, y: float, size: float, color: str | None = None) -> str:
    """Draw the sign of a suit (C, S, H or D) centred on (x, y)."""
    return group(path(SUIT_SHAPES[name], fill=color or SUIT_COLORS[name]), x=x, y=y, scale=size / 10)


def index(rank: str, suit_name: str) -> str:
    """Draw the rank over the suit that stand in a card's corner."""
    text = "10" if rank == "T" else rank
    glyphs = label(0, 12, text, 12, SUIT_COLORS[suit_name], anchor=0.5, weight=1.75)
    narrow = element("g", glyphs, transform="scale(0.82 1)") if text == "10" else glyphs
    return narrow + suit(suit_name, 0, 22.5, 11)


def card(rank: str, suit_name: str, x: float = 0, y: float = 0, highlight: bool = False, known: bool = False) -> str:
    """Draw a face with its top left corner at (x, y); `known` puts a tab on its upper edge."""
    edge: dict[str, str | float] = (
        {"stroke": GOLD, "stroke_width": 3} if highlight else {"stroke": EDGE, "stroke_width": 1}
    )
    corner = index(rank, suit_name)
    return group(
        box(4, -4.5, 13, 9, rx=2.5, fill=GOLD) if known else "",
        box(0, 0, CARD_WIDTH, CARD_HEIGHT, rx=6, fill=PAPER, **edge),
        group(corner, x=10.5, y=7),
        group(corner, x=CARD_WIDTH - 10.5, y=CARD_HEIGHT - 7, turn=180),
        suit(suit_name, CARD_WIDTH / 2, CARD_HEIGHT / 2, 25),
        x=x,
        y=y,
    )


def back(x: float = 0, y: float = 0) -> str:
    """Draw a card face down with its top left corner at (x, y)."""
    marks = "".join(f"M{6 + 9.6 * i:g} {7.5 + 11.5 * j:g}l2.8 4 -2.8 4 -2.8 -4z" for i in range(6) for j in range(6))
    return group(
        box(0, 0, CARD_WIDTH, CARD_HEIGHT, rx=6, fill=PAPER, stroke=EDGE, stroke_width=1),
        box(3.5, 3.5, CARD_WIDTH - 7, CARD_HEIGHT - 7, rx=3.5, fill=NAVY),
        path(marks, fill="#7f9fd6"),
        x=x,
        y=y,
    )


def slot(x: float = 0, y: float = 0, color: str = "#ffffff") -> str:
    """Draw the dashed outline of a place where a card may lie."""
    dashes: dict[str, str | float] = {"stroke_width": 1.5, "stroke_dasharray": "5 4", "stroke_opacity": 0.35}
    return box(x, y, CARD_WIDTH, CARD_HEIGHT, rx=6, fill="none", stroke=color, **dashes)


def raster(text: str, width: int | None = None) -> NDArray[np.uint8]:
    """Turn an SVG into pixels.

    Args:
        text: A complete SVG document.
        width: Pixels across; the height follows. None keeps the size written in the document.

    Returns:
        Colours 0..255 in an array [height, width, 3].

    Raises:
        ImportError: If resvg-py or Pillow is missing.
    """
    try:
        import resvg_py
        from PIL import Image
    except ImportError as missing:
        raise ImportError("pixels need resvg-py and Pillow: pip install resvg-py pillow") from missing
    strokes_only = "<text" not in text
    png = resvg_py.svg_to_bytes(svg_string=str(text), width=width, skip_system_fonts=strokes_only)
    with Image.open(io.BytesIO(png)) as image:
        return np.array(image.convert("RGB"), np.uint8)
