"""Results of cups: their parts, rankings, and the places of players in several of them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType

from kozyr.agents.statistics.estimate import Estimate
from kozyr.agents.statistics.intervals import combined, mean_interval


@dataclass(frozen=True)
class Row:
    """Result of a player in a stage.

    Attributes:
        name: the player; score: its mean over all its games, 0 to 1; low, high: ends of its 95 % interval over deals;
            games: that it has played.
        errors: games lost by a mistake; why: the first of them in words, or None.
        through: True if it goes on from a group, or has won the match.
    """

    name: str
    score: float
    low: float
    high: float
    games: int
    errors: int
    why: str | None
    through: bool = False

    @property
    def estimate(self) -> Estimate:
        """Return the score, 0 to 1, with its interval."""
        return Estimate(self.score, self.low, self.high)


@dataclass(frozen=True)
class Stage:
    """A part of a cup.

    Attributes:
        title: of the stage; tables: names of the players at each; rows: their results, the best first.
        through: meaning of a row's `through`.
    """

    title: str
    tables: list[tuple[str, ...]]
    rows: list[Row]
    through: str


@dataclass(frozen=True)
class CupResult:
    """Result of a cup.

    Attributes:
        stages: its parts, in their order; ranking: names of the players, the winner first; seed: of its draw.
    """

    stages: list[Stage]
    ranking: list[str]
    seed: int


@dataclass(frozen=True)
class Place:
    """Result of a player in several cups.

    Attributes:
        name: the player; won: cups; mean: of its places, 1 for the winner; mean_low, mean_high: ends of that mean's
            95 % interval over cups, None of one cup.
        score: mean over all its games, 0 to 1; low, high: ends of its 95 % interval over deals.
        errors: games lost by a mistake; why: the first of them, or the reason why it could not play.
        took_part: False for an entry that could not play: it has lost everything.
    """

    name: str
    won: int
    mean: float
    mean_low: float | None
    mean_high: float | None
    score: float
    low: float
    high: float
    errors: int
    why: str | None
    took_part: bool = True

    @property
    def estimate(self) -> Estimate:
        """Return the score, 0 to 1, with its interval."""
        return Estimate(self.score, self.low, self.high)

    @property
    def place(self) -> str:
        """Return the mean place with its interval in words."""
        if self.mean_low is None or self.mean_high is None:
            return f"{self.mean:.2f}"
        return Estimate(self.mean, self.mean_low, self.mean_high).text(2)


def places(results: Sequence[CupResult], damaged: Mapping[str, str] = MappingProxyType({})) -> list[Place]:
    """Return the results of the players over some cups, the best mean place first, and last the damaged entries.

    Args:
        results: of the cups; damaged: entries that could not play, by name, and why.
    """
    ranked: list[Place] = []
    for name in results[0].ranking:
        ranks = [1.0 + one.ranking.index(name) for one in results]
        rows = [row for one in results for stage in one.stages for row in stage.rows if row.name == name]
        score = combined(
            [row.estimate for row in rows], [row.games for row in rows]
        )  # the parts have deals of their own
        why = next((row.why for row in rows if row.why), None)
        errors = sum(row.errors for row in rows)
        mean = mean_interval(ranks, (1.0, float(len(results[0].ranking))))
        ends = mean[1:] if len(ranks) > 1 else (None, None)
        ranked.append(Place(name, ranks.count(1.0), mean.value, *ends, *score, errors, why))
    last = len(ranked) + 1.0
    absent = [Place(name, 0, last, None, None, 0.0, 0.0, 0.0, 0, why, False) for name, why in damaged.items()]
    return [*sorted(ranked, key=lambda one: (one.mean, -one.score)), *absent]
