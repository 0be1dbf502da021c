"""Agents: what a player must offer to be asked, and how anything that can be asked becomes one."""

import inspect
from abc import abstractmethod
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

Act = Callable[[NDArray[Any], NDArray[np.int8]], int]  # a function of view and mask is an agent too
METHODS = {"reset": ("seat", "seed"), "act": ("view", "mask"), "act_batch": ("views", "masks")}  # and their arguments


@runtime_checkable
class Agent(Protocol):
    """A player: a view and the legal actions are all that it gets.

    One agent may play at many tables and seats at once, so it remembers nothing between decisions but its random
    generator.
    """

    def reset(self, seat: int, seed: int) -> None:
        """Prepare for new games.

        Args:
            seat: the seat it will play, or −1 if it plays several.
            seed: fixes its random choices.
        """
        ...

    def act(self, view: NDArray[Any], mask: NDArray[np.int8]) -> int:
        """Return a legal action for one view [view] and mask [actions]."""
        ...

    def act_batch(self, views: NDArray[Any], masks: NDArray[np.int8]) -> NDArray[np.int64]:
        """Return legal actions int64 [n] for views [n, view] and masks [n, actions]."""
        ...


class Solo:
    """A base for agents that decide one view at a time: it makes `act_batch` out of `act`."""

    def reset(self, seat: int, seed: int) -> None:
        """Give the agent a generator of its own, `self.rng`."""
        self.rng = np.random.default_rng(seed)

    @abstractmethod
    def act(self, view: NDArray[Any], mask: NDArray[np.int8]) -> int:
        """Return a legal action; to be written by the subclass."""
        raise NotImplementedError

    def act_batch(self, views: NDArray[Any], masks: NDArray[np.int8]) -> NDArray[np.int64]:
        """Decide one view after the other."""
        return np.array([self.act(view, mask) for view, mask in zip(views, masks, strict=True)])  # floats stay floats


class Function(Solo):
    """A function act(view, mask) as an agent."""

    def __init__(self, function: Callable[..., Any]) -> None:
        self._function = function
        self.name = str(getattr(function, "__name__", type(function).__name__))

    def __repr__(self) -> str:
        return self.name

    def act(self, view: NDArray[Any], mask: NDArray[np.int8]) -> int:
        """Return what the function says."""
        return self._function(view, mask)


def as_agent(given: Any) -> Agent:
    """Return an agent: the object itself, or one that asks a function `act(view, mask) -> int`.

    Raises:
        ValueError: for anything that cannot be asked, saying what to give instead.

    Example:
        >>> as_agent(lambda view, mask: int(mask.argmax())).act(np.zeros(3), np.array([0, 1, 1]))
        1
    """
    refuse_class(given)
    if isinstance(given, str):
        raise ValueError(f"{given!r} is a name: make an agent of it with kozyr.agents.load({given!r})")
    if any(hasattr(given, name) for name in METHODS):
        require_methods(given, METHODS, "derive it from kozyr.agents.agent.Solo and write act(self, view, mask)")
        return given
    if not callable(given):
        raise ValueError(f"{given!r} is no agent: give an object with act, or a function act(view, mask)")
    _require_arguments(given, str(getattr(given, "__name__", repr(given))), METHODS["act"])
    return Function(given)


def refuse_many(agent: Any, asked: str) -> None:
    """Raise if an agent is a player at one table (`one_seat`) and is asked for more."""
    if getattr(agent, "one_seat", False):
        raise ValueError(
            f"{agent!r} is a player in one seat of one table and cannot play {asked}: "
            "give an agent, or play one game with kozyr.agents.player.play"
        )


def refuse_class(given: Any) -> None:
    """Raise if a class is given in place of an object."""
    if isinstance(given, type):
        raise ValueError(f"{given.__name__} is a class: make an object of it, as {given.__name__}()")


def require_methods(given: Any, methods: Mapping[str, Sequence[str]], advice: str) -> None:
    """Raise unless an object has all methods, and each can be called with its arguments."""
    whose = type(given).__name__
    for name, arguments in methods.items():
        method = getattr(given, name, None)
        if not callable(method) or getattr(method, "__isabstractmethod__", False):
            raise ValueError(f"{whose} has no method {name!r}: {advice}")
        _require_arguments(method, f"{whose}.{name}", arguments)


def _require_arguments(function: Any, name: str, arguments: Sequence[str]) -> None:
    """Raise unless a function can be called with so many arguments."""
    try:
        signature = inspect.signature(function)
    except (TypeError, ValueError):  # some builtins do not tell theirs
        return
    try:
        signature.bind(*arguments)
    except TypeError as error:
        called = f"{name}({', '.join(arguments)})"
        raise ValueError(f"{name}{signature} does not fit: it will be called as {called}: {error}") from None
