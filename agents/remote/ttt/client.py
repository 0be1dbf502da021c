"""Client of the ttt protocol: our agent plays, or watches, at a server elsewhere.

It takes in updates, game by game, and answers them.
"""

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import zmq
from google.protobuf.message import DecodeError

from kozyr.agents.arena.results.escape import plain
from kozyr.agents.remote.ttt import ttt_pb2 as wire
from kozyr.agents.remote.ttt.board import Board
from kozyr.agents.remote.ttt.thinker import Thinker
from kozyr.envs.compile import compiled
from kozyr.envs.mnk.board import SIDES

_JOIN = 1.5  # seconds for the answer to a join, which the course's server sometimes loses
_SLICE = 500  # milliseconds between two looks for Ctrl-C
_LARGEST = 1 << 20  # bytes of a message
_SIDE, _LINE = 20, 5  # of the course's server
_MOST_REHEARSALS = 5  # of a board
_ROW, _OTHER = [(x, 0) for x in range(_LINE)], [(x, 3) for x in range(2, 2 + _LINE)]
_LOOSE = [(7, 6), (3, 3), (4, 3), (5, 3), (6, 4)]
_REASONS = {
    wire.NAME_TAKEN: "the name is taken: give another --name",
    wire.WRONG_PASSWORD: "the password is wrong, or missing: give --password",
    wire.GAME_IN_PROGRESS: "the server takes no more clients now",
    wire.MALFORMED_MESSAGE: "the server could not read the request: give a shorter --name of plain letters",
}


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
            self._names[event.player_joined.sign % 2] = plain(event.player_joined.name)
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


@dataclass(frozen=True)
class JoinSettings:
    """Settings for joining a server.

    Attributes:
        address: as tcp://localhost:5555; name: of the client; password: or "".
        agent: the name of the player, or None to watch.
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


class Client:
    """A client of the wire.

    Args:
        settings: for joining; tell: called with a line for each event; ended: called with each game.

    Raises:
        ValueError: for an agent that does not play this game.
    """

    def __init__(self, settings: JoinSettings, tell: Callable[[str], None], ended: Callable[[GameEnd], None]) -> None:
        self._settings, self._tell = settings, tell
        self._thinker = None if settings.agent is None else Thinker(settings.agent, settings.seed, tell)
        if self._thinker is not None:
            rehearse(self._thinker, settings.last_reply)
        self._follower = GameFollower(self._thinker, settings.last_reply, tell, ended)

    def run(self) -> int:
        """Join and play until the server closes; return the number of games.

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
                        return self._follower.games
                    self._answer(socket, self._follower.respond(update))
            finally:
                socket.disable_monitor()
                gone.close(0)
                socket.close(0)

    @property
    def failed(self) -> tuple[int, int]:
        """The numbers of our agent's failures and of its late answers; an empty cell was played then."""
        return (0, 0) if self._thinker is None else (self._thinker.failures, self._thinker.late)

    def _join(self, context: zmq.Context[Any]) -> zmq.Socket[bytes]:
        """Ask to come in until somebody answers."""
        request = wire.JoinRequest()
        if self._settings.agent is None:
            request.join_type = wire.OBSERVER
        request.name = self._settings.name
        if self._settings.password:
            request.password = self._settings.password
        for _ in range(self._settings.tries):
            socket = _connected(context, self._settings.address)
            socket.send(request.SerializeToString())
            if socket.poll(int(1000 * _JOIN)):
                return self._let_in(socket)
            socket.close(0)
            self._tell(f"{self._settings.address} does not answer: trying again")
        raise RuntimeError(f"nobody answers at {self._settings.address}: is the server running?")

    def _let_in(self, socket: zmq.Socket[bytes]) -> zmq.Socket[bytes]:
        answer = wire.JoinResponse()
        try:
            answer.ParseFromString(socket.recv())
        except DecodeError:
            answer = wire.JoinResponse()
        if answer.HasField("accepted"):
            if answer.accepted.HasField("timelimit_ms"):
                self._follower.limit = answer.accepted.timelimit_ms / 1000
            self._tell(f"in, as {self._settings.name}; {_limit(self._follower.limit)}")
            return socket
        socket.close(0)
        if answer.HasField("rejected"):
            raise ValueError(f"not let in: {_REASONS.get(answer.rejected.reason, 'the server does not say why')}")
        raise RuntimeError(f"{self._settings.address} does not speak this protocol")

    def _hear(self, socket: zmq.Socket[bytes], gone: zmq.Socket[bytes]) -> wire.Update:
        """Wait for the next update."""
        began = time.monotonic()
        while not socket.poll(_SLICE):
            if gone.poll(0):
                raise RuntimeError(f"the server at {self._settings.address} has gone without a word")
            if time.monotonic() - began > self._settings.patience:
                raise RuntimeError(f"{self._settings.address} has been silent for {self._settings.patience:g} s")
        update = wire.Update()
        try:
            update.ParseFromString(socket.recv())
        except DecodeError:
            raise RuntimeError(f"{self._settings.address} has sent what is no update") from None
        return update

    def _answer(self, socket: zmq.Socket[bytes], answer: wire.ClientResponse) -> None:
        socket.send(answer.SerializeToString())


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


def rehearse(thinker: Thinker, last_reply: bool) -> None:
    """Play without a server on a board of each size of state, until a game compiles nothing.

    So nothing is compiled or loaded once the client has joined.

    Raises:
        ValueError: if the agent plays on none of them.
    """
    fits, problem = False, ""
    for side in (min(side, _SIDE) for side in SIDES):
        try:
            thinker.load(_board(side, last_reply).variant)
        except ValueError as error:
            problem = problem or str(error)
            continue
        fits = True
        for _ in range(_MOST_REHEARSALS):
            before = len(compiled)
            for sign in (wire.X, wire.O):
                _play(GameFollower(thinker, last_reply, lambda _: None, lambda _: None), side, sign)
            if len(compiled) == before:
                break
    if not fits:
        raise ValueError(problem)


def _options(side: int) -> wire.GameOptions:
    return wire.GameOptions(rows=side, cols=side, win_length=_LINE, max_moves=0)


def _board(side: int, last_reply: bool) -> Board:
    return Board(_options(side), wire.X, last_reply)


def _play(follower: GameFollower, side: int, sign: wire.Sign) -> None:
    """Hear a game with a sign and answer it; the agent's own moves are not played."""
    for update in _game(side, sign):
        received = wire.Update()
        received.ParseFromString(update.SerializeToString())
        follower.respond(received).SerializeToString()


def _game(side: int, sign: wire.Sign) -> Iterator[wire.Update]:
    """Give a game's updates: as X it loses to a line, as O it answers X's line with its own."""
    yield wire.Update(new_game=wire.NewGameUpdate(options=_options(side), sign=sign))
    for one in (wire.X, wire.O):
        yield wire.Update(event=wire.Event(player_joined=wire.PlayerJoinedEvent(sign=one, name="")))
    yield wire.Update(event=wire.Event(game_started=wire.GameStartedEvent()))
    for cells in zip(*((_LOOSE, _ROW) if sign == wire.X else (_ROW, _OTHER)), strict=True):
        for mover, (x, y) in zip((wire.X, wire.O), cells, strict=True):
            if mover == sign:
                yield wire.Update(move_request=True)
            yield wire.Update(event=wire.Event(move=wire.MoveEvent(sign=mover, x=x, y=y)))
    if sign == wire.X:
        yield wire.Update(event=wire.Event(win=wire.WinEvent(sign=wire.O)))
    else:
        yield wire.Update(event=wire.Event(draw=wire.DrawEvent()))
