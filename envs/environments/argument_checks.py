"""Checks of what comes from outside: each raises or returns a sentence that a person can act on."""

import operator
import warnings
from collections.abc import Sequence
from importlib import import_module
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kozyr.envs.core import install_hint
from kozyr.envs.core.game import Game
from kozyr.envs.core.quote import quote

LONGEST = 86_400  # seconds of a time limit: a day
CEILINGS = {  # beyond these a machine of today has no memory, or no time in months
    "num_envs": 1_000_000,  # a table takes a kilobyte or two
    "num_tables": 1_000_000,
    "threads": 1024,  # more than the cores of any machine
    "workers": 1024,
    "num_env_runners": 1024,
    "deals": 10_000_000,  # an interval of ± 0.03 points
}


def choice(name: str, value: Any, allowed: Sequence[Any]) -> Any:
    """Return `value` if it is allowed, else raise ValueError listing what is."""
    if (value is None or isinstance(value, (str, int))) and value in allowed:  # an array would compare item by item
        return value
    raise ValueError(f"{name}={quote(value)} is not allowed: choose one of {', '.join(map(repr, allowed))}")


def seed(value: Any) -> int:
    """Return a seed as an int; it is a whole number, 0 ≤ seed < 2⁶³."""
    if is_whole(value) and 0 <= int(value) < 2**63:
        return int(value)
    raise ValueError(f"seed={quote(value)} is not allowed: a seed is a whole number from 0 to 2**63 - 1")


def seeds(values: Sequence[Any], tables: int) -> list[int]:
    """Return a seed for each table as ints."""
    if len(values) != tables:
        raise ValueError(f"{len(values)} seeds for {tables} tables: give one for each, or one number for all")
    return [seed(value) for value in values]


def count(name: str, value: Any, least: int = 1, most: int | None = None) -> int:
    """Return a number of things as an int; `most` is that of CEILINGS if it is not given."""
    most = CEILINGS.get(name) if most is None else most
    if is_whole(value) and least <= int(value) and (most is None or int(value) <= most):
        return int(value)
    ceiling = "" if most is None else f" and at most {most:,}"
    raise ValueError(f"{name}={quote(value)} is not allowed: {name} is a whole number of at least {least}{ceiling}")


def seconds(name: str, value: Any) -> float:
    """Return a time limit in seconds."""
    if _is_number(value) and 0 < value <= LONGEST:
        return float(value)
    raise ValueError(
        f"{name}={quote(value)} is not allowed: {name} is a number of seconds above 0, at most {LONGEST:,}"
    )


def number(name: str, value: Any, positive: bool = False) -> float:
    """Return a finite number of 0 or more, or above 0."""
    if _is_number(value) and 0 <= value < float("inf") and not (positive and value == 0):
        return float(value)
    raise ValueError(f"{name}={quote(value)} is not allowed: it is {'above 0' if positive else '0 or more'}")


def share(name: str, value: Any) -> float:
    """Return a number from 0 to 1."""
    if _is_number(value) and 0 <= value <= 1:
        return float(value)
    raise ValueError(f"{name}={quote(value)} is not allowed: it is from 0 to 1")


def _is_number(value: Any) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def opening(value: Any, game: Game, variant: Any) -> int:
    """Return a number of random plies that every game begins with, which is below the most that a game can have."""
    plies, bound = count("opening", value, least=0), game.bound(variant)
    if plies >= bound:
        raise ValueError(f"opening={plies} is not allowed: no game of {game.name} has more than {bound} plies")
    return plies


def seat(name: str, value: Any, seats: int) -> int:
    """Return a seat as an int."""
    if is_whole(value) and 0 <= int(value) < seats:
        return int(value)
    raise ValueError(f"{name}={quote(value)} is not allowed: a seat is a whole number from 0 to {seats - 1}")


def starter(options: dict[str, Any] | None, seats: int) -> int:
    """Return the seat that `options` let begin, or −1 for a drawn one; warn of other options.

    They do not raise, because PettingZoo's api_test resets every environment with an option of its own.
    """
    if not options:
        return -1
    for name in set(options) - {"starter"}:
        warnings.warn(f"reset option {name!r} is ignored: the only option is 'starter'", stacklevel=3)
    value = options.get("starter")
    return -1 if value is None else seat("starter", value, seats)


def device(value: Any) -> str:
    """Return the device of the tables, "cpu" or "cuda".

    Raises:
        ValueError: for another place, or saying what is missing for the GPU.
    """
    if choice("device", value, ("cpu", "cuda")) == "cuda":
        try:
            missing = import_module("kozyr.envs.compile.cuda").complaint()
        except ImportError as error:
            missing = f"install it with {install_hint.command('cuda')} ({error})"
        if missing:
            raise ValueError(f'device="cuda" needs a GPU, numba-cuda and PyTorch: {missing}')
    return value


def is_whole(value: Any) -> bool:
    """Return True if a value is a whole number of an integer type (bools are not)."""
    if isinstance(value, (bool, np.bool_)):
        return False
    try:
        operator.index(value)
    except Exception:  # what an object's own __index__ raises says no more than that there is no number
        return False
    return True


def complaint(action: Any, mask: NDArray[np.int8]) -> str:
    """Return a complaint about an action, or "" if it is legal."""
    if type(action) is not int:
        if not is_whole(action):
            return f"an action is a whole number, not a {type(action).__name__}"
        action = operator.index(action)
    if not 0 <= action < len(mask):
        return f"actions run from 0 to {len(mask) - 1}"
    return "" if mask[action] else "it is not legal here"


def none(action: Any, agent: str) -> None:
    """Raise unless the action is None, as it must be once the game is over."""
    if action is not None:
        raise ValueError(f"the game is over for {agent}: the only valid action is None, until reset() is called")


def actions(values: Any, rows: int, limit: int) -> NDArray[np.int64]:
    """Return actions as int64 [rows], or raise ValueError: no floats, no other shape."""
    try:
        array = np.asarray(values)
    except ValueError:
        raise ValueError(f"actions are no array: {rows} whole numbers from 0 to {limit - 1} are needed") from None
    if array.shape != (rows,):
        raise ValueError(f"actions have shape {array.shape}: one action a table makes shape ({rows},)")
    if array.dtype.kind not in "iu":
        raise ValueError(f"actions have dtype {array.dtype}: they are whole numbers from 0 to {limit - 1}")
    whole = np.ascontiguousarray(array, np.int64)
    return whole if whole.flags.aligned else whole.copy()
