"""Checks of a position that was read as text; each complaint is a sentence."""

from typing import Any

import numpy as np

from kozyr.envs.core.state import OVER
from kozyr.envs.daifugo.actions import KIND, NATURAL, RANK, WITH_JOKER
from kozyr.envs.daifugo.exchange import GIVE_FIRST, PLAY
from kozyr.envs.daifugo.round import IN
from kozyr.envs.daifugo.variant import JOKER, SUITS, Variant
from kozyr.envs.daifugo.words import names

_NO_BEFORE = "in the first round no seat has a place before"


def cards_fit(v: Variant, s: Any) -> None:
    """Refuse a position in which cards are missing or too many (§1)."""
    deck = np.zeros(JOKER + 1, np.int64)
    deck[: v.ranks], deck[JOKER] = SUITS, v.joker
    present = s.hand.sum(0) + s.played
    for words, wrong in (("missing from", deck - present), ("too many in", present - deck)):
        if (wrong > 0).any():
            raise ValueError(f"{words} the position: {names(v, np.maximum(wrong, 0))}")


def sets_fit(v: Variant, s: Any) -> None:
    """Refuse sets laid that are not what was played in this round (§13)."""
    laid = np.zeros(JOKER + 1, np.int64)
    for a in s.log_set[: s.log]:
        kind = KIND[v.ranks, a]
        laid[RANK[v.ranks, a]] += NATURAL[kind]
        laid[JOKER] += WITH_JOKER[kind]
    if (laid != s.played).any():
        raise ValueError(f"the sets have the cards {names(v, laid)}, but played were {names(v, s.played)}")
    if s.log and not s.log_lead[0]:
        raise ValueError("the first of the sets laid in a round leads a trick: write it as 'player_0 leads 77'")
    if s.laid and (s.log_seat[s.log - 1] != s.owner or RANK[v.ranks, s.log_set[s.log - 1]] != s.rank % JOKER):
        raise ValueError(f"the last set laid is the pile, which is player_{s.owner}'s")


def places_fit(v: Variant, s: Any) -> None:
    """Refuse places that this and the last round cannot have left (§7, §8, §12)."""
    n, before, place = v.players, s.before[: v.players].tolist(), s.place[: v.players].tolist()
    if sorted(before) != (list(range(n)) if s.rounds > 1 else [IN] * n):
        raise ValueError(f"in round {s.rounds} every seat needs its own place before" if s.rounds > 1 else _NO_BEFORE)
    taken = sorted(p for p in place if p != IN)
    dropped = [k for k in range(n) if place[k] == n - 1] if s.turn != OVER else []
    if taken != [*range(len(taken) - len(dropped)), *[n - 1] * len(dropped)]:
        raise ValueError(f"places {[p + 1 for p in taken]} cannot be taken: they go from the first on, one each")
    if dropped and not (v.dethrone and before[dropped[0]] == 0 and len(taken) > 1):
        raise ValueError(f"player_{dropped[0]} cannot have the last place {n} yet")
    for k in range(n):
        keeps = place[k] == n - 1 or (v.dethrone and s.turn == OVER and place[k] == n - 2)  # may go with cards
        gave = place[k] == IN and s.phase != PLAY  # who gave his only card gets one back
        if (s.count[k] > 0) != (place[k] == IN) and not keeps and not gave:
            raise ValueError(f"player_{k} is out if, and only if, he has no cards; he holds {names(v, s.hand[k])}")
    finished = s.rounds if s.turn == OVER else s.rounds - 1
    if v.rounds > 1 and s.total.sum() != finished * n * (n - 1) // 2:
        raise ValueError(f"the totals do not add up to {finished * n * (n - 1) // 2}: all places of {finished} rounds")


def turn_fits(v: Variant, s: Any) -> None:
    """Refuse a turn that does not fit the pile, the places and the phase (§3 to §7, §11)."""
    left = np.count_nonzero(s.place[: v.players] == IN)
    if s.turn == OVER:
        if left or s.rounds < v.rounds:
            raise ValueError(f"the game is not over: {left} seats are in, in round {s.rounds} of {v.rounds}")
        return
    if left < 2:
        raise ValueError(f"round {s.rounds} is over: {left} seats are in")
    if s.place[s.turn] != IN:
        raise ValueError(f"player_{s.turn} is out and cannot be to move")
    if s.laid and (s.turn == s.owner or s.passed[s.turn] or s.phase != PLAY):
        raise ValueError(f"player_{s.turn} cannot be to move: there is a set of player_{s.owner} to be answered")
    if not s.laid and s.passed.any():
        raise ValueError("nobody can have passed while the pile is empty")
    if s.phase != PLAY and s.before[s.turn] != (0 if s.phase == GIVE_FIRST else 1):
        raise ValueError(f"player_{s.turn} has nothing to give: his place before was {s.before[s.turn] + 1}")
