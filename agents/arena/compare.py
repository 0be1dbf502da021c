"""Which of two agents is better, with no more deals than it takes: a sequential probability ratio test.

The test is Wald's for the mean score of a deal, with the variance as measured (a "generalized" test, as chess engines
are tested). Rotations of a deal cancel much of its luck, so that deals and not games are counted.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import count
from math import log
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kozyr.agents.arena.league import BLOCK, League
from kozyr.agents.arena.result import half_interval

_LEAST = 2 * BLOCK  # deals before anything is decided: the variance must be known


@dataclass(frozen=True)
class Comparison:
    """Where a comparison stands.

    Attributes:
        deals: that were played; score: of the first agent, 0 to 1; half: half the width of its 95 % interval.
        elo: what that score is on Elo's scale; llr: logarithm of the likelihood ratio; low, high: its bounds.
        verdict: "better" (at least elo1 rather than elo0), "not better" (elo0 rather than elo1), or "open".
    """

    deals: int
    score: float
    half: float
    elo: float
    llr: float
    low: float
    high: float
    verdict: str


def expected(elo: float) -> float:
    """Return the score that is expected from so many points of Elo's scale more."""
    return 1 / (1 + 10 ** (-elo / 400))


def elo_of(score: float) -> float:
    """Return the points of Elo's scale that a score stands for, at most 1,200 either way."""
    return -400 * float(np.log10(1 / min(max(score, 0.001), 0.999) - 1))


def likelihood(scores: NDArray[np.float64], elo0: float, elo1: float) -> float:
    """Return the logarithm of how much likelier `elo1` makes the scores of deals than `elo0` does."""
    s0, s1 = expected(elo0), expected(elo1)
    variance = max(float(scores.var()), 1 / (4 * len(scores)) ** 2)
    return len(scores) * (s1 - s0) * (float(scores.mean()) - (s0 + s1) / 2) / variance


def compare(
    league: League,
    elo0: float = 0.0,
    elo1: float = 10.0,
    alpha: float = 0.05,
    beta: float = 0.05,
    workers: int = 1,
) -> Iterator[Comparison]:
    """Play the first two agents of a league block by block until one hypothesis is chosen or the deals are out.

    Args:
        league: of two agents; its `deals` are the most that are played, and what its file holds is not played again.
        elo0, elo1: the two hypotheses about the first agent, elo0 < elo1.
        alpha: chance to call it better if elo0 is true; beta: chance not to if elo1 is.
        workers: processes that play, so many blocks at a time; the looks are the same, one after each block.

    Raises:
        ValueError: for hypotheses in the wrong order and chances that are none.
    """
    if not elo0 < elo1:
        raise ValueError(f"elo0={elo0:g} must be below elo1={elo1:g}")
    for name, chance in (("alpha", alpha), ("beta", beta)):
        if not 0 < chance < 0.5:
            raise ValueError(f"{name}={chance:g} is not allowed: {name} is above 0 and below 0.5")
    low, high = log(beta / (1 - alpha)), log((1 - beta) / alpha)
    for step in count(1):
        deals = min(step * BLOCK, league.deals)
        if len(league.returns((0, 1), deals)) < deals:
            league.play([(0, 1)], workers, deals=min((step - 1 + workers) * BLOCK, league.deals))
        found = _standing(league.returns((0, 1), deals), elo0, elo1, low, high)
        yield found
        if found.verdict != "open" or deals == league.deals:
            return


def _standing(returns: NDArray[np.float64], elo0: float, elo1: float, low: float, high: float) -> Comparison:
    """Return where the test stands after so many deals."""
    scores = (1 + returns) / 2
    llr = likelihood(scores, elo0, elo1)
    decided = len(scores) >= _LEAST
    verdict = "better" if decided and llr >= high else "not better" if decided and llr <= low else "open"
    score = float(scores.mean())
    return Comparison(len(scores), score, half_interval(returns) / 2, elo_of(score), llr, low, high, verdict)


def words(found: Comparison, names: list[str], elo0: float, elo1: float) -> str:
    """Say in a sentence what came out."""
    said: dict[str, Any] = {
        "better": f"{names[0]} is better than {names[1]}: {elo1:g} Elo rather than {elo0:g}",
        "not better": f"{names[0]} is not better than {names[1]}: {elo0:g} Elo rather than {elo1:g}",
        "open": "nothing is decided: play more deals, or set elo0 and elo1 further apart",
    }
    return said[found.verdict]
