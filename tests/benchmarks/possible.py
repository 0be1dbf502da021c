"""How seldom an interval may hold: the least coverage that any rule has for deals of few values.

Whether an interval holds a mean μ depends on what was seen alone. So a rule is, for each μ, a set of results whose
intervals miss it, and all laws of deals with that mean share the set: be many deals split or few. No law may be missed
in more than 6.5 % of the matches. The set that misses a given law as often as can be is a problem of whole numbers, one
for each result. HiGHS solves it and gives a bound.

Two things more are asked of a rule. Its ends do not fall where a deal ends better. Where a law is the same from both
sides, results and their mirrored ones miss it together.
"""

from collections.abc import Iterator
from itertools import combinations
from math import inf, lgamma, log
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import Bounds, LinearConstraint, milp
from scipy.sparse import coo_array, csr_array

FLOOR = 0.935
_RARE = 1e-7  # results that are rarer are left out of the problem, in the law's favour
_MANY = 10_000
_LAWS = 500  # of one mean at most: fewer make the bound no less true
_NEARLY_ALL = 0.999
_SHARES = np.unique([*np.linspace(0, 1, 21), *np.geomspace(0.002, 0.05, 8), *(1 - np.geomspace(0.002, 0.05, 8))])
_FEW_SHARES = 0.1, 0.3, 0.5, 0.7, 0.9
_SECONDS = 60.0


class Outcomes(NamedTuple):
    """What may be seen of some deals.

    Attributes:
        counts: of the values, a row for each; chances: of the rows.
    """

    counts: NDArray[np.float64]
    chances: NDArray[np.float64]


def outcomes(law: NDArray[np.float64], deals: int, rare: float = _RARE, most: int = _MANY) -> Outcomes | None:
    """Return the counts of each value that are not rare; None if they are too many, or nearly all of them are rare.

    Args:
        law: chances of the values, all above 0; deals: how many are seen.
        rare: chance below which counts are left out; most: counts that are listed.
    """
    order = np.argsort(law)
    chances = [float(law[i]) for i in order]
    found = list[tuple[tuple[int, ...], float]]()
    for row in _listed(chances, deals, log(rare)):
        found.append(row)
        if len(found) > most:
            return None
    common = np.exp([chance for _, chance in found])
    if common.sum() < _NEARLY_ALL:
        return None
    return Outcomes(np.array([row for row, _ in found], np.float64)[:, np.argsort(order)], common)


def _listed(chances: list[float], left: int, least: float) -> Iterator[tuple[tuple[int, ...], float]]:
    """Yield counts and the logarithms of their chances, the rarest value first."""
    rest = [sum(chances[i:]) for i in range(len(chances))]

    def further(i: int, left: int, so_far: float, counts: tuple[int, ...]) -> Iterator[tuple[tuple[int, ...], float]]:
        if i == len(chances) - 1:
            chance = so_far + left * log(chances[i]) - lgamma(left + 1)
            if chance > least:
                yield (*counts, left), chance
            return
        mode = left * chances[i] / rest[i]
        for n in range(left + 1):
            chance = so_far + n * log(chances[i]) - lgamma(n + 1)
            if chance + (left - n) * log(rest[i + 1]) - lgamma(left - n + 1) >= least:
                yield from further(i + 1, left - n, chance, (*counts, n))
            elif n > mode:
                return

    yield from further(0, left, lgamma(left + 1), ())


