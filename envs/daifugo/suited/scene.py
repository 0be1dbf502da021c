"""Scene of cards that have suits: hands, the set on the pile, and the cards played."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from kozyr.envs.compile import jit
from kozyr.envs.core import input_spec
from kozyr.envs.daifugo.round import PLAY
from kozyr.envs.daifugo.scene_words import GIVE, GIVE_CARD, LOCKED, PASS
from kozyr.envs.daifugo.scene_words import STANDS_FOR as STANDS_FOR_WORDS
from kozyr.envs.daifugo.suited.sets import (
    CARDS,
    CARDS_OF,
    COLUMNS,
    JOKER_ROW,
    JOKERED,
    KIND,
    LONE,
    STANDS_FOR,
    SUITS,
    card_of,
)
from kozyr.envs.daifugo.suited.sets import PASS as PASSES
from kozyr.envs.daifugo.suited.view import partner
from kozyr.envs.daifugo.variant import Variant
from kozyr.envs.pictures import scene, zones
from kozyr.envs.pictures.scene import sees

SUITED_PILE = CARDS + 1  # the key of the place where sets are laid; a card has its number + 1
BACKS = 600  # IDs of backs and of cards that came from among them; those of faces are below


@jit
def face_of(card: int) -> int:
    """Return the face of a card: suits go spades, hearts, diamonds, clubs here and clubs first there."""
    if card == CARDS - 1:
        return scene.JOKER
    suit, r = card // COLUMNS, card % COLUMNS
    return scene.face(suit + 1 & 3, 0 if r == COLUMNS - 1 else r + 1)


@jit
def card_at(s: Any, i: int) -> int:
    """Return the card `i` in the order in which hands are sorted: weak to strong, the joker last."""
    if i == CARDS - 1:
        return i
    r = COLUMNS - 1 - i // SUITS if s.upside else i // SUITS
    return i % SUITS * COLUMNS + r


@jit
def in_hand(cards: NDArray[np.int16], card: int) -> bool:
    """Return True if a card is among the masks of a hand."""
    return (cards[card // COLUMNS] >> card % COLUMNS & 1) > 0


@jit
def seen(v: Variant, s: Any, seat: int, who: int, card: int) -> bool:
    """Return True if `seat` knows that `who` holds a card."""
    if not in_hand(s.cards[who], card):
        return False
    if sees(seat, who):
        return True
    return v.exchange and seat >= 0 and partner(v, s, seat) == who and in_hand(s.gave[seat], card)


@jit
def hidden(v: Variant, s: Any, seat: int, who: int) -> int:
    """Return the number of cards in the hand of `who` that the seat does not see."""
    count = int(s.count[who])
    for card in range(CARDS):
        count -= seen(v, s, seat, who, card)
    return count


@jit
def hand_cards(v: Variant, s: Any, seat: int, who: int, out: NDArray[np.int32]) -> None:
    """Write a hand: backs, then what is seen."""
    zones.backs(out, BACKS + who * 64, hidden(v, s, seat, who))
    for i in range(CARDS):
        card = card_at(s, i)
        if seen(v, s, seat, who, card):
            flags = 0 if sees(seat, who) else scene.KNOWN
            zones.card(out, card + 1, card + 1 if s.turn == who else 0, face_of(card), flags)


@jit
def pile_cards(v: Variant, s: Any, seat: int, out: NDArray[np.int32]) -> None:
    """Write the set to be beaten, what its joker stands for, and whether it binds the suits."""
    lies, owner = int(s.lies), int(s.owner)
    zones.zone(out, zones.CARDS, key=SUITED_PILE)
    backs = hidden(v, s, seat, owner) if s.laid else 0
    for i in range(CARDS if lies != PASSES else 0):
        card = card_at(s, i)
        if JOKERED[lies] if card == CARDS - 1 else in_hand(CARDS_OF[lies], card):
            name = card + 1
            if not sees(seat, owner):
                name = BACKS + owner * 64 + backs
                backs += 1
            zones.card(out, name, 0, face_of(card), scene.LAST)
    if JOKERED[lies] and KIND[lies] != LONE:
        zones.label(out, STANDS_FOR_WORDS, 0, int(STANDS_FOR[lies, 1]), int(STANDS_FOR[lies, 0]))
    if s.bound:
        zones.tag(out, LOCKED, scene.RED)


@jit
def was_played(s: Any, r: int, j: int) -> bool:
    """Return True if the card of a rank and the suit `j` has been played, or the joker."""
    if r == COLUMNS:
        return s.gone[JOKER_ROW] > 0
    return (s.gone[j] >> r & 1) > 0


@jit
def suited_elements(s: Any, action: int, row: NDArray[np.int32]) -> None:
    """Name the cards of a set, or the button that passes."""
    if action == PASSES:
        input_spec.press(row, PASS)
        return
    if s.phase == PLAY:
        input_spec.select(row, input_spec.AS_TEXT, target=SUITED_PILE)
    elif KIND[action] == LONE:
        input_spec.select(row, GIVE, COLUMNS)
    else:
        input_spec.select(row, GIVE_CARD, card_of(action) % COLUMNS, card_of(action) // COLUMNS)
    for card in range(CARDS - 1):
        if in_hand(CARDS_OF[action], card):
            input_spec.use(row, card + 1)
    if JOKERED[action]:
        input_spec.use(row, CARDS)
