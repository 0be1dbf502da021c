"""Text of a view: the seat's own line first, the others clockwise, then the pile and the cards played.

    player_1 (you): JKAA2, before 2, total 1
    player_2: 5 cards, known JK, top A, passed, before 3, total 2
    player_0: 0 cards, place 1, before 1, total 0
    player_1 to move, round 2 of 3, revolution
    pile: KK by player_2
    played: JQQKKAA222*
    turns: player_1, player_0, player_2

Cards are named by rank, without suits, and the joker is "*"; the set on the pile is among the cards played. Places
count from 1. "known" are cards that everybody knows to be in a hand, "top" is the rank that the others do not exceed,
"before" the place in the round before, "total" the sum of places in finished rounds. "turns" are the seats in the
order of their turns, which only variants of several rounds have; with `history` a last line has all sets laid in this
round.
"""

import re
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kozyr.envs.core import text_lines
from kozyr.envs.core.quote import quote
from kozyr.envs.daifugo import GAME
from kozyr.envs.daifugo.suited import view_text as suited
from kozyr.envs.daifugo.variant import JOKER, SUITS, Variant
from kozyr.envs.daifugo.words import (
    MARKS,
    PHASES,
    Laid,
    Pile,
    counts_of,
    marks,
    names,
    read_pile,
    read_sets,
    top_of,
    write_pile,
    write_sets,
)

_STATUS = re.compile(
    r"(?:player_(?P<turn>[0-7]) to move|over)(?:, round (?P<round>[0-9]{1,3}) of [0-9]{1,3})?(?P<upside>, revolution)?"
    r"(?:, (?P<giver>first|second) gives (?P<gives>[12]))?"
)
_HAND = re.compile(rf"(?P<hand>[^,]+?){MARKS}")
_OTHER = re.compile(rf"(?P<size>[0-9]{{1,2}}) cards?{MARKS}")


def write_view(v: Variant, view: NDArray[Any], seat: int) -> str:
    """Return a view of `seat` as text."""
    if v.suits:
        return suited.write_view(GAME, v, view, seat)
    part = text_lines.parts_of(GAME, v, view)
    hands = [names(v, part["hand"]), *(text_lines.cards(int(size)) for size in part["sizes"][1:])]
    owner = (int(part["owner"].argmax()) + seat) % v.players
    laid = Pile(int(part["pile"][0]), int(part["jokered"][0]), int(part["rank"].argmax()), owner)
    rest = [_status(v, part, seat), f"pile: {write_pile(v, laid)}", f"played: {names(v, part['played'])}"]
    if v.rounds > 1:
        turns = [f"player_{(seat + j) % v.players}" for j in np.argsort(part["order"]).tolist()]
        rest.append(f"turns: {', '.join(turns)}")
    if v.history:
        rest.append(f"sets: {write_sets(v, _laid(v, part, seat))}")
    return text_lines.tell(seat, [hand + _marks(v, part, j) for j, hand in enumerate(hands)], rest)


def _marks(v: Variant, part: dict[str, NDArray[Any]], j: int) -> str:
    """Return the marks of a seat: all that is known of it but its cards."""
    known = part["known"].reshape(-1, JOKER + 1)[j] if v.exchange else np.zeros(JOKER + 1)
    top = int(part["top"][j]) - 1 if v.exchange else JOKER
    before, total = (int(part[key][j]) if v.rounds > 1 else 0 for key in ("before", "total"))
    return marks(v, known, top, bool(part["passed"][j]), int(part["place"][j]), before, total)


def _status(v: Variant, part: dict[str, NDArray[Any]], seat: int) -> str:
    """Return the line of what the cards do not show, without what is not the case."""
    turn = text_lines.marked(part["turn"], seat)
    number = f", round {v.rounds - part['left'][0]} of {v.rounds}" if v.rounds > 1 else ""
    upside = ", revolution" if part["upside"].any() else ""
    giver = [name for name, phase in PHASES.items() if name and v.exchange and part["phase"][0] == phase]
    gives = f", {giver[0]} gives {part['gives'][0]}" if giver else ""
    return f"{f'{turn} to move' if turn else 'over'}{number}{upside}{gives}"


def _laid(v: Variant, part: dict[str, NDArray[Any]], seat: int) -> list[Laid]:
    """Return the sets laid in this round."""
    log = zip(*(part[key].tolist() for key in ("log_seat", "log_lead", "log_set")), strict=True)
    return [Laid((seat + after - 1) % v.players, bool(lead), action) for after, lead, action in log if after]