def least_coverage(values: NDArray[np.float64], law: NDArray[np.float64], deals: int) -> float:
    """Return a coverage of a law below which no rule is that covers every law of the same mean in 93.5 %.

    The other laws have the same values: mixtures of two laws of two values each, or of one such and the law itself.

    Args:
        values: of a deal, ascending; law: their chances; deals: of a match.
    """
    values, law = values[law > 0], law[law > 0] / law.sum()
    if len(values) == 1:
        return 1.0  # nothing but these deals can be seen, and the interval holds their mean or not
    seen = outcomes(law, deals)
    if seen is None:
        return 0.0
    others = np.exp(_chances(seen.counts, laws_of_mean(values, law), deals))
    rows = len(seen.chances)
    both = np.hstack([others, others])
    rules: list[Any] = [LinearConstraint(csr_array(both), -inf, 1 - FLOOR), *_sides(seen, law, float(values @ law))]
    asked = -np.concatenate([seen.chances, seen.chances])
    found: Any = milp(
        asked, integrality=np.ones(2 * rows), bounds=Bounds(0, 1), constraints=rules, options={"time_limit": _SECONDS}
    )
    return float(seen.chances.sum() + found.mip_dual_bound)


def laws_of_mean(values: NDArray[np.float64], law: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return laws of the same values with a law's mean, and the law itself."""
    mean, pure = float(values @ law), list[NDArray[np.float64]]()
    for i, j in combinations(range(len(values)), 2):
        if values[i] - 1e-12 <= mean <= values[j] + 1e-12:
            one = np.zeros(len(values))
            one[j] = np.clip((mean - values[i]) / (values[j] - values[i]), 0, 1)
            one[i] = 1 - one[j]
            pure.append(one)
    shares = _SHARES if len(values) <= 3 else _FEW_SHARES
    pairs = [share * a + (1 - share) * b for a, b in combinations(pure, 2) for share in shares]
    with_law = [share * one + (1 - share) * law for one in pure for share in _FEW_SHARES]
    mixtures = [*pairs, *with_law]
    every = max(1, len(mixtures) // _LAWS)
    return np.array([*pure, *mixtures[::every], law])


def _chances(counts: NDArray[np.float64], laws: NDArray[np.float64], deals: int) -> NDArray[np.float64]:
    """Return the logarithms of the chances of counts under each of some laws: [laws, counts]."""
    ways = lgamma(deals + 1) - np.array([sum(lgamma(n + 1) for n in row) for row in counts])
    never = (counts @ (laws <= 0).T.astype(float)) > 0
    logs = counts @ np.log(np.where(laws > 0, laws, 1.0)).T
    return np.where(never, -700.0, ways[:, None] + logs).T


def _sides(seen: Outcomes, law: NDArray[np.float64], mean: float) -> list[LinearConstraint]:
    """Return what makes a rule of two sets, of results that are too good for a mean and of those that are too bad."""
    rows = len(seen.chances)
    place = {tuple(row): i for i, row in enumerate(seen.counts)}
    worse, better = list[int](), list[int]()
    for row, i in place.items():
        for k in range(len(row) - 1):
            after = (*row[:k], row[k] - 1, row[k + 1] + 1, *row[k + 2 :])
            if after in place:
                worse.append(i)
                better.append(place[after])
    good = _no_more(np.array(worse, int), np.array(better, int), 2 * rows)
    bad = _no_more(np.array(better, int) + rows, np.array(worse, int) + rows, 2 * rows)
    every = np.arange(rows)
    once = coo_array((np.ones(2 * rows), (np.tile(every, 2), np.arange(2 * rows))), (rows, 2 * rows))
    found = [good, bad, LinearConstraint(csr_array(once), -inf, 1)]
    if abs(mean) < 1e-12 and np.allclose(law, law[::-1]):
        pairs = [(i, place[tuple(row[::-1])]) for row, i in place.items() if tuple(row[::-1]) in place]
        these, mirrored = np.array(pairs).T
        found.append(LinearConstraint(_no_more(these, mirrored + rows, 2 * rows).A, 0, 0))
    return found


def _no_more(left: NDArray[np.int64], right: NDArray[np.int64], size: int) -> LinearConstraint:
    """Return that the variables `left` are at most the variables `right`."""
    each, one = np.arange(len(left)), np.ones(len(left))
    table = coo_array((np.r_[one, -one], (np.r_[each, each], np.r_[left, right])), (len(left), size))
    return LinearConstraint(csr_array(table), -inf, 0)
