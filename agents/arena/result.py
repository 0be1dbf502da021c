"""What a match has shown: returns and scores with their intervals, and how long it took."""

from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, field, fields
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kozyr.agents.arena.chunk import Job, Played
from kozyr.agents.interval import CONFIDENCE, QUANTILE
from kozyr.agents.usage import Usage, total
from kozyr.envs.api.table import TIME
from kozyr.envs.core.capabilities import episode_statistics


@dataclass(frozen=True)
class AgentResult:
    """How one agent did; where it fills several seats, its mean over them.

    Attributes:
        name: as it was given.
        mean: its mean return, −1 to 1; half: half the width of the mean's 95 % interval over deals.
        interval: mean − half to mean + half, within −1 to 1.
        score: (1 + mean) / 2, so that a draw counts half of a win; score_interval: likewise.
        wins: share of its games with a return above 0; draws: of 0; losses: below.
        by_turn: score and half of its 95 % interval where it is the first to move, the second, …
        errors: games it lost by an error, an illegal action or the time limit; first_error: the first of them in words.
        late: how many of them it lost by the time limit.
        ms_per_move: time it takes for a decision, or None for a player inside the compiled loop.
        ms_99: what 99 % of its searched decisions take at most; None for players that do not search.
        usage: illegal answers, retries, tokens, cost and time of a language model; None for other players.
    """

    name: str
    mean: float
    half: float
    interval: tuple[float, float]
    score: float
    score_interval: tuple[float, float]
    wins: float
    draws: float
    losses: float
    by_turn: list[tuple[float, float]]
    errors: int
    first_error: str | None
    late: int
    ms_per_move: float | None = field(compare=False)
    ms_99: float | None = field(compare=False)
    usage: Usage | None = field(default=None, compare=False)


@dataclass(frozen=True)
class MatchResult:
    """The result of a match; two are equal if all but the times is.

    Attributes:
        game: name and version; variant: its options; seed and deals: as they were given; opening: random plies first.
        games: deals × seats; plies: actions in all games; draws: games that pay nothing; truncated: games cut off.
        statistics: what the game counts besides, a mean a game.
        agents: in the order given.
        seconds: wall time; games_per_second and ms_per_move (of a ply, whoever played it) follow from it.
        returns: float64 [deals, agents] mean return over the rotations of each deal.
    """

    game: str
    variant: dict[str, Any]
    seed: int
    opening: int
    deals: int
    games: int
    plies: int
    draws: int
    truncated: int
    statistics: dict[str, float]
    agents: list[AgentResult]
    seconds: float = field(compare=False)
    returns: NDArray[np.float64] = field(compare=False, repr=False)

    @property
    def means(self) -> list[float]:
        """Return the mean return of each agent."""
        return [one.mean for one in self.agents]

    @property
    def halves(self) -> list[float]:
        """Return half the width of the interval of each mean return."""
        return [one.half for one in self.agents]

    @property
    def games_per_second(self) -> float:
        """Return how many games were played in a second of wall time."""
        return self.games / self.seconds

    @property
    def ms_per_move(self) -> float:
        """Return the wall time of a ply in milliseconds."""
        return 1000 * self.seconds / max(self.plies, 1)

    def to_json(self) -> dict[str, Any]:
        """Return the result as what `json.dumps` takes, without the returns of each deal."""
        names = [one.name for one in fields(self) if one.name not in ("agents", "returns")]
        found = {name: getattr(self, name) for name in names}
        found |= {"games_per_second": self.games_per_second, "ms_per_move": self.ms_per_move}
        return found | {"confidence": CONFIDENCE, "agents": [asdict(agent) for agent in self.agents]}

    def table(self) -> Any:
        """Return the result as a `rich.table.Table`."""
        from rich.table import Table
        from rich.text import Text

        title = f"{self.game}: {self.games:,} games of {self.deals:,} deals, seed {self.seed}"
        if self.opening:
            title += f", {self.opening} random plies first"
        table = Table(title=title, caption=Text(self._caption()), caption_justify="left")
        cells: list[Callable[[AgentResult], str]] = []
        table.add_column("Agent", overflow="fold")
        for head, cell in self._columns().items():
            table.add_column(head, justify="right", no_wrap=True)
            cells.append(cell)
        for one in self.agents:
            table.add_row(Text(one.name), *(cell(one) for cell in cells))
        return table

    def turns_table(self) -> Any:
        """Return the scores by place in turn as a `rich.table.Table`: a row for each place, a column for each agent."""
        from rich.table import Table
        from rich.text import Text

        table = Table("Turn", title="Score % by turn")
        for one in self.agents:
            table.add_column(Text(one.name), justify="right", overflow="fold")
        for turn, row in enumerate(zip(*(one.by_turn for one in self.agents), strict=True), 1):
            table.add_row(str(turn), *(f"{100 * score:.1f} ± {100 * half:.1f}" for score, half in row))
        return table

    def usage_table(self) -> Any:
        """Return what language models have used, beside their scores, as a `rich.table.Table`; None without any."""
        from rich.table import Table
        from rich.text import Text

        if not any(one.usage for one in self.agents):
            return None
        table = Table(title="Language models")
        table.add_column("Agent", overflow="fold", min_width=10)
        for head in ("Score %", *Usage().columns()):
            table.add_column(head, justify="right")
        score = self._columns()["Score %"]
        for one in self.agents:
            if one.usage:
                table.add_row(Text(one.name), score(one), *one.usage.columns().values())
        return table

    def _columns(self) -> dict[str, Callable[[AgentResult], str]]:
        """Return how the cells of each column are made; errors and times only where there are any."""
        columns: dict[str, Callable[[AgentResult], str]] = {
            "Score %": lambda one: f"{100 * one.score:.1f} ± {50 * one.half:.1f}",
            "Return": lambda one: f"{one.mean:+.3f} ± {one.half:.3f}",
            "Win/draw/loss %": lambda one: f"{100 * one.wins:.1f} / {100 * one.draws:.1f} / {100 * one.losses:.1f}",
        }
        if any(one.errors for one in self.agents):
            columns["Errors"] = lambda one: f"{one.errors:,}"
        if any(one.late for one in self.agents):
            columns["Late"] = lambda one: f"{one.late:,}"
        if any(one.ms_per_move is not None for one in self.agents):
            columns["ms/move"] = lambda one: "" if one.ms_per_move is None else f"{one.ms_per_move:.3f}"
        if any(one.ms_99 is not None for one in self.agents):
            columns["99 %"] = lambda one: "" if one.ms_99 is None else f"{one.ms_99:.1f}"
        return columns

    def _caption(self) -> str:
        """Return what concerns the whole match, and the first error of each agent."""
        lines = [
            f"{self.plies:,} plies, {self.draws:,} draws, {self.truncated:,} truncated; {self.seconds:.2f} s, "
            f"{self.games_per_second:,.0f} games/s, {self.ms_per_move:.4f} ms a ply",
            "± is half of the 95 % interval of the mean over deals",
        ]
        if self.statistics:
            lines.append("a game: " + ", ".join(f"{mean:.1f} {name}" for name, mean in self.statistics.items()))
        return "\n".join(lines + [f"{one.name}: {one.first_error}" for one in self.agents if one.first_error])


