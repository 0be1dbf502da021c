"""Tell Daifugo once more, slowly: hands are lists of letters, sets are words, a round is a story of tricks.

A card is the letter of its rank, the joker a star; a set is a word such as "77" or "K*".
"""

from collections.abc import Callable, Generator
from itertools import islice
from typing import Any

import pytest

LETTERS = "3456789TJQKA2"
JOKER = "*"
OVER = -1
NOBODY = -1
PASS = "pass"

Question = tuple[int, set[str]]
Deal = Callable[[list[str], list[int]], list[list[str]]]


class Luck:
    """Deal as the engine does: SplitMix64 in whole numbers of any length, and a list of the places to be filled."""

    def __init__(self, state: int) -> None:
        self.state = state

    def below(self, n: int) -> int:
        """Draw a number under n and move on."""
        self.state = (self.state + 0x9E3779B97F4A7C15) % 2**64
        z = self.state
        z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9 % 2**64
        z = (z ^ z >> 27) * 0x94D049BB133111EB % 2**64
        z ^= z >> 31
        return (z >> 32) * n >> 32

    def deal(self, deck: list[str], sizes: list[int]) -> list[list[str]]:
        """Give every card of the deck to a random place among those left in hands of the given sizes."""
        hands: list[list[str]] = [[] for _ in sizes]
        places = [seat for seat, size in enumerate(sizes) for _ in range(size)]
        for card in deck:
            hands[places.pop(self.below(len(places)))].append(card)
        return hands


