"""Tell durak once more, slowly: sets of cards, a list of pairs, a round as a story from top to bottom."""

from collections.abc import Generator
from typing import Any

import numpy as np

from kozyr.envs.durak.rules import DISCARD, NO_CARD, STOCK, TABLE
from tests.games.durak_places import cards, places
from tests.oracles.story import OVER, Question, Story

UNBEATEN = -1
HAND, MOST_ATTACKS = 6, 6


class Durak(Story):
    """Play one game from a given deal: hands by seat, stock in drawing order, trump suit and starter."""

    def __init__(
        self,
        players: int,
        deck: int,
        transfer: bool,
        pile_on: bool,
        open_trump: bool,
        refill: str,
        starter_rule: str,
        max_rounds: int,
        hands: list[list[int]],
        stock: list[int],
        trump: int,
        starter: int,
        bottom: int | None = None,
        hand: int = HAND,
        first_limit: int = MOST_ATTACKS,
        show_trump: bool = False,
    ) -> None:
        """Take the deal; `bottom`, the deck's last card, is by default the last dealt or in the stock."""
        self.players, self.deck, self.ranks, self.hand = players, deck, deck // 4, hand
        self.transfer, self.pile_on, self.refill, self.first_limit = transfer, pile_on, refill, first_limit
        self.max_rounds, self.trump, self.open_trump = max_rounds, trump, open_trump
        self.show_trump, self.was_shown = show_trump, False
        self.hands, self.stock = [set(hand) for hand in hands], list(stock)
        self.bottom = bottom if bottom is not None else (list(stock) or list(hands[-1]))[-1]
        self.discard: set[int] = set()
        self.table: list[list[int]] = []
        self.known: set[int] = {self.bottom} if open_trump and not stock else set()
        self.out: set[int] = set()
        self.rounds = self.limit = 0
        self.truncated = False
        self._check_deal()
        self.attacker = self._first(starter_rule, starter)
        self.defender = self._next(self.attacker)
        self._begin()

    def payoffs(self) -> list[float]:
        """Give each seat its return; all zero until the game is over, when truncated, and without a fool."""
        holders = [seat for seat in range(self.players) if self.hands[seat]]
        if self.turn != OVER or self.truncated or not holders:
            return [0.0] * self.players
        return [-1.0 if seat == holders[0] else 1.0 / (self.players - 1) for seat in range(self.players)]

    # ------------------------------------------------------------------ the story

    def _game(self) -> Generator[Question, int, None]:
        """Play rounds until at most one seat holds cards or the allowed number of rounds is spent."""
        while sum(1 for hand in self.hands if hand) > 1:
            if self.max_rounds and self.rounds == self.max_rounds:
                self.truncated = True
                return
            was_taken = yield from self._round()
            self.rounds += 1
            self._prepare_next(was_taken)

    def _round(self) -> Generator[Question, int, bool]:
        """Play one round from the opening card to the end and tell whether the defender took the cards."""
        self.limit, self.was_shown = self._room(self.defender), False
        opening = yield self.attacker, set(self.hands[self.attacker])
        self._attack(self.attacker, opening)
        while True:
            gave_up = yield from self._defend()
            if gave_up:
                if self.pile_on:
                    yield from self._pile_on()
                self._take_table()
                return True
            one_more = yield from self._throw_in()
            if not one_more:
                self.discard |= self._table_cards()
                self.table = []
                return False

    def _defend(self) -> Generator[Question, int, bool]:
        """Ask the defender about each unbeaten card in the order laid and tell whether he gave up."""
        while any(defence == UNBEATEN for _, defence in self.table):
            pair = next(pair for pair in self.table if pair[1] == UNBEATEN)
            beating = {card for card in self.hands[self.defender] if self._beats(card, pair[0])}
            passing_on = {self.deck + 1 + card for card in self._transfers()}
            showing = {2 * self.deck + 1 for _ in self._to_show()}
            action = yield self.defender, beating | passing_on | showing | {self.deck}
            if action == self.deck:
                return True
            if action > 2 * self.deck:
                self._show()
            elif action > self.deck:
                self._pass_on(action - self.deck - 1)
            else:
                pair[1] = action
                self._leave_hand(self.defender, action)
        return False

    def _throw_in(self) -> Generator[Question, int, bool]:
        """Ask every attacker once, the main one first, and tell whether somebody laid one more card."""
        if len(self.table) == self.limit:
            return False
        for seat in self._attackers_from(self.attacker):
            action = yield seat, self._fitting(seat) | {self.deck}
            if action != self.deck:
                self._attack(seat, action)
                return True
        return False

    def _pile_on(self) -> Generator[Question, int, None]:
        """Let the attackers add to what is taken until all have declined in a row or the limit is reached."""
        waiting = self._attackers_from(self.attacker)
        while waiting and len(self.table) < self.limit:
            seat = waiting.pop(0)
            action = yield seat, self._fitting(seat) | {self.deck}
            if action != self.deck:
                self._attack(seat, action)
                waiting = self._attackers_from(seat)

    def _prepare_next(self, was_taken: bool) -> None:
        """Refill the hands, let seats drop out, and name the next attacker and defender."""
        coming = self._next(self.defender) if was_taken else self.defender
        if self.refill == "coming_attacker":
            order = self._clockwise(coming)
        else:
            order = [seat for seat in self._clockwise(self.attacker) if seat != self.defender]
            order.append(self.defender)
        for seat in order:
            self._draw(seat)
        if not self.stock:
            self.out |= {seat for seat in range(self.players) if not self.hands[seat]}
        if len(self.out) < self.players - 1:
            self.attacker = self._next(coming) if coming in self.out else coming
            self.defender = self._next(self.attacker)

    # ------------------------------------------------------------------ what cards may do

    def _beats(self, card: int, attack: int) -> bool:
        """Tell whether a card beats an attack card."""
        if self._suit(card) == self._suit(attack):
            return self._rank(card) > self._rank(attack)
        return self._suit(card) == self.trump

    def _fitting(self, seat: int) -> set[int]:
        """Collect a seat's cards whose rank lies on the table."""
        ranks = {self._rank(card) for card in self._table_cards()}
        return {card for card in self.hands[seat] if self._rank(card) in ranks}

    def _room(self, seat: int) -> int:
        """Count the attack cards that a round against a seat may have: fewer before the first discard."""
        return min(len(self.hands[seat]), MOST_ATTACKS if self.discard else self.first_limit)

    def _transfers(self) -> set[int]:
        """Collect the cards with which the defender may pass the attack on to the next seat."""
        untouched = all(defence == UNBEATEN for _, defence in self.table)
        room = self._room(self._next(self.defender))
        if not self.transfer or not untouched or len(self.table) + 1 > room:
            return set()
        ranks = {self._rank(attack) for attack, _ in self.table}
        return {card for card in self.hands[self.defender] if ranks == {self._rank(card)}}

    def _to_show(self) -> set[int]:
        """Collect the trump, if any, that passes the attack on by being shown; the next seat must be able to answer."""
        trumps = {card for card in self.hands[self.defender] if self._suit(card) == self.trump}
        ranks = {self._rank(attack) for attack, _ in self.table}
        untouched = [defence for _, defence in self.table] == [UNBEATEN] * len(self.table)
        enough = len(self.table) <= self._room(self._next(self.defender))
        allowed = self.show_trump and not self.was_shown and untouched and enough
        return {card for card in trumps if allowed and {self._rank(card)} == ranks}

    # ------------------------------------------------------------------ how cards travel

    def _attack(self, seat: int, card: int) -> None:
        """Lay an attack card from a seat's hand."""
        self._leave_hand(seat, card)
        self.table.append([card, UNBEATEN])

    def _pass_on(self, card: int) -> None:
        """Lay the transferring card: the defender becomes the attacker of the next seat."""
        self._attack(self.defender, card)
        self._change_parts()

    def _show(self) -> None:
        """Show the trump, which stays in hand and is no secret any more, and pass the attack on."""
        self.known |= self._to_show()
        self.was_shown = True
        self._change_parts()

    def _change_parts(self) -> None:
        """Let the defender attack the next seat, which need not answer more cards than it holds."""
        self.attacker, self.defender = self.defender, self._next(self.defender)
        self.limit = self._room(self.defender)

    def _take_table(self) -> None:
        """Move every card on the table to the defender's hand, for all to see."""
        self.hands[self.defender] |= self._table_cards()
        self.known |= self._table_cards()
        self.table = []

    def _leave_hand(self, seat: int, card: int) -> None:
        """Remove a card from a hand; nobody needs to remember it any more."""
        self.hands[seat].remove(card)
        self.known.discard(card)

    def _draw(self, seat: int) -> None:
        """Fill a hand up to six from the stock, the face-up trump remaining known."""
        while self.stock and len(self.hands[seat]) < self.hand:
            card = self.stock.pop(0)
            self.hands[seat].add(card)
            if self.open_trump and card == self.bottom:
                self.known.add(card)

    # ------------------------------------------------------------------ who and what

    def _clockwise(self, first: int) -> list[int]:
        """List the seats not out, clockwise from a seat."""
        seats = [(first + step) % self.players for step in range(self.players)]
        return [seat for seat in seats if seat not in self.out]

    def _next(self, seat: int) -> int:
        """Name the first seat not out after a seat, clockwise."""
        return next(other for other in self._clockwise((seat + 1) % self.players) if other != seat)

    def _attackers_from(self, first: int) -> list[int]:
        """List the attackers holding cards, clockwise from a seat."""
        return [seat for seat in self._clockwise(first) if seat != self.defender and self.hands[seat]]

    def _table_cards(self) -> set[int]:
        """Collect all cards on the table."""
        return {card for pair in self.table for card in pair if card != UNBEATEN}

    def _rank(self, card: int) -> int:
        """Tell a card's rank, 0 the lowest of the deck."""
        return card % self.ranks

    def _suit(self, card: int) -> int:
        """Tell a card's suit."""
        return card // self.ranks

    def _first(self, starter_rule: str, starter: int) -> int:
        """Name the seat that opens the game."""
        trumps = [card for hand in self.hands for card in hand if self._suit(card) == self.trump]
        if starter_rule != "lowest_trump" or not trumps:
            return starter
        return next(seat for seat in range(self.players) if min(trumps) in self.hands[seat])

    def _check_deal(self) -> None:
        """Refuse a deal that is not the whole deck or whose face-up trump has another suit."""
        cards = [card for hand in self.hands for card in hand] + self.stock
        if sorted(cards) != list(range(self.deck)) or len(self.hands) != self.players:
            raise ValueError("hands and stock must hold every card of the deck once, one hand a seat")
        if self.open_trump and self._suit(self.bottom) != self.trump:
            raise ValueError(f"the face-up card {self.bottom} is not of the trump suit {self.trump}")


