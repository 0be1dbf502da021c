"""How much duplicate deals save: games on deals of their own that would be needed for the same interval.

python -m tests.benchmarks.duplicates [--deals 20000]
"""

import argparse
from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from kozyr import agents
from kozyr.agents.arena.matches.batch import Batch, DealRange, Job
from kozyr.agents.arena.scores import load
from tests.benchmarks.markdown import markdown


class Saving(NamedTuple):
    """Variance of a match with duplicate deals and without them.

    Attributes:
        game: the variance of a game on a deal of its own, in a seat of its own; deal: that of the mean of a deal.
        ratio: how many games of their own say as much as one game of a duplicate deal.
    """

    game: float
    deal: float
    ratio: float


def saving(game: str, agent: str, other: str, deals: int, seed: int = 1, **variant: Any) -> Saving:
    """Return what duplicate deals save in a match of two scripted players."""
    job = Job(game, variant, [agent, other], seed, None, False)
    payoffs = Batch(job, DealRange(0, 0, deals)).play().payoffs  # [deals, rotations, seats]
    return of_payoffs(payoffs[:, job.seating() == 0])


def of_payoffs(payoffs: NDArray[np.float64]) -> Saving:
    """Return the saving of an agent's payoffs [deals, rotations]."""
    rotations = payoffs.shape[1]
    alone, together = float(payoffs.var()), float(payoffs.mean(1).var(ddof=1))
    return Saving(alone, together, alone / (rotations * together) if together else np.inf)


def rows(deals: int) -> Iterator[list[str]]:
    """Yield rows for the strongest scripted player of each task against the next one and against random play."""
    for task in load().tasks:
        *_, weaker, strongest = agents.names(task.game)
        for other in (weaker, "random"):
            one = saving(task.game, strongest, other, deals, **task.options)
            variances = f"{one.game:.4f}", f"{one.deal:.4f}"
            ratio = f"{one.ratio:.2f}" if one.deal else "all games are won"
            yield [task.name, f"`{strongest}`", f"`{other}`", *variances, ratio]


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(prog="python -m tests.benchmarks.duplicates", description=__doc__)
    parser.add_argument("--deals", type=int, default=20_000, help="of each match (default: %(default)s)")
    heads = ["Task", "Player", "Against", "Variance of a game", "Variance of a deal's mean", "A game is worth"]
    print(markdown([heads, *rows(parser.parse_args().deals)]))


if __name__ == "__main__":
    main()