class Daifugo:
    """Play all rounds; `deal` returns the hands of the next round, given the deck and the number of cards a seat."""

    def __init__(self, v: Any, starter: int, hands: list[list[str]], deal: Deal) -> None:
        self.v, self.players, self.starter, self.deal = v, v.players, starter, deal
        self.letters = LETTERS[-v.ranks :]
        self.deck = [letter for letter in self.letters for _ in range(4)] + [JOKER] * v.joker
        self.hands = hands
        self.words = words(self.letters)
        self.round = 0
        self.order = list(range(self.players))
        self.finish: list[int] = []  # the seats of the last round by place
        self.places: list[list[int]] = []  # of each round, by seat
        self.turn = OVER
        self._choices: set[str] = set()
        self._story = self._game()
        self._listen(None)

    def legal(self) -> list[int]:
        """List the action numbers open to the seat to move, none once the game is over."""
        return sorted(self.words.index(word) for word in self._choices)

    def play(self, action: int) -> None:
        """Let the seat to move act."""
        if self.words[action] not in self._choices:
            raise ValueError(f"action {action} is not among {self.legal()} for seat {self.turn}")
        self._listen(self.words[action])

    def payoffs(self) -> list[float]:
        """Give each seat the mean of its rounds; all zero until the game is over."""
        if self.turn != OVER:
            return [0.0] * self.players
        rounds = [[1 - 2 * places[seat] / (self.players - 1) for places in self.places] for seat in self.seats()]
        return [sum(scores) / len(scores) for scores in rounds]

    def seats(self) -> range:
        """List all seats."""
        return range(self.players)

    def in_order(self, hand: list[str]) -> list[str]:
        """Sort cards from 3 to the joker."""
        return sorted(hand, key=(self.letters + JOKER).index)

    def place(self, seat: int) -> int:
        """Tell the place that a seat has taken in this round, −1 while it is still in."""
        if seat in self.front:
            return self.front.index(seat)
        if seat in self.fouls:
            return self.players - 1 - self.fouls.index(seat)
        return self.players - 1 if seat in self.fallen else -1

    # ------------------------------------------------------------------ the story

    def _game(self) -> Generator[Question, str, None]:
        """Play the agreed number of rounds, each after the first in the order of the places before."""
        leader = self.starter
        while self.round < self.v.rounds:
            self.round += 1
            self._set_up()
            if self.finish:
                self.order = self.finish[::-1]
                leader = self.order[0]
                if self.v.exchange:
                    yield from self._exchange()
            yield from self._round(leader)
            self.finish = self.front + self.fallen + self.fouls[::-1]
            self.places.append([self.finish.index(seat) for seat in self.seats()])

    def _set_up(self) -> None:
        """Clear the table and deal; the cards are counted out one by one, after the first round best place first."""
        self.front: list[int] = []  # the seats that went out, in this order
        self.fallen: list[int] = []  # the seat that was dethroned
        self.fouls: list[int] = []  # the seats that went out with a forbidden set, in this order
        self.played: list[str] = []
        self.sets: list[tuple[int, str, bool]] = []  # who laid which set, and whether it led
        self.shown: list[list[str]] = [[] for _ in self.seats()]  # cards that everybody knows in each hand
        self.best: list[str] = [JOKER for _ in self.seats()]  # no other card of the hand is better
        self.pile, self.owner, self.passed = "", NOBODY, set[int]()
        self.upside = False
        self.giving = 0
        if self.round > 1:
            counted = [self.finish[i % self.players] for i in range(len(self.deck))]
            self.hands = self.deal(self.deck, [counted.count(seat) for seat in self.seats()])

    def _exchange(self) -> Generator[Question, str, None]:
        """Let the lowest give their best cards up, and the highest give as many of their choice back."""
        pairs = [(self.finish[0], self.finish[-1], 2)]
        if self.players >= 4:
            pairs.append((self.finish[1], self.finish[-2], 1))
        received: list[int] = []
        for high, low, number in pairs:
            best = sorted(self.hands[low], key=self._strength)[-number:]
            for card in best:
                self._hand_over(low, high, card)
            self.best[low] = best[0]
            received.append(len(best))
        for (high, low, _), number in zip(pairs, received, strict=True):
            for left in range(number, 0, -1):
                self.giving = left
                card = yield high, set(self.hands[high])
                self._hand_over(high, low, card)
        self.giving = 0

    def _round(self, leader: int) -> Generator[Question, str, None]:
        """Play tricks until one seat is left, which takes the place that is left."""
        while len(self._still_in()) > 1:
            yield from self._trick(leader)
            if len(self._still_in()) > 1:
                leader = self._from(self.owner)[0]
                self.pile, self.owner, self.passed = "", NOBODY, set()
        self.front += self._still_in()

    def _trick(self, leader: int) -> Generator[Question, str, None]:
        """Ask for a set and for better ones until nobody answers, an eight stops it or the round is over."""
        word = yield leader, self._sets(leader)
        while word:
            self._lay(self.turn, word)
            if (self.v.eight_stop and "8" in word) or len(self._still_in()) == 1:
                return
            word = yield from self._answer()

    def _answer(self) -> Generator[Question, str, str]:
        """Ask every other seat once, in order from the owner on, and return the first better set, or nothing."""
        if not self.v.pass_lockout:
            self.passed = set()
        for seat in self._from(self.owner):
            if seat != self.owner and seat not in self.passed:
                word = yield seat, {PASS} | {word for word in self._sets(seat) if self._beats(word)}
                if word != PASS:
                    return word
                self.passed.add(seat)
        return ""

    # ------------------------------------------------------------------ how cards travel

    def _lay(self, seat: int, word: str) -> None:
        """Put a set on the pile and see what follows: a revolution, a seat that is out, a throne lost."""
        for card in word:
            self._leave_hand(seat, card)
            self.played.append(card)
        self.sets.append((seat, word, not self.pile))
        self.pile, self.owner = word, seat
        forbidden = {JOKER, self.letters[0 if self.upside else -1], *("8" if self.v.eight_stop else "")}
        if self.v.revolution and len(word) == 4:
            self.upside = not self.upside
        if not self.hands[seat] and self.v.foul_finish and forbidden & set(word):
            self.fouls.append(seat)
        elif not self.hands[seat]:
            self.front.append(seat)
            throned = self.finish[:1] if self.v.dethrone else []
            if throned and not self.fallen and throned[0] in self._still_in():
                self.fallen = throned

    def _hand_over(self, giver: int, taker: int, card: str) -> None:
        """Give a card for all to see."""
        self._leave_hand(giver, card)
        self.hands[taker].append(card)
        self.shown[taker].append(card)

    def _leave_hand(self, seat: int, card: str) -> None:
        """Take a card from a hand, one that everybody knows of if there is one of the kind."""
        self.hands[seat].remove(card)
        if card in self.shown[seat]:
            self.shown[seat].remove(card)

    # ------------------------------------------------------------------ who and what

    def _listen(self, word: str | None) -> None:
        """Go on with the story to its next question."""
        try:
            self.turn, self._choices = next(self._story) if word is None else self._story.send(word)
        except StopIteration:
            self.turn, self._choices = OVER, set()

    def _still_in(self) -> list[int]:
        """List the seats without a place."""
        return [seat for seat in self.seats() if self.place(seat) == -1]

    def _from(self, first: int) -> list[int]:
        """List the seats still in, in turn order, beginning with `first` or who follows it."""
        at = self.order.index(first)
        return [seat for seat in self.order[at:] + self.order[:at] if self.place(seat) == -1]

    def _sets(self, seat: int) -> set[str]:
        """Collect every set that a hand can make."""
        most = {card: self.hands[seat].count(card) for card in self.letters + JOKER}
        return {word for word in self.words[1:] if all(word.count(card) <= most[card] for card in set(word))}

    def _beats(self, word: str) -> bool:
        """Tell whether a set beats the one on the pile."""
        return len(word) == len(self.pile) and self._strength(word[0]) > self._strength(self.pile[0])

    def _strength(self, card: str) -> int:
        """Tell how strong a card is at the moment; the joker is always the strongest."""
        letters = self.letters[::-1] if self.upside else self.letters
        return (letters + JOKER).index(card)


