"""Coverage of printed intervals, and errors of the sequential test: simulated truths through the code that prints."""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.stats import multinomial

from kozyr.agents.arena.scores import Suite
from kozyr.agents.arena.scores.report import points_of, points_of_all
from kozyr.agents.arena.tournaments import compare as sequential
from kozyr.agents.arena.tournaments.cup_result import CupResult, Row, Stage, places
from kozyr.agents.statistics.elo import anchor, elo_ratings
from kozyr.agents.statistics.estimate import Estimate
from kozyr.agents.statistics.intervals import mean_interval, over_deals
from tests.benchmarks.populations import Population, duplicate
from tests.benchmarks.possible import least_coverage, outcomes

SIZES = 5, 10, 30, 100, 1000
BAND = 0.935, 0.975
_EXACT = 1e-9
_RARE = 1e-6
_BOOTSTRAPS, _RESAMPLES = 200, 1000  # scores of a suite that are resampled too, as that is slow


class Cell(NamedTuple):
    """How often the interval of so many deals holds the truth.

    Attributes:
        held: the share; half: the mean of half the width; exact: no deals were drawn, but all that may be seen counted.
    """

    held: float
    half: float
    exact: bool

    @property
    def outside(self) -> bool:
        """Tell whether the share is not the one that is asked for at 30 deals and more."""
        return not BAND[0] <= self.held <= BAND[1]


