"""Tell the m,n,k-game once more, slowly: a dict of stones, and lines found by searching strings."""

import re
from typing import Any

from kozyr.envs.mnk import board as stones
from tests.oracles import renju

X, O, NOBODY = "X", "O", "-"  # noqa: E741
WALL, EMPTY = "#", "."
BANS = ("none", "renju")
KINDS = ("free", "exact", "caro", "exact_caro")
OPENINGS = ("free", "swap2")
PUT, CHOOSE = "put", "choose"  # what the seats do in an opening


class Mnk:
    """Play one m,n,k-game of m rows and n columns on a dict from cell to seat."""

    def __init__(
        self,
        m: int,
        n: int,
        k: int,
        last_reply: bool = True,
        max_moves: int = 0,
        walls: set[int] | None = None,
        starter: int = 0,
        line: str = "free",
        bans: str = "none",
        opening: str = "free",
    ) -> None:
        self.m, self.n, self.k = m, n, k
        self.last_reply = last_reply
        self.max_moves = max_moves
        self.walls = set(walls or ())
        self.starter = starter
        self.exact, self.caro = "exact" in line, "caro" in line
        self.renju = bans == "renju"
        self.board: dict[int, int] = {}  # the seat of each stone; until a side is taken the starter counts as X
        self.x = self.turn = starter
        self.script: list[tuple[int, str]] = []  # who does what next, as long as the opening lasts
        if opening == "swap2":
            self.script = [(starter, PUT)] * 3 + [(1 - starter, CHOOSE)]
        self.winner = ""
        self.listed: tuple[tuple[int, ...], list[int]] | None = None
        self.written: tuple[tuple[int, int], list[str]] | None = None
        if not self._empty():
            self._end(NOBODY)

    def legal(self) -> list[int]:
        """List the cells where the seat to move may play, none once the game is over; a position is judged once."""
        now = (len(self.board), self.turn, self.x, len(self.script))  # no two positions of a game have all in common
        if self.listed is None or self.listed[0] != now:
            self.listed = now, self._legal()
        return self.listed[1]

    def _legal(self) -> list[int]:
        if self.turn == -1:
            return []
        if self.script and self.script[0][1] == CHOOSE:
            o, x, more = (self.m * self.n + i for i in range(3))
            return [o, x, more] if len(self.board) == 3 else [o, x]
        return self._permitted() if self.renju and self.turn == self.x else self._empty()

    def play(self, cell: int) -> None:
        """Put a stone of the seat to move on the cell and judge the position; or go on with the opening."""
        if cell not in self.legal():
            raise ValueError(f"cell {cell} is not empty or the game is over")
        if self.script:
            self._open(cell)
            return
        answered = self._has_line(X)
        self.board[cell] = self.turn
        self.turn = 1 - self.turn
        self._judge(answered)

    def payoffs(self) -> list[float]:
        """Give each seat +1, 0 or -1; all zero while the game goes on."""
        result = [0.0, 0.0]
        if self.winner in (X, O):
            seat = self.x if self.winner == X else 1 - self.x
            result[seat], result[1 - seat] = 1.0, -1.0
        return result

    def _open(self, action: int) -> None:
        """Do what the opening's script says: a stone of X and of O in turn, or a choice."""
        me, task = self.script.pop(0)
        if task == PUT:
            self.board[action] = self.x if len(self.board) % 2 == 0 else 1 - self.x
        elif action == self.m * self.n + 2:
            self.script = [(me, PUT), (me, PUT), (1 - me, CHOOSE)]
        else:
            x = me if action == self.m * self.n + 1 else 1 - me
            signs = {cell: X if seat == self.x else O for cell, seat in self.board.items()}
            self.board = {cell: x if sign == X else 1 - x for cell, sign in signs.items()}
            self.x = x
        self.turn = self.script[0][0] if self.script else 1 - self.x

    def _judge(self, answered: bool) -> None:
        """End the game if the move just made ended it; `answered` says X had a line before that move."""
        no_more = not self._empty() or len(self.board) == self.max_moves
        if answered:
            self._end(NOBODY if self._has_line(O) else X)
        elif self._has_line(O):
            self._end(O)
        elif self._has_line(X):
            if no_more or not self.last_reply:
                self._end(X)
        elif no_more or not self.legal():
            self._end(NOBODY)

    def _end(self, winner: str) -> None:
        """Close the game for the mark that won it."""
        self.winner = winner
        self.turn = -1

    def _empty(self) -> list[int]:
        """List the cells that hold neither stone nor wall."""
        return [c for c in range(self.m * self.n) if c not in self.board and c not in self.walls]

    def _permitted(self) -> list[int]:
        """List the empty cells from which renju does not ban X."""
        empty = self._empty()
        x = {divmod(cell, self.n) for cell, seat in self.board.items() if seat == self.x}
        paper = renju.Board(x, {divmod(cell, self.n) for cell in empty})
        return [cell for cell in empty if not paper.banned(divmod(cell, self.n))]

    def _has_line(self, mark: str) -> bool:
        """Look for k equal marks in a row, as the kind of line wants them, in all lines written as strings."""
        row, other = f"{mark}{{{self.k}}}", O if mark == X else X
        if self.exact or (self.renju and mark == X):
            row = f"(?<!{mark}){row}(?!{mark})"
        lines = self._lines()
        if self.caro:  # what stands between two of the other's marks is cut out
            lines = [re.sub(f"(?<={other}){mark}{{{self.k}}}(?={other})", WALL, line) for line in lines]
        return any(re.search(row, line) for line in lines)

    def _lines(self) -> list[str]:
        """Write all rows, columns and both kinds of diagonals as strings, once a position."""
        now = len(self.board), self.x
        if self.written is None or self.written[0] != now:
            self.written = now, self._write()
        return self.written[1]

    def _write(self) -> list[str]:
        rows, columns = range(self.m), range(self.n)
        across = ["".join(self._sign(r, c) for c in columns) for r in rows]
        down = ["".join(self._sign(r, c) for r in rows) for c in columns]
        falling = [
            "".join(self._sign(r, r + shift) for r in rows if r + shift in columns)
            for shift in range(-self.m + 1, self.n)
        ]
        rising = [
            "".join(self._sign(r, total - r) for r in rows if total - r in columns)
            for total in range(self.m + self.n - 1)
        ]
        return across + down + falling + rising

    def _sign(self, row: int, column: int) -> str:
        """Show one cell as a character."""
        cell = row * self.n + column
        if cell in self.walls:
            return WALL
        if cell not in self.board:
            return EMPTY
        return X if self.board[cell] == self.x else O


def dealt(engine: Any) -> Mnk:
    """Return the oracle with the walls of a table that has just been dealt."""
    v, s = engine.v, engine.s
    walls = {a for a, mark in enumerate(stones.contents(v, s)) if mark == stones.WALL}
    terms = v.last_reply, v.max_moves, walls, int(s.starter), KINDS[v.line], BANS[v.bans], OPENINGS[v.opening_rule]
    return Mnk(v.m, v.n, v.k, *terms)


def assert_same(engine: Any, oracle: Mnk) -> None:
    """Compare everything that both know."""
    v, s = engine.v, engine.s
    board = {a: mark for a, mark in enumerate(stones.contents(v, s)) if mark in (0, 1)}
    assert board == oracle.board
    assert int(s.turn) == oracle.turn
    assert int(s.x) == oracle.x
    assert engine.legal() == oracle.legal()
    assert engine.payoffs() == oracle.payoffs()
