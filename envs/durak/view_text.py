"""Text of a view: the seat's own line first, the others clockwise, then the table.

    player_1 (you): TS* 7D
    player_2: out
    player_0: 3 cards, 9H known
    trump S, player_0 attacks player_1, player_1 to move, limit 5
    table: 8C/JC 8D
    stock: 2 cards, AS open
    discard: 7C 6D

A star marks a card that everybody knows the seat to hold.
"""

import re
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kozyr.envs.core import text_lines
from kozyr.envs.core.cards import SUITS as SUIT_LETTERS
from kozyr.envs.core.cards import name, names, number, numbers
from kozyr.envs.core.quote import quote
from kozyr.envs.durak import GAME
from kozyr.envs.durak.cards import SUITS
from kozyr.envs.durak.rules import Variant

KNOWN = "*"
_SHAPE = "trump S, player_0 attacks player_1, player_0 to move, limit 6"
_STATUS = re.compile(
    r"trump (?P<trump>[CSHD]), player_(?P<attacker>[0-9]) attacks player_(?P<defender>[0-9]), "
    r"(?:player_(?P<turn>[0-9]) to move|over), limit (?P<limit>[0-6])"
    r"(?:, passes (?P<passes>[0-6]))?(?P<taking>, taking)?(?P<shown>, trump shown)?"
)
_OTHER = re.compile(r"(?P<size>[0-9]{1,2}) cards?(?:, (?P<known>[^,]+) known)?")
_STOCK = re.compile(r"(?P<size>[0-9]{1,2}) cards?(?:, (?P<open>[^,]+) open)?")


def write_view(v: Variant, view: NDArray[Any], seat: int) -> str:
    """Return a view of `seat` as text."""
    part, ranks = text_lines.parts_of(GAME, v, view), v.deck // SUITS
    known = part["known"].reshape(-1, v.deck)
    mine = hand_names(v, part)
    others = [_other(v, int(part["sizes"][j]), known[j - 1]) for j in range(1, v.players)]
    seats = ["out" if part["out"][j] else words for j, words in enumerate([" ".join(mine) or "-", *others])]
    bottom = names(np.flatnonzero(part["bottom"]).tolist(), ranks)
    return text_lines.tell(
        seat,
        seats,
        [
            _status(part, seat),
            f"table: {' '.join(table_names(v, part)) or '-'}",
            f"stock: {text_lines.cards(int(part['stock'][0]))}{f', {bottom} open' if bottom != '-' else ''}",
            f"discard: {names(np.flatnonzero(part['discard']).tolist(), ranks)}",
        ],
    )


