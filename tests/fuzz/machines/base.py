"""What the machines share: steps that are written down, bad values, refusals, and the comparison with a twin.

A machine drives one face of a game with any calls in any order. A twin of the face gets only the calls that were not
refused, and no calls that only look. After every step the two must be equal to the byte.
"""

import copy
import functools
import json
import pickle
import random
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, rule

from kozyr import envs
from kozyr.envs.core import dispatch
from tests.contract import variants
from tests.fuzz import errors
from tests.fuzz.errors import Wrong, require

VARIANTS = 400  # that are drawn of each game
MOST_ACTIONS = 1500
NUMBERS = st.integers(0, 2**16)
GAMES = st.sampled_from(envs.games())


class Broken:
    """An object with an __index__ that fails."""

    def __index__(self) -> int:
        raise RuntimeError("no index for you")

    def __repr__(self) -> str:
        return "Broken()"


class Liar:
    """An object with an __index__ that is a number which no action has."""

    def __index__(self) -> int:
        return 10**6

    def __repr__(self) -> str:
        return "Liar()"


class Index:
    """An object that is a whole number by its __index__."""

    def __init__(self, number: int) -> None:
        self._number = number

    def __index__(self) -> int:
        return self._number


KINDS: list[Any] = [int, np.int64, np.int32, np.array, Index]  # of whole numbers
NO_NUMBERS: list[Any] = [
    *(float("nan"), 1.0, float("inf"), "0", b"0", True, np.True_, [0], (0,), {}, {0: 1}, object(), Ellipsis),
    *(np.array([0, 1]), np.array([]), np.array(1.5), np.float32(2), np.array([[0]]), np.array("a"), 1j, Broken()),
]
WHOLE: list[Any] = [-1, 10**6, 10**30, -(10**30), np.int64(-5), np.uint64(2**64 - 1), np.int8(-128), Liar()]
SEEDS: list[Any] = [0, 1, 7, 2**31, 2**63 - 1, np.int64(5), np.uint8(3), np.array(4)]
BAD_SEEDS: list[Any] = [
    -1,
    1.5,
    "1",
    2**63,
    2**64,
    10**30,
    True,
    float("nan"),
    [-1],  # vectors take a list of good ones
    (),
    {},
    np.float64(1),
    b"1",
    object(),
]
BAD_SEATS: list[Any] = [-1, 99, 0.0, "player_0", True, [0], None, 2**70, np.array([0, 1]), float("nan"), object(), "0"]


def step(**drawn: Any) -> Callable[[Any], Any]:
    """Make a rule of a method: its call is written down before, and all is compared after."""

    def made(method: Any) -> Any:
        @functools.wraps(method)
        def call(self: Any, **given: Any) -> None:
            self.note(method.__name__, given)
            if self.ready:
                with warnings.catch_warnings():
                    warnings.simplefilter("ignore", UserWarning)
                    method(self, **given)
                self.compare()

        return rule(**drawn)(call)

    return made


class Machine(RuleBasedStateMachine):
    """One face of a game and its twin.

    Attributes:
        steps: what has been called, as [name, arguments] each.
        ready: whether there is a face to drive.
    """

    listener: Callable[[bytes], None] | None = None  # is told of the steps before each

    def __init__(self) -> None:
        super().__init__()
        self.steps = list[list[Any]]()
        self.ready = False
        self.env: Any = None
        self.twin: Any = None

    @property
    def script(self) -> bytes:
        """The steps, a line each, as `replay` takes them."""
        return "\n".join(json.dumps(one) for one in [[type(self).__name__, {}], *self.steps]).encode()

    def note(self, name: str, given: dict[str, Any]) -> None:
        """Write a step down."""
        self.steps.append([name, given])
        if Machine.listener is not None:
            Machine.listener(self.script)

    def choose(self, game: str, number: int) -> None:
        """Choose game and variant."""
        self.game = envs.game(game)
        self.v = variant(game, number)
        self.options = self.game.options(self.v)

    def compare(self) -> None:
        """Raise unless the face equals its twin and is sound."""
        mine, other = self.told(self.env), self.told(self.twin)
        for name, value in mine.items():
            require(value == other[name], f"{name} is not as its twin's: {_short(value)} and {_short(other[name])}")
        for s in self.states(self.env):
            require(dispatch.sound(self.v, s), "a state is unsound")

    def told(self, env: Any) -> dict[str, Any]:
        """Return all that can be seen of a face, by name."""
        raise NotImplementedError

    def states(self, env: Any) -> Any:
        """Return the states behind a face."""
        raise NotImplementedError

    def refused(self, call: Callable[[], Any], *allowed: type[BaseException], hint: str = "") -> None:
        """Raise Wrong unless a call raises one of these errors, in words; ValueError if none is named."""
        try:
            given = call()
        except Exception as error:
            said = errors.complaint(error, allowed or (ValueError,))
            if said and not (hint and hint in str(error)):
                raise Wrong(f"{said} [{errors.place(error)}]") from error
            return
        raise Wrong(f"what is wrong is not refused: {_short(given)}")

    def cloned(self, how: int) -> None:
        """Go on with a copy of the face."""
        self.env = copy.deepcopy(self.env) if how % 2 else pickle.loads(pickle.dumps(self.env))


def _short(value: Any) -> str:
    return repr(value)[:150]


@functools.cache
def variant(game: str, number: int) -> Any:
    """Return one of the variants that are drawn of a game; 0 is its default."""
    it = envs.game(game)
    rng = random.Random(f"{game} {number}")
    drawn = it.make_variant() if number == 0 else variants.one(it, rng)
    while it.actions(drawn) > MOST_ACTIONS:
        drawn = variants.one(it, rng)
    return drawn


def legal(mask: Any, pick: int) -> int:
    """Return one of the legal actions."""
    found = np.flatnonzero(mask)
    return int(found[pick % len(found)])


def pick(table: list[Any], number: int) -> Any:
    """Return an entry of a table."""
    return table[number % len(table)]


def replay(script: bytes, machines: dict[str, type[Machine]]) -> None:
    """Take the steps of a script again."""
    (name, _), *steps = [json.loads(line) for line in script.decode().splitlines()]
    machine = machines[name]()
    try:
        for method, given in steps:
            getattr(machine, method)(**given)
    finally:
        machine.teardown()
