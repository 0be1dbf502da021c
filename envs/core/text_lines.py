"""Lines of text with labels and seats by name, shared by the text forms of all games."""

import re
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from kozyr.envs.core.game import Game
from kozyr.envs.core.layout import VARIANTS, Layout
from kozyr.envs.core.quote import quote

YOU = " (you)"  # behind the name of the seat that a text is for
PARAGRAPHS = re.compile(r" ?\(§[^)]*\)")  # numbers of rules, which no reader of a text for players can look up
ME = "you"  # the name of that seat in short texts
_NAME = re.compile(rf"player_(\d+)(?:{re.escape(YOU)})?:?")


class Told(NamedTuple):
    """The text of a seat, taken apart.

    Attributes:
        seat: its owner.
        seats: the words behind each seat's name, the owner first, then clockwise.
        rest: the lines below.
    """

    seat: int
    seats: list[str]
    rest: list[str]


def content(line: str, label: str) -> str:
    """Return the rest of a line behind its label."""
    head, colon, rest = line.partition(":")
    if not colon or head.strip() != label:
        raise ValueError(f"{quote(line.strip())} stands where the line '{label}: …' belongs")
    return rest.strip()


def contents(text: str, labels: list[str]) -> tuple[str, list[str]]:
    """Return the status line of a position and the texts after the labels of the other lines."""
    lines = text.strip().splitlines()
    if len(lines) != len(labels) + 1:
        raise ValueError(
            f"a position has {len(labels) + 1} lines: a status line, then {', '.join(labels)}; not {len(lines)}"
        )
    return lines[0].strip(), [content(*pair) for pair in zip(lines[1:], labels, strict=True)]


def seat_number(text: str | None, seats: int) -> int:
    """Return the number in the name of a seat, once it is checked."""
    number = int(text or 0)
    if number >= seats:
        raise ValueError(f"there is no player_{text} among {seats} players")
    return number


def tell(seat: int, seats: list[str], rest: list[str]) -> str:
    """Return the text of a seat; `read_told` takes it apart again."""
    names = [f"player_{(seat + j) % len(seats)}{'' if j else YOU}" for j in range(len(seats))]
    return "\n".join([*(f"{name}: {words}" for name, words in zip(names, seats, strict=True)), *rest])


def read_told(text: str, seats: int, below: int) -> Told:
    """Take the text of a seat apart; at least so many lines stand `below` the seats' own."""
    lines = [line.strip() for line in text.strip().splitlines()]
    owner = [k for k in range(seats) if lines and lines[0].startswith(f"player_{k}{YOU}:")]
    if not owner:
        raise ValueError(f"the text of a seat begins with its own line, as 'player_0{YOU}: …'")
    if len(lines) < seats + below:
        raise ValueError(f"the text of a seat has {seats + below} lines here; {len(lines)} are too few")
    names = [f"player_{(owner[0] + j) % seats}{'' if j else YOU}" for j in range(seats)]
    texts = [content(line, name) for line, name in zip(lines, names, strict=False)]
    return Told(owner[0], texts, lines[seats:])


def clockwise(text: str | None, seat_text: Told) -> int:
    """Return the distance, clockwise, from the seat that the text is for to another, named by its number."""
    return (seat_number(text, len(seat_text.seats)) - seat_text.seat) % len(seat_text.seats)


def short_name(seat: int, owner: int) -> str:
    """Return the name of a seat in a short text for `owner`: "you", or as "p2"."""
    return ME if seat == owner else f"p{seat}"


def short_names(text: str, owner: int) -> str:
    """Return a text with the seats' short names in place of the long ones."""
    return _NAME.sub(lambda match: short_name(int(match[1]), owner), text)


def joined(clauses: list[str]) -> str:
    """Return the clauses that say something in one line."""
    return "; ".join(filter(None, clauses))


def departures(game: Game, v: Any, known: tuple[str, ...] = ()) -> list[str]:
    """Return the options that are not the usual ones with their meanings, without those whose effect is `known`."""
    its, usual = game.options(v), game.options(game.make_variant())
    return [
        (name if value is True else f"{name}={value}") + f": {PARAGRAPHS.sub('', game.fields[name].meaning)}"
        for name, value in its.items()
        if value != usual[name] and name not in known
    ]


def marked(entries: NDArray[Any], seat: int) -> str:
    """Return the name of the seat that a part of a view marks, or "" if it marks none; `seat` comes first there."""
    return "".join(f"player_{(seat + j) % len(entries)}" for j in np.flatnonzero(entries)[:1].tolist())


def cards(count: int) -> str:
    """Return a number of cards in words."""
    return "1 card" if count == 1 else f"{count} cards"


def parts_of(game: Game, v: Any, view: NDArray[Any]) -> dict[str, NDArray[Any]]:
    """Return the parts of a view by name; an entry written into them is written into the view."""
    return {name: view[span] for name, span in _spans(game.parts, v)}


@lru_cache(VARIANTS, typed=True)
def _spans(parts: type[Layout], v: Any) -> tuple[tuple[str, slice], ...]:
    """Return the spans of a view's parts by name."""
    return tuple(parts(v).spans().items())


def blank(game: Game, v: Any) -> tuple[NDArray[Any], dict[str, NDArray[Any]]]:
    """Return a view of zeros, wide enough for any number that a text may hold, and its parts."""
    view = np.zeros(game.size(v), np.int64)
    return view, parts_of(game, v, view)


def finished(game: Game, v: Any, view: NDArray[Any]) -> NDArray[Any]:
    """Return a view that was read in the type of the game's views, once no entry is lower or higher than it can be."""
    for name, entries in parts_of(game, v, view).items():
        part, low, high = game.parts.declared[name], entries.min(initial=0), entries.max(initial=0)
        if low < 0:
            raise ValueError(f"{low} is too little for {quote(name)} ({part.meaning}): at least 0")
        if high > part.top(v):
            raise ValueError(f"{high} is too much for {quote(name)} ({part.meaning}): at most {part.top(v)}")
    return view.astype(game.view_dtype)
