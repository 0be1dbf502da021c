"""Games of a match at tables, one after the other, for players who observe events.

Most agents answer for all games of a batch at once and get no events. One with `new_player`, as agents that play by
text, has a player for each of its seats. Deals, openings and the random numbers of scripted players are the same as in
games that are stepped together.
"""

import time
from typing import Any

import numpy as np

from kozyr.agents.arena.sandbox.limits import late
from kozyr.envs.environments.agent_protocol import Complaint, ask, judged
from kozyr.envs.loops import single_table, tables
from kozyr.envs.table.table import Table


def play(batch: Any) -> None:
    """Play all games of a `kozyr.agents.arena.matches.batch.Batch`, and write their results to it."""
    for i in range(len(batch.states)):
        _Game(batch, i).play()


class _Game:
    """One game of a batch.

    Args:
        batch: of the match; i: the number of the game there.
    """

    def __init__(self, batch: Any, i: int) -> None:
        self.batch, self.i, self.job = batch, i, batch.job
        self.table = Table(self.job.game, self.job.variant, int(batch.seeds[i]))
        sitting = [self.job.agents[j] for j in batch.agents[i].tolist()]
        self.players: list[Any] = [one.new_player() if hasattr(one, "new_player") else None for one in sitting]
        self.action = np.zeros(1, np.int64)

    def play(self) -> None:
        """Play the game to its end, or to the first mistake."""
        batch, i, table = self.batch, self.i, self.table
        listening = [(seat, one) for seat, one in enumerate(self.players) if one is not None]
        for seat, one in listening:
            one.begin(table.info(seat))
        events, wrong = table.events(), None
        while not table.over and wrong is None:
            for event in events:
                for seat, one in listening:
                    one.see(event.for_seat(seat))
            answer = self._action(table.turn)
            if isinstance(answer, Complaint):
                wrong = answer
            else:
                events = table.apply(answer)
        batch.states[i], batch.moves[i] = table.states[0], table.ply
        if wrong is not None:
            batch.forfeit(int(batch.agents[i, table.turn]), i, wrong)
            table.forfeit(table.turn, wrong.reason)
        for _, one in listening:
            one.end(table.payoffs)
        batch.used[i] = [getattr(one, "usage", None) for one in self.players]

    def _action(self, seat: int) -> int | Complaint:
        """Return a seat's action, or the complaint by which it loses the game."""
        batch, i, table = self.batch, self.i, self.table
        level = single_table.RANDOM if table.ply < self.job.opening else int(batch.occupants[i, seat])
        if level < 0:
            return self._outside_action(seat, int(batch.agents[i, seat]))
        view, mask = table.view(seat)[None], table.mask[None]
        tables.choose_batch(self.job.variant, level, view, mask, batch.rngs[i : i + 1], self.action)
        return int(self.action[0])

    def _outside_action(self, seat: int, j: int) -> int | Complaint:
        """Return an outside agent's action, or the complaint by which it loses the game."""
        batch = self.batch
        batch.halt()
        began = time.perf_counter()
        answer = self._answer(seat) if self.players[seat] is not None else self._answer_of_agent(seat, j)
        batch.seconds[j] += time.perf_counter() - began
        batch.decisions[j] += 1
        if self.i in batch.log and not isinstance(answer, Complaint):
            batch.log[self.i].append(answer)
        return answer

    def _answer_of_agent(self, seat: int, j: int) -> int | Complaint:
        """Ask an agent that gets no events."""
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
