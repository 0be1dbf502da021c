"""Scenes: a drawing as data. A game writes elements into rows of numbers; renderers make pictures of them.

A game lists what lies where as zones (`kozyr.envs.pictures.zones`), which get places by the kind of page.

A scene is an int32 array [MOST, COLUMNS], one element a row, back to front; the first row is a PICTURE, the first row
of kind NOTHING ends it. Places and sizes are in tenths of a unit: a card is CARD_WIDE × CARD_HIGH = 600 × 840. A
game's function `scene(v, s, seat, out)` is written like its rules, so that it compiles wherever they do, and writes
what `seat` knows. SEES_ALL shows everything, SEES_PUBLIC what everybody knows (no hand is open), both with seat 0
below. `kozyr.envs.pictures.render_svg` makes SVG of the rows, `scene.js` draws the same rows in a browser.

| column | meaning |
|---|---|
| KIND | what is drawn, see below |
| ID | what keeps its identity from one scene to the next, so that it moves; 0: furniture. Never tells a hidden card |
| KEY | what `elements` calls it when an action uses it; equal keys may stand for each other; 0: no action uses it |
| FACE | of a card, a sign, a cell, chips; of words: the number of the label in the game's LABELS |
| X, Y | of the upper left corner; of words the anchor on the base line; of dots, signs and chips the middle |
| WIDE, HIGH | its size; of words HIGH is the height of a capital and WIDE the room there is (0: no limit) |
| FLAGS | the bits below, and a tone |
| A, B, C | numbers: a label's arguments, a card's turn in degrees (A), the cards of a stack (B), a panel's seat (A) |
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from kozyr.envs.compile import jit, stack_array
from kozyr.envs.core import dispatch
from kozyr.envs.core.input_spec import COUNT, ENTRIES, KEYS
from kozyr.envs.core.state import OVER

MOST = 1024  # elements of a scene
MOST_KEYS = 1024  # a KEY is less
COLUMNS = 12
KIND, ID, KEY, FACE, X, Y, WIDE, HIGH, FLAGS, A, B, C = range(COLUMNS)
SEES_ALL, SEES_PUBLIC = -1, -2  # for `seat`

# Kinds of elements.
NOTHING = 0
PICTURE = 1  # the ground: WIDE × HIGH, FACE is FELT or PAPER
PANEL = 2  # a seat's place: A is the seat; TURN frames it, FADED dims it
CARD = 3  # FACE as below; A turns it clockwise; WIDE and HIGH may be smaller than a card's
SLOT = 4  # the outline of a place where a card may lie
LABEL = 5  # words
TAG = 6  # words on a plate whose middle is on Y; the tone is the plate's
CELL = 7  # a square of a board: FACE is EMPTY_CELL, a STONE or WALL_CELL
GRID = 8  # a board of A rows and B columns, under its cells
STRIKE = 9  # a band from (X, Y) to (X + WIDE, Y + HIGH), A broad, in the colour of the stone FACE
CHIPS = 10  # a stack of B chips, WIDE across; FACE is the colour, 0, 1 or 2
DOT = 11  # a disc WIDE across
SIGN = 12  # a suit's sign or the joker's cap, HIGH high: FACE is a suit 0 to 3 or CAP; PLATE puts a plate under it
BAR = 13  # a line from (X, Y), WIDE long
ZONE = 14  # elements without places, up to the next ZONE: see `zones`; `layout` gives them places

# Faces of cards: BACK, then 1 + suit × 13 + rank, rank 0 a two and 12 an ace, suits as in `cards.SUITS`; a joker.
BACK, JOKER = 0, 53
RANKS = 13
CAP = 4  # of a SIGN
FELT, PAPER = 0, 1  # of a PICTURE
EMPTY_CELL, STONE_X, STONE_O, WALL_CELL = range(4)  # of a CELL

# Flags.
LEGAL = 1  # a legal action of the seat to move uses it; `show` sets this, games do not
LAST = 2  # it belongs to the last move
TURN = 4  # its seat is to move
KNOWN = 8  # everybody knows this card
FADED = 16  # out of the game
STACK = 32  # a card on top of B cards (itself counted)
AFTER = 64  # words that begin where the element before ends, X tenths further on, on its line
BOLD = 128
MIDDLE, END = 256, 512  # words are centred on X, or end there
PLATE = 1024

# Tones, to be added to the flags: TONE × one of them.
TONE = 1 << 12
PLAIN, FAINT, GOLD, GOOD, BAD, BLUE, RED, GREY, DARK, WHITE = range(10)

CARD_WIDE, CARD_HIGH = 600, 840


@jit
def sees(seat: int, who: int) -> bool:
    """Return True if a scene for `seat` shows the hand of `who`."""
    return bool((seat == who) | (seat == SEES_ALL))


@jit
def face(suit: int, rank: int, ranks: int = RANKS) -> int:
    """Return the face of a card by its suit, as in `cards.SUITS`, and its rank among the `ranks` highest."""
    return 1 + suit * RANKS + RANKS - ranks + rank


@jit
def fill(v: Any, states: NDArray[Any], seat: int, out: NDArray[np.int32]) -> int:
    """Write the scene of the only table in `states` and return how many elements it has; the rest is as `show`."""
    dispatch.scene(v, states[0], seat, out)
    count = 0
    while count < MOST and out[count, KIND] != NOTHING:
        count += 1
    out[0, C] = 0  # where `zones` counts the rows while a scene is written
    return count


@jit
def show(v: Any, states: NDArray[Any], seat: int, mask: NDArray[np.int8], out: NDArray[np.int32]) -> int:
    """Write the scene of the only table in `states`, what may be played marked, and return how many elements it has.

    Args:
        v: the variant.
        states: [1] records.
        seat: whose knowledge to draw, SEES_ALL or SEES_PUBLIC.
        mask: int8 [actions], filled here with the legal actions.
        out: int32 [MOST, COLUMNS], all zeros.
    """
    s = states[0]
    count = fill(v, states, seat, out)
    if s.turn != OVER and (seat == SEES_ALL or seat == s.turn):
        dispatch.legal(v, s, mask)
        mark(v, s, mask, count, out)
    return count


@jit
def mark(v: Any, s: Any, mask: NDArray[np.int8], count: int, out: NDArray[np.int32]) -> None:
    """Flag the elements that legal actions use."""
    row = stack_array(ENTRIES, np.int32)
    used = stack_array(MOST_KEYS, np.int8)
    for key in range(MOST_KEYS):
        used[key] = 0
    for action in range(len(mask)):
        if mask[action]:
            dispatch.elements(v, s, action, row)
            for i in range(row[COUNT]):
                used[row[KEYS + i]] = 1
    for n in range(count):
        if out[n, KEY] > 0 and used[out[n, KEY]]:
            out[n, FLAGS] |= LEGAL
