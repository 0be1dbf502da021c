"""Places in a zone: each function gives the elements of one kind of zone places, in a box at the origin."""

from kozyr.envs.pictures import scene as sc
from kozyr.envs.pictures.blocks import WORDS, Block, Row, Shape, Zone
from kozyr.envs.pictures.scene import FACE, FLAGS, HIGH, KEY, KIND, WIDE, A, B, X, Y
from kozyr.envs.pictures.zones import ASIDE

LYING = (sc.CARD, sc.SLOT)
CELL_MOST = 1000
RIGHT, DOWN, PITCH = 160, 200, 900  # of pairs: where the card that beats lies, and from one pair to the next
DOT, CUE, CHIP = 80, 140, 220  # sizes of dots, signs and chips
HEADING = 60  # more room below the first row of a table


def cards(zone: Zone, shape: Shape, room: int, own: bool) -> Block:
    """Place cards in a line, or in more where too little of each would show, and their words below."""
    lying, mine = zone.of(*LYING), own and zone.row[A] != ASIDE
    if zone.seated and zone.row[A] == ASIDE:  # there is a pile before it
        room = max(room - shape.pile - shape.small - 2 * shape.gap, min(room, 2000))
    wide = shape.pile if not zone.seated else shape.own if mine else shape.small
    hidden = zone.seated and not own and all(row[KIND] == sc.CARD and row[FACE] == sc.BACK for row in lying)
    if hidden:
        wide = shape.back
    high = wide * 7 // 5
    least = wide // 7 if wide == shape.back else shape.strip if mine else wide // 3
    lines, most = 1, max((room - wide) // least + 1, 1)
    while lines < 4 and lines * most < len(lying):
        lines += 1
    each = max(-(-len(lying) // lines), 1)
    step = min(wide * 2 // 5 if hidden and zone.row[A] == ASIDE else wide * 21 // 20, (room - wide) // max(each - 1, 1))
    across, i, rise = step * (min(each, max(len(lying), 1)) - 1) + wide, 0, high * 5 // 8
    for row in zone.elements:
        if row[KIND] in LYING:
            row[X], row[Y], row[WIDE], row[HIGH] = step * (i % each), rise * (i // each), wide, high
            i += 1
        elif row[KIND] == sc.BAR and i:
            on = row[FLAGS] & sc.AFTER and i % each
            row[X], row[Y] = step * ((i - 1) % each), rise * ((i - 1) // each) + high + 30
            row[WIDE], row[HIGH] = step if on else min(step, wide) - 30, 40
            row[FLAGS] &= ~sc.AFTER
    down = rise * (lines - 1) + high
    if zone.row[KEY]:
        zone.row[KIND], zone.row[WIDE], zone.row[HIGH] = sc.SLOT, across, down
    block = Block([zone.row, *zone.of(*LYING, sc.BAR)], across, down)
    said = zone.of(*WORDS)
    full = room if not zone.seated else max(across, min(room, 2600)) if said else across
    block.move((full - across) // 2, 0)
    words = _words(said, shape, full, False)
    words.move(0, down + 90)
    return Block(block.rows + words.rows, full, down + (90 + words.high if said else 0))


def pile(zone: Zone, shape: Shape, room: int, own: bool) -> Block:
    """Place cards on one another, with their words below, or beside where that saves height."""
    wide = shape.pile if zone.row[A] != ASIDE else shape.small
    high, out = wide * 7 // 5, 0
    for row in zone.of(sc.CARD):
        row[WIDE], row[HIGH] = wide, high
        if row[A]:
            row[X], out = wide * 3 // 5, wide * 4 // 5
    for row in zone.of(sc.TAG):
        row[X], row[Y], row[HIGH], row[WIDE] = wide // 2, high // 2, shape.name, wide
        row[FLAGS] |= sc.MIDDLE
    zone.row[KIND], zone.row[WIDE], zone.row[HIGH] = sc.SLOT, wide, high
    rows = [zone.row, *zone.of(sc.CARD, sc.TAG)]
    rest = [row for row in zone.elements if row[KIND] not in (sc.CARD, sc.TAG)]
    if not rest:
        return Block(rows, wide + out, high)
    words = _words(rest, shape, 1200, True)
    if shape.beside:
        words.move(wide + out + 100, (high - words.high) // 2)
        return Block(rows + words.rows, wide + out + 100 + words.wide, high)
    words.move(0, high + 90)
    return Block(rows + words.rows, max(wide + out, words.wide), high + 90 + words.high)


def pairs(zone: Zone, shape: Shape, room: int, own: bool) -> Block:
    """Place pairs side by side, in more lines where one is too short."""
    wide = sc.CARD_WIDE
    count = sum(not row[FLAGS] & sc.AFTER for row in zone.elements)
    each = max(min(count, (room - wide - RIGHT) // PITCH + 1), 1)
    lines = max(-(-count // each), 1)
    each = max(-(-count // lines), 1)
    i, fall = -1, sc.CARD_HIGH + DOWN + shape.gap
    for row in zone.elements:
        after = row[FLAGS] & sc.AFTER
        i += not after
        row[WIDE], row[HIGH] = wide, sc.CARD_HIGH
        row[X], row[Y] = PITCH * (i % each) + (RIGHT if after else 0), fall * (i // each) + (DOWN if after else 0)
        row[FLAGS] &= ~sc.AFTER
    return Block([zone.row, *zone.elements], PITCH * (each - 1) + wide + RIGHT, fall * lines - shape.gap)


def lines(zone: Zone, shape: Shape, room: int, own: bool) -> Block:
    """Place lines of words: in the middle of the table centred, the first one large; in a panel from the left."""
    if not zone.seated:
        words = _words(zone.elements, shape, room, False, shape.name)
    else:
        words = _words(zone.elements, shape, min(room, 1300), True)
    return Block([zone.row, *words.rows], words.wide, words.high)


def _words(rows: list[Row], shape: Shape, room: int, left: bool, first: int = 0) -> Block:
    """Place words line by line.

    Args:
        rows: the elements, of which those flagged AFTER or END stay in the line of the one before.
        shape: the kind of page; room: the width of a line.
        left: whether lines begin at the left; else they are centred, words in equal parts of the line.
        first: the height of the first line's letters, if it differs.
    """
    lines = list[list[Row]]()
    for row in rows:
        if not lines or not (row[FLAGS] & (sc.AFTER | sc.END) or (row[KIND] == sc.CHIPS == lines[-1][-1][KIND])):
            lines.append([])
        lines[-1].append(row)
    y = 0
    for number, line in enumerate(lines):
        size = first if first and number == 0 else shape.text
        large = size != shape.text or any(row[KIND] != sc.LABEL for row in line)
        pitch = 2 * size + (60 if large else 0)
        for i, row in enumerate(line):
            (_from_left if left else _centred)(row, i, len(line), room, size, y + pitch // 2)
        y += pitch
    return Block(list(rows), room, y)


def _from_left(row: Row, i: int, count: int, room: int, size: int, middle: int) -> None:
    """Place an element of a line that begins at the left."""
    if row[KIND] in WORDS:
        row[HIGH], row[WIDE] = size, room
        if row[FLAGS] & sc.AFTER:
            row[X] = 80
        else:
            row[X], row[Y] = room if row[FLAGS] & sc.END else 0, middle + size // 2
            row[WIDE] = room if count == 1 else room // 2
    elif row[KIND] == sc.BAR:
        row[X], row[Y], row[WIDE], row[HIGH] = 0, middle - 30, 130, 60
    else:
        row[WIDE] = row[HIGH] = size * 17 // 10
        row[X], row[Y] = size, middle


def _centred(row: Row, i: int, count: int, room: int, size: int, middle: int) -> None:
    """Place an element in its part of a line."""
    if row[KIND] in WORDS:
        part = room if count == 1 else min(room // count, 1300)
        row[FLAGS] = row[FLAGS] & ~sc.AFTER | sc.MIDDLE
        row[HIGH], row[WIDE] = size, part - 60
        row[Y] = middle + (size // 2 if row[KIND] == sc.LABEL else 0)
    else:
        part = CHIP + 20
        row[WIDE] = row[HIGH] = CHIP
        row[Y] = middle
    row[X] = room // 2 + part * (2 * i - count + 1) // 2


def board(zone: Zone, shape: Shape, room: int, own: bool) -> Block:
    """Place a board that fills its room, with what stands before its columns and rows."""
    rows, columns = zone.row[A], zone.row[B]
    edge = shape.text * 2
    high = shape.board - edge if shape.board else room * 4 // 3
    side = min((room - 2 * edge) // columns, high // rows, CELL_MOST)
    small = min(110, max(80, shape.least, side // 4))
    for row in zone.elements:
        column, line = row[X], row[Y]
        x, y = (edge + side * n + side // 2 if n >= 0 else edge // 2 for n in (column, line))
        if row[KIND] == sc.CELL:
            row[X], row[Y], row[WIDE], row[HIGH] = x - side // 2, y - side // 2, side, side
        elif row[KIND] == sc.STRIKE:
            row[X], row[Y], row[A] = x, y, side * 18 // 25
            row[WIDE], row[HIGH] = row[WIDE] * side, row[HIGH] * side
        else:
            row[HIGH] = small if column < 0 or line < 0 else side // 2
            row[X], row[Y] = x, y + row[HIGH] // 2
            row[FLAGS] |= sc.MIDDLE
    zone.row[KIND], zone.row[X], zone.row[Y] = sc.GRID, edge, edge
    zone.row[WIDE], zone.row[HIGH] = side * columns, side * rows
    return Block([zone.row, *zone.elements], side * columns + 2 * edge, side * rows + edge)


def table(zone: Zone, shape: Shape, room: int, own: bool) -> Block:
    """Place small things in rows and columns; words flagged MIDDLE are centred in theirs."""
    wide, pitch = min(190, room // zone.row[B]), 130
    for row in zone.elements:
        x, y = row[X] * wide + wide // 2, row[Y] * pitch + pitch // 2 + (HEADING if row[Y] else 0)
        row[HIGH] = shape.text if row[KIND] == sc.LABEL else DOT if row[KIND] == sc.DOT else CUE
        row[X], row[Y] = x, y
        if row[KIND] == sc.LABEL:
            row[Y] += row[HIGH] // 2
            row[X] -= 0 if row[FLAGS] & sc.MIDDLE else wide // 2
            row[WIDE] = 0 if row[FLAGS] & sc.MIDDLE else wide * zone.row[B]
        else:
            row[WIDE] = row[HIGH]
    return Block([zone.row, *zone.elements], wide * zone.row[B], pitch * zone.row[A] + HEADING)
