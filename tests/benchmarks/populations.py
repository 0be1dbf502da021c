"""Simulated deals whose mean return is known: wins, draws, losses, places and chips."""

from collections.abc import Callable, Sequence
from itertools import product
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from kozyr.agents.arena.matches.match import match

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
