"""Batches of a match's deals: games that are stepped together, or one after the other at tables.

Most agents answer for all games of a batch at once and get no events. One with `new_player`, as agents that play by
text, observes events at a table and has a player for each of its seats. Deals, openings and the random numbers of
scripted players are the same in both.
"""

import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass, field
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from kozyr import envs
from kozyr.agents import interruptible
from kozyr.agents.arena.matches.openings import Openings
from kozyr.agents.arena.results.escape import both_ends
from kozyr.agents.arena.sandbox.limits import TimeLimitedProgram, late
from kozyr.agents.arena.sandbox.move_clock import CLOCKS
from kozyr.agents.arena.sandbox.sandboxed_agent import SandboxedAgent, called, limited
from kozyr.agents.search import Searcher
from kozyr.agents.usage import Usage, total
from kozyr.envs import registry
from kozyr.envs.compile import CompileError
from kozyr.envs.core.capabilities import episode_statistics, opening_plies
from kozyr.envs.core.game import Game
from kozyr.envs.core.rng import GENERATOR, spread
from kozyr.envs.core.state import OVER
from kozyr.envs.environments import argument_checks
from kozyr.envs.environments.agent_protocol import Complaint, Lost, ask, drive, judged, level_of, refuse_many
from kozyr.envs.environments.illegal import forfeited
from kozyr.envs.loops import episodes, single_table, tables
from kozyr.envs.loops.episodes import NOBODY, OUTSIDE
from kozyr.envs.table import record
from kozyr.envs.table.table import Table

_DEAL, _RNG, _AGENT = range(3)  # streams that the seed of a match is spread over
_WORDS = 300  # characters of an error message, at most
_GAMES, _MOVES = 8, 256  # of the first compiled call: whole games, and moves with the replies to them


class Stopped(Exception):  # noqa: N818 - nothing is wrong
    """The match was interrupted."""


class DealRange(NamedTuple):
    """Deals of one batch."""

    number: int  # of the batch
    first: int
    size: int


class Mistake(NamedTuple):
    """An error or an illegal action that lost a game."""

    agent: int
    message: str
    reason: str  # of the forfeit, as in records


@dataclass
class BatchResult:
    """Results of a batch; their sums over all batches make those of the match."""

    payoffs: NDArray[np.float64]  # [deals, rotations, seats]
    starters: NDArray[np.int64]  # [deals] the seat that began, in all rotations
    plies: int
    truncated: int
    statistics: dict[str, float]  # sums over the games of the fields that the game counts
    decisions: NDArray[np.int64]  # [agents] made outside the compiled loop
    seconds: NDArray[np.float64]  # [agents] of those decisions
    took: list[list[float]] = field(default_factory=list[list[float]])  # [agents] seconds of each, if measured
    mistakes: list[Mistake] = field(default_factory=list[Mistake])
    usage: list[Usage | None] = field(default_factory=list[Usage | None])  # [agents] of language models
    records: list[str] = field(default_factory=list[str])


