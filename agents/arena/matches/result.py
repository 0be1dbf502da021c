"""Result of a match: returns and scores with their intervals, and times."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass, field, fields
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kozyr.agents.arena.matches import result_table
from kozyr.agents.arena.matches.batch import BatchResult, Job
from kozyr.agents.statistics.estimate import Estimate
from kozyr.agents.statistics.intervals import CONFIDENCE, METHOD, mean_interval
from kozyr.agents.usage import Usage, total
from kozyr.envs.core.capabilities import Stake, episode_statistics, stake
from kozyr.envs.table.table import TIME


@dataclass(frozen=True)
class Won:
    """Winnings of an agent in the game's own unit, see `kozyr.envs.core.capabilities.stake`.

    Attributes:
        unit: as "chips"; game: word for one game, as "hand".
        mean: winnings a game; half: half the width of its 95 % interval over deals; interval: its ends.
        per_100, half_per_100, interval_per_100: the same of 100 games.
    """

    unit: str
    game: str
    mean: float
    half: float
    interval: tuple[float, float]
    per_100: float
    half_per_100: float
    interval_per_100: tuple[float, float]


@dataclass(frozen=True)
class AgentResult:
    """Result of one agent; if it fills several seats, the mean over them.

    Attributes:
        name: of the agent, as in the call.
        mean: its mean return, −1 to 1; half: half the width of the mean's 95 % interval over deals.
        interval: the ends of that interval, within −1 to 1; they need not be as far from the mean, see
            `kozyr.agents.statistics.intervals.mean_interval`.
        score: (1 + mean) / 2, so that a draw counts half of a win; score_interval: likewise.
        wins: share of its games with a return above 0; draws: of 0; losses: below.
        by_turn: score with its 95 % interval as the first to move, the second, …
        errors: games it lost by an error, an illegal action or the time limit; first_error: the first of them in words.
        late: how many of them it lost by the time limit.
        ms_per_move: time it takes for a decision, or None for a player inside the compiled loop.
        ms_99: 99 % quantile of the time of its searched decisions; None for players that do not search.
        usage: illegal answers, retries, tokens, cost and time of a language model; None for other players.
        won: the mean return in the game's own unit; None if it has none.
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
    by_turn: list[Estimate]
    errors: int
    first_error: str | None
    late: int
    ms_per_move: float | None = field(compare=False)
    ms_99: float | None = field(compare=False)
    usage: Usage | None = field(default=None, compare=False)
    won: Won | None = None

    @property
    def estimate(self) -> Estimate:
        """Return the score, 0 to 1, with its 95 % interval."""
        return Estimate(self.score, *self.score_interval)


@dataclass(frozen=True)
class MatchResult:
    """Result of a match; two are equal if all but the times is.

    Attributes:
        game: name and version; variant: its options; seed and deals: as in the call; opening: random plies first.
        games: deals × seats; plies: actions in all games; draws: games that pay nothing; truncated: games cut off.
        statistics: the game's own counts, as means per game.
        agents: in the order of the call.
        seconds: wall time; games_per_second and ms_per_move (of a ply of any player) follow from it.
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
        """Return the number of games per second of wall time."""
        return self.games / self.seconds

    @property
    def ms_per_move(self) -> float:
        """Return the wall time of a ply in milliseconds."""
        return 1000 * self.seconds / max(self.plies, 1)

    def to_json(self) -> dict[str, Any]:
        """Return the result for `json.dumps`, without the returns of each deal."""
        names = [one.name for one in fields(self) if one.name not in ("agents", "returns")]
        values = {name: getattr(self, name) for name in names}
        values |= {"games_per_second": self.games_per_second, "ms_per_move": self.ms_per_move}
        values |= {"confidence": CONFIDENCE, "interval_method": METHOD, "independent_deals": self.deals}
        return values | {"agents": [asdict(agent) for agent in self.agents]}

    def table(self, width: int | None = None) -> Any:
        """Return the result as a `rich.table.Table`; a narrow one leaves out redundant columns.

        Args:
            width: of the terminal in characters, or None for no limit.
        """
        from rich.text import Text

        table = result_table.scores(self, width)
        table.caption, table.caption_justify = Text(result_table.remarks(self)), "left"
        return table

    def turns_table(self) -> Any:
        """Return the scores by place in turn as a `rich.table.Table`: a row for each place, a column for each agent."""
        return result_table.turns(self)

    def usage_table(self) -> Any:
        """Return the usage of language models, beside their scores, as a `rich.table.Table`; None without any."""
        return result_table.usage(self)

    def won_table(self) -> Any:
        """Return the winnings in the game's own unit, as chips, as a `rich.table.Table`; None if it has none."""
        return result_table.winnings(self)


