"""Positions of a table with suits as text: a status line, a line a seat, then what lies on the table.

    player_3 began, player_1 to move, round 2, luck 10615391314449192864, locked, 1 passes, ply 52
    player_0: 4S 9H KD *, before 1, total 0
    player_1: 3D 7C, gave 2S AH, top AH, passed, before 5, total 4
    …
    pile: 5S 5H by player_0
    leads: player_0
    played: 3S 5S 5H
    turns: player_0, player_3, player_1, player_4, player_2

"gave" are cards that the seat gave in the exchange and did not get back, "top" is the weaker of the strongest cards
that it had to give. "leads" is who leads once the pile is cleared, "turns" the order of turns.
"""

import re
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kozyr.envs.core.quote import quote
from kozyr.envs.core.state import OVER
from kozyr.envs.core.text_lines import contents, seat_number
from kozyr.envs.daifugo.invariants import suited_sound
from kozyr.envs.daifugo.round import GIVE_FIRST, IN, PLAY, follows, pay_out, seat_in_order
from kozyr.envs.daifugo.suited.rules import clear, strength
from kozyr.envs.daifugo.suited.sets import CARDS, PASS, SIZE, SUITS_OF
from kozyr.envs.daifugo.suited.words import action_name, card_name, masks_of, names, parse
from kozyr.envs.daifugo.variant import STATE, Variant
from kozyr.envs.daifugo.words import fill_status

BY_STRENGTH = sorted(range(CARDS), key=strength)
MARKS = (
    r"(?:, gave (?P<gave>[^,]+))?(?:, top (?P<top>[^,]+))?(?:, (?P<passed>passed))?"
    r"(?:, place (?P<place>[1-8]))?(?:, before (?P<before>[1-8]))?(?:, total (?P<total>[0-9]{1,4}))?"
)
_SHAPE = "player_0 began, player_0 to move, round 1"
_STATUS = re.compile(
    r"player_(?P<starter>[0-7]) began, (?:player_(?P<turn>[0-7]) to move|over), round (?P<rounds>[0-9]{1,3})"
    r"(?:, luck (?P<luck>[0-9]{1,20}))?(?:, (?P<upside>revolution))?(?:, (?P<bound>locked))?"
    r"(?:, (?P<passes>[0-9]{1,3}) passes)?(?:, (?P<phase>first|second) gives (?P<gives>[12]))?"
    r"(?:, ply (?P<ply>[0-9]{1,9}))?"
)
_HAND = re.compile(rf"(?P<hand>[^,]+?){MARKS}")
_PILE = re.compile(r"(?P<set>[^,]+) by player_(?P<owner>[0-7])")
_SET = re.compile(r"player_(?P<seat>[0-7])(?P<lead> leads)? (?P<set>[^,]+)")


def write(v: Variant, s: Any) -> str:
    """Return the whole position, hidden cards and the generator of rounds to come too."""
    pile = f"{action_name(int(s.lies))} by player_{s.owner}" if s.lies else "-"
    log = [(int(s.log_seat[i]), bool(s.log_lead[i]), int(s.log_set[i])) for i in range(s.log)]
    lines = [
        _status(s),
        *(f"player_{k}: {names(s.cards[k])}{_marks(v, s, k)}" for k in range(v.players)),
        f"pile: {pile}",
        f"leads: player_{s.leads}",
        f"played: {names(s.gone)}",
        f"turns: {', '.join(f'player_{k}' for k in _order(v, s))}",
    ]
    return "\n".join([*lines, *([f"sets: {write_sets(log)}"] if v.history else [])])


def _status(s: Any) -> str:
    """Return the line of what the cards do not show, without what is not the case."""
    who = "over" if s.turn == OVER else f"player_{s.turn} to move"
    return f"player_{s.starter} began, {who}, round {s.rounds}, luck {s.rng}{told(s)}, ply {s.ply}"


