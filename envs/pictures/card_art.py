"""Faces of cards, suits and stones, drawn once as SVG symbols: pictures, the page and exports all use these.

A card is `<symbol id="card-N">` with N its FACE (see `scene`), 60 × 84; suits are `suit-0` to `suit-3` and the joker's
cap `suit-4`, stones `stone-1` and `stone-2`, each in a square of ten. Colours have names: a picture that stands alone
has them written out, a page has variables, `var(--card-clubs)`, which also makes the deck one of four colours.
"""

from collections.abc import Iterable
from functools import cache

from kozyr.envs.core.cards import RANKS, SUITS
from kozyr.envs.pictures import stroke_font
from kozyr.envs.pictures.scene import BACK, CAP, JOKER

COLOURS = {
    "paper": "#fffdf8",
    "edge": "#b9b4a6",
    "ink": "#1c2430",
    "clubs": "#1c2430",
    "spades": "#1c2430",
    "hearts": "#c8202f",
    "diamonds": "#c8202f",
    "back": "#2a4d8f",
    "pattern": "#7f9fd6",
    "gold": "#f6b73c",
    "skin": "#f6dfc4",
    "hair": "#8a5a2b",
    "x": "#1f5fae",
    "o": "#d2462f",
}
SUIT_NAMES = ("clubs", "spades", "hearts", "diamonds")
COURT = "JQK"
FACES = range(JOKER + 1)
WIDE, HIGH = 60, 84

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

_CAP = "M-11 8C-13-2-16-5-20-4C-17-12-9-12-5-4C-5-11-3-15 0-17C3-15 5-11 5-4C9-12 17-12 20-4C16-5 13-2 11 8Z"
_BELLS = ((-20, -3), (0, -17), (20, -3))
_BODY = "M-15.5 0V-4.5C-15.5-9-9-11-4-12.5H4C9-11 15.5-9 15.5-4.5V0Z"
_FACE = "M-5.4-22.5H5.4V-18A5.4 6 0 0 1-5.4-18Z"


def symbols(faces: Iterable[int] = FACES, variables: bool = False) -> str:
    """Return symbols of cards, of all suits and of the stones.

    Args:
        faces: which cards.
        variables: whether colours are CSS variables, with what a picture has as their defaults.
    """
    signs = [*(f"suit-{suit}" for suit in range(CAP + 1)), "stone-1", "stone-2"]
    return "".join(symbol(name, variables) for name in (*(f"card-{face}" for face in faces), *signs))


@cache
def symbol(name: str, variables: bool = False) -> str:
    """Return one symbol, as "card-7", "suit-2" or "stone-1"."""
    kind, number = name.split("-")
    body, size = (_card(int(number)), f"0 0 {WIDE} {HIGH}") if kind == "card" else (_sign(kind, int(number)), _SQUARE)
    for colour, literal in COLOURS.items():
        body = body.replace(f"%{colour}%", f"var(--card-{colour},{literal})" if variables else literal)
    return f'<symbol id="{name}" viewBox="{size}">{body}</symbol>'


_SQUARE = "-5 -5 10 10"


def _sign(kind: str, number: int) -> str:
    """Return a suit, the cap or a stone around the origin, ten high."""
    if kind == "stone":
        return _stone(number)
    return _cap(0.21) if number == CAP else _suit(number, 0, 0, 9.8)


def _stone(number: int) -> str:
    pen = 'fill="none" stroke-width="1.1" stroke-linecap="round"'
    if number == 1:
        return f'<path d="M-2.5-2.5L2.5 2.5M2.5-2.5L-2.5 2.5" {pen} stroke="%x%"/>'
    return f'<circle r="2.8" {pen} stroke="%o%"/>'


