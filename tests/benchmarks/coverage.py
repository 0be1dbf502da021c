"""Coverage of printed intervals, and errors of the sequential test: simulated truths through the code that prints.

python -m tests.benchmarks coverage [--runs 2000] [--page docs/about/how_numbers_are_made.md]
"""

import argparse
import re
from collections.abc import Callable, Iterator, Sequence
from itertools import product
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from rich.console import Console
from rich.progress import track
from scipy.stats import multinomial

from kozyr.agents.arena.matches.match import match
from kozyr.agents.arena.scores import Suite, load
from kozyr.agents.arena.scores.report import points_of, points_of_all
from kozyr.agents.arena.tournaments import compare as sequential
from kozyr.agents.arena.tournaments.cup_result import CupResult, Row, Stage, places
from kozyr.agents.statistics.elo import anchor, elo_ratings
from kozyr.agents.statistics.estimate import Estimate
from kozyr.agents.statistics.intervals import mean_interval, over_deals
from tests.benchmarks.possible import least_coverage, outcomes

SIZES = 5, 10, 30, 100, 1000
REPEATS = 2, 3, 5, 10
BAND = 0.935, 0.975
BAND_FROM = 30  # deals
_EXACT = 1e-9
_RARE = 1e-6
_BOOTSTRAPS, _RESAMPLES = 200, 1000  # scores of a suite that are resampled too, as that is slow
Draw = Callable[[np.random.Generator, int], NDArray[np.float64]]  # returns of so many deals


class Population(NamedTuple):
    """Deals whose mean return is known.

    Attributes:
        name: what is simulated; truth: the mean return; draw: returns of deals.
        values: what a deal may return, ascending, if that is little; law: the chances of these values.
    """

    name: str
    truth: float
    draw: Draw
    values: NDArray[np.float64] = np.zeros(0)
    law: NDArray[np.float64] = np.zeros(0)


def _of_games(name: str, pays: Sequence[float], chances: Sequence[float], games: int, split: float = 0.0) -> Population:
    """Return deals of independent games, but for a share of deals that are split by their luck and return 0."""
    law = {0.0: 1.0}
    for _ in range(games):
        law = _added(law, pays, chances, games)
    law = {value: (1 - split) * chance for value, chance in law.items()}
    law[0.0] = law.get(0.0, 0.0) + split
    values = np.array(sorted(value for value, chance in law.items() if chance > 0))
    shares = np.array([law[value] for value in values])
    shares /= shares.sum()
    return Population(name, float(values @ shares), lambda rng, n: rng.choice(values, n, p=shares), values, shares)


def _added(law: dict[float, float], pays: Sequence[float], chances: Sequence[float], games: int) -> dict[float, float]:
    """Return the law of a deal's return after one game more."""
    found = dict[float, float]()
    for (value, share), (pay, chance) in product(law.items(), zip(pays, chances, strict=True)):
        total = round(value + pay / games, 9)
        found[total] = found.get(total, 0.0) + share * chance
    return found


def duplicate(win: float, split: float = 0.0, draws: float = 0.0) -> Population:
    """Return deals of two games each: won, drawn or lost independently, or split by the luck of the deal."""
    chances = (1 - win) * (1 - draws), draws, win * (1 - draws)
    parts = [f"{100 * win:g} %"]
    parts += [f"{100 * draws:g} % drawn"] if draws else []
    parts += [f"{100 * split:g} % of deals split"] if split else []
    return _of_games(", ".join(parts), (-1.0, 0.0, 1.0), chances, 2, split)


def together(win: float) -> Population:
    """Return deals whose two games always end alike."""
    return _of_games(f"{100 * win:g} %, both games alike", (-1.0, 1.0), (1 - win, win), 1)


def one_loser(seats: int, safe: float) -> Population:
    """Return deals of games with one loser, as Durak's: as many rotations as seats."""
    name = f"{seats} seats, {100 * safe:g} % not the loser"
    return _of_games(name, (-1.0, 1 / (seats - 1)), (1 - safe, safe), seats)


def ranked(seats: int, skill: float) -> Population:
    """Return deals of games that pay by place, as Daifugo's."""
    chances = np.exp(-skill * np.arange(seats))
    name = f"{seats} seats by place, skill {skill:g}"
    return _of_games(name, [*np.linspace(1, -1, seats)], [*(chances / chances.sum())], seats)


