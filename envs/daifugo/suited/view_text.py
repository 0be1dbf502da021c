"""Text of a view with suits: the seat's own line first, the others clockwise, then the table.

    player_1 (you): 4S 9H KD *, gave 2S, before 5, total 4
    player_2: 5 cards, passed, before 3, total 2
    …
    player_1 to move, round 2 of 3, revolution
    pile: 5S 5H by player_2
    leads: player_2
    played: 3S 5S 5H
    turns: player_1, player_0, player_4, player_2, player_3

"gave" are cards that the seat gave in the exchange and that its partner still has. "under" is the weaker of those that
it was given: its partner's other cards are weaker.
"""

import re
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kozyr.envs.core import text_lines
from kozyr.envs.core.game import Game
from kozyr.envs.core.quote import quote
from kozyr.envs.daifugo.suited.sets import CARDS, COLUMNS, KIND, LOW, SIZE, SUITS_OF
from kozyr.envs.daifugo.suited.text import BY_STRENGTH, read_pile, read_sets, read_turns, write_sets
from kozyr.envs.daifugo.suited.words import action_name, card_name, masks_of, names, ones
from kozyr.envs.daifugo.variant import Variant
from kozyr.envs.daifugo.words import PHASES

_STATUS = re.compile(
    r"(?:player_(?P<turn>[0-7]) to move|over)(?:, round (?P<round>[0-9]{1,3}) of [0-9]{1,3})?(?P<upside>, revolution)?"
    r"(?P<locked>, locked)?(?:, (?P<passes>[0-9]{1,3}) passes)?(?:, (?P<giver>first|second) gives (?P<gives>[12]))?"
)
_MARKS = (
    r"(?:, gave (?P<gave>[^,]+))?(?:, under (?P<under>[^,]+))?(?:, (?P<passed>passed))?"
    r"(?:, place (?P<place>[1-8]))?(?:, before (?P<before>[1-8]))?(?:, total (?P<total>[0-9]{1,4}))?"
)
_HAND = re.compile(rf"(?P<hand>[^,]+?){_MARKS}")
_OTHER = re.compile(rf"(?P<size>[0-9]{{1,2}}) cards?{_MARKS}")


def write_view(game: Game, v: Variant, view: NDArray[Any], seat: int) -> str:
    """Return a view of `seat` as text."""
    part = text_lines.parts_of(game, v, view)
    hands = [names(ones(part["cards"])), *(text_lines.cards(int(size)) for size in part["sizes"][1:])]
    lies, owner = int(part["lies"][0]), text_lines.marked(part["owner"], seat)
    rest = [
        _status(v, part, seat),
        f"pile: {f'{action_name(lies)} by {owner}' if lies else '-'}",
        f"leads: {text_lines.marked(part['leads'], seat)}",
        f"played: {names(ones(part['gone']))}",
        f"turns: {', '.join(f'player_{(seat + j) % v.players}' for j in np.argsort(part['order']).tolist())}",
    ]
    if v.history:
        log = zip(*(part[key].tolist() for key in ("log_seat", "log_lead", "log_set")), strict=True)
        rest.append(f"sets: {write_sets([((seat + k - 1) % v.players, bool(lead), a) for k, lead, a in log if k])}")
    return text_lines.tell(seat, [hand + _marks(v, part, j) for j, hand in enumerate(hands)], rest)


def _marks(v: Variant, part: dict[str, NDArray[Any]], j: int) -> str:
    """Return the marks of a seat: all that is known of it but its cards."""
    rounds, exchanging = v.rounds > 1, v.exchange and j == 0
    under = int(part["under"][0]) if exchanging else 0
    told = [
        (exchanging and part["given"].any(), lambda: f"gave {names(ones(part['given']))}"),
        (under, lambda: f"under {card_name(BY_STRENGTH[under - 1])}"),
        (part["passed"][j], lambda: "passed"),
        (part["place"][j], lambda: f"place {part['place'][j]}"),
        (rounds and part["before"][j], lambda: f"before {part['before'][j]}"),
        (rounds, lambda: f"total {part['total'][j]}"),
    ]
    return "".join(f", {text()}" for holds, text in told if holds)


def _status(v: Variant, part: dict[str, NDArray[Any]], seat: int) -> str:
    """Return the line of what the cards do not show, without what is not the case."""
    turn = text_lines.marked(part["turn"], seat)
    number = f", round {v.rounds - part['left'][0]} of {v.rounds}" if v.rounds > 1 else ""
    flags = f"{', revolution' if part['upside'].any() else ''}{', locked' if part['locked'].any() else ''}"
    passes = f", {part['passes'][0]} passes" if part["passes"].any() else ""
    giver = [name for name, phase in PHASES.items() if name and v.exchange and part["phase"][0] == phase]
    gives = f", {giver[0]} gives {part['gives'][0]}" if giver else ""
    return f"{f'{turn} to move' if turn else 'over'}{number}{flags}{passes}{gives}"


