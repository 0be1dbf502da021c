"""Capabilities of Daifugo, for networks and trained policies: counted parts, action features, optional parts."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from kozyr.envs.core import capabilities
from kozyr.envs.core.labels import Phrase, phrase
from kozyr.envs.daifugo.actions import PASS
from kozyr.envs.daifugo.suited import sets
from kozyr.envs.daifugo.suited.sets import CARDS
from kozyr.envs.daifugo.variant import JOKER, PASSES, Variant
from kozyr.envs.daifugo.view import Parts


@capabilities.counted_parts.register(Variant)
def counted_parts(v: Variant) -> NDArray[np.int64]:
    """Return the entries that tell how many cards of a rank the others cannot hold: mine and played, [ranks, 2]."""
    at, ranks = Parts(v), np.arange(JOKER + 1)
    if v.suits:
        return np.stack([at.cards + np.arange(CARDS), at.gone + np.arange(CARDS)], 1)
    return np.stack([at.hand + ranks, at.played + ranks], 1)


@capabilities.action_features.register(Variant)
def action_features(v: Variant) -> NDArray[np.int8] | None:
    """Return of each set: its cards, its kind with size and joker, a group's rank, a sequence's ends, and its suits."""
    if not v.suits:
        return None
    ranks, sizes, columns = np.arange(sets.COLUMNS + 2), np.arange(sets.LONGEST + 1), np.arange(sets.COLUMNS)
    cards = (sets.CARDS_OF[:, :, None] >> columns & 1).reshape(sets.ACTIONS, -1)
    low, high, size, joker = (x[:, None] for x in (sets.LOW, sets.HIGH, sets.SIZE, sets.JOKERED))
    alike: list[NDArray[Any]] = [np.equal(sets.KIND, kind)[:, None] for kind in range(sets.SEQUENCE + 1)]
    kinds = [(one & (size == sizes)) * sign for one in alike for sign in (1 - joker, joker)]
    groups = [alike[sets.GROUP] & (size == n) & (low == ranks) for n in range(2, sets.SUITS + 2)]
    places = [alike[sets.SEQUENCE] & (end == ranks) for end in (low, high)]
    suits = sets.SUITS_OF[:, None] >> np.arange(sets.SUITS + 1) & 1
    told = np.concatenate([cards, *kinds, *groups, *places, suits], 1).astype(np.int8)
    return told[:, told.any(0)]


@capabilities.optional_parts.register(Variant)
def optional_parts(v: Variant) -> tuple[str, ...]:
    """Return the option that shows who laid which sets."""
    return ("history",)


_LAST = 7  # the place of the last one in words


@capabilities.result_phrase.register(Variant)
def result_phrase(v: Variant, state: Any, seat: int) -> Phrase:
    """Return the place that a seat took, or the mean of its places in several rounds."""
    if v.rounds > 1:
        mean = f"{1 + state.total[seat] / v.rounds:.3g}"
        return phrase("took place {0} on average of {1} rounds", mean, v.rounds)
    place = int(state.place[seat])
    return phrase(
        "took {0|first|second|third|fourth|fifth|sixth|seventh|last} place", _LAST if place == v.players - 1 else place
    )


@capabilities.stand_in.register(Variant)
def stand_in(v: Variant) -> int | None:
    """Return the pass, where an illegal set counts as one (§14)."""
    return PASS if v.illegal_set == PASSES else None
