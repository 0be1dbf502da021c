"""Cards as numbers, suit × ranks + rank, and sets of cards as words: bit `c` is card `c`.

The rules keep the cards of each place as a word, for one operation on a word is faster than a loop over a deck.
"""

from typing import Any

import numpy as np

from kozyr.envs.compile import jit, lowest_bit

DECK, SUITS = 52, 4  # the largest deck
_RANKS_OF = np.maximum(np.arange(DECK + 1) // SUITS, 1)[:, None]
SUIT = (np.arange(DECK) // _RANKS_OF).astype(np.int8)  # [deck, card]: a look-up is faster than a division
RANK = (np.arange(DECK) % _RANKS_OF).astype(np.int8)


@jit
def bit(c: int) -> Any:
    """Return the set of one card."""
    return np.int64(1) << c


@jit
def suit_of(deck: int, suit: int) -> int:
    """Return all cards of a suit."""
    ranks = deck // SUITS
    return bit(ranks) - 1 << suit * ranks


@jit
def rank_of(deck: int, c: int) -> int:
    """Return all cards of a card's rank: one in each suit."""
    ranks = deck // SUITS
    return bit(0) + bit(ranks) + bit(2 * ranks) + bit(3 * ranks) << RANK[deck, c]


@jit
def ranks_of(deck: int, cards: int) -> int:
    """Return all cards of the ranks that some cards have."""
    same_ranks = 0
    while cards:
        same_ranks |= rank_of(deck, lowest_bit(cards))
        cards &= cards - 1
    return same_ranks


@jit
def beating(deck: int, trump: int, c: int) -> int:
    """Return the cards that beat a card: the higher ones of its suit, and trumps unless it is one."""
    suit = SUIT[deck, c]
    higher = suit_of(deck, suit) & -bit(c + 1)
    return higher if suit == trump else higher | suit_of(deck, trump)
