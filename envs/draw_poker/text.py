"""Positions and actions as text: a status line, then a line a seat.

    second bets, button player_3, player_0 began, player_1 raised, player_0 to move, hand 1, luck 77, ply 9
    player_0: 2C 2H 9D TS AC, discarded 7D KS, chips 94, paid 6, bets 5 0, to act
    player_1: 3C 4C 5C 6C 8C, discarded -, chips 90, paid 10, bets 5 4
    player_2: 4S 6D 8H QC AH, draws 2S 3H 7C JC KD, chips 99, paid 1, bets 0 0, folded
    player_3: -, draws -, chips 0, paid 0, bets 0 0, place 4

"draws" lists the cards that a seat would draw, the next one first, until it has exchanged; "place" marks seats that
have left the tournament, or all once it is over; "change" is what a seat won or lost in the hand before.
"""

import re
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kozyr.envs.core.cards import name, names, numbers
from kozyr.envs.core.labels import Phrase, phrase
from kozyr.envs.core.quote import quote
from kozyr.envs.core.state import OVER
from kozyr.envs.core.text_lines import contents, seat_number
from kozyr.envs.draw_poker import GAME
from kozyr.envs.draw_poker.actions import DISCARD, Actions, slots, split
from kozyr.envs.draw_poker.deck import CARDS, hand_size, own
from kozyr.envs.draw_poker.evaluate import NO_CARD, RANKS, sort
from kozyr.envs.draw_poker.rules import ENDED, EXCHANGE, NOBODY, NOT_YET, STATE, TOURNAMENT, Variant, pay_out
from kozyr.envs.draw_poker.short_text import short_actions, short_rules, write_short
from kozyr.envs.draw_poker.view_text import read_view, write_view

__all__ = [
    "parse",
    "read",
    "read_view",
    "say",
    "short_actions",
    "short_rules",
    "table_phrase",
    "write",
    "write_short",
    "write_view",
]

_PHASES = ("first bets", "exchange", "second bets", "over", "truncated")
_SHAPE = "first bets, button player_3, player_0 began, player_0 to move, hand 1, luck 77, ply 0"
_STATUS = re.compile(
    rf"(?P<phase>{'|'.join(_PHASES)}), button player_(?P<button>[0-9]), player_(?P<starter>[0-9]) began"
    r"(?:, player_(?P<raiser>[0-9]) raised)?(?: by at least (?P<full>[0-9]{1,3}))?"
    r"(?:, player_(?P<turn>[0-9]) to move)?"
    r"(?:, hand (?P<hands>[0-9]{1,5}))?(?:, luck (?P<luck>[0-9]{1,20}))?(?:, ply (?P<ply>[0-9]{1,9}))?"
)
_SEAT_SHAPE = "2C 2H 9D TS AC, draws 2S 3H 7C JC KD, chips 94, paid 6, bets 5 0, to act"
_CARDS = r"-|[2-9TJQKA][CSHD](?: [2-9TJQKA][CSHD])*"
_SEAT = re.compile(
    rf"(?P<hand>{_CARDS})(?:, draws (?P<draws>{_CARDS})|, discarded (?P<discarded>{_CARDS}))?"
    r", chips (?P<chips>[0-9]{1,5}), paid (?P<paid>[0-9]{1,5}), bets (?P<first>[0-9]{1,3}) (?P<second>[0-9]{1,3})"
    r"(?:, (?P<pending>to act))?(?:, (?P<folded>folded))?"
    r"(?:, place (?P<place>[1-5](?:\.5)?))?(?:, change (?P<change>[+-][0-9]{1,5}))?"
)


def say(v: Variant, s: Any, action: int, seat: int | None = None) -> str:
    """Return an action as text: "fold", "call", "raise 5", "discard 1 3" (cards counted from 1) or "discard none".

    The seat that discards also hears which cards, "discard 1 3 (7D KS)", the others how many: "discard 2 cards".
    """
    text = Actions.say(v, s, action)
    kind, subset = split(v, action)
    places = slots(v, subset)
    if kind != DISCARD or seat is None or not places:
        return text
    if seat != s.turn:
        return "discard 1 card" if len(places) == 1 else f"discard {len(places)} cards"
    return f"{text} ({_names(s.hand[seat, places])})"


parse = Actions.parse


def table_phrase(v: Variant, s: Any, action: int, seat: int | None, button: Phrase) -> Phrase:
    """Return an action as a table shows it: its button's words, or "exchange 7D KS" to those who may know the cards."""
    kind, subset = split(v, action)
    places = slots(v, subset)
    by_name = kind == DISCARD and places and seat in (None, s.turn)
    return phrase("exchange {0}", _names(s.hand[s.turn, places])) if by_name else button


