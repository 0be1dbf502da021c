"""Games that only a client of ours hears of, so that nothing is compiled or loaded once it has joined."""

from collections.abc import Iterator

from kozyr.agents.remote.ttt import ttt_pb2 as wire
from kozyr.agents.remote.ttt.board import Board
from kozyr.agents.remote.ttt.follow import Following
from kozyr.agents.remote.ttt.thinker import Thinker
from kozyr.envs.compile import compiled
from kozyr.envs.mnk.board import SIDES

_USUAL, _LINE = 20, 5  # what the course's server plays
_MOST = 5  # rehearsals of a board
_ROW, _OTHER = [(x, 0) for x in range(_LINE)], [(x, 3) for x in range(2, 2 + _LINE)]
_LOOSE = [(7, 6), (3, 3), (4, 3), (5, 3), (6, 4)]


def rehearse(thinker: Thinker, last_reply: bool) -> None:
    """Play on a board of each size of state, until a rehearsal compiles nothing.

    Raises:
        ValueError: if the agent plays on none of them.
    """
    fits, refused = False, ""
    for side in (min(side, _USUAL) for side in SIDES):
        try:
            thinker.load(_board(side, last_reply).variant)
        except ValueError as error:
            refused = refused or str(error)
            continue
        fits = True
        for _ in range(_MOST):
            before = len(compiled)
            for sign in (wire.X, wire.O):
                _play(Following(thinker, last_reply, lambda _: None, lambda _: None), side, sign)
            if len(compiled) == before:
                break
    if not fits:
        raise ValueError(refused)


def _options(side: int) -> wire.GameOptions:
    return wire.GameOptions(rows=side, cols=side, win_length=_LINE, max_moves=0)


def _board(side: int, last_reply: bool) -> Board:
    return Board(_options(side), wire.X, last_reply)


def _play(following: Following, side: int, sign: wire.Sign) -> None:
    """Hear a game with a sign and answer it; what the agent would do is not done."""
    for update in _game(side, sign):
        told = wire.Update()
        told.ParseFromString(update.SerializeToString())
        following.respond(told).SerializeToString()


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
