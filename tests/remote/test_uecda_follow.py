"""A client's view of the UECda wire is the one that a seat at the table has, with the history of the round."""

from typing import Any

import numpy as np
import pytest

from kozyr.agents.remote.uecda import game as told
from kozyr.agents.remote.uecda import tables as wire
from kozyr.agents.remote.uecda.game_follower import GAME, VARIANT, GameFollower
from kozyr.envs.daifugo.round import PLAY
from kozyr.envs.daifugo.suited.sets import SIZE
from kozyr.envs.daifugo.variant import SETS
from kozyr.envs.table.table import Table

UNTOLD = "under"  # the wire tells no client which cards it was given


def sent(table: wire.Table) -> wire.Table:
    """Return what arrives of a table."""
    return wire.decode(wire.encode(table))


@pytest.mark.parametrize("me", range(5))
def test_the_view_is_that_of_a_seat(me: int) -> None:
    table, rng, following = Table(GAME, VARIANT, me), np.random.default_rng(me), GameFollower(me)
    spans, compared, longest = GAME.parts(VARIANT).spans(), 0, 0
    s: Any = table.states[0]
    for begun in (1, 2, 3):
        following.deal(sent(told.deal_table(s, me)))
        while s.phase != PLAY:
            action = int(rng.choice(np.flatnonzero(table.mask)))
            if table.turn == me:
                following.give(action)
            table.apply(action)
        while s.rounds == begun:
            if following.before_turn(sent(told.hand_table(s, me))):
                due = GAME.view(VARIANT, s, me).copy()
                due[spans[UNTOLD]] = 0
                np.testing.assert_array_equal(following.view, due)
                compared, longest = compared + 1, max(longest, int(s.log))
            legal = np.flatnonzero(table.mask)
            action = max(legal.tolist(), key=lambda a: (int(SIZE[a]), rng.random())) if rng.random() < 0.8 else 0
            action = action if table.mask[action] else int(legal[0])
            was, turn = told.facts(s), table.turn
            table.apply(action)
            following.acted(sent(told.field_table(was, turn, action)))
        following.ended()
    assert compared > 20
    assert longest > 10


def test_more_sets_than_there_are_cards_do_no_harm() -> None:
    table, following = Table(GAME, VARIANT, 1), GameFollower(1)
    s: Any = table.states[0]
    following.deal(sent(told.deal_table(s, 1)))
    for _ in range(3 * SETS):  # the same moment again and again
        following.before_turn(sent(told.hand_table(s, 1)))
        following.acted(sent(told.field_table(told.facts(s), table.turn, int(np.flatnonzero(table.mask)[-1]))))
    assert following.s.log == SETS
    assert following.view.shape == (GAME.size(VARIANT),)
