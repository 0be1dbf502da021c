"""Seats and observers: clients of the wire at a table, and events as updates."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kozyr.agents.player import Resign
from kozyr.agents.remote.ttt import ttt_pb2 as wire
from kozyr.agents.remote.ttt.hub import NOWHERE, Client, ClientGone
from kozyr.envs.table.event import Event, Kind
from kozyr.envs.table.table import TableInfo

Post = Callable[[Client, wire.Update], None]
Ask = Callable[[Client, wire.Update, float | None], wire.ClientResponse]
SIGNS = (wire.X, wire.O)  # of seat 0, which begins, and of seat 1
GONE = "did not answer"  # the reason why a client loses that is late, leaves or dies
_ILLEGAL = -1


@dataclass
class Facts:
    """The facts of a game in its updates besides the events.

    Attributes:
        variant: of the game; names: of the players, a seat each; walls: cells that are walled off.
        wrong: the illegal move that ended the game, as (x, y), or None.
    """

    variant: Any
    names: Sequence[str]
    walls: Sequence[int] = ()
    wrong: tuple[int, int] | None = field(default=None)


def new_game(facts: Facts, seat: int | None) -> wire.Update:
    """Return the update that begins a game for a seat, or for those who watch."""
    v = facts.variant
    options = wire.GameOptions(rows=v.m, cols=v.n, win_length=v.k, max_moves=v.max_moves)
    sign = wire.NONE if seat is None else SIGNS[seat]
    return wire.Update(new_game=wire.NewGameUpdate(options=options, sign=sign))


def updates(event: Event, facts: Facts) -> list[wire.Update]:
    """Return the updates of an event at the table."""
    return [wire.Update(event=one) for one in _events(event, facts)]


def _events(event: Event, facts: Facts) -> list[wire.Event]:
    """Return the events of an update without the envelope."""
    if event.kind == Kind.BEGAN:
        points = [wire.Point(x=a % facts.variant.n, y=a // facts.variant.n) for a in facts.walls]
        came = [wire.PlayerJoinedEvent(sign=SIGNS[k], name=name) for k, name in enumerate(facts.names)]
        began = wire.Event(game_started=wire.GameStartedEvent(obstacles=points))
        return [*(wire.Event(player_joined=one) for one in came), began]
    if event.kind == Kind.MOVED and event.seat is not None and event.action is not None:
        y, x = divmod(event.action, facts.variant.n)
        return [wire.Event(move=wire.MoveEvent(sign=SIGNS[event.seat], x=x, y=y))]
    if event.kind == Kind.FORFEITED and facts.wrong is not None and event.seat is not None:
        return _disqualified(event.seat, facts.wrong, facts)
    if event.kind == Kind.ENDED and facts.wrong is None:
        if not any(event.payoffs):
            return [wire.Event(draw=wire.DrawEvent())]
        return [wire.Event(win=wire.WinEvent(sign=SIGNS[0 if event.payoffs[0] > 0 else 1]))]
    return []


def _disqualified(seat: int, wrong: tuple[int, int], facts: Facts) -> list[wire.Event]:
    """Return an illegal move and its disqualification: no win is told."""
    (x, y), v = wrong, facts.variant
    inside = 0 <= x < v.n and 0 <= y < v.m
    reason = wire.PLACE_OCCUPIED if inside else wire.OUT_OF_FIELD
    return [
        wire.Event(move=wire.MoveEvent(sign=SIGNS[seat], x=x, y=y)),
        wire.Event(dq=wire.DqEvent(sign=SIGNS[seat], reason=reason)),
    ]


class Seat:
    """A client as a player. It runs in a thread beside the server's loop.

    Args:
        client: of the seat; ask: asks it and waits; facts: of the game.
    """

    def __init__(self, client: Client, ask: Ask, facts: Facts) -> None:
        self._client, self._ask, self._facts = client, ask, facts
        self._here = True

    def __repr__(self) -> str:
        return self._client.name

    def begin(self, info: TableInfo) -> None:
        """Tell the client that a game begins."""
        self._tell(new_game(self._facts, info.seat))

    def see(self, event: Event) -> None:
        """Tell the client an event."""
        for one in updates(event, self._facts):
            self._tell(one)

    def act(self, view: NDArray[Any], mask: NDArray[np.int8], deadline: float | None) -> int:
        """Return the client's move, or a number that is illegal; a client that has gone gives up."""
        if not self._here:
            raise Resign(GONE)
        try:
            answer = self._ask(self._client, wire.Update(move_request=True), None)
        except ClientGone:
            self._here = False
            raise Resign(GONE) from None
        complete = answer.HasField("move_x") and answer.HasField("move_y")
        x, y = (answer.move_x, answer.move_y) if complete else (NOWHERE, NOWHERE)
        v = self._facts.variant
        if 0 <= x < v.n and 0 <= y < v.m and mask[y * v.n + x]:
            return y * v.n + x
        self._facts.wrong = x, y
        return _ILLEGAL

    def end(self, payoffs: Sequence[float]) -> None:
        """Tell nothing: the last event has said it."""

    def _tell(self, update: wire.Update) -> None:
        """Tell the client something; one that has gone loses when it is to move."""
        if self._here:
            try:
                self._ask(self._client, update, None)
            except ClientGone:
                self._here = False


class Watcher:
    """A client as an observer: it is told the events, and no game waits for it.

    Args:
        client: an observer; post: tells it something without waiting; facts: of the game.
    """

    def __init__(self, client: Client, post: Post, facts: Facts) -> None:
        self._client, self._post, self._facts = client, post, facts

    def begin(self, info: TableInfo) -> None:
        """Tell the client that a game begins."""
        self._post(self._client, new_game(self._facts, None))

    def see(self, event: Event) -> None:
        """Tell the client an event."""
        for one in updates(event, self._facts):
            self._post(self._client, one)

    def act(self, view: NDArray[Any], mask: NDArray[np.int8], deadline: float | None) -> int:
        """Refuse to be asked: an observer has no turn."""
        raise Resign

    def end(self, payoffs: Sequence[float]) -> None:
        """Tell nothing: the last event has said it."""
