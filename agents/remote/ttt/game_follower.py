"""Game loop of a client: it takes in updates and answers them."""

import time
from collections.abc import Callable
from dataclasses import dataclass

from kozyr.agents.remote.ttt import ttt_pb2 as wire
from kozyr.agents.remote.ttt.board import Board
from kozyr.agents.remote.ttt.thinker import Thinker


@dataclass(frozen=True)
class GameEnd:
    """The end of a game.

    Attributes:
        seat: ours: 0 for X, 1 for O, None for an observer; winner: a seat, or None for a draw.
        disqualified: a seat, or None; reason: of the disqualification.
        slowest: seconds of our slowest answer, of whatever kind.
        board: the last position.
    """

    seat: int | None
    winner: int | None
    disqualified: int | None
    reason: str
    slowest: float
    board: Board


class GameFollower:
    """The games of one client, update by update.

    Args:
        thinker: the player, or None to watch; last_reply: whether O may answer a line of X.
        tell: called with a line for each event; ended: called with each game.

    Attributes:
        games: how many have ended; limit: seconds that the server gives for an answer, or None.
    """

    def __init__(
        self, thinker: Thinker | None, last_reply: bool, tell: Callable[[str], None], ended: Callable[[GameEnd], None]
    ) -> None:
        self.games = 0
        self.limit: float | None = None
        self._thinker, self._last_reply, self._tell, self._ended = thinker, last_reply, tell, ended
        self._board: Board | None = None
        self._names, self._slowest = ["X", "O"], 0.0

    def respond(self, update: wire.Update) -> wire.ClientResponse:
        """Take an update in and return the answer."""
        began, answer = time.monotonic(), wire.ClientResponse()
        if update.HasField("new_game"):
            self._begin(update.new_game)
        elif update.HasField("event"):
            self._see(update.event)
        elif update.HasField("move_request"):
            answer.move_x, answer.move_y = self._move()
        self._slowest = max(self._slowest, time.monotonic() - began)
        return answer

    def _begin(self, update: wire.NewGameUpdate) -> None:
        """Set a board up."""
        board = self._board = Board(update.options, update.sign, self._last_reply)
        self._slowest, self._names = 0.0, ["X", "O"]
        sign = {0: " as X", 1: " as O"}.get(board.seat if board.seat is not None else -1, "")
        self._tell(f"a game on {board.rows}×{board.columns}, {board.line} in a row{sign}")

    def _see(self, event: wire.Event) -> None:
        """Take in an event."""
        board = self._board
        if board is None:
            return
        if event.HasField("player_joined"):
            self._names[event.player_joined.sign % 2] = event.player_joined.name
        elif event.HasField("game_started"):
            board.wall_off([(one.x, one.y) for one in event.game_started.obstacles])
            self._sit(board)
        elif event.HasField("move"):
            board.put(event.move.sign, event.move.x, event.move.y)
        elif event.HasField("win"):
            self._end(board, event.win.sign % 2)
        elif event.HasField("draw"):
            self._end(board, None)
        elif event.HasField("dq"):
            loser = event.dq.sign % 2
            self._end(board, 1 - loser, loser, _reason(event.dq.reason))

    def _sit(self, board: Board) -> None:
        """Let the agent begin a game, if it can play on this board."""
        if board.variant is None:
            self._tell("this board is none that the game has: empty cells are played")
        elif board.seat is not None and self._thinker is not None:
            self._thinker.sit(board)

    def _move(self) -> tuple[int, int]:
        """Return our move as (x, y): the agent's, or an empty cell where the agent cannot play."""
        board = self._board
        if board is None:
            return 0, 0
        if self._thinker is None or board.variant is None or board.turn != board.seat:
            return board.free()
        action = self._thinker.move(board, self.limit)
        if action is None:
            return board.free()
        y, x = divmod(action, board.columns)
        return x, y

    def _end(self, board: Board, winner: int | None, loser: int | None = None, reason: str = "") -> None:
        self.games += 1
        self._ended(GameEnd(board.seat, winner, loser, reason, self._slowest, board))
        won = "a draw" if winner is None else f"{'XO'[winner]} ({self._names[winner]}) wins"
        self._tell(f"{won}{f': {reason}' if reason else ''}; our slowest answer took {1000 * self._slowest:.0f} ms")


def _reason(number: int) -> str:
    """Return the reason of a disqualification in words; a server may send a number that has none."""
    names = dict(zip(wire.DqReason.values(), wire.DqReason.keys(), strict=True))
    return names.get(wire.DqReason.ValueType(number), f"reason {number}").lower().replace("_", " ")
