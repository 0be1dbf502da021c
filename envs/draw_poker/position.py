"""Completion of a position read from text, and refusal of an impossible one."""

from typing import Any

from kozyr.envs.core.state import OVER
from kozyr.envs.draw_poker.deck import hand_size
from kozyr.envs.draw_poker.evaluate import NO_CARD
from kozyr.envs.draw_poker.rules import ENDED, EXCHANGE, TOURNAMENT, Variant, pay_out


def complete(v: Variant, s: Any) -> None:
    """Fill in what follows from the rest: highest bet, stacks before the hand, who is out, payoffs."""
    if s.phase not in (EXCHANGE, ENDED):
        s.highest = s.bet[s.phase >> 1].max()
    s.began[:] = s.chips + s.paid - (s.change if s.phase == ENDED else 0)
    s.out[:] = (s.place > 0) & (s.chips == 0)
    if s.phase == ENDED:
        pay_out(v, s)


def verify(v: Variant, s: Any) -> None:
    """Raise ValueError if the parts of a position do not go together."""
    seats = range(v.players)
    total = int(s.chips.sum() + s.paid.sum())
    if total != v.players * v.stack:
        raise ValueError(
            f"{total} chips in all, but {v.players} players with stack={v.stack} have {v.players * v.stack}"
        )
    if s.bet.max() > v.max_bet:
        raise ValueError(f"a bet of {s.bet.max()} is higher than max_bet={v.max_bet}")
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
