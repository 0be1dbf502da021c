"""A recorded game as frames: what one may know after each ply, as a scene and in words."""

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from kozyr.envs.core import capabilities
from kozyr.envs.core.game import Game
from kozyr.envs.pictures import render_svg
from kozyr.envs.pictures.scene import SEES_ALL
from kozyr.envs.table.event import Event, Kind
from kozyr.envs.table.record_format import Record
from kozyr.envs.table.table import Table


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
    words = table.game.text.say(table.variant, state, action, seat)
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


def drawing(game: Game, variant: Any, frame: Frame, seat: int | None, names: list[str] | None) -> str:
    """Return a frame as SVG."""
    if len(frame.rows):
        return render_svg.svg(frame.rows, game.labels, names, game.title)
    return game.draw(variant, frame.state[0], seat)