def read_view(game: Game, v: Variant, text: str) -> NDArray[Any]:
    """Return the view that the text of a seat tells; the inverse of `write_view`.

    Raises:
        ValueError: if it is no text of a seat in this variant.
    """
    labels = ["pile", "leads", "played", "turns", *(["sets"] if v.history else [])]
    told = text_lines.read_told(text, v.players, below=1 + len(labels))
    contents = {label: text_lines.content(line, label) for label, line in zip(labels, told.rest[1:], strict=False)}
    view, part = text_lines.blank(game, v)
    _read_status(v, part, told)
    for j, content in enumerate(told.seats):
        _read_seat(v, part, j, content)
    part["gone"][:] = _entries(masks_of(contents["played"]))
    if laid := read_pile(v, contents["pile"]):
        action, owner = laid
        part["lies"][0], part["pile"][0], part["low"][0] = action, SIZE[action], LOW[action]
        part["kind"][KIND[action] - 1], part["owner"][(owner - told.seat) % v.players] = 1, 1
        part["of_suits"][:] = [int(SUITS_OF[action]) >> suit & 1 for suit in range(5)]
    leads = re.fullmatch("player_([0-7])", contents["leads"])
    if not leads:
        raise ValueError(f"not who leads: {quote(contents['leads'])}; write it as 'player_0'")
    part["leads"][text_lines.clockwise(leads[1], told)] = 1
    for after, seat in enumerate(read_turns(v, contents["turns"], told.seat)):
        part["order"][(seat - told.seat) % v.players] = after
    for i, (seat, lead, action) in enumerate(read_sets(v, contents.get("sets", "-"))):
        part["log_seat"][i], part["log_lead"][i] = 1 + (seat - told.seat) % v.players, lead
        part["log_set"][i] = action
    return text_lines.finished(game, v, view)


def _entries(masks: NDArray[np.int16]) -> list[int]:
    return [int(masks[card // COLUMNS]) >> card % COLUMNS & 1 for card in range(CARDS)]


def _read_status(v: Variant, part: dict[str, NDArray[Any]], told: text_lines.Told) -> None:
    """Fill in the turn, the round, the order of ranks, the lock, the passes and the phase."""
    match = _STATUS.fullmatch(told.rest[0])
    wrong = not match or (match["round"] is None) == (v.rounds > 1)
    if not match or wrong or (match["upside"] and not v.revolution) or (match["giver"] and not v.exchange):
        hint = f", round 1 of {v.rounds}" if v.rounds > 1 else ""
        raise ValueError(f"not a status line here: {quote(told.rest[0])}; write it as 'player_0 to move{hint}'")
    if (match["locked"] and not v.suit_lock) or (match["passes"] and not v.pass_limit):
        raise ValueError(f"this variant has no lock, or counts no passes: {quote(told.rest[0])}")
    if match["turn"]:
        part["turn"][text_lines.clockwise(match["turn"], told)] = 1
    values = {
        "left": v.rounds - int(match["round"] or 0),
        "upside": match["upside"] is not None,
        "locked": match["locked"] is not None,
        "passes": int(match["passes"] or 0),
        "phase": PHASES[match["giver"]],
        "gives": int(match["gives"] or 0),
    }
    for name, value in values.items():
        part[name][:] = value


def _read_seat(v: Variant, part: dict[str, NDArray[Any]], j: int, content: str) -> None:
    """Fill in the cards of a seat, or how many they are, and what is known of it."""
    match = (_OTHER if j else _HAND).fullmatch(content)
    if not match or ((match["gave"] or match["under"]) and (j or not v.exchange)):
        shape = "5 cards" if j else "3S TD *"
        raise ValueError(f"not what is known of a seat: {quote(content)}; write it as '{shape}' or '{shape}, passed'")
    if j == 0:
        part["cards"][:] = _entries(masks_of(match["hand"]))
    part["sizes"][j] = int(match["size"]) if j else part["cards"].sum()
    part["passed"][j], part["place"][j] = match["passed"] is not None, int(match["place"] or 0)
    if v.rounds > 1:
        part["before"][j], part["total"][j] = int(match["before"] or 0), int(match["total"] or 0)
    if v.exchange and j == 0:
        part["given"][:] = _entries(masks_of(match["gave"] or "-"))
        cards = np.flatnonzero(_entries(masks_of(match["under"] or "-"))).tolist()
        part["under"][0] = 1 + BY_STRENGTH.index(cards[0]) if cards else 0
