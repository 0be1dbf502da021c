"""Facts of a game on the wire: rows 5 and 6 of every table that is sent."""

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from kozyr.agents.remote.uecda.tables import Table, blank, write_hand, write_set
from kozyr.envs.daifugo.round import IN, PLAY
from kozyr.envs.daifugo.suited.sets import LONE_JOKER, PASS, SIZE, SUITS_OF, TURNS
from kozyr.envs.daifugo.variant import GIFTS

PLAYERS = 5
STATUS, NUMBERS = 5, 6  # rows
_DEALT = 6  # what [5][3] tells in a deal table


@dataclass
class Facts:
    """The common part of all tables of a moment.

    Attributes:
        counts: cards of each player; before: places of the game before, from 0, or all 0; order: players by seats.
        upside, locked, free: whether ranks are turned round, suits are locked, and nothing lies on the table.
        lies: action of the set that lies there.
    """

    counts: list[int]
    before: list[int]
    order: list[int]
    upside: bool = False
    locked: bool = False
    free: bool = True
    lies: int = field(default=PASS)


def facts(s: Any) -> Facts:
    """Return the facts of a table before an action."""
    order = [0]
    while len(order) < PLAYERS:
        order.append(int(s.next_of[order[-1]]))
    before = [max(int(place), 0) for place in s.before[:PLAYERS]]
    counts = [int(n) for n in s.count[:PLAYERS]]
    return Facts(counts, before, order, bool(s.upside), bool(s.bound), s.lies == PASS, int(s.lies))


def after(was: Facts, player: int, action: int) -> Facts:
    """Return the facts right after an action, when nothing has been cleared yet."""
    if action == PASS:
        return was
    counts = [n - int(SIZE[action]) * (k == player) for k, n in enumerate(was.counts)]
    locks = was.locked or (not was.free and SUITS_OF[action] == SUITS_OF[was.lies])
    upside = was.upside != bool(TURNS[action])
    return Facts(counts, was.before, was.order, upside, action != LONE_JOKER and locks, False, action)


def _numbers(table: Table, it: Facts) -> None:
    for k in range(PLAYERS):
        table[NUMBERS, k], table[NUMBERS, 5 + k], table[NUMBERS, 10 + k] = it.counts[k], it.before[k], it.order[k]


def deal_table(s: Any, player: int) -> Table:
    """Return a player's deal: before he has given cards, and with those that he has received."""
    table, it = blank(), facts(s)
    write_hand(table, s.cards[player] | s.gave[player])
    for giver in range(PLAYERS):  # counts are those of the deal
        gifts = sum(int(mask).bit_count() for mask in s.gave[giver])
        it.counts[giver] += gifts
        if gifts:
            it.counts[int(np.flatnonzero(s.before == PLAYERS - 1 - s.before[giver])[0])] -= gifts
    _numbers(table, it)
    table[STATUS, 0], table[STATUS, 1], table[STATUS, 3] = 1, to_give(s, player), _DEALT
    return table


def to_give(s: Any, player: int) -> int:
    """Return the number of cards that a player has to give: 2, 1, 0, or −1 and −2 for those who have given already."""
    place = int(s.before[player])
    if place == IN or s.phase == PLAY:
        return 0
    cards = GIFTS - min(place, PLAYERS - 1 - place)
    return cards if place < GIFTS else -cards if place >= PLAYERS - GIFTS else 0


def hand_table(s: Any, player: int) -> Table:
    """Return the table for a player before an action."""
    table, it = blank(), facts(s)
    write_hand(table, s.cards[player])
    _numbers(table, it)
    table[STATUS, 2], table[STATUS, 3] = s.turn == player, s.turn
    table[STATUS, 4], table[STATUS, 6], table[STATUS, 7] = it.free, it.upside, it.locked
    return table


def field_table(was: Facts, player: int, action: int) -> Table:
    """Return the table for all players after an action, from the facts before it."""
    table, now = blank(), after(was, player, action)
    write_set(table, now.lies, was.upside)
    _numbers(table, now)
    table[STATUS, 3], table[STATUS, 4] = player, was.free and action == PASS
    table[STATUS, 6], table[STATUS, 7] = now.upside, now.locked
    return table
