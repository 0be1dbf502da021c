"""A poker player that weighs what its hand is worth against the price, and reads the others' bets and exchanges."""

from math import comb, sqrt
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from kozyr.agents.draw_poker.hands import FLUSH, FOUR_SUITED, HIGH, OPEN_ENDED, PAIR, STRAIGHT, TWO_PAIRS, look
from kozyr.agents.draw_poker.two_card_hands import ahead_after, best_of_two, look_at_two
from kozyr.envs.compile import jit
from kozyr.envs.draw_poker.actions import CALL, FOLD, Actions, raise_number
from kozyr.envs.draw_poker.evaluate import DECK, HAND, NAMES, RANKS
from kozyr.envs.draw_poker.rules import EXCHANGE, FIRST, Variant
from kozyr.envs.draw_poker.view import Parts


class Style(NamedTuple):
    """Style of betting. Amounts are in pots; every constant was found by duplicate matches."""

    opening: float = 1.19  # chance to win × players that opens the betting
    opening_size: float = 1.9
    scale: float = 0.73  # a bet of so much comes from the narrow range
    trust: float = 0.8  # how surely
    again: float = 0.9  # how surely a raise after the own bet comes from the narrowest range
    implied: float = 0.07  # how much more a draw to a straight or a flush is worth
    calling: float = -0.025  # calls with a chance so much above the pot odds
    raising: float = 0.4  # raises again with such a chance
    raising_size: float = 3.0
    value: float = 0.51  # after the exchange: bets with such a chance to hold the best hand
    value_size: float = 4.0
    raise_value: float = 0.55  # raises with such a chance
    raiser: float = 0.195  # who raised last does so with worse hands so much less often than with better ones
    caller: float = 0.07  # the same of the others that have bet


STYLE = Style()

# Chance to win after the exchange: [class, others − 1] against others that have not bet, and against one with a pair
# of jacks or better, and of aces or better. Counted by dealing five hands of every class and exchanging.
EQUITY = np.array(
    [
        [0.334, 0.186, 0.121, 0.086, 0.085, 0.051],
        [0.368, 0.214, 0.145, 0.105, 0.116, 0.053],
        [0.411, 0.242, 0.171, 0.131, 0.141, 0.055],
        [0.314, 0.224, 0.191, 0.174, 0.170, 0.164],
        [0.365, 0.261, 0.225, 0.209, 0.207, 0.190],
        [0.421, 0.248, 0.183, 0.149, 0.191, 0.150],
        [0.444, 0.260, 0.189, 0.152, 0.188, 0.147],
        [0.471, 0.277, 0.198, 0.159, 0.190, 0.151],
        [0.495, 0.296, 0.208, 0.163, 0.190, 0.153],
        [0.521, 0.316, 0.222, 0.173, 0.195, 0.156],
        [0.552, 0.341, 0.237, 0.182, 0.198, 0.163],
        [0.577, 0.364, 0.253, 0.192, 0.196, 0.163],
        [0.604, 0.393, 0.275, 0.208, 0.199, 0.167],
        [0.635, 0.422, 0.300, 0.226, 0.200, 0.171],
        [0.668, 0.462, 0.334, 0.253, 0.213, 0.179],
        [0.706, 0.511, 0.380, 0.292, 0.317, 0.190],
        [0.749, 0.568, 0.440, 0.347, 0.419, 0.198],
        [0.800, 0.646, 0.531, 0.443, 0.526, 0.231],
        [0.828, 0.688, 0.576, 0.485, 0.602, 0.451],
        [0.928, 0.864, 0.806, 0.751, 0.826, 0.763],
        [0.980, 0.960, 0.940, 0.920, 0.950, 0.930],
        [0.987, 0.974, 0.961, 0.948, 0.965, 0.950],
        [0.980, 0.963, 0.945, 0.930, 0.955, 0.930],
        [0.998, 0.997, 0.996, 0.995, 0.995, 0.994],
    ]
)
NARROW, NARROWEST = 4, 5  # columns

# Chances of the combinations in the order of ranking="document", after so many cards exchanged: [cards, combination].
_FINAL = np.array(
    [
        [0.000, 0.000, 0.000, 0.000, 0.208, 0.508, 0.281, 0.002, 0.001, 0.000],
        [0.287, 0.132, 0.443, 0.000, 0.041, 0.037, 0.057, 0.001, 0.002, 0.000],
        [0.000, 0.000, 0.000, 0.897, 0.061, 0.000, 0.000, 0.000, 0.042, 0.000],
        [0.000, 0.713, 0.160, 0.114, 0.010, 0.000, 0.000, 0.000, 0.003, 0.000],
        [0.492, 0.429, 0.050, 0.023, 0.002, 0.002, 0.002, 0.000, 0.000, 0.000],
        [0.500, 0.421, 0.050, 0.023, 0.002, 0.002, 0.002, 0.000, 0.000, 0.000],
    ]
)
_THREE = 3  # cards exchanged


def _leads(exchanged: int, combination: int) -> NDArray[np.float64]:
    """Return the distribution of the leading rank of a combination."""
    rank = np.arange(RANKS)
    weights = np.ones(RANKS)
    if combination in (HIGH, FLUSH):
        weights = np.array([float(comb(int(r), 4)) for r in rank])
    elif combination == STRAIGHT:
        weights = (rank > 3) * 1.0
    elif combination == TWO_PAIRS:
        weights = rank * 1.0
    elif combination == PAIR and exchanged > _THREE:
        weights = np.where(rank < 8, 1.0, 1.0 * 2.0 ** ((rank - 7) / 2))
    return weights / weights.sum()


