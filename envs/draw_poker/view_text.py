"""Text of a view: the seat's own line first, the others clockwise, then the hand and the pot.

    player_0 (you): 2C 2H 9D TS AC (pair), discarded KS 7D, chips 94, paid 6, bets 5 0, to act
    player_1: exchanged 0, chips 90, paid 10, bets 5 4
    player_2: chips 99, paid 1, bets 0 0, folded
    player_3: chips 0, paid 0, bets 0 0, out, place 4
    second bets, button player_3, player_1 raised, player_0 to move, hand 7 of 50
    pot 17, highest bet 4, 4 to match

Hands of the others are in no view, shown ones neither; "hand" stands in tournaments only.
"""

import re
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kozyr.envs.core import text_lines
from kozyr.envs.core.cards import names, numbers
from kozyr.envs.core.quote import quote
from kozyr.envs.draw_poker import GAME
from kozyr.envs.draw_poker.deck import hand_size
from kozyr.envs.draw_poker.evaluate import HAND, NAMES, RANK, RANKS, SUIT, SUITS
from kozyr.envs.draw_poker.rules import TOURNAMENT, Variant

_PHASES = ("first bets", "exchange", "second bets")
_SHAPE = "first bets, button player_3, player_0 to move"
_STATUS = re.compile(
    rf"(?P<phase>{'|'.join(_PHASES)}|over), button player_(?P<button>[0-9])(?:, player_(?P<raiser>[0-9]) raised)?"
    r"(?: by at least (?P<full_raise>[0-9]{1,3}))?(?:, player_(?P<turn>[0-9]) to move)?"
    r"(?:, hand (?P<hand>[0-9]{1,5}) of [0-9]{1,5})?"
)
_POT_SHAPE = "pot 17, highest bet 4, 4 to match"
_POT = re.compile(r"pot (?P<pot>[0-9]{1,5}), highest bet (?P<highest>[0-9]{1,3}), (?P<to_match>[0-9]{1,3}) to match")
_CARDS = r"[2-9TJQKA][CSHD](?: [2-9TJQKA][CSHD])*"
_OWN = re.compile(
    rf"(?:(?P<hand>{_CARDS}) \((?P<combination>[^)]+)\)|-)(?:, discarded (?P<gone>-|{_CARDS}))?, (?P<rest>.*)"
)
_OTHER = re.compile(r"(?:exchanged (?P<exchanged>[0-5]), )?(?P<rest>chips .*)")
_SEAT_SHAPE = "chips 99, paid 1, bets 0 0, to act"
_SEAT = re.compile(
    r"chips (?P<chips>[0-9]{1,5}), paid (?P<paid>[0-9]{1,5}), bets (?P<first>[0-9]{1,3}) (?P<second>[0-9]{1,3})"
    r"(?P<pending>, to act)?(?P<folded>, folded)?(?P<all_in>, all in)?(?P<out>, out)?"
    r"(?:, place (?P<place>[1-5](?:\.5)?))?"
)
_FLAGS = {"pending": "to act", "folded": "folded", "all_in": "all in", "out": "out"}


def write_view(v: Variant, view: NDArray[Any], seat: int) -> str:
    """Return a view of `seat` as text."""
    part = text_lines.parts_of(GAME, v, view)
    seats = [f"{_own(v, part) if j == 0 else _other(part, j)}{_chips(part, j)}" for j in range(v.players)]
    return text_lines.tell(seat, seats, [_status(v, part, seat), _pot(part)])


def _own(v: Variant, part: dict[str, NDArray[Any]]) -> str:
    """Return the seat's hand and what it has discarded."""
    suits = part["suits"].reshape(HAND, SUITS).argmax(1)
    held = [int(suits[i]) * RANKS + int(rank) - 1 for i, rank in enumerate(part["slots"]) if rank]
    called = f" ({NAMES[v.ranking][int(part['combination'].argmax())]})" if held else ""
    gone = names(np.flatnonzero(part["gone"]).tolist(), RANKS)
    return f"{names(held, RANKS)}{called}, {f'discarded {gone}, ' if part['exchanged'][0] else ''}"


def _other(part: dict[str, NDArray[Any]], j: int) -> str:
    """Return the words for another seat's cards, as far as they are known."""
    exchanged = int(part["exchanged"][j])
    return f"exchanged {exchanged - 1}, " if exchanged else ""


def _chips(part: dict[str, NDArray[Any]], j: int) -> str:
    """Return the words for a seat's chips, without the marks that do not apply."""
    marks = "".join(f", {words}" for key, words in _FLAGS.items() if part[key][j])
    place = f", place {part['place'][j] / 2:g}" if part["place"][j] else ""
    bets = f"bets {part['first'][j]} {part['second'][j]}"
    return f"chips {part['chips'][j]}, paid {part['paid'][j]}, {bets}{marks}{place}"


