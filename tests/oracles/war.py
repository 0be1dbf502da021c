"""Tell War once more, slowly: two queues of cards, two rows on the table, and for each place what it may hold."""

from collections import deque
from collections.abc import Callable, Generator
from typing import Any

from tests.oracles.story import Question, Story

FLIP, OWN_FIRST, OTHER_FIRST, HIGH_FIRST, LOW_FIRST = range(5)
FACE_DOWN = 3

Order = Callable[[int, list[int]], list[int]]


class Slot:
    """Hold one card and the cards that it may be as far as everybody can tell; slots alike share one set."""

    def __init__(self, card: int, may_be: set[int]) -> None:
        self.card, self.may_be = card, may_be

    def show(self) -> None:
        """Let everybody see the card, which then can be nowhere else."""
        self.may_be.remove(self.card)  # for the other slots too
        self.may_be = {self.card}


class War(Story):
    """Play one game from two decks, top card first; `shuffled` tells the order of a pool picked up by chance."""

    def __init__(
        self,
        deck: int,
        pickup: str,
        max_turns: int,
        decks: list[list[int]],
        starter: int,
        shuffled: Order | None = None,
        shortage: str = "lose",
    ) -> None:
        """Take the deal, of which nobody has seen anything."""
        self.ranks, self.pickup, self.max_turns = deck // 4, pickup, max_turns
        self.needed = 1 if shortage == "last_card" else FACE_DOWN + 1
        if sorted(decks[0] + decks[1]) != list(range(deck)):
            raise ValueError("the two decks must hold every card once")
        self.unseen = set(range(deck))
        self.decks = [deque(Slot(card, self.unseen) for card in cards) for cards in decks]
        self.rows: list[list[Slot]] = [[], []]
        self.flips: list[list[list[int]]] = [[], []]  # the same cards, a list a flip
        self.starter, self.shuffled = starter, shuffled
        self.turns = self.wars = 0
        self.truncated = False
        self.winner: int | None = None
        self._begin()

    def payoffs(self) -> list[float]:
        """Give the winner 1 and the other -1; nobody anything before the end and when truncated."""
        if self.winner is None:
            return [0.0, 0.0]
        return [1.0, -1.0] if self.winner == 0 else [-1.0, 1.0]

    # ------------------------------------------------------------------ the story

    def _game(self) -> Generator[Question, int, None]:
        """Play turns until somebody has lost or the allowed number of turns is spent."""
        while True:
            taker = yield from self._turn()
            if taker is None:
                return
            yield from self._pick_up(taker)
            self.turns += 1
            if not self.decks[1 - taker]:
                self.winner = taker
                return
            if self.turns == self.max_turns:
                self.truncated = True
                return

    def _turn(self) -> Generator[Question, int, int | None]:
        """Turn cards up until they differ and tell who takes them, or None if a war could not be fought."""
        yield from self._both_lay(0)
        while self._upturned(0) == self._upturned(1):
            short = [seat for seat in (0, 1) if len(self.decks[seat]) < self.needed]
            self.wars += 1
            if short:
                loser = self.starter if len(short) == 2 else short[0]
                self.winner = 1 - loser
                return None
            yield from self._both_lay(FACE_DOWN)
        return 0 if self._upturned(0) > self._upturned(1) else 1

    def _both_lay(self, face_down: int) -> Generator[Question, int, None]:
        """Ask the starter, then the other, to lay up to so many cards face down and turn the next one over."""
        for seat in (self.starter, 1 - self.starter):
            yield seat, {FLIP}
            fresh = [self.decks[seat].popleft() for _ in range(min(face_down + 1, len(self.decks[seat])))]
            fresh[-1].show()
            self.rows[seat] += fresh
            self.flips[seat].append([slot.card for slot in fresh])

    def _pick_up(self, taker: int) -> Generator[Question, int, None]:
        """Show everybody the pool, then put it below the deck of the winner of the turn."""
        for slot in self.rows[0] + self.rows[1]:
            slot.show()
        own, other = self._row(taker), self._row(1 - taker)
        if self.pickup == "choice":
            action = yield taker, {OWN_FIRST, OTHER_FIRST, HIGH_FIRST, LOW_FIRST}
            pool = self._chosen(action, own, other)
        else:
            pool = self._pool()
        if self.pickup == "random":
            assert self.shuffled is not None
            order = self.shuffled(taker, pool)
            assert sorted(order) == sorted(pool), "the shuffled pool holds other cards"
            somewhere = set(pool)
            self.decks[taker].extend(Slot(card, somewhere) for card in order)
        else:
            self.decks[taker].extend(Slot(card, {card}) for card in pool)
        self.rows, self.flips = [[], []], [[], []]

    # ------------------------------------------------------------------ the cards on the table

    def _row(self, seat: int) -> list[int]:
        """List the cards that a seat has laid in this turn, in that order."""
        return [slot.card for slot in self.rows[seat]]

    def _upturned(self, seat: int) -> int:
        """Tell the rank of the card that a seat turned over last."""
        return self._row(seat)[-1] % self.ranks

    def _pool(self) -> list[int]:
        """List the pool in the fixed order."""
        both = zip(self.flips[self.starter], self.flips[1 - self.starter], strict=True)
        return [card for first, second in both for card in [*first[:-1], *second[:-1], first[-1], second[-1]]]

    def _chosen(self, action: int, own: list[int], other: list[int]) -> list[int]:
        """List the pool in the order that the winner of the turn has chosen."""
        if action == OWN_FIRST:
            return own + other
        if action == OTHER_FIRST:
            return other + own
        ranked = sorted(own + other, key=lambda card: card % self.ranks)  # of equal ranks the winner's come first
        if action == LOW_FIRST:
            return ranked
        return [card for rank in reversed(range(self.ranks)) for card in ranked if card % self.ranks == rank]