def _better() -> NDArray[np.float64]:
    """Return the chance that another hand is better: [ranking, cards exchanged, combination, lead]."""
    chances = np.zeros((2, HAND + 1, len(NAMES[0]), RANKS))
    for ranking, names in enumerate(NAMES):
        place = [names.index(name) for name in NAMES[0]]
        for n in range(HAND + 1):
            for c in range(len(place)):
                above = sum(_FINAL[n, other] for other in range(len(place)) if place[other] > place[c])
                leads = _leads(n, c)
                chances[ranking, n, c] = above + _FINAL[n, c] * (1.0 - leads.cumsum() + 0.5 * leads)
    return chances


BETTER = _better()


@jit
def play_style(v: Variant, view: NDArray[Any], mask: NDArray[np.int8], t: Style) -> int:
    """Return the action of a player with a style."""
    at = Parts(v)
    if v.deck != DECK:
        return play_two(v, view, mask, at, t)
    hand = look(v, view, at)
    if view[at.phase + EXCHANGE]:
        return Actions(v).discard + hand.change
    if view[at.phase + FIRST]:
        return bet_before(v, view, mask, at, hand.kind, t)
    return bet_after(v, view, mask, at, hand.combination, hand.lead, t)


@jit
def bet_before(v: Variant, view: NDArray[Any], mask: NDArray[np.int8], at: Parts, kind: int, t: Style) -> int:
    """Open, call, raise or fold before the exchange."""
    others, inside = 0, 0
    highest, pot, price = view[at.highest], view[at.pot], view[at.to_match]
    for j in range(1, v.players):
        if not (view[at.folded + j] or view[at.out + j]):
            others += 1
            inside += highest > 0 and view[at.first + j] == highest
    if highest == 0:
        good = EQUITY[kind, others - 1] * (others + 1) >= t.opening
        return stake(v, view, mask, at, t.opening_size * pot) if good else CALL
    narrow = EQUITY[kind, NARROW]
    if view[at.first] > 0:
        narrow += t.again * (EQUITY[kind, NARROWEST] - narrow)
    size = t.trust * min(1.0, highest / (t.scale * max(1, pot - highest)))
    win = EQUITY[kind, 0] * (1.0 - size) + narrow * size
    if kind in (OPEN_ENDED, FOUR_SUITED):
        win += t.implied
    for _ in range(1, inside):
        win *= sqrt(win)  # exact on every processor, as a power is not
    if win > t.raising:
        return stake(v, view, mask, at, highest + t.raising_size * (pot + price))
    cost = min(price, view[at.chips])
    if win >= cost / max(1, pot + cost) + t.calling or price == 0:
        return CALL
    return FOLD


@jit
def bet_after(
    v: Variant, view: NDArray[Any], mask: NDArray[np.int8], at: Parts, combination: int, lead: int, t: Style
) -> int:
    """Bet on a good hand, and weigh the price of seeing a better one."""
    win = 1.0
    for j in range(1, v.players):
        if view[at.folded + j] or view[at.out + j]:
            continue
        above = BETTER[v.ranking, max(0, view[at.exchanged + j] - 1), combination, lead]
        if view[at.second + j] > 0:
            above = suspected(view, at, j, above, t)
        win *= 1.0 - above
    return weigh(v, view, mask, at, win, t)


@jit
def suspected(view: NDArray[Any], at: Parts, j: int, above: float, t: Style) -> float:
    """Return the chance of a better hand with a seat that has bet, from the chance without that."""
    less = t.raiser if view[at.raiser + j] else t.caller
    return above / (above + (1.0 - above) * less)


@jit
def weigh(v: Variant, view: NDArray[Any], mask: NDArray[np.int8], at: Parts, win: float, t: Style) -> int:
    """Bet, call or fold with a chance to hold the best hand."""
    pot, price, highest = view[at.pot], view[at.to_match], view[at.highest]
    if highest == 0:
        return stake(v, view, mask, at, t.value_size * pot) if win >= t.value else CALL
    if win >= t.raise_value:
        return stake(v, view, mask, at, highest + t.value_size * (pot + price))
    cost = min(price, view[at.chips])
    return CALL if price == 0 or win >= cost / max(1, pot + cost) else FOLD


@jit
def play_two(v: Variant, view: NDArray[Any], mask: NDArray[np.int8], at: Parts, t: Style) -> int:
    """Play a hand of two cards by its chance against as many unseen ones, in the first bets after the exchange."""
    it = look_at_two(v, view, at)
    change, ahead = best_of_two(v, it)
    if view[at.phase + EXCHANGE]:
        return Actions(v).discard + change
    bets = at.first
    if not view[at.phase + FIRST]:
        bets, ahead = at.second, ahead_after(it, 0)
    win = 1.0
    for j in range(1, v.players):
        if not (view[at.folded + j] or view[at.out + j]):
            win *= 1.0 - (suspected(view, at, j, 1.0 - ahead, t) if view[bets + j] > 0 else 1.0 - ahead)
    return weigh(v, view, mask, at, win, t)


@jit
def stake(v: Variant, view: NDArray[Any], mask: NDArray[np.int8], at: Parts, amount: float) -> int:
    """Raise as near to an amount as is legal, by 1 at least, or call if no raise is."""
    lowest = view[at.highest] + 1
    for bet in range(max(lowest, min(v.max_bet, round(amount))), lowest - 1, -1):
        if bet <= v.max_bet and mask[raise_number(v, bet)]:
            return raise_number(v, bet)
    return CALL