def coverage(one: Population, runs: int, sizes: Sequence[int] = SIZES, seed: int = 1) -> list[Cell]:
    """Return for each number of deals how often the interval holds the truth.

    Args:
        one: the deals; sizes: numbers of deals; seed: of the luck.
        runs: matches that are drawn. Where no more than that differ, their chances are summed instead.
    """
    rng, found = np.random.default_rng(seed), list[Cell]()
    for n in sizes:
        seen = outcomes(one.law, n, _RARE, runs) if len(one.law) else None
        if seen is None:
            intervals = [mean_interval(one.draw(rng, n)) for _ in range(runs if n < sizes[-1] else runs // 2)]
            found.append(Cell(*_held(intervals, one.truth), exact=False))
        else:
            intervals = [mean_interval(np.repeat(one.values, row.astype(int))) for row in seen.counts]
            found.append(Cell(*_held(intervals, one.truth, seen.chances), exact=True))
    return found


def impossible(one: Population, deals: int) -> bool:
    """Tell whether every rule that covers 93.5 % of each law covers more than 97.5 % of this one."""
    return least_coverage(one.values, one.law, deals) > BAND[1]


class Others(NamedTuple):
    """How intervals hold for players with wins, splits and losses of deals, on a grid of all of them.

    Attributes:
        players: how many; mean, least: shares of matches in which the interval holds; below: share of the players for
            whom it holds less often than it should; law: chances of a loss, a split and a win of the least.
    """

    players: int
    mean: float
    least: float
    below: float
    law: NDArray[np.float64]


def grid(deals: int, steps: int = 100) -> Others:
    """Return how often the interval of so many deals holds, for players whose chances are on a grid.

    Args:
        deals: of a match; steps: of the grid, between 0 and 1.
    """
    values = np.array([-1.0, 0.0, 1.0])
    counts = np.array([(lost, deals - lost - won, won) for lost in range(deals + 1) for won in range(deals + 1 - lost)])
    ends = np.array([mean_interval(np.repeat(values, row))[1:] for row in counts])
    laws = np.array([(lost, steps - lost - won, won) for lost in range(steps + 1) for won in range(steps + 1 - lost)])
    laws = laws[laws.max(1) < steps] / steps
    means = laws @ values
    held = [
        float(multinomial.pmf(counts, deals, law) @ ((ends[:, 0] - _EXACT <= mean) & (mean <= ends[:, 1] + _EXACT)))
        for law, mean in zip(laws, means, strict=True)
    ]
    least = int(np.argmin(held))
    return Others(len(laws), float(np.mean(held)), held[least], float(np.mean(np.array(held) < BAND[0])), laws[least])


def _held(
    intervals: Sequence[Estimate], truth: float, chances: NDArray[np.float64] | None = None
) -> tuple[float, float]:
    """Return the share of intervals that hold a truth, and their mean half width."""
    held = [x.low - _EXACT <= truth <= x.high + _EXACT for x in intervals]
    return float(np.average(held, weights=chances)), float(np.average([x.half for x in intervals], weights=chances))


class Simulated:
    """What `compare` asks of a league, with deals that are drawn: lost, split or won as wholes, or game by game.

    Args:
        rng: of the deals; law: chances of the scores 0, ¼, ½, ¾ and 1; most: deals.
    """

    def __init__(self, rng: np.random.Generator, law: NDArray[np.float64], most: int = 200_000) -> None:
        self.rng, self.law, self.deals, self.seen = rng, law, most, np.zeros(0)

    def returns(self, pair: Any, deals: int | None = None) -> NDArray[np.float64]:
        """Return what has been played."""
        return self.seen[:deals]

    def play(self, pairs: Any, workers: int, deals: int) -> None:
        """Draw what is missing."""
        more = self.rng.choice(np.linspace(-1, 1, 5), deals - len(self.seen), p=self.law)
        self.seen = np.append(self.seen, more)


def law(score: float, split: float, draws: float = 0.0) -> NDArray[np.float64]:
    """Return the chances of a deal's scores 0, ¼, ½, ¾, 1 with a mean score: so many deals split, the others of two
    independent games. Where nearly all are split a deal is won or lost as a whole."""
    if split > 0.9:
        won = (1 - split) / 2 + score - 0.5
        return np.array([1 - split - won, 0, split, 0, won])
    win = 0.5 + (score - 0.5) / (1 - split) - draws / 2
    game = np.array([1 - win - draws, draws, win])
    return (1 - split) * np.convolve(game, game) + split * np.eye(5)[2]


MIXTURES = [  # split, drawn, elo1
    *((split, 0.0, elo) for split, elo in ((0.0, 20), (0.25, 20), (0.5, 10), (0.75, 10), (0.9, 5), (0.95, 5))),
    *((split, 0.0, elo) for split, elo in ((0.97, 5), (0.98, 5), (0.95, 10), (0.97, 10))),
    *((split, draws, elo) for split, draws, elo in ((0.0, 0.6, 20), (0.5, 0.4, 10))),
]


class Errors(NamedTuple):
    """Comparisons where a hypothesis is true: share of wrong verdicts, mean deals, how often the interval held."""

    wrong: float
    deals: float
    held: float


def comparisons(split: float, draws: float, elo1: float, truth: float, runs: int, seed: int = 1) -> Errors:
    """Run comparisons of 0 Elo with `elo1` where `truth` holds."""
    rng, found = np.random.default_rng(seed), list[Any]()
    score = sequential.expected(truth)
    for _ in range(runs):
        league: Any = Simulated(rng, law(score, split, draws))
        *_, last = sequential.compare(league, 0.0, elo1)
        found.append(last)
    wrong = np.mean([one.verdict == ("not better" if truth else "better") for one in found])
    held = np.mean([one.score_low <= score <= one.score_high for one in found])
    return Errors(float(wrong), float(np.mean([one.deals for one in found])), float(held))


def elo(differences: Sequence[float], deals: int, runs: int, seed: int = 1) -> tuple[float, float]:
    """Return how often the intervals of ratings hold the truth, and how many of them have an open end."""
    rng, truth, held, opened = np.random.default_rng(seed), np.array(differences, float), list[bool](), list[bool]()
    agents = len(truth)
    for _ in range(runs):
        chances = 1 / (1 + 10 ** ((truth[None] - truth[:, None]) / 400))
        played = {
            (i, j): (rng.random((deals, 2)) < chances[i, j]).mean(1)
            for i in range(agents)
            for j in range(i + 1, agents)
        }
        ratings = elo_ratings(agents, played)
        middle = truth[anchor(agents, played, list(range(agents)))].mean()
        held += [x.low - 0.1 <= own - middle <= x.high + 0.1 for x, own in zip(ratings, truth, strict=True)]
        opened += [bool(np.isinf([x.low, x.high]).any()) for x in ratings]
    return float(np.mean(held)), float(np.mean(opened))


def cups(repeats: int, players: int, runs: int, skill: float = 0.0, seed: int = 1) -> float:
    """Return how often the interval of a mean place over some cups holds the truth, equal players but the first."""
    rng, names, held = np.random.default_rng(seed), [f"p{i}" for i in range(players)], list[bool]()
    rows = [Row(name, 0.5, 0.4, 0.6, 10, 0, None) for name in names]
    strength = np.array([skill, *[0.0] * (players - 1)])
    truth = 1 + (players - 1) / (1 + np.exp(skill)) if skill else (players + 1) / 2
    for _ in range(runs):
        results = [
            CupResult([Stage("", [], rows, "")], [names[i] for i in np.argsort(-_ranking(rng, strength))], 0)
            for _ in range(repeats)
        ]
        one = next(place for place in places(results) if place.name == names[0])
        held.append(one.mean_low is not None and one.mean_low <= truth <= (one.mean_high or 0))
    return float(np.mean(held))


def _ranking(rng: np.random.Generator, strength: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return what players are ranked by: Plackett and Luce's model."""
    return strength + rng.gumbel(size=len(strength))


def league(deals: int, pairings: int, shared: float, runs: int, seed: int = 1) -> float:
    """Return how often the interval of a mean over pairings holds that share the luck of their deals."""
    rng, intervals = np.random.default_rng(seed), list[Estimate]()
    for _ in range(runs):
        luck = rng.random(deals) < shared
        common = rng.choice([-1.0, 1.0], deals)
        rows = [np.where(luck, common, rng.choice([-1.0, 1.0], deals)) for _ in range(pairings)]
        intervals.append(over_deals(rows))
    return _held(intervals, 0.0)[0]


class SuiteCoverage(NamedTuple):
    """How intervals of a suite's points hold.

    Attributes:
        held: how often that of all tasks holds the truth; again: how often two scores on other deals differ by no more
            than the root of the sum of the squares of their half widths; tasks: how often that of a task holds it.
        half: the mean of half the width; bootstrap: how often the ends of a stratified bootstrap hold the truth.
    """

    held: float
    again: float
    tasks: float
    half: float
    bootstrap: float


def suite_points(suite: Suite, quick: bool, skill: float, runs: int, seed: int = 1) -> SuiteCoverage:
    """Return how the intervals of a suite's points hold, for an agent whose chances against each opponent are drawn.

    Args:
        suite: its tasks and their numbers of deals; quick: the fewer deals; skill: moves all chances, 0 to 1.
        runs: scores that are simulated; seed: of the luck.
    """
    rng = np.random.default_rng(seed)
    matches = [
        (task, [(_opponent(rng, skill), deals) for _, deals, _ in suite.matches(task, 0, quick)])
        for task in suite.tasks
    ]
    exact = [
        points_of([Estimate(*[(1 + one.truth) / 2] * 3) for one, _ in opponents], task).value
        for task, opponents in matches
    ]
    truth = float(np.average(exact, weights=suite.weights([task.name for task in suite.tasks])))
    points, held, drawn = list[Estimate](), list[bool](), list[bool]()
    for _ in range(runs):
        returns = [[one.draw(rng, deals) for one, deals in opponents] for _, opponents in matches]
        tasks = [
            points_of([mean_interval(row).score for row in rows], task)
            for (task, _), rows in zip(matches, returns, strict=True)
        ]
        held += [one.low <= value <= one.high for one, value in zip(tasks, exact, strict=True)]
        points.append(points_of_all(tasks, suite))
        if len(drawn) < _BOOTSTRAPS:
            drawn.append(_bootstrap_holds(rng, suite, returns, truth))
    pairs = zip(points[::2], points[1::2], strict=False)
    again = [abs(one.value - other.value) <= np.hypot(one.half, other.half) for one, other in pairs]
    half = float(np.mean([one.half for one in points]))
    share = _held(points, truth)[0]
    return SuiteCoverage(share, float(np.mean(again)), float(np.mean(held)), half, float(np.mean(drawn)))


def _opponent(rng: np.random.Generator, skill: float) -> Population:
    """Return the deals against an opponent: a chance near the skill, and a share of deals that luck splits."""
    chance = float(np.clip(skill + rng.uniform(-0.3, 0.3), 0.01, 0.99))
    return duplicate(round(chance, 2), round(float(rng.uniform(0.1, 0.7)), 1))


def _bootstrap_holds(
    rng: np.random.Generator, suite: Suite, returns: Sequence[Sequence[NDArray[np.float64]]], truth: float
) -> bool:
    """Return True if the percentiles of a bootstrap hold the truth that resamples the deals of each match by itself."""
    tasks = list[NDArray[np.float64]]()
    for task, rows in zip(suite.tasks, returns, strict=True):
        means = np.mean([rng.choice(row, (_RESAMPLES, len(row))).mean(1) for row in rows], 0)
        tasks.append(100 * ((1 + means) / 2 - task.zero) / (task.hundred - task.zero))
    all_tasks = np.average(tasks, axis=0, weights=suite.weights([task.name for task in suite.tasks]))
    low, high = np.quantile(all_tasks, (0.025, 0.975))
    return bool(low <= truth <= high)
