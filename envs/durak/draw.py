"""Draw a Durak table: everything, or what one seat knows of it."""

from typing import Any

from kozyr.envs.core import svg
from kozyr.envs.core.cards import RANKS, SUITS
from kozyr.envs.core.state import OVER
from kozyr.envs.durak.rules import DISCARD, NO_CARD, Variant

FELT, TEXT, FAINT = "#1d5646", "#f4f1e6", "#a9c9bb"
ATTACKER, DEFENDER, GONE = "#c9472f", "#2f6fc4", "#5d7a70"

MARGIN, GAP = 18.0, 14.0
HEAD = 38.0  # a panel's line of text above its cards
ROW = 41.0  # from one row of a hand to the next
MIDDLE = 198.0  # height of the table between the hands
SPREAD = 43.0  # widest step from card to card; hides the lower corners
NARROW = 15.0  # narrowest step that leaves the corners readable
LIFT = (16.0, 20.0)  # a defence card lies this far right of and below its attack card

# Seats of the upper and the lower row from left to right, counted clockwise from the watching seat.
ROWS = {
    2: ((1,), (0,)),
    3: ((1, 2), (0,)),
    4: ((1, 2, 3), (0,)),
    5: ((2, 3, 4), (1, 0)),
    6: ((2, 3, 4), (1, 0, 5)),
}
BY_COLOUR = "CHSD"  # black and red in turn, so that neighbours in a hand differ


def draw(v: Variant, s: Any, seat: int | None = None) -> svg.Picture:
    """Draw the table with all hands, or with the cards that `seat` knows.

    Args:
        v: The variant.
        s: The state, one record.
        seat: Whose knowledge to draw and who sits below; None shows every hand and puts seat 0 below.

    Returns:
        An SVG document, shown as a drawing by notebooks.
    """
    wide = 900.0 if v.players == 2 else 1200.0
    panel = HEAD + svg.CARD_HEIGHT + 12 + (ROW if v.players > 2 else 0)
    below = MARGIN + panel + MIDDLE
    upper, lower = ROWS[v.players]
    parts = [
        svg.box(0, 0, wide, below + panel + MARGIN, fill=FELT),
        row(v, s, seat, upper, MARGIN, wide, panel),
        svg.group(middle(v, s, wide), y=MARGIN + panel),
        row(v, s, seat, lower, below, wide, panel),
    ]
    title = "Durak" if seat is None else f"Durak as player_{seat} knows it"
    return svg.picture(wide, below + panel + MARGIN, *parts, title=title)


def row(v: Variant, s: Any, seat: int | None, offsets: tuple[int, ...], y: float, wide: float, panel: float) -> str:
    """Draw panels of equal width side by side."""
    width = (wide - 2 * MARGIN - GAP * (len(offsets) - 1)) / len(offsets)
    return "".join(
        svg.group(
            person(v, s, seat, ((seat or 0) + offset) % v.players, width, panel),
            x=MARGIN + i * (width + GAP),
            y=y,
        )
        for i, offset in enumerate(offsets)
    )


def person(v: Variant, s: Any, seat: int | None, who: int, width: float, height: float) -> str:
    """Draw one seat: its name and marks in a line, its cards below."""
    moves = s.turn == who
    edge: dict[str, str | float] = {"stroke": svg.GOLD, "stroke_width": 2.5} if moves else {}
    count = int(s.count[who])
    number = f"{count} card" if count == 1 else f"{count} cards"
    return "".join(
        (
            svg.box(0, 0, width, height, rx=12, fill="#000000", fill_opacity=0.2, **edge),
            svg.label(14, 25, f"player_{who}", 12, TEXT, weight=1.7),
            marks(s, who, 14 + svg.span(f"player_{who}", 12) + 12, 19),
            svg.label(width - 14, 24, number, 10, FAINT, anchor=1),
            hand(v, s, seat, who, width, height),
        )
    )


def marks(s: Any, who: int, x: float, y: float) -> str:
    """Draw the tags that say what a seat is doing, or what it got."""
    if s.turn == OVER:
        payoff = float(s.payoff[who])
        fill = GONE if payoff == 0 else svg.GREEN if payoff > 0 else ATTACKER
        return svg.tag(x, y, "0" if payoff == 0 else f"{payoff:+.3g}", fill)
    tags = [
        (bool(s.out[who]), "OUT", GONE, TEXT),
        (s.attacker == who, "ATTACKER", ATTACKER, "#ffffff"),
        (s.defender == who, "TAKES" if s.taking else "DEFENDER", DEFENDER, "#ffffff"),
        (s.turn == who, "TO MOVE", svg.GOLD, svg.INK),
    ]
    drawn: list[str] = []
    for holds, text, fill, color in tags:
        if holds:
            drawn.append(svg.tag(x, y, text, fill, color))
            x += svg.tag_width(text) + 6
    return "".join(drawn)


