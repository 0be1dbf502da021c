"""Scene of a Daifugo table, as a whole or as one seat knows it, and the input of its actions.

The rules have no suits: the copies of a rank that are seen get suits in the order in which they are written, which
begins with the watching seat's hand, so that a suit tells nothing.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from kozyr.envs.compile import jit, stack_array
from kozyr.envs.core import dispatch, input_spec
from kozyr.envs.core.dispatch import implements
from kozyr.envs.core.labels import TO_MOVE, WINS
from kozyr.envs.core.seats import clockwise
from kozyr.envs.core.state import OVER
from kozyr.envs.daifugo import scene_words as say
from kozyr.envs.daifugo.actions import KIND, NATURAL, PASS, RANK, WITH_JOKER
from kozyr.envs.daifugo.round import IN, PLAY
from kozyr.envs.daifugo.scene_words import LABELS
from kozyr.envs.daifugo.suited.scene import BACKS, hand_cards, pile_cards, suited_elements, was_played
from kozyr.envs.daifugo.variant import JOKER, RANKS, SUITS, Variant
from kozyr.envs.pictures import scene, zones
from kozyr.envs.pictures.scene import sees

__all__ = ["LABELS", "table_scene"]

DECK_FACES = JOKER + 1
PILE = JOKER + 2  # the key of the place where sets are laid


@implements(dispatch.scene, Variant)
def table_scene(v: Variant, s: Any, seat: int, out: NDArray[np.int32]) -> None:
    """Draw the seats from the watching one on, the set to be beaten, what happens, and the cards played."""
    copies = stack_array(DECK_FACES, np.int32)
    for r in range(DECK_FACES):
        copies[r] = 0
    zones.picture(out, scene.FELT)
    for i in range(v.players):
        who = clockwise(max(seat, 0), i, v.players)
        zones.seat(out, who, s.turn)
        tags(s, who, out)
        zones.count_cards(out, int(s.count[who]))
        if s.before[who] != IN:
            zones.label(out, say.BEFORE, scene.END + zones.FAINT, int(s.before[who]))
        zones.zone(out, zones.CARDS)
        if v.suits:
            hand_cards(v, s, seat, who, out)
        else:
            hand(v, s, seat, who, copies, out)
    zones.zone(out, zones.MIDDLE)
    if v.suits:
        pile_cards(v, s, seat, out)
    else:
        pile(v, s, seat, copies, out)
    status(v, s, out)
    played(v, s, out)


@jit
def hand(v: Variant, s: Any, seat: int, who: int, copies: NDArray[np.int32], out: NDArray[np.int32]) -> None:
    """Write a hand: backs, then what is seen, the weakest first."""
    zones.backs(out, back_name(who, 0), hidden(s, seat, who))
    for i in range(DECK_FACES):
        r = i if i == JOKER or not s.upside else v.ranks - 1 - i
        if r >= 0 and (r < v.ranks or r == JOKER):
            unknown = seen(s, seat, who, r) - int(s.known[who, r])
            for j in range(seen(s, seat, who, r)):
                key = key_of(r) if s.turn == who else 0
                known = scene.KNOWN if j >= unknown else 0
                zones.card(out, face_name(who, r, j), key, next_face(v, r, copies), known)


@jit
def seen(s: Any, seat: int, who: int, r: int) -> int:
    """Return the number of cards of a rank that `seat` sees in the hand of `who`."""
    if sees(seat, who):
        return int(s.hand[who, r])
    return int(s.known[who, r])


@jit
def hidden(s: Any, seat: int, who: int) -> int:
    """Return the number of cards in the hand of `who` that the seat does not see."""
    count = int(s.count[who])
    for r in range(DECK_FACES):
        count -= seen(s, seat, who, r)
    return count


@jit
def face_name(who: int, r: int, j: int) -> int:
    """Return the ID of the card `j` of a rank that is seen in a hand."""
    return 1 + (who * DECK_FACES + r) * SUITS + j


@jit
def back_name(who: int, i: int) -> int:
    """Return the ID of a back; no hand has as many as 64."""
    return BACKS + who * 64 + i


@jit
def next_face(v: Variant, r: int, copies: NDArray[np.int32]) -> int:
    """Return the face of the next copy of a rank."""
    if r == JOKER:
        return scene.JOKER
    suit = copies[r] & (SUITS - 1)
    copies[r] += 1
    strength = r + RANKS - v.ranks  # 0 is a three, 12 a two
    return scene.face(suit, 0 if strength == RANKS - 1 else strength + 1)


@jit
def pile(v: Variant, s: Any, seat: int, copies: NDArray[np.int32], out: NDArray[np.int32]) -> None:
    """Write the set to be beaten, which is where sets are laid."""
    zones.zone(out, zones.CARDS, key=PILE)
    natural = 0 if s.rank == JOKER else s.laid - s.jokered
    for i in range(s.laid):
        r = int(s.rank) if i < natural else JOKER
        name = laid_name(s, seat, r, i if i < natural else 0)
        zones.card(out, name, 0, next_face(v, r, copies), scene.LAST)


@jit
def laid_name(s: Any, seat: int, r: int, i: int) -> int:
    """Return the ID of a card on the pile: what it had in the hand that it came from, as far as that was seen."""
    owner = int(s.owner)
    if sees(seat, owner):
        return face_name(owner, r, int(s.hand[owner, r]) + i)
    return back_name(owner, hidden(s, seat, owner) + (0 if r == JOKER else s.jokered) + i)


@jit
def tags(s: Any, who: int, out: NDArray[np.int32]) -> None:
    """Write which place a seat took, what it got, and what it is doing."""
    place = int(s.place[who])
    if place >= 0:
        zones.tag(out, say.PLACE, scene.GOOD if place == 0 else scene.GREY, place)
    if s.turn == OVER:
        paid = s.payoff[who] * 1000
        zones.tag(out, say.PAID, scene.BLUE, int(paid + 0.5 if paid > 0 else paid - 0.5))
        return
    if s.turn == who:
        zones.tag(out, TO_MOVE if s.phase == PLAY else say.TO_GIVE, scene.GOLD)
    if s.owner == who and s.laid > 0:
        zones.tag(out, say.OWNER, scene.RED)
    if s.passed[who] and place < 0:
        zones.tag(out, say.PASSED, scene.GREY)


@jit
def status(v: Variant, s: Any, out: NDArray[np.int32]) -> None:
    """Write what happens, or who came out best, the round, and whether ranks are turned round."""
    zones.zone(out, zones.LINES)
    if s.turn == OVER:
        result(v, s, out)
    elif s.phase != PLAY:
        zones.label(out, say.GIVES, 0, int(s.turn), int(s.gives))
    else:
        zones.label(out, say.ANSWERS if s.laid > 0 else say.LEADS, 0, int(s.turn), int(s.owner) if s.laid > 0 else 0)
    zones.label(out, say.ROUND, scene.BOLD, int(s.rounds), v.rounds)
    if s.upside:
        zones.tag(out, say.REVOLUTION, scene.RED)


@jit
def result(v: Variant, s: Any, out: NDArray[np.int32]) -> None:
    """Write who won, or who shares the win."""
    best, equal = 0, 0
    for k in range(1, v.players):
        if s.payoff[k] > s.payoff[best]:
            best = k
    for k in range(v.players):
        equal += k != best and s.payoff[k] == s.payoff[best]
    zones.tag(out, WINS if equal == 0 else say.SHARE, scene.GOLD, best, equal)


@jit
def played(v: Variant, s: Any, out: NDArray[np.int32]) -> None:
    """Write every rank from weak to strong with a dot for each card, lit if it was played in this round."""
    columns = v.ranks + v.joker
    zones.zone(out, zones.TABLE, 2 + SUITS, columns)
    zones.label(out, say.PLAYED, zones.FAINT)
    for i in range(columns):
        r = JOKER if i == v.ranks else v.ranks - 1 - i if s.upside else i
        if r == JOKER:
            zones.add(out, scene.SIGN, 0, 0, scene.CAP, 0)
        else:
            zones.label(out, say.RANK, scene.MIDDLE, r + RANKS - v.ranks)
        zones.at(out, i, 1)
        for j in range(1 if r == JOKER else SUITS):
            gone = was_played(s, r, j) if v.suits else j < s.played[r]
            zones.add(out, scene.DOT, 0, 0, 0, scene.TONE * (scene.GOLD if gone else scene.DARK))
            zones.at(out, i, 2 + j)


@jit
def key_of(r: int) -> int:
    """Return the key of all cards of a rank, or of the joker."""
    return r + 1


@implements(dispatch.elements, Variant)
def set_elements(v: Variant, s: Any, action: int, row: NDArray[np.int32]) -> None:
    """Name the cards of a set, or the button that passes."""
    if v.suits:
        suited_elements(s, action, row)
        return
    if action == PASS:
        input_spec.press(row, say.PASS)
        return
    kind, r = KIND[v.ranks, action], int(RANK[v.ranks, action])
    if s.phase == PLAY:
        input_spec.select(row, input_spec.AS_TEXT, target=PILE)
    else:
        input_spec.select(row, say.GIVE, RANKS if WITH_JOKER[kind] else r + RANKS - v.ranks)
    for _ in range(NATURAL[kind]):
        input_spec.use(row, key_of(r))
    if WITH_JOKER[kind]:
        input_spec.use(row, key_of(JOKER))
