"""Input of Daifugo's actions: cards of one rank are alike, so that they have one key."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from kozyr.envs.compile import jit
from kozyr.envs.core import dispatch, input_spec
from kozyr.envs.core.dispatch import implements
from kozyr.envs.daifugo.actions import KIND, NATURAL, PASS, RANK, WITH_JOKER
from kozyr.envs.daifugo.exchange import PLAY
from kozyr.envs.daifugo.scene_words import GIVE
from kozyr.envs.daifugo.scene_words import PASS as SAY_PASS
from kozyr.envs.daifugo.suited.scene import suited_elements
from kozyr.envs.daifugo.variant import JOKER, RANKS, Variant

PILE = JOKER + 2  # the key of the place where sets are laid


@jit
def key_of(r: int) -> int:
    """Return the key of all cards of a rank, or of the joker."""
    return r + 1


@implements(dispatch.elements, Variant)
def set_elements(v: Variant, s: Any, action: int, row: NDArray[np.int32]) -> None:
    """Name the cards of a set, or the button that passes."""
    for i in range(input_spec.KEYS):
        row[i] = 0
    if v.suits:
        suited_elements(s, action, row)
        return
    if action == PASS:
        row[input_spec.HOW], row[input_spec.SAID] = input_spec.BUTTON, SAY_PASS
        return
    kind, r = KIND[v.ranks, action], int(RANK[v.ranks, action])
    natural, joker = int(NATURAL[kind]), int(WITH_JOKER[kind])
    row[input_spec.HOW], row[input_spec.COUNT] = input_spec.SELECT, natural + joker
    for i in range(natural):
        row[input_spec.KEYS + i] = key_of(r)
    if joker:
        row[input_spec.KEYS + natural] = key_of(JOKER)
    if s.phase == PLAY:
        row[input_spec.SAID], row[input_spec.TARGET] = input_spec.AS_TEXT, PILE
    else:
        row[input_spec.SAID], row[input_spec.SAID_A] = GIVE, RANKS if joker else r + RANKS - v.ranks
