"""Scene of a poker table, as a whole or as one seat knows it, and the input of its actions."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from kozyr.envs.compile import jit
from kozyr.envs.core import dispatch, input_spec
from kozyr.envs.core.dispatch import implements
from kozyr.envs.core.state import OVER
from kozyr.envs.draw_poker.actions import CALL, DISCARD, FOLD, RAISE, split
from kozyr.envs.draw_poker.deck import hand_size
from kozyr.envs.draw_poker.evaluate import DECK, HAND, NAMES, RANKS, SUITS, category
from kozyr.envs.draw_poker.rules import EXCHANGE, NOBODY, TOURNAMENT, Variant
from kozyr.envs.pictures import scene
from kozyr.envs.pictures.scene import CARD_HIGH, CARD_WIDE, put, sees, tag, words

__all__ = ["LABELS", "table_scene"]

(
    NAME, BUTTON, OUT, FOLDED, ALL_IN, TO_MOVE, RAISED, WON, LOST, EVEN, FINAL, CHIPS, BET_FIRST, BET_BOTH, PAID, PAT,
    EXCHANGED, FIRST_BETS, EXCHANGE_PHASE, SECOND_BETS, POT, TO_CALL, HAND_NUMBER, BETS, AFTER_RAISE, EXCHANGES, TAKES,
    BACK, SHARED, CHAMPION, STOPPED, DO_FOLD, DO_CHECK, DO_CALL, DO_ALL_IN, DO_BET, DO_BET_ALL, DO_RAISE, DO_RAISE_ALL,
    DO_PAT, DO_EXCHANGE,
) = range(1, 42)  # fmt: skip
COMBINATION = 50  # of the ranking 0; that of the ranking 1 follows
_PLACES = "|".join(f"{twice / 2:g}" for twice in range(11))
LABELS = {
    NAME: "{0:seat}",
    BUTTON: "BUTTON",
    OUT: "OUT",
    FOLDED: "FOLDED",
    ALL_IN: "ALL IN",
    TO_MOVE: "TO MOVE",
    RAISED: "RAISED",
    WON: "WON {0}",
    LOST: "LOST {0}",
    EVEN: "EVEN",
    FINAL: "PLACE {0|" + _PLACES + "}",
    CHIPS: "{0}",
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

MARGIN, GAP = 180, 140
HEAD, FOOT = 660, 670  # of a panel, above and below its cards
SMALL_WIDE, SMALL_HIGH = 450, 630  # others' cards
WIDEST, OWN_WIDE = 4000, 5200  # panels
GONE_WIDE, GONE_HIGH, GONE_STEP = 216, 302, 120  # discarded cards
PLACES = DECK + 1  # IDs of the places of others' cards begin here, those of what they discarded at GONE
GONE = PLACES + 64
BIG = 4  # seats from which on the table is wide
MIDDLE = 1500  # height of the table between the seats
PHASES, PITCH = 3, 1250


@implements(dispatch.scene, Variant)
def table_scene(v: Variant, s: Any, seat: int, out: NDArray[np.int32]) -> None:
    """Draw the table, the watching seat below and all others above it."""
    wide = 8400 if v.players < BIG else 12000
    panel = HEAD + SMALL_HIGH + FOOT
    below = MARGIN + panel + MIDDLE
    high = below + HEAD + CARD_HIGH + FOOT + MARGIN
    me, others = seat if seat >= 0 else 0, v.players - 1
    n = put(out, 0, scene.PICTURE, 0, 0, scene.FELT, 0, 0, wide, high, 0, 0, 0, 0)
    width = min(WIDEST, (wide - 2 * MARGIN - GAP * (others - 1)) // others)
    left = (wide - others * (width + GAP) + GAP) // 2
    for i in range(v.players):
        who = me + i if me + i < v.players else me + i - v.players
        x, y, across = left + (i - 1) * (width + GAP), MARGIN, width
        if i == 0:
            x, y, across = (wide - OWN_WIDE) // 2, below, OWN_WIDE
        n = person(v, s, seat, who, x, y, across, i == 0, out, n)
    middle(v, s, wide, MARGIN + panel, out, n)


@jit
def person(
    v: Variant, s: Any, seat: int, who: int, x: int, y: int, width: int, large: bool,
    out: NDArray[np.int32], n: int,
) -> int:  # fmt: skip
    """Write one seat: its name and marks, its cards, its chips and bets."""
    tall = CARD_HIGH if large else SMALL_HIGH
    away = s.folded[who] or s.out[who]
    flags = (scene.TURN if s.turn == who else 0) + (scene.FADED if away else 0)
    n = put(out, n, scene.PANEL, 0, 0, 0, x, y, width, HEAD + tall + FOOT, flags, who, 0, 0)
    tone = scene.BOLD + (scene.TONE * scene.FAINT if away else 0)
    n = words(out, n, scene.LABEL, NAME, x + 140, y + 250, 120, tone, who, 0, 0, width - 280)
    n = marks(v, s, who, x + 140, y + 450, out, n)
    if s.began[who] > 0:
        n = hand(v, s, seat, who, x + width // 2, y + HEAD, large, out, n)
    n = money(v, s, who, x + 140, y + HEAD + tall, width - 280, out, n)
    return discarded(s, seat, who, x + width - 140, y + HEAD + tall + 340, out, n)


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
def hand(v: Variant, s: Any, seat: int, who: int, x: int, y: int, large: bool, out: NDArray[np.int32], n: int) -> int:
    """Write a hand around x, face up or down, and what it is called."""
    wide, tall = CARD_WIDE if large else SMALL_WIDE, CARD_HIGH if large else SMALL_HIGH
    pitch, count = wide + (50 if large else 30), hand_size(v)
    left, open_hand = x - (pitch * count - pitch + wide) // 2, visible(v, s, seat, who)
    flags = scene.FADED if s.folded[who] else 0
    for i in range(count):
        name, face = PLACES + who * HAND + i, scene.BACK
        if open_hand:
            face = int(s.hand[who, i]) + 1
            if sees(seat, who):
                name = face
        key = i + 1 if s.turn == who else 0
        n = put(out, n, scene.CARD, name, key, face, left + i * pitch, y, wide, tall, flags, 0, 0, 0)
    if open_hand:
        label, best = COMBINATION + v.ranking, category(s.hand[who], v.ranking)
        tone = scene.MIDDLE + scene.TONE * scene.FAINT
        n = words(out, n, scene.LABEL, label, x, y + tall + 170, 100, tone, best)
    return n


@jit
def discarded(s: Any, seat: int, who: int, right: int, y: int, out: NDArray[np.int32], n: int) -> int:
    """Write the cards that a seat has discarded, face up to who knows them."""
    count = int(s.exchanged[who])
    left = right - GONE_WIDE - GONE_STEP * (count - 1)
    if sees(seat, who):
        for i in range(DECK):
            c = i % SUITS * RANKS + i // SUITS
            if threw(s, who, c):
                n = put(out, n, scene.CARD, c + 1, 0, c + 1, left, y, GONE_WIDE, GONE_HIGH, 0, 0, 0, 0)
                left += GONE_STEP
        return n
    for i in range(count):
        name = GONE + who * HAND + i
        n = put(out, n, scene.CARD, name, 0, scene.BACK, left + GONE_STEP * i, y, GONE_WIDE, GONE_HIGH, 0, 0, 0, 0)
    return n


@jit
def threw(s: Any, who: int, c: int) -> bool:
    """Return True if a seat has discarded a card; in which order it did, it has forgotten."""
    among = False
    for i in range(int(s.exchanged[who])):
        among |= s.discarded[who, i] == c
    return bool(among)


@jit
def marks(v: Variant, s: Any, who: int, x: int, y: int, out: NDArray[np.int32], n: int) -> int:
    """Write the tags that say what a seat is doing, or what it got."""
    first, over = n, s.turn == OVER
    if s.button == who:
        n = tag(out, n, first, BUTTON, x, y, scene.WHITE, 0)
    if s.out[who] and not over:
        return tag(out, n, first, OUT, x, y, scene.GREY, 0)
    if over:
        return won(v, s, who, first, x, y, out, n)
    if s.folded[who]:
        return tag(out, n, first, FOLDED, x, y, scene.GREY, 0)
    if s.chips[who] == 0:
        n = tag(out, n, first, ALL_IN, x, y, scene.BAD, 0)
    if s.raiser == who and s.phase != EXCHANGE:
        n = tag(out, n, first, RAISED, x, y, scene.BLUE, 0)
    if s.turn == who:
        n = tag(out, n, first, TO_MOVE, x, y, scene.GOLD, 0)
    return n


@jit
def won(v: Variant, s: Any, who: int, first: int, x: int, y: int, out: NDArray[np.int32], n: int) -> int:
    """Write what a seat won in the last hand, and its place in a tournament."""
    change = int(s.change[who])
    if s.began[who] > 0:
        if s.folded[who]:
            n = tag(out, n, first, FOLDED, x, y, scene.GREY, 0)
        if change > 0:
            n = tag(out, n, first, WON, x, y, scene.GOOD, change)
        else:
            n = tag(out, n, first, LOST if change else EVEN, x, y, scene.BAD if change else scene.GREY, -change)
    if v.episode == TOURNAMENT:
        n = tag(out, n, first, FINAL, x, y, scene.BLUE, int(s.place[who]))
    return n


@jit
def money(v: Variant, s: Any, who: int, x: int, y: int, width: int, out: NDArray[np.int32], n: int) -> int:
    """Write a seat's chips, its bets and how many cards it exchanged, in two lines below its cards."""
    chips = int(s.chips[who])
    high = min(5, 1 + 4 * chips // (v.stack + 1)) if chips else 0
    n = put(out, n, scene.CHIPS, 0, 0, 0, x + 100, y + 450, 200, 200, 0, 0, high, 0)
    n = words(out, n, scene.LABEL, CHIPS, x + 260, y + 510, 120, 0, chips)
    if s.began[who] == 0 or s.turn == OVER:
        return n
    second = s.phase > EXCHANGE
    label = BET_BOTH if second else BET_FIRST
    n = words(out, n, scene.LABEL, label, x + 780, y + 400, 90, 0, int(s.bet[0, who]), int(s.bet[1, who]))
    faint = scene.TONE * scene.FAINT
    n = words(out, n, scene.LABEL, PAID, x + 780, y + 560, 90, faint, int(s.paid[who]))
    count = int(s.exchanged[who])
    if count < 0:
        return n
    label = EXCHANGED if count else PAT
    return words(out, n, scene.LABEL, label, x + width, y + 300, 90, faint + scene.END, count)


@jit
def middle(v: Variant, s: Any, wide: int, y: int, out: NDArray[np.int32], n: int) -> int:
    """Write the phases, the pot and whose move it is, or how the episode ended."""
    x, room = wide // 2, wide - 600
    if s.turn == OVER:
        return result(v, s, x, y + MIDDLE // 2, room, out, n)
    for phase in range(PHASES):
        tone = scene.GOLD if s.phase == phase else scene.DARK
        at = x + (phase - 1) * PITCH
        n = words(out, n, scene.TAG, FIRST_BETS + phase, at, y + 270, 90, scene.MIDDLE + scene.TONE * tone)
    if v.episode == TOURNAMENT:
        n = words(out, n, scene.LABEL, HAND_NUMBER, 320, y + 310, 110, 0, int(s.hands))
    n = pot(v, s, x, y + 740, out, n)
    return status(s, x, y + 1230, room, out, n)


@jit
def pot(v: Variant, s: Any, x: int, y: int, out: NDArray[np.int32], n: int) -> int:
    """Write the pot, and what the seat to move has to add to stay in, around x."""
    paid = 0
    for k in range(v.players):
        paid += s.paid[k]
    for i in range(PHASES):
        n = put(out, n, scene.CHIPS, 0, 0, i, x - 1150 + 240 * i, y, 220, 220, 0, 0, 1 + (paid + i) % 4, 0)
    owed = 0 if s.phase == EXCHANGE else s.highest - s.bet[s.phase >> 1, s.turn]
    label = TO_CALL if owed > 0 else POT
    return words(out, n, scene.LABEL, label, x - 430, y + 70, 140, scene.BOLD, paid, owed)


@jit
def status(s: Any, x: int, y: int, room: int, out: NDArray[np.int32], n: int) -> int:
    """Write who raised and whose move it is."""
    turn, raiser = int(s.turn), int(s.raiser)
    if s.phase == EXCHANGE:
        return words(out, n, scene.LABEL, EXCHANGES, x, y, 110, scene.MIDDLE, turn, 0, 0, room)
    if raiser == NOBODY:
        return words(out, n, scene.LABEL, BETS, x, y, 110, scene.MIDDLE, turn, 0, 0, room)
    return words(out, n, scene.LABEL, AFTER_RAISE, x, y, 110, scene.MIDDLE, raiser, int(s.highest), turn, room)


@jit
def result(v: Variant, s: Any, x: int, y: int, room: int, out: NDArray[np.int32], n: int) -> int:
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
    return words(out, n, scene.TAG, label, x, y, 130, scene.MIDDLE + scene.TONE * scene.GOLD, best, number, 0, room)


@implements(dispatch.elements, Variant)
def poker_elements(v: Variant, s: Any, action: int, row: NDArray[np.int32]) -> None:
    """Tell the button, the stake, or the cards by their places in the hand."""
    for i in range(input_spec.KEYS):
        row[i] = 0
    input_spec.press(row)
    kind, n = split(v, action)
    if kind == FOLD:
        row[input_spec.HOW], row[input_spec.SAID] = input_spec.BUTTON, DO_FOLD
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
    row[input_spec.HOW], row[input_spec.SAID] = input_spec.BUTTON, DO_CHECK
    if owed > 0:
        row[input_spec.SAID] = DO_CALL if owed < chips else DO_ALL_IN
        row[input_spec.SAID_A] = min(owed, chips)


@jit
def stake(s: Any, bet: int, row: NDArray[np.int32]) -> None:
    """Set the number that the bet will be."""
    last = bet - s.bet[s.phase >> 1, s.turn] == s.chips[s.turn]
    row[input_spec.HOW], row[input_spec.SAID_A] = input_spec.AMOUNT, bet
    if s.highest == 0:
        row[input_spec.SAID] = DO_BET_ALL if last else DO_BET
    else:
        row[input_spec.SAID] = DO_RAISE_ALL if last else DO_RAISE


@jit
def discards(subset: int, row: NDArray[np.int32]) -> None:
    """Choose cards of one's hand by their places; none is standing pat."""
    n = 0
    for i in range(HAND):
        if (subset >> i) & 1:
            row[input_spec.KEYS + n] = i + 1
            n += 1
    row[input_spec.HOW], row[input_spec.COUNT] = input_spec.SELECT, n
    row[input_spec.SAID], row[input_spec.SAID_A] = DO_EXCHANGE if n else DO_PAT, n
