"""Seating and clock of a table of the command line."""

import re
from collections.abc import Sequence
from importlib.util import find_spec
from typing import Any

from kozyr import agents
from kozyr.agents.play.pages.opponents import ME
from kozyr.envs.core import install_hint
from kozyr.envs.core.game import Game
from kozyr.envs.core.quote import quote
from kozyr.envs.table.clock import Clock

_CLOCK = re.compile(r"(\d+(?:\.\d+)?)(?:\+(\d+(?:\.\d+)?))?")


def seating(game: Game, variant: Any, against: Sequence[str], seat: int | None) -> list[str]:
    """Return the occupant of each seat: ME and agents.

    Args:
        game: of the table; variant: its options.
        against: names of agents for the other seats in their order; the last one takes the seats that are left.
            Without any, the strongest scripted player does.
        seat: mine, from 1; None: all seats are the agents'.

    Raises:
        ValueError: for a seat that there is not, too many names, and agents that cannot play.
    """
    seats = game.seats(variant)
    if seat is not None and not 1 <= seat <= seats:
        raise ValueError(f"--seat {seat} is not allowed: the seats are 1 to {seats}")
    others, names = seats - (seat is not None), list(against) or agents.names(game.name)[-1:]
    if len(names) > others:
        raise ValueError(f"{len(names)} agents are too many: {others} of the {seats} seats are theirs")
    for name in dict.fromkeys(names):
        agents.load(name, game.name, **game.options(variant))
    filled = names + names[-1:] * (others - len(names))
    return filled if seat is None else [*filled[: seat - 1], ME, *filled[seat - 1 :]]


def clock(text: str | None) -> Clock | None:
    """Return the clock of a text: "30" for each move, "300+5" for the game with 5 more a move, or None.

    Raises:
        ValueError: for a text that is none.

    Example:
        >>> clock("30"), clock("300+5")
        (Clock(move=30.0, game=None, increment=0.0), Clock(move=None, game=300.0, increment=5.0))
    """
    if text is None:
        return None
    match = _CLOCK.fullmatch(text)
    if match is None:
        raise ValueError(
            f"--clock {quote(text)} is not allowed: write seconds for each move, as 30, or for the game and each move "
            "more, as 300+5"
        )
    return Clock(move=float(match[1])) if match[2] is None else Clock(game=float(match[1]), increment=float(match[2]))


def missing() -> str:
    """Return the command that installs the libraries for the table in the browser, or "" if all are there."""
    needed = ("starlette", "uvicorn", "websockets", "jinja2", "babel", "msgspec", "segno")
    lacking = [name for name in needed if find_spec(name) is None]
    return f"the table in the browser needs {lacking[0]}: {install_hint.command('play')}" if lacking else ""
