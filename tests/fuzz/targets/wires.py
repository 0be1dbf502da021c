"""What comes over wires: lines of Gomocup managers and engines, tables of the UECda contest, messages of ttt."""

from functools import cache, lru_cache
from importlib.util import find_spec
from typing import Any

import numpy as np

from kozyr import envs
from kozyr.agents.programs.child import EngineError
from kozyr.envs.table.table import Table
from tests.fuzz import mutate
from tests.fuzz.errors import require
from tests.fuzz.targets.target import Target

_BOARD = (
    "START 15\nINFO timeout_turn 1000\nBEGIN\nTURN 3,4\nTAKEBACK 3,4\nBOARD\n7,7,1\n8,8,2\nDONE\nRESTART\nABOUT\nEND"
)
_OTHER = "RECTSTART 7,5\nINFO rule 1\nINFO time_left 5000\nTURN 0,0\nTURN 6,4\nBOARD\nDONE\nINFO rule 0\nTURN 1,1"


def _manager() -> list[bytes]:
    return [_BOARD.encode(), _OTHER.encode(), b"START 5\nBEGIN\nTURN 0,0\nTURN 1,0\nTURN 2,0", b"RESTART\nBEGIN"]


def read_manager(data: bytes) -> None:
    """Answer a manager's lines; no line may raise, and each answer is a line that a manager can read."""
    from kozyr.agents.programs.gomocup_engine import Brain

    brain = Brain("random")
    for line in mutate.text_of(data).split("\n")[:60]:
        for answer in brain.answer(line):
            require("\n" not in answer, f"{line!r} is answered by {answer!r}")


class _Voice:
    """An engine that says lines, one after the other, then nothing any more."""

    running, tail, answered_at, words = True, "", 0.0, ("engine",)

    def __init__(self, lines: list[str]) -> None:
        self._lines = lines[::-1]

    def start(self) -> None:
        pass

    def kill(self) -> None:
        pass

    def send(self, data: bytes, deadline: float) -> None:
        pass

    def line(self, deadline: float) -> str:
        if not self._lines:
            raise EngineError("it says nothing any more")
        return self._lines.pop()


def _engine() -> list[bytes]:
    return [b"3,4", b"MESSAGE hello\nSUGGEST 1,2\n1,2", b"OK\n0,0", b"DEBUG x\n\nERROR no", b"UNKNOWN\n2,2", b" 1 , 2 "]


def read_engine(data: bytes) -> None:
    """Take an engine's lines as its answer to a first position."""
    from kozyr.agents.programs.gomocup import GomocupAgent

    game = envs.game("mnk")
    v = game.make_variant(m=5, n=7, k=5)
    table, agent = Table(game, v, 1), GomocupAgent("python", game, v)
    agent.child = _Voice(mutate.text_of(data).split("\n"))
    action = agent.act(table.view(table.turn), table.mask)
    require(type(action) is int and bool(table.mask[action]), f"an answer is taken for action {action!r}")


class _Stream:
    """A socket that gives bytes until there are no more."""

    def __init__(self, data: bytes) -> None:
        self._data, self._at = data, 0

    def recv(self, size: int) -> bytes:
        self._at += size
        return self._data[self._at - size : self._at]

    def sendall(self, data: bytes) -> None:
        pass

    def setsockopt(self, *_: Any) -> None:
        pass


_END = (2, 1)  # what ends a game: the last one, another


