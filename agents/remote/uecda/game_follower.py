"""Game of a client: the tables that a server sends, followed with the rules, become a view for an agent.

The server is believed: where its tables and the rules disagree, the tables count.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kozyr import envs
from kozyr.agents.remote.uecda import tables as wire
from kozyr.agents.remote.uecda.game import NUMBERS, PLAYERS, STATUS
from kozyr.envs.core import dispatch
from kozyr.envs.core.state import OVER
from kozyr.envs.daifugo.round import GIVE_FIRST, GIVE_SECOND, IN, PLAY, seat_in_order
from kozyr.envs.daifugo.suited.rules import clear, clear_set, hand_over, strength
from kozyr.envs.daifugo.suited.sets import CARDS, COLUMNS, PASS, SUITS_OF
from kozyr.envs.daifugo.variant import GIFTS, SETS

GAME = envs.game("daifugo")
VARIANT = GAME.make_variant(rules="uecda", history=True)
LARGEST = 11  # cards of a hand


class GameFollower:
    """The games of one client, followed table by table; players have the numbers of the wire.

    Args:
        me: the number of the client's player.

    Attributes:
        places: the last game's, from 0, None for those that are not known: drawn, after 20 passes.
        s: our knowledge, as a state of the game; cards of others are not in it.
    """

    def __init__(self, me: int) -> None:
        self.me, self.places = me, list[int | None]([None] * PLAYERS)
        self._states = np.zeros(1, GAME.state)
        self.s: Any = self._states[0]
        seat_in_order(VARIANT, self.s)
        self._round, self._totals = 0, [0] * PLAYERS
        self._dealt: Sequence[int] | None = None  # the hand before the exchange, until its result is told

    # ------------------------------------------------------------------ what the server sends

    def deal(self, table: wire.Table) -> int:
        """Take the table with which a game begins, and return how many cards are to be given."""
        s, before = self.s, [int(place) for place in table[NUMBERS, 5:10]]
        placed = sorted(before) == list(range(PLAYERS))
        clear(s)
        s.payoff[:], s.before[:], s.place[:] = 0, IN, IN
        self._round = self._round % VARIANT.rounds + 1 if placed else 1
        self._totals = [n + place if placed else 0 for n, place in zip(self._totals, before, strict=True)]
        s.rounds, s.total[:PLAYERS] = self._round, self._totals
        self._seat(table)
        self._hand(table)
        self._dealt = wire.read_hand(table)
        if placed:
            s.before[:PLAYERS], self.places = before, list(before)
        s.phase, s.turn = PLAY, OVER
        s.gives = min(int(table[STATUS, 1]), GIFTS - before[self.me]) if placed and before[self.me] < GIFTS else 0
        if s.gives:
            s.phase, s.turn = GIVE_FIRST if before[self.me] == 0 else GIVE_SECOND, self.me
            changes = (2, 1, 0, -1, -2) if s.phase == GIVE_FIRST else (0, 1, 0, -1, 0)
            s.count[:PLAYERS] += [changes[place] for place in before]
        return int(s.gives)

    def give(self, action: int) -> None:
        """Give a card away."""
        s = self.s
        hand_over(s, self.me, self._partner(), action - 1)
        s.gives -= 1

    def before_turn(self, table: wire.Table) -> bool:
        """Take the table that comes before somebody acts, and tell whether it is us."""
        s = self.s
        if s.phase != PLAY or self._dealt is not None:
            self._begin_play(table)
        self._hand(table)
        s.place[s.count > 0] = IN
        s.taken = np.count_nonzero(s.place[:PLAYERS] != IN)
        s.upside = int(table[STATUS, 6] > 0)
        if table[STATUS, 4] and s.lies != PASS:
            clear_set(s)
        if s.lies != PASS and bool(table[STATUS, 7]) != bool(s.bound):
            s.bound = SUITS_OF[s.lies] if table[STATUS, 7] else 0
        s.turn = self._player(int(table[STATUS, 3]))
        return bool(table[STATUS, 2]) and s.turn == self.me

    def acted(self, table: wire.Table) -> None:
        """Take the table that comes after somebody has acted."""
        s, player = self.s, self._player(int(table[STATUS, 3]))
        if s.turn == OVER or s.taken >= PLAYERS - 1:  # over by the rules, which would look for who goes on
            return
        s.turn = player
        action = wire.read_set(table) if table[NUMBERS, player] < s.count[player] else PASS
        s.rounds = 1  # lest the rules deal another round
        s.log = min(int(s.log), SETS - 1)  # a server may tell of more sets than there are cards
        dispatch.play(VARIANT._replace(rounds=1), s, PASS if action is None else action)
        s.rounds = max(self._round, 1)

    def ended(self) -> list[int | None]:
        """Return the places of the game that is over, from 0."""
        drawn = np.count_nonzero(self.s.count[:PLAYERS]) > 1
        self.places = [None if drawn and self.s.count[k] else int(self.s.place[k]) for k in range(PLAYERS)]
        return list(self.places)

    # ------------------------------------------------------------------ what the agent sees

    @property
    def view(self) -> NDArray[Any]:
        """Our view; the wire does not tell the cards that we received."""
        view = GAME.view(VARIANT, self.s, self.me)
        view[GAME.parts(VARIANT).spans()["under"]] = 0
        return view

    @property
    def adds_up(self) -> bool:
        """Whether each card that we do not see is in somebody's hand; else no agent could think about this view."""
        s = self.s
        own, gone = len(cards(s.cards[self.me])), len(cards(s.gone))
        placed = s.before[self.me] != IN
        known = len(cards(s.gave[self.me] & ~s.gone)) if placed else 0
        hidden = int(s.count[:PLAYERS].sum()) - int(s.count[self.me])
        return (
            own == s.count[self.me]
            and own + gone + hidden == CARDS
            and (not known or known <= s.count[self._partner()])
        )

    @property
    def mask(self) -> NDArray[np.int8]:
        """The mask of our legal actions."""
        mask = np.zeros(GAME.actions(VARIANT), np.int8)
        dispatch.legal(VARIANT, self.s, mask)
        return mask

    # ------------------------------------------------------------------

    def _player(self, number: int) -> int:
        if not 0 <= number < PLAYERS:
            raise RuntimeError(f"the server tells of player {number}: there are {PLAYERS}")
        return number

    def _seat(self, table: wire.Table) -> None:
        """Take the order of turns."""
        order = [int(player) for player in table[NUMBERS, 10:15]]
        if sorted(order) != list(range(PLAYERS)):
            raise RuntimeError(f"the server tells of the seats {order}: each player has one")
        for i, player in enumerate(order):
            self.s.next_of[player] = order[(i + 1) % PLAYERS]

    def _hand(self, table: wire.Table) -> None:
        """Take our hand and the sizes of all."""
        counts = [int(count) for count in table[NUMBERS, :PLAYERS]]
        if max(counts) > LARGEST:
            raise RuntimeError(f"the server tells of hands of {counts} cards: {LARGEST} are the most")
        self.s.cards[self.me, :], self.s.count[:PLAYERS] = wire.read_hand(table), counts

    def _partner(self) -> int:
        return int(np.flatnonzero(self.s.before[:PLAYERS] == PLAYERS - 1 - self.s.before[self.me])[0])

    def _begin_play(self, table: wire.Table) -> None:
        """Note which cards we have given, and who begins."""
        s, dealt, now = self.s, self._dealt, wire.read_hand(table)
        s.phase, s.gives, self._dealt = PLAY, 0, None
        s.turn = s.leads = self._player(int(table[STATUS, 3]))
        place = int(s.before[self.me])
        if dealt is None or place < PLAYERS - GIFTS:
            return
        gifts = sorted(cards(dealt), key=strength)[-(place - PLAYERS + GIFTS + 1) :]
        hand = cards(now)
        for card in gifts:
            if card not in hand:
                s.gave[self.me, card // COLUMNS] |= 1 << card % COLUMNS


def cards(masks: Sequence[int] | NDArray[Any]) -> list[int]:
    """Return the numbers of cards given as a mask for each suit and the joker."""
    return [card for card in range(CARDS) if int(masks[card // COLUMNS]) >> card % COLUMNS & 1]
