"""Engines of the Gomocup (Piskvork) protocol as agents of the m,n,k-game; see docs/howto/gomocup.md.

The protocol is described at https://plastovicka.github.io/protocl2en.htm. A position that follows from the last one by
the engine's move and an answer is told by TURN; any other by RESTART and BOARD, in the order of `in_turn`. Openings of
swap2 are asked for by SWAP2BOARD, whose answers hold several actions: those to come are remembered by their positions.
"""

import re
import time
from collections.abc import Sequence
from itertools import zip_longest
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kozyr.agents.mnk.swap2 import stage_in
from kozyr.agents.programs.child import EngineError
from kozyr.agents.programs.program_agent import STARTING, Engine
from kozyr.envs.core import dispatch
from kozyr.envs.core.game import Game
from kozyr.envs.core.quote import quote
from kozyr.envs.mnk.actions import Actions
from kozyr.envs.mnk.swap2 import ADDITION, CHOICE, FIRST_STONES, LAST_CHOICE, OPENING, PLAY

USUAL = 1.0  # seconds for a move, if nobody says
RULES = {  # the game's options by the number of INFO rule
    0: {"line": "free", "bans": "none"},
    1: {"line": "exact", "bans": "none"},
    4: {"line": "free", "bans": "renju"},
    8: {"line": "caro", "bans": "none"},
    9: {"line": "exact_caro", "bans": "none"},
}
SWAP = "SWAP"  # the answer of who takes X in swap2, which has no number of INFO rule
_MOST_PLANNED = 10_000  # positions of openings that are remembered
_PAUSE = 0.002  # seconds after a move, within which some engines drop what they are sent
_FOREVER = 2**31 - 1  # milliseconds left, where nothing limits the game
_MOVE = re.compile(r"\s*([0-9]{1,2})\s*,\s*([0-9]{1,2})\s*")
Cells = tuple[int, ...]
Position = tuple[int, Cells, Cells]  # a stage of swap2, and the cells of X and of O
_COMMENTS, _REFUSALS = ("MESSAGE", "DEBUG", "INFO"), ("ERROR", "UNKNOWN")


