"""Scene of a poker table, as a whole or as one seat knows it, and the input of its actions."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from kozyr.envs.compile import count_bits, jit
from kozyr.envs.core import dispatch, input_spec
from kozyr.envs.core.dispatch import implements
from kozyr.envs.core.labels import NUMBER, TO_MOVE
from kozyr.envs.core.seats import clockwise
from kozyr.envs.core.state import OVER
from kozyr.envs.draw_poker.actions import CALL, DISCARD, FOLD, RAISE, split
from kozyr.envs.draw_poker.deck import hand_size
from kozyr.envs.draw_poker.evaluate import DECK, HAND, NAMES, RANKS, SUITS, category
from kozyr.envs.draw_poker.rules import EXCHANGE, NOBODY, TOURNAMENT, Variant
from kozyr.envs.pictures import scene, zones
from kozyr.envs.pictures.scene import sees

__all__ = ["LABELS", "table_scene"]

(
    BUTTON, OUT, FOLDED, ALL_IN, RAISED, WON, LOST, EVEN, FINAL, BET_FIRST, BET_BOTH, PAID, PAT, EXCHANGED, FIRST_BETS,
    EXCHANGE_PHASE, SECOND_BETS, POT, TO_CALL, HAND_NUMBER, BETS, AFTER_RAISE, EXCHANGES, TAKES, BACK, SHARED, CHAMPION,
    STOPPED, DO_FOLD, DO_CHECK, DO_CALL, DO_ALL_IN, DO_BET, DO_BET_ALL, DO_RAISE, DO_RAISE_ALL, DO_PAT, DO_EXCHANGE,
) = range(1, 39)  # fmt: skip
COMBINATION = 50  # of the ranking 0; that of the ranking 1 follows
_PLACES = "|".join(f"{twice / 2:g}" for twice in range(11))
LABELS = {
    BUTTON: "BUTTON",
    OUT: "OUT",
    FOLDED: "FOLDED",
    ALL_IN: "ALL IN",
    RAISED: "RAISED",
    WON: "WON {0}",
    LOST: "LOST {0}",
    EVEN: "EVEN",
    FINAL: "PLACE {0|" + _PLACES + "}",
    BET_FIRST: "bet {0}",
    BET_BOTH: "bet {0} + {1}",
    PAID: "in the pot {0}",
    PAT: "stands pat",
    EXCHANGED: "exchanged {0}",
    FIRST_BETS: "first bets",
    EXCHANGE_PHASE: "exchange",
    SECOND_BETS: "second bets",
    POT: "pot {0}",
    TO_CALL: "pot {0}, {1} to call",
    HAND_NUMBER: "hand {0}",
    BETS: "{0:seat} bets",
    AFTER_RAISE: "{0:seat} raised to {1}, {2:seat} bets",
    EXCHANGES: "{0:seat} exchanges",
    TAKES: "{0:seat} wins {1} {1|chips|chip|chips}",
    BACK: "everybody gets back what he bet",
    SHARED: "{0:seat} and {1} {1|others|other|others} win",
    CHAMPION: "{0:seat} wins the tournament",
    STOPPED: "stopped after {1} {1|hands|hand|hands}, {0:seat} leads",
    DO_FOLD: "fold",
    DO_CHECK: "check",
    DO_CALL: "call {0}",
    DO_ALL_IN: "all in {0}",
    DO_BET: "bet {0}",
    DO_BET_ALL: "bet {0}, all in",
    DO_RAISE: "raise to {0}",
    DO_RAISE_ALL: "raise to {0}, all in",
    DO_PAT: "stand pat",
    DO_EXCHANGE: "exchange {0} {0|cards|card|cards}",
    COMBINATION: "{0|" + "|".join(NAMES[0]) + "}",
    COMBINATION + 1: "{0|" + "|".join(NAMES[1]) + "}",
}

PLACES = DECK + 1  # IDs of the places of others' cards begin here, those of what they discarded at GONE
GONE = PLACES + 64
PHASES = 3


@implements(dispatch.scene, Variant)
def table_scene(v: Variant, s: Any, seat: int, out: NDArray[np.int32]) -> None:
    """Draw the seats from the watching one on, then the phases, the pot and what happens."""
    zones.picture(out, scene.FELT)
    for i in range(v.players):
        person(v, s, seat, clockwise(max(seat, 0), i, v.players), out)
    zones.zone(out, zones.MIDDLE)
    zones.zone(out, zones.LINES)
    if s.turn == OVER:
        result(v, s, out)
        return
    status(s, out)
    pot(v, s, out)
    for phase in range(PHASES):
        zones.tag(out, FIRST_BETS + phase, scene.GOLD if s.phase == phase else scene.DARK)
        if phase:
            zones.follow(out)
    if v.episode == TOURNAMENT:
        zones.label(out, HAND_NUMBER, 0, int(s.hands))


@jit
def person(v: Variant, s: Any, seat: int, who: int, out: NDArray[np.int32]) -> None:
    """Write one seat: its name and marks, its cards, its chips and bets."""
    away = s.folded[who] or s.out[who]
    zones.seat(out, who, s.turn, scene.FADED if away else 0)
    marks(v, s, who, out)
    zones.zone(out, zones.CARDS)
    if s.began[who] > 0:
        hand(v, s, seat, who, out)
    money(v, s, who, out)
    discarded(s, seat, who, out)


@jit
def visible(v: Variant, s: Any, seat: int, who: int) -> bool:
    """Return True if `seat` sees the hand of `who`: its own, and at the showdown those that were not folded."""
    if sees(seat, who):
        return True
    left = 0
    for k in range(v.players):
        left += s.began[k] > 0 and not s.folded[k]
    return s.turn == OVER and left > 1 and s.began[who] > 0 and not s.folded[who]


@jit
def hand(v: Variant, s: Any, seat: int, who: int, out: NDArray[np.int32]) -> None:
    """Write a hand, face up or down, and what it is called."""
    open_hand, flags = visible(v, s, seat, who), scene.FADED if s.folded[who] else 0
    for i in range(hand_size(v)):
        name, face = PLACES + who * HAND + i, scene.BACK
        if open_hand:
            face = int(s.hand[who, i]) + 1
            name = face if sees(seat, who) else name
        zones.card(out, name, i + 1 if s.turn == who else 0, face, flags)
    if open_hand:
        zones.label(out, COMBINATION + v.ranking, zones.FAINT, category(s.hand[who], v.ranking))


@jit
def discarded(s: Any, seat: int, who: int, out: NDArray[np.int32]) -> None:
    """Write the cards that a seat has discarded, face up to who knows them."""
    count = int(s.exchanged[who])
    if count <= 0:
        return
    zones.zone(out, zones.CARDS, zones.ASIDE)
    if not sees(seat, who):
        zones.backs(out, GONE + who * HAND, count)
        return
    for i in range(DECK):
        c = i % SUITS * RANKS + i // SUITS
        if threw(s, who, c):
            zones.card(out, c + 1, 0, c + 1)


@jit
def threw(s: Any, who: int, c: int) -> bool:
    """Return True if a seat has discarded a card; in which order it did, it has forgotten."""
    among = False
    for i in range(int(s.exchanged[who])):
        among |= s.discarded[who, i] == c
    return bool(among)


@jit
def marks(v: Variant, s: Any, who: int, out: NDArray[np.int32]) -> None:
    """Write the tags that say what a seat is doing, or what it got."""
    over = s.turn == OVER
    if s.button == who:
        zones.tag(out, BUTTON, scene.WHITE)
    if s.out[who] and not over:
        zones.tag(out, OUT, scene.GREY)
        return
    if s.folded[who] and (not over or s.began[who] > 0):
        zones.tag(out, FOLDED, scene.GREY)
    if over:
        won(v, s, who, out)
    if over or s.folded[who]:
        return
    if s.chips[who] == 0:
        zones.tag(out, ALL_IN, scene.BAD)
    if s.raiser == who and s.phase != EXCHANGE:
        zones.tag(out, RAISED, scene.BLUE)
    if s.turn == who:
        zones.tag(out, TO_MOVE, scene.GOLD)


@jit
def won(v: Variant, s: Any, who: int, out: NDArray[np.int32]) -> None:
    """Write what a seat won in the last hand, and its place in a tournament."""
    change = int(s.change[who])
    if s.began[who] > 0:
        if change > 0:
            zones.tag(out, WON, scene.GOOD, change)
        else:
            zones.tag(out, LOST if change else EVEN, scene.BAD if change else scene.GREY, -change)
    if v.episode == TOURNAMENT:
        zones.tag(out, FINAL, scene.BLUE, int(s.place[who]))


@jit
def money(v: Variant, s: Any, who: int, out: NDArray[np.int32]) -> None:
    """Write a seat's chips, its bets and how many cards it exchanged, in lines of their own."""
    chips, count = int(s.chips[who]), int(s.exchanged[who])
    zones.zone(out, zones.LINES)
    zones.add(out, scene.CHIPS, 0, 0, 0, 0, 0, min(5, 1 + 4 * chips // (v.stack + 1)) if chips else 0)
    zones.label(out, NUMBER, scene.AFTER, chips)
    if s.began[who] == 0 or s.turn == OVER:
        return
    zones.label(out, BET_BOTH if s.phase > EXCHANGE else BET_FIRST, scene.END, int(s.bet[0, who]), int(s.bet[1, who]))
    zones.label(out, PAID, zones.FAINT, int(s.paid[who]))
    if count >= 0:
        zones.label(out, EXCHANGED if count else PAT, zones.FAINT, count)


@jit
def pot(v: Variant, s: Any, out: NDArray[np.int32]) -> None:
    """Write the pot, and what the seat to move has to add to stay in."""
    paid = 0
    for k in range(v.players):
        paid += s.paid[k]
    for i in range(PHASES):
        zones.add(out, scene.CHIPS, 0, 0, i, 0, 0, 1 + (paid + i) % 4)
    owed = 0 if s.phase == EXCHANGE else s.highest - s.bet[s.phase >> 1, s.turn]
    zones.label(out, TO_CALL if owed > 0 else POT, scene.BOLD, paid, owed)


@jit
def status(s: Any, out: NDArray[np.int32]) -> None:
    """Write who raised and whose move it is."""
    if s.phase == EXCHANGE:
        zones.label(out, EXCHANGES, 0, int(s.turn))
    elif s.raiser == NOBODY:
        zones.label(out, BETS, 0, int(s.turn))
    else:
        zones.label(out, AFTER_RAISE, 0, int(s.raiser), int(s.highest), int(s.turn))


@jit
def result(v: Variant, s: Any, out: NDArray[np.int32]) -> None:
    """Write how the episode ended."""
    best, winners = 0, 0
    for k in range(v.players):
        winners += s.change[k] > 0
        if s.payoff[k] > s.payoff[best]:
            best = k
    label, number = TAKES, int(s.change[best])
    if v.episode == TOURNAMENT:
        label, number = STOPPED if s.truncated else CHAMPION, int(s.hands)
    elif winners == 0:
        label = BACK
    elif winners > 1:
        label, number = SHARED, winners - 1
    zones.tag(out, label, scene.GOLD, best, number)


@implements(dispatch.elements, Variant)
def poker_elements(v: Variant, s: Any, action: int, row: NDArray[np.int32]) -> None:
    """Tell the button, the stake, or the cards by their places in the hand."""
    input_spec.press(row)
    kind, n = split(v, action)
    if kind == FOLD:
        input_spec.press(row, DO_FOLD)
    elif kind == CALL:
        call(s, row)
    elif kind == DISCARD:
        discards(n, row)
    elif kind == RAISE:
        stake(s, n + 1, row)


@jit
def call(s: Any, row: NDArray[np.int32]) -> None:
    """Say check, call, or all in if that takes the last chip."""
    chips = int(s.chips[s.turn])
    owed = s.highest - s.bet[s.phase >> 1, s.turn]
    said = DO_CHECK if owed <= 0 else DO_CALL if owed < chips else DO_ALL_IN
    input_spec.press(row, said, min(owed, chips))


@jit
def stake(s: Any, bet: int, row: NDArray[np.int32]) -> None:
    """Set the number that the bet will be."""
    last = bet - s.bet[s.phase >> 1, s.turn] == s.chips[s.turn]
    if s.highest == 0:
        input_spec.set_amount(row, DO_BET_ALL if last else DO_BET, bet)
    else:
        input_spec.set_amount(row, DO_RAISE_ALL if last else DO_RAISE, bet)


@jit
def discards(subset: int, row: NDArray[np.int32]) -> None:
    """Choose cards of one's hand by their places; none is standing pat."""
    input_spec.select(row, DO_EXCHANGE if subset else DO_PAT, count_bits(subset))
    for i in range(HAND):
        if subset >> i & 1:
            input_spec.use(row, i + 1)
