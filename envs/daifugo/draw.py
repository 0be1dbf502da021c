"""Draw a Daifugo table: everything, or what one seat knows of it."""

from typing import Any

from kozyr.envs.core import svg
from kozyr.envs.core.state import OVER
from kozyr.envs.daifugo.exchange import PLAY
from kozyr.envs.daifugo.rules import JOKER, LETTERS, Variant

FELT, TEXT, FAINT = "#2b3f63", "#f4f1e6", "#b3c0da"
BACK = -1  # a card face down

MARGIN, GAP = 18.0, 14.0
HEAD = 38.0  # a panel's line of text above its cards
PANEL = HEAD + svg.CARD_HEIGHT + 12
MIDDLE = 206.0  # height of the table between the hands
SPREAD = 43.0  # widest step from card to card
HALF = svg.CARD_WIDTH / 2, svg.CARD_HEIGHT / 2

# Seats of the upper and the lower row from left to right, counted clockwise from the watching seat.
ROWS = {
    2: ((1,), (0,)),
    3: ((1, 2), (0,)),
    4: ((1, 2, 3), (0,)),
    5: ((2, 3, 4), (1, 0)),
    6: ((2, 3, 4), (1, 0, 5)),
    7: ((2, 3, 4, 5), (1, 0, 6)),
    8: ((3, 4, 5, 6), (2, 1, 0, 7)),
}
CAP = "M-11.5 7Q-17 1-15-6Q-9.5-8.5-5.5-2.5Q-5-10.5 0-13Q5-10.5 5.5-2.5Q9.5-8.5 15-6Q17 1 11.5 7Z"
BELLS = ((-15.5, -4), (0, -14), (15.5, -4))


def draw(v: Variant, s: Any, seat: int | None = None) -> svg.Picture:
    """Draw the table with all hands, or with the cards that `seat` knows.

    Args:
        v: The variant.
        s: The state, one record.
        seat: Whose knowledge to draw and who sits below; None shows every hand and puts seat 0 below.

    Returns:
        An SVG document, shown as a drawing by notebooks.
    """
    wide = 960.0 if v.players == 2 else 1200.0
    below = MARGIN + PANEL + MIDDLE
    upper, lower = ROWS[v.players]
    parts = [
        svg.box(0, 0, wide, below + PANEL + MARGIN, fill=FELT),
        row(v, s, seat, upper, MARGIN, wide),
        svg.group(middle(v, s, wide), y=MARGIN + PANEL),
        row(v, s, seat, lower, below, wide),
    ]
    title = "Daifugo" if seat is None else f"Daifugo as player_{seat} knows it"
    return svg.picture(wide, below + PANEL + MARGIN, *parts, title=title)


def row(v: Variant, s: Any, seat: int | None, offsets: tuple[int, ...], y: float, wide: float) -> str:
    """Draw panels of equal width side by side."""
    width = (wide - 2 * MARGIN - GAP * (len(offsets) - 1)) / len(offsets)
    return "".join(
        svg.group(
            person(v, s, seat, ((seat or 0) + offset) % v.players, width),
            x=MARGIN + i * (width + GAP),
            y=y,
        )
        for i, offset in enumerate(offsets)
    )


def person(v: Variant, s: Any, seat: int | None, who: int, width: float) -> str:
    """Draw one seat: its name and marks in a line, its cards below."""
    edge: dict[str, str | float] = {"stroke": svg.GOLD, "stroke_width": 2.5} if s.turn == who else {}
    count = int(s.count[who])
    number = f"{count} card" if count == 1 else f"{count} cards"
    return "".join(
        (
            svg.box(0, 0, width, PANEL, rx=12, fill="#000000", fill_opacity=0.2, **edge),
            svg.label(14, 25, f"player_{who}", 12, TEXT, weight=1.7),
            marks(s, who, 14 + svg.span(f"player_{who}", 12) + 12, 19),
            svg.label(width - 14, 24, number, 10, FAINT, anchor=1),
            hand(v, s, seat, who, width),
        )
    )


