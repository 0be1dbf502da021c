"""Durak: the rules and nothing else.

A card is suit × ranks + rank. § points to the paragraphs of RULES.md; `actions.py` tells which moves are legal.
"""

from typing import Any, NamedTuple

import numpy as np

from kozyr.envs.compile import jit
from kozyr.envs.core import dispatch
from kozyr.envs.core.dispatch import implements
from kozyr.envs.core.rng import below, shuffle
from kozyr.envs.core.seats import clockwise, following
from kozyr.envs.core.state import OVER, layout
from kozyr.envs.core.variant import Field
from kozyr.envs.durak.cards import DECK, SUITS, bit, rank_of, suit_of

SEATS = 6  # at most
HAND = 6  # cards dealt and to refill to, unless the option says otherwise, and attack cards a round
STOCK, TABLE, DISCARD, PLACES = 6, 7, 8, 9  # places of a card; smaller numbers are hands
NO_CARD = -1  # nothing on the table there
OLD_ATTACKER = LOWEST_TRUMP = 1  # second choices of `refill` and of `starter`


class Variant(NamedTuple):
    """The options of the game."""

    players: int = 2
    deck: int = 52
    transfer: bool = False
    pile_on: bool = False
    open_trump: bool = False
    refill: int = 0
    starter: int = 0
    max_rounds: int = 1000
    hand: int = HAND
    first_limit: int = HAND
    show_trump: bool = False


FIELDS = {
    "players": Field("number of seats (§1)", 2, SEATS),
    "deck": Field("cards in the deck, the highest ranks of each suit (§1)", numbers=(8, 12, 16, 20, 24, 36, 52)),
    "transfer": Field("the defender may pass an attack on with a card of its rank (§8)"),
    "pile_on": Field("attackers may add cards after the defender has passed (§6)"),
    "open_trump": Field("the bottom card of the stock lies face up and is the trump (§2)"),
    "refill": Field("who draws first (§9)", choices=("coming_attacker", "old_attacker")),
    "starter": Field("who attacks first (§1)", choices=("drawn", "lowest_trump")),
    "max_rounds": Field("rounds after which the game is truncated; 0: never (§12)", 0, 1_000_000),
    "hand": Field("cards dealt to each seat, and to refill to; fewer for small exact experiments (§1, §9)", 1, HAND),
    "first_limit": Field("attack cards that a round may have until cards are discarded (§3)", 1, HAND, later=True),
    "show_trump": Field(
        "the defender may transfer by showing the trump of the attack's rank (§15)", later=True, static=True
    ),
}
_PODKIDNOY = {
    "deck": 36,
    "pile_on": True,
    "open_trump": True,
    "refill": "old_attacker",
    "starter": "lowest_trump",
    "first_limit": 5,
}
_PEREVODNOY = {**_PODKIDNOY, "transfer": True}
_PROYEZDNOY = {**_PEREVODNOY, "show_trump": True}
PRESETS = {"classic": _PODKIDNOY, "podkidnoy": _PODKIDNOY, "perevodnoy": _PEREVODNOY, "proyezdnoy": _PROYEZDNOY}

STATE = layout(
    SEATS,
    ("cards", np.int64, PLACES),  # the cards in each place, a bit for each: the seats' hands, STOCK, TABLE, DISCARD
    ("known", np.int64),  # those that everybody knows to be in the hand where they are
    ("fits", np.int64),  # those whose rank lies on the table
    ("stock", np.int8, DECK),  # the shuffled deck; the next card to be drawn is stock[drawn]
    ("drawn", np.int32),  # cards dealt and drawn so far
    ("count", np.int32, SEATS),  # cards in each hand
    ("out", np.int8, SEATS),  # 1 for seats that have left the game
    ("attack", np.int8, HAND),  # attack cards on the table in the order laid
    ("defence", np.int8, HAND),  # the card that beats each, or NO_CARD
    ("trump_shown", np.int16),  # 1 once an attack of this round was transferred by showing a trump
    ("laid", np.int32),  # attack cards on the table
    ("beaten", np.int32),  # how many of them are beaten; they are beaten in order
    ("limit", np.int32),  # attack cards allowed in this round
    ("passes", np.int32),  # attackers that have passed in a row
    ("taking", np.int32),  # 1 once the defender has passed and more may be piled on
    ("trump", np.int32),  # suit
    ("attacker", np.int32),  # seat that opened the round or transferred it
    ("defender", np.int32),  # seat that beats, or takes
    ("rounds", np.int32),  # rounds begun
)