def told(s: Any) -> str:
    """Return the words about the table that both texts have, without what is not the case."""
    gives = f", {'first' if s.phase == GIVE_FIRST else 'second'} gives {s.gives}" if s.phase != PLAY else ""
    passes = f", {s.passes} passes" if s.passes else ""
    return f"{', revolution' if s.upside else ''}{', locked' if s.bound else ''}{passes}{gives}"


def _marks(v: Variant, s: Any, seat: int) -> str:
    gave, top = s.gave[seat], int(s.top[seat])
    parts = [
        (gave.any(), f"gave {names(gave)}"),
        (top < CARDS, f"top {card_name(BY_STRENGTH[min(top, CARDS - 1)])}"),
        (s.passed[seat], "passed"),
        (s.place[seat] != IN, f"place {s.place[seat] + 1}"),
        (s.before[seat] != IN, f"before {s.before[seat] + 1}"),
        (v.rounds > 1, f"total {s.total[seat]}"),
    ]
    return "".join(f", {text}" for holds, text in parts if holds)


def _order(v: Variant, s: Any) -> list[int]:
    order = [0]
    while len(order) < v.players:
        order.append(int(s.next_of[order[-1]]))
    return order


def write_sets(log: list[tuple[int, bool, int]]) -> str:
    """Return the sets laid in a round as text."""
    laid = [f"player_{seat}{' leads' if lead else ''} {action_name(action)}" for seat, lead, action in log]
    return ", ".join(laid) or "-"


def read_sets(v: Variant, content: str) -> list[tuple[int, bool, int]]:
    """Return the sets that `write_sets` wrote."""
    words = [] if content == "-" else [word.strip() for word in content.split(",")]
    if len(words) > CARDS:
        raise ValueError(f"{len(words)} sets cannot be laid with {CARDS} cards")
    log = list[tuple[int, bool, int]]()
    for word in words:
        match = _SET.fullmatch(word)
        if not match or parse(match["set"]) == PASS:
            raise ValueError(f"not a set that was laid: {quote(word)}; write it as 'player_0 leads 7S 7H'")
        log.append((seat_number(match["seat"], v.players), match["lead"] is not None, parse(match["set"])))
    return log


def read_turns(v: Variant, content: str, first: int) -> list[int]:
    """Return the seats in the order of turns, `first` at the head."""
    words, seats = [word.strip() for word in content.split(",")], [f"player_{k}" for k in range(v.players)]
    if sorted(words) != seats or words[0] != f"player_{first}":
        raise ValueError(f"not the order of turns: {quote(content)}; write all seats, player_{first} first")
    return [seats.index(word) for word in words]


def read_pile(v: Variant, content: str) -> tuple[int, int] | None:
    """Return the action that laid the set on the pile and its owner, None without one."""
    if content == "-":
        return None
    match = _PILE.fullmatch(content)
    if not match or not (action := parse(match["set"])):
        raise ValueError(f"not a pile: {quote(content)}; write one set and its owner, as '7S *7H by player_0', or '-'")
    return action, seat_number(match["owner"], v.players)


