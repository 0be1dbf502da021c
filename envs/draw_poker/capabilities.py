"""Capabilities of draw poker, for networks, environments and reports: deals that are alike, results and stakes."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from kozyr.envs.core import capabilities
from kozyr.envs.core.labels import Phrase, phrase
from kozyr.envs.draw_poker.deck import hand_size, own
from kozyr.envs.draw_poker.evaluate import NAMES, STANDARD, category
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


@capabilities.result_phrase.register(Variant)
def result_phrase(v: Variant, state: Any, seat: int) -> Phrase:
    """Return "won 12 chips with two pairs", or the place in a tournament."""
    if v.episode == TOURNAMENT:
        return _place(state, int(state.place[seat]))
    change = int(state.change[seat])
    if change == 0:
        return phrase("won and lost nothing")
    won, chips = int(change > 0), abs(change)
    if state.folded[seat]:
        return phrase("{0|lost|won} {1} {1|chips|chip|chips} and folded", won, chips)
    if state.folded[: v.players].sum() == v.players - 1:
        return phrase("{0|lost|won} {1} {1|chips|chip|chips} because all others folded", won, chips)
    hand = _HANDS.index(NAMES[v.ranking][category(state.hand[seat], v.ranking)])
    return phrase(
        "{0|lost|won} {1} {1|chips|chip|chips} with {2|a high card|a pair|two pairs|three of a kind|a straight|a flush|"
        "a full house|four of a kind|a straight flush|a royal flush}",
        won,
        chips,
        hand,
    )


_HANDS = NAMES[STANDARD]


def _place(state: Any, twice: int) -> Phrase:
    """Return a place in a tournament; two seats that share theirs have a half."""
    place = twice // 2 - 1
    if twice % 2:
        return phrase("shared {0|first|second|third|fourth} and {0|second|third|fourth|fifth} place", place)
    if state.truncated:
        return phrase("took {0|first|second|third|fourth|fifth} place after {1} hands", place, int(state.hands))
    if place == 0:
        return phrase("won the tournament")
    return phrase("took {0|first|second|third|fourth|fifth} place", place)