def dealt(engine: Any) -> Durak:
    """Return the oracle with the deal of a table that has just been dealt."""
    v, s = engine.v, engine.s
    options, stock = engine.game.options(v), s.stock.tolist()
    return Durak(
        **{name: options[name] for name in ("players", "deck", "transfer", "pile_on", "open_trump", "refill")},
        starter_rule=options["starter"],
        max_rounds=v.max_rounds,
        hands=[cards(s.cards[seat]) for seat in range(v.players)],
        stock=stock[int(s.drawn) : v.deck],
        trump=int(s.trump),
        starter=int(s.starter),
        bottom=stock[v.deck - 1],
        hand=v.hand,
        first_limit=v.first_limit,
        show_trump=v.show_trump,
    )


def assert_same(engine: Any, oracle: Durak) -> None:
    """Compare everything that both know."""
    v, s = engine.v, engine.s
    place = [-2] * v.deck
    laid = [(card, TABLE) for pair in oracle.table for card in pair if card != NO_CARD]
    laid += [(card, seat) for seat, hand in enumerate(oracle.hands) for card in hand]
    for card, where in [*laid, *((c, STOCK) for c in oracle.stock), *((c, DISCARD) for c in oracle.discard)]:
        assert place[card] == -2, "the oracle holds a card twice"
        place[card] = where
    assert places(v, s).tolist() == place
    assert cards(s.known) == sorted(oracle.known)
    assert s.stock[int(s.drawn) : v.deck].tolist() == oracle.stock
    assert s.count[: v.players].tolist() == [len(hand) for hand in oracle.hands]
    assert np.flatnonzero(s.out).tolist() == sorted(oracle.out)
    assert int(s.turn) == oracle.turn
    assert engine.legal() == oracle.legal()
    assert np.allclose(engine.payoffs(), oracle.payoffs())
    if oracle.turn < 0:
        assert bool(s.truncated) == oracle.truncated
        return
    pairs = list(zip(s.attack.tolist(), s.defence.tolist(), strict=True))[: int(s.laid)]
    assert pairs == [tuple(pair) for pair in oracle.table]
    roles = (s.attacker, s.defender, s.limit, s.rounds, s.trump_shown)
    assert roles == (oracle.attacker, oracle.defender, oracle.limit, oracle.rounds + 1, oracle.was_shown)