def read(v: Variant, text: str) -> NDArray[Any]:
    """Return a position as an array of one state; the inverse of `write`.

    Raises:
        ValueError: if the text is no position of this variant.
    """
    labels = [*(f"player_{k}" for k in range(v.players)), "pile", "leads", "played", "turns"]
    status, content = contents(text, [*labels, *(["sets"] if v.history else [])])
    match = _STATUS.fullmatch(status)
    if not match:
        raise ValueError(f"not a status line: {quote(status)}; write it as {_SHAPE!r}")
    states = np.zeros(1, STATE)
    s: Any = states[0]
    seat_in_order(v, s)
    clear(s)
    _read_status(v, s, match.groupdict())
    for seat in range(v.players):
        _read_hand(s, seat, content[seat])
    pile, leads, played, turns, *logs = content[v.players :]
    s.gone[:] = masks_of(played)
    if laid := read_pile(v, pile):
        s.lies, s.owner, s.laid = *laid, SIZE[laid[0]]
    s.bound = SUITS_OF[s.lies] if match["bound"] else 0
    s.leads = seat_number(leads.removeprefix("player_") if re.fullmatch("player_[0-7]", leads) else "9", v.players)
    order = read_turns(v, turns, 0)
    for i, seat in enumerate(order):
        s.next_of[seat] = order[(i + 1) % v.players]
    for log in logs:
        for i, it in enumerate(read_sets(v, log)):
            s.log_seat[i], s.log_lead[i], s.log_set[i] = it
            s.log = i + 1
    _check(v, s)
    s.taken = np.count_nonzero((s.place >= 0) & (s.place < v.players - 1))
    if s.turn == OVER:
        s.total = s.place if v.rounds == 1 else s.total
        pay_out(v, s)
    return states


def _read_status(v: Variant, s: Any, fields: dict[str, str | None]) -> None:
    """Fill in what the status line says, the passes in a row too."""
    fill_status(v, s, fields)
    s.passes = int(fields["passes"] or 0)
    if fields["bound"] and not v.suit_lock:
        raise ValueError("nothing is locked here: this variant has no lock (suit_lock=False)")
    if s.passes and s.passes >= v.pass_limit:
        raise ValueError(f"{s.passes} passes in a row are too many: pass_limit={v.pass_limit}")
    if s.phase != PLAY and not (v.exchange and follows(v, s)):
        raise ValueError(f"nothing is given in round {s.rounds}: that needs exchange=True and a round before")


def _read_hand(s: Any, seat: int, content: str) -> None:
    """Fill in a hand and what is known of its seat."""
    match = _HAND.fullmatch(content)
    if not match:
        raise ValueError(
            f"not a hand: {quote(content)} of player_{seat}; write it as '3S TD *' or '3S, passed', or '-'"
        )
    s.cards[seat], s.gave[seat] = masks_of(match["hand"]), masks_of(match["gave"] or "-")
    s.count[seat] = 0 if match["hand"] == "-" else len(match["hand"].split())
    s.passed[seat] = match["passed"] is not None
    s.place[seat], s.before[seat] = int(match["place"] or 0) - 1, int(match["before"] or 0) - 1
    s.total[seat] = int(match["total"] or 0)
    if match["top"]:
        masks = masks_of(match["top"])
        if sum(int(m).bit_count() for m in masks) != 1:
            raise ValueError(f"not one card: {quote(match['top'])}; write the weaker of the cards that the seat gave")
        suit = int(np.flatnonzero(masks)[0])
        s.top[seat] = strength(suit * 13 + int(masks[suit]).bit_length() - 1)


def _check(v: Variant, s: Any) -> None:
    """Refuse what cannot be: cards that are missing or doubled, places, and a turn that nobody can have."""
    n = v.players
    before = s.before[:n].tolist()
    if not suited_sound(v, s):
        raise ValueError("the cards do not fit: each of the deck is in one hand or played, and the pile is played")
    if sorted(before) != (list(range(n)) if follows(v, s) else [IN] * n):
        raise ValueError(f"in round {s.rounds} every seat has its own place before, but none in a first round")
    taken = sorted(p for p in s.place[:n].tolist() if p != IN)
    if s.turn != OVER and (taken != list(range(len(taken))) or len(taken) > n - 2 or s.place[s.turn] != IN):
        raise ValueError(f"places {[p + 1 for p in taken]} cannot be taken: from the first on, and two seats are in")
    if s.turn == OVER and (len(taken) < n or s.rounds < v.rounds):
        raise ValueError(f"the game is not over: round {s.rounds} of {v.rounds}, {n - len(taken)} seats are in")
    if s.phase == PLAY and s.turn != OVER and s.passed[s.turn]:
        raise ValueError(f"player_{s.turn} has passed and cannot be to move")