def _card(face: int) -> str:
    """Return a whole card from its upper left corner."""
    ground = '<rect x=".5" y=".5" width="59" height="83" rx="5.5" fill="%paper%" stroke="%edge%"/>'
    if face == BACK:
        return ground + _back()
    if face == JOKER:
        return ground + _twice(f'<g transform="translate(-20.5 -31)">{_cap(0.3)}</g>') + _around(_cap(1.05))
    suit, rank = divmod(face - 1, len(RANKS))
    corner = _twice(_corner(RANKS[rank], suit))
    if RANKS[rank] in COURT:
        return ground + _court(RANKS[rank], suit) + corner
    return ground + corner + _suit(suit, WIDE / 2, HIGH / 2, 33 if RANKS[rank] == "A" else 25)


def _back() -> str:
    marks = "".join(f"M{6 + 9.6 * i:g} {7.5 + 11.5 * j:g}l2.8 4 -2.8 4 -2.8 -4z" for i in range(6) for j in range(6))
    return f'<rect x="3.5" y="3.5" width="53" height="77" rx="3.5" fill="%back%"/><path d="{marks}" fill="%pattern%"/>'


def _around(body: str) -> str:
    """Return a drawing around the origin, moved to the middle of a card."""
    return f'<g transform="translate(30 42)">{body}</g>'


def _twice(half: str) -> str:
    """Return a drawing around a card's middle, and the same turned by half a circle."""
    return _around(half + f'<g transform="rotate(180)">{half}</g>')


def _suit(suit: int, x: float, y: float, size: float) -> str:
    where = f'transform="translate({x:g} {y:g}) scale({size / 10:g})"'
    return f'<path d="{SUIT_SHAPES[SUITS[suit]]}" {where} fill="%{SUIT_NAMES[suit]}%"/>'


def _corner(rank: str, suit: int) -> str:
    """Return the rank over the suit in the upper left corner, seen from the middle."""
    text = "10" if rank == "T" else rank
    squeeze = 0.98 if text == "10" else 1.2
    edge = -stroke_font.span(text, 10) * squeeze / 2
    pen = f'fill="none" stroke="%{SUIT_NAMES[suit]}%" stroke-width="1.5" stroke-linecap="round" stroke-linejoin="round"'
    where = f'transform="translate({-19.5 + edge:.4g} -35) scale({squeeze:g} 1.2)"'
    return f"<g {where} {pen}>{stroke_font.glyphs(text)}</g>" + _suit(suit, -19.5, -12.5, 11)


def _cap(scale: float) -> str:
    """Return the joker's cap around the origin, forty wide."""
    bells = "".join(f'<circle cx="{x}" cy="{y}" r="2.9" fill="%gold%"/>' for x, y in _BELLS)
    brim = '<rect x="-11.5" y="8" width="23" height="4.4" rx="2" fill="%back%"/>'
    return f'<g transform="scale({scale:g})"><path d="{_CAP}" fill="%hearts%"/>{brim}{bells}</g>'


def _court(rank: str, suit: int) -> str:
    """Return a court card: half a figure, and the same turned; the halves meet along a sash."""
    colour = f"%{SUIT_NAMES[suit]}%"
    frame = '<rect x="-14" y="-36.5" width="28" height="73" rx="2" fill="%gold%" fill-opacity=".13"/>'
    edge = '<rect x="-14" y="-36.5" width="28" height="73" rx="2" fill="none" stroke="%edge%" stroke-width=".8"/>'
    sash = '<path d="M-13.9 2.4L13.9-2.4" stroke="%gold%" stroke-width="3"/>'
    half = f'<g transform="scale(.89 1)">{_FIGURES[rank].replace("%suit%", colour)}</g>'
    return _around(frame) + _twice(half) + _around(sash + edge)