def words(letters: str) -> list[str]:
    """List all actions in the order of their numbers; a set's rank comes before its joker."""
    natural = [letter * size for size in (1, 2, 3, 4) for letter in letters]
    mixed = [letter * (size - 1) + JOKER for size in (2, 3, 4) for letter in letters]
    return [PASS, *natural, *mixed, JOKER]


def dealt(engine: Any) -> Daifugo:
    """Build the oracle of a freshly dealt game; it takes the first hands from the engine and deals by itself later."""
    v, s = engine.v, engine.s
    letters = LETTERS[-v.ranks :]
    hands = [cards(letters, row) for row in s.hand[: v.players].tolist()]
    return Daifugo(v, int(s.starter), hands, Luck(int(s.rng)).deal)


def cards(letters: str, counts: list[int]) -> list[str]:
    """List the cards that a row of the engine's counts stands for."""
    return [letter for letter, n in zip(letters, counts, strict=False) for _ in range(n)] + [JOKER] * counts[13]


def knows(v: Any) -> bool:
    """Tell whether this oracle plays a variant: it knows no suits."""
    return not v.suits


def assert_same(engine: Any, oracle: Daifugo) -> None:
    """Compare everything that both know; once the game is over, what is left on the table does not matter."""
    s = dict(zip(engine.s.dtype.names, engine.states.tolist()[0], strict=True))  # reading fields one by one is slow
    seats, letters = oracle.seats(), oracle.letters
    assert s["turn"] == oracle.turn
    assert engine.legal() == oracle.legal()
    assert s["rounds"] == oracle.round
    assert s["upside"] == oracle.upside
    assert [s["place"][seat] for seat in seats] == [oracle.place(seat) for seat in seats]
    assert cards(letters, list(s["played"])) == oracle.in_order(oracle.played)
    for seat in seats:
        assert cards(letters, list(s["hand"][seat])) == oracle.in_order(oracle.hands[seat])
        assert cards(letters, list(s["known"][seat])) == oracle.in_order(oracle.shown[seat])
        assert s["count"][seat] == len(oracle.hands[seat])
        assert (letters[s["top"][seat]] if s["top"][seat] < 13 else JOKER) == oracle.best[seat]
    log = zip(s["log_seat"], s["log_set"], s["log_lead"], strict=True)
    laid = [(seat, oracle.words[action], lead == 1) for seat, action, lead in islice(log, s["log"])]
    assert laid == (oracle.sets if engine.v.history else [])
    if oracle.turn == OVER:
        assert engine.payoffs() == pytest.approx(oracle.payoffs(), abs=1e-6)
    else:
        assert not any(s["payoff"])
        assert_same_table(s, oracle)


def assert_same_table(s: dict[str, Any], oracle: Daifugo) -> None:
    """Compare the pile, the passes and the order of a game that goes on."""
    seats, after = oracle.seats(), oracle.order[1:] + oracle.order[:1]
    rank = JOKER if s["rank"] == 13 else oracle.letters[s["rank"]]
    natural = s["laid"] - s["jokered"]
    assert (rank * natural + JOKER * s["jokered"] if s["laid"] else "") == oracle.pile
    assert s["owner"] == oracle.owner
    assert {seat for seat in seats if s["passed"][seat]} == oracle.passed
    assert [s["next_of"][seat] for seat in oracle.order] == after
    assert s["gives"] == oracle.giving
    assert [s["before"][seat] for seat in seats] == [oracle.finish.index(k) if oracle.finish else -1 for k in seats]
    assert [s["total"][seat] for seat in seats] == [sum(places[seat] for places in oracle.places) for seat in seats]
