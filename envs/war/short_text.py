"""Short text of a view, and the rules in short: the ranks of both lines, and nothing of suits, which never matter.

    you 7?39|aaa2
    p1 7|?4bb
    you first, 12 turns left
    a QJ5
    b 6A

A number behind "?" counts cards in a row that nobody has seen.
"""

import re
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kozyr.envs.core import text_lines
from kozyr.envs.core.cards import RANKS
from kozyr.envs.war import GAME
from kozyr.envs.war.rules import CHOICE, RANDOM, SEATS, SUITS, Variant
from kozyr.envs.war.view import DIGIT
from kozyr.envs.war.view_text import LETTERS

_UNSEEN = "?"
_ROW = re.compile(r"\?{3,}")
_SHORTAGES = (
    "fewer than four cards loses",
    "fewer lays all, the last one face up; who has none loses",
)


def write_short(v: Variant, view: NDArray[Any], seat: int) -> str:
    """Return a view of `seat` as a short text."""
    part, groups = text_lines.parts_of(GAME, v, view), list[str]()
    names = [text_lines.short_name(k, seat) for k in (seat, 1 - seat)]
    lines = [f"{names[j]} {_line(v, part, j, groups)}" for j in range(SEATS)]
    turns = sum(int(digit) << DIGIT * i for i, digit in enumerate(part["left"].tolist()))
    to_move, picking = np.flatnonzero(part["turn"])[:1].tolist(), bool(part["picking"][0])
    state = f" {names[to_move[0]]} to {'choose' if picking else 'flip'}," if to_move else " over,"
    if to_move == [0] and picking:
        state = ""
    status = f"{names[0] if part['starter'][0] else names[1]} first,{state} {turns} turns left"
    return "\n".join([*lines, status, *(f"{letter} {ranks}" for letter, ranks in zip(LETTERS, groups, strict=False))])


def _line(v: Variant, part: dict[str, NDArray[Any]], j: int, groups: list[str]) -> str:
    """Return the ranks of a line, a bar between cards laid and the deck; those of unknown order go to `groups`."""
    first, bar = part["mine" if j == 0 else "theirs"], int(part["laid"][j])
    marks = [_UNSEEN] * (bar + int(part["sizes"][j]))
    several = dict[int, list[str]]()
    cards = np.flatnonzero(first)
    for card, place in zip(cards.tolist(), first[cards].tolist(), strict=True):
        if place <= len(marks):
            several.setdefault(place - 1, []).append(RANKS[card % (v.deck // SUITS) - v.deck // SUITS])
    for place in sorted(several):
        ranks = several[place]
        if len(ranks) == 1:
            marks[place] = ranks[0]
    for place in sorted(several):
        ranks = several[place]
        if len(ranks) > 1:
            free = [i for i in range(place, len(marks)) if marks[i] == _UNSEEN]
            for i in free[: len(ranks)]:
                marks[i] = LETTERS[len(groups)]
            groups.append("".join(sorted(ranks, key=RANKS.index)))
    return "|".join(_ROW.sub(lambda row: f"?{len(row[0])}", "".join(half)) for half in (marks[:bar], marks[bar:]))


def short_rules(v: Variant) -> str:
    """Return the rules of a variant in a few sentences, with rewards and how to read a short text."""
    orders = (
        "Whoever takes the pool chooses how it goes under his deck: own_first (his cards, then the other's), "
        "other_first, high_first or low_first (sorted by rank)."
    )
    sentences = [
        f"War, {v.deck} cards dealt face down to two decks. Each turn both turn their top card over; the higher rank",
        "takes both. Equal ranks: each lays three cards face down and one face up, and these are compared; who has",
        f"{_SHORTAGES[v.shortage]}.",
        *([orders] if v.pickup == CHOICE else []),
        f"Who has no cards left after a turn loses. Win +1, loss -1; 0 for both after {v.max_turns} turns.",
    ]
    legend = [
        "A line shows ranks, suits do not matter: cards laid in this turn | deck, top card first. ? is a card nobody",
        'has seen, ?4 four of them; "p0 first": p0 turns up first.',
        *(["Cards under a letter lie in unknown order."] if v.pickup == RANDOM else []),
    ]
    return f"{' '.join(sentences)}\n{' '.join(legend)}"


def short_event(v: Variant, words: str) -> str:
    """Return a move that was made in words, but for flips, whose cards the lines show."""
    return "" if words == "flip" else words