def hand_names(v: Variant, part: dict[str, NDArray[Any]]) -> list[str]:
    """Return the cards of the seat's own hand, those marked that everybody knows."""
    return [name(c, v.deck // SUITS) + KNOWN * int(part["shown"][c]) for c in np.flatnonzero(part["hand"]).tolist()]


def _other(v: Variant, size: int, known: NDArray[Any]) -> str:
    """Return the words for another seat's hand: its size and the cards that are known."""
    cards = names(np.flatnonzero(known).tolist(), v.deck // SUITS)
    return text_lines.cards(size) + (f", {cards} known" if cards != "-" else "")


def _status(part: dict[str, NDArray[Any]], seat: int) -> str:
    """Return the line of what the cards do not show, without passes, taking and a shown trump where there are none."""
    attacker, defender, turn = (text_lines.marked(part[name], seat) for name in ("attacker", "defender", "turn"))
    passes, taking = int(part["passes"][0]), int(part["taking"][0])
    return (
        f"trump {SUIT_LETTERS[int(part['trump'].argmax())]}, {attacker} attacks {defender}, "
        f"{f'{turn} to move' if turn else 'over'}, limit {part['limit'][0]}"
        f"{f', passes {passes}' if passes else ''}{', taking' if taking else ''}"
        f"{', trump shown' if part['trump_shown'].any() else ''}"
    )


def table_names(v: Variant, part: dict[str, NDArray[Any]]) -> list[str]:
    """Return the attack cards in their order, each with the card that beats it."""
    ranks, places = v.deck // SUITS, range(1, int(part["attack"].max()) + 1)
    table = [name(int((part["attack"] == i).argmax()), ranks) for i in places]
    for c in np.flatnonzero(part["defence"]).tolist():
        table[part["defence"][c] - 1] += "/" + name(c, ranks)
    return table


def read_view(v: Variant, text: str) -> NDArray[Any]:
    """Return the view that the text of a seat tells; the inverse of `write_view`.

    Raises:
        ValueError: if it is no text of a seat in this variant.
    """
    told = text_lines.read_told(text, v.players, below=4)
    view, part = text_lines.blank(GAME, v)
    ranks = v.deck // SUITS
    _read_status(v, part, told)
    table, stock, discard = map(text_lines.content, told.rest[1:4], ("table", "stock", "discard"))
    _read_hand(v, part, told.seats[0])
    for j in range(1, v.players):
        _read_other(v, part, j, told.seats[j])
    _read_table(v, part, table)
    match = _STOCK.fullmatch(stock)
    if not match or (match["open"] and not v.open_trump):
        raise ValueError(f"not a stock: {quote(stock)}; write it as '2 cards{', AS open' * v.open_trump}'")
    part["stock"][0] = int(match["size"])
    if match["open"]:
        part["bottom"][number(match["open"], ranks)] = 1
    part["discard"][numbers(discard, ranks)] = 1
    _verify(v, part)
    return text_lines.finished(GAME, v, view)


def _read_status(v: Variant, part: dict[str, NDArray[Any]], told: text_lines.Told) -> None:
    """Fill in the trump, the seats' parts and the counters."""
    match = _STATUS.fullmatch(told.rest[0])
    if not match:
        raise ValueError(f"not a status line: {quote(told.rest[0])}; write it as {_SHAPE!r}")
    part["trump"][SUIT_LETTERS.index(match["trump"])] = 1
    for key in ("attacker", "defender", "turn"):
        if match[key]:
            part[key][text_lines.clockwise(match[key], told)] = 1
    part["limit"][0], part["passes"][0] = int(match["limit"]), int(match["passes"] or 0)
    part["taking"][0] = match["taking"] is not None
    if match["shown"] and not v.show_trump:
        raise ValueError("no trump can be shown in this variant (show_trump=False): leave out ', trump shown'")
    part["trump_shown"][:] = match["shown"] is not None


def _read_hand(v: Variant, part: dict[str, NDArray[Any]], content: str) -> None:
    """Fill in the seat's own hand."""
    part["out"][0] = content == "out"
    for word in [] if content in ("-", "out") else content.split():
        card = number(word.removesuffix(KNOWN), v.deck // SUITS)
        part["hand"][card], part["shown"][card] = 1, word.endswith(KNOWN)
    part["sizes"][0] = part["hand"].sum()


def _read_other(v: Variant, part: dict[str, NDArray[Any]], j: int, content: str) -> None:
    """Fill in what is known of the hand of the seat j places on."""
    part["out"][j] = content == "out"
    match = _OTHER.fullmatch("0 cards" if content == "out" else content)
    if not match:
        raise ValueError(f"not what is known of a hand: {quote(content)}; write it as '3 cards, 9H TC known', or 'out'")
    part["sizes"][j] = int(match["size"])
    part["known"].reshape(-1, v.deck)[j - 1, numbers(match["known"] or "-", v.deck // SUITS)] = 1


def _read_table(v: Variant, part: dict[str, NDArray[Any]], content: str) -> None:
    """Fill in the cards on the table and which of them are open."""
    for i, word in enumerate([] if content == "-" else content.split()):
        attack, *defence = (number(card, v.deck // SUITS) for card in word.split("/"))
        if len(defence) > 1:
            raise ValueError(f"table: {quote(word)} is wrong: one card beats another, as 6C/7C")
        part["attack"][attack] = i + 1
        part["defence"][defence] = i + 1
        part["open"][attack] = not defence


def _verify(v: Variant, part: dict[str, NDArray[Any]]) -> None:
    """Refuse a card that lies in two places."""
    places = ("hand", "known", "attack", "defence", "discard", "bottom")
    lying = sum((part[name].reshape(-1, v.deck) > 0).sum(0) for name in places)
    for c in np.flatnonzero(np.asarray(lying) > 1).tolist():
        raise ValueError(f"{name(c, v.deck // SUITS)} lies in two places")
