"""Draw a poker table: everything, or what one seat knows of it."""

from typing import Any

from kozyr.envs.core import svg
from kozyr.envs.core.cards import RANKS, SUITS
from kozyr.envs.core.state import OVER
from kozyr.envs.draw_poker.deck import hand_size
from kozyr.envs.draw_poker.evaluate import NAMES, category
from kozyr.envs.draw_poker.rules import EXCHANGE, TOURNAMENT, Variant

FELT, TEXT, FAINT, DARK = "#1d5646", "#f4f1e6", "#a9c9bb", "#5d7a70"
LOST, PLUM = "#c9472f", "#7b4a8c"

MARGIN, GAP = 18.0, 14.0
HEAD, FOOT = 40.0, 48.0  # a panel's lines above and below its cards
PANEL = HEAD + svg.CARD_HEIGHT + FOOT
MIDDLE = 150.0  # height of the table between the panels
PITCH = 65.0  # from card to card
SMALL = 0.36  # a discarded card beside one in hand
BACK = -1  # a card that is not seen
PHASES = ("first bets", "exchange", "second bets")

# Seats of the upper and the lower row from left to right, counted clockwise from the watching seat.
ROWS = {2: ((1,), (0,)), 3: ((1, 2), (0,)), 4: ((1, 2, 3), (0,)), 5: ((2, 3, 4), (1, 0))}


def draw(v: Variant, s: Any, seat: int | None = None) -> svg.Picture:
    """Draw the table with all hands, or with the cards that `seat` knows.

    Args:
        v: The variant.
        s: The state, one record.
        seat: Whose knowledge to draw and who sits below; None shows every hand and puts seat 0 below.

    Returns:
        An SVG document, shown as a drawing by notebooks.
    """
    wide = 840.0 if v.players < 4 else 1200.0
    high = 2 * (MARGIN + PANEL) + MIDDLE
    upper, lower = ROWS[v.players]
    parts = [
        svg.box(0, 0, wide, high, fill=FELT),
        row(v, s, seat, upper, MARGIN, wide),
        svg.group(middle(v, s, wide), y=MARGIN + PANEL),
        row(v, s, seat, lower, MARGIN + PANEL + MIDDLE, wide),
    ]
    title = "Draw poker" if seat is None else f"Draw poker as player_{seat} knows it"
    return svg.picture(wide, high, *parts, title=title)


def row(v: Variant, s: Any, seat: int | None, offsets: tuple[int, ...], y: float, wide: float) -> str:
    """Draw panels side by side, in the middle if they do not fill the row."""
    width = min((wide - 2 * MARGIN - GAP * (len(offsets) - 1)) / len(offsets), 400.0)
    left = (wide - len(offsets) * (width + GAP) + GAP) / 2
    return "".join(
        svg.group(person(v, s, seat, ((seat or 0) + offset) % v.players, width), x=left + i * (width + GAP), y=y)
        for i, offset in enumerate(offsets)
    )


def person(v: Variant, s: Any, seat: int | None, who: int, width: float) -> str:
    """Draw one seat: its name and marks, its cards, its chips and bets."""
    edge: dict[str, str | float] = {"stroke": svg.GOLD, "stroke_width": 2.5} if s.turn == who else {}
    away = bool(s.folded[who]) or bool(s.out[who])
    below = "" if s.began[who] == 0 else bets(s, who, 92) + exchange(s, seat, who, width - 14)
    return "".join(
        (
            svg.box(0, 0, width, PANEL, rx=12, fill="#000000", fill_opacity=0.2, **edge),
            svg.label(14, 25, f"player_{who}", 12, FAINT if away else TEXT, weight=1.7),
            marks(v, s, who, 14 + svg.span(f"player_{who}", 12) + 12, 19),
            called(v, s, seat, who, width - 14),
            svg.element("g", hand(v, s, seat, who, width), opacity=0.4 if s.folded[who] else None),
            stack(14, PANEL - 33, int(s.chips[who])),
            below,
        )
    )


