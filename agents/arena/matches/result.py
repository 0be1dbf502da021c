"""Result of a match: returns and scores with their intervals, and times, as numbers and as tables for the terminal."""

from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, field, fields
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kozyr.agents.arena.matches.batch import BatchResult, Job
from kozyr.agents.arena.results.escape import short
from kozyr.agents.statistics.estimate import Estimate
from kozyr.agents.statistics.intervals import CONFIDENCE, METHOD, mean_interval
from kozyr.agents.usage import Usage, total
from kozyr.envs.core.capabilities import Stake, episode_statistics, stake
from kozyr.envs.table.table import TIME

_OPTIONAL = ("Return", "Win/draw/loss %")  # columns that a narrow table leaves out, the first one first


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
        turns: float64 [deals, seats] mean return of each deal as the first to move, the second, …
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
    turns: NDArray[np.float64] = field(compare=False, repr=False)
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

    @cached_property
    def by_turn(self) -> list[Estimate]:
        """Return the score with its 95 % interval as the first to move, the second, and so on."""
        return [mean_interval(values).score for values in self.turns.T]

    def to_json(self) -> dict[str, Any]:
        """Return the result for `json.dumps`, with scores by turn in place of their deals."""
        shown = {"turns": ("by_turn", self.by_turn)}
        pairs = [shown.get(name, (name, value)) for name, value in asdict(self).items()]
        return dict(pairs)


@dataclass(frozen=True)
class MatchResult:
    """Result of a match; two are equal if all but the times is.

    Attributes:
        game: name and version; variant: its options; seed and deals: as in the call; opening: random plies first.
        openings: file, digest and count of those that begin the deals, or None.
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
    openings: dict[str, Any] | None = None

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
        return values | {"agents": [agent.to_json() for agent in self.agents]}

    def table(self, width: int | None = None) -> Any:
        """Return the result as a `rich.table.Table`; a narrow one leaves out redundant columns.

        Args:
            width: of the terminal in characters, or None for no limit.
        """
        from rich.text import Text

        table = _fitting_table(self, width)
        table.caption, table.caption_justify = Text(_remarks(self)), "left"
        return table

    def short_names(self) -> list[str]:
        """Return the agents' names in short."""
        return short([one.name for one in self.agents])

    def turns_table(self) -> Any:
        """Return the scores by place in turn as a `rich.table.Table`: a row for each place, a column for each agent."""
        from rich.table import Table
        from rich.text import Text

        table = Table("Turn", title="Score % by turn")
        for name in self.short_names():
            table.add_column(Text(name), justify="right", overflow="fold")
        for turn, row in enumerate(zip(*(one.by_turn for one in self.agents), strict=True), 1):
            table.add_row(str(turn), *(score.times(100).text() for score in row))
        return table

    def usage_table(self) -> Any:
        """Return the usage of language models, beside their scores, as a `rich.table.Table`; None without any."""
        from rich.table import Table
        from rich.text import Text

        if not any(one.usage for one in self.agents):
            return None
        table = Table(title="Language models")
        table.add_column("Agent", overflow="fold", min_width=10)
        for head in ("Score %", *Usage().columns()):
            table.add_column(head, justify="right")
        for name, one in zip(self.short_names(), self.agents, strict=True):
            if one.usage:
                table.add_row(Text(name), _score(one), *one.usage.columns().values())
        return table

    def won_table(self) -> Any:
        """Return the winnings in the game's own unit, as chips, as a `rich.table.Table`; None if it has none."""
        from rich.table import Table
        from rich.text import Text

        won = [one.won for one in self.agents if one.won is not None]
        if not won:
            return None
        unit = won[0].unit.capitalize()
        table = Table(title=f"{unit} won, with 95 % intervals")
        table.add_column("Agent", overflow="fold")
        for head in (f"{unit} a {won[0].game}", f"{unit} per 100 {won[0].game}s"):
            table.add_column(head, justify="right", no_wrap=True)
        for name, one in zip(self.short_names(), won, strict=True):
            once, often = Estimate(one.mean, *one.interval), Estimate(one.per_100, *one.interval_per_100)
            table.add_row(Text(name), once.text(3, signed=True), often.text(signed=True))
        return table


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
        openings=job.openings and job.openings.to_json(),
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
        turns=turns,
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


Cell = Callable[[AgentResult], str]  # text of a cell


def _fitting_table(result: MatchResult, width: int | None = None) -> Any:
    """Return the result as a table, with fewer columns if it would be wider than `width`."""
    from rich.console import Console

    columns = _columns(result)
    table = _scores(result, columns)
    for head in _OPTIONAL:
        if width is not None and Console(width=1000).measure(table).maximum > width:
            del columns[head]
            table = _scores(result, columns)
    return table


def _scores(result: MatchResult, columns: dict[str, Cell]) -> Any:
    """Return the result as a table with these columns."""
    from rich.table import Table
    from rich.text import Text

    title = f"{result.game}: {result.games:,} games of {result.deals:,} deals, seed {result.seed}"
    if result.opening:
        title += f", {result.opening} random plies first"
    if result.openings:
        title += f", openings of {result.openings['file']}"
    table = Table(title=title)
    table.add_column("Agent", overflow="fold")
    for head in columns:
        table.add_column(head, justify="right", no_wrap=True)
    for name, one in zip(result.short_names(), result.agents, strict=True):
        table.add_row(Text(name), *(cell(one) for cell in columns.values()))
    return table


def _remarks(result: MatchResult) -> str:
    """Return the remarks on the whole match, short names in full, and the first error of each agent."""
    lines = [
        f"{result.plies:,} plies, {result.draws:,} draws, {result.truncated:,} truncated",
        f"{result.seconds:.2f} s, {result.games_per_second:,.0f} games/s, {result.ms_per_move:.4f} ms a ply",
        "± and brackets are 95 % intervals of the mean over deals",
    ]
    if result.statistics:
        lines.append("a game: " + ", ".join(f"{mean:.1f} {name}" for name, mean in result.statistics.items()))
    lines += [
        f"{name} is {one.name}"
        for name, one in zip(result.short_names(), result.agents, strict=True)
        if name != one.name
    ]
    return "\n".join(lines + [f"{one.name}: {one.first_error}" for one in result.agents if one.first_error])


def _score(one: AgentResult) -> str:
    """Return a score with its interval."""
    return one.estimate.times(100).text()


def _columns(result: MatchResult) -> dict[str, Cell]:
    """Return the columns with the functions of their cells; errors and times only if there are any."""
    columns: dict[str, Cell] = {
        "Score %": _score,
        "Return": lambda one: Estimate(one.mean, *one.interval).text(3, signed=True),
        "Win/draw/loss %": lambda one: f"{100 * one.wins:.1f} / {100 * one.draws:.1f} / {100 * one.losses:.1f}",
    }
    if any(one.errors for one in result.agents):
        columns["Errors"] = lambda one: f"{one.errors:,}"
    if any(one.late for one in result.agents):
        columns["Late"] = lambda one: f"{one.late:,}"
    if any(one.ms_per_move is not None for one in result.agents):
        columns["ms/move"] = lambda one: "" if one.ms_per_move is None else f"{one.ms_per_move:.3f}"
    if any(one.ms_99 is not None for one in result.agents):
        columns["99 %"] = lambda one: "" if one.ms_99 is None else f"{one.ms_99:.1f}"
    return columns
