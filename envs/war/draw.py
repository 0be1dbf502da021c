"""Draw a War table: both decks in their order, the cards of the turn, and what everybody knows of them."""

from itertools import groupby
from typing import Any, NamedTuple

from kozyr.envs.core import svg
from kozyr.envs.core.cards import RANKS, SUITS
from kozyr.envs.core.state import OVER
from kozyr.envs.war.rules import NO_CARD, PICKING, WAR, WRAP, Variant

FELT, TEXT, FAINT = "#1d5646", "#f4f1e6", "#a9c9bb"
LOST, GONE = "#c9472f", "#5d7a70"

SURE = -1  # no such neighbours
WIDE, MARGIN = 900.0, 18.0
HEAD = 38.0  # a panel's line of text above its deck
PANEL = HEAD + svg.CARD_HEIGHT + 20
SPREAD = 43.0  # widest step from card to card of a deck
MIDDLE = 2 * svg.CARD_HEIGHT + 98  # height of the table between the decks
CLOSE = 20.0  # step between cards of a war laid face down
APART = 12.0  # gap after an upturned card


class Place(NamedTuple):
    """Say what to draw where a card lies."""

    card: int  # NO_CARD is a back
    known: bool  # everybody knows that the card lies here
    block: int  # name of the neighbours with whom it may have changed places for all that anybody knows, or SURE


def draw(v: Variant, s: Any, seat: int | None = None) -> svg.Picture:
    """Draw the table with all cards, or with those whose place `seat` knows, as the other seat does.

    Args:
        v: The variant.
        s: The state, one record.
        seat: Whose knowledge to draw and who sits below; None shows every card and puts seat 0 below.

    Returns:
        An SVG document, shown as a drawing by notebooks.
    """
    below = seat or 0
    under = MARGIN + PANEL + MIDDLE
    tall = under + PANEL + MARGIN
    parts = [
        svg.box(0, 0, WIDE, tall, fill=FELT),
        svg.group(person(v, s, seat, 1 - below), x=MARGIN, y=MARGIN),
        svg.group(middle(v, s, seat), y=MARGIN + PANEL),
        svg.group(person(v, s, seat, below), x=MARGIN, y=under),
    ]
    title = "War" if seat is None else f"War as player_{seat} knows it"
    return svg.picture(WIDE, tall, *parts, title=title)


def person(v: Variant, s: Any, seat: int | None, who: int) -> str:
    """Draw one seat: its name and marks in a line, its deck below."""
    width = WIDE - 2 * MARGIN
    edge: dict[str, str | float] = {"stroke": svg.GOLD, "stroke_width": 2.5} if s.turn == who else {}
    count = int(s.end[who] - s.top[who])
    number = f"deck {count}, its top card on the right" if count > 1 else f"deck {count}"
    return "".join(
        (
            svg.box(0, 0, width, PANEL, rx=12, fill="#000000", fill_opacity=0.2, **edge),
            svg.label(14, 25, f"player_{who}", 12, TEXT, weight=1.7),
            marks(s, who, 14 + svg.span(f"player_{who}", 12) + 12, 19),
            svg.label(width - 14, 24, number, 10, FAINT, anchor=1),
            deck(v, s, seat, who, width),
        )
    )


def marks(s: Any, who: int, x: float, y: float) -> str:
    """Draw the tags that say what a seat is doing, or what it got."""
    if s.turn == OVER:
        payoff = float(s.payoff[who])
        fill = GONE if payoff == 0 else svg.GREEN if payoff > 0 else LOST
        return svg.tag(x, y, "0" if payoff == 0 else f"{payoff:+.3g}", fill)
    tags = [
        (s.starter == who, "STARTER", GONE, TEXT),
        (s.turn == who, "CHOOSES" if s.phase == PICKING else "TO MOVE", svg.GOLD, svg.INK),
    ]
    drawn: list[str] = []
    for holds, text, fill, color in tags:
        if holds:
            drawn.append(svg.tag(x, y, text, fill, color))
            x += svg.tag_width(text) + 6
    return "".join(drawn)


def deck(v: Variant, s: Any, seat: int | None, who: int, width: float) -> str:
    """Draw a deck as a fan with its top card rightmost, a line under cards whose order is not known."""
    cards = places(v, s, seat, who)[int(s.top[who] - s.first[who]) :][::-1]
    if not cards:
        return svg.slot((width - svg.CARD_WIDTH) / 2, HEAD)
    step = min(SPREAD, (width - 28 - svg.CARD_WIDTH) / max(len(cards) - 1, 1))
    left = (width - svg.CARD_WIDTH - step * (len(cards) - 1)) / 2
    drawn = [face(v, place, left + step * i, HEAD) for i, place in enumerate(cards)]
    for block, members in groupby(range(len(cards)), key=lambda i: cards[i].block):
        if block != SURE:
            drawn.append(bar(list(members), left, step, len(cards)))
    return "".join(drawn)


def bar(members: list[int], left: float, step: float, count: int) -> str:
    """Draw the line under a block of neighbours in a fan of `count` cards."""
    x = left + step * members[0]
    end = left + step * members[-1] + (svg.CARD_WIDTH if members[-1] == count - 1 else step)
    return svg.box(x + 2, HEAD + svg.CARD_HEIGHT + 6, end - x - 4, 4, rx=2, fill=svg.GOLD)


