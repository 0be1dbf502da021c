"""Text of a view: the seat's own line first, then the other's, and the turn.

    player_0 (you): 7C ? ? ? 9C | a a a 2H
    player_1: 7H | ? ? ? ? b b
    player_0 began, player_1 to flip, 12 turns left
    a: QC JH 5D
    b: 6C AS

As in the text of the whole position, what lies left of the bar has been laid in this turn, right of it the deck, the
next card first. "?" is a card that nobody has seen. Letters mark cards that were shuffled before they went under a
deck: the lines below name them, and their order is not known. Both seats know the same.
"""

import re
from typing import Any

from numpy.typing import NDArray

from kozyr.envs.core import text_lines
from kozyr.envs.core.cards import name, names, numbers
from kozyr.envs.core.quote import quote
from kozyr.envs.war import GAME
from kozyr.envs.war.rules import SEATS, SUITS, Variant
from kozyr.envs.war.view import DIGIT, DIGITS

LETTERS = "abcdefghijklmnopqrstuvwxyz"
_UNSEEN = "?"
_SHAPE = "player_0 began, player_0 to flip, 12 turns left"
_STATUS = re.compile(
    r"player_(?P<starter>[01]) began, (?:player_(?P<turn>[01]) to (?P<phase>flip|choose)|over), "
    r"(?P<left>[0-9]{1,7}) turns left"
)


def write_view(v: Variant, view: NDArray[Any], seat: int) -> str:
    """Return a view of `seat` as text."""
    part = text_lines.parts_of(GAME, v, view)
    shuffled: list[str] = []
    told = [_line(v, part, j, shuffled) for j in range(SEATS)]
    blocks = [f"{letter}: {cards}" for letter, cards in zip(LETTERS, shuffled, strict=False)]
    return text_lines.tell(seat, told, [_status(part, seat), *blocks])


def _status(part: dict[str, NDArray[Any]], seat: int) -> str:
    """Return the line of what the cards do not show."""
    turn, starter = text_lines.marked(part["turn"], seat), seat if part["starter"][0] else 1 - seat
    state = f"{turn} to {'choose' if part['picking'][0] else 'flip'}" if turn else "over"
    left = sum(int(digit) << DIGIT * i for i, digit in enumerate(part["left"]))
    return f"player_{starter} began, {state}, {left} turns left"


def _line(v: Variant, part: dict[str, NDArray[Any]], j: int, shuffled: list[str]) -> str:
    """Return the cards of a line, a bar between those laid and the deck; cards of unknown order go to `shuffled`."""
    first, laid = part[("mine", "theirs")[j]], int(part["laid"][j])
    words = [""] * (laid + int(part["sizes"][j]))
    groups = [list[int]() for _ in words]
    for card, place in enumerate(first.tolist()):
        if 0 < place <= len(groups):
            groups[place - 1].append(card)
    for place, cards in enumerate(groups):
        if len(cards) == 1:
            words[place] = name(cards[0], v.deck // SUITS)
    for place, cards in enumerate(groups):
        if len(cards) > 1:
            free = [i for i in range(place, len(words)) if not words[i]]
            for i in free[: len(cards)]:
                words[i] = LETTERS[len(shuffled)]
            shuffled.append(names(cards, v.deck // SUITS))
    words = [word or _UNSEEN for word in words]
    return f"{' '.join(words[:laid]) or '-'} | {' '.join(words[laid:]) or '-'}"


def read_view(v: Variant, text: str) -> NDArray[Any]:
    """Return the view that the text of a seat tells; the inverse of `write_view`.

    Raises:
        ValueError: if it is no text of a seat in this variant.
    """
    told = text_lines.read_told(text, SEATS, below=1)
    view, part = text_lines.blank(GAME, v)
    _read_status(v, part, told)
    blocks = {letter: text_lines.content(line, letter) for letter, line in zip(LETTERS, told.rest[1:], strict=False)}
    for j, line in enumerate(told.seats):
        _read_line(v, part, j, line, blocks)
    if blocks:
        raise ValueError(f"no card of a line is marked {', '.join(blocks)}")
    return text_lines.finished(GAME, v, view)


def _read_status(v: Variant, part: dict[str, NDArray[Any]], told: text_lines.Told) -> None:
    """Fill in the seats' parts and the turns left."""
    match = _STATUS.fullmatch(told.rest[0])
    if not match:
        raise ValueError(f"not a status line: {quote(told.rest[0])}; write it as {_SHAPE!r}")
    part["starter"][0] = int(match["starter"]) == told.seat
    part["picking"][0] = match["phase"] == "choose"
    if int(match["left"]) > v.max_turns:
        raise ValueError(f"{match['left']} turns left are too many: the game is cut off after {v.max_turns}")
    if match["turn"]:
        part["turn"][text_lines.clockwise(match["turn"], told)] = 1
    for i in range(DIGITS):
        part["left"][i] = int(match["left"]) >> DIGIT * i & (1 << DIGIT) - 1


def _read_line(v: Variant, part: dict[str, NDArray[Any]], j: int, line: str, blocks: dict[str, str]) -> None:
    """Fill in the cards of a line; blocks of shuffled cards that lie in it are taken out of `blocks`."""
    laid, bar, deck = line.partition("|")
    if not bar:
        raise ValueError(f"not the cards of a seat: {quote(line)}; write them as 'laid | deck', as '7C ? | 2H -'")
    halves = [[] if half.strip() == "-" else half.split() for half in (laid, deck)]
    words = halves[0] + halves[1]
    part["laid"][j], part["sizes"][j], part["unseen"][j] = *map(len, halves), halves[1].count(_UNSEEN)
    entries, passed = part[("mine", "theirs")[j]], {_UNSEEN}
    for place, word in enumerate(words):
        cards = [] if word in passed else numbers(blocks.pop(word, word), v.deck // SUITS)
        if len(cards) > 1:
            passed.add(word)
            if words.count(word) != len(cards):
                raise ValueError(f"{words.count(word)} cards are marked {word}, but {len(cards)} are named")
        for c in cards:
            if part["mine"][c] or part["theirs"][c]:
                raise ValueError(f"{name(c, v.deck // SUITS)} lies in two places")
            entries[c] = place + 1
