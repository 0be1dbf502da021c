"""A client of the wire: an agent of ours plays, or watches, in a server elsewhere."""

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import zmq
from google.protobuf.message import DecodeError

from kozyr import agents, envs
from kozyr.agents.player import AgentPlayer
from kozyr.agents.remote.ttt import ttt_pb2 as wire
from kozyr.agents.remote.ttt.board import GAME, Board
from kozyr.envs.api.table import TableInfo

_JOIN = 1.5  # seconds for the answer to a join, which the course's server sometimes loses
_SLICE = 500  # milliseconds between two looks for Ctrl-C
_LARGEST = 1 << 20  # bytes of a message
_REASONS = {
    wire.NAME_TAKEN: "the name is taken: give another --name",
    wire.WRONG_PASSWORD: "the password is wrong, or missing: give --password",
    wire.GAME_IN_PROGRESS: "the server takes no more clients now",
    wire.MALFORMED_MESSAGE: "the server could not read the request: give a shorter --name of plain letters",
}


@dataclass(frozen=True)
class Joining:
    """How to join a server.

    Attributes:
        address: as tcp://localhost:5555; name: what the client calls itself; password: or "".
        agent: the name of who plays, or None to watch.
        last_reply: whether O may answer a line of X, as in the course's game.
        tries: how often to ask to come in; patience: seconds that the server may be silent.
        seed: fixes the agent's luck.
    """

    address: str
    name: str
    agent: str | None
    password: str = ""
    last_reply: bool = True
    tries: int = 5
    patience: float = 600.0
    seed: int = 0


@dataclass(frozen=True)
class Ended:
    """How a game ended.

    Attributes:
        seat: ours: 0 for X, 1 for O, None for one who watched; winner: a seat, or None for a draw.
        disqualified: the seat that was, or None; reason: why.
        slowest: seconds of our slowest answer.
        board: the last position.
    """

    seat: int | None
    winner: int | None
    disqualified: int | None
    reason: str
    slowest: float
    board: Board


