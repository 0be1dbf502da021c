"""Illegal actions: the judgement, and what one costs in each kind of environment."""

from enum import Enum
from typing import Any, NoReturn

import numpy as np
from numpy.typing import NDArray

from kozyr.envs.core.capabilities import stand_in
from kozyr.envs.core.game import Game
from kozyr.envs.environments import argument_checks
from kozyr.envs.loops import tables

_LISTED = 30  # legal actions that a sentence names


class OnIllegal(Enum):
    """Consequence of an illegal action.

    Attributes:
        RAISE: a ValueError in words; nothing has changed. `raw_env`, `Table`, `Tables`, the vector environments, the
            learner at an inside table, RLlib's environment and records raise.
        DISQUALIFY: whoever names an illegal number loses the game; what is no whole number at all raises, as that is
            a mistake of the program that asks. `env()` and `make_seat` do so.
        FORFEIT: whatever goes wrong, an error too, loses the game. Matches and leagues do so.
    """

    RAISE = "raise"
    DISQUALIFY = "disqualify"
    FORFEIT = "forfeit"

    def forfeits(self, action: Any) -> bool:
        """Return True if an action that is not legal loses the game."""
        return self is OnIllegal.FORFEIT or (self is OnIllegal.DISQUALIFY and _is_whole(action))


def judge(v: Any, action: Any, mask: NDArray[np.int8]) -> int | str:
    """Return the legal action that an action counts as by the game's own rules, or else the complaint about it.

    Steps of many tables compare actions with masks in compiled code instead, and there nothing stands in for a mistake.
    """
    complaint = argument_checks.complaint(action, mask)
    if not complaint:
        return int(action)
    instead = stand_in(v)
    return instead if instead is not None and mask[instead] and _is_whole(action) else complaint


def _is_whole(action: Any) -> bool:
    return type(action) is int or argument_checks.is_whole(action)


def settle(
    on: OnIllegal, game: Game, v: Any, s: Any, action: Any, mask: NDArray[np.int8], seat: int | None = None
) -> int | list[float]:
    """Return the legal action that an action counts as, or the payoffs of a game that it ends; else raise in words.

    Args:
        on: the consequence of an illegal action here.
        game: the game; v: its variant; s: the position.
        action: the choice of the seat to move; mask: its legal actions.
        seat: who reads the words; None: the program that holds the game.

    Raises:
        ValueError: if `on` says so.
    """
    ruling = judge(v, action, mask)
    if isinstance(ruling, int):
        return ruling
    if on.forfeits(action):
        return forfeited(game.seats(v), int(s.turn))
    raise ValueError(in_words(game, v, s, action, ruling, mask, seat))


def forfeited(seats: int, seat: int) -> list[float]:
    """Return the payoffs of a game that `seat` loses by something else than the rules: −1, the others share the win."""
    return [-1.0 if k == seat else 1.0 / (seats - 1) for k in range(seats)]


def in_words(
    game: Game, v: Any, s: Any, action: Any, complaint: str, mask: NDArray[np.int8], seat: int | None = None
) -> str:
    """Describe a bad action with the position in which it was tried, and what would have been legal.

    The position is whole, for the program that holds the game, or as the `seat` that reads it knows it.
    """
    numbers = np.flatnonzero(mask).tolist()
    listed = ", ".join(f"{a} ({game.text.say(v, s, a, seat)})" for a in numbers[:_LISTED])
    more = f" and {len(numbers) - _LISTED} more" if len(numbers) > _LISTED else ""
    return (
        f"{game.id}: action {action!r} of player_{int(s.turn)} at ply {int(s.ply)}: {complaint}. "
        f"Legal actions: {listed}{more}. The position, unchanged:\n{game.text.write(v, s, seat)}"
    )


def require_legal(
    game: Game, masks: NDArray[np.int8], rows: NDArray[np.int64], actions: NDArray[np.int64], whose: str, after: str
) -> None:
    """Raise for the first action that is not legal at its table; masks [N, actions], rows [n] of them, actions [n].

    Args:
        game: for the message; whose: the actions are; after: what has happened to the tables.
        masks: of all tables; rows: which tables; actions: one for each of these.

    Raises:
        ValueError: naming the table and what is legal there.
    """
    bad = tables.first_illegal(masks, rows, actions)
    if bad >= 0:
        raise ValueError(at_table(game, int(rows[bad]), int(actions[bad]), masks[rows[bad]], whose, after))


def refuse(
    game: Game, masks: NDArray[np.int8], table: int, actions: NDArray[np.int64], whose: str, after: str
) -> NoReturn:
    """Raise for the action at a table; the other arguments are those of `require_legal`."""
    raise ValueError(at_table(game, table, int(actions[table]), masks[table], whose, after))


def at_table(game: Game, table: int, action: int, mask: NDArray[np.int8], whose: str, after: str) -> str:
    """Say that an action is illegal at one of many tables, and what its mask allows there."""
    legal = np.flatnonzero(mask).tolist()
    return f"{game.id}: action {action}{whose} is illegal at table {table}; legal there: {legal}. {after}"