def marks(s: Any, who: int, x: float, y: float) -> str:
    """Draw the tags that say what a seat is doing, which place it took, or what it got."""
    place = int(s.place[who])
    tags = [
        (place >= 0, ordinal(place).upper(), svg.GREEN if place == 0 else "#66759a", "#ffffff"),
        (s.turn == OVER, f"{float(s.payoff[who]):+.3g}", svg.NAVY, "#ffffff"),
        (s.turn == who, "TO MOVE" if s.phase == PLAY else "TO GIVE", svg.GOLD, svg.INK),
        (s.owner == who and s.laid > 0 and s.turn != OVER, "OWNER", svg.RED, "#ffffff"),
        (s.passed[who] == 1 and place < 0, "PASSED", "#66759a", "#ffffff"),
    ]
    drawn: list[str] = []
    for holds, text, fill, color in tags:
        if holds:
            drawn.append(svg.tag(x, y, text, fill, color))
            x += svg.tag_width(text) + 6
    return "".join(drawn)


def ordinal(place: int) -> str:
    """Name a place, 0 the first."""
    return f"{place + 1}{('st', 'nd', 'rd')[place] if place < 3 else 'th'}"


def hand(v: Variant, s: Any, seat: int | None, who: int, width: float) -> str:
    """Draw a hand in one row, overlapped as far as it must be; the known cards carry a tab."""
    cards = visible(v, s, seat, who)
    step = min(SPREAD, (width - 28 - svg.CARD_WIDTH) / max(len(cards) - 1, 1))
    left = (width - svg.CARD_WIDTH - step * (len(cards) - 1)) / 2
    return "".join(face(v, r, left + step * i, HEAD, known=known) for i, (r, known) in enumerate(cards))


def visible(v: Variant, s: Any, seat: int | None, who: int) -> list[tuple[int, bool]]:
    """Tell the cards of a hand as `seat` sees them, weakest first, each with whether everybody knows it."""
    open_hand = seat in (None, who)
    ranks = [*range(v.ranks)[:: -1 if s.upside else 1], JOKER]
    cards: list[tuple[int, bool]] = []
    for r in ranks:
        known = int(s.known[who][r])
        hidden = int(s.hand[who][r]) - known if open_hand else 0
        cards += [(r, False)] * hidden + [(r, True)] * known
    return [(BACK, False)] * (int(s.count[who]) - len(cards)) + cards


def letter(v: Variant, r: int) -> str:
    """Return what a card's corner says."""
    return LETTERS[len(LETTERS) - v.ranks + r].replace("T", "10")


def face(v: Variant, r: int, x: float = 0, y: float = 0, highlight: bool = False, known: bool = False) -> str:
    """Draw a card, which has no suit here, or a back; `known` puts a tab on its upper edge."""
    if r == BACK:
        return svg.back(x, y)
    edge: dict[str, str | float] = {"stroke": svg.EDGE, "stroke_width": 1}
    if highlight:
        edge = {"stroke": svg.GOLD, "stroke_width": 3}
    corner, centre = (cap(0.42), cap(1.35)) if r == JOKER else (narrow(letter(v, r), 12), narrow(letter(v, r), 30))
    width, height = svg.CARD_WIDTH, svg.CARD_HEIGHT
    return svg.group(
        svg.box(4, -4.5, 13, 9, rx=2.5, fill=svg.GOLD) if known else "",
        svg.box(0, 0, width, height, rx=6, fill=svg.PAPER, **edge),
        svg.group(corner, x=10.5, y=13),
        svg.group(centre, x=HALF[0], y=HALF[1]),
        svg.group(corner, x=width - 10.5, y=height - 13, turn=180),
        x=x,
        y=y,
    )


def narrow(text: str, size: float) -> str:
    """Draw a rank around the origin."""
    glyphs = svg.label(0, size / 2, text, size, svg.NAVY, anchor=0.5, weight=1.75 if size < 20 else 1.3)
    return f'<g transform="scale(0.82 1)">{glyphs}</g>' if len(text) > 1 else glyphs


def cap(scale: float) -> str:
    """Draw the joker's cap around the origin."""
    bells = "".join(svg.element("circle", cx=x, cy=y, r=2.8, fill=svg.GOLD) for x, y in BELLS)
    brim = svg.box(-11.5, 8, 23, 4, rx=2, fill=svg.NAVY)
    return svg.group(svg.path(CAP, fill=svg.RED), brim, bells, scale=scale)


