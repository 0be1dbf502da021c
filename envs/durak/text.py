"""Positions and actions as text: a status line, a line a seat, then the table, the stock and the discard pile.

    trump S, player_0 began, player_0 attacks player_1, player_1 to move, round 4, limit 5, ply 23
    player_0: 6C 9H*
    player_1: 7D TS
    table: 8C/JC 8D
    stock: QH AS
    discard: 6D 7C

A star marks a card that everybody knows to be in its hand; the stock lies in drawing order, the next card first.
"""

import re
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kozyr.envs.core.cards import SUITS as SUIT_LETTERS
from kozyr.envs.core.cards import name, names, number, numbers
from kozyr.envs.core.quote import quote
from kozyr.envs.core.state import OVER
from kozyr.envs.core.text_lines import contents, seat_number
from kozyr.envs.durak import GAME
from kozyr.envs.durak.actions import Actions
from kozyr.envs.durak.cards import SUITS, ranks_of
from kozyr.envs.durak.invariants import shown_agrees, turn_fits
from kozyr.envs.durak.rules import DISCARD, HAND, NO_CARD, STATE, STOCK, TABLE, Variant, most_attacks
from kozyr.envs.durak.short_text import short_actions, short_rules, write_short
from kozyr.envs.durak.view_text import KNOWN, read_view, write_view

__all__ = ["parse", "read", "read_view", "say", "short_actions", "short_rules", "write", "write_short", "write_view"]

_SHAPE = "trump S, player_0 began, player_0 attacks player_1, player_0 to move, round 1, limit 6"
_STATUS = re.compile(
    r"trump (?P<trump>[CSHD]), player_(?P<starter>[0-9]) began, "
    r"player_(?P<attacker>[0-9]) attacks player_(?P<defender>[0-9]), "
    r"(?:player_(?P<turn>[0-9]) to move|player_(?P<fool>[0-9]) is the fool|(?P<end>draw|truncated)), "
    r"round (?P<rounds>[0-9]{1,9}), limit (?P<limit>[0-6])"
    r"(?:, passes (?P<passes>[0-6]))?(?:, (?P<taking>taking))?(?:, (?P<shown>trump shown))?"
    r"(?:, ply (?P<ply>[0-9]{1,9}))?"
)


say, parse = Actions.say, Actions.parse


def write(v: Variant, s: Any, seat: int | None = None) -> str:
    """Return the whole position, hidden cards too, or what `seat` knows of it: see `view_text`."""
    if seat is not None:
        return write_view(v, GAME.view(v, s, seat), seat)
    ranks = v.deck // SUITS
    table = [name(c, ranks) for c in s.attack[: s.laid]]
    for i in range(s.beaten):
        table[i] += "/" + name(s.defence[i], ranks)
    return "\n".join(
        [
            _status(v, s),
            *(f"player_{k}: {_hand(v, s, k)}" for k in range(v.players)),
            "table: " + (" ".join(table) or "-"),
            "stock: " + names(s.stock[s.drawn : v.deck], ranks),
            "discard: " + names(_cards(v, s.cards[DISCARD]), ranks),
        ]
    )


def _status(v: Variant, s: Any) -> str:
    """Return the line of what the cards do not show, without passes, taking and a shown trump where there are none."""
    if s.turn != OVER:
        state = f"player_{s.turn} to move"
    elif s.truncated:
        state = "truncated"
    else:
        state = f"player_{np.argmin(s.payoff)} is the fool" if s.payoff.any() else "draw"
    return (
        f"trump {SUIT_LETTERS[s.trump]}, player_{s.starter} began, "
        f"player_{s.attacker} attacks player_{s.defender}, {state}, round {s.rounds}, limit {s.limit}"
        f"{f', passes {s.passes}' if s.passes else ''}{', taking' if s.taking else ''}"
        f"{', trump shown' if s.trump_shown else ''}, ply {s.ply}"
    )