def scores() -> list[Population]:
    """Return populations of wins, draws, losses and places."""
    return [
        *(duplicate(p) for p in (0.5, 0.7, 0.9, 0.95, 0.98, 0.99, 0.999, 1.0)),
        *(together(p) for p in (0.5, 0.9, 0.99)),
        *(duplicate(p, split) for split in (0.5, 0.9, 0.98) for p in (0.5, 0.7, 0.95)),
        *(duplicate(p, draws=d) for d in (0.1, 0.5, 0.9) for p in (0.5, 0.9, 0.99)),
        *(one_loser(seats, p) for seats in (3, 4, 6) for p in (0.5, 0.8, 0.98)),
        *(ranked(seats, skill) for seats in (4, 6) for skill in (0, 1, 4)),
    ]


def resampled(name: str, returns: NDArray[np.float64]) -> Population:
    """Return a population of deals that were played: drawn again from many."""
    return Population(name, float(returns.mean()), lambda rng, n: rng.choice(returns, n))


def chips(deals: int = 20_000) -> list[Population]:
    """Return populations of chips: poker as scripted players play it, and two laws with heavier tails."""
    pairs = ("heuristic", "priority"), ("heuristic", "random"), ("priority", "random")
    real = [resampled(f"poker, `{a}` v three `{b}`", _returns(a, b, deals)) for a, b in pairs]
    heavy = [
        Population("Student's t of 3 degrees", 0.0, lambda rng, n: 0.02 * rng.standard_t(3, n)),
        Population("log-normal, skewness 6", 0.01 * float(np.exp(0.5)), lambda rng, n: 0.01 * rng.lognormal(0, 1, n)),
    ]
    return real + heavy


def _returns(agent: str, other: str, deals: int) -> NDArray[np.float64]:
    return match("draw_poker", [agent, other], deals, seed=5).returns[:, 0]


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


def _suite_table(runs: int) -> str:
    """Return the coverage of the points of a suite."""
    heads = ["Deals, chance near", "All tasks", "Half the width", "Two scores", "A task", "All tasks, by a bootstrap"]
    rows, suite = [heads], load()
    for quick, skill in _track([(quick, skill) for quick in (False, True) for skill in (0.1, 0.5, 0.9)]):
        one = suite_points(suite, quick, skill, runs)
        shares = [f"{100 * share:.1f} %" for share in (one.held, one.again, one.tasks, one.bootstrap)]
        what = f"{'`--quick`' if quick else 'all'}, {100 * skill:g} %"
        rows.append([what, shares[0], f"{one.half:.1f}", *shares[1:]])
    return markdown(rows)


