"""Client of UECda's protocol: our agent plays at a server elsewhere."""

import socket
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from kozyr import agents
from kozyr.agents.player import AgentPlayer
from kozyr.agents.remote.guarded_player import GuardedPlayer
from kozyr.agents.remote.uecda import tables as wire
from kozyr.agents.remote.uecda.game import PLAYERS, deal_table, facts, field_table, hand_table
from kozyr.agents.remote.uecda.game_follower import GAME, VARIANT, GameFollower
from kozyr.envs.compile import compiled
from kozyr.envs.daifugo.round import PLAY
from kozyr.envs.daifugo.suited.sets import PASS
from kozyr.envs.table.table import Table

_JOIN = 600.0  # seconds to wait for the other players
_MOST_REHEARSALS = 5
_DECISIONS = 4  # decisions of a rehearsal's game that the agent makes


@dataclass(frozen=True)
class JoinSettings:
    """Settings for joining a server.

    Attributes:
        host, port: the server's; name: what the client calls itself, 14 letters at most.
        agent: the name of who plays; patience: seconds that the server may be silent; seed: fixes the agent's luck.
    """

    host: str = "localhost"
    port: int = wire.PORT
    name: str = "kozyr"
    agent: str = "heuristic"
    patience: float = 600.0
    seed: int = 0


@dataclass
class ClientResult:
    """The games of a client.

    Attributes:
        player: our number; places: of all players in each game, from 0, None where they are not known.
        refused: sets of ours that the server did not take; slowest: seconds of our slowest answer.
        failures: how often our agent has failed.
    """

    player: int
    places: list[list[int | None]] = field(default_factory=list[list[int | None]])
    refused: int = 0
    slowest: float = 0.0
    failures: int = 0

    @property
    def points(self) -> list[list[int]]:
        """Points of each player in each game: 5 for the first place to 1 for the last."""
        known = [[(k, place) for k, place in enumerate(one) if place is not None] for one in self.places]
        return [[PLAYERS - place for one in known for k, place in one if k == player] for player in range(PLAYERS)]


class Client:
    """A client of the wire.

    Args:
        settings: for joining; tell: called with a line for each event.

    Raises:
        ValueError: for an agent that does not play this game.
    """

    def __init__(self, settings: JoinSettings, tell: Callable[[str], None]) -> None:
        self._settings, self._tell = settings, tell
        player = AgentPlayer(agents.load(settings.agent, game=GAME.name, **GAME.options(VARIANT)), settings.seed)
        table = Table(GAME, VARIANT, 1)
        player.begin(table.info(table.turn))
        player.warm_up(table.view(table.turn), table.mask)
        rehearse(player)
        self._player = GuardedPlayer(settings.agent, player, tell)
        self._socket: socket.socket | None = None
        self.result = ClientResult(-1)

    def run(self) -> ClientResult:
        """Join and play until the server ends.

        Raises:
            RuntimeError: if nobody answers, or the server leaves in a game.
        """
        settings = self._settings
        try:
            self._socket = socket.create_connection((settings.host, settings.port), _JOIN)
        except OSError as error:
            raise RuntimeError(
                f"nobody answers at {settings.host}:{settings.port} ({error.strerror or error}): is the server running?"
            ) from None
        with self._socket:
            self._socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            self._socket.settimeout(settings.patience)
            self._send(wire.encode(wire.profile(settings.name)))
            number = self._integer()
            if number >= PLAYERS:
                raise RuntimeError(f"{settings.host}:{settings.port} does not speak this protocol: it answers {number}")
            self.result = ClientResult(number)
            self._tell(f"in, as player {number}; the games begin with the fifth")
            self._player.begin(Table(GAME, VARIANT, 1).info(number))
            follower = GameFollower(number)
            while self._play(follower) != wire.ALL_OVER:
                pass
        return self.result

    def _play(self, follower: GameFollower) -> int:
        """Play a game and return the integer with which it ended."""
        gives = follower.deal(self._table())
        self._correct(follower)
        if gives:
            gift = [0] * 5
            for _ in range(gives):
                action = self._decide(follower)
                if action == PASS:  # there is nothing to give
                    break
                follower.give(action)
                suit, r = divmod(action - 1, 13)
                gift[suit] |= 1 << r
            table = wire.blank()
            wire.write_hand(table, gift)
            self._send(wire.encode(table))
        state = wire.GOES_ON
        while state == wire.GOES_ON:
            if follower.before_turn(self._table()):
                self._answer(follower)
            follower.acted(self._table())
            state = self._integer()
        self.result.places.append(follower.ended())
        return state

    def _answer(self, follower: GameFollower) -> None:
        """Send the agent's action, and hear whether it was accepted."""
        action, table = self._decide(follower), wire.blank()
        wire.write_set(table, action, bool(follower.s.upside))
        self._send(wire.encode(table))
        if self._integer() != wire.ACCEPTED and action:
            self.result.refused += 1

    def _decide(self, follower: GameFollower) -> int:
        """Return the agent's action; where it fails, a pass, or the first card to give away."""
        began, mask = time.perf_counter(), follower.mask
        if not follower.adds_up:
            self._tell("the server's tables contradict each other: the first legal choice is taken unthought")
            legal = np.flatnonzero(mask)
            return int(legal[0]) if len(legal) else PASS
        action = self._player.act(follower.view, mask)
        self.result.slowest = max(self.result.slowest, time.perf_counter() - began)
        self.result.failures = self._player.failures
        return int(mask.argmax()) if action is None else action

    def _correct(self, follower: GameFollower) -> None:
        """Take the places of the game before from the table that tells them."""
        if self.result.places and None not in follower.places:
            self.result.places[-1] = list(follower.places)

    def _table(self) -> wire.Table:
        return wire.decode(self._read(wire.BYTES))

    def _integer(self) -> int:
        return int.from_bytes(self._read(4), "big")

    def _read(self, size: int) -> bytes:
        """Read exactly so many bytes."""
        data, there = b"", self._socket
        assert there is not None
        while len(data) < size:
            _acknowledge(there)
            try:
                more = there.recv(size - len(data))
            except TimeoutError:
                raise RuntimeError(f"the server has been silent for {self._settings.patience:g} s") from None
            except OSError as error:
                raise RuntimeError(f"the server has gone: {error.strerror or error}") from None
            if not more:
                raise RuntimeError(f"the server has gone after {len(self.result.places)} games")
            data += more
        return data

    def _send(self, data: bytes) -> None:
        assert self._socket is not None
        try:
            self._socket.sendall(data)
        except OSError as error:
            raise RuntimeError(f"the server has gone: {error.strerror or error}") from None


