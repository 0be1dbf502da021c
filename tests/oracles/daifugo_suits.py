"""Tell Daifugo with suits once more, slowly, as the contest's rules say it: cards are words, sets are lists of words.

A card is (column, suit), the joker "*". A set is a frozenset of (card, place): where a card stands, which is elsewhere
than itself for the joker alone. Nothing here looks at the engine's numbers.
"""

from collections.abc import Iterable
from itertools import combinations
from typing import NamedTuple

Card = tuple[int, str]  # (0, "*") is the joker
JOKER: Card = (0, "*")
SUITS = "SHDC"
RANKS = dict(zip("3456789TJQKA2", range(1, 14), strict=True))


def card(word: str) -> Card:
    """Return the card of a word such as TD."""
    return JOKER if word == "*" else (RANKS[word[0]], word[1])


class Laid(NamedTuple):
    """A set: its kind, where its cards stand, and which cards serve it."""

    kind: str
    places: frozenset[tuple[int, str]]
    cards: frozenset[Card]

    @property
    def columns(self) -> list[int]:
        return sorted({column for column, _ in self.places})

    @property
    def suits(self) -> frozenset[str]:
        return frozenset(suit for _, suit in self.places)


LONE = Laid("lone", frozenset(), frozenset({JOKER}))


def groups(hand: Iterable[Card]) -> set[Laid]:
    """Return the singles and groups of a hand."""
    held, found = set(hand), set[Laid]()
    joker = JOKER in held
    for column in range(1, 14):
        mine = [(column, suit) for suit in SUITS if (column, suit) in held]
        for size in range(1, 5):
            for chosen in combinations(mine, size):
                cards = frozenset(chosen)
                found.add(Laid("group", cards, cards))
                free = [(column, suit) for suit in SUITS if (column, suit) not in cards]
                for place in (free or [(column, "fifth")]) if joker else []:
                    found.add(Laid("group", cards | {place}, cards | {JOKER}))
    return found


def sequences(hand: Iterable[Card]) -> set[Laid]:
    """Return the sequences of a hand, at most eleven long: nobody plays from more cards."""
    held, found = set(hand), set[Laid]()
    for suit in SUITS:
        for first in range(15):
            for last in range(first + 2, min(15, first + 11)):
                places = frozenset((column, suit) for column in range(first, last + 1))
                for gap in [None, *places]:
                    cards = places - {gap}
                    if cards <= held and (gap is None or JOKER in held):
                        found.add(Laid("sequence", places, cards | ({JOKER} if gap else set())))
    return found


def sets_of(hand: Iterable[Card]) -> set[Laid]:
    """Return all sets of a hand."""
    return groups(hand) | sequences(hand) | ({LONE} if JOKER in hand else set())


class Round:
    """A round from the first turn on.

    Args:
        hands: of each player; order: the players in the order of turns; first: who holds the three of diamonds.
    """

    def __init__(self, hands: list[set[Card]], order: list[int], first: int) -> None:
        self.hands, self.order, self.turn = hands, order, first
        self.table: Laid | None = None
        self.lock: frozenset[str] | None = None
        self.upside = False
        self.passed = set[int]()
        self.last = first  # who laid the last set
        self.out = list[int]()  # in the order of places
        self.passes = 0
        self.over = False

    def beats(self, it: Laid) -> bool:
        """Tell whether a set may be laid on what lies there."""
        on = self.table
        if on is None:
            return True
        if on == LONE:
            return it.kind == "group" and it.cards == frozenset({(1, "S")})
        single = on.kind == "group" and len(on.places) == 1
        if it == LONE:
            return single
        if it.kind != on.kind or len(it.places) != len(on.places):
            return False
        above = it.columns[0] > on.columns[-1] if not self.upside else it.columns[-1] < on.columns[0]
        return above and (self.lock is None or it.suits == self.lock)

    def legal(self) -> set[Laid | None]:
        """Return what the player on turn may lay; None is the pass."""
        return {None, *(it for it in sets_of(self.hands[self.turn]) if self.beats(it))}

    def _inside(self) -> list[int]:
        return [p for p in self.order if self.hands[p]]

    def _after(self, player: int) -> list[int]:
        """Return all players from the next one on, the player last."""
        i = self.order.index(player)
        return self.order[i + 1 :] + self.order[: i + 1]

    def act(self, it: Laid | None) -> None:
        """Pass or lay a set; the turn goes on, or the round is over."""
        player, clears = self.turn, False
        if it is None:
            self.passed.add(player)
            self.passes += 1
        else:
            clears = self._lay(player, it)
        if len(self._inside()) <= 1 or self.passes >= 20:
            self.over = True
            return
        if clears or set(self._inside()) <= self.passed:
            self.table, self.lock = None, None
            self.passed.clear()
            self.turn = next(p for p in [self.last, *self._after(self.last)] if self.hands[p])
        else:
            self.turn = next(p for p in self._after(player) if self.hands[p] and p not in self.passed)

    def _lay(self, player: int, it: Laid) -> bool:
        """Lay a set and tell whether it clears the table."""
        under, self.passes, self.last = self.table, 0, player
        if it == LONE:
            self.lock = None
        elif under is not None and under.suits == it.suits:
            self.lock = it.suits
        self.table = it
        self.hands[player] -= it.cards
        if len(it.places) >= (4 if it.kind == "group" else 5):
            self.upside = not self.upside
        if not self.hands[player]:
            self.out.append(player)
        return (it != LONE and 6 in it.columns) or under == LONE
