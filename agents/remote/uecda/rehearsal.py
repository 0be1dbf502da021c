"""Games that only a client of ours hears of, so that nothing is compiled or loaded once it has joined."""

from typing import Any

import numpy as np

from kozyr.agents.player import AgentPlayer
from kozyr.agents.remote.uecda import tables as wire
from kozyr.agents.remote.uecda.follow import GAME, VARIANT, Following
from kozyr.agents.remote.uecda.game import deal_table, facts, field_table, hand_table
from kozyr.envs.compile import compiled
from kozyr.envs.daifugo.exchange import PLAY
from kozyr.envs.table.table import Table

_ASKED = 4  # decisions of a game for which the agent is asked
_MOST = 5  # rehearsals


def rehearse(player: AgentPlayer) -> None:
    """Follow two games and the exchange between them as from a server, until a rehearsal compiles nothing."""
    for seed in range(_MOST):
        before, first = len(compiled), Table(GAME, VARIANT, seed)
        while first.states[0].rounds == 1:
            first.apply(_some(first))
        winner = int(np.flatnonzero(first.states[0].before == 0)[0])
        table, following = Table(GAME, VARIANT, seed), Following(winner)
        player.begin(table.info(winner))
        for _ in range(2):
            _follow(table, following, player)
        if len(compiled) == before:
            return


def _some(table: Table) -> int:
    """Return a legal action: the last one, which is rarely a pass."""
    return int(np.flatnonzero(table.mask)[-1])


def _follow(table: Table, following: Following, player: AgentPlayer) -> None:
    """Play a game and let the agent think about its first decisions."""
    s: Any = table.states[0]
    me, begun, left = following.me, int(s.rounds), _ASKED
    gives = following.deal(_sent(deal_table(s, me)))
    while s.phase != PLAY:
        action = _some(table)
        if gives and table.turn == me:
            player.act(following.view, following.mask, None)
            following.give(action)
        table.apply(action)
    while s.rounds == begun:
        if following.before_turn(_sent(hand_table(s, me))) and left:
            player.act(following.view, following.mask, None)
            left -= 1
        was, turn, action = facts(s), table.turn, _some(table)
        table.apply(action)
        following.acted(_sent(field_table(was, turn, action)))
    following.ended()


def _sent(table: wire.Table) -> wire.Table:
    """Return a table after its way over the wire."""
    return wire.decode(wire.encode(table))
