"""Board of a client: the position of its game, as far as the rules can follow it."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from kozyr import envs
from kozyr.agents.remote.ttt import ttt_pb2 as wire
from kozyr.envs.core.state import OVER
from kozyr.envs.loops import tables
from kozyr.envs.mnk.board import MAX_SIDE

GAME = "mnk"
_MOST_WALLS = 0.5  # the share of cells that the game allows
_MOST_CELLS = 1_000_000  # among which an empty one is looked for where the rules cannot follow


class Board:
    """A game, followed by its updates; seat 0 plays X.

    Attributes:
        rows, columns, line: the board's size, and the stones of a winning line.
        seat: ours: 0 for X, 1 for O, or None for one who watches.
        variant: of the game, or None if this board is none of ours: too large, or with too many walls.
        actions: moves while the rules could follow the game.

    Raises:
        RuntimeError: for a board that nobody can play on.
    """

    def __init__(self, options: wire.GameOptions, sign: wire.Sign, last_reply: bool) -> None:
        self.rows, self.columns, self.line = options.rows, options.cols, options.win_length
        if min(self.rows, self.columns) < 1 or self.rows * self.columns > _MOST_CELLS:
            raise RuntimeError(f"the server tells of a board of {self.rows}×{self.columns}: nobody can play on it")
        self._most, self._last_reply = options.max_moves, last_reply
        self.seat = {wire.X: 0, wire.O: 1}.get(sign)
        self._occupied = set[tuple[int, int]]()
        self.actions = list[int]()
        self.walls = list[int]()
        self.variant: Any = None
        self._build([])

    def wall_off(self, points: list[tuple[int, int]]) -> None:
        """Put obstacles on cells, given as (x, y), before the first move."""
        if points:
            self._occupied.update(points)
            self._build(points)

    def _build(self, points: list[tuple[int, int]]) -> None:
        """Set up the position, or none where the game does not allow it."""
        inside = all(0 <= x < self.columns and 0 <= y < self.rows for x, y in points)
        self.variant = self._variant(len(points)) if inside else None
        if self.variant is None:
            return
        game, v = envs.game(GAME), self.variant
        self.walls = [y * self.columns + x for x, y in points]
        cells = ["#" if a in self.walls else "." for a in range(v.m * v.n)]
        rows = [" ".join(cells[row * v.n : (row + 1) * v.n]) for row in range(v.m)]
        self._states = game.text.read(v, "\n".join(["player_0 is X, X to move", *rows]))
        self._view = np.zeros(game.size(v), game.view_dtype)
        self.mask = np.zeros(game.actions(v), np.int8)
        tables.legal_all(v, self._states, self.mask[None])
        tables.look(v, self._states, 0, self._view)

    def _variant(self, walls: int) -> Any:
        """Return the variant, or None where the game has none like it."""
        cells = self.rows * self.columns
        if max(self.rows, self.columns) > MAX_SIDE or cells == 0 or walls > _MOST_WALLS * cells:
            return None
        try:
            return envs.game(GAME).make_variant(
                m=self.rows,
                n=self.columns,
                k=self.line,
                max_moves=min(self._most, MAX_SIDE**2),
                last_reply=self._last_reply,
                obstacles=walls / cells,
            )
        except ValueError:
            return None

    @property
    def turn(self) -> int:
        """The seat that the rules let move, or −1; also if this board is none of ours."""
        return OVER if self.variant is None else int(self._states["turn"][0])

    @property
    def view(self) -> NDArray[Any]:
        """The view of the seat to move."""
        return self._view

    def put(self, sign: wire.Sign, x: int, y: int) -> None:
        """Put a stone on a cell; an illegal one changes nothing, as the game ends by it."""
        inside = 0 <= x < self.columns and 0 <= y < self.rows
        if not inside or (x, y) in self._occupied:
            return
        self._occupied.add((x, y))
        action = y * self.columns + x
        if self.turn == {wire.X: 0, wire.O: 1}.get(sign) and self.mask[action]:
            tables.step_one(self.variant, self._states, action, self._view, self.mask)
            self.actions.append(action)
        else:  # the server plays by other rules: go on without ours
            self.variant = None

    def free(self) -> tuple[int, int]:
        """Return an empty cell as (x, y), one in the middle first; (0, 0) of a full board."""
        middle = (self.columns - 1) / 2, (self.rows - 1) / 2
        cells = ((x, y) for y in range(self.rows) for x in range(self.columns) if (x, y) not in self._occupied)
        return min(cells, key=lambda cell: (cell[0] - middle[0]) ** 2 + (cell[1] - middle[1]) ** 2, default=(0, 0))

    def __str__(self) -> str:
        """Return the position as a diagram, or in short where the rules do not follow it."""
        if self.variant is None:
            return f"{self.rows}×{self.columns}, {len(self._occupied)} cells taken"
        return envs.game(GAME).text.write(self.variant, self._states[0])