def complaint(v: Variant) -> str:
    """Return the reason why a variant is impossible, or ""."""
    if v.players * v.hand > v.deck:
        most = v.deck // v.hand
        return f"players={v.players} with deck={v.deck} cannot be dealt: at most {most} players with that deck"
    if v.show_trump and not v.transfer:
        return "show_trump=True does nothing without transfers: set transfer=True too"
    return ""


@implements(dispatch.start, Variant)
def start(v: Variant, s: Any, seed: int, starter: int) -> None:
    """Shuffle, deal every seat its cards, name the trump and open the first round (§1, §2)."""
    s.rng = np.uint64(seed)
    s.turn, s.ply, s.truncated, s.rounds, s.drawn = 0, 0, 0, 0, 0
    if v.show_trump:
        s.trump_shown = 0
    s.cards[:], s.known, s.fits, s.cards[STOCK] = 0, 0, 0, bit(v.deck) - 1
    s.attack[:], s.defence[:] = NO_CARD, NO_CARD
    for seat in range(SEATS):
        s.payoff[seat], s.out[seat], s.count[seat] = 0.0, 0, 0
    for c in range(v.deck):
        s.stock[c] = c
    shuffle(s, s.stock, v.deck)
    bottom = s.stock[v.deck - 1]
    suit, first = below(s, SUITS), below(s, v.players)
    s.trump = bottom // (v.deck // SUITS) if v.open_trump else suit
    for seat in range(v.players):
        refill(v, s, seat)
    if starter >= 0:
        first = starter
    elif v.starter == LOWEST_TRUMP:
        first = holder_of_lowest_trump(v, s, first)
    s.starter = first
    begin_round(v, s, first)


@jit
def holder_of_lowest_trump(v: Variant, s: Any, otherwise: int) -> int:
    """Return the seat with the lowest trump in a hand, or `otherwise` if there is none (§1)."""
    best, lowest = otherwise, bit(v.deck)
    for seat in range(v.players):
        trumps = s.cards[seat] & suit_of(v.deck, s.trump)
        if trumps and trumps & -trumps < lowest:
            best, lowest = seat, trumps & -trumps
    return best


@jit
def begin_round(v: Variant, s: Any, attacker: int) -> None:
    """Let `attacker` open a round against the next seat in the game (§3, §5)."""
    s.attacker, s.turn = attacker, attacker
    s.defender = following(attacker, s.out, v.players)
    s.laid, s.beaten, s.passes, s.taking = 0, 0, 0, 0
    s.limit = min(most_attacks(v, s), s.count[s.defender])
    s.rounds += 1


@jit
def most_attacks(v: Variant, s: Any) -> int:
    """Return the most attack cards of a round, whatever the defender holds (§3)."""
    return HAND if s.cards[DISCARD] else v.first_limit


@jit
def attack(v: Variant, s: Any, c: int) -> None:
    """Lay an attack card; the defender answers, or more may be piled on (§3, §5, §6)."""
    seat = s.turn
    lay(v, s, c)
    if not s.taking:
        s.turn = s.defender
    elif s.laid == s.limit:
        end_round(v, s)
    else:
        ask_attackers(v, s, seat)


@jit
def lay(v: Variant, s: Any, c: int) -> None:
    """Move an attack card from the mover's hand to the table."""
    s.attack[s.laid], s.defence[s.laid] = c, NO_CARD
    s.laid += 1
    leave_hand(v, s, c)


@jit
def leave_hand(v: Variant, s: Any, c: int) -> None:
    """Put a card of the mover on the table; passes are counted anew (§5)."""
    card = bit(c)
    s.cards[s.turn] &= ~card
    s.cards[TABLE] |= card
    s.known &= ~card
    s.fits |= rank_of(v.deck, c)
    s.count[s.turn] -= 1
    s.passes = 0


@jit
def ask_attackers(v: Variant, s: Any, seat: int) -> None:
    """Give the move to the first attacker with cards from `seat` clockwise, or end the round (§5)."""
    for i in range(v.players):
        k = clockwise(seat, i, v.players)
        if k != s.defender and s.count[k] > 0:
            s.turn = k
            return
    end_round(v, s)


@jit
def beat(v: Variant, s: Any, c: int) -> None:
    """Beat the open card; when none is open, the attackers act from the first on (§4, §5)."""
    s.defence[s.beaten] = c
    s.beaten += 1
    leave_hand(v, s, c)
    if s.beaten == s.laid:
        if s.laid == s.limit:
            end_round(v, s)
        else:
            ask_attackers(v, s, s.attacker)