def _status(v: Variant, part: dict[str, NDArray[Any]], seat: int) -> str:
    """Return the line of the hand, its phase and the seat to move."""
    raiser, turn = text_lines.marked(part["raiser"], seat), text_lines.marked(part["turn"], seat)
    phase = _PHASES[int(part["phase"].argmax())] if part["phase"].any() else "over"
    hand = f", hand {v.max_hands - part['hands_left'][0]} of {v.max_hands}" if v.episode == TOURNAMENT else ""
    least = f" by at least {part['full_raise'][0]}" if v.min_raise and part["full_raise"][0] else ""
    return (
        f"{phase}, button {text_lines.marked(part['button'], seat)}{f', {raiser} raised' if raiser else ''}{least}"
        f"{f', {turn} to move' if turn else ''}{hand}"
    )


def _pot(part: dict[str, NDArray[Any]]) -> str:
    """Return the line of the pot and the price of staying in."""
    return f"pot {part['pot'][0]}, highest bet {part['highest'][0]}, {part['to_match'][0]} to match"


def read_view(v: Variant, text: str) -> NDArray[Any]:
    """Return the view that the text of a seat tells; the inverse of `write_view`.

    Raises:
        ValueError: if it is no text of a seat in this variant.
    """
    told = text_lines.read_told(text, v.players, below=2)
    view, part = text_lines.blank(GAME, v)
    _read_status(v, part, told)
    pot = _POT.fullmatch(told.rest[1])
    if not pot:
        raise ValueError(f"not a pot: {quote(told.rest[1])}; write it as {_POT_SHAPE!r}")
    for key, number in pot.groupdict().items():
        part[key][0] = int(number)
    _read_own(v, part, told.seats[0])
    for j in range(1, v.players):
        match = _OTHER.fullmatch(told.seats[j])
        if match and match["exchanged"]:
            part["exchanged"][j] = int(match["exchanged"]) + 1
        _read_chips(part, j, match["rest"] if match else told.seats[j])
    return text_lines.finished(GAME, v, view)


def _read_status(v: Variant, part: dict[str, NDArray[Any]], told: text_lines.Told) -> None:
    """Fill in the phase, the seats' parts and the hands to come."""
    match = _STATUS.fullmatch(told.rest[0])
    if not match or (match["hand"] is None) == (v.episode == TOURNAMENT):
        hand = f", hand 1 of {v.max_hands}" if v.episode == TOURNAMENT else ""
        raise ValueError(f"not a status line: {quote(told.rest[0])}; write it as {_SHAPE + hand!r}")
    for key in ("button", "raiser", "turn"):
        if match[key]:
            part[key][text_lines.clockwise(match[key], told)] = 1
    if match["phase"] in _PHASES:
        part["phase"][_PHASES.index(match["phase"])] = 1
    if match["full_raise"] and not v.min_raise:
        raise ValueError(f"the least raise is not told here: {told.rest[0]!r}; it goes with min_raise")
    if match["full_raise"]:
        part["full_raise"][0] = int(match["full_raise"])
    if match["hand"]:
        part["hands_left"][0] = v.max_hands - int(match["hand"])


def _read_own(v: Variant, part: dict[str, NDArray[Any]], content: str) -> None:
    """Fill in the seat's own cards, its combination and its discards."""
    match = _OWN.fullmatch(content)
    if not match:
        raise ValueError(f"not a hand: {quote(content)}; write it as '2C 2H 9D TS AC (pair), {_SEAT_SHAPE}'")
    hand, gone = (numbers(match[key] or "-", RANKS) for key in ("hand", "gone"))
    if len(hand) not in (0, hand_size(v)) or len(gone) > HAND or len(set(hand + gone)) < len(hand + gone):
        raise ValueError(f"a hand has {hand_size(v)} cards or none, and no card twice: {quote(content)}")
    for i, c in enumerate(hand):
        part["cards"][c], part["slots"][i], part["suits"][SUITS * i + SUIT[c]] = 1, RANK[c] + 1, 1
    if hand:
        if match["combination"] not in NAMES[v.ranking]:
            raise ValueError(f"{quote(match['combination'])} is none of {', '.join(NAMES[v.ranking])}")
        part["combination"][NAMES[v.ranking].index(match["combination"])] = 1
    part["gone"][gone] = 1
    part["exchanged"][0] = 0 if match["gone"] is None else 1 + len(gone)
    _read_chips(part, 0, match["rest"])


def _read_chips(part: dict[str, NDArray[Any]], j: int, content: str) -> None:
    """Fill in what everybody knows of a seat."""
    match = _SEAT.fullmatch(content)
    if not match:
        raise ValueError(f"{quote(content)} does not read as {_SEAT_SHAPE!r}")
    for key in ("chips", "paid", "first", "second"):
        part[key][j] = int(match[key])
    for key in _FLAGS:
        part[key][j] = match[key] is not None
    part["place"][j] = round(2 * float(match["place"] or 0))