def _hand(v: Variant, s: Any, seat: int) -> str:
    """Return the cards of a seat, the publicly known ones marked."""
    if s.out[seat]:
        return "out"
    cards = _cards(v, s.cards[seat])
    return " ".join(name(c, v.deck // SUITS) + KNOWN * (int(s.known) >> c & 1) for c in cards) or "-"


def _cards(v: Variant, word: Any) -> list[int]:
    """Return the cards of a word."""
    return [c for c in range(v.deck) if int(word) >> c & 1]


def read(v: Variant, text: str) -> NDArray[Any]:
    """Return a position as an array of one state; the inverse of `write` but for `rng` and the cards drawn so far.

    "passes", "taking", "trump shown" and "ply" may be left out.

    Raises:
        ValueError: if the text is no position of this variant.
    """
    labels = [*(f"player_{k}" for k in range(v.players)), "table", "stock", "discard"]
    status, (*hands, table, stock, discard) = contents(text, labels)
    match = _STATUS.fullmatch(status)
    if not match:
        raise ValueError(f"not a status line: {quote(status)}; write it as {_SHAPE!r}")
    states = np.zeros(1, STATE)
    s: Any = states[0]
    for seat, hand in enumerate(hands):
        _read_hand(v, s, seat, hand)
    _read_table(v, s, table)
    _put(v, s, numbers(discard, v.deck // SUITS), DISCARD)
    _read_stock(v, s, stock)
    s.fits = ranks_of(v.deck, s.cards[TABLE])
    _read_status(v, s, match.groupdict())
    _verify_status(v, s)
    return states


def _put(v: Variant, s: Any, cards: list[int], place: int) -> None:
    """Put cards into one place, each for the first time."""
    for c in cards:
        if (s.cards >> c & 1).any():
            raise ValueError(f"{name(c, v.deck // SUITS)} lies in two places")
        s.cards[place] |= 1 << c


def _read_hand(v: Variant, s: Any, seat: int, content: str) -> None:
    """Fill a hand, or mark its seat as out."""
    if content == "out":
        s.out[seat] = 1
        return
    for word in [] if content == "-" else content.split():
        card = number(word.removesuffix(KNOWN), v.deck // SUITS)
        _put(v, s, [card], seat)
        s.known |= int(word.endswith(KNOWN)) << card
        s.count[seat] += 1


def _read_table(v: Variant, s: Any, content: str) -> None:
    """Lay the table: first the beaten pairs, then the open cards."""
    s.attack[:], s.defence[:] = NO_CARD, NO_CARD
    for word in [] if content == "-" else content.split():
        cards = [number(part, v.deck // SUITS) for part in word.split("/")]
        if len(cards) > 2 or s.laid == HAND or (len(cards) == 2 and s.beaten < s.laid):
            raise ValueError(
                f"table: {quote(content)} is wrong at {quote(word)}: up to {HAND} cards, the beaten ones first, as "
                "6C/7C 9D"
            )
        _put(v, s, cards, TABLE)
        s.attack[s.laid] = cards[0]
        s.laid += 1
        if len(cards) == 2:
            s.defence[s.beaten] = cards[1]
            s.beaten += 1


def _read_stock(v: Variant, s: Any, content: str) -> None:
    """Stack the stock on top of the cards drawn before, whose order is gone, and see that no card is missing."""
    ranks = v.deck // SUITS
    cards = numbers(content, ranks)
    _put(v, s, cards, STOCK)
    missing = _cards(v, ~np.bitwise_or.reduce(s.cards))
    if missing:
        raise ValueError(f"missing from the position: {names(missing, ranks)}")
    s.drawn = v.deck - len(cards)
    s.stock[: v.deck] = _cards(v, ~s.cards[STOCK]) + cards
    if cards and s.out.any():
        raise ValueError(f"player_{np.argmax(s.out)} cannot be out while cards are in the stock")


def _read_status(v: Variant, s: Any, fields: dict[str, str | None]) -> None:
    """Fill in the trump, the seats' parts, the counters and the result."""
    for key in ("starter", "attacker", "defender", "turn", "fool"):
        seat_number(fields[key], v.players)
    s.trump = SUIT_LETTERS.index(fields["trump"] or "")
    for key in ("starter", "attacker", "defender", "rounds", "limit", "passes", "ply"):
        s[key] = int(fields[key] or 0)
    s.taking, s.trump_shown = fields["taking"] is not None, fields["shown"] is not None
    s.truncated = fields["end"] == "truncated"
    s.turn = OVER if fields["turn"] is None else int(fields["turn"])
    if fields["fool"] is not None:
        s.payoff[: v.players] = 1.0 / (v.players - 1)
        s.payoff[int(fields["fool"])] = -1.0


def _verify_status(v: Variant, s: Any) -> None:
    """Refuse a status that does not fit the cards."""
    ranks = v.deck // SUITS
    bottom = s.stock[v.deck - 1]
    if v.open_trump and s.drawn < v.deck and bottom // ranks != s.trump:
        raise ValueError(
            f"the open card {name(bottom, ranks)} under the stock is not of the trump suit {SUIT_LETTERS[s.trump]}"
        )
    if s.attacker == s.defender:
        raise ValueError(f"player_{s.attacker} cannot attack player_{s.defender}")
    if s.laid > s.limit:
        raise ValueError(f"{s.laid} attack cards lie on the table, but the limit is {s.limit}")
    if not v.show_trump and s.trump_shown:
        raise ValueError("no trump can be shown in this variant (show_trump=False)")
    if not shown_agrees(v, s):
        raise ValueError(
            "a trump was shown: the trump of the attack's rank must be marked in a hand, or lie on the table"
        )
    if s.turn == OVER:
        _verify_end(v, s)
    else:
        _verify_turn(v, s)


def _verify_end(v: Variant, s: Any) -> None:
    """Refuse an end at which cards would lie on the table, or other seats hold cards than the result tells."""
    if s.laid:
        raise ValueError("the game is over, so no cards can lie on the table")
    holders = [seat for seat in range(v.players) if s.count[seat]]
    left = [int(np.argmin(s.payoff))] if s.payoff.any() else []
    if not s.truncated and holders != left:
        who = f"player_{left[0]} alone" if left else "nobody"
        raise ValueError(f"the game is over, so {who} can hold cards, but {_listed(holders)} hold some")


def _listed(seats: list[int]) -> str:
    return ", ".join(f"player_{seat}" for seat in seats) or "no seats"


def _verify_turn(v: Variant, s: Any) -> None:
    """Refuse a seat to move, a limit or passes that the cards do not allow."""
    defends = s.beaten < s.laid and not s.taking
    if s.count[s.turn] == 0:
        raise ValueError(f"player_{s.turn} has no cards and cannot be to move")
    most = min(most_attacks(v, s), s.count[s.defender] + s.beaten)
    if not 1 <= s.limit <= most:
        raise ValueError(f"limit {s.limit}: player_{s.defender} can answer {most} attack cards in this round")
    if (s.turn == s.defender) != defends or (s.laid == 0 and s.turn != s.attacker):
        due = f"player_{s.defender}" if defends else f"player_{s.attacker}" if s.laid == 0 else "an attacker"
        raise ValueError(f"player_{s.turn} cannot be to move: it is the turn of {due}")
    if not turn_fits(v, s):
        raise ValueError("nobody could move so: see that those at the table are in the game and may still add cards")
