"""Capabilities of draw poker, for networks, environments and reports: deals that are alike, results and stakes."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from kozyr.envs.core import capabilities
from kozyr.envs.draw_poker.deck import hand_size, own
from kozyr.envs.draw_poker.evaluate import NAMES, category
from kozyr.envs.draw_poker.rules import TOURNAMENT, Variant


@capabilities.canonical_deal.register(Variant)
def canonical_deal(v: Variant, states: NDArray[Any]) -> None:
    """Forget in which order the cards of each hand lay in the deck, and what lies below the seats' parts."""
    mine = own(v)
    for k in range(v.players):
        hand = slice(mine * k, mine * k + hand_size(v))
        states["deck"][:, hand] = np.sort(states["deck"][:, hand], axis=1)
    rest = slice(mine * v.players, v.deck)
    states["deck"][:, rest] = np.sort(states["deck"][:, rest], axis=1)


@capabilities.optional_parts.register(Variant)
def optional_parts(v: Variant) -> tuple[str, ...]:
    """Return the option that only adds the least raise to the view's end."""
    return ("min_raise",)


@capabilities.infos.register(Variant)
def infos(v: Variant) -> tuple[str, ...]:
    """Return the chips that each seat won or lost in the last hand."""
    return ("change",)


@capabilities.episode_statistics.register(Variant)
def episode_statistics(v: Variant) -> tuple[str, ...]:
    """Return the number of hands."""
    return ("hands",)


@capabilities.stake.register(Variant)
def stake(v: Variant) -> capabilities.Stake | None:
    """Return the chips of a hand, of which a return is a share (§13); a tournament pays places."""
    if v.episode == TOURNAMENT:
        return None
    return capabilities.Stake("chips", "hand", float((v.players - 1) * min(v.stack, v.ante + 2 * v.max_bet)))


_PLACES = ("first", "second", "third", "fourth", "fifth")
_PLURAL = ("two pairs", "three of a kind", "four of a kind")


@capabilities.result.register(Variant)
def result(v: Variant, state: Any, seat: int) -> str:
    """Return "won 12 chips with two pairs", or the place in a tournament."""
    if v.episode == TOURNAMENT:
        return _place(state, int(state.place[seat]))
    change = int(state.change[seat])
    if change == 0:
        return "won and lost nothing"
    chips = f"{'won' if change > 0 else 'lost'} {abs(change)} {'chip' if abs(change) == 1 else 'chips'}"
    if state.folded[seat]:
        return f"{chips} and folded"
    if state.folded[: v.players].sum() == v.players - 1:
        return f"{chips} because all others folded"
    hand = NAMES[v.ranking][category(state.hand[seat], v.ranking)]
    return f"{chips} with {hand if hand in _PLURAL else f'a {hand}'}"


def _place(state: Any, twice: int) -> str:
    """Return a place in a tournament; two seats that share theirs have a half."""
    low = _PLACES[twice // 2 - 1]
    if twice % 2:
        return f"shared {low} and {_PLACES[twice // 2]} place"
    after = f" after {int(state.hands)} hands" if state.truncated else ""
    return "won the tournament" if twice == 2 and not after else f"took {low} place{after}"
