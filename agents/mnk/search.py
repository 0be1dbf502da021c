"""Search players of the m,n,k-game: `threat` and `search`."""

import time
from collections.abc import Callable, Mapping
from typing import Any, Unpack

import numpy as np
from numpy.typing import NDArray

from kozyr.agents.interruptible import Pace
from kozyr.agents.mnk import learned
from kozyr.agents.mnk.board import CELLS, FOURS_LONGEST, FREE, O, X, fits, lines
from kozyr.agents.mnk.fours import OPEN, WON, begin_attack, resume_attack
from kozyr.agents.mnk.lines import ANY_FIVE, five, fives, put, set_up
from kozyr.agents.mnk.moves import root
from kozyr.agents.mnk.swap2 import balance, count_stones, lies_well, stage_in
from kozyr.agents.mnk.tree import ENTRY, INFINITE, PAUSED, SURE, WIN, deepen
from kozyr.agents.search.positions import playable
from kozyr.agents.search.searcher import Partners, Searcher
from kozyr.envs.compile import jit
from kozyr.envs.core.dispatch import implements
from kozyr.envs.core.game import Game
from kozyr.envs.mnk.actions import Actions
from kozyr.envs.mnk.invariants import is_opening
from kozyr.envs.mnk.rules import Variant
from kozyr.envs.mnk.swap2 import ADDITION, CHOICE, FIRST_STONES, LAST_CHOICE, OPENING, PLAY
from kozyr.envs.mnk.view import Parts

SECONDS = 0.05  # a decision of `search` by default
NODES = 2000  # a decision of `threat`
_NODES = 1000  # of the first compiled call
_DEEPEST = 40  # plies of a search
_ENTRIES = 2**17  # positions in the table
_FOURS_SHARE = 0.1  # of the nodes go to the forced wins at the root
_SLOWEST = 200_000.0  # nodes a second expected before any were counted
_TELLING = 500  # nodes that show how fast the search is
UNKNOWN = 2**31 - 1  # a value where nothing was searched
_THIRD_STONES = 5  # of swap2's openings that are compared
_LEAST = 0.05  # share of the time that is not worth another portion
_CAREFUL = 0.7  # share of the time left for which nodes are granted at once


@implements(playable, Variant)
def has_room(v: Variant, s: Any) -> bool:
    """Return True if there is room for a stone; positions of a person's own may have any number behind the opening."""
    return s.ply < s.room and (s.stage == PLAY or is_opening(v, s))


@jit
def prepare(v: Any, view: NDArray[Any], boards: NDArray[Any]) -> int:
    """Set the board up and return the side to move."""
    boards[0].stage = 0  # whatever was under search
    return set_up(v, view, boards[0])


def forced(boards: NDArray[Any], me: int, depth: int, limit: int, pace: Callable[[int], Pace] = Pace) -> int:
    """Return the first cell of a forced win by at most `depth` fours, or −1; it gives up after so many nodes.

    `pace` makes what says how many nodes one compiled call after the other may enter.
    """
    result, level = OPEN, FREE
    for some in pace(_NODES).calls():
        result = pursue(boards, me, level, depth, limit, some)
        if result != OPEN:
            break
        level = int(boards[0]["level"])
    return int(boards[0]["best"]) if result == WON else -1


@jit
def pursue(boards: NDArray[Any], me: int, level: int, depth: int, limit: int, steps: int) -> int:
    """Begin an attack, or go on with it at a level; return WON or LOST, or OPEN after so many nodes."""
    b = boards[0]
    learned, b.learned = b.learned, 0  # what is put is taken back, and not valued
    result = begin_attack(b, me, 0, 0, depth, limit) if level == FREE else OPEN
    result = resume_attack(b, me, max(level, 0), result, depth, limit, b.nodes + steps)
    b.learned = learned
    return result


@jit
def at_once(boards: NDArray[Any], me: int) -> int:
    """Return a cell that ends the game well, a five that wins, or that draws where nothing better is left; or −1."""
    b = boards[0]
    if fives(b, me) == 0:
        return -1
    if me == O or not b.rule or b.left == 1 or fives(b, O) != 1:
        return five(b, me, 0)
    return five(b, O, 0) if b.score[me * CELLS + five(b, O, 0)] >= ANY_FIVE else -1


@jit
def drawing(boards: NDArray[Any], me: int) -> int:
    """Return a cell that completes a line of mine, or −1."""
    return five(boards[0], me, 0) if fives(boards[0], me) else -1


@jit
def begin(boards: NDArray[Any], me: int, age: int) -> int:
    """Write the root moves of decision number `age` and return the number of them."""
    boards[0].age = age
    return root(boards[0], me)