@cache
def _games() -> tuple[bytes, ...]:
    """Return what a server of the UECda contest sends a client, game after game."""
    from kozyr.agents.remote.uecda import game as told
    from kozyr.agents.remote.uecda import tables as wire
    from kozyr.envs.daifugo.round import PLAY
    from kozyr.envs.daifugo.suited.sets import SIZE

    game, found = envs.game("daifugo"), list[bytes]()
    for seed in range(6):
        table, rng = Table(game, game.make_variant(rules="uecda", rounds=2), seed), np.random.default_rng(seed)
        s: Any = table.states[0]
        data, me, before = b"", seed % 5, -1
        while not table.over and (seed % 2 or s.rounds == 1):
            if s.rounds != before:
                before = int(s.rounds)
                data += wire.encode(told.deal_table(s, me))
            if s.phase == PLAY:
                was, player, begun = told.facts(s), int(s.turn), int(s.rounds)
                data += wire.encode(told.hand_table(s, me))
                action = max(np.flatnonzero(table.mask).tolist(), key=lambda a: (int(SIZE[a]), rng.random()))
                table.apply(action)
                data += wire.integer(wire.ACCEPTED) * (player == me) + wire.encode(
                    told.field_table(was, player, action)
                )
                data += wire.integer(wire.GOES_ON if s.rounds == begun and not table.over else _END[seed % 2])
            else:
                table.apply(int(rng.choice(np.flatnonzero(table.mask))))
        found.append(bytes([me]) + data)
    return (*found, *(data[:3000] for data in found))


@lru_cache(maxsize=1)
def _contestant() -> Any:
    from kozyr.agents.remote.uecda.client import Client, JoinSettings

    return Client(JoinSettings(agent="random"), lambda line: None)


def read_contest(data: bytes) -> None:
    """Follow a server's tables as the client that the first byte tells, until they end or cannot be believed."""
    from kozyr.agents.remote.uecda import tables as wire
    from kozyr.agents.remote.uecda.client import ClientResult
    from kozyr.agents.remote.uecda.game_follower import GameFollower

    client, me = _contestant(), int.from_bytes(data[:1], "big") % 5
    client._socket, client.result = _Stream(data[1:]), ClientResult(me)
    following = GameFollower(me)
    for _ in range(20):
        if client._play(following) == wire.ALL_OVER:
            return


def read_table(data: bytes) -> None:
    """Read a client's table as the server does: as a profile, a set and a gift."""
    from kozyr.agents.remote.uecda import tables as wire
    from kozyr.envs.daifugo.suited.sets import CARDS, EVERY

    table = wire.decode(data[: wire.BYTES].ljust(wire.BYTES, b"\0"))
    require(
        wire.name_of(table).isprintable() and len(wire.name_of(table)) <= wire.LONGEST_NAME, "a name of another kind"
    )
    action = wire.read_set(table)
    require(action is None or 0 <= action < len(EVERY), f"a table is read as action {action}")
    require(all(0 <= card < CARDS for card in wire.read_gift(table)), "a gift of cards that are not there")


