"""Actions of Daifugo (pass, sets, the lone joker): their numbers, and which are legal.

Without suits a set has a kind: 0 to 3 are 1 to 4 natural cards, 4 to 6 are 1 to 3 of them with the joker, 7 is the
lone joker. With suits the sets are those of `suited.sets`.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from kozyr.envs.compile import inlined, jit
from kozyr.envs.core import dispatch
from kozyr.envs.core.actions import Action, ActionLayout
from kozyr.envs.core.dispatch import implements
from kozyr.envs.core.quote import quote
from kozyr.envs.core.state import OVER
from kozyr.envs.daifugo.round import PLAY
from kozyr.envs.daifugo.suited import rules as suited
from kozyr.envs.daifugo.suited import sets
from kozyr.envs.daifugo.suited import words as suited_words
from kozyr.envs.daifugo.suited.words import RANK_LETTERS, STAR
from kozyr.envs.daifugo.variant import JOKER, RANKS, SUITS, Variant


class Actions(ActionLayout):
    """The kinds of actions, in the order of their numbers; those of sets depend on whether suits matter."""

    skip = Action("pass", word="pass")
    natural = Action(
        "play `size` cards of a rank: {first} + (size − 1) × ranks + rank, for sizes 1 to 4",
        size=lambda v: 0 if v.suits else SUITS * v.ranks,
    )
    jokered = Action(
        "play `size` − 1 cards of a rank and the joker: {first} + (size − 2) × ranks + rank, sizes 2 to 4",
        size=lambda v: 0 if v.suits else (SUITS - 1) * v.ranks,
    )
    cards = Action(
        f"play or give one card: {{first}} + {sets.COLUMNS} × suit + rank",
        size=lambda v: sets.CARDS - 1 if v.suits else 0,
    )
    joker = Action("play or give the joker alone")
    groups = Action(
        f"two to four cards of a rank: {len(sets.GROUP_MASK)} for each, by suits",
        size=lambda v: sets.GROUPS if v.suits else 0,
    )
    joker_groups = Action(
        f"the same with the joker: {len(sets.JOKER_GROUP_MASK)} for each rank, by the suits of the natural cards, then "
        "that of the joker; the last is five of a kind",
        size=lambda v: sets.JOKER_GROUPS if v.suits else 0,
    )
    sequences = Action("sequences: by suit, first card and length", size=lambda v: sets.SEQUENCES if v.suits else 0)
    joker_sequences = Action(
        "sequences with the joker: by suit, first place, length and its place",
        size=lambda v: sets.JOKER_SEQUENCES if v.suits else 0,
    )

    @classmethod
    def parts(cls, variant: Variant, action: int) -> dict[str, Any]:
        """Return the kind of an action, and the cards of a set."""
        text = action_name(variant, action)
        if action == PASS:
            return {"kind": text}
        return {"kind": "play", "cards": text.split() if variant.suits else list(text)}

    @classmethod
    def say(cls, variant: Variant, state: Any, action: int, seat: int | None = None) -> str:
        """Return an action as text: "pass", a set such as "77" or "77*", or "*"; everybody hears the same."""
        return action_name(variant, action)

    @classmethod
    def parse(cls, variant: Variant, text: str) -> int:
        """Return the action that `text` names.

        Raises:
            ValueError: if the text names no action of this variant.
        """
        return parse(variant, text)


PASS, _NATURAL, _JOKERED, *_ = Actions.kinds()  # the pass is the first action, too
_LONE = 2 * SUITS - 1  # the kind of the lone joker
NATURAL = np.array([1, 2, 3, 4, 1, 2, 3, 0], np.int8)  # natural cards of a kind of set
WITH_JOKER = np.array([0, 0, 0, 0, 1, 1, 1, 1], np.int8)


def _sets() -> tuple[NDArray[np.int8], NDArray[np.int8]]:
    """Return the kind and the rank of each set without suits: [ranks, action]."""
    most = Actions(Variant(ranks=RANKS)).size
    kinds, ranks = np.full((RANKS + 1, most), _LONE, np.int8), np.zeros((RANKS + 1, most), np.int8)
    for n in range(1, RANKS + 1):
        v = Variant(ranks=n)
        for a in range(Actions(v).joker):
            kind, argument = Actions.split(v, a)
            ranks[n, a] = argument % n
            kinds[n, a] = argument // n + (SUITS if kind == _JOKERED else 0) - (kind == PASS)
    return kinds, ranks


KIND, RANK = _sets()  # a look-up is faster than a division


@jit
def natural_set(v: Variant, r: int, size: int) -> int:
    """Return the action that lays a set without the joker."""
    return Actions(v).natural + (size - 1) * v.ranks + r


@jit
def joker_set(v: Variant, r: int, size: int) -> int:
    """Return the action that lays a set of two or more, one of them the joker."""
    return Actions(v).jokered + (size - 2) * v.ranks + r


@jit
def single(v: Variant, r: int) -> int:
    """Return the action that lays one card, the joker too."""
    return Actions(v).joker if r == JOKER else natural_set(v, r, 1)


def action_name(v: Variant, action: int) -> str:
    """Return an action as text: "pass", or the cards of a set, the lone joker as "*"."""
    if v.suits:
        return suited_words.action_name(action)
    if action == PASS:
        return "pass"
    kind = KIND[v.ranks, action]
    return RANK_LETTERS[RANK[v.ranks, action] - v.ranks] * NATURAL[kind] + STAR * WITH_JOKER[kind]


def parse(v: Variant, text: str) -> int:
    """Return the action that `text` names.

    Raises:
        ValueError: if the text names no action of this variant.
    """
    if v.suits:
        return suited_words.parse(text)
    word = text.strip().upper()
    if word == "PASS":
        return PASS
    natural = word.removesuffix(STAR)
    joker, size = len(word) - len(natural), len(word)
    ranks = RANK_LETTERS[-v.ranks :]
    if word == STAR:
        return Actions(v).joker
    if not natural or natural != natural[0] * len(natural) or natural[0] not in ranks or size > SUITS:
        raise ValueError(
            f"{quote(text)} is no action: write pass, one to four cards of a rank of {ranks} such as 77 or 77*, or *"
        )
    number = joker_set if joker else natural_set
    return number(v, ranks.index(natural[0]), size)


@implements(dispatch.legal, Variant)
def legal(v: Variant, s: Any, mask: NDArray[np.int8]) -> None:
    """Mark what the seat to move may do (§3, §4, §11)."""
    if v.suits:
        suited.legal(v, s, mask)
        return
    for a in range(Actions(v).size):
        mask[a] = 0
    if s.turn == OVER:
        return
    if s.phase != PLAY:
        mark(v, s, mask, 1, 0, v.ranks)
    elif s.laid == 0:
        for size in range(1, SUITS + 1):
            mark(v, s, mask, size, 0, v.ranks)
    else:
        mask[PASS] = 1
        if s.rank != JOKER:  # nothing beats the lone joker
            mark(v, s, mask, s.laid, 0 if s.upside else s.rank + 1, s.rank if s.upside else v.ranks)


@inlined
def mark(v: Variant, s: Any, mask: NDArray[np.int8], size: int, low: int, high: int) -> None:
    """Mark the sets of one size, with and without the joker, from rank `low` to below `high`, and the lone joker."""
    at, hand = Actions(v), s.hand[s.turn]
    first = at.natural + (size - 1) * v.ranks
    natural = mask[first : first + v.ranks]
    for r in range(low, high):
        natural[r] = hand[r] >= size
    if not hand[JOKER]:
        return
    if size == 1:
        mask[at.joker] = 1
        return
    first = at.jokered + (size - 2) * v.ranks
    joker = mask[first : first + v.ranks]
    for r in range(low, high):
        joker[r] = hand[r] >= size - 1