def marks(v: Variant, s: Any, who: int, x: float, y: float) -> str:
    """Draw the tags that say what a seat is doing, or what it got."""
    over, payoff = s.turn == OVER, float(s.payoff[who])
    inside = not s.folded[who] and not s.out[who]
    tags = [
        (s.button == who, "BUTTON", "#ffffff", svg.INK),
        (bool(s.out[who]), "OUT", DARK, TEXT),
        (bool(s.folded[who]) and not s.out[who], "FOLDED", DARK, TEXT),
        (inside and not over and s.chips[who] == 0, "ALL IN", LOST, "#ffffff"),
        (s.turn == who, "TO MOVE", svg.GOLD, svg.INK),
        (over, number(payoff), DARK if payoff == 0 else svg.GREEN if payoff > 0 else LOST, "#ffffff"),
    ]
    drawn: list[str] = []
    for holds, text, fill, color in tags:
        if holds:
            drawn.append(svg.tag(x, y, text, fill, color))
            x += svg.tag_width(text) + 6
    return "".join(drawn)


def number(value: float) -> str:
    """Write a number with its sign, nothing as 0."""
    return "0" if value == 0 else f"{value:+.3g}"


def stays(s: Any, who: int) -> bool:
    """Tell whether a seat was dealt the last hand and has not folded it."""
    return bool(s.began[who] > 0 and not s.folded[who])


def compared(v: Variant, s: Any) -> bool:
    """Tell whether the last hand of an episode has come to a showdown."""
    return s.turn == OVER and sum(stays(s, k) for k in range(v.players)) > 1


def visible(v: Variant, s: Any, seat: int | None, who: int) -> bool:
    """Tell whether `seat` sees the hand of `who`: its own, and at the showdown those that were not folded."""
    return seat in (None, who) or (stays(s, who) and compared(v, s))


def hand(v: Variant, s: Any, seat: int | None, who: int, width: float) -> str:
    """Draw a hand, face up or down; none for a seat that was out before the deal."""
    if s.began[who] == 0:
        return ""
    n = hand_size(v)
    cards = s.hand[who, :n] if visible(v, s, seat, who) else [BACK] * n
    left = (width - svg.CARD_WIDTH - PITCH * (n - 1)) / 2
    return "".join(face(int(c), left + PITCH * i, HEAD) for i, c in enumerate(cards))


