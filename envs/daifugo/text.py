"""Positions and actions as text: a status line, a line a seat, then the pile and the cards played.

    player_1 began, player_0 to move, round 2, luck 10615391314449192864, ply 52
    player_0: JJQQK, known JK, top A, before 3, total 2
    player_1: -, place 1, before 1, total 0
    player_2: JKAA2, before 2, total 1
    pile: KK by player_1
    played: JQQKKAA222*

Cards are named by rank, without suits, and the joker is "*"; the set on the pile is among the cards played. Places
count from 1. "known" are cards that everybody knows to be in a hand, "top" is the rank that the others do not exceed,
"before" the place in the round before, "total" the sum of places in finished rounds, the first counted as 0. "luck" is
the generator from which the rounds to come are dealt. With `history` a last line has all sets laid in this round:

    sets: player_0 leads J, player_2 2, player_2 leads A, player_1 2
"""

import re
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kozyr.envs.core.labels import Phrase, phrase
from kozyr.envs.core.quote import quote
from kozyr.envs.core.state import OVER
from kozyr.envs.core.text_lines import contents
from kozyr.envs.daifugo import GAME
from kozyr.envs.daifugo.actions import KIND, NATURAL, RANK, WITH_JOKER, action_name
from kozyr.envs.daifugo.round import (
    GIVE_FIRST,
    GIVE_SECOND,
    IN,
    PLAY,
    TWO_EXCHANGES,
    at_place,
    clear_table,
    pay_out,
    seat_in_order,
)
from kozyr.envs.daifugo.rules import order_turns
from kozyr.envs.daifugo.short_text import short_rules, write_short
from kozyr.envs.daifugo.suited import text as suited
from kozyr.envs.daifugo.variant import JOKER, STATE, SUITS, Variant
from kozyr.envs.daifugo.view_text import read_view, write_view
from kozyr.envs.daifugo.words import (
    MARKS,
    Laid,
    Pile,
    counts_of,
    fill_status,
    marks,
    names,
    parse,
    read_pile,
    read_sets,
    top_of,
    write_pile,
    write_sets,
)

__all__ = ["parse", "read", "read_view", "say", "short_rules", "table_phrase", "write", "write_short", "write_view"]

A_CARD = "a card"  # what those hear of a gift who may not know it
_SHAPE = "player_0 began, player_0 to move, round 1"
_STATUS = re.compile(
    r"player_(?P<starter>[0-7]) began, (?:player_(?P<turn>[0-7]) to move|over), round (?P<rounds>[0-9]{1,3})"
    r"(?:, luck (?P<luck>[0-9]{1,20}))?(?:, (?P<upside>revolution))?"
    r"(?:, (?P<phase>first|second) gives (?P<gives>[12]))?(?:, ply (?P<ply>[0-9]{1,9}))?"
)
_HAND = re.compile(rf"(?P<hand>[^,]+?){MARKS}")
_NO_BEFORE = "in the first round no seat has a place before"


def say(v: Variant, s: Any, action: int, seat: int | None = None) -> str:
    """Return an action as text: "pass", a set such as "77" or "77*", or "*".

    With suits only the giver and the taker hear which card is given; the others hear "a card".
    """
    return A_CARD if _hides(v, s, seat) else action_name(v, action)


def table_phrase(v: Variant, s: Any, action: int, seat: int | None, button: Phrase) -> Phrase:
    """Return an action as a table shows it: its button's words, but "give a card" to those who may not know it."""
    return phrase("give a card") if _hides(v, s, seat) else button


def _hides(v: Variant, s: Any, seat: int | None) -> bool:
    """Tell if a seat may not know which card is given now."""
    return bool(v.suits and s.phase != PLAY and seat not in (None, s.turn, at_place(s, v.players - s.phase)))


def write(v: Variant, s: Any, seat: int | None = None) -> str:
    """Return the whole position, hidden cards and the generator of rounds to come too, or what `seat` knows of it."""
    if seat is not None:
        return write_view(v, GAME.view(v, s, seat), seat)
    if v.suits:
        return suited.write(v, s)
    laid = [Laid(int(s.log_seat[i]), bool(s.log_lead[i]), int(s.log_set[i])) for i in range(s.log)]
    return "\n".join(
        [
            _status(v, s),
            *(f"player_{k}: {_hand(v, s, k)}" for k in range(v.players)),
            f"pile: {write_pile(v, Pile(int(s.laid), int(s.jokered), int(s.rank), int(s.owner)))}",
            f"played: {names(v, s.played)}",
            *([f"sets: {write_sets(v, laid)}"] if v.history else []),
        ]
    )


def _status(v: Variant, s: Any) -> str:
    """Return the line of what the cards do not show, without what is not the case."""
    gives = f", {'first' if s.phase == GIVE_FIRST else 'second'} gives {s.gives}" if s.phase != PLAY else ""
    return (
        f"player_{s.starter} began, {'over' if s.turn == OVER else f'player_{s.turn} to move'}, round {s.rounds}"
        f"{f', luck {s.rng}' if s.rounds < v.rounds else ''}{', revolution' if s.upside else ''}{gives}, ply {s.ply}"
    )


def _hand(v: Variant, s: Any, seat: int) -> str:
    """Return the cards of a seat and all that is known of it."""
    known = marks(
        v,
        s.known[seat],
        int(s.top[seat]),
        bool(s.passed[seat]),
        int(s.place[seat]) + 1,
        int(s.before[seat]) + 1,
        int(s.total[seat]),
    )
    return names(v, s.hand[seat]) + known


