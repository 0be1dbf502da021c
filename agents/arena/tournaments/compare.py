"""Sequential comparison of two agents: a probability ratio test that stops as soon as it can decide.

Rotations of a deal cancel much of its chance, so that deals and not games are counted; see
`kozyr.agents.statistics.sequential` for the test and its interval.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import count
from math import log
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kozyr.agents.arena.tournaments.league import BLOCK, League
from kozyr.agents.statistics.estimate import Estimate
from kozyr.agents.statistics.intervals import CONFIDENCE
from kozyr.agents.statistics.sequential import (
    METHOD,
    anytime_interval,
    elo_of,
    expected,
    log_likelihood_ratio,
    overshoot,
)

__all__ = ["Comparison", "compare", "elo_of", "elo_text", "expected", "words"]

_LEAST = 2 * BLOCK  # deals before anything is decided
LOOK = 10  # deals between two looks: at most a block


@dataclass(frozen=True)
class Comparison:
    """State of a sequential comparison.

    Attributes:
        deals: played so far.
        score: of the first agent, 0 to 1; score_low, score_high: ends of its 95 % interval, which holds at every look,
            also at the one that stops the test.
        elo, elo_low, elo_high: the same on Elo's scale; an end is None where the score's is 0 or 1.
        llr: logarithm of the likelihood ratio; low, high: its bounds, nearer than Wald's by the overshoot of a look.
        verdict: "better" (at least elo1 rather than elo0), "not better" (elo0 rather than elo1), or "open".
    """

    deals: int
    score: float
    score_low: float
    score_high: float
    elo: float
    elo_low: float | None
    elo_high: float | None
    llr: float
    low: float
    high: float
    verdict: str

    @property
    def estimate(self) -> Estimate:
        """Return the score, 0 to 1, with its interval."""
        return Estimate(self.score, self.score_low, self.score_high)

    def to_json(self) -> dict[str, Any]:
        """Return the comparison for `json.dumps`."""
        method = {"confidence": CONFIDENCE, "interval_method": METHOD, "independent_deals": self.deals}
        return vars(self) | method


def compare(
    league: League,
    elo0: float = 0.0,
    elo1: float = 10.0,
    alpha: float = 0.05,
    beta: float = 0.05,
    workers: int = 1,
) -> Iterator[Comparison]:
    """Play the first two agents of a league block by block until one hypothesis is chosen or the deals are out.

    The test looks after every ten deals. A look that decides ends the comparison there: the rest of its block does not
    count, although the league's file stores it.

    Args:
        league: of two agents; its `deals` are the most that are played, and deals in its file are not played again.
        elo0, elo1: the two hypotheses about the first agent, elo0 < elo1.
        alpha: chance to call it better if elo0 is true; beta: chance not to if elo1 is.
        workers: processes that play, so many blocks at a time; the looks are the same.

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
        returns = league.returns((0, 1), deals)
        looks = (_standing(returns[:n], elo0, elo1, low, high) for n in _looks(deals))
        comparison = next((one for one in looks if one.verdict != "open"), None) or _standing(
            returns, elo0, elo1, low, high
        )
        yield comparison
        if comparison.verdict != "open" or deals == league.deals:
            return


def _looks(deals: int) -> range:
    """Return the numbers of deals, up to `deals`, at which the test looks at the last block."""
    first = (deals - 1) // BLOCK * BLOCK
    return range(first + LOOK, deals + 1, LOOK)


def _standing(returns: NDArray[np.float64], elo0: float, elo1: float, low: float, high: float) -> Comparison:
    """Return the state of the test after some deals."""
    scores = (1 + returns) / 2
    llr = log_likelihood_ratio(scores, elo0, elo1)
    decided = len(scores) >= _LEAST
    nearer = min(overshoot(scores, elo0, elo1, LOOK), high / 2, -low / 2)
    low, high = low + nearer, high - nearer
    verdict = "better" if decided and llr >= high else "not better" if decided and llr <= low else "open"
    score = anytime_interval(returns).score
    elo_low, elo_high = (elo_of(end) if 0 < end < 1 else None for end in score[1:])
    return Comparison(len(scores), *score, elo_of(score.value), elo_low, elo_high, llr, low, high, verdict)


def elo_text(comparison: Comparison) -> str:
    """Return the score's points on Elo's scale with their interval, as "+35 Elo (+12 … +58)"."""
    low, high = (
        mark if end is None else f"{end:+.0f}" for mark, end in (("−∞", comparison.elo_low), ("∞", comparison.elo_high))
    )
    return f"{comparison.elo:+.0f} Elo ({low} … {high})"


def words(comparison: Comparison, names: list[str], elo0: float, elo1: float) -> str:
    """Return the verdict as a sentence."""
    sentences: dict[str, Any] = {
        "better": f"{names[0]} is better than {names[1]}: {elo1:g} Elo rather than {elo0:g}",
        "not better": f"{names[0]} is not better than {names[1]}: {elo0:g} Elo rather than {elo1:g}",
        "open": "nothing is decided: play more deals, or set elo0 and elo1 further apart",
    }
    return sentences[comparison.verdict]