def hand(v: Variant, s: Any, seat: int | None, who: int, width: float, height: float) -> str:
    """Draw a hand, overlapped as far as it must be, in two rows where one is too narrow."""
    cards = visible(v, s, seat, who)
    if not cards:
        return ""
    room = width - 28 - svg.CARD_WIDTH
    fits = height > HEAD + svg.CARD_HEIGHT + ROW
    rows = 2 if fits and len(cards) > room / NARROW + 1 else 1
    each = -(-len(cards) // rows)
    step = min(SPREAD, room / max(each - 1, 1))
    top = HEAD + (height - HEAD - 12 - svg.CARD_HEIGHT - ROW * (rows - 1)) / 2
    left = (width - svg.CARD_WIDTH - step * (each - 1)) / 2
    return "".join(face(v, s, c, left + step * (i % each), top + ROW * (i // each)) for i, c in enumerate(cards))


def visible(v: Variant, s: Any, seat: int | None, who: int) -> list[int]:
    """Tell the cards of a hand as `seat` sees them: backs as NO_CARD, then faces by suit with trumps last."""
    held = [c for c in range(v.deck) if s.place[c] == who]
    if seat not in (None, who):
        held = [c for c in held if s.known[c]]
    ranks = v.deck // len(SUITS)
    first = BY_COLOUR.index(SUITS[s.trump]) + 1

    def order(c: int) -> tuple[int, int]:
        return (BY_COLOUR.index(SUITS[c // ranks]) - first) % len(SUITS), c

    return [NO_CARD] * (int(s.count[who]) - len(held)) + sorted(held, key=order)


def face(v: Variant, s: Any, c: int, x: float = 0, y: float = 0, highlight: bool = False) -> str:
    """Draw a card, with its tab if everybody knows whose it is; NO_CARD is a back."""
    if c == NO_CARD:
        return svg.back(x, y)
    ranks = v.deck // len(SUITS)
    return svg.card(RANKS[c % ranks - ranks], SUITS[c // ranks], x, y, highlight, bool(s.known[c]))


def middle(v: Variant, s: Any, wide: float) -> str:
    """Draw what lies between the hands: stock, open cards, discard pile and a line that says what happens."""
    pitch = svg.CARD_WIDTH + LIFT[0] + 14
    slots = max(int(s.limit), int(s.laid)) if s.turn != OVER else int(s.laid)
    left = 170 + (wide - 290 - pitch * slots + 14) / 2
    return "".join(
        (
            stock(v, s, MARGIN + 14, 24),
            *(pair(v, s, i, left + i * pitch, 24) for i in range(slots)),
            discard(v, s, wide - MARGIN - 14 - svg.CARD_WIDTH, 24),
            legend(v, s, wide - MARGIN - 14, 24 + svg.CARD_HEIGHT + 49),
            status(v, s, wide / 2, MIDDLE - 28),
        )
    )


def stock(v: Variant, s: Any, x: float, y: float) -> str:
    """Draw the stock on the open trump, how many cards are left, and the trump suit."""
    left = v.deck - int(s.drawn)
    shown = v.open_trump and left > 0
    bottom = svg.group(face(v, s, int(s.stock[v.deck - 1])), x=x + 108, y=y + 12, turn=90) if shown else ""
    pile = [svg.back(x + 1.5 * i, y - 1.5 * i) for i in range(min(left - shown, 3))]
    empty = svg.slot(x, y) if not pile else ""
    under = y + svg.CARD_HEIGHT + 22
    plate = svg.box(x, under + 10, 24, 24, rx=6, fill=svg.PAPER)
    return "".join(
        (
            empty,
            bottom,
            *pile,
            svg.label(x, under, f"stock {left}", 10, TEXT),
            plate,
            svg.suit(SUITS[s.trump], x + 12, under + 22, 17),
            svg.label(x + 32, under + 27, "trump", 10, TEXT),
        )
    )


def pair(v: Variant, s: Any, i: int, x: float, y: float) -> str:
    """Draw an attack card with the card that beats it, or the place where one may still be laid."""
    if i >= s.laid:
        return svg.slot(x, y)
    beaten = s.defence[i] != NO_CARD
    attack = face(v, s, int(s.attack[i]), x, y, highlight=not beaten)
    return attack + (face(v, s, int(s.defence[i]), x + LIFT[0], y + LIFT[1]) if beaten else "")


def discard(v: Variant, s: Any, x: float, y: float) -> str:
    """Draw the discard pile and how many cards it holds."""
    count = sum(int(s.place[c] == DISCARD) for c in range(v.deck))
    turns = (-7, 5, 0)[3 - min(count, 3) :]
    centre = {"x": x + svg.CARD_WIDTH / 2, "y": y + svg.CARD_HEIGHT / 2}
    cards = [svg.group(svg.back(-svg.CARD_WIDTH / 2, -svg.CARD_HEIGHT / 2), turn=turn, **centre) for turn in turns]
    under = svg.label(x + svg.CARD_WIDTH, y + svg.CARD_HEIGHT + 22, f"discarded {count}", 10, TEXT, anchor=1)
    return "".join(cards or [svg.slot(x, y)]) + under


def legend(v: Variant, s: Any, x: float, y: float) -> str:
    """Explain the tabs on cards, if there are any, in a line that ends at x."""
    text = "known to all"
    if not any(s.known[c] for c in range(v.deck)):
        return ""
    tab = svg.box(x - svg.span(text, 10) - 20, y - 8, 13, 6, rx=2.5, fill=svg.GOLD)
    return tab + svg.label(x, y, text, 10, TEXT, anchor=1)


def status(v: Variant, s: Any, x: float, y: float) -> str:
    """Draw the line that says who attacks whom, or how the game ended."""
    if s.turn == OVER:
        text = result(v, s)
        return svg.tag(x - svg.tag_width(text, 13) / 2, y, text, svg.GOLD, svg.INK, size=13)
    verb = "takes from" if s.taking else "attacks"
    first, second = (s.defender, s.attacker) if s.taking else (s.attacker, s.defender)
    text = f"round {int(s.rounds)}: player_{int(first)} {verb} player_{int(second)}"
    return svg.label(x, y + 5, text, 11, TEXT, anchor=0.5)


def result(v: Variant, s: Any) -> str:
    """Say how the game ended."""
    payoff = [float(p) for p in s.payoff[: v.players]]
    if s.truncated:
        return f"stopped after {int(s.rounds)} rounds"
    if not any(payoff):
        return "draw"
    if v.players == 2:
        return f"player_{payoff.index(max(payoff))} wins"
    return f"player_{payoff.index(min(payoff))} is the fool"