def write(v: Variant, s: Any, seat: int | None = None) -> str:
    """Return the whole position, hidden cards and luck too, or what `seat` knows of it: see `view_text`."""
    if seat is not None:
        return write_view(v, GAME.view(v, s, seat), seat)
    phase = _PHASES[int(s.phase) + int(s.truncated)]
    raised = f", player_{s.raiser} raised" if s.raiser != NOBODY else ""
    raised += f" by at least {s.full_raise}" if s.full_raise else ""
    turn = f", player_{s.turn} to move" if s.turn != OVER else ""
    status = (
        f"{phase}, button player_{s.button}, player_{s.starter} began{raised}{turn}, "
        f"hand {s.hands}, luck {s.rng}, ply {s.ply}"
    )
    return "\n".join([status, *(f"player_{k}: {_seat(v, s, k)}" for k in range(v.players))])


def _seat(v: Variant, s: Any, k: int) -> str:
    """Return the words for a seat's cards and chips, without the marks that do not apply."""
    held, mine = _names(s.hand[k]), own(v)
    if s.exchanged[k] == NOT_YET:
        pile = "draws " + (_names(s.deck[mine * k + hand_size(v) : mine * (k + 1)]) if held != "-" else "-")
    else:
        pile = "discarded " + _names(s.discarded[k])
    return (
        f"{held}, {pile}, chips {s.chips[k]}, paid {s.paid[k]}, bets {s.bet[0, k]} {s.bet[1, k]}"
        f"{', to act' if s.pending[k] else ''}{', folded' if s.folded[k] else ''}"
        f"{f', place {s.place[k] / 2:g}' if s.place[k] else ''}{f', change {s.change[k]:+d}' if s.change[k] else ''}"
    )


def _names(cards: Any) -> str:
    """Return cards as text, without the places that are empty."""
    return names([int(c) for c in cards if c != NO_CARD], RANKS)


def read(v: Variant, text: str) -> NDArray[Any]:
    """Return a position as an array of one state; the inverse of `write` but for cards that nobody can get.

    "hand", "luck", "ply" and the cards to draw may be left out; then the free cards are drawn in their order.

    Raises:
        ValueError: if the text is no position of this variant.
    """
    status, seats = contents(text, [f"player_{k}" for k in range(v.players)])
    match = _STATUS.fullmatch(status)
    if not match:
        raise ValueError(f"not a status line: {quote(status)}; write it as {_SHAPE!r}")
    states = np.zeros(1, STATE)
    s: Any = states[0]
    s.hand[:], s.discarded[:], s.exchanged[:], s.deck[:] = NO_CARD, NO_CARD, NOT_YET, NO_CARD
    _read_status(v, s, match.groupdict())
    for k in range(v.players):
        _read_seat(v, s, k, seats[k])
    _fill_deck(v, s)
    _complete(v, s)
    _verify(v, s)
    return states


def _read_status(v: Variant, s: Any, fields: dict[str, str | None]) -> None:
    """Fill in the phase, the seats' parts and the counters."""
    for key in ("button", "starter", "raiser", "turn"):
        s[key] = -1 if fields[key] is None else seat_number(fields[key], v.players)
    phase = _PHASES.index(fields["phase"] or "")
    s.phase, s.truncated = min(phase, ENDED), phase > ENDED
    s.full_raise = int(fields["full"] or 0)
    s.hands, s.ply = int(fields["hands"] or 1), int(fields["ply"] or 0)
    if int(fields["luck"] or 0) >= 2**64:
        raise ValueError(f"luck {fields['luck']} is not allowed: luck is a whole number from 0 to 2**64 - 1")
    s.rng = np.uint64(int(fields["luck"] or 0))


