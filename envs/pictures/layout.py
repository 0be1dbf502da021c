"""Layout: the zones of a scene get places, on a wide page, a narrow one or a phone.

`layout.js` does the same in a browser, row by row. No place depends on how wide words are, for letters differ there:
words get room, and are drawn smaller or cut where it is short.
"""

from collections.abc import Callable, Sequence

from kozyr.envs.pictures import scene as sc
from kozyr.envs.pictures import zone_places
from kozyr.envs.pictures.blocks import NARROW, PHONE, WIDEST, Block, Row, Shape, Zone, flow
from kozyr.envs.pictures.scene import FACE, FLAGS, HIGH, KIND, WIDE, A, X, Y
from kozyr.envs.pictures.zones import BOARD, CARDS, LINES, MIDDLE, PAIRS, PILE, SEAT, TABLE

SHAPES = (WIDEST, NARROW, PHONE)
MANY = 5  # seats that need a wider picture
ROOMY = 3000  # a panel's width from which on tags stand behind the name
THREE_TAGS = 2400  # a panel's width from which on three tags stand in a line, else two
RAISED = 50  # room above cards, which are raised where they may be played
SIDE = 2300  # width of the panels beside a board


def place(rows: Sequence[Sequence[int]], shape: Shape = WIDEST, tall: int = 0) -> list[Row]:
    """Return the rows of a scene with places; zones become panels, slots and grids, or are drawn as nothing.

    A scene without zones, as games had them before, stays as it is: see `coordinates`.

    Args:
        rows: of a scene, the PICTURE first.
        shape: the kind of page.
        tall: the picture's least height, in thousandths of its width; space that it does not need is around the middle.
    """
    placed = [list(row) for row in rows]
    middle, seats = zones(placed)
    if not middle and not seats:
        return placed
    wide = shape.wide + (shape.more if len(seats) >= MANY else 0)
    picture = placed[0]
    picture[WIDE], picture[A] = wide, shape.least
    room = wide - 2 * shape.margin
    beside = shape.board > 0 and any(zone.kind == BOARD for zone in middle)
    shape = shape._replace(
        board=max(shape.board, wide * tall // 1000 - 2 * shape.margin - 3 * shape.name) if beside else 0
    )
    across = room - 2 * (SIDE + shape.gap) if beside else room
    centre = flow([_DRAWN[zone.kind](zone, shape, across, False) for zone in middle], across, shape.gap, True)
    if beside:
        bands = [_beside(seats, centre, shape, room)]
    else:
        bands = [_others(seats[1:], shape, room), centre, *(_seat(one, shape, room, True) for one in seats[:1])]
    picture[HIGH] = _stack([band for band in bands if band.rows], shape, wide * tall // 1000)
    return placed


def zones(rows: list[Row]) -> tuple[list[Zone], list[Zone]]:
    """Return the zones in the middle of the table, and the seats with theirs."""
    middle, seats = list[Zone](), list[Zone]()
    inside, newest = middle, None
    for row in rows:
        if row[KIND] == sc.ZONE and row[FACE] == MIDDLE:
            inside = middle
        elif row[KIND] == sc.ZONE:
            newest = Zone(row, inside is not middle)
            if row[FACE] == SEAT:
                seats.append(newest)
                inside = newest.inside
            else:
                inside.append(newest)
        elif newest is not None:
            newest.elements.append(row)
    return middle, seats


def _stack(bands: list[Block], shape: Shape, least: int) -> int:
    """Put bands below each other and return the picture's height."""
    high = 2 * shape.margin + sum(band.high for band in bands) + 2 * shape.gap * (len(bands) - 1)
    spare = max(least - high, 0) // max(len(bands) - 1, 1)
    y = shape.margin + (spare // 2 if len(bands) == 1 else 0)
    for band in bands:
        band.move(shape.margin, y)
        y += band.high + 2 * shape.gap + spare
    return max(high, least)


def _others(seats: list[Zone], shape: Shape, room: int) -> Block:
    """Place the panels of others, in lines of the same length as far as that goes."""
    lines = -(-len(seats) // shape.across)
    rows, y, begin = list[Row](), 0, 0
    for i in range(lines):
        count = (len(seats) - begin) // (lines - i) + ((len(seats) - begin) % (lines - i) > 0)
        width = (room - shape.gap * (count - 1)) // count
        blocks = [_seat(one, shape, width, False) for one in seats[begin : begin + count]]
        high = max(block.high for block in blocks)
        for k, block in enumerate(blocks):
            block.rows[0][HIGH] = high
            block.move(k * (width + shape.gap), y)
            rows += block.rows
        y += high + shape.gap
        begin += count
    return Block(rows, room, max(y - shape.gap, 0))


def _beside(seats: list[Zone], centre: Block, shape: Shape, room: int) -> Block:
    """Place a board between the seats: others at the left above, the own one at the right below."""
    centre.move(SIDE + shape.gap, 0)
    rows, y = list(centre.rows), 0
    for seat in seats[1:]:
        block = _seat(seat, shape, SIDE, False)
        block.move(0, y)
        rows, y = rows + block.rows, y + block.high + shape.gap
    own = _seat(seats[0], shape, SIDE, True)
    own.move(room - SIDE, max(centre.high - own.high, 0))
    return Block(rows + own.rows, room, centre.high)


def _seat(zone: Zone, shape: Shape, width: int, own: bool) -> Block:
    """Place a panel: its head, and what lies in it below."""
    room = width - 2 * shape.pad
    head = _head(zone, shape, room)
    body = flow([_DRAWN[one.kind](one, shape, room, own) for one in zone.inside], room, shape.gap)
    head.move(shape.pad, shape.pad)
    below = shape.gap + RAISED if zone.inside else 0
    body.move(shape.pad, shape.pad + head.high + below)
    high = 2 * shape.pad + head.high + below + body.high
    zone.row[KIND], zone.row[WIDE], zone.row[HIGH] = sc.PANEL, width, high
    return Block([zone.row, *head.rows, *body.rows], width, high)


def _head(zone: Zone, shape: Shape, room: int) -> Block:
    """Place the name, the tags and the labels at the right; in a small panel the tags stand below the name."""
    ends, tags = [row for row in zone.elements if row[FLAGS] & sc.END], zone.of(sc.TAG)
    roomy, line, x = room >= ROOMY, 2 * shape.name, 0
    below = line + shape.gap
    last = 700 if ends else 0
    for row in zone.elements:
        if row[KIND] == sc.CELL:
            row[WIDE] = row[HIGH] = line
            x = line + 80
        elif row[FLAGS] & sc.BOLD:
            row[X], row[Y], row[HIGH] = x, (line + shape.name) // 2, shape.name
            row[WIDE] = room - x - last - (1000 * len(tags) if roomy else 0)
    each = 2 if room < THREE_TAGS else 3
    lines = max(-(-len(tags) // each), 1)
    for i, row in enumerate(tags):
        row[X], row[Y], row[HIGH] = 0, below + shape.tag + (2 * shape.tag + 40) * (i // each), shape.tag
        row[WIDE] = 0 if roomy else room // each - 50
        if i % each or roomy:
            row[X], row[Y] = 100 if roomy else 50, 0
            row[FLAGS] |= sc.AFTER
    for i, row in enumerate(ends):
        row[X], row[HIGH], row[WIDE] = room, shape.text, room // 2 if i else last
        row[Y] = (line + shape.text) // 2 + i * (line if roomy else below + line)
    more = line * (len(ends) - 1) if len(ends) > 1 else 0
    return Block(list(zone.elements), room, (line if roomy else below + (2 * shape.tag + 40) * lines - 40) + more)


_DRAWN: dict[int, Callable[[Zone, Shape, int, bool], Block]] = {
    CARDS: zone_places.cards,
    PILE: zone_places.pile,
    PAIRS: zone_places.pairs,
    LINES: zone_places.lines,
    BOARD: zone_places.board,
    TABLE: zone_places.table,
}
