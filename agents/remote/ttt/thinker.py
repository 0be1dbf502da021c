"""Thinker: an agent that has to be in time thinks in a thread of its own, and the caller does not wait longer.

An answer that is late ends the course's server. So is one that the agent owes while it thinks about the last move.
"""

import queue
import threading
import time
import weakref
from collections.abc import Callable
from typing import Any

from kozyr import agents, envs
from kozyr.agents.player import AgentPlayer
from kozyr.agents.remote.guarded_player import GuardedPlayer
from kozyr.agents.remote.ttt.board import GAME, Board
from kozyr.envs.table.table import Table, TableInfo

_RESERVE, _LEAST = 0.15, 0.04  # of the time for an answer, and seconds, that are kept for the way


class Thinker:
    """An agent for any board; its thread ends with it.

    Args:
        name: the agent's; seed: fixes its luck; tell: called with a line for each event.

    Attributes:
        late: how often it has not been back in time.
    """

    def __init__(self, name: str, seed: int, tell: Callable[[str], None]) -> None:
        self.name, self.late, self._seed, self._tell = name, 0, seed, tell
        self._players = dict[Any, GuardedPlayer | None]()
        self._work = queue.SimpleQueue[Callable[[], None] | None]()
        threading.Thread(target=_think, args=(self._work,), daemon=True).start()
        weakref.finalize(self, self._work.put, None)

    @property
    def failures(self) -> int:
        """The number of times that it has raised, or answered with an illegal action."""
        return sum(one.failures for one in self._players.values() if one is not None)

    def load(self, variant: Any) -> None:
        """Make the agent for a variant, and warm it up.

        Raises:
            ValueError: if it does not play it.
        """
        game = envs.game(GAME)
        player = AgentPlayer(agents.load(self.name, game=GAME, **game.options(variant)), self._seed)
        player.begin(TableInfo(game, variant, game.seats(variant), 0))
        board = Table(game, variant, 1)
        player.warm_up(board.view(board.turn), board.mask)
        self._players[variant] = GuardedPlayer(self.name, player, self._tell)

    def _player(self, variant: Any) -> GuardedPlayer | None:
        """Return the agent for a variant, or None, saying why."""
        if variant not in self._players:
            try:
                self.load(variant)
            except (Exception, SystemExit) as error:  # whatever a user's agent raises
                self._tell(f"{self.name} cannot play here, so empty cells are played: {error}")
                self._players[variant] = None
        return self._players[variant]

    def sit(self, board: Board) -> None:
        """Let the agent begin a game, which nobody waits for."""
        variant, game = board.variant, envs.game(GAME)
        info = TableInfo(game, variant, game.seats(variant), board.seat)

        def begin() -> None:
            one = self._player(variant)
            if one is not None:
                one.begin(info)

        self._work.put(begin)

    def move(self, board: Board, seconds: float | None) -> int | None:
        """Return the agent's action, or None where it cannot play, fails or is not back in time."""
        variant, view, mask = board.variant, board.view.copy(), board.mask.copy()
        until = None if seconds is None else time.monotonic() + seconds - max(_RESERVE * seconds, _LEAST)
        answers, in_time = queue.SimpleQueue[int | None](), threading.Event()
        in_time.set()

        def act() -> None:
            one = self._player(variant)
            answers.put(one.act(view, mask) if one is not None and in_time.is_set() else None)

        self._work.put(act)
        try:
            return answers.get(timeout=None if until is None else max(until - time.monotonic(), 0.0))
        except queue.Empty:
            in_time.clear()
            self.late += 1
            if self.late == 1:
                self._tell(f"{self.name} is not back in time: an empty cell is played")
            return None


def _think(work: queue.SimpleQueue[Callable[[], None] | None]) -> None:
    """Do one thing after the other until None comes; nothing done is held on to, for it holds the thinker."""
    while (thing := work.get()) is not None:
        thing()
        del thing