@jit
def give_up(v: Variant, s: Any) -> None:
    """Pass as the defender: take the table, or let the attackers pile on first (§6)."""
    s.taking = 1
    if v.pile_on and s.laid < s.limit:
        s.passes = 0
        ask_attackers(v, s, s.attacker)
    else:
        end_round(v, s)


@jit
def pass_on(v: Variant, s: Any) -> None:
    """Pass as an attacker; the round is over when all with cards have passed in a row (§5)."""
    holders = 0
    for k in range(v.players):
        holders += k != s.defender and s.count[k] > 0
    s.passes += 1
    if s.passes == holders:
        end_round(v, s)
    else:
        ask_attackers(v, s, clockwise(s.turn, 1, v.players))


@jit
def transfer(v: Variant, s: Any, c: int) -> None:
    """Pass the attack on to the next seat with a card of its rank (§8)."""
    lay(v, s, c)
    change_parts(v, s)


@jit
def show_trump(v: Variant, s: Any) -> None:
    """Pass the attack on by showing the trump of its rank, which everybody then knows to be in that hand (§15)."""
    s.known |= trump_of_attack(v, s)
    s.trump_shown = 1
    change_parts(v, s)


@jit
def trump_of_attack(v: Variant, s: Any) -> int:
    """Return the trump of the first attack card's rank, as a set of one card (§15)."""
    return rank_of(v.deck, s.attack[0]) & suit_of(v.deck, s.trump)


@jit
def change_parts(v: Variant, s: Any) -> None:
    """Make the defender the attacker of the next seat, whose hand limits the attack anew (§8)."""
    s.attacker, s.defender = s.turn, following(s.turn, s.out, v.players)
    s.limit, s.turn = min(most_attacks(v, s), s.count[s.defender]), s.defender


@jit
def end_round(v: Variant, s: Any) -> None:
    """Clear the table, refill, and begin the next round or end the game (§7, §9 to §12)."""
    coming = following(s.defender, s.out, v.players) if s.taking else s.defender
    clear_table(v, s)
    refill_all(v, s, coming)
    left = 0
    for seat in range(v.players):
        if s.drawn == v.deck and s.count[seat] == 0:
            s.out[seat] = 1
        left += 1 - s.out[seat]
    if left <= 1:
        finish(v, s, left)
    elif s.rounds == v.max_rounds:
        s.turn, s.truncated = OVER, 1
    else:
        begin_round(v, s, following(coming, s.out, v.players) if s.out[coming] else coming)


@jit
def clear_table(v: Variant, s: Any) -> None:
    """Move the table to the discard pile, or to the hand of the defender, who is then known to hold it (§7)."""
    table = s.cards[TABLE]
    s.cards[s.defender if s.taking else DISCARD] |= table
    if s.taking:
        s.known |= table
        s.count[s.defender] += s.laid + s.beaten
    s.cards[TABLE], s.fits, s.laid, s.beaten = 0, 0, 0, 0
    if v.show_trump:
        s.trump_shown = 0


@jit
def refill_all(v: Variant, s: Any, coming: int) -> None:
    """Let every seat fill its hand in the variant's order (§9)."""
    if s.drawn == v.deck:
        return
    old = v.refill == OLD_ATTACKER
    first = s.attacker if old else coming
    for i in range(v.players):
        seat = clockwise(first, i, v.players)
        if not (old and seat == s.defender):
            refill(v, s, seat)
    if old:
        refill(v, s, s.defender)


@jit
def refill(v: Variant, s: Any, seat: int) -> None:
    """Let one seat fill its hand; an open trump is seen when it is drawn (§2, §9)."""
    while s.count[seat] < v.hand and s.drawn < v.deck:
        card = bit(s.stock[s.drawn])
        s.drawn += 1
        s.cards[STOCK] &= ~card
        s.cards[seat] |= card
        if v.open_trump and s.drawn == v.deck:
            s.known |= card
        s.count[seat] += 1


@jit
def finish(v: Variant, s: Any, left: int) -> None:
    """Pay out: the last seat with cards is the fool; without one it is a draw (§11)."""
    s.turn = OVER
    if left:
        for seat in range(v.players):
            s.payoff[seat] = 1.0 / (v.players - 1) if s.out[seat] else -1.0
