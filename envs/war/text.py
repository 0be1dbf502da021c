"""Positions and actions as text: a status line, then a line a seat.

    player_0 began, player_1 to flip, 12 turns, 3 wars, ply 40, luck 88172645463325252
    player_0: 7C 8D? 9D 2H TS | JH-1 QC-1
    player_1: 7H | AS? 4D? 8C

What lies left of the bar has been laid in this turn, its 1st, 5th, 9th … card and its last face up; right of it lies
the deck, the next card first. A question mark follows a card that nobody has seen, -2 one that may also lie up to two
places earlier, for the pool was shuffled. Luck, the state of the generator, stands only where `pickup="random"`.
"""

import re
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kozyr.envs.core.cards import name, names, number
from kozyr.envs.core.quote import quote
from kozyr.envs.core.state import OVER
from kozyr.envs.war import GAME
from kozyr.envs.war.actions import Actions
from kozyr.envs.war.invariants import row_fits
from kozyr.envs.war.rules import (
    CHOICE,
    FLIPPING,
    NO_CARD,
    PICKING,
    RANDOM,
    RANK,
    SEATS,
    STATE,
    SUITS,
    UNSEEN,
    WAR,
    WRAP,
    Variant,
    next_cards,
)
from kozyr.envs.war.short_text import short_event, short_rules, write_short
from kozyr.envs.war.view_text import read_view, write_view

__all__ = [
    "parse",
    "read",
    "read_view",
    "say",
    "short_event",
    "short_rules",
    "write",
    "write_short",
    "write_view",
]

_SHAPE = "player_0 began, player_0 to flip, 0 turns"
_STATUS = re.compile(
    r"player_(?P<starter>[01]) began, "
    r"(?:player_(?P<turn>[01]) to (?P<phase>flip|choose)|player_(?P<winner>[01]) won|(?P<end>truncated)), "
    r"(?P<turns>[0-9]{1,9}) turns(?:, (?P<wars>[0-9]{1,9}) wars)?"
    r"(?:, ply (?P<ply>[0-9]{1,9}))?(?:, luck (?P<luck>[0-9]{1,20}))?"
)
_CARD = re.compile(r"(?P<card>..)(?:(?P<unseen>\?)|-(?P<earlier>[1-9][0-9]?))?")


say, parse = Actions.say, Actions.parse


def write(v: Variant, s: Any, seat: int | None = None) -> str:
    """Return the whole position, hidden cards too, or what `seat` knows of it: see `view_text`."""
    if seat is not None:
        return write_view(v, GAME.view(v, s, seat), seat)
    return "\n".join([_status(v, s), *(f"player_{seat}: {_line(v, s, seat)}" for seat in range(SEATS))])


def _status(v: Variant, s: Any) -> str:
    """Return the line of what the cards do not show."""
    if s.turn != OVER:
        state = f"player_{s.turn} to {'choose' if s.phase == PICKING else 'flip'}"
    else:
        state = "truncated" if s.truncated else f"player_{np.argmax(s.payoff)} won"
    luck = f", luck {s.rng}" if v.pickup == RANDOM else ""
    return f"player_{s.starter} began, {state}, {s.turns} turns, {s.wars} wars, ply {s.ply}{luck}"


def _line(v: Variant, s: Any, seat: int) -> str:
    """Return the cards of a seat, a bar between those laid and the deck."""
    first, top, end = int(s.first[seat]), int(s.top[seat]), int(s.end[seat])
    laid, deck = (" ".join(_card(v, s, seat, i) for i in range(*ends)) for ends in ((first, top), (top, end)))
    return f"{laid or '-'} | {deck or '-'}"


