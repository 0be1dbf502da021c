"""A recorded game as frames: what one may know after each ply, as a scene, in words, and as drawn parts.

The parts of a frame are elements with their places, and keep their identity from one frame to the next.
"""

import re
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from kozyr.envs.core import capabilities
from kozyr.envs.core.game import Game
from kozyr.envs.pictures import render_svg, svg_elements
from kozyr.envs.pictures.layout import place
from kozyr.envs.pictures.scene import FACE, HIGH, ID, KIND, SEES_ALL, WIDE, ZONE
from kozyr.envs.table.event import Event, Kind
from kozyr.envs.table.record_format import Record
from kozyr.envs.table.table import Table

_PLACED = re.compile(r'<g([^>]*?) transform="([^"]*)">(.*)</g>', re.DOTALL)
_PICTURE = re.compile(r'<svg[^>]*? viewBox="0 0 (\d+) (\d+)"[^>]*>(?:<title>.*?</title>)?(.*)</svg>', re.DOTALL)
_NUMBER = re.compile(r"-?[\d.]+")


class Frame(NamedTuple):
    """Frame of a film: picture and text after a ply.

    Attributes:
        ply: how many actions have been played; 0 is the deal.
        state: [1] the whole position, for drawings only.
        rows: int32 [count, COLUMNS] the scene; empty where the game has none.
        words: what happened since the frame before, a sentence each.
    """

    ply: int
    state: NDArray[Any]
    rows: NDArray[np.int32]
    words: tuple[str, ...]


def frames(record: Record, seat: int | None = None) -> Iterator[Frame]:
    """Give the frames of a game from the deal on.

    Args:
        record: the game.
        seat: whose knowledge to show; None shows everything.

    Raises:
        ValueError: if the record is not as the rules have it, or there is no such seat.
    """
    table = Table(record.game, record.variant, record.seed, record.starter)
    if seat is not None and not 0 <= seat < table.seats:
        raise ValueError(f"seat={seat} is not allowed: the game has seats 0 to {table.seats - 1}")
    yield _frame(table, seat, ())
    for i, action in enumerate(record.actions):
        words = _words(table, action, seat, record.agents)
        ended = [_over(table, event, record.agents) for event in table.apply(action)[1:]]
        if i + 1 == len(record.actions) and record.forfeit is not None:
            ended += [str(event) for event in table.forfeit(record.forfeit, record.reason or "")]
        yield _frame(table, seat, (words, *ended))


def _words(table: Table, action: int, seat: int | None, names: list[str] | None) -> str:
    """Say a move as `seat` may know it."""
    state = table.state()[0]
    words = table.game.text.table_words(table.variant, state, action, seat)
    return f"{_name(names, table.turn)}: {words}"


def _over(table: Table, event: Event, names: list[str] | None) -> str:
    """Return the words after a move: at the end the result in the game's own words."""
    if event.kind != Kind.ENDED:
        return str(event)
    results = [capabilities.result(table.variant, table.state()[0], k) for k in range(table.seats)]
    return f"The game is over: {', '.join(f'{_name(names, k)} {result}' for k, result in enumerate(results))}"


def _name(names: list[str] | None, seat: int) -> str:
    return f"player_{seat}" if names is None else f"{names[seat]} ({seat + 1})"


def _frame(table: Table, seat: int | None, words: tuple[str, ...]) -> Frame:
    """Return the present frame."""
    state = table.state()
    looks = SEES_ALL if seat is None else seat
    return Frame(table.ply, state, render_svg.rows(table.game, table.variant, state, looks), words)


def drawing(
    game: Game, variant: Any, frame: Frame, seat: int | None, names: list[str] | None, film: bool = False
) -> str:
    """Return a frame as SVG; those of a film have one size."""
    if len(frame.rows):
        return render_svg.svg(frame.rows, game.labels, names, game.title, frame=film)
    return game.draw(variant, frame.state[0], seat)


class Part(NamedTuple):
    """One element of a frame.

    Attributes:
        name: what keeps its identity from one frame to the next.
        place: the `transform` that puts it where it is; empty for what is drawn in its place.
        body: what is drawn, as SVG.
    """

    name: str
    place: str
    body: str

    def at(self) -> tuple[float, float]:
        """Return the origin's place."""
        x, y = _NUMBER.findall(self.place)[:2]
        return float(x), float(y)


class Drawing(NamedTuple):
    """A frame, taken apart.

    Attributes:
        wide, high: the picture's size.
        ground: its colour, or empty.
        parts: back to front.
        symbols: names of the shared drawings that the parts use.
    """

    wide: int
    high: int
    ground: str
    parts: list[Part]
    symbols: set[str]


def taken_apart(game: Game, variant: Any, frame: Frame, seat: int | None, names: Sequence[str] | None) -> Drawing:
    """Return a frame as parts.

    Args:
        game: the game; variant: its options.
        frame: what there is to see.
        seat: whose knowledge it shows; None for everything.
        names: who plays, a seat each; None: player_0 and so on.
    """
    if not len(frame.rows):
        return _whole(game.draw(variant, frame.state[0], seat))
    rows = [row for row in place(frame.rows.tolist()) if row[KIND] != ZONE]
    first, counts, parts = rows[0], dict[int, int](), list[Part]()
    pen = svg_elements.Pen(game.labels, names, first)
    keys = set[str]()
    for row in rows[1:]:
        counts[row[KIND]] = counts.get(row[KIND], 0) + 1
        name = f"{row[KIND]}:{row[ID]}" if row[ID] else f"{row[KIND]}-{counts[row[KIND]]}"
        name = f"{name}+{len(parts)}" if name in keys else name
        keys.add(name)
        parts.append(_part(name, svg_elements.DRAWN[row[KIND]](row, pen)))
    return Drawing(first[WIDE], first[HIGH], svg_elements.GROUNDS[first[FACE]], parts, pen.used)


def _part(name: str, svg: str) -> Part:
    """Separate a drawing from its place, so that an element that moves is the same drawing everywhere."""
    match = _PLACED.fullmatch(svg)
    if match is None or not match[2].startswith("translate") or "scale" in match[2]:
        return Part(f"{name} in place", "", svg)  # which never moves, and is no part that does
    return Part(name, match[2], match[3])


def _whole(svg: str) -> Drawing:
    """Return a picture that is not made of a scene as a single part."""
    match = _PICTURE.fullmatch(svg)
    if match is None:
        raise ValueError("the game's drawing is not as kozyr.envs.pictures.render_svg makes it")
    return Drawing(int(match[1]), int(match[2]), "", [Part("picture", "", match[3])], set())