def read_view(v: Variant, text: str) -> NDArray[Any]:
    """Return the view that the text of a seat tells; the inverse of `write_view`.

    Raises:
        ValueError: if it is no text of a seat in this variant.
    """
    if v.suits:
        return suited.read_view(GAME, v, text)
    labels = ["pile", "played", *(["turns"] if v.rounds > 1 else []), *(["sets"] if v.history else [])]
    told = text_lines.read_told(text, v.players, below=1 + len(labels))
    contents = {label: text_lines.content(line, label) for label, line in zip(labels, told.rest[1:], strict=False)}
    view, part = text_lines.blank(GAME, v)
    _read_status(v, part, told)
    for j, content in enumerate(told.seats):
        _read_seat(v, part, j, content)
    part["played"][:] = counts_of(v, contents["played"])
    if (part["hand"] + part["played"] > SUITS).any():
        raise ValueError(f"the hand and the cards played hold more than {SUITS} of a rank: {quote(text.strip())}")
    laid = read_pile(v, contents["pile"])
    if laid:
        part["pile"][0], part["jokered"][0], part["rank"][laid.rank] = laid.size, laid.jokered, 1
        part["owner"][(laid.owner - told.seat) % v.players] = 1
    if v.rounds > 1:
        _read_turns(v, part, told, contents["turns"])
    for i, it in enumerate(read_sets(v, contents.get("sets", "-"))):
        part["log_seat"][i] = 1 + (it.seat - told.seat) % v.players
        part["log_set"][i], part["log_lead"][i] = it.action, it.lead
    return text_lines.finished(GAME, v, view)


def _read_status(v: Variant, part: dict[str, NDArray[Any]], told: text_lines.Told) -> None:
    """Fill in the turn, the round, the order of ranks and the phase."""
    match = _STATUS.fullmatch(told.rest[0])
    wrong = not match or (match["round"] is None) == (v.rounds > 1)
    if not match or wrong or (match["upside"] and not v.revolution) or (match["giver"] and not v.exchange):
        hint = f", round 1 of {v.rounds}" if v.rounds > 1 else ""
        raise ValueError(f"not a status line here: {quote(told.rest[0])}; write it as 'player_0 to move{hint}'")
    if match["turn"]:
        part["turn"][text_lines.clockwise(match["turn"], told)] = 1
    if v.rounds > 1:
        part["left"][0] = v.rounds - int(match["round"])
    if v.revolution:
        part["upside"][0] = match["upside"] is not None
    if v.exchange:
        part["phase"][0], part["gives"][0] = PHASES[match["giver"]], int(match["gives"] or 0)


def _read_seat(v: Variant, part: dict[str, NDArray[Any]], j: int, content: str) -> None:
    """Fill in the cards of a seat, or how many they are, and what is known of it."""
    match = (_OTHER if j else _HAND).fullmatch(content)
    if not match or (not v.exchange and (match["known"] or match["top"])):
        shape = "5 cards" if j else "335T*"
        raise ValueError(f"not what is known of a seat: {quote(content)}; write it as '{shape}' or '{shape}, passed'")
    if j == 0:
        part["hand"][:] = counts_of(v, match["hand"])
    part["sizes"][j] = int(match["size"]) if j else part["hand"].sum()
    part["passed"][j], part["place"][j] = match["passed"] is not None, int(match["place"] or 0)
    if v.rounds > 1:
        part["before"][j], part["total"][j] = int(match["before"] or 0), int(match["total"] or 0)
    if v.exchange:
        part["known"].reshape(-1, JOKER + 1)[j] = counts_of(v, match["known"] or "-")
        part["top"][j] = 1 + top_of(v, match["top"])


def _read_turns(v: Variant, part: dict[str, NDArray[Any]], told: text_lines.Told, content: str) -> None:
    """Fill in how many turns after the seat each other one has."""
    seats = [f"player_{(told.seat + j) % v.players}" for j in range(v.players)]
    words = [word.strip() for word in content.split(",")]
    if sorted(words) != sorted(seats) or words[0] != seats[0]:
        raise ValueError(f"not the order of turns: {quote(content)}; write all seats, {seats[0]} first")
    for after, word in enumerate(words):
        part["order"][seats.index(word)] = after