def _read_seat(v: Variant, s: Any, k: int, content: str) -> None:
    """Fill in one seat; its cards go to its own part of the deck: the hand, the discards, what it would draw."""
    match = _SEAT.fullmatch(content)
    if not match:
        raise ValueError(f"player_{k}: {quote(content)} does not read as {_SEAT_SHAPE!r}")
    hand, draws, discarded = (numbers(match[key] or "-", RANKS) for key in ("hand", "draws", "discarded"))
    first, most = own(v) * k, own(v) - hand_size(v)
    if len(hand) not in (0, hand_size(v)) or len(draws) not in (0, most) or len(discarded) > most:
        raise ValueError(
            f"player_{k}: a hand has {hand_size(v)} cards or none; it draws from {most} and discards up to {most}"
        )
    for key in ("chips", "paid"):
        s[key][k] = int(match[key])
    s.bet[:, k] = int(match["first"]), int(match["second"])
    s.pending[k], s.folded[k] = match["pending"] is not None, match["folded"] is not None
    s.place[k], s.change[k] = round(2 * float(match["place"] or 0)), int(match["change"] or 0)
    for i, c in enumerate(hand):
        s.deck[first + i] = s.hand[k, i] = c
    for i, c in enumerate(draws or discarded):
        s.deck[first + hand_size(v) + i] = c
    if match["discarded"] is not None:
        s.discarded[k, : len(discarded)], s.exchanged[k] = discarded, len(discarded)
    if hand:
        sort(s.hand[k])


def _fill_deck(v: Variant, s: Any) -> None:
    """Put the cards that the text does not name into the gaps of the deck."""
    deck, cards = CARDS[v.deck, : v.deck].tolist(), [int(c) for c in s.deck if c != NO_CARD]
    for c in cards:
        if c not in deck:
            raise ValueError(f"{name(c, RANKS)} is not among the {v.deck} cards of the deck")
        if cards.count(c) > 1:
            raise ValueError(f"{name(c, RANKS)} lies in two places")
    free = [c for c in deck if c not in cards]
    s.deck[np.flatnonzero(s.deck == NO_CARD)[: len(free)]] = free


def _complete(v: Variant, s: Any) -> None:
    """Fill in what follows from the rest: highest bet, stacks before the hand, who is out, payoffs."""
    if s.phase not in (EXCHANGE, ENDED):
        s.highest = s.bet[s.phase >> 1].max()
    s.began[:] = s.chips + s.paid - (s.change if s.phase == ENDED else 0)
    s.out[:] = (s.place > 0) & (s.chips == 0)
    if s.phase == ENDED:
        pay_out(v, s)


def _verify(v: Variant, s: Any) -> None:
    """Raise ValueError if the parts of a position do not go together."""
    seats = range(v.players)
    total = int(s.chips.sum() + s.paid.sum())
    if total != v.players * v.stack:
        raise ValueError(
            f"{total} chips in all, but {v.players} players with stack={v.stack} have {v.players * v.stack}"
        )
    if s.bet.max() > v.max_bet:
        raise ValueError(f"a bet of {s.bet.max()} is higher than max_bet={v.max_bet}")
    if bool(s.full_raise) != bool(v.min_raise and s.highest) or s.full_raise > s.highest:
        raise ValueError("with min_raise, and only then, a bet is told with its last full raise, as 'by at least 3'")
    if not 1 <= s.hands <= (v.max_hands if v.episode == TOURNAMENT else 1):
        raise ValueError(f"hand {s.hands} cannot be: the episode has at most max_hands={v.max_hands}")
    for k in seats:
        _verify_seat(v, s, k)
    if (s.turn == OVER) != (s.phase == ENDED):
        raise ValueError("a position names the seat to move unless it is over, and only then not")
    if s.turn != OVER and not s.pending[s.turn]:
        raise ValueError(f"player_{s.turn} is to move but is not marked 'to act'")
    if s.phase != ENDED and not _covered(s, [k for k in seats if not s.folded[k] and not s.out[k]]):
        raise ValueError("at least two seats hold cards, and one of them has paid as much as anybody")


def _verify_seat(v: Variant, s: Any, k: int) -> None:
    """Raise ValueError if a seat has what it cannot have."""
    if s.place[k] and v.episode != TOURNAMENT:
        raise ValueError(f"player_{k} has a place, but this is no tournament")
    if (s.hand[k, 0] == NO_CARD) != bool(s.out[k]) and s.phase != ENDED:
        raise ValueError(f"player_{k}: a seat has {hand_size(v)} cards unless it has left the tournament")
    if s.pending[k] and (s.folded[k] or s.out[k] or (s.phase != EXCHANGE and s.chips[k] == 0)):
        raise ValueError(f"player_{k} cannot act: it has folded, is all in or is out")
    if s.bet[:, k].sum() > s.paid[k]:
        raise ValueError(f"player_{k} has bet {s.bet[:, k].sum()} but paid {s.paid[k]}")


def _covered(s: Any, left: list[int]) -> bool:
    """Return True if some of the seats that are left have paid the most."""
    return len(left) > 1 and max(s.paid[k] for k in left) == s.paid.max()
