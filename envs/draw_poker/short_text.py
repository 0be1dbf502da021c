"""Short text of a view, and the rules in short: the lines of the long text with short names and marks.

you 2C 2H 9D TS AC (pair), discarded KS 7D, 94 paid 6, bets 5 0
p1 exchanged 0, 90 paid 10, bets 5 4; p2 99 paid 1, folded
second bets, button p3, p1 raised
pot 17, highest bet 4, 4 to match
"""

import re
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kozyr.envs.core import text_lines
from kozyr.envs.draw_poker import GAME
from kozyr.envs.draw_poker.actions import Actions
from kozyr.envs.draw_poker.deck import hand_size
from kozyr.envs.draw_poker.evaluate import NAMES
from kozyr.envs.draw_poker.rules import TOURNAMENT, Variant
from kozyr.envs.draw_poker.view_text import write_view

_NO_BETS = ", bets 0 0"
_CHIPS = re.compile(r"chips (\d+), ")
_TURN = re.compile(rf", {text_lines.ME} to move")
_IN_RULES = ("players", "ante", "max_bet", "stack", "ranking", "episode", "deck")


def write_short(v: Variant, view: NDArray[Any], seat: int) -> str:
    """Return a view of `seat` as a short text."""
    text = _CHIPS.sub(r"\1 ", text_lines.short_names(write_view(v, view, seat), seat)).replace(_NO_BETS, "")
    mine, *lines = _TURN.sub("", text).splitlines()
    return "\n".join([mine, "; ".join(lines[: v.players - 1]), *lines[v.players - 1 :]])


def short_actions(v: Variant, mask: NDArray[np.int8], words: Callable[[], list[str]]) -> str:
    """Return all legal actions in one line, raises and discards as ranges."""
    raises, discards = (np.flatnonzero(mask[Actions(v).spans()[kind]]) for kind in ("raises", "discard"))
    size = hand_size(v)
    if len(discards) == 1 << size:
        return f"discard none, or discard and any places from 1 to {size}, as: discard 1 {size}"
    if len(discards) or not len(raises):
        return ", ".join(words())
    return f"fold, call, raise {raises[0] + 1} to {raises[-1] + 1}"


def short_rules(v: Variant) -> str:
    """Return the rules of a variant in a few sentences, with rewards and how to read a short text."""
    size, more = hand_size(v), text_lines.departures(GAME, v, _IN_RULES)
    best = NAMES[v.ranking] if size > 2 else ("high card", "pair")
    reward = "+1 for the first place to -1 for the last" if v.episode == TOURNAMENT else "chips won or lost, as a share"
    sentences = [
        f"Draw poker, {v.players} players, {v.stack} chips each, ante {v.ante}, {size} cards from {v.deck}.",
        f"First bets: fold, call or raise K, which makes K your whole bet, at most {v.max_bet}; call with nothing to",
        "match checks. Then each discards and draws. Second bets, then the best hand wins the pot:",
        f"{' < '.join(best)}. Reward: {reward}.",
        *(f"Option {one}." for one in more),
    ]
    legend = (
        "You read: your cards, in the order of their places; chips, paid into the pot, bets of both rounds if any; "
        "cards that others exchanged."
    )
    return f"{' '.join(sentences)}\n{legend}"
