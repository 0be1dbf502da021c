"""Elements of a scene as SVG, kind by kind, in tenths of a unit."""

from collections.abc import Callable, Mapping, Sequence
from functools import cache
from typing import Any

from kozyr.envs.core import labels as words
from kozyr.envs.pictures import card_art, stroke_font
from kozyr.envs.pictures import scene as sc
from kozyr.envs.pictures.scene import ID, KEY, KIND

span_of = stroke_font.span
Fill = Callable[[str, Sequence[Any], Sequence[str] | None], str]

GOLD = "#f6b73c"
SOFT = "#fff4cf"  # around what belongs to the last move
INK, CREAM = "#1c2430", "#f4f1e6"
PLATES = (CREAM, "#a9c9bb", GOLD, "#3c9a5f", "#c9472f", "#2f6fc4", "#c8202f", "#5d7a70", "#1c2430", "#fffdf8")
ON_PLATES = (INK, INK, INK, "#fff", "#fff", "#fff", "#fff", CREAM, CREAM, INK)
INKS = {
    sc.FELT: (CREAM, "#a9c9bb", GOLD, "#8fd6a8", "#f3a491", "#a5c8f5", "#f3a491", "#86a79b", "#0f2b23", "#ffffff"),
    sc.PAPER: (INK, "#606a7a", "#8a5f00", "#1f7a4d", "#b3341c", "#1f5fae", "#c8202f", "#6d7686", INK, "#ffffff"),
}
GROUNDS = {sc.FELT: "#1d5646", sc.PAPER: "#eef0f3"}
PANELS = {sc.FELT: 'fill="#000" fill-opacity=".2"', sc.PAPER: 'fill="#fffdf8" stroke="#c4c8d0" stroke-width="10"'}
BANDS = {sc.STONE_X: "#b9d3f3", sc.STONE_O: "#f7c9bf"}
CHIPS = ("#c9472f", "#2f6fc4", "#1c2430")
LIFT = 70  # what a card that may be played is raised by


