"""Actions of draw poker (fold, call, raise, discard): which are legal, and what each begins."""

import re
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kozyr.envs.compile import jit, write_bits
from kozyr.envs.core import dispatch
from kozyr.envs.core.actions import Action, ActionLayout, Argument, number
from kozyr.envs.core.dispatch import implements
from kozyr.envs.core.state import OVER
from kozyr.envs.draw_poker.deck import TWO, hand_size, own
from kozyr.envs.draw_poker.evaluate import ACE, DECK, HAND, NO_BIT
from kozyr.envs.draw_poker.rules import (
    EXCHANGE,
    NOBODY,
    Variant,
    end_phase,
    exchange,
    fold,
    next_pending,
    pay_up_to,
    raise_to,
)

SUBSETS = 1 << HAND
_WORD = 64  # bits
BOTH = 0b11  # the subset that is a whole hand of two cards
ONE_OR_LESS, BOTH_OR_LESS = 0b0111, 0b1111  # bits of the subsets of a hand of two cards
_FEW = np.array(  # bits of the subsets of no more cards
    [sum((subset.bit_count() <= most) << subset for subset in range(SUBSETS)) for most in range(HAND + 1)]
)
_CARDS_NAMED = re.compile(r"(?<=\d) \([^()]*\)$")


def slots(v: Variant, subset: int) -> list[int]:
    """Return the places of a subset's cards in the hand, from 0."""
    return [i for i in range(hand_size(v)) if subset >> i & 1]


def _places(v: Variant, subset: int) -> str:
    return " ".join(str(i + 1) for i in slots(v, subset)) or "none"


def _subset(v: Variant, text: str) -> int | None:
    words, known = text.lower().split(), [str(i + 1) for i in range(hand_size(v))]
    if words == ["none"]:
        return 0
    return sum(1 << known.index(word) for word in words) if set(words) <= set(known) and _differ(words) else None


def _differ(words: list[str]) -> bool:
    return len(set(words)) == len(words)


class Actions(ActionLayout):
    """The kinds of actions, in the order of their numbers."""

    fold = Action("fold")
    call = Action("call: match the highest bet, or put in all chips that are left; check if there is nothing to match")
    raises = Action(
        "raise: action − 1 is the seat's bet in this round afterwards",
        size=lambda v: v.max_bet,
        argument=number("bet", lambda v: v.max_bet),
        word="raise",
    )
    discard = Action(
        "discard the cards whose bits are set in action − {first}",
        size=lambda v: SUBSETS if v.deck == DECK else 1 << TWO,
        argument=Argument(_places, _subset, lambda v, subset: {"slots": slots(v, subset)}),
    )

    @classmethod
    def find(cls, variant: Variant, text: str) -> int | None:
        """Return the action that `text` names, or None; the names of cards after their places are passed over."""
        return super().find(variant, _CARDS_NAMED.sub("", text.strip()))

    @classmethod
    def advice(cls, variant: Variant) -> str:
        """Return the advice on writing an action, which follows "write"."""
        size = hand_size(variant)
        return (
            f"fold, call, raise 1 to raise {variant.max_bet}, discard none, "
            f"or discard and the places of cards from 1 to {size}, as discard 1{' 3' if size > TWO else ' 2'}"
        )


FOLD, CALL, RAISE, DISCARD = Actions.kinds()  # the first two are the numbers of their actions, too
split = Actions.split


@jit
def raise_number(v: Variant, bet: int) -> int:
    """Return the number of the raise to a bet."""
    return Actions(v).raises + bet - 1


@implements(dispatch.legal, Variant)
def legal(v: Variant, s: Any, mask: NDArray[np.int8]) -> None:
    """Mark what the seat to move may do (§5 to §7, §17, §18)."""
    at, k = Actions(v), s.turn
    exchanges = np.int8(k != OVER and s.phase == EXCHANGE)
    bets = np.int8(k != OVER and s.phase != EXCHANGE)
    mask[at.fold], mask[at.call] = bets, bets
    lowest, limit = raises_from(v, s) if bets else (0, 0)
    if v.max_bet < _WORD:  # bit i is the raise to i + 1
        write_bits(mask, at.raises, v.max_bet, ((1 << limit) - 1) & -(1 << lowest))
    else:
        write_raises(mask, at.raises, v.max_bet, lowest, limit)
    subsets = _FEW[v.max_discards] if exchanges else 0
    if v.deck != DECK:
        subsets &= BOTH_OR_LESS if own(v) == 2 * TWO else ONE_OR_LESS
        write_bits(mask, at.discard, 1 << TWO, subsets)
    else:
        if v.four_with_ace and exchanges:
            subsets |= fours(s)
        write_bits(mask, at.discard, SUBSETS, subsets)


@jit
def write_raises(mask: NDArray[np.int8], first: int, most: int, lowest: int, limit: int) -> None:
    """Mark the raises from `lowest` up to `limit`, of more than fit into a word."""
    for i in range(most):
        mask[first + i] = (i >= lowest) & (i < limit)


@jit
def raises_from(v: Variant, s: Any) -> tuple[int, int]:
    """Return the first raise that the seat to move may make and the one behind the last, counted from a bet of 1 (§5).

    `full_raise` is 0 without `min_raise`. With it (§17) a lower raise is all in, and who has bet may not raise until
    the highest bet has grown by a full raise.
    """
    bet = s.bet[s.phase >> 1, s.turn]
    all_in = bet + s.chips[s.turn]
    limit = min(v.max_bet, all_in)
    lowest = s.highest + max(0, s.full_raise - 1)
    if limit == all_in:
        lowest = max(s.highest, min(lowest, limit - 1))
    if bet > 0 and s.highest - bet < s.full_raise:
        limit = 0
    return min(lowest, limit), limit


@jit
def fours(s: Any) -> int:
    """Return the bits of the subsets of four cards that leave the seat to move an ace (§18)."""
    subsets = 0
    for i in range(HAND):
        if ACE[s.hand[s.turn, i] & NO_BIT]:
            subsets |= 1 << (SUBSETS - 1 - (1 << i))
    return subsets


@implements(dispatch.play, Variant)
def play(v: Variant, s: Any, a: int) -> None:
    """Apply a legal action and go on to the next seat, phase or hand (§4 to §8)."""
    kind, n = split(v, a)
    s.ply += 1
    s.pending[s.turn] = 0
    if kind == DISCARD:
        exchange(s, n, v.deck, v.players)
    elif kind == FOLD:
        fold(s, v.players)
    elif kind == CALL:
        pay_up_to(s, s.highest)
    else:
        raise_to(s, n + 1, v.players, v.min_raise)
    s.turn = next_pending(s, s.turn, v.players)
    if s.turn == NOBODY:
        end_phase(v, s)
