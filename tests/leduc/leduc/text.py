"""Positions, actions and what a seat knows as text."""

import re
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kozyr.envs.core import dispatch
from kozyr.envs.core.state import OVER
from leduc import GAME
from leduc.rules import STATE, STREETS, SUITS, Actions, Variant, begin, cards, longest
from leduc.view import Parts

_RANKS, _SUITS = "JQKA", "SH"
_HEADS = ("open", "began", "bets", "turn")
_UNSEEN = "?"


say, parse = Actions.say, Actions.parse


def write(v: Variant, s: Any, seat: int | None = None) -> str:
    """Return the position, or what a seat knows of it."""
    if seat is not None:
        return write_view(v, GAME.view(v, s, seat), seat)
    hands = [f"player_{k}: {_name(int(s.hand[k]))}" for k in range(v.players)]
    past = s.past[:, : longest(v)]
    return "\n".join([*hands, *_table(v, _name(int(s.open_card)), int(s.starter), past, int(s.turn))])


def write_view(v: Variant, view: NDArray[Any], seat: int) -> str:
    """Return a view as text; seat is whose it is."""
    part = {name: view[where] for name, where in Parts(v).spans().items()}
    shown = _name(int(part["open_card"].argmax())) if part["open_card"].any() else _UNSEEN
    began = (int(part["began"].argmax()) + seat) % v.players
    turn = (int(part["turn"].argmax()) + seat) % v.players if part["turn"].any() else OVER
    hand = f"player_{seat} (you): {_name(int(part['hand'].argmax()))}"
    return "\n".join([hand, *_table(v, shown, began, part["past"].reshape(STREETS, -1), turn)])


def read(v: Variant, text: str) -> NDArray[Any]:
    """Return the position in a text as an array of one state; the inverse of `write`.

    Raises:
        ValueError: if it is no position of this variant.
    """
    lines = text.strip().splitlines()
    hands = [_card(v, _after(f"player_{k}: ", lines, k)) for k in range(v.players)]
    shown, began, bets, turn = _read_table(v, lines, v.players)
    dealt = [*hands, _card(v, shown)]
    if len(set(dealt)) < len(dealt):
        raise ValueError("a card is there twice: write each card once")
    states = np.zeros(1, STATE)
    s: Any = states[0]
    s.hand[:], s.open_card = -1, dealt[-1]
    s.hand[: v.players] = hands
    _replay(v, s, began, bets)
    if write(v, s) != "\n".join(lines) or int(s.turn) != turn:
        raise ValueError("the actions do not lead to the turn that the text tells")
    return states


def read_view(v: Variant, text: str) -> NDArray[Any]:
    """Return the view in a text; the inverse of `write_view`.

    Raises:
        ValueError: if it is none of this variant.
    """
    lines = text.strip().splitlines()
    found = re.fullmatch(r"player_(\d) \(you\): (\w\w)", lines[0] if lines else "")
    if not found or int(found[1]) >= v.players:
        raise ValueError("not what a seat knows: begin with a line as 'player_0 (you): KS'")
    seat = int(found[1])
    shown, began, bets, turn = _read_table(v, lines, 1)
    view, at = np.zeros(GAME.size(v), GAME.view_dtype), Parts(v)
    view[at.hand + _card(v, found[2])] = 1
    if shown != _UNSEEN:
        view[at.open_card + _card(v, shown)] = 1
    view[at.began + (began - seat) % v.players] = 1
    if turn != OVER:
        view[at.turn + (turn - seat) % v.players] = 1
    for i, street in enumerate(bets):
        for j, action in enumerate(street):
            view[at.past + i * longest(v) + j] = action + 1
    return view


def _table(v: Variant, shown: str, began: int, past: Any, turn: int) -> list[str]:
    """Return the lines of what everybody knows."""
    streets = [" ".join(say(v, None, int(a) - 1) for a in street if a) or "-" for street in past]
    mover = "-" if turn == OVER else f"player_{turn}"
    return [f"open: {shown}", f"began: player_{began}", f"bets: {' / '.join(streets)}", f"turn: {mover}"]


def _read_table(v: Variant, lines: list[str], first: int) -> tuple[str, int, list[list[int]], int]:
    """Return the open card, who began, the actions of each round and whose turn it is."""
    if len(lines) != first + 4:
        raise ValueError(
            f"not a position of {v.players}: it has {first + 4} lines, the last four open, began, bets, turn"
        )
    shown, began, bets, turn = (
        _after(f"{head}: ", lines, first + i) for i, head in enumerate(("open", "began", "bets", "turn"))
    )
    streets = [[] if street == "-" else [parse(v, word) for word in street.split()] for street in bets.split(" / ")]
    if len(streets) != STREETS or max(map(len, streets)) > longest(v):
        raise ValueError(f"bets: {bets!r} is not allowed: write two rounds, as 'call raise / -'")
    return shown, _seat(v, began), streets, OVER if turn == "-" else _seat(v, turn)


def _after(head: str, lines: list[str], i: int) -> str:
    """Return what follows the head of a line."""
    if i >= len(lines) or not lines[i].startswith(head):
        raise ValueError(f"line {i + 1} of the text is wrong: it begins with {head!r}")
    return lines[i].removeprefix(head)


def _seat(v: Variant, text: str) -> int:
    for k in range(v.players):
        if text == f"player_{k}":
            return k
    raise ValueError(f"{text!r} is no seat: write player_0 to player_{v.players - 1}")


def _name(card: int) -> str:
    return _RANKS[card // SUITS] + _SUITS[card % SUITS]


def _card(v: Variant, text: str) -> int:
    for card in range(cards(v)):
        if text == _name(card):
            return card
    raise ValueError(
        f"{text!r} is no card of this deck: write a rank of {_RANKS[: v.players + 1]} and a suit of {_SUITS}"
    )


def _replay(v: Variant, s: Any, began: int, bets: list[list[int]]) -> None:
    """Play the actions from the deal on."""
    begin(v, s, began)
    mask = np.zeros(Actions(v).size, np.int8)
    for i, street in enumerate(bets):
        for action in street:
            dispatch.legal(v, s, mask)
            if not mask[action] or s.street != i:
                raise ValueError(f"{say(v, s, action)} is not legal where the text has it")
            dispatch.play(v, s, action)