def half_interval(returns: NDArray[np.float64]) -> float:
    """Return half the width of the 95 % interval of a mean, normal approximation; one value alone says nothing."""
    if len(returns) < 2:
        return 2.0
    return QUANTILE * float(returns.std(ddof=1)) / len(returns) ** 0.5


def result(job: Job, chunks: Sequence[Played], seconds: float) -> MatchResult:
    """Return the result of a match from all of its chunks, in order."""
    payoffs = np.concatenate([chunk.payoffs for chunk in chunks])  # [deals, rotations, seats]
    seating = job.seating()
    returns = np.stack([payoffs[:, seating == j].mean(1) for j in range(len(job.agents))], 1)
    turns = _by_turn(payoffs, seating, np.concatenate([chunk.starters for chunk in chunks]))
    return MatchResult(
        game=job.game.id,
        variant=job.game.options(job.variant),
        seed=job.seed,
        opening=job.opening,
        deals=len(payoffs),
        games=payoffs.shape[0] * payoffs.shape[1],
        plies=sum(chunk.plies for chunk in chunks),
        draws=int((~payoffs.any(2)).sum()),
        truncated=sum(chunk.truncated for chunk in chunks),
        statistics={
            name: sum(chunk.statistics[name] for chunk in chunks) / (payoffs.shape[0] * payoffs.shape[1])
            for name in episode_statistics(job.variant)
        },
        agents=[
            _agent(job, j, returns[:, j], turns[:, j], payoffs[:, seating == j], chunks) for j in range(len(job.agents))
        ],
        seconds=seconds,
        returns=returns,
    )


def _by_turn(
    payoffs: NDArray[np.float64], seating: NDArray[np.int64], starters: NDArray[np.int64]
) -> NDArray[np.float64]:
    """Return what each agent wins as the first to move, the second, …: [deals, agents, seats]."""
    seats = int(payoffs.shape[2])
    order = (starters[:, None] + np.arange(seats)) % seats  # [deals, turns]
    turned = np.take_along_axis(payoffs, order[:, None], 2)  # [deals, rotations, turns]
    who = seating.T[order].swapaxes(1, 2)  # [deals, rotations, turns] the agent there
    shares = [who == j for j in range(int(seating.max()) + 1)]
    return np.stack([(turned * mine).sum(1) / mine.sum(1) for mine in shares], 1)


def _agent(
    job: Job,
    j: int,
    returns: NDArray[np.float64],
    turns: NDArray[np.float64],
    payoffs: NDArray[np.float64],
    chunks: Sequence[Played],
) -> AgentResult:
    """Return an agent's result from its returns [deals], by turn [deals, seats], and payoffs [deals, games]."""
    mean, half = float(returns.mean()), half_interval(returns)
    low, high = max(mean - half, -1.0), min(mean + half, 1.0)
    mistakes = [mistake for chunk in chunks for mistake in chunk.mistakes if mistake.agent == j]
    decisions = sum(int(chunk.decisions[j]) for chunk in chunks)
    spent = sum(float(chunk.seconds[j]) for chunk in chunks)
    took = [seconds for chunk in chunks for seconds in chunk.took[j]]
    return AgentResult(
        name=job.names[j],
        mean=mean,
        half=half,
        interval=(low, high),
        score=(1 + mean) / 2,
        score_interval=((1 + low) / 2, (1 + high) / 2),
        wins=float((payoffs > 0).mean()),
        draws=float((payoffs == 0).mean()),
        losses=float((payoffs < 0).mean()),
        by_turn=[((1 + float(won.mean())) / 2, half_interval(won) / 2) for won in turns.T],
        errors=len(mistakes),
        first_error=mistakes[0].message if mistakes else None,
        late=sum(mistake.reason == TIME for mistake in mistakes),
        ms_per_move=1000 * spent / decisions if decisions else None,
        ms_99=1000 * float(np.quantile(took, 0.99)) if took else None,
        usage=total(chunk.usage[j] for chunk in chunks),
    )
