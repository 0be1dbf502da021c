"""Games of a match that are played one after the other, each at a table whose players hear what happens.

Most agents answer for all games of a chunk at once and hear nothing. One that has `new_player`, as agents that play by
text have it, gets a player for each of its seats. Deals, openings and the random numbers of scripted players are the
same as in games that are stepped together.
"""

import time
from typing import Any

import numpy as np

from kozyr.agents.arena.sandbox.limits import late
from kozyr.envs.environments.agent import Complaint, ask, judged
from kozyr.envs.loops import single_table, tables
from kozyr.envs.table.table import Table


def play(chunk: Any) -> None:
    """Play all games of a `kozyr.agents.arena.matches.batch.Chunk`; what came out stands in it as ever."""
    for i in range(len(chunk.states)):
        _Game(chunk, i).play()


class _Game:
    """One game of a chunk.

    Args:
        chunk: of the match; i: the number of the game there.
    """

    def __init__(self, chunk: Any, i: int) -> None:
        self.chunk, self.i, self.job = chunk, i, chunk.job
        self.table = Table(self.job.game, self.job.variant, int(chunk.seeds[i]))
        sitting = [self.job.agents[j] for j in chunk.agents[i].tolist()]
        self.players: list[Any] = [one.new_player() if hasattr(one, "new_player") else None for one in sitting]
        self.chosen = np.zeros(1, np.int64)

    def play(self) -> None:
        """Play the game to its end, or until somebody errs."""
        chunk, i, table = self.chunk, self.i, self.table
        listening = [(seat, one) for seat, one in enumerate(self.players) if one is not None]
        for seat, one in listening:
            one.begin(table.info(seat))
        events, wrong = table.events(), None
        while not table.over and wrong is None:
            for event in events:
                for seat, one in listening:
                    one.see(event.for_seat(seat))
            found = self._action(table.turn)
            if isinstance(found, Complaint):
                wrong = found
            else:
                events = table.apply(found)
        chunk.states[i], chunk.moves[i] = table.states[0], table.ply
        if wrong is not None:
            chunk.forfeit(int(chunk.agents[i, table.turn]), i, wrong)
            table.forfeit(table.turn, wrong.reason)
        for _, one in listening:
            one.end(table.payoffs)
        chunk.used[i] = [getattr(one, "usage", None) for one in self.players]

    def _action(self, seat: int) -> int | Complaint:
        """Return what a seat does, or why it loses the game."""
        chunk, i, table = self.chunk, self.i, self.table
        level = single_table.RANDOM if table.ply < self.job.opening else int(chunk.occupants[i, seat])
        if level < 0:
            return self._asked(seat, int(chunk.agents[i, seat]))
        view, mask = table.view(seat)[None], table.mask[None]
        tables.choose_batch(self.job.variant, level, view, mask, chunk.rngs[i : i + 1], self.chosen)
        return int(self.chosen[0])

    def _asked(self, seat: int, j: int) -> int | Complaint:
        """Return what an agent from outside answers, or why it loses the game."""
        chunk = self.chunk
        chunk.halt()
        began = time.perf_counter()
        found = self._answer(seat) if self.players[seat] is not None else self._answer_of_agent(seat, j)
        chunk.seconds[j] += time.perf_counter() - began
        chunk.decisions[j] += 1
        if self.i in chunk.log and not isinstance(found, Complaint):
            chunk.log[self.i].append(found)
        return found

    def _answer_of_agent(self, seat: int, j: int) -> int | Complaint:
        """Ask an agent that hears no events."""
        view, mask = self.table.view(seat)[None], self.table.mask[None]
        actions, complaints = ask(self.job.agents[j], self.job.variant, view, mask)
        return complaints.get(0) or int(actions[0])

    def _answer(self, seat: int) -> int | Complaint:
        """Ask a player at the table."""
        limit, mask = self.job.limit, self.table.mask
        deadline = None if limit is None else time.monotonic() + limit
        answer: Any = None
        try:
            answer = self.players[seat].act(self.table.view(seat), mask.copy(), deadline)
        except (Exception, SystemExit) as error:  # whatever a user's agent raises costs it a game, not the match
            answer = error
        if limit is not None and deadline is not None and time.monotonic() > deadline:
            answer = late(limit)
        return judged(self.job.variant, answer, mask)