def read(v: Variant, text: str) -> NDArray[Any]:
    """Return a position as an array of one state; the inverse of `write`.

    "luck", "revolution", "ply" and all that follows the cards of a seat may be left out.

    Raises:
        ValueError: if the text is no position of this variant.
    """
    if v.suits:
        return suited.read(v, text)
    labels = [*(f"player_{k}" for k in range(v.players)), "pile", "played", *(["sets"] if v.history else [])]
    status, content = contents(text, labels)
    match = _STATUS.fullmatch(status)
    if not match:
        raise ValueError(f"not a status line: {quote(status)}; write it as {_SHAPE!r}")
    hands, (pile, played, *sets) = content[: v.players], content[v.players :]
    states = np.zeros(1, STATE)
    s: Any = states[0]
    seat_in_order(v, s)
    clear_table(s)
    _read_status(v, s, match.groupdict())
    for seat, hand in enumerate(hands):
        _read_hand(v, s, seat, hand)
    s.played[:] = counts_of(v, played)
    _read_pile(v, s, pile)
    for log in sets:
        _read_log(v, s, log)
    cards_fit(v, s)
    places_fit(v, s)
    turn_fits(v, s)
    low = _places_from_last(v, s) if v.foul_finish and s.turn != OVER else [v.players - 1]
    s.taken = np.count_nonzero((s.place >= 0) & (s.place < min(low, default=v.players - 1)))
    if s.rounds > 1:
        order_turns(v, s)
    if s.turn == OVER:
        s.total = s.place if v.rounds == 1 else s.total
        pay_out(v, s)
    return states


def _read_status(v: Variant, s: Any, fields: dict[str, str | None]) -> None:
    """Fill in what the status line says."""
    fill_status(v, s, fields)
    if s.phase != PLAY and not (v.exchange and s.rounds > 1):
        raise ValueError(f"nothing is given in round {s.rounds}: that needs exchange=True and a round before")
    if s.phase == GIVE_SECOND and v.players < TWO_EXCHANGES:
        raise ValueError(f"the second gives nothing among {v.players} players: that needs {TWO_EXCHANGES}")


def _read_hand(v: Variant, s: Any, seat: int, content: str) -> None:
    """Fill in a hand and what is known of its seat."""
    match = _HAND.fullmatch(content)
    if not match:
        raise ValueError(
            f"not a hand: {quote(content)} of player_{seat}; write it as '335T*' or '335T*, passed', or '-'"
        )
    s.hand[seat] = counts_of(v, match["hand"])
    s.count[seat] = s.hand[seat].sum()
    s.known[seat] = counts_of(v, match["known"] or "-")
    s.passed[seat] = match["passed"] is not None
    s.place[seat], s.before[seat] = int(match["place"] or 0) - 1, int(match["before"] or 0) - 1
    s.total[seat] = int(match["total"] or 0)
    s.top[seat] = top_of(v, match["top"])
    if (s.known[seat] > s.hand[seat]).any():
        raise ValueError(f"player_{seat} is known to hold {match['known']}, but does not: {match['hand']}")
    hidden = np.flatnonzero(s.hand[seat] - s.known[seat])
    if len(hidden) and hidden[-1] > s.top[seat]:
        raise ValueError(f"player_{seat} holds cards above {match['top']} that nobody knows of: {match['hand']}")
    if not v.exchange and (match["known"] or match["top"]):
        raise ValueError(f"no cards of player_{seat} are known: this variant has no exchange (exchange=False)")


def _read_pile(v: Variant, s: Any, content: str) -> None:
    """Lay the set on the pile; its cards are among those played."""
    it = read_pile(v, content)
    if it is None:
        return
    counts = counts_of(v, content.partition(" ")[0])
    if (counts > s.played).any():
        raise ValueError(f"the pile {quote(content)} is not among the cards played: {names(v, s.played)}")
    s.laid, s.jokered, s.rank, s.owner = it


def _read_log(v: Variant, s: Any, content: str) -> None:
    """Fill in the sets laid in this round."""
    laid = read_sets(v, content)
    for i, it in enumerate(laid):
        s.log_seat[i], s.log_lead[i], s.log_set[i] = it
    s.log = len(laid)
    sets_fit(v, s)


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


def _places_from_last(v: Variant, s: Any) -> list[int]:
    """Return the places that have been taken from the last on: one by dethroning, or those of forbidden sets (§22)."""
    n, place = v.players, set(s.place[: v.players].tolist())
    low = n
    while low - 1 in place and (v.foul_finish or low == n):
        low -= 1
    return list(range(low, n))


def places_fit(v: Variant, s: Any) -> None:
    """Refuse places that this and the last round cannot have left (§7, §8, §12)."""
    n, before, place = v.players, s.before[: v.players].tolist(), s.place[: v.players].tolist()
    if sorted(before) != (list(range(n)) if s.rounds > 1 else [IN] * n):
        raise ValueError(f"in round {s.rounds} every seat needs its own place before" if s.rounds > 1 else _NO_BEFORE)
    taken = sorted(p for p in place if p != IN)
    low = _places_from_last(v, s)
    dropped = [k for k in range(n) if place[k] in low] if s.turn != OVER else []
    if taken != [*range(len(taken) - len(dropped)), *(low if dropped else [])]:
        raise ValueError(f"places {[p + 1 for p in taken]} cannot be taken: they go from the first on, one each")
    if dropped and not v.foul_finish and not (v.dethrone and before[dropped[0]] == 0 and len(taken) > 1):
        raise ValueError(f"player_{dropped[0]} cannot have the last place {n} yet")
    for k in range(n):
        keeps = place[k] == n - 1 or (v.dethrone and s.turn == OVER and place[k] == n - 2)  # may go with cards
        keeps = keeps or bool(v.foul_finish and s.turn == OVER)
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
