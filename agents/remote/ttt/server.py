"""Server of the wire: clients come, play against each other and against agents of ours, and get the results."""

import asyncio
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from itertools import combinations
from pathlib import Path
from typing import Any

from kozyr import agents, envs
from kozyr.agents.player import AgentPlayer, play
from kozyr.agents.remote.ttt import ttt_pb2 as wire
from kozyr.agents.remote.ttt.hub import LIMIT, Client, Hub
from kozyr.agents.remote.ttt.seat import Facts, Seat, Watcher
from kozyr.agents.statistics.intervals import mean_interval
from kozyr.envs.core.rng import spread
from kozyr.envs.environments.illegal import OnIllegal
from kozyr.envs.mnk.board import WALL, contents
from kozyr.envs.table import file_output, record
from kozyr.envs.table.clock import Clock
from kozyr.envs.table.table import Table

GAME = "mnk"


@dataclass(frozen=True)
class Plan:
    """Settings of a server.

    Attributes:
        address: of the socket; variant: of the games.
        agents: names of ours that play too; clients: the number to wait for.
        games: of each pair, half of them with either sign.
        limit: seconds for an answer; password: of the server, or "".
        seed: fixes walls and the agents' luck; record: a file for the games, or None.
    """

    address: str
    variant: Any
    agents: Sequence[str] = ()
    clients: int = 2
    games: int = 2
    limit: float = LIMIT
    password: str = ""
    seed: int = 0
    record: Path | None = None


@dataclass(frozen=True)
class Outcome:
    """The outcome of a game.

    Attributes:
        names: of the players of X and O; payoffs: 1, 0 or −1 for each; reason: of a forfeit, else "".
        plies: how many moves there were.
    """

    names: tuple[str, str]
    payoffs: tuple[float, float]
    reason: str
    plies: int


@dataclass(frozen=True)
class Standing:
    """Results of one player against another.

    Attributes:
        name, against: of the players; games: their number.
        wins, draws, losses: of `name`; forfeits: losses by the clock, an illegal move or leaving.
        score: the mean, where a win counts 1 and a draw ½; low, high: its 95 % interval.
    """

    name: str
    against: str
    games: int
    wins: int
    draws: int
    losses: int
    forfeits: int
    score: float
    low: float
    high: float


@dataclass(frozen=True)
class Entrant:
    """A player: a client, or an agent of ours, which has none."""

    name: str
    client: Client | None = None

    @property
    def here(self) -> bool:
        """Whether it can still play."""
        return self.client is None or not self.client.gone


class Server:
    """A server while it runs.

    Args:
        plan: its settings.
        tell: called with each line of output.

    Raises:
        ValueError: for agents that do not play this variant, and addresses that cannot be used.
    """

    def __init__(self, plan: Plan, tell: Callable[[str], None]) -> None:
        self._plan, self._tell = plan, tell
        self.ours = [Entrant(name) for name in plan.agents]
        self._agents = self._load(plan.variant)
        self._came = asyncio.Event()
        self.hub = Hub(plan.address, plan.limit, plan.password, self._joined, [one.name for one in self.ours])
        self.outcomes = list[Outcome]()

    @property
    def plan(self) -> Plan:
        """The server's settings."""
        return self._plan

    def set_board(self, variant: Any) -> None:
        """Play on another board from now on.

        Raises:
            ValueError: if one of our agents does not play it; nothing has changed then.
        """
        self._agents = self._load(variant)
        self._plan = replace(self._plan, variant=variant)

    def _load(self, variant: Any) -> dict[str, Any]:
        """Return our agents for a variant, each warm: no client waits for a compiler."""
        options = envs.game(GAME).options(variant)
        loaded = {one.name: agents.load(one.name, game=GAME, **options) for one in self.ours}
        for agent in loaded.values():
            _warm(agent, variant)
        return loaded

    def _joined(self, client: Client) -> None:
        what = "watches" if client.observes else "plays"
        self._tell(f"{client.name} has come and {what}")
        self._came.set()

    async def run(self, work: Callable[[], Any]) -> list[Outcome]:
        """Let clients in, do the work, and close; return the outcomes of the games."""
        hearing = asyncio.create_task(self.hub.run())
        self._tell(f"listening at {self.hub.address}")
        try:
            await work()
        finally:
            await self.hub.close()
            hearing.cancel()
        return self.outcomes

    async def play_all(self) -> None:
        """Wait for the clients and play all games; a client that has gone by its turn is left out."""
        await self._wait()
        entrants = [*(Entrant(one.name, one) for one in self.hub.players[: self.plan.clients]), *self.ours]
        for number, (x, o) in enumerate(pairings(entrants, self.plan.games)):
            if x.here and o.here:
                await self.play_one(x, o, spread(self.plan.seed, number))
            else:
                self._tell(f"{x.name} v {o.name} is not played: {(o if x.here else x).name} has gone")

    async def _wait(self) -> None:
        while len(self.hub.players) < self.plan.clients:
            self._tell(f"waiting for {self.plan.clients - len(self.hub.players)} more to play")
            self._came.clear()
            await self._came.wait()

    async def play_one(self, x: Entrant, o: Entrant, seed: int) -> Outcome:
        """Play a game, all observers watching, and keep its record."""
        game, plan = envs.game(GAME), self.plan
        names = (x.name, o.name)
        table = Table(game, plan.variant, seed, 0, Clock(move=plan.limit), names=names)
        walls = [a for a, cell in enumerate(contents(plan.variant, table.states[0])) if cell == WALL]
        facts = Facts(plan.variant, names, walls)
        loop = asyncio.get_running_loop()
        ask = _asker(loop)
        seats = [self._seat(one, ask, facts, spread(seed, 1 + k)) for k, one in enumerate((x, o))]
        watching = [Watcher(one, _poster(loop), facts) for one in self.hub.observers]
        playing = [one.client for one in (x, o) if one.client is not None]
        for client in playing:
            client.playing = True
        try:
            await asyncio.to_thread(play, table, seats, watching, OnIllegal.FORFEIT)
        finally:
            for client in playing:
                client.playing = False
        return self._keep(table, names)

    def _seat(self, one: Entrant, ask: Any, facts: Facts, seed: int) -> Any:
        return AgentPlayer(self._agents[one.name], seed) if one.client is None else Seat(one.client, ask, facts)

    def _keep(self, table: Table, names: tuple[str, str]) -> Outcome:
        """Keep a game that has ended and tell its result."""
        it = table.record
        outcome = Outcome(names, (it.payoffs[0], it.payoffs[1]), it.reason or "", table.ply)
        self.outcomes.append(outcome)
        if self.plan.record is not None:
            file_output.append(self.plan.record, record.write(replace(it, clock=None, left=None)) + "\n")
        self._tell(_sentence(outcome))
        return outcome


