"""Cards and sets with suits in words.

A card is its rank and the letter of its suit, "TD"; the joker is "*", and in a set "*5S" where it stands for the five
of spades, "*-S" below the three and "*+S" above the two of a sequence, and "*5" as the fifth five.
"""

from collections.abc import Iterable
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kozyr.envs.core.quote import quote
from kozyr.envs.daifugo.suited.sets import CARDS, COLUMNS, EVERY, JOKER_ROW, LONE, SUITS, Set

RANK_LETTERS, SUIT_LETTERS = "3456789TJQKA2", "SHDC"
STAR = "*"
_COLUMN_LETTERS = f"-{RANK_LETTERS}+"  # with the columns that only a joker has


def card_name(card: int) -> str:
    """Return the text of a card."""
    return STAR if card == CARDS - 1 else RANK_LETTERS[card % COLUMNS] + SUIT_LETTERS[card // COLUMNS]


def names(masks: Any) -> str:
    """Return cards given as a mask for each suit as text, suit by suit, or a dash."""
    held = [suit * COLUMNS + r for suit in range(SUITS) for r in range(COLUMNS) if int(masks[suit]) >> r & 1]
    return " ".join(map(card_name, [*held, *([CARDS - 1] if masks[JOKER_ROW] else [])])) or "-"


def masks_of(text: str) -> NDArray[np.int16]:
    """Return the cards that `names` wrote as a mask for each suit.

    Raises:
        ValueError: for a word that is no card, or comes twice.
    """
    masks = np.zeros(SUITS + 1, np.int16)
    for word in [] if text.strip() == "-" else text.split():
        card = _CARDS.get(word.upper())
        if card is None:
            raise ValueError(f"{quote(word)} in {quote(text)} is no card: write a rank of {RANK_LETTERS} and a suit of "
                             f"{SUIT_LETTERS}, as TD, or * for the joker")  # fmt: skip
        if masks[card // COLUMNS] >> card % COLUMNS & 1:
            raise ValueError(f"{quote(text)} holds {word} twice")
        masks[card // COLUMNS] |= 1 << card % COLUMNS
    return masks


def ones(entries: Iterable[int]) -> NDArray[np.int16]:
    """Return cards given as a 1 each in a view as a mask for each suit."""
    masks = np.zeros(SUITS + 1, np.int16)
    for card in np.flatnonzero(np.asarray(entries)).tolist():
        masks[card // COLUMNS] |= 1 << card % COLUMNS
    return masks


def _set_name(it: Set) -> str:
    if it.kind == LONE:
        return STAR
    columns = range(it.low, it.high + 1)
    places = [(c, suit) for c in columns for suit in range(SUITS) if c and it.cards[suit] >> (c - 1) & 1]
    words = [_COLUMN_LETTERS[c] + SUIT_LETTERS[suit] for c, suit in places]
    if it.joker is None:
        return " ".join(words)
    row, column = it.joker
    stands = f"{STAR}{_COLUMN_LETTERS[column]}{'' if row == JOKER_ROW else SUIT_LETTERS[row]}"
    at = sum((c, suit) < (column, row) for c, suit in places)
    return " ".join([*words[:at], stands, *words[at:]])


def action_name(action: int) -> str:
    """Return an action as text: "pass", or the cards of a set."""
    return _NAMES[action]


def parse(text: str) -> int:
    """Return the action that `text` names; the cards of a set may stand in any order.

    Raises:
        ValueError: if it names none.
    """
    words = text.upper().split()
    action = _numbers().get(tuple(sorted(words)))
    if action is None:
        raise ValueError(
            f"{quote(text)} is no action: write pass, or the cards of a set, as 5S 5H, or 4S *5S 6S with the joker as "
            "the five of spades, or * for the joker alone"
        )
    return action


@cache
def _numbers() -> dict[tuple[str, ...], int]:
    return {tuple(sorted(name.upper().split())): a for a, name in enumerate(_NAMES)}


_CARDS = {card_name(card): card for card in range(CARDS)}
_NAMES = ["pass", *(_set_name(it) for it in EVERY[1:])]