class Job:
    """Settings of a match, in every process that plays it.

    Args:
        game: the game's name; options: fields of its variant.
        agents: agents or their names, at most one a seat; the last one fills the remaining seats.
        seed: of the match.
        opening: random plies that every game begins with, the same for all rotations; None: the game's default.
        recording: True to record the games.
        limit: seconds for each decision of an agent outside the compiled loop, or None; clock: as for `match`.
        openings: what the deals begin with instead of random plies, or None.
    """

    def __init__(
        self,
        game: str,
        options: dict[str, Any],
        agents: Sequence[Any],
        seed: int,
        opening: int | None,
        recording: bool,
        limit: float | None = None,
        openings: Openings | None = None,
        clock: str = "auto",
    ) -> None:
        self.game: Game = envs.game(game)
        self.variant, self.seed, self.recording = self.game.make_variant(**options), seed, recording
        self.limit, self.openings = limit, openings
        self.clock = argument_checks.choice("clock", clock, CLOCKS)
        self.opening = self._random_plies(opening)
        self.seats = self.game.seats(self.variant)
        registry.seat_bots(self.game)
        if not 1 <= len(agents) <= self.seats:
            raise ValueError(f"{len(agents)} agents for {self.seats} seats: name one for each, or fewer")
        self.agents = [limited(one, self.game, options, limit, clock) for one in agents]
        for one in self.agents:
            refuse_many(one, "a match")
        self.names = _different(
            [one if isinstance(one, str) else called(agent) for one, agent in zip(agents, self.agents, strict=True)]
        )
        self.lineup = np.minimum(np.arange(self.seats), len(agents) - 1)  # [entries] the agent of each
        self.at_tables = any(hasattr(one, "new_player") for one in self.agents)
        self.kinds = np.array([self._kind(j, one) for j, one in enumerate(self.agents)], np.int32)

    def _random_plies(self, opening: int | None) -> int:
        """Return the number of random plies that begin a game."""
        if self.openings is not None:
            if opening is not None:
                raise ValueError("openings from a file leave no room for random ones: leave --opening out")
            return 0
        if opening is None:
            return opening_plies(self.variant)
        return argument_checks.opening(opening, self.game, self.variant)

    def _kind(self, j: int, agent: Any) -> int:
        """Return the level of a scripted player, or the number of an outside one."""
        level = level_of(agent, self.game)
        return OUTSIDE - j if level is None else level

    def warm_up(self) -> None:
        """Compile all code that the match needs in this process, so that its times do not include the compiler."""
        for agent in self.agents:
            if isinstance(agent, Searcher):
                try:
                    agent.warm()
                except CompileError:
                    raise
                except Exception:  # costs a game when it happens there, as with any agent
                    continue
            elif isinstance(agent, SandboxedAgent):
                with suppress(Lost):  # likewise
                    agent.start()

    def close(self) -> None:
        """Release the processes of agents under a time limit."""
        for agent in self.agents:
            if isinstance(agent, (SandboxedAgent, TimeLimitedProgram)):
                agent.close()

    def seating(self) -> NDArray[np.int64]:
        """Return the agent in each seat, [rotations, seats]: rotation r moves every entry r seats on."""
        return np.stack([np.roll(self.lineup, r) for r in range(self.seats)])


def _different(names: list[str]) -> list[str]:
    """Return the names, with a number after repeated ones."""
    counts = [names[: i + 1].count(name) for i, name in enumerate(names)]
    return [name if count == 1 else f"{name} #{count}" for name, count in zip(names, counts, strict=True)]