_ROBE = (
    f'<path d="{_BODY}" fill="%suit%"/>'
    '<path d="M-4-12.5L0-4L4-12.5Z" fill="%paper%"/>'
    '<path d="M-7-11.7L0 1L7-11.7" fill="none" stroke="%gold%" stroke-width="1.6"/>'
)
_LOOK = (
    f'<path d="{_FACE}" fill="%skin%"/>'
    '<path d="M-2.4-19.4v.2M2.4-19.4v.2" stroke="%ink%" stroke-width="1.3" stroke-linecap="round"/>'
)
_PEN = 'fill="none" stroke-linecap="round"'
_KING = (
    '<path d="M-7-23C-8-17-7.5-12-4.5-10.5C-2-8.5 2-8.5 4.5-10.5C7.5-12 8-17 7-23Z" fill="%hair%"/>'
    + _LOOK
    + '<path d="M-5.4-17C-3-16 3-16 5.4-17C5.4-12.5 3-10.4 0-9.4C-3-10.4-5.4-12.5-5.4-17Z" fill="%hair%"/>'
    f'<path d="M-1.6-14.2H1.6" {_PEN} stroke="%skin%" stroke-width="1"/>'
    '<path d="M-7.5-22.5L-8.6-31.5L-4-27.5L0-34L4-27.5L8.6-31.5L7.5-22.5Z" fill="%gold%"/>'
    '<path d="M-7.5-24.3H7.5" stroke="%suit%" stroke-width="1.5"/>'
    f'<path d="M12.3-2V-25M9.6-21.5H15" {_PEN} stroke="%gold%" stroke-width="1.7"/>'
    '<circle cx="12.3" cy="-26.5" r="2" fill="%suit%"/>'
)
_QUEEN = (
    '<path d="M0-28C-9-28-8.5-20-9-14C-9.3-10-10-9-11-8H-4V-12H4V-8H11C10-9 9.3-10 9-14C8.5-20 9-28 0-28Z" '
    'fill="%hair%"/>' + _LOOK + f'<path d="M-1.3-15.2Q0-14.2 1.3-15.2" {_PEN} stroke="%hearts%" stroke-width="1"/>'
    '<path d="M-6.5-23.5C-7-27-6-28.5-5.5-29.5L-2.8-27L0-32.5L2.8-27L5.5-29.5C6-28.5 7-27 6.5-23.5Q0-25.5-6.5-23.5Z" '
    'fill="%gold%"/>'
    '<circle cx="0" cy="-32.6" r="1.4" fill="%suit%"/>'
    f'<path d="M12.4-2Q13-10 12.4-17" {_PEN} stroke="#3c9a5f" stroke-width="1.3"/>'
    '<path d="M12.4-24.5a2.3 2.3 0 0 1 2 3.4a2.3 2.3 0 0 1-2 3.6a2.3 2.3 0 0 1-2-3.6a2.3 2.3 0 0 1 2-3.4Z" '
    'fill="%suit%"/><circle cx="12.4" cy="-21" r="1.2" fill="%gold%"/>'
)
_JACK = (
    '<path d="M-6.6-24C-8.4-19-7.4-15-6.4-13.5H6.4C7.4-15 8.4-19 6.6-24Z" fill="%hair%"/>'
    + _LOOK
    + f'<path d="M-1.3-15.2H1.3" {_PEN} stroke="%ink%" stroke-width=".9"/>'
    '<path d="M-9.5-23C-11-30.5-2-33 7-29.5C9.5-28.4 9.5-25 8.5-23Q0-25-9.5-23Z" fill="%suit%"/>'
    '<path d="M-9.5-23Q0-25 8.5-23" fill="none" stroke="%gold%" stroke-width="1.6"/>'
    f'<path d="M5.5-27.5C8-33 12-34.5 14-33.5C12.5-31 9.5-28 5.5-27.5Z" fill="%gold%"/>'
    f'<path d="M-12.3-2V-26" {_PEN} stroke="%edge%" stroke-width="1.9"/>'
    f'<path d="M-15-9H-9.6M-12.3-9V-4" {_PEN} stroke="%gold%" stroke-width="1.8"/>'
)
_FIGURES = {"K": _ROBE + _KING, "Q": _QUEEN.replace("/>", "/>" + _ROBE, 1), "J": _ROBE + _JACK}