def tables(runs: int) -> Iterator[str]:
    """Yield the tables, as Markdown."""
    yield "### Scores\n\n" + _grid(scores(), 3 * runs)
    yield "### Other players\n\n" + _grid_table()
    yield "### Chips\n\nReturns are shares of the most that a hand can win.\n\n" + _grid(chips(), runs, 3)
    yield "### After `compare` has stopped\n\n" + _compared(max(2 * runs, 200))
    yield "### Elo\n\n" + _elo_table(max(runs // 4, 100))
    yield "### Mean place of cups\n\n" + _cup_table(runs)
    yield "### Leagues whose pairings share the luck of the deals\n\n" + _league_table(runs)
    yield "### Points of a suite\n\n" + _suite_table(max(runs // 4, 100))


def _track(rows: Sequence[Any]) -> Any:
    """Show on stderr how many rows of a table are done."""
    return track(rows, "simulating", transient=True, console=Console(stderr=True))


def _grid(populations: Sequence[Population], runs: int, digits: int = 1) -> str:
    """Return coverage and half widths for each population and number of deals."""
    rows, outside = [["Truth", *(f"{n:,} deals" for n in SIZES)]], list[str]()
    for one in _track(populations):
        rows.append([one.name])
        for n, cell in zip(SIZES, coverage(one, runs), strict=True):
            mark = ""
            if n >= BAND_FROM and cell.outside and not cell.exact:  # by chance, perhaps: with ten times as many
                (cell,) = coverage(one, 10 * runs, (n,), seed=2)
            if n >= BAND_FROM and len(one.law) and cell.outside:
                mark = " †" if impossible(one, n) else " ‡"
                outside += [f"{one.name}, {n:,} deals"] if mark == " ‡" else []
            rows[-1].append(f"{100 * cell.held:.1f} (± {50 * cell.half:.{digits}f}){mark}")
    if not any(len(one.law) for one in populations):
        return markdown(rows)
    rest = "; ".join(outside) or "none"
    return f"{markdown(rows)}\n\nOutside 93.5 to 97.5 at 30 deals and more, though it need not be (‡): {rest}."


def impossible(one: Population, deals: int) -> bool:
    """Tell whether every rule that covers 93.5 % of each law covers more than 97.5 % of this one."""
    return least_coverage(one.values, one.law, deals) > BAND[1]


def _grid_table() -> str:
    """Return how the intervals hold for players on a grid."""
    rows = [["Deals", "Players", "Mean", "Below 93.5", "Least", "Loss, split, win of the least"]]
    for deals in _track(SIZES[:4]):
        one = grid(deals)
        shares = [f"{100 * share:.1f}" for share in (one.mean, one.below, one.least)]
        law = ", ".join(f"{100 * share:g} %" for share in one.law)
        rows.append([str(deals), str(one.players), shares[0], f"{shares[1]} %", shares[2], law])
    return markdown(rows)


def _compared(runs: int) -> str:
    """Return the errors of the sequential test."""
    rows = [
        ["Deals split", "Drawn", "`elo1`", "α: 5 asked", "β: 5 asked", "Deals at 0 Elo, at `elo1`", "Interval holds"]
    ]
    for split, draws, elo1 in _track(MIXTURES):
        null, other = (comparisons(split, draws, elo1, truth, runs) for truth in (0.0, elo1))
        deals = f"{null.deals:,.0f}, {other.deals:,.0f}"
        errors = [f"{100 * one.wrong:.1f} %" for one in (null, other)]
        share = f"{100 * split:g} %", f"{100 * draws:g} %", f"{elo1:g}"
        rows.append([*share, *errors, deals, f"{50 * (null.held + other.held):.1f} %"])
    return markdown(rows)


def _elo_table(runs: int) -> str:
    """Return the coverage of ratings."""
    leagues = *([x, 0.0] for x in (0.0, 100.0, 200.0, 400.0, 700.0)), [300.0, 0.0, -300.0], [100.0, 0.0, -50.0, -600.0]
    rows = [["True ratings", *(f"{n:,} deals" for n in SIZES[1:4])]]
    for one in _track(leagues):
        cells = [elo(one, n, runs * (4 if len(one) == 2 else 1)) for n in SIZES[1:4]]
        rows.append(
            [", ".join(f"{x:+g}" for x in one), *(f"{100 * held:.1f} ({100 * wide:.0f} open)" for held, wide in cells)]
        )
    return markdown(rows)


def _cup_table(runs: int) -> str:
    """Return the coverage of mean places."""
    rows = [["Players", *(f"{n} cups" for n in REPEATS)]]
    for players, skill in ((4, 0.0), (8, 0.0), (4, 3.0)):
        what = f"{players} equal ones" if not skill else f"a strong one among {players}"
        rows.append([what, *(f"{100 * cups(n, players, runs, skill):.1f}" for n in REPEATS)])
    return markdown(rows)


def _league_table(runs: int) -> str:
    """Return the coverage of means over pairings."""
    rows = [["Pairings, share of deals with common luck", *(f"{n:,} deals" for n in SIZES[:4])]]
    for pairings, shared in ((3, 0.0), (3, 0.5), (9, 0.5), (9, 0.9)):
        cells = [f"{100 * league(n, pairings, shared, runs):.1f}" for n in SIZES[:4]]
        rows.append([f"{pairings}, {100 * shared:g} %", *cells])
    return markdown(rows)


def markdown(rows: Sequence[Sequence[str]]) -> str:
    """Return rows as a table, the first one its heads."""
    lines = ["| " + " | ".join(row) + " |" for row in rows]
    return "\n".join([lines[0], "|---" + "|---:" * (len(rows[0]) - 1) + "|", *lines[1:]])


def main(arguments: Sequence[str]) -> None:
    """Print the tables, and write them into a page if one is named."""
    parser = argparse.ArgumentParser(prog="python -m tests.benchmarks coverage", description=__doc__)
    parser.add_argument("--runs", type=int, default=2000, help="simulated matches for each cell")
    parser.add_argument("--page", type=Path, help="page that keeps the tables, between its two marks")
    asked = parser.parse_args(arguments)
    found = list[str]()
    for one in tables(asked.runs):
        print(one, end="\n\n", flush=True)
        found.append(one)
    if asked.page:
        text = asked.page.read_text(encoding="utf-8")
        made = "<!-- coverage -->\n\n" + "\n\n".join(found) + "\n\n<!-- end of coverage -->"
        text = re.sub("<!-- coverage -->.*<!-- end of coverage -->", lambda _: made, text, flags=re.DOTALL)
        asked.page.write_text(text, encoding="utf-8")