class Pen:
    """Pen that the elements of one picture share.

    Attributes:
        fill: gives a label with its arguments and the names, as `labels.fill` does.
        ink: the ten tones as colours on this ground.
        used: the symbols that were drawn.
        least: the height of capitals that words are not shrunk below.
        before: the element before, if it is no word.
    """

    def __init__(
        self, labels: Mapping[int, str], names: Sequence[str] | None, first: list[int], fill: Fill = words.fill
    ) -> None:
        self.labels, self.names, self.fill = labels, names, fill
        self.ground = first[sc.FACE]
        self.inks = INKS[self.ground]
        self.ink = self.inks[sc.PLAIN]
        self.used, self.least = set[str](), first[sc.A]
        self.before: list[int] | None = None
        self._end, self._middle = 0.0, 0.0

    def wrote(self, end: float, middle: float) -> None:
        """Let AFTER begin where words ended."""
        self.before, self._end, self._middle = None, end, middle

    def place(self) -> tuple[float, float]:
        """Return the place of AFTER: the end of the element before, and the middle of its line."""
        if (row := self.before) is None:
            return self._end, self._middle
        if row[KIND] in (sc.DOT, sc.SIGN, sc.CHIPS):
            return row[sc.X] + row[sc.HIGH if row[KIND] == sc.SIGN else sc.WIDE] / 2, row[sc.Y]
        return row[sc.X] + row[sc.WIDE], row[sc.Y] + row[sc.HIGH] / 2

    def tone(self, flags: int) -> str:
        """Return the colour of words, dots and lines."""
        return self.inks[flags // sc.TONE]


def defined(name: str) -> str:
    """Return the symbol of that name."""
    return card_art.symbol(name)


def ground(row: list[int]) -> str:
    """Return the picture's ground."""
    return f'<rect width="{row[sc.WIDE]}" height="{row[sc.HIGH]}" fill="{GROUNDS[row[sc.FACE]]}"/>'


def _attributes(row: list[int]) -> str:
    """Return the attributes that tell an element from others."""
    name = f' data-el="{row[ID]}"' if row[ID] else ""
    return f'{name} data-key="{row[KEY]}"' if row[KEY] else name


def _box(x: float, y: float, wide: float, high: float, look: str) -> str:
    return f'<rect x="{x:.6g}" y="{y:.6g}" width="{wide:.6g}" height="{high:.6g}" {look}/>'


def _around(row: list[int], gap: int, round_: int, look: str) -> str:
    """Return a frame around an element that stands at the origin."""
    return _box(-gap, -gap, row[sc.WIDE] + 2 * gap, row[sc.HIGH] + 2 * gap, f'rx="{round_ + gap}" fill="none" {look}')


def _panel(row: list[int], pen: Pen) -> str:
    pen.before = row
    flags = row[sc.FLAGS]
    look = PANELS[pen.ground]
    if flags & sc.TURN:
        look = look.split(" stroke", 1)[0] + f' stroke="{GOLD}" stroke-width="25"'
    elif flags & sc.LEGAL:
        look = look.split(" stroke", 1)[0] + f' stroke="{GOLD}" stroke-width="15" stroke-dasharray="50 40"'
    faded = ' opacity=".6"' if flags & sc.FADED else ""
    return _box(row[sc.X], row[sc.Y], row[sc.WIDE], row[sc.HIGH], f'rx="120" {look}{faded}{_attributes(row)}')


def _card(row: list[int], pen: Pen) -> str:
    """Draw a card with its marks: lifted and underlined in gold if it may be played, a soft frame for the last move."""
    pen.before = row
    _, _, _, face, x, y, wide, high, flags, turned, count, _ = row
    pen.used.add(f"card-{face}")
    marks = ""
    if flags & sc.STACK:
        marks = "".join(_under(i, wide, high) for i in range(min((count + 4) // 6, 5) if count > 1 else 0, 0, -1))
    if flags & sc.KNOWN:
        marks += f'<rect x="{wide / 15:g}" y="-45" width="{wide * 0.22:g}" height="90" rx="25" fill="{GOLD}"/>'
    if flags & sc.LAST:
        marks += _around(row, 22, 60, f'stroke="{SOFT}" stroke-width="36" stroke-opacity=".55"')
    marks += f'<use href="#card-{face}" width="{wide}" height="{high}"/>'
    if flags & sc.LEGAL:
        marks += _around(row, 0, 55, f'stroke="{GOLD}" stroke-width="22"')
        y -= 0 if flags & sc.STACK or turned else LIFT
    turn = f" rotate({turned} {wide / 2:g} {high / 2:g})" if turned else ""
    if flags & sc.FADED:
        marks += _box(0, 0, wide, high, f'rx="55" fill="{GROUNDS[pen.ground]}" fill-opacity=".5"')
    return f'<g{_attributes(row)} transform="translate({x} {y}){turn}">{marks}</g>'


def _under(i: int, wide: int, high: int) -> str:
    """Return the edge of a card of a stack, `i` places below the top."""
    return _box(14 * i, 14 * i, wide, high, 'rx="55" fill="#e9e4d6" stroke="#8f8b7f" stroke-width="8"')


def _slot(row: list[int], pen: Pen) -> str:
    pen.before = row
    legal = row[sc.FLAGS] & sc.LEGAL
    look = f'stroke="{GOLD}" stroke-width="22"' if legal else f'stroke="{pen.ink}" stroke-opacity=".35"'
    dashes = f'rx="60" fill="#fff" fill-opacity="{0.06 if legal else 0}" stroke-dasharray="50 40"'
    width = "" if legal else ' stroke-width="15"'
    return _box(row[sc.X], row[sc.Y], row[sc.WIDE], row[sc.HIGH], f"{dashes} {look}{width}{_attributes(row)}")


def text(words: str, x: float, base: float, size: float, colour: str, weight: float) -> tuple[str, float]:
    """Return words that begin at x on a base line, and where they end."""
    glyphs = stroke_font.glyphs(words)
    pen = f'fill="none" stroke="{colour}" color="{colour}" stroke-width="{weight}"'
    where = f'transform="translate({x:.6g} {base - size:.6g}) scale({size / 10:.4g})"'
    group = f'<g {where} {pen} stroke-linecap="round" stroke-linejoin="round">{glyphs}</g>'
    return group, x + stroke_font.span(words, size)


def label_text(row: list[int], pen: Pen) -> str:
    """Return the words of a LABEL or a TAG."""
    return pen.fill(pen.labels[row[sc.FACE]], row[sc.A :], pen.names)


def _begin(row: list[int], pen: Pen, wide: float) -> float:
    """Return the left edge of words that are so wide."""
    x, flags = row[sc.X], row[sc.FLAGS]
    if flags & sc.AFTER:
        return pen.place()[0] + x
    return x - wide / 2 if flags & sc.MIDDLE else x - wide if flags & sc.END else x


def _label(row: list[int], pen: Pen) -> str:
    flags = row[sc.FLAGS]
    letters, size = stroke_font.fit_text(label_text(row, pen), row[sc.HIGH], row[sc.WIDE], pen.least)
    x = _begin(row, pen, stroke_font.span(letters, size))
    base = pen.place()[1] + size / 2 if flags & sc.AFTER else row[sc.Y]
    picture, end = text(letters, x, base, size, pen.tone(flags), 1.75 if flags & sc.BOLD else 1.4)
    pen.wrote(end, base - size / 2)
    return f"<g{_attributes(row)}>{picture}</g>" if row[ID] or row[KEY] else picture


def _tag(row: list[int], pen: Pen) -> str:
    flags, tone = row[sc.FLAGS], row[sc.FLAGS] // sc.TONE
    border = 1.7 * row[sc.HIGH]
    room = max(row[sc.WIDE] - border, 1) if row[sc.WIDE] else 0
    letters, size = stroke_font.fit_text(label_text(row, pen), row[sc.HIGH], room, pen.least)
    wide, high = stroke_font.span(letters, size) + border, 2.2 * row[sc.HIGH]
    x = _begin(row, pen, wide)
    middle = pen.place()[1] if flags & sc.AFTER else row[sc.Y]
    plate = _box(x, middle - high / 2, wide, high, f'rx="{high / 2:g}" fill="{PLATES[tone]}"')
    picture, _ = text(letters, x + border / 2, middle + size / 2, size, ON_PLATES[tone], 1.7)
    pen.wrote(x + wide, middle)
    return f"<g{_attributes(row)}>{plate}{picture}</g>" if row[ID] or row[KEY] else plate + picture


def _cell(row: list[int], pen: Pen) -> str:
    """Draw a square of a board: its stone, a light ground for the last move, a faint dot where one may be put."""
    pen.before = row
    _, _, _, face, x, y, wide, high, flags, _, _, _ = row
    if face == sc.EMPTY_CELL:
        return _empty(row)
    attributes = _attributes(row)
    if face == sc.WALL_CELL:
        return _box(x + 10, y + 10, wide - 20, high - 20, f'rx="30" fill="#59616f"{attributes}')
    pen.used.add(f"stone-{face}")
    last = _ground(wide, high, f'fill="#ffe9a8" stroke="{GOLD}" stroke-width="20"') if flags & sc.LAST else ""
    stone = f'<use href="#stone-{face}" width="{wide}" height="{high}"/>'
    return f'<g{attributes} transform="translate({x} {y})">{last}{stone}</g>'


def _empty(row: list[int]) -> str:
    """Draw an empty cell: nothing to see but where a stone may be put. A board has hundreds, so each is one element."""
    _, name, key, _, x, y, wide, high, flags, _, _, _ = row
    if not flags & sc.LEGAL:
        return _box(x, y, wide, high, f'fill-opacity="0"{_attributes(row)}') if name or key else ""
    attributes = f' data-el="{name}" data-key="{key}"' if name and key else _attributes(row)
    return f'<circle{attributes} cx="{x + wide // 2}" cy="{y + high // 2}" {_spot(wide)}/>'


@cache
def _spot(wide: int) -> str:
    """Return the look of the dot where a stone may be put."""
    return f'r="{wide // 16}" fill="#8a6a10" fill-opacity=".45"'


def _ground(wide: int, high: int, look: str) -> str:
    return f'<rect width="{wide}" height="{high}" rx="30" {look}/>'


def _grid(row: list[int], pen: Pen) -> str:
    pen.before = row
    x, y, wide, high, rows, columns = *row[sc.X : sc.FLAGS], row[sc.A], row[sc.B]
    across = "".join(f"M{x} {y + high * r / rows:.6g}h{wide}" for r in range(1, rows))
    down = "".join(f"M{x + wide * c / columns:.6g} {y}v{high}" for c in range(1, columns))
    board = _box(x, y, wide, high, 'rx="30" fill="#fffdf8" stroke="#6d7686" stroke-width="20"')
    return f'{board}<path d="{across}{down}" fill="none" stroke="#c4c8d0" stroke-width="10"/>'


def _strike(row: list[int], pen: Pen) -> str:
    x, y, wide, high = row[sc.X : sc.FLAGS]
    look = f'stroke="{BANDS[row[sc.FACE]]}" stroke-width="{row[sc.A]}" stroke-linecap="round" stroke-opacity=".85"'
    return f'<path d="M{x} {y}l{wide} {high}" fill="none" {look}{_attributes(row)}/>'


def _chips(row: list[int], pen: Pen) -> str:
    """Draw a stack of chips seen from above at a slant: their number up to ten shows in its height."""
    pen.before = row
    radius, colour, count = row[sc.WIDE] / 2, CHIPS[row[sc.FACE] % 3], min(row[sc.B], 10)
    if count <= 0:
        return ""
    step = radius * 0.24
    chips = "".join(_chip(-step * i, radius, colour) for i in range(count))
    inner = f'<circle cy="{-step * (count - 1):.5g}" r="{radius * 0.55:.4g}" fill="none" stroke="#fff"'
    dashes = f'stroke-width="{radius * 0.16:.4g}" stroke-dasharray="{radius * 0.3:.4g} {radius * 0.22:.4g}"'
    ring = f'<circle r="{radius + 25:g}" fill="none" stroke="{GOLD}" stroke-width="20"/>'
    legal = ring if row[sc.FLAGS] & sc.LEGAL else ""
    where = f'transform="translate({row[sc.X]} {row[sc.Y]})"'
    return f'<g{_attributes(row)} {where}>{legal}{chips}{inner} {dashes} stroke-opacity=".8"/></g>'


def _chip(y: float, radius: float, colour: str) -> str:
    return f'<circle cy="{y:.5g}" r="{radius:g}" fill="{colour}" stroke="#fff" stroke-width="{radius * 0.12:.4g}"/>'


def _dot(row: list[int], pen: Pen) -> str:
    pen.before = row
    place = f'cx="{row[sc.X]}" cy="{row[sc.Y]}" r="{row[sc.WIDE] / 2:g}"'
    legal = f' stroke="{GOLD}" stroke-width="20"' if row[sc.FLAGS] & sc.LEGAL else ""
    return f'<circle {place} fill="{PLATES[row[sc.FLAGS] // sc.TONE]}"{legal}{_attributes(row)}/>'


def _sign(row: list[int], pen: Pen) -> str:
    pen.before = row
    size, x, y = row[sc.HIGH], row[sc.X], row[sc.Y]
    pen.used.add(f"suit-{row[sc.FACE]}")
    use = f'<use href="#suit-{row[sc.FACE]}" x="{-size / 2:g}" y="{-size / 2:g}" width="{size}" height="{size}"/>'
    edge = size * 0.7
    plate = _box(-edge, -edge, 2 * edge, 2 * edge, f'rx="{size * 0.3:g}" fill="#fffdf8"')
    picture = plate + use if row[sc.FLAGS] & sc.PLATE else use
    return f'<g{_attributes(row)} transform="translate({x} {y})">{picture}</g>'


def _bar(row: list[int], pen: Pen) -> str:
    pen.before = row
    thick = row[sc.HIGH] or 20
    look = f'rx="{thick / 2:g}" fill="{pen.tone(row[sc.FLAGS])}"{_attributes(row)}'
    return _box(row[sc.X], row[sc.Y], row[sc.WIDE], thick, look)


DRAWN: dict[int, Callable[[list[int], Pen], str]] = {
    sc.PANEL: _panel,
    sc.CARD: _card,
    sc.SLOT: _slot,
    sc.LABEL: _label,
    sc.TAG: _tag,
    sc.CELL: _cell,
    sc.GRID: _grid,
    sc.STRIKE: _strike,
    sc.CHIPS: _chips,
    sc.DOT: _dot,
    sc.SIGN: _sign,
    sc.BAR: _bar,
    sc.ZONE: lambda row, pen: "",
}