def middle(v: Variant, s: Any, wide: float) -> str:
    """Draw what lies between the hands: the round, the pile, the cards played and a line that says what happens."""
    return "".join(
        (
            round_sign(v, s, MARGIN + 14, 44),
            pile(v, s, wide / 2, 26),
            played(v, s, wide - MARGIN - 14, 44),
            status(v, s, wide / 2, MIDDLE - 34),
        )
    )


def round_sign(v: Variant, s: Any, x: float, y: float) -> str:
    """Draw the number of the round, the places of the last, the revolution and the tabs' meaning."""
    by_place = sorted(range(v.players), key=lambda k: int(s.before[k]))
    last = f"first to last before: {' '.join(map(str, by_place))}" if s.rounds > 1 else ""
    known = any(int(n) for k in range(v.players) for n in s.known[k])
    tab = svg.box(x, y + 66, 13, 6, rx=2.5, fill=svg.GOLD) + svg.label(x + 20, y + 74, "known to all", 10, TEXT)
    return "".join(
        (
            svg.label(x, y, f"round {int(s.rounds)} of {v.rounds}", 12, TEXT, weight=1.6),
            svg.label(x, y + 20, last, 10, FAINT),
            svg.tag(x, y + 40, "REVOLUTION", svg.RED, size=10) if s.upside else "",
            tab if known else "",
        )
    )


def pile(v: Variant, s: Any, x: float, y: float) -> str:
    """Draw the set to be beaten around x, or an empty place."""
    size = int(s.laid)
    if size == 0:
        return svg.slot(x - HALF[0], y)
    cards = [int(s.rank)] * (size - bool(s.jokered and s.rank != JOKER)) + [JOKER] * bool(s.jokered)
    cards = cards[:size]
    pitch = svg.CARD_WIDTH + 8
    left = x - (pitch * size - 8) / 2
    return "".join(face(v, r, left + pitch * i, y, highlight=True) for i, r in enumerate(cards))


def played(v: Variant, s: Any, x: float, y: float) -> str:
    """Draw every rank from weak to strong with a dot for each card played in this round, up to the right edge x."""
    ranks = [*range(v.ranks)[:: -1 if s.upside else 1], *([JOKER] if v.joker else [])]
    pitch = 19.0
    left = x - pitch * len(ranks)
    columns: list[str] = []
    for i, r in enumerate(ranks):
        across = left + pitch * (i + 0.5)
        name = cap(0.42) if r == JOKER else svg.label(0, 5, letter(v, r), 10, TEXT, anchor=0.5)
        columns.append(svg.group(name, x=across, y=y + 22))
        for j in range(1 if r == JOKER else 4):
            look: dict[str, str | float] = (
                {"fill": svg.GOLD} if j < s.played[r] else {"fill": "#000000", "fill_opacity": 0.3}
            )
            columns.append(svg.element("circle", cx=across, cy=y + 41 + 12 * j, r=4, **look))
    return svg.label(x, y, "played, weak to strong", 10, FAINT, anchor=1) + "".join(columns)


def status(v: Variant, s: Any, x: float, y: float) -> str:
    """Draw the line that says what happens, or who won."""
    if s.turn == OVER:
        text = result(v, s)
        return svg.tag(x - svg.tag_width(text, 13) / 2, y, text, svg.GOLD, svg.INK, size=13)
    mover = f"player_{int(s.turn)}"
    if s.phase != PLAY:
        left = int(s.gives)
        text = f"{mover} gives {left} {'card' if left == 1 else 'cards'} back"
    else:
        text = f"{mover} leads" if s.laid == 0 else f"{mover} answers player_{int(s.owner)}"
    return svg.label(x, y + 5, text, 11, TEXT, anchor=0.5)


def result(v: Variant, s: Any) -> str:
    """Say who came out best."""
    payoff = [float(p) for p in s.payoff[: v.players]]
    best = [f"player_{k}" for k in range(v.players) if payoff[k] == max(payoff)]
    return f"{best[0]} wins" if len(best) == 1 else f"{' and '.join(best)} share the win"
