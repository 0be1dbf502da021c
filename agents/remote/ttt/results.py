"""The results of a server's games."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

from kozyr.agents.remote.ttt.server import Outcome
from kozyr.agents.statistics.intervals import mean_interval


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


def table(outcomes: Sequence[Outcome]) -> Any:
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


def document(outcomes: Sequence[Outcome]) -> dict[str, Any]:
    """Return the results for a program."""
    return {"games": [asdict(one) for one in outcomes], "standings": [asdict(one) for one in standings(outcomes)]}