class Batch:
    """The games of a batch; row deal × rotations + rotation is one game.

    The rotations of a deal share the deal's seed, hence its starter, and the random numbers of scripted players.
    """

    def __init__(self, job: Job, deals: DealRange, stopped: Callable[[], bool] = lambda: False) -> None:
        self.job, self.deals, self.stopped = job, deals, stopped
        game, v = job.game, job.variant
        n = deals.size * job.seats
        self.states = np.zeros(n, game.layout(v))
        self.views = np.zeros((n, game.size(v)), game.view_dtype)
        self.masks = np.zeros((n, game.actions(v)), np.int8)
        self.moves = np.zeros(n, np.int64)
        self.seeds = self._seeds(_DEAL)
        self.rngs = np.zeros(n, GENERATOR)  # of scripted players
        self.rngs["seed"] = self.rngs["rng"] = self._seeds(_RNG)
        self.agents = np.tile(job.seating(), (deals.size, 1))  # [games, seats]
        self.occupants = np.ascontiguousarray(job.kinds[self.agents])
        self.waiting = np.full(n, NOBODY, np.int32)  # occupant that each game waits for
        self.forfeits: dict[int, tuple[int, str]] = {}  # game: the seat that lost it by a mistake, and the reason
        self.log: dict[int, list[int]] = {i: [] for i in range(n)} if job.recording else {}
        self.mistakes: list[Mistake] = []
        self.decisions = np.zeros(len(job.agents), np.int64)
        self.seconds = np.zeros(len(job.agents))
        self.used: dict[int, list[Usage | None]] = {}  # game: usage of each seat's model

    def play(self) -> BatchResult:
        """Play all games to the end."""
        job = self.job
        outside = [j for j, kind in enumerate(job.kinds) if kind < 0]
        for j in outside:
            number = self.deals.number * len(job.agents) + j
            job.agents[j].reset(-1, int(spread(int(spread(job.seed, _AGENT)), number)))
        if job.at_tables:
            for i in range(len(self.states)):
                _TableGame(self, i).play()
            return self._result()
        self._deal(self.occupants if job.openings is None else np.full_like(self.occupants, OUTSIDE))
        if job.openings is not None:
            self._open()
        self._wait(np.arange(len(self.states)))
        drive(self.waiting, len(job.agents), self._answer, at_once=True)
        return self._result()

    def _deal(self, occupants: NDArray[np.int32]) -> None:
        """Deal all games and play up to the first decisions from outside."""
        job, starters = self.job, np.full(len(self.states), -1)
        for run in interruptible.cut(len(starters), _GAMES):
            episodes.arrange(
                job.variant,
                self.states[run],
                self.seeds[run],
                starters[run],
                job.opening,
                occupants[run],
                self.rngs[run],
                self.views[run],
                self.masks[run],
                self.moves[run],
            )

    def _open(self) -> None:
        """Play the openings of games in which nobody has moved, and on to the first decisions from outside."""
        lines = [self.opening(i) for i in range(len(self.states))]
        lengths, nobody = np.array([len(line) for line in lines]), np.full_like(self.occupants, OUTSIDE)
        for ply in range(int(lengths.max(initial=0))):
            for rows, occupants in (
                (np.flatnonzero(lengths > ply + 1), nobody),
                (np.flatnonzero(lengths == ply + 1), self.occupants),
            ):
                self._reply(rows, np.array([lines[i][ply] for i in rows], np.int64), occupants)

    def opening(self, i: int) -> tuple[int, ...]:
        """Return the actions from the file of openings that begin a game."""
        openings = self.job.openings
        return () if openings is None else openings.of_deal(self.deals.first + i // self.job.seats)

    def _reply(self, rows: NDArray[np.int64], actions: NDArray[np.int64], occupants: NDArray[np.int32]) -> None:
        """Play an action at each of `rows`, and then the scripted players among these occupants."""
        v, games = self.job.variant, (occupants, self.rngs, self.views, self.masks, self.moves)
        for run in interruptible.cut(len(rows), _MOVES):
            episodes.reply(v, self.states, rows[run], actions[run], *games)

    def halt(self) -> None:
        """Raise Stopped if the match was interrupted."""
        if self.stopped():
            raise Stopped

    def _wait(self, rows: NDArray[np.int64]) -> None:
        """Set the occupants that some tables wait for."""
        turns = self.states["turn"][rows]
        self.waiting[rows] = np.where(turns == OVER, NOBODY, self.occupants[rows, turns])

    def _seeds(self, part: int) -> NDArray[np.int64]:
        """Return a seed for each game, the same for all rotations of a deal."""
        seed, deals = int(spread(self.job.seed, part)), self.deals
        return np.repeat([int(spread(seed, d)) for d in range(deals.first, deals.first + deals.size)], self.job.seats)

    def _answer(self, j: int, rows: NDArray[np.int64]) -> None:
        """Ask an outside agent at the tables that wait for it, and play on to the next outside decisions."""
        self.halt()
        began = time.perf_counter()
        actions, complaints = ask(self.job.agents[j], self.job.variant, self.views[rows], self.masks[rows])
        self.seconds[j] += time.perf_counter() - began
        self.decisions[j] += len(rows)
        for place, complaint in complaints.items():
            self.forfeit(j, int(rows[place]), complaint)
        answered = rows
        if complaints:
            fine = np.array([place not in complaints for place in range(len(rows))])
            rows, actions = rows[fine], actions[fine]
        if self.log:
            for i, action in zip(rows.tolist(), actions.tolist(), strict=True):
                self.log[i].append(action)
        self._reply(rows, actions, self.occupants)
        self._wait(answered)

    def forfeit(self, j: int, i: int, complaint: Complaint) -> None:
        """End a game because the agent to move erred."""
        s: Any = self.states[i]
        deal, seats = self.deals.first + i // self.job.seats, self.job.seats
        self.forfeits[i] = int(s.turn), complaint.reason
        where = f"deal {deal}, rotation {i % seats}, player_{int(s.turn)}, ply {int(s.ply)}"
        self.mistakes.append(Mistake(j, f"{where}: {both_ends(complaint.words, _WORDS)}", complaint.reason))
        s.turn = OVER

    def _result(self) -> BatchResult:
        """Return the results of all games."""
        job = self.job
        payoffs = self.states["payoff"][:, : job.seats].astype(np.float64)
        for i, (seat, _) in self.forfeits.items():
            payoffs[i] = forfeited(job.seats, seat)
        return BatchResult(
            payoffs.reshape(self.deals.size, job.seats, job.seats),
            self.states["starter"][:: job.seats].astype(np.int64),
            int(self.moves.sum()),
            int(self.states["truncated"].sum()),
            {name: float(self.states[name].sum()) for name in episode_statistics(job.variant)},
            self.decisions,
            self.seconds,
            [list(getattr(agent, "took", ())) for agent in job.agents],
            self.mistakes,
            [self._usage(j) for j in range(len(job.agents))],
            [self._record(i, payoffs[i].tolist()) for i in self.log],
        )

    def _usage(self, j: int) -> Usage | None:
        """Return the usage of an agent's models in all games."""
        seats = ((self.agents[i, seat], one) for i, used in self.used.items() for seat, one in enumerate(used))
        return total(one for agent, one in seats if agent == j)

    def _record(self, i: int, payoffs: list[float]) -> str:
        """Return the record of a game, for which scripted players repeat their decisions."""
        job, s = self.job, self.states[i]
        sitting: list[int] = self.agents[i].tolist()
        names = [job.names[j] for j in sitting]
        end, (lost, reason) = bool(s.truncated), self.forfeits.get(i, (None, None))
        deal = (job.game, job.variant, int(self.seeds[i]), int(s.starter))
        how: dict[str, Any] = {"reason": reason, "opening": job.opening or len(self.opening(i)) or None}
        if i in self.used:
            how["usage"] = [None if one is None else asdict(one) for one in self.used[i]]
        return record.write(record.Record(*deal, self._actions(i), payoffs, end, names, lost, **how))

    def _actions(self, i: int) -> list[int]:
        """Return all actions of a game."""
        job, v, outside, rngs = self.job, self.job.variant, iter(self.log[i]), self.rngs[i : i + 1].copy()
        rngs["rng"] = rngs["seed"]
        table, action = Table(job.game, v, int(self.seeds[i])), np.zeros(1, np.int64)
        for first in self.opening(i):
            table.play(first)
        for ply in range(table.ply, int(self.moves[i])):
            level = single_table.RANDOM if ply < job.opening else int(self.occupants[i, table.turn])
            if level >= 0:
                tables.choose_batch(v, level, table.view(table.turn)[None], table.mask[None], rngs, action)
            table.play(int(action[0]) if level >= 0 else next(outside))
        return table.record.actions


class _TableGame:
    """One game of a batch at a table, for players who observe events.

    Args:
        batch: of the match; i: the number of the game there.
    """

    def __init__(self, batch: Batch, i: int) -> None:
        self.batch, self.i, self.job = batch, i, batch.job
        self.opening = batch.opening(i)
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
        if table.ply < len(self.opening):
            return self.opening[table.ply]
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
