"""Short text of a view, and the rules in short: hands, trump, attack, table, stock and discards.

you TS* 7D; p2 out; p0 3 +9H
trump S, p0>you, max 5; table 8C/JC 8D; stock 2 AS
gone C7 D6
"""

import re
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kozyr.envs.core import text_lines
from kozyr.envs.core.cards import RANKS, names
from kozyr.envs.core.cards import SUITS as SUIT_LETTERS
from kozyr.envs.durak import GAME
from kozyr.envs.durak.actions import Actions
from kozyr.envs.durak.cards import SUITS
from kozyr.envs.durak.rules import HAND, Variant
from kozyr.envs.durak.view_text import hand_names, table_names

_ROW = re.compile(r"(\S)\S{2,}(\S)")
_IN_RULES = ("players", "deck", "hand", "max_rounds")


def write_short(v: Variant, view: NDArray[Any], seat: int) -> str:
    """Return a view of `seat` as a short text."""
    part, ranks = text_lines.parts_of(GAME, v, view), v.deck // SUITS
    table, bottom = table_names(v, part), np.flatnonzero(part["bottom"]).tolist()
    middle = [
        _status(v, part, seat),
        f"table {' '.join(table)}" if table else "",
        f"stock {part['stock'][0]}{f' {names(bottom, ranks)}' if bottom else ''}",
    ]
    hands = text_lines.joined([_hand(v, part, j, seat) for j in range(v.players)])
    return "\n".join(filter(None, [hands, text_lines.joined(middle), _gone(part["discard"].reshape(SUITS, ranks))]))


def _gone(discard: NDArray[Any]) -> str:
    """Return the discards by suit, four ranks in a row or more as "T-A"."""
    letters = RANKS[-discard.shape[1] :]
    row = ["gone"]
    for suit, cards in zip(SUIT_LETTERS, discard, strict=True):
        if cards.any():
            ranks = "".join(letter if there else " " for letter, there in zip(letters, cards.tolist(), strict=True))
            row.append(suit + _ROW.sub(r"\1-\2", ranks).replace(" ", ""))
    return " ".join(row) if len(row) > 1 else ""


def _hand(v: Variant, part: dict[str, NDArray[Any]], j: int, owner: int) -> str:
    """Return the hand of the seat j places on: its own cards, or how many they are and those that are known."""
    who = text_lines.short_name((owner + j) % v.players, owner)
    if part["out"][j]:
        return f"{who} out"
    if j == 0:
        return f"{who} {' '.join(hand_names(v, part)) or '-'}"
    known = np.flatnonzero(part["known"].reshape(-1, v.deck)[j - 1]).tolist()
    return f"{who} {part['sizes'][j]}{f' +{names(known, v.deck // SUITS)}' if known else ''}"


def _status(v: Variant, part: dict[str, NDArray[Any]], owner: int) -> str:
    """Return the line of trump, attack and limit, and of the turn where it is another's."""

    def who(name: str) -> str:
        places = np.flatnonzero(part[name])[:1].tolist()
        return "".join(text_lines.short_name((owner + j) % v.players, owner) for j in places)

    turn, limit, passes = who("turn"), int(part["limit"][0]), int(part["passes"][0])
    marks = [
        f"trump {SUIT_LETTERS[int(part['trump'].argmax())]}",
        f"{who('attacker')}>{who('defender')}",
        f"max {limit}" if limit < HAND else "",
        f"passes {passes}" if passes else "",
        "taking" if part["taking"][0] else "",
        "trump shown" if part["trump_shown"].any() else "",
        "" if turn == text_lines.ME else f"{turn} to move" if turn else "over",
    ]
    return ", ".join(filter(None, marks))


def short_actions(v: Variant, mask: NDArray[np.int8], words: Callable[[], list[str]]) -> str:
    """Return all legal actions in one line: any card opens a round, and only then nobody may pass."""
    return (", " if v.transfer else " ").join(words()) if mask[Actions(v).done] else "any card"


def short_rules(v: Variant) -> str:
    """Return the rules of a variant in a few sentences, with rewards and how to read a short text."""
    others = "+1" if v.players == 2 else f"+1/{v.players - 1}"
    more = text_lines.departures(GAME, v, _IN_RULES)
    lowest = RANKS[len(RANKS) - v.deck // SUITS]
    sentences = [
        f"Durak, {v.players} players, {v.deck} cards, {lowest} to A. Get rid of your cards. The attacker plays a card;",
        "the defender beats it with a higher card of its suit or a trump, or passes and takes the table. Attackers may",
        "then add cards of ranks on the table, or pass. Once all are beaten they are gone, and the defender attacks.",
        f"All draw up to {v.hand}. Who is left with cards at the end has -1, others {others}; draw 0.",
        *(f"Option {one}." for one in more),
    ]
    legend = (
        "You read: hands (p0 3 +9H: three cards, one is 9H; *: all know it); p0>p1: p0 attacks p1; max: attack cards "
        f"this round, else {HAND}; table: attack/beaten by; stock; gone: ranks by suit."
    )
    return f"{' '.join(sentences)}\n{legend}"
