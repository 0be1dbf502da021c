"""Actions of Durak (play a card, pass, transfer by a card or by showing one): which are legal, and what each begins."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from kozyr.envs.compile import jit, write_bits
from kozyr.envs.core import dispatch
from kozyr.envs.core.actions import Action, ActionLayout, Argument
from kozyr.envs.core.cards import name, number
from kozyr.envs.core.dispatch import implements
from kozyr.envs.core.seats import following
from kozyr.envs.core.state import OVER
from kozyr.envs.durak.cards import SUITS, beating, rank_of
from kozyr.envs.durak.rules import (
    Variant,
    attack,
    beat,
    give_up,
    most_attacks,
    pass_on,
    show_trump,
    transfer,
    trump_of_attack,
)


def _deck(v: Variant) -> int:
    return v.deck


def _name(v: Variant, card: int) -> str:
    return name(card, v.deck // SUITS)


def _number(v: Variant, text: str) -> int | None:
    words = text.split()
    return number(words[0].upper(), v.deck // SUITS) if len(words) == 1 else None


_CARD = Argument(_name, _number, lambda v, card: {"card": _name(v, card)})


class Actions(ActionLayout):
    """The kinds of actions, in the order of their numbers."""

    play = Action(
        "play the card suit × ranks + rank: attack, throw in or beat",
        size=_deck,
        argument=_CARD,
        word="",
        example="a card such as 7C",
    )
    done = Action("pass: done as an attacker, take as the defender", word="pass")
    transfer = Action(
        "transfer with the card action − {first}",
        size=lambda v: v.deck if v.transfer else 0,
        argument=_CARD,
        example="transfer 7C",
        absent="this variant has no transfers (transfer=False)",
    )
    show = Action(
        "transfer by showing the trump of the attack's rank, which stays in hand",
        size=lambda v: v.show_trump,
        absent="in this variant no trump is shown to transfer (show_trump=False)",
    )


PLAY, DONE, TRANSFER, SHOW = Actions.kinds()
WITH_CARD = Actions.kinds(_CARD)
split = Actions.split


@implements(dispatch.legal, Variant)
def legal(v: Variant, s: Any, mask: NDArray[np.int8]) -> None:
    """Mark what the seat to move may do; any card opens a round (§3 to §8, §15)."""
    if s.turn == OVER:
        mask[:] = 0
        return
    at, may, hand = Actions(v), s.cards[s.turn], s.cards[s.turn]
    if s.laid > 0:
        may &= beating(v.deck, s.trump, s.attack[s.beaten]) if s.turn == s.defender else s.fits
    write_bits(mask, at.play, v.deck, may)
    mask[at.done] = s.laid > 0
    if v.transfer:
        write_bits(mask, at.transfer, v.deck, hand & rank_of(v.deck, s.attack[0]) if may_transfer(v, s) else 0)
        if v.show_trump:
            mask[at.show] = may_show(v, s)


@jit
def may_transfer(v: Variant, s: Any) -> bool:
    """Return True if the seat to move may pass the attack on with a card of its rank (§8)."""
    if not is_untouched(s):
        return False
    return s.laid < room_behind(v, s)


@jit
def may_show(v: Variant, s: Any) -> bool:
    """Return True if the seat to move may pass the attack on by showing a trump: once a round, and no card is added."""
    if s.trump_shown or not is_untouched(s) or s.laid > room_behind(v, s):
        return False
    return s.cards[s.turn] & trump_of_attack(v, s) != 0


@jit
def is_untouched(s: Any) -> bool:
    """Return True if the defender is to move and has beaten nothing yet (§8)."""
    return not (s.turn != s.defender or s.laid == 0 or s.beaten > 0)


@jit
def room_behind(v: Variant, s: Any) -> int:
    """Return the most attack cards that may lie before the seat after the defender (§8)."""
    return min(most_attacks(v, s), s.count[following(s.defender, s.out, v.players)])


@implements(dispatch.play, Variant)
def play(v: Variant, s: Any, a: int) -> None:
    """Apply a legal action (§3 to §8, §15)."""
    kind, card = split(v, a)
    s.ply += 1
    if kind == DONE:
        if s.turn == s.defender:
            give_up(v, s)
        else:
            pass_on(v, s)
    elif kind == TRANSFER:
        transfer(v, s, card)
    elif kind == SHOW:
        show_trump(v, s)
    elif s.turn == s.defender:
        beat(v, s, card)
    else:
        attack(v, s, card)