def pairings(entrants: Sequence[Entrant], games: int) -> Iterator[tuple[Entrant, Entrant]]:
    """Yield the players of X and O, game by game: all pairs but two of ours, changing signs from game to game."""
    pairs = [pair for pair in combinations(entrants, 2) if pair[0].client or pair[1].client]
    for number in range(games):
        for one, other in pairs:
            yield (one, other) if number % 2 == 0 else (other, one)


def _asker(loop: asyncio.AbstractEventLoop) -> Any:
    """Return a function that asks a client from another thread."""

    def ask(client: Client, update: wire.Update, limit: float | None) -> wire.ClientResponse:
        return asyncio.run_coroutine_threadsafe(client.ask(update, limit), loop).result()

    return ask


def _poster(loop: asyncio.AbstractEventLoop) -> Any:
    """Return a function that tells a client something from another thread, and does not wait."""

    def post(client: Client, update: wire.Update) -> None:
        loop.call_soon_threadsafe(client.post, update)

    return post


def _sentence(one: Outcome) -> str:
    """Return the outcome of a game in a sentence."""
    x, o = one.names
    if not any(one.payoffs):
        return f"{x} v {o}: a draw after {one.plies} moves"
    winner, loser = (x, o) if one.payoffs[0] > 0 else (o, x)
    return f"{x} v {o}: {winner} wins after {one.plies} moves" + (f" ({loser}: {one.reason})" if one.reason else "")


def _warm(agent: Any, variant: Any) -> None:
    """Let an agent decide once in vain, so that no client waits for a compiler."""
    table = Table(envs.game(GAME), variant, 1)
    player = AgentPlayer(agent, 0)
    player.begin(table.info(table.turn))
    player.warm_up(table.view(table.turn), table.mask)


def standings(outcomes: Sequence[Outcome]) -> list[Standing]:
    """Return the results of everybody against each other, in the order of their first games."""
    pairs = dict.fromkeys(pair for one in outcomes for pair in (one.names, one.names[::-1]))
    return [_standing(name, against, outcomes) for name, against in pairs]


def _standing(name: str, against: str, outcomes: Sequence[Outcome]) -> Standing:
    games = [one for one in outcomes if set(one.names) == {name, against}]
    payoffs = [one.payoffs[one.names.index(name)] for one in games]
    lost = sum(bool(one.reason) and payoff < 0 for one, payoff in zip(games, payoffs, strict=True))
    wins, losses = sum(x > 0 for x in payoffs), sum(x < 0 for x in payoffs)
    draws = len(games) - wins - losses
    return Standing(name, against, len(games), wins, draws, losses, lost, *mean_interval(payoffs).score)


def results_table(outcomes: Sequence[Outcome]) -> Any:
    """Return the results as a table for the terminal."""
    from rich.table import Table
    from rich.text import Text

    columns = ("Player", "Against", "Games", "Wins", "Draws", "Losses", "Forfeits", "Score, 95 %")
    result = Table(*columns, title=f"Results of {len(outcomes)} games")
    for one in standings(outcomes):
        counts = (one.games, one.wins, one.draws, one.losses, one.forfeits)
        score = f"{100 * one.score:.1f} ({100 * one.low:.1f} to {100 * one.high:.1f})"
        result.add_row(Text(one.name), Text(one.against), *map(str, counts), score)
    return result


def results_document(outcomes: Sequence[Outcome]) -> dict[str, Any]:
    """Return the results for a program."""
    return {"games": [asdict(one) for one in outcomes], "standings": [asdict(one) for one in standings(outcomes)]}