def _card(v: Variant, s: Any, seat: int, i: int) -> str:
    """Return card number `i` of a seat with the mark of what is known about it."""
    c = int(s.line[seat, i & WRAP])
    earlier = (i - int(s.at[c])) & WRAP
    mark = "?" if s.owner[c] == UNSEEN else f"-{earlier}" if earlier else ""
    return name(c, v.deck // SUITS) + mark


def read(v: Variant, text: str) -> NDArray[Any]:
    """Return a position as an array of one state; the inverse of `write` but for `rng` where no luck is ahead.

    "wars", "ply" and "luck" may be left out.

    Raises:
        ValueError: if the text is no position of this variant.
    """
    lines = text.strip().splitlines()
    if len(lines) != SEATS + 1:
        raise ValueError(f"a position has 3 lines: a status line, then player_0 and player_1; not {len(lines)}")
    match = _STATUS.fullmatch(lines[0].strip())
    if not match:
        raise ValueError(f"not a status line: {quote(lines[0].strip())}; write it as {_SHAPE!r}")
    states = np.zeros(1, STATE)
    s: Any = states[0]
    s.line[:], s.owner[:] = NO_CARD, UNSEEN
    for seat in range(SEATS):
        _read_line(v, s, seat, lines[seat + 1])
    lying = set(s.line[s.line != NO_CARD].tolist())
    if len(lying) < v.deck:
        missing = names([c for c in range(v.deck) if c not in lying], v.deck // SUITS)
        raise ValueError(f"missing from the position: {missing}")
    _read_status(s, match.groupdict())
    for seat in range(SEATS):
        _verify_line(v, s, seat)
    _verify_status(v, s)
    return states


def _read_line(v: Variant, s: Any, seat: int, line: str) -> None:
    """Lay out the cards of a seat."""
    label, _, content = line.partition(":")
    laid, bar, deck = content.partition("|")
    if label.strip() != f"player_{seat}" or not bar:
        raise ValueError(f"{quote(line.strip())} stands where the line 'player_{seat}: laid | deck' belongs")
    for word in _words(laid):
        _read_card(v, s, seat, word)
    s.top[seat] = s.end[seat]
    for word in _words(deck):
        _read_card(v, s, seat, word)


def _words(cards: str) -> list[str]:
    """Return the single cards of a list in which a dash stands for none."""
    return [] if cards.strip() == "-" else cards.split()


def _read_card(v: Variant, s: Any, seat: int, word: str) -> None:
    """Put one card at the end of a seat's line."""
    match = _CARD.fullmatch(word)
    if not match:
        raise ValueError(f"{quote(word)} is no card: write 7C, 7C? if nobody has seen it, or 7C-2")
    c, place = number(match["card"], v.deck // SUITS), int(s.end[seat])
    if (s.line == c).any():
        raise ValueError(f"{match['card']} lies in two places")
    s.line[seat, place] = c
    s.end[seat] += 1
    if not match["unseen"]:
        s.owner[c], s.at[c] = seat, place - int(match["earlier"] or 0)


def _read_status(s: Any, fields: dict[str, str | None]) -> None:
    """Fill in the seats' parts, the counters and the result."""
    for key in ("starter", "turns", "wars", "ply"):
        s[key] = int(fields[key] or 0)
    luck = int(fields["luck"] or 0)
    if luck >> 64:
        raise ValueError(f"luck {luck} is too large: it is below 2 to the power of 64")
    s.rng = np.uint64(luck)
    s.phase = PICKING if fields["phase"] == "choose" else FLIPPING
    s.truncated = fields["end"] == "truncated"
    s.turn = OVER if fields["turn"] is None else int(fields["turn"])
    if fields["winner"] is not None:
        winner = int(fields["winner"])
        s.payoff[winner], s.payoff[1 - winner] = 1.0, -1.0


def _verify_line(v: Variant, s: Any, seat: int) -> None:
    """Refuse marks that no game can have left on a seat's cards, and count the unseen ones."""
    cards, laid = s.line[seat, : s.end[seat]].tolist(), int(s.top[seat])
    shown = laid if s.phase == PICKING else 0
    if laid and not row_fits(v, s, seat):
        raise ValueError(f"player_{seat} cannot have laid {laid} cards: a turn takes 1, and each war {WAR} more")
    upturned = set(_upturned(s, seat))
    hidden = [i for i, c in enumerate(cards) if s.owner[c] == UNSEEN]
    s.unseen[seat] = sum(i >= laid for i in hidden)
    for i, c in enumerate(cards):
        begin = i if s.owner[c] == UNSEEN else int(s.at[c])
        mates = {m for m in cards if s.owner[m] == seat and s.at[m] == begin}
        wrong = c in upturned and (i in hidden or begin < i)
        wrong |= i in hidden and bool(set(cards[shown:i]) - upturned - {cards[j] for j in hidden})
        if begin < i:
            wrong |= v.pickup != RANDOM or begin < 0 or cards[begin] not in mates
            wrong |= bool(set(cards[max(begin, 0) : i]) - upturned - mates)
        if wrong:
            raise ValueError(f"player_{seat}: the mark of {_card(v, s, seat, i)} does not fit the cards around it")


def _upturned(s: Any, seat: int) -> list[int]:
    """Return the cards that a seat has turned up in this turn: every fourth, and the last one."""
    row = s.line[seat, : s.top[seat]].tolist()
    return row[::WAR] + (row[-1:] if len(row) % WAR != 1 else [])


def _verify_status(v: Variant, s: Any) -> None:
    """Refuse a status that does not fit the cards."""
    if s.turns > v.max_turns or (s.turns == v.max_turns and s.turn != OVER):
        raise ValueError(f"{s.turns} turns are too many: the game is cut off after {v.max_turns}")
    if s.turn == OVER:
        return
    laid, ranks = s.top.tolist(), [RANK[v.deck, _upturned(s, seat)].tolist() for seat in range(SEATS)]
    settled = min(map(len, ranks)) - (s.phase == PICKING)
    if ranks[0][:settled] != ranks[1][:settled]:
        raise ValueError("a war begins with equal ranks, and the cards laid face up are not")
    if s.phase == PICKING:
        _verify_choice(v, s, ranks)
        return
    me, other = laid[s.turn], laid[1 - s.turn]
    if len(ranks[1 - s.turn]) != len(ranks[s.turn]) + (s.turn != s.starter):
        raise ValueError(
            f"player_{s.turn} cannot be to flip: {me} and {other} cards are laid, and the starter goes first"
        )
    lacking = [seat for seat in range(SEATS) if s.end[seat] - laid[seat] < max(next_cards(v, s, seat), 1)]
    if any(len(ranks[seat]) == len(ranks[s.turn]) for seat in lacking):
        raise ValueError("a seat has too few cards to go on")


def _verify_choice(v: Variant, s: Any, ranks: list[list[int]]) -> None:
    """Refuse a choice of the pool's order that is not due."""
    if v.pickup != CHOICE:
        raise ValueError("there is nothing to choose: write 'to flip', or play with pickup='choice'")
    if len(ranks[0]) != len(ranks[1]) or not ranks[0] or ranks[s.turn][-1] <= ranks[1 - s.turn][-1]:
        raise ValueError(f"player_{s.turn} has not won the pool and cannot be to choose")
    for seat in range(SEATS):
        if (s.owner[s.line[seat, : s.top[seat]]] == UNSEEN).any():
            raise ValueError(f"player_{seat}: nothing in a pool that is picked up is unseen")
