"""Tell draw poker once more, slowly: a hand as a story from the ante to the showdown, pots layer by layer."""

from collections import Counter
from collections.abc import Callable, Generator
from typing import Any

from tests.oracles.story import OVER, Question, Story

FOLD, CALL = 0, 1
BETTING, EXCHANGE, SECOND, DONE = range(4)
_START = ["high card", "pair", "two pairs", "three"]
NAMES = {
    "document": [*_START, "full house", "straight", "flush", "straight flush", "four", "royal flush"],
    "standard": [*_START, "straight", "flush", "full house", "four", "straight flush", "royal flush"],
}


def combination(cards: list[int], ranking: str) -> tuple[str, tuple[int, ...]]:
    """Name what five or two cards are and list the ranks that decide between equals, the weightiest first."""
    ranks = [card % 13 for card in cards]
    count = Counter(ranks)
    order = tuple(sorted(count, key=lambda rank: (count[rank], rank), reverse=True))
    shape = sorted(count.values(), reverse=True)
    flush = len(cards) == 5 and len({card // 13 for card in cards}) == 1
    straight = len(order) == 5 and order[0] - order[4] == 4
    if ranking == "standard" and order == (12, 3, 2, 1, 0):
        straight, order = True, (3, 2, 1, 0, -1)
    if straight and flush:
        return ("royal flush" if order[0] == 12 else "straight flush"), order
    if flush or straight:
        return ("flush" if flush else "straight"), order
    names: dict[tuple[int, ...], str] = {
        (4, 1): "four",
        (3, 2): "full house",
        (3, 1, 1): "three",
        (2, 2, 1): "two pairs",
        (2, 1, 1, 1): "pair",
        (1, 1, 1, 1, 1): "high card",
        (2,): "pair",
        (1, 1): "high card",
    }
    return names[tuple(shape)], order


def worth(cards: list[int], ranking: str) -> tuple[int, tuple[int, ...]]:
    """Give a hand a worth that compares as hands do."""
    name, order = combination(cards, ranking)
    return NAMES[ranking].index(name), order


def pots(paid: list[int], contenders: set[int]) -> list[tuple[int, set[int]]]:
    """Split what was paid into pots of (chips, seats that may win it), a layer for each stake of a contender."""
    layers: list[tuple[int, set[int]]] = []
    below = 0
    for level in sorted({paid[seat] for seat in contenders}):
        chips = sum(min(stake, level) - min(stake, below) for stake in paid)
        layers.append((chips, {seat for seat in contenders if paid[seat] >= level}))
        below = level
    if sum(paid) != sum(chips for chips, _ in layers):
        raise ValueError(f"somebody folded more than any contender has paid: {paid}, {contenders}")
    return [layer for layer in layers if layer[0]]


def shares(chips: int, winners: list[int]) -> dict[int, int]:
    """Split a pot evenly; the odd chips go one each to the winners that come first in the list."""
    each, odd = divmod(chips, len(winners))
    return {seat: each + (i < odd) for i, seat in enumerate(winners)}


class DrawPoker(Story):
    """Play one episode; `next_deck` gives the shuffled deck of each hand, an equal part of it to every seat."""

    def __init__(
        self,
        players: int,
        stack: int,
        ante: int,
        max_bet: int,
        ranking: str,
        episode: str,
        max_hands: int,
        deck: int,
        min_raise: bool,
        max_discards: int,
        four_with_ace: bool,
        starter: int,
        next_deck: Callable[[], list[int]],
    ) -> None:
        """Begin with full stacks; the button lies before the starter."""
        self.players, self.stack, self.ante, self.max_bet = players, stack, ante, max_bet
        self.ranking, self.episode, self.max_hands = ranking, episode, max_hands
        self.min_raise, self.max_discards, self.four_with_ace = min_raise, max_discards, four_with_ace
        self.size = 5 if deck == 52 else 2
        self.part, self.next_deck = min(2 * self.size, deck // players), next_deck
        self.button = (starter - 1) % players
        self.chips = [stack] * players
        self.change = [0] * players
        self.out: set[int] = set()
        self.leavers: list[list[int]] = []  # seats that left, a list for each shared place, the first to go first
        self.hands = 0
        self.truncated = False
        self._begin()

    def payoffs(self) -> list[float]:
        """Give each seat its return: the share of the most it could win, or by its place in the tournament."""
        if self.turn != OVER:
            return [0.0] * self.players
        if self.episode == "hand":
            most = (self.players - 1) * min(self.stack, self.ante + 2 * self.max_bet)
            return [change / most for change in self.change]
        result = [0.0] * self.players
        place = self.players  # counted from 1; the first to leave is last
        for group in [*self.leavers, *self._ladder([seat for seat in range(self.players) if seat not in self.out])]:
            mean = sum(place - i for i in range(len(group))) / len(group)
            for seat in group:
                result[seat] = 1 - 2 * (mean - 1) / (self.players - 1)
            place -= len(group)
        return result

    # ------------------------------------------------------------------ the story

    def _game(self) -> Generator[Question, int, None]:
        """Play one hand, or hands until one seat holds everything or the allowed number is spent."""
        while True:
            yield from self._hand()
            if self.episode == "hand":
                return
            if len(self.out) == self.players - 1:
                return
            if self.hands == self.max_hands:
                self.truncated = True
                return
            self.button = self._clockwise(self.button)[0]

    def _hand(self) -> Generator[Question, int, None]:
        """Play a hand from the ante to the payment."""
        self._deal()
        for self.phase in (BETTING, EXCHANGE, SECOND):
            if self.phase == EXCHANGE:
                yield from self._exchange()
            else:
                yield from self._bet()
            if len(self._left()) == 1:
                break
        self.phase = DONE
        self._pay()

    def _deal(self) -> None:
        """Give each seat its cards and those that it may draw, and take the antes."""
        self.hands += 1
        deck = self.next_deck()
        parts = [deck[self.part * k : self.part * (k + 1)] for k in range(self.players)]
        self.hand = [sorted(part[: self.size], key=_by_rank) for part in parts]
        self.reserve = [part[self.size :] for part in parts]
        self.gone: list[list[int]] = [[] for _ in range(self.players)]
        self.exchanged = [-1] * self.players
        self.folded: set[int] = set()
        self.began = list(self.chips)
        self.paid = [0] * self.players
        self.bets = [[0] * self.players, [0] * self.players]
        self.raiser = -1
        for seat in self._left():
            self._put(seat, min(self.ante, self.chips[seat]))

    def _bet(self) -> Generator[Question, int, None]:
        """Ask round the table until everybody who can has matched the highest bet."""
        bets = self.bets[self.phase == SECOND]
        self.raiser = -1
        self.full = 0  # the last raise that was full, and
        self.faced: dict[int, int] = {}  # the highest bet when each seat last acted
        waiting = self._able(self.button)
        while waiting and len(self._left()) > 1:
            seat = waiting.pop(0)
            if self._able(self.button) == [seat] and bets[seat] == max(bets):
                return  # nobody is left to bet against
            action = yield seat, self._bets_open_to(seat)
            if action == FOLD:
                self.folded.add(seat)
                continue
            target = max(bets) if action == CALL else action - CALL
            if action != CALL:
                self.raiser = seat
                if target - max(bets) >= self.full:
                    self.full = target - max(bets)
                waiting = [other for other in self._able(seat) if other != seat]
            put = min(target - bets[seat], self.chips[seat])
            bets[seat] += put
            self._put(seat, put)
            self.faced[seat] = max(bets)

    def _exchange(self) -> Generator[Question, int, None]:
        """Ask everybody in the hand which cards to throw away."""
        first = 2 + self.max_bet
        for seat in [seat for seat in self._clockwise(self.button) if seat in self._left()]:
            most = self.part - self.size
            action = yield (
                seat,
                [
                    first + cards
                    for cards in range(2**self.size)
                    if cards.bit_count() <= most and self._few(seat, [i for i in range(self.size) if cards >> i & 1])
                ],
            )
            thrown = [card for i, card in enumerate(self.hand[seat]) if (action - first) >> i & 1]
            kept = [card for card in self.hand[seat] if card not in thrown]
            self.hand[seat] = sorted(kept + self.reserve[seat][: len(thrown)], key=_by_rank)
            self.gone[seat] = thrown
            self.exchanged[seat] = len(thrown)

    def _pay(self) -> None:
        """Give every pot to the best of its contenders, and send away who has nothing left."""
        for chips, contenders in pots(self.paid, set(self._left())):
            best = max(worth(self.hand[seat], self.ranking) for seat in contenders)
            order = [seat for seat in self._clockwise(self.button) if seat in contenders]
            winners = [seat for seat in order if worth(self.hand[seat], self.ranking) == best]
            for seat, share in shares(chips, winners).items():
                self.chips[seat] += share
        self.paid, self.bets = [0] * self.players, [[0] * self.players, [0] * self.players]
        self.change = [now - before for now, before in zip(self.chips, self.began, strict=True)]
        broke = [seat for seat in range(self.players) if self.chips[seat] == 0 and seat not in self.out]
        if self.episode == "tournament":
            self.leavers += self._ladder(broke, self.began)
            self.out |= set(broke)

    # ------------------------------------------------------------------ who and what

    def _ladder(self, seats: list[int], chips: list[int] | None = None) -> list[list[int]]:
        """Group seats by chips, the poorest group first."""
        held = self.chips if chips is None else chips
        return [[seat for seat in seats if held[seat] == n] for n in sorted({held[seat] for seat in seats})]

    def _clockwise(self, seat: int) -> list[int]:
        """List the seats not out of the tournament clockwise, beginning after a seat and ending with it."""
        seats = [(seat + step) % self.players for step in range(1, self.players + 1)]
        return [other for other in seats if other not in self.out]

    def _left(self) -> list[int]:
        """List the seats that may still win something in this hand."""
        return [seat for seat in range(self.players) if seat not in self.out | self.folded]

    def _able(self, seat: int) -> list[int]:
        """List the seats that can still bet, clockwise after a seat."""
        return [other for other in self._clockwise(seat) if other in self._left() and self.chips[other] > 0]

    def _bets_open_to(self, seat: int) -> list[int]:
        """List what a seat may do in a betting round."""
        bets = self.bets[self.phase == SECOND]
        most = min(self.max_bet, bets[seat] + self.chips[seat])
        raises = list(range(max(bets) + 1, most + 1))
        if self.min_raise:
            if seat in self.faced and max(bets) - self.faced[seat] < self.full:
                raises = []
            raises = [k for k in raises if k - max(bets) >= self.full or k - bets[seat] == self.chips[seat]]
        return [FOLD, CALL, *(CALL + k for k in raises)]

    def _few(self, seat: int, thrown: list[int]) -> bool:
        """Tell whether a seat may throw away the cards in these places."""
        kept = [card for i, card in enumerate(self.hand[seat]) if i not in thrown]
        ace = self.four_with_ace and [card % 13 for card in kept] == [12]
        return len(thrown) <= self.max_discards or ace

    def _put(self, seat: int, chips: int) -> None:
        """Move chips of a seat to the middle."""
        self.chips[seat] -= chips
        self.paid[seat] += chips


def _by_rank(card: int) -> tuple[int, int]:
    """Order cards by rank, then suit."""
    return card % 13, card // 13


def dealt(engine: Any) -> DrawPoker:
    """Return the oracle for an engine's fresh table; later hands it deals as the engine has shuffled."""
    options = engine.game.options(engine.v)
    return DrawPoker(**options, starter=int(engine.s.starter), next_deck=lambda: engine.s.deck.tolist())


def assert_same(engine: Any, oracle: DrawPoker) -> None:
    """Compare everything that both know."""
    s, n = engine.s, oracle.players
    assert (s.turn, s.phase, s.button, s.hands) == (oracle.turn, oracle.phase, oracle.button, oracle.hands)
    assert engine.legal() == oracle.legal()
    assert s.chips[:n].tolist() == oracle.chips
    assert s.bet[:, :n].tolist() == oracle.bets
    assert s.paid[:n].tolist() == oracle.paid
    assert s.change[:n].tolist() == oracle.change
    for seat in range(n):
        if seat not in oracle.out:
            assert [card for card in s.hand[seat] if card >= 0] == oracle.hand[seat]
            assert [card for card in s.discarded[seat] if card >= 0] == oracle.gone[seat]
            assert s.folded[seat] == (seat in oracle.folded)
            assert s.exchanged[seat] == oracle.exchanged[seat]
    assert s.out[:n].tolist() == [seat in oracle.out for seat in range(n)]
    assert s.truncated == oracle.truncated
    assert s.raiser == oracle.raiser or s.turn == OVER
    assert max(abs(a - b) for a, b in zip(engine.payoffs(), oracle.payoffs(), strict=True)) < 1e-6