def _acknowledge(there: socket.socket) -> None:
    """Acknowledge at once, where the system can: old servers wait for that between two pieces."""
    quick = getattr(socket, "TCP_QUICKACK", None)
    if quick is not None:
        with suppress(OSError):
            there.setsockopt(socket.IPPROTO_TCP, quick, 1)


def rehearse(player: AgentPlayer) -> None:
    """Follow games without a server until one compiles nothing; once the client has joined, there is no time for it.

    A rehearsal has two games and the exchange between them.
    """
    for seed in range(_MOST_REHEARSALS):
        before, first = len(compiled), Table(GAME, VARIANT, seed)
        while first.states[0].rounds == 1:
            first.apply(_last_legal(first))
        winner = int(np.flatnonzero(first.states[0].before == 0)[0])
        table, follower = Table(GAME, VARIANT, seed), GameFollower(winner)
        player.begin(table.info(winner))
        for _ in range(2):
            _follow(table, follower, player)
        if len(compiled) == before:
            return


def _last_legal(table: Table) -> int:
    """Return a legal action: the last one, which is rarely a pass."""
    return int(np.flatnonzero(table.mask)[-1])


def _follow(table: Table, follower: GameFollower, player: AgentPlayer) -> None:
    """Play a game and let the agent think about its first decisions."""
    s: Any = table.states[0]
    me, round_, left = follower.me, int(s.rounds), _DECISIONS
    gives = follower.deal(_over_wire(deal_table(s, me)))
    while s.phase != PLAY:
        action = _last_legal(table)
        if gives and table.turn == me:
            player.act(follower.view, follower.mask, None)
            follower.give(action)
        table.apply(action)
    while s.rounds == round_:
        if follower.before_turn(_over_wire(hand_table(s, me))) and left:
            player.act(follower.view, follower.mask, None)
            left -= 1
        was, turn, action = facts(s), table.turn, _last_legal(table)
        table.apply(action)
        follower.acted(_over_wire(field_table(was, turn, action)))
    follower.ended()


def _over_wire(table: wire.Table) -> wire.Table:
    """Return a table after its way over the wire."""
    return wire.decode(wire.encode(table))
