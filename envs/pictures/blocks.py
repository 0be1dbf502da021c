"""Blocks: parts of a scene that have places in a box of their own, and the sizes for each kind of page."""

from typing import NamedTuple

from kozyr.envs.pictures import scene as sc
from kozyr.envs.pictures.scene import FACE, FLAGS, KIND, X, Y

Row = list[int]
WORDS = (sc.LABEL, sc.TAG)


class Shape(NamedTuple):
    """Sizes for a kind of page, in tenths of a unit.

    Attributes:
        wide: of the picture; more: what is added for five seats or more.
        margin: around all; gap: between zones; pad: inside a panel.
        own, pile, small, back: widths of cards: in the hand below, on piles, in other hands, there if none is open.
        strip: the least that shows of a card in the hand below, before a second line begins.
        name, text, tag: heights of capitals; least: words are not shrunk below it.
        across: others' panels side by side.
        beside: 1 if the words of a pile stand beside it.
        board: the most that a board is high, between the seats; 0: it stands below the others, as wide as it can be.
    """

    wide: int
    more: int
    margin: int
    gap: int
    pad: int
    own: int
    pile: int
    small: int
    back: int
    strip: int
    name: int
    text: int
    tag: int
    least: int
    across: int
    beside: int
    board: int


WIDEST = Shape(9600, 2400, 180, 140, 140, 720, 600, 450, 450, 200, 130, 100, 82, 0, 5, 0, 4600)
NARROW = Shape(6600, 0, 150, 120, 140, 660, 600, 450, 390, 300, 120, 100, 90, 0, 3, 0, 0)
PHONE = Shape(4200, 0, 100, 90, 110, 600, 460, 460, 300, 380, 110, 100, 100, 98, 2, 1, 0)


class Block:
    """Rows that have places, in a box at the origin."""

    def __init__(self, rows: list[Row], wide: int, high: int) -> None:
        self.rows, self.wide, self.high = rows, wide, high

    def move(self, x: int, y: int) -> None:
        """Move the box."""
        for row in self.rows:
            if not (row[KIND] in WORDS and row[FLAGS] & sc.AFTER):
                row[X] += x
                row[Y] += y


class Zone:
    """A zone with its elements; that of a seat has zones inside."""

    def __init__(self, row: Row, seated: bool) -> None:
        self.row, self.kind, self.seated = row, row[FACE], seated
        self.elements, self.inside = list[Row](), list[Zone]()

    def of(self, *kinds: int) -> list[Row]:
        """Return the elements of some kinds."""
        return [row for row in self.elements if row[KIND] in kinds]


def flow(blocks: list[Block], room: int, gap: int, spread: bool = False) -> Block:
    """Put blocks side by side in as many lines as they need.

    Args:
        blocks: to be placed; room: how wide a line may be; gap: between them.
        spread: whether the blocks of a line take all the room, the last of three in the middle; else they are centred.
    """
    lines, used = list[list[Block]](), 0
    for block in blocks:
        if not lines or used + gap + block.wide > room:
            lines.append([])
            used = -gap
        lines[-1].append(block)
        used += gap + block.wide
    y = -gap
    for line in lines:
        if spread and len(line) == 3:
            line[1:] = line[:0:-1]
        free = room - sum(block.wide for block in line)
        between = free // max(len(line) - 1, 1) if spread else gap
        x = free // 2 if len(line) == 1 or not spread else 0
        if not spread:
            x = (free - gap * (len(line) - 1)) // 2
        high = max(block.high for block in line)
        for block in line:
            block.move(x, y + gap + (high - block.high) // 2)
            x += block.wide + between
        y += gap + high
    return Block([row for block in blocks for row in block.rows], room, max(y, 0))