def face(c: int, x: float, y: float) -> str:
    """Draw a card, or the back of one that is not seen."""
    return svg.back(x, y) if c == BACK else svg.card(RANKS[c % len(RANKS)], SUITS[c // len(RANKS)], x, y)


def called(v: Variant, s: Any, seat: int | None, who: int, x: float) -> str:
    """Name the combination in a hand that is seen, in a line that ends at x."""
    if s.began[who] == 0 or not visible(v, s, seat, who):
        return ""
    return svg.label(x, 24, NAMES[v.ranking][category(s.hand[who], v.ranking)], 10, FAINT, anchor=1)


def chip(x: float, y: float, size: float, fill: str = LOST) -> str:
    """Draw a chip whose middle is (x, y)."""
    disc = svg.box(x - size / 2, y - size / 2, size, size, rx=size / 2, fill=fill, stroke="#ffffff", stroke_width=1.2)
    inner = size * 0.56
    dashes: dict[str, str | float] = {"stroke": "#ffffff", "stroke_width": size * 0.1, "stroke_dasharray": "3 2.2"}
    return disc + svg.box(
        x - inner / 2, y - inner / 2, inner, inner, rx=inner / 2, fill="none", stroke_opacity=0.8, **dashes
    )


def stack(x: float, y: float, chips: int) -> str:
    """Draw the chips that a seat still has before it."""
    return chip(x + 10, y + 10, 20, LOST if chips else DARK) + svg.label(x + 26, y + 16, str(chips), 12, TEXT)


def bets(s: Any, who: int, x: float) -> str:
    """Write what a seat has bet in each round, above what it has put in altogether; at the end, what it won."""
    if s.turn == OVER:
        change = int(s.change[who])
        words = f"won {change}" if change > 0 else f"lost {-change}" if change else "even"
        return svg.label(x, PANEL - 18, words, 10, TEXT)
    words = f"bet {s.bet[0, who]}" + (f" + {s.bet[1, who]}" if s.phase > EXCHANGE else "")
    first, second = PANEL - 27, PANEL - 11
    return svg.label(x, first, words, 9, TEXT) + svg.label(x, second, f"in the pot {s.paid[who]}", 9, FAINT)


def exchange(s: Any, seat: int | None, who: int, x: float) -> str:
    """Show how many cards a seat has exchanged, and which to who knows them, in a line that ends at x."""
    count = int(s.exchanged[who])
    if count < 0:
        return ""
    if count == 0:
        return svg.label(x, PANEL - 20, "stands pat", 10, FAINT, anchor=1)
    thrown = sorted(int(c) for c in s.discarded[who] if c != BACK) if seat in (None, who) else [BACK] * count
    step, small = 15.0, svg.CARD_WIDTH * SMALL
    left = x - small - step * (count - 1)
    cards = "".join(
        svg.group(face(c, 0, 0), x=left + step * i, y=PANEL - 40, scale=SMALL) for i, c in enumerate(thrown)
    )
    return svg.label(left - 8, PANEL - 20, f"exchanged {count}", 9, FAINT, anchor=1) + cards


def middle(v: Variant, s: Any, wide: float) -> str:
    """Draw what lies between the seats: how far the hand is, the pot, whose move it is; or how the episode ended."""
    if s.turn == OVER:
        text = result(v, s)
        return svg.tag((wide - svg.tag_width(text, 13)) / 2, MIDDLE / 2, text, svg.GOLD, svg.INK, size=13)
    return progress(s, wide / 2, 28) + pot(v, s, wide / 2, 74) + status(v, s, wide / 2, MIDDLE - 26)


def progress(s: Any, x: float, y: float) -> str:
    """Draw the phases side by side around x, the present one lit."""
    widths = [svg.tag_width(text, 9) for text in PHASES]
    left = x - (sum(widths) + 10 * (len(PHASES) - 1)) / 2
    drawn: list[str] = []
    for phase, (text, width) in enumerate(zip(PHASES, widths, strict=True)):
        lit = s.phase == phase
        drawn.append(svg.tag(left, y, text, svg.GOLD if lit else "#17473a", svg.INK if lit else FAINT, size=9))
        left += width + 10
    return "".join(drawn)


def pot(v: Variant, s: Any, x: float, y: float) -> str:
    """Draw the pot, and what the seat to move has to add to stay in, around x."""
    text = f"pot {sum(int(s.paid[k]) for k in range(v.players))}"
    if s.phase != EXCHANGE:
        bet = s.bet[int(s.phase > EXCHANGE)]
        text += f", {int(max(bet[: v.players]) - bet[s.turn])} to call"
    left = x - svg.span(text, 14) / 2
    chips = (chip(left - 38 + 9 * i, y - 3 * (i % 2), 22, fill) for i, fill in enumerate((svg.NAVY, LOST, PLUM)))
    return "".join(chips) + svg.label(left, y + 7, text, 14, TEXT, weight=1.7)


def status(v: Variant, s: Any, x: float, y: float) -> str:
    """Draw the line that says who raised and whose move it is."""
    before = f"hand {int(s.hands)}: " if v.episode == TOURNAMENT else ""
    raised = f"player_{int(s.raiser)} raised, " if s.raiser >= 0 and s.phase != EXCHANGE else ""
    act = "exchanges" if s.phase == EXCHANGE else "bets"
    return svg.label(x, y, f"{before}{raised}player_{int(s.turn)} {act}", 11, TEXT, anchor=0.5)


def result(v: Variant, s: Any) -> str:
    """Say how the episode ended."""
    if v.episode == TOURNAMENT:
        first = max(range(v.players), key=lambda k: float(s.payoff[k]))
        end = f"stopped after {int(s.hands)} hands: " if s.truncated else ""
        return f"{end}player_{first} {'leads' if s.truncated else 'wins the tournament'}"
    won = [f"player_{k} {int(s.change[k]):+d}" for k in range(v.players) if s.change[k] > 0]
    return ", ".join(won) or "everybody gets back what he bet"