def _tables() -> list[bytes]:
    from kozyr.agents.remote.uecda import tables as wire
    from kozyr.envs.daifugo.suited.sets import EVERY

    found = [wire.encode(wire.profile("a name"))]
    for action in range(0, len(EVERY), max(1, len(EVERY) // 40)):
        table = wire.blank()
        wire.write_set(table, action)
        found.append(wire.encode(table))
    return found


def _frames() -> list[bytes]:
    """Return updates of a ttt server, each behind its length."""
    from kozyr.agents.remote.ttt import ttt_pb2 as wire

    options = wire.GameOptions(rows=5, cols=6, win_length=4, max_moves=30)
    joined = wire.PlayerJoinedEvent(sign=wire.X, name="a")
    walls = wire.GameStartedEvent(obstacles=[wire.Point(x=1, y=1)])
    events = [
        *(wire.Event(player_joined=joined), wire.Event(game_started=walls)),
        *(
            wire.Event(move=wire.MoveEvent(sign=wire.X, x=0, y=2)),
            wire.Event(move=wire.MoveEvent(sign=wire.O, x=2, y=2)),
        ),
        *(wire.Event(win=wire.WinEvent(sign=wire.X)), wire.Event(draw=wire.DrawEvent())),
        wire.Event(dq=wire.DqEvent(sign=wire.O, reason=wire.PLACE_OCCUPIED)),
    ]
    begun = wire.Update(new_game=wire.NewGameUpdate(options=options, sign=wire.O))
    asked = wire.Update(move_request=True)
    updates = [begun, *(wire.Update(event=one) for one in events[:3]), asked, wire.Update(event=events[3])]
    updates += [wire.Update(event=one) for one in events[4:]]
    whole = [one.SerializeToString() for one in updates]
    big = wire.Update(new_game=wire.NewGameUpdate(options=wire.GameOptions(rows=40, cols=40, win_length=5)))
    huge = wire.Update(new_game=wire.NewGameUpdate(options=wire.GameOptions(rows=2**31 - 1, cols=2**31 - 1)))
    large = [one.SerializeToString() for one in (big, asked, huge, asked)]
    return [_joined(whole), _joined(whole[:5]), _joined(large), _joined(whole[:1] + whole[4:5])]


def _joined(frames: list[bytes]) -> bytes:
    return b"".join(len(one).to_bytes(2, "big") + one for one in frames)


def _split(data: bytes) -> list[bytes]:
    found, at = list[bytes](), 0
    while at + 2 <= len(data) and len(found) < 40:
        size = int.from_bytes(data[at : at + 2], "big")
        found.append(data[at + 2 : at + 2 + size])
        at += 2 + size
    return found


def read_updates(data: bytes) -> None:
    """Respond to a ttt server's updates, as a client that plays."""
    from google.protobuf.message import DecodeError

    from kozyr.agents.remote.ttt import ttt_pb2 as wire
    from kozyr.agents.remote.ttt.client import GameFollower
    from kozyr.agents.remote.ttt.thinker import Thinker

    following = GameFollower(Thinker("random", 0, lambda line: None), True, lambda line: None, lambda ended: None)
    for frame in _split(data):
        update = wire.Update()
        try:
            update.ParseFromString(frame)
        except DecodeError:
            return
        following.respond(update).SerializeToString()


def read_requests(data: bytes) -> None:
    """Take clients' messages as the ttt server does: requests to join, and answers."""
    from kozyr.agents.remote.ttt import ttt_pb2 as wire
    from kozyr.agents.remote.ttt.hub import Hub

    hub: Any = Hub.__new__(Hub)
    hub._password, hub.clients, hub._reserved = b"secret", {}, frozenset({"ours"})
    for frame in _split(data):
        request = wire.JoinRequest()
        try:
            request.ParseFromString(frame)
        except Exception as error:
            require(type(error).__name__ == "DecodeError", f"a request raises {error!r}")
            continue
        reason = hub._refusal(b"\0abc", request)
        wire.JoinResponse(rejected=wire.JoinRejected(reason=reason)).SerializeToString()


def _requests() -> list[bytes]:
    from kozyr.agents.remote.ttt import ttt_pb2 as wire

    requests = [
        wire.JoinRequest(name="a", password="secret"),
        wire.JoinRequest(name="ours", password="secret"),
        wire.JoinRequest(join_type=wire.OBSERVER, password="secret"),
        wire.JoinRequest(name="a"),
    ]
    return [_joined([one.SerializeToString()]) for one in requests]


def targets() -> list[Target]:
    """Return the targets that the libraries here allow."""
    contest = (
        "kozyr.agents.remote.uecda.game_follower",
        "kozyr.agents.remote.uecda.tables",
        "kozyr.agents.remote.uecda.client",
    )
    words = ("kozyr.agents.programs.gomocup_engine", "kozyr.agents.programs.gomocup")
    made = [
        Target("manager-lines", mutate.TEXT, _manager, read_manager, (), words),
        Target("engine-lines", mutate.TEXT, _engine, read_engine, (EngineError,), words),
        Target("uecda-server", mutate.BYTES, lambda: list(_games()), read_contest, (RuntimeError,), contest),
        Target("uecda-table", mutate.BYTES, _tables, read_table, (), contest),
    ]
    if find_spec("zmq") and find_spec("google.protobuf"):
        board = tuple(f"kozyr.agents.remote.ttt.{name}" for name in ("board", "client", "thinker", "hub"))
        made.append(Target("ttt-updates", mutate.BYTES, _frames, read_updates, (RuntimeError,), board))
        made.append(Target("ttt-requests", mutate.BYTES, _requests, read_requests, (), board))
    return made