def result(job: Job, batches: Sequence[BatchResult], seconds: float) -> MatchResult:
    """Return the result of a match from all of its batches, in order."""
    payoffs = np.concatenate([batch.payoffs for batch in batches])  # [deals, rotations, seats]
    seating = job.seating()
    returns = np.stack([payoffs[:, seating == j].mean(1) for j in range(len(job.agents))], 1)
    turns = _by_turn(payoffs, seating, np.concatenate([batch.starters for batch in batches]))
    return MatchResult(
        game=job.game.id,
        variant=job.game.options(job.variant),
        seed=job.seed,
        opening=job.opening,
        deals=len(payoffs),
        games=payoffs.shape[0] * payoffs.shape[1],
        plies=sum(batch.plies for batch in batches),
        draws=int((~payoffs.any(2)).sum()),
        truncated=sum(batch.truncated for batch in batches),
        statistics={
            name: sum(batch.statistics[name] for batch in batches) / (payoffs.shape[0] * payoffs.shape[1])
            for name in episode_statistics(job.variant)
        },
        agents=[
            _agent(job, j, returns[:, j], turns[:, j], payoffs[:, seating == j], batches)
            for j in range(len(job.agents))
        ],
        seconds=seconds,
        returns=returns,
    )


def _by_turn(
    payoffs: NDArray[np.float64], seating: NDArray[np.int64], starters: NDArray[np.int64]
) -> NDArray[np.float64]:
    """Return each agent's returns as the first to move, the second, …: [deals, agents, seats]."""
    seats = int(payoffs.shape[2])
    order = (starters[:, None] + np.arange(seats)) % seats  # [deals, turns]
    ordered = np.take_along_axis(payoffs, order[:, None], 2)  # [deals, rotations, turns]
    agents = seating.T[order].swapaxes(1, 2)  # [deals, rotations, turns] the agent there
    shares = [agents == j for j in range(int(seating.max()) + 1)]
    return np.stack([(ordered * seats_of_agent).sum(1) / seats_of_agent.sum(1) for seats_of_agent in shares], 1)


def _agent(
    job: Job,
    j: int,
    returns: NDArray[np.float64],
    turns: NDArray[np.float64],
    payoffs: NDArray[np.float64],
    batches: Sequence[BatchResult],
) -> AgentResult:
    """Return an agent's result from its returns [deals], by turn [deals, seats], and payoffs [deals, games]."""
    mean = mean_interval(returns)
    mistakes = [mistake for batch in batches for mistake in batch.mistakes if mistake.agent == j]
    decisions = sum(int(batch.decisions[j]) for batch in batches)
    seconds_total = sum(float(batch.seconds[j]) for batch in batches)
    took = [seconds for batch in batches for seconds in batch.took[j]]
    return AgentResult(
        name=job.names[j],
        mean=mean.value,
        half=mean.half,
        interval=(mean.low, mean.high),
        score=mean.score.value,
        score_interval=(mean.score.low, mean.score.high),
        wins=float((payoffs > 0).mean()),
        draws=float((payoffs == 0).mean()),
        losses=float((payoffs < 0).mean()),
        by_turn=[mean_interval(won).score for won in turns.T],
        errors=len(mistakes),
        first_error=mistakes[0].message if mistakes else None,
        late=sum(mistake.reason == TIME for mistake in mistakes),
        ms_per_move=1000 * seconds_total / decisions if decisions else None,
        ms_99=1000 * float(np.quantile(took, 0.99)) if took else None,
        usage=total(batch.usage[j] for batch in batches),
        won=won(stake(job.variant), mean),
    )


def won(unit: Stake | None, mean: Estimate) -> Won | None:
    """Return a mean return with its interval in the game's own unit, if it has one."""
    if unit is None:
        return None
    once, often = mean.times(unit.worth), mean.times(100 * unit.worth)
    one, hundred = ((x.value, x.half, (x.low, x.high)) for x in (once, often))
    return Won(unit.unit, unit.game, *one, *hundred)