def searched(
    boards: NDArray[Any],
    known: NDArray[Any],
    me: int,
    depth: int,
    n: int,
    seed: int,
    limit: int,
    pace: Callable[[int], Pace] = Pace,
) -> int:
    """Search the root moves to a depth until the nodes reach `limit`; return the value. `pace` as for `forced`."""
    value = PAUSED
    for some in pace(_NODES).calls():
        value = portion(boards, known, me, depth, n, seed, limit, some)
        if value != PAUSED:
            break
    return value


@jit
def portion(
    boards: NDArray[Any], known: NDArray[Any], me: int, depth: int, n: int, seed: int, limit: int, steps: int
) -> int:
    """Begin to search the root moves to a depth, or go on; return the value, or PAUSED after so many nodes."""
    b = boards[0]
    b.limit, b.stop, b.pause = limit, 0, b.nodes + steps
    return deepen(b, known, me, depth, n, seed, INFINITE)


class Threat(Searcher):
    """Play the scripted player's move unless a sequence of fours wins.

    Args:
        game: the game; variant: its options.
        level: the scripted player.
        budget: nodes a decision; seconds: time a decision instead.
        name: what reports call it; guide, twins: as for `Searcher`.
    """

    def __init__(
        self,
        game: Game,
        variant: Any,
        level: int,
        budget: int = NODES,
        seconds: float = 0.0,
        name: str = "threat",
        **partners: Unpack[Partners],
    ) -> None:
        self._at, self._actions = Parts(variant), Actions(variant)
        self._fits = fits(variant)
        self._boards = lines(variant) if self._fits else np.zeros(0)
        super().__init__(game, variant, level, budget, seconds, name, **partners)

    def search(self, view: NDArray[Any], mask: NDArray[np.int8], seed: int) -> int:
        """Return the first move of a forced win, or the scripted player's."""
        if not self._fits or view[self._at.reply]:
            return self.default_action(view, mask, seed)
        stage = stage_in(self.variant, view)
        if stage in (OPENING, ADDITION):
            return self.default_action(view, mask, seed)
        me = prepare(self.variant, view, self._boards)
        limit = int(self.seconds * _SLOWEST) if self.seconds > 0 else self.budget
        cell = forced(self._boards, me if stage == PLAY else O, FOURS_LONGEST, limit, self.pace)
        if cell < 0:
            return self.default_action(view, mask, seed)
        return cell if stage == PLAY else self._actions.take_o