class Client:
    """A client of the wire.

    Args:
        how: to join; tell: called with a line for each thing that happens; ended: called with each game.

    Raises:
        ValueError: for an agent that does not play this game.
    """

    def __init__(self, how: Joining, tell: Callable[[str], None], ended: Callable[[Ended], None]) -> None:
        self._how, self._tell, self._ended = how, tell, ended
        self._limit: float | None = None
        self._board: Board | None = None
        self._agents = dict[Any, AgentPlayer | None]()
        self._names = ["X", "O"]
        self._slowest, self._games = 0.0, 0
        if how.agent is not None:
            self._warm(how.agent)

    def run(self) -> int:
        """Join and play until the server closes; return how many games there were.

        Raises:
            ValueError: if the server does not let us in.
            RuntimeError: if nobody answers, or the server falls silent.
        """
        with zmq.Context() as context:
            socket = self._join(context)
            gone = socket.get_monitor_socket(zmq.EVENT_DISCONNECTED)
            try:
                self._answer(socket, wire.ClientResponse())
                while True:
                    update = self._hear(socket, gone)
                    if update.HasField("server_closed"):
                        return self._games
                    self._answer(socket, self._respond(update))
            finally:
                socket.disable_monitor()
                gone.close(0)
                socket.close(0)

    def _join(self, context: zmq.Context[Any]) -> zmq.Socket[bytes]:
        """Ask to come in until somebody answers."""
        request = wire.JoinRequest()
        if self._how.agent is None:
            request.join_type = wire.OBSERVER
        request.name = self._how.name
        if self._how.password:
            request.password = self._how.password
        for _ in range(self._how.tries):
            socket = _connected(context, self._how.address)
            socket.send(request.SerializeToString())
            if socket.poll(int(1000 * _JOIN)):
                return self._let_in(socket)
            socket.close(0)
            self._tell(f"{self._how.address} does not answer: trying again")
        raise RuntimeError(f"nobody answers at {self._how.address}: is the server running?")

    def _let_in(self, socket: zmq.Socket[bytes]) -> zmq.Socket[bytes]:
        answer = wire.JoinResponse()
        try:
            answer.ParseFromString(socket.recv())
        except DecodeError:
            answer = wire.JoinResponse()
        if answer.HasField("accepted"):
            if answer.accepted.HasField("timelimit_ms"):
                self._limit = answer.accepted.timelimit_ms / 1000
            self._tell(f"in, as {self._how.name}; {_limit(self._limit)}")
            return socket
        socket.close(0)
        if answer.HasField("rejected"):
            raise ValueError(f"not let in: {_REASONS.get(answer.rejected.reason, 'the server does not say why')}")
        raise RuntimeError(f"{self._how.address} does not speak this protocol")

    def _hear(self, socket: zmq.Socket[bytes], gone: zmq.Socket[bytes]) -> wire.Update:
        """Wait for the next update."""
        began = time.monotonic()
        while not socket.poll(_SLICE):
            if gone.poll(0):
                raise RuntimeError(f"the server at {self._how.address} has gone without a word")
            if time.monotonic() - began > self._how.patience:
                raise RuntimeError(f"{self._how.address} has been silent for {self._how.patience:g} s")
        update = wire.Update()
        try:
            update.ParseFromString(socket.recv())
        except DecodeError:
            raise RuntimeError(f"{self._how.address} has sent what is no update") from None
        return update

    def _answer(self, socket: zmq.Socket[bytes], answer: wire.ClientResponse) -> None:
        socket.send(answer.SerializeToString())

    def _respond(self, update: wire.Update) -> wire.ClientResponse:
        """Take an update in and return the answer."""
        began = time.monotonic()
        answer = wire.ClientResponse()
        if update.HasField("new_game"):
            self._begin(update.new_game)
        elif update.HasField("event"):
            self._see(update.event)
        elif update.HasField("move_request"):
            answer.move_x, answer.move_y = self._move()
            self._slowest = max(self._slowest, time.monotonic() - began)
        return answer

    def _begin(self, told: wire.NewGameUpdate) -> None:
        """Set a board up."""
        self._board = Board(told.options, told.sign, self._how.last_reply)
        self._slowest, self._names = 0.0, ["X", "O"]
        sign = {0: " as X", 1: " as O"}.get(self._board.seat if self._board.seat is not None else -1, "")
        self._tell(f"a game on {self._board.rows}×{self._board.columns}, {self._board.line} in a row{sign}")

    def _see(self, event: wire.Event) -> None:
        """Take in what has happened."""
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

    def _end(self, board: Board, winner: int | None, loser: int | None = None, reason: str = "") -> None:
        self._games += 1
        self._ended(Ended(board.seat, winner, loser, reason, self._slowest, board))
        won = "a draw" if winner is None else f"{'XO'[winner]} ({self._names[winner]}) wins"
        self._tell(f"{won}{f': {reason}' if reason else ''}; our slowest answer took {1000 * self._slowest:.0f} ms")

    def _move(self) -> tuple[int, int]:
        """Return our move as (x, y): the agent's, or an empty cell where the agent cannot play."""
        board = self._board
        if board is None:
            return 0, 0
        player = self._agents.get(board.variant)
        if player is None or board.turn != board.seat:
            return board.free()
        deadline = None if self._limit is None else time.monotonic() + self._limit
        y, x = divmod(int(player.act(board.view.copy(), board.mask.copy(), deadline)), board.columns)
        return x, y

    def _sit(self, board: Board) -> None:
        """Let the agent begin a game, if it can play on this board."""
        if board.variant is None:
            self._tell("this board is none that the game has: empty cells are played")
        elif board.seat is not None and self._how.agent is not None:
            player = self._player(self._how.agent, board.variant)
            if player is not None:
                game = envs.game(GAME)
                player.begin(TableInfo(game, board.variant, game.seats(board.variant), board.seat))

    def _player(self, name: str, variant: Any) -> AgentPlayer | None:
        """Return the agent for a variant, or None, saying why."""
        if variant not in self._agents:
            try:
                agent = agents.load(name, game=GAME, **envs.game(GAME).options(variant))
                self._agents[variant] = AgentPlayer(agent, self._how.seed)
            except ValueError as error:
                self._tell(f"{name} cannot play here, so empty cells are played: {error}")
                self._agents[variant] = None
        return self._agents[variant]

    def _warm(self, name: str) -> None:
        """Load the agent and let it decide in vain, so that no answer waits for a compiler; a wrong name raises."""
        options = wire.GameOptions(rows=15, cols=15, win_length=5, max_moves=0)
        board = Board(options, wire.X, self._how.last_reply)
        player = AgentPlayer(agents.load(name, game=GAME, **envs.game(GAME).options(board.variant)), self._how.seed)
        self._agents[board.variant] = player
        player.begin(TableInfo(envs.game(GAME), board.variant, 2, 0))
        player.warm_up(board.view, board.mask)
        board.put(wire.X, 7, 7)


def _connected(context: zmq.Context[Any], address: str) -> zmq.Socket[bytes]:
    """Return a socket that is about to be connected.

    Raises:
        ValueError: for an address that is none.
    """
    socket: zmq.Socket[bytes] = context.socket(zmq.REQ)
    socket.setsockopt(zmq.LINGER, 0)
    socket.setsockopt(zmq.MAXMSGSIZE, _LARGEST)
    try:
        socket.connect(address)
    except zmq.ZMQError as error:
        socket.close(0)
        raise ValueError(f"{address} is no address ({error.strerror}): write tcp://HOST:PORT") from None
    return socket


def _limit(seconds: float | None) -> str:
    return "no time limit" if seconds is None else f"{1000 * seconds:.0f} ms a move"


def _reason(number: int) -> str:
    """Return why somebody was disqualified, in words; a server may tell a number that has none."""
    names = dict(zip(wire.DqReason.values(), wire.DqReason.keys(), strict=True))
    return names.get(wire.DqReason.ValueType(number), f"reason {number}").lower().replace("_", " ")