def dealt(engine: Any) -> War:
    """Return the oracle with the deal of a table that has just been dealt; it takes shuffled pools from the table."""
    v, s = engine.v, engine.s

    def shuffled(taker: int, pool: list[int]) -> list[int]:
        return line(s, taker)[-len(pool) :]

    decks = [line(s, seat) for seat in (0, 1)]
    options = engine.game.options(v)
    return War(v.deck, options["pickup"], v.max_turns, decks, int(s.starter), shuffled, options["shortage"])


def line(s: Any, seat: int) -> list[int]:
    """List the cards of a seat in a state: those laid in this turn, then its deck from the top."""
    ring, first, end = s.line[seat].tolist(), int(s.first[seat]), int(s.end[seat])
    return [ring[i % len(ring)] for i in range(first, end)]


def blocks(s: Any, deck: int) -> list[set[int]]:
    """Tell for each card of a state with which it can be mistaken: the unseen ones, or its shuffled block."""
    owner, at = s.owner.tolist(), s.at.tolist()
    alike: dict[Any, set[int]] = {}
    names = [(owner[c], at[c]) if owner[c] in (0, 1) else "unseen" for c in range(deck)]
    for card, name in enumerate(names):
        alike.setdefault(name, set()).add(card)
    return [alike[name] for name in names]


def assert_same(engine: Any, oracle: War) -> None:
    """Compare everything that both know, and what everybody at the table knows."""
    v, s = engine.v, engine.s
    assert int(s.turn) == oracle.turn
    assert engine.legal() == oracle.legal()
    assert engine.payoffs() == oracle.payoffs()
    assert bool(s.truncated) == oracle.truncated
    assert (int(s.turns), int(s.wars)) == (oracle.turns, oracle.wars)
    may_be = blocks(s, v.deck)
    for seat, row in enumerate(oracle.rows):
        slots = [*row, *oracle.decks[seat]]
        assert line(s, seat) == [slot.card for slot in slots]
        assert int(s.top[seat] - s.first[seat]) == len(row)
        assert [may_be[slot.card] for slot in slots] == [slot.may_be for slot in slots]
        assert int(s.unseen[seat]) == sum(slot.may_be is oracle.unseen for slot in oracle.decks[seat])