class Search(Threat):
    """Play the best move of an alpha-beta search with iterative deepening.

    Args:
        game: the game; variant: its options.
        level: the scripted player that plays where lines are too long for the table of shapes.
        budget: nodes a decision, if above 0; seconds: time a decision otherwise.
        name: what reports call it; guide, twins: as for `Searcher`.
        valuation: the numbers of the evaluation, see `learned.install`; without any, shapes are counted. By default
            those that `learned.bundled` has for the variant.

    Attributes:
        nodes, depth: of the newest decision.
        value: of the position, for who decided: log odds of winning × `learned.POINT`, or beyond ± `tree.SURE` where
            the game is decided; UNKNOWN where it was not searched.
    """

    def __init__(
        self,
        game: Game,
        variant: Any,
        level: int,
        budget: int = 0,
        seconds: float = 0.0,
        name: str = "search",
        valuation: Mapping[str, NDArray[np.float32]] | None = None,
        **partners: Unpack[Partners],
    ) -> None:
        self._age, self._rate, self._part = 0, _SLOWEST, 1.0
        self._forget()
        super().__init__(game, variant, level, budget, 0.0 if budget > 0 else seconds or SECONDS, name, **partners)
        self._known = np.zeros(_ENTRIES if self._fits else 0, ENTRY)
        numbers = learned.bundled(variant) if valuation is None else valuation
        if self._fits and numbers:
            learned.install(self._boards, numbers)

    def reset(self, seat: int, seed: int) -> None:
        """Begin a game: forget the positions of the one before, and seed the random choices."""
        super().reset(seat, seed)
        self._age += 1

    def _forget(self) -> None:
        """Forget the newest decision."""
        self.nodes, self.depth, self.value, self._value_before, self._roots = 0, 0, UNKNOWN, UNKNOWN, 0

    def search(self, view: NDArray[Any], mask: NDArray[np.int8], seed: int) -> int:
        """Return the best move of the deepest search that fits the budget."""
        began = time.perf_counter()
        self._forget()
        if not self._fits or view[self._at.reply]:
            return self.default_action(view, mask, seed)
        stage, me = stage_in(self.variant, view), prepare(self.variant, view, self._boards)
        if stage == PLAY:
            return self._move(me, seed, began)
        if stage in (CHOICE, LAST_CHOICE):
            return self._actions.take_o if self._side_value(seed, began) >= 0 else self._actions.take_x
        if stage == OPENING and count_stones(self.variant, view) == FIRST_STONES - 1:
            return self._third_stone(view, mask, seed)
        return self.default_action(view, mask, seed)

    def _third_stone(self, view: NDArray[Any], mask: NDArray[np.int8], seed: int) -> int:
        """Return the stone of X after which O's value is nearest to 0, of some drawn near the even distance."""
        v, even = self.variant, balance(self.variant)
        near = [a for a in range(v.m * v.n) if lies_well(v, view, mask, a, even - 1, even + 1)]
        cells = np.random.default_rng(seed).permutation(near or np.flatnonzero(mask[: v.m * v.n]))[:_THIRD_STONES]
        values = list[float]()
        self._part = 1 / _THIRD_STONES
        try:
            for cell in cells.tolist():
                prepare(v, view, self._boards)
                put(self._boards[0], cell, X)
                values.append(abs(self._side_value(seed, time.perf_counter())))
        finally:
            self._part = 1.0
            self._forget()
        return int(cells[int(np.argmin(values))])

    def _side_value(self, seed: int, began: float) -> float:
        """Return the value of the position on the board for O, to move: the mean of the two deepest searches.

        Who moves last on the way that a search expects looks better than it is, so depths take turns to favour a side.
        """
        self._forget()
        self._move(O, seed, began)
        if self.value == UNKNOWN:  # there is but one move, against a threat, or one that ends the game well
            return -WIN if self._roots == 1 else WIN
        return self.value if self._value_before == UNKNOWN else (self.value + self._value_before) / 2

    def _move(self, me: int, seed: int, began: float) -> int:
        """Return the best move on the board for a side and write its value."""
        boards = self._boards
        cell, spare = at_once(boards, me), drawing(boards, me)
        if cell < 0:
            cell = forced(boards, me, FOURS_LONGEST, int(_FOURS_SHARE * self._allowance(began)), self.pace)
            self.value = WIN if cell >= 0 else UNKNOWN
        self.nodes = int(boards[0]["nodes"])
        if cell >= 0:
            return cell
        self._age += self.seconds <= 0  # an answer to a budget in nodes does not depend on what was asked before
        self._roots = begin(boards, me, self._age)
        if self._roots > 1 or spare >= 0:
            self.value = self._deepened(me, self._roots, seed, began)
            if spare >= 0 and self.value <= 0:
                return spare
        return int(boards[0]["best"])

    def next_best(self, place: int) -> int:
        """Return the move that the newest search has so many places after the best, or the best."""
        return int(self._boards[0]["moves"][place] & 1023) if place < self._roots else int(self._boards[0]["best"])

    def _deepened(self, me: int, n: int, seed: int, began: float) -> int:
        """Search deeper and deeper until the budget is spent or the game decided; return the last full value."""
        b: Any = self._boards[0]
        value, depth = 0, 1
        while depth <= _DEEPEST and abs(value) < SURE and (allowance := self._allowance(began)) > 0:
            before, since = int(b.nodes), time.perf_counter()
            limit = before + allowance if self.seconds > 0 else allowance
            new_value = searched(self._boards, self._known, me, depth, n, seed, limit, self.pace)
            self._learn(int(b.nodes) - before, time.perf_counter() - since)
            if not b.stop:
                self._value_before = value if depth > 1 else UNKNOWN
                value, self.depth, depth = new_value, depth, depth + 1
            elif self.seconds <= 0:
                break
        self.nodes = int(b.nodes)
        return value

    def _allowance(self, began: float) -> int:
        """Return the number of nodes that the search may enter before its next look at the clock; 0 once time is up."""
        if self.seconds <= 0:
            return max(int(self._part * self.budget), 1)
        seconds = self._part * self.seconds
        rest = seconds - (time.perf_counter() - began)
        return int(_CAREFUL * self._rate * rest) if rest > _LEAST * seconds else 0

    def _learn(self, nodes: int, seconds: float) -> None:
        """Note the speed of the search."""
        if nodes >= _TELLING:
            self._rate = nodes / max(seconds, 1e-9)


class Shapes(Search):
    """`search` as it was before its evaluation was learned: positions are valued by the shapes in them."""

    def __init__(self, *args: Any, name: str = "shapes", **options: Any) -> None:
        super().__init__(*args, name=name, valuation={}, **options)
