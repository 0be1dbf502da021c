"""Short text of a view, and the rules in short: the lines of the long text with short names, and no "cards"."""

import re
from typing import Any

from numpy.typing import NDArray

from kozyr.envs.core import text_lines
from kozyr.envs.daifugo import GAME
from kozyr.envs.daifugo.variant import Variant
from kozyr.envs.daifugo.view_text import write_view

_CARDS = re.compile(r" cards?\b")
_TURN = re.compile(rf"{text_lines.ME} to move(, )?")
_IN_RULES = ("players", "ranks", "joker", "rounds", "history", "suits")


def write_short(v: Variant, view: NDArray[Any], seat: int) -> str:
    """Return a view of `seat` as a short text."""
    text = _TURN.sub("", text_lines.short_names(_CARDS.sub("", write_view(v, view, seat)), seat)).replace(":", "")
    lines = text.splitlines()
    return "\n".join(filter(None, [lines[0], "; ".join(lines[1 : v.players]), *lines[v.players :]]))


def short_rules(v: Variant) -> str:
    """Return the rules of a variant in a few sentences, with rewards and how to read a short text."""
    ranks, more = "3456789TJQKA2"[-v.ranks :], text_lines.departures(GAME, v, _IN_RULES)
    cards = "named by rank and suit" if v.suits else "named by rank alone"
    joker = " The joker * stands in for any card of a set, or alone beats every single card." if v.joker else ""
    rounds = f" {v.rounds} rounds; the reward is their mean." if v.rounds > 1 else ""
    marks = [
        *(["before, total: places in the round before and their sum (first counts 0)"] if v.rounds > 1 else []),
        *(["known: cards that all know; top: the others are not above it"] if v.exchange and not v.suits else []),
        *(["gave: your gifts still there; under: the weaker card given to you"] if v.exchange and v.suits else []),
    ]
    sentences = [
        f"Daifugo, {v.players} players: get rid of your cards first. Ranks rise {ranks}; cards are {cards}.{joker}",
        "A seat leads a set of one or more cards of a rank; the others answer in turn with as many of a higher rank,",
        "or pass. When all others have passed, the pile is cleared and the owner of the last set leads. Places from 1",
        f"in the order of going out. Reward +1 for the first, -1 for the last, equal steps between.{rounds}",
        *(f"Option {one}." for one in more),
    ]
    legend = ["You read: your cards; cards left to the others; the pile and its owner; cards played", *marks]
    return f"{' '.join(sentences)}\n{'. '.join(legend)}."