def places(v: Variant, s: Any, seat: int | None, who: int) -> list[Place]:
    """Tell what to draw for the cards that a seat has laid in this turn and then for its deck from the top."""
    first, laid = int(s.first[who]), int(s.top[who] - s.first[who])
    line = [int(s.line[who, i & WRAP]) for i in range(first, int(s.end[who]))]
    owner, at = s.owner.tolist(), s.at.tolist()
    blocks = [[c for c in line if owner[c] == who and at[c] == at[card]] for card in line]
    found: list[Place] = []
    for i, (card, block) in enumerate(zip(line, blocks, strict=True)):
        seen, alone = owner[card] == who, len(block) == 1
        shown = card
        if seat is not None and not (seen and alone):
            whole = seen and block[0] not in line[:laid]  # of other blocks it is open what lies on the table
            shown = sorted(block)[block.index(card)] if whole else NO_CARD
        hidden = i >= laid or i % WAR != 0
        found.append(Place(shown, seen and alone and hidden, at[card] if seen and not alone else SURE))
    return found


def face(v: Variant, place: Place, x: float, y: float, highlight: bool = False) -> str:
    """Draw a card, with its tab if everybody knows it, or its back."""
    if place.card == NO_CARD:
        return svg.back(x, y)
    ranks = v.deck // len(SUITS)
    return svg.card(RANKS[place.card % ranks - ranks], SUITS[place.card // ranks], x, y, highlight, place.known)


def middle(v: Variant, s: Any, seat: int | None) -> str:
    """Draw what lies between the decks: a row of cards for each seat and a line that says what happens."""
    below = seat or 0
    return "".join(
        (
            row(v, s, seat, 1 - below, 18),
            row(v, s, seat, below, 30 + svg.CARD_HEIGHT),
            status(v, s, WIDE / 2, MIDDLE - 24),
            legend(v, s, WIDE - MARGIN - 14, MIDDLE - 30),
        )
    )


def row(v: Variant, s: Any, seat: int | None, who: int, y: float) -> str:
    """Draw the cards that a seat has laid in this turn, those face down close together and dark."""
    laid = int(s.top[who] - s.first[who])
    longest = max(int(s.top[k] - s.first[k]) for k in (0, 1))
    width = across(max(longest, 1) - 1) + svg.CARD_WIDTH
    scale = min(1.0, (WIDE - 2 * MARGIN) / width)
    cards = places(v, s, seat, who)[:laid]
    drawn = [lying(v, place, i, highlight=i == laid - 1) for i, place in enumerate(cards)]
    return svg.group(*(drawn or [svg.slot()]), x=(WIDE - width * scale) / 2, y=y, scale=scale)


def across(i: int) -> float:
    """Tell how far right of the first card of a row the card number i lies."""
    wars, rest = divmod(i + WAR - 1, WAR)
    return wars * (svg.CARD_WIDTH + APART + CLOSE * (WAR - 1)) - CLOSE * (WAR - 1 - rest)


def lying(v: Variant, place: Place, i: int, highlight: bool) -> str:
    """Draw the card number i of a row; one that lies face down is dark if its face is shown."""
    x = across(i)
    down = i % WAR != 0
    card = face(v, place, x, 0, highlight and not down)
    shade = svg.box(x, 0, svg.CARD_WIDTH, svg.CARD_HEIGHT, rx=6, fill=svg.NAVY, fill_opacity=0.45)
    return card + shade if down and place.card != NO_CARD else card


def legend(v: Variant, s: Any, x: float, y: float) -> str:
    """Explain the marks on cards, if there are any, in lines that end at x."""
    shown = [place for who in (0, 1) for place in places(v, s, None, who)]
    drawn = ""
    if any(place.known for place in shown):
        text = "known to all"
        drawn += svg.box(x - svg.span(text, 10) - 20, y - 8, 13, 6, rx=2.5, fill=svg.GOLD)
        drawn += svg.label(x, y, text, 10, TEXT, anchor=1)
        y += 18
    if any(place.block != SURE for place in shown):
        text = "their order is not known"
        drawn += svg.box(x - svg.span(text, 10) - 31, y - 6, 24, 4, rx=2, fill=svg.GOLD)
        drawn += svg.label(x, y, text, 10, TEXT, anchor=1)
    return drawn


def status(v: Variant, s: Any, x: float, y: float) -> str:
    """Draw the line that says which turn it is and what happens, or how the game ended."""
    if s.turn == OVER:
        text = result(v, s)
        return svg.tag(x - svg.tag_width(text, 13) / 2, y, text, svg.GOLD, svg.INK, size=13)
    laid = int(s.top[s.starter] - s.first[s.starter])
    begins = laid > 0 and s.turn == s.starter and s.phase != PICKING
    wars = (laid + WAR - 2) // WAR + begins
    text = f"turn {int(s.turns) + 1} of {v.max_turns}"
    text += f", war {wars}" * bool(wars)
    return svg.label(x, y + 5, text, 11, TEXT, anchor=0.5)


def result(v: Variant, s: Any) -> str:
    """Say how the game ended."""
    if s.truncated:
        return f"stopped after {int(s.turns)} turns"
    winner = 0 if s.payoff[0] > 0 else 1
    short = s.top[0] > s.first[0]  # the cards of a war that could not be fought stay on the table
    how = f", player_{1 - winner} is short of cards for a war" if short else ""
    return f"player_{winner} wins{how}"