class GomocupAgent(Engine):
    """An engine of the protocol.

    Raises:
        ValueError: for another game, lines of other than five, and boards with walls.
    """

    goodbye = b"END\n"
    at_returns = True

    def __init__(self, command: str, game: Game, variant: Any, milliseconds: int = 0) -> None:
        if game.name != "mnk":
            raise ValueError(f"such engines play mnk, and not {game.name}")
        if variant.k != 5 or variant.obstacles or min(variant.m, variant.n) < 5:
            raise ValueError("such engines play five in a row on boards of 5×5 or more without obstacles: set k=5")
        super().__init__("gomocup", command, game, variant, milliseconds)
        self._spans, self._time_sent = game.parts(variant).spans(), -1
        self._stones: frozenset[tuple[int, int]] | None = None  # cells and whose stones, as the engine has them
        self._in_opening = False  # whether it was asked for an opening since its board was cleared
        self._planned = dict[Position, int]()  # actions of its openings that are to come

    def reset(self, seat: int, seed: int) -> None:
        """Do nothing: an engine has no seat and its own luck."""

    def _greet(self) -> None:
        """Tell the size of the board, and which rows win."""
        deadline = time.monotonic() + STARTING
        self._time_sent = -1
        self._start(deadline)
        options = self.game.options(self.variant)
        rule = next(number for number, its in RULES.items() if its.items() <= options.items())
        for setting in (f"rule {rule}", "game_type 1", "timeout_match 0", "max_memory 0"):
            self._send(f"INFO {setting}", deadline)

    def _start(self, deadline: float) -> None:
        """Begin with an empty board."""
        v, self._stones, self._in_opening = self.variant, None, False
        self._send(f"START {v.m}" if v.m == v.n else f"RECTSTART {v.n},{v.m}", deadline)
        if not (line := self._line(deadline)).upper().startswith("OK"):
            raise self._wrong(line, "to START with")
        self._stones = frozenset()

    def _clear(self, deadline: float) -> bool:
        """Begin again with an empty board; an engine that does not know how is ended and started anew.

        Returns:
            Whether that was so.
        """
        if not self._stones and not self._in_opening:
            return False
        self._stones, self._in_opening = None, False
        self._send("RESTART", deadline)
        line = self._answer(deadline)
        if line.upper().startswith(_REFUSALS):
            self.child.close(self.goodbye)
            self._started()
            return True
        if not line.upper().startswith("OK"):
            raise self._wrong(line, "to RESTART with")
        self._stones = frozenset()
        return False

    def _ask(self, view: NDArray[Any], mask: NDArray[np.int8], deadline: float | None) -> int:
        """Send the position and take the move."""
        v = self.variant
        mine, theirs = (np.flatnonzero(view[self._spans[name]]).tolist() for name in ("mine", "theirs"))
        if view[self._spans["reply"]][0]:
            return reply(self.game, v, view, mask)
        x, o = (mine, theirs) if view[self._spans["x"]][0] else (theirs, mine)
        position = stage_in(v, view), tuple(x), tuple(o)
        planned = self._planned.pop(position, None)
        if planned is not None and mask[planned]:
            return planned
        rows = in_turn(mine, theirs) if position[0] == PLAY else []
        self._started()
        seconds, until = self.limit(deadline)
        time.sleep(max(0.0, self.child.answered_at + _PAUSE - time.monotonic()))
        if position[0] != PLAY:
            return self._open(*position, mask, deadline)
        stones = frozenset(rows)
        new = stones - self._stones if self._stones and self._stones <= stones else frozenset[tuple[int, int]]()
        if len(new) == 1 and (turn := next(iter(new)))[1] == 2:
            question = f"TURN {self._cell_text(turn[0])}"
        else:
            if not self._in_opening and self._clear(until):
                seconds, until = self.limit(deadline)
            lines = [f"{self._cell_text(cell)},{whose}" for cell, whose in rows]
            question = "\n".join(["BOARD", *lines, "DONE"]) if lines else "BEGIN"
        self._tell_time(USUAL if seconds is None else seconds, until)
        self._send(question, until)
        self._stones, self._in_opening = None, False
        action = self._move(until, mask)
        self._stones = stones | {(action, 1)}
        return action

    def _open(self, stage: int, x: Cells, o: Cells, mask: NDArray[np.int8], deadline: float | None) -> int:
        """Ask by SWAP2BOARD how an opening of swap2 goes on; return the first action and remember those to come.

        An engine can only be asked before the first stone and before a choice; elsewhere it is a cell in the middle.
        """
        if stage == ADDITION or (stage == OPENING and x):
            free = np.flatnonzero(mask)
            return int(free[len(free) // 2])
        seconds, until = self.limit(deadline)
        if not (stage == LAST_CHOICE and self._in_opening) and self._clear(until):
            seconds, until = self.limit(deadline)
        stones = [cell for pair in zip_longest(x, o) for cell in pair if cell is not None]
        self._tell_time(USUAL if seconds is None else seconds, until)
        self._send("\n".join(["SWAP2BOARD", *map(self._cell_text, stones), "DONE"]), until)
        self._stones, line = None, self._line(until)
        occupied = np.zeros(self.variant.m * self.variant.n, np.int8)
        occupied[stones] = 1
        cells = [] if line.upper() == SWAP else [self._cell(word, line, 1 - occupied) for word in _apart(line)]
        allowed = {OPENING: (FIRST_STONES,), CHOICE: (0, 1, 2), LAST_CHOICE: (0, 1)}[stage]
        if len(cells) not in allowed or len(set(cells)) < len(cells):
            raise self._wrong(line, "to SWAP2BOARD with")
        self._stones, self._in_opening, at = frozenset(), True, Actions(self.variant)
        after = OPENING if stage == OPENING else (PLAY, PLAY, ADDITION)[len(cells)]
        self._remember(after, [*x], [*o], cells)
        if stage == OPENING:
            return self._planned.pop((stage, x, o))
        return (at.take_x, at.take_o, at.two_more)[len(cells)]

    def _remember(self, stage: int, x: list[int], o: list[int], cells: Sequence[int]) -> None:
        """Note the cells to come from a position on, which X and O lay in turn."""
        if len(self._planned) > _MOST_PLANNED:
            self._planned.clear()
        for cell in cells:
            self._planned[stage, tuple(sorted(x)), tuple(sorted(o))] = cell
            (x if len(x) == len(o) else o).append(cell)

    def _move(self, until: float, mask: NDArray[np.int8]) -> int:
        """Take the engine's move."""
        while True:
            line = self._line(until)
            suggests = _first_word(line) == "SUGGEST"
            action = self._cell(line.split(maxsplit=1)[-1] if suggests else line, line, mask)
            if not suggests:
                return action
            self._send(f"PLAY {self._cell_text(action)}", until)

    def _cell(self, text: str, line: str, mask: NDArray[np.int8]) -> int:
        """Return the free cell that a text of an engine's line names."""
        v, match = self.variant, _MOVE.fullmatch(text)
        if match is None:
            raise self._wrong(line, "with")
        x, y = int(match[1]), int(match[2])
        if not (x < v.n and y < v.m and mask[y * v.n + x]):
            raise self._wrong(line, "with a cell that is not free,")
        return y * v.n + x

    def _cell_text(self, cell: int) -> str:
        return f"{cell % self.variant.n},{cell // self.variant.n}"

    def _wrong(self, line: str, how: str) -> EngineError:
        return EngineError(f"{self!r} answers {how} {quote(line)}{self.child.tail}")

    def _tell_time(self, seconds: float, until: float) -> None:
        """Tell the time for the move, if it has changed, and that for the game."""
        milliseconds = max(1, int(1000 * seconds))
        if milliseconds != self._time_sent:
            self._time_sent = milliseconds
            self._send(f"INFO timeout_turn {milliseconds}", until)
        self._send(f"INFO time_left {_FOREVER}", until)

    def limit(self, deadline: float | None) -> tuple[float | None, float]:
        """Return the seconds in the question, and the time at which the engine is ended."""
        left, until = super().limit(deadline)
        return (USUAL, time.monotonic() + USUAL + 10.0) if left is None else (left, until)

    def _send(self, text: str, deadline: float) -> None:
        self.child.send((text + "\n").encode(), deadline)

    def _answer(self, deadline: float) -> str:
        """Return the engine's next line that is no comment."""
        while True:
            line = self.child.line(deadline).strip()
            if line and _first_word(line) not in _COMMENTS:
                return line

    def _line(self, deadline: float) -> str:
        """Return its next line that is no comment, and no refusal."""
        line = self._answer(deadline)
        if _first_word(line) in _REFUSALS:
            raise EngineError(f"{self!r} says: {line[:200]}{self.child.tail}")
        return line


def _apart(line: str) -> list[str]:
    """Return the cells that a line names, spaces around their commas left out."""
    return re.sub(r"\s*,\s*", ",", line).split()


def _first_word(line: str) -> str:
    """Return the first word of a line that is not empty, in capitals."""
    return line.split(maxsplit=1)[0].upper()


def in_turn(mine: Sequence[int], theirs: Sequence[int]) -> list[tuple[int, int]]:
    """Return the lines of BOARD for a position in which the engine is to move: (cell, 1 its own or 2 the opponent's).

    A view has no order of moves. The protocol lets a manager send the stones of gomoku in any order, but engines take
    the sides from the order: Rapfi 0.43.02 thinks for the opponent where the last stone is its own, and Wine reads
    nothing but the order. So the sides alternate and the last stone is the opponent's. Stones of a side that turns do
    not explain come first.

    Args:
        mine: cells of the engine's stones; theirs: cells of the opponent's.

    Raises:
        ValueError: if only the engine has stones: then no order ends with the opponent's.

    Example:
        >>> in_turn([3, 5], [4, 8, 9])
        [(4, 2), (3, 1), (8, 2), (5, 1), (9, 2)]
    """
    if mine and not theirs:
        raise ValueError("only the engine has stones here: BOARD must end with one of its opponent's")
    pairs = min(len(mine), len(theirs))
    own, others = [(cell, 1) for cell in mine], [(cell, 2) for cell in theirs]
    extra = own[: len(own) - pairs] + others[: len(others) - pairs]
    turns = zip(own[len(own) - pairs :], others[len(others) - pairs :], strict=True)
    return extra + [stone for turn in turns for stone in turn]


def reply(game: Game, v: Any, view: NDArray[Any], mask: NDArray[np.int8]) -> int:
    """Return the answer to a line of X, which engines do not know of: a cell that draws by the rules, or any cell."""
    states = np.zeros(2, game.layout(v))
    dispatch.imagine(v, view, 0, states[0])
    free = np.flatnonzero(mask).tolist()
    for cell in free:
        states[1] = states[0]
        dispatch.play(v, states[1], cell)
        if not states[1]["payoff"].any():
            return cell
    return free[0]


MAKE = GomocupAgent
