"""Measured best responses: duplicate deals of a responder against a known player in all other seats."""

from dataclasses import asdict, dataclass, field
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from kozyr.agents.agent import Agent
from kozyr.agents.arena.matches.console import with_bar
from kozyr.agents.arena.matches.result import Won, won
from kozyr.agents.search.history_sampling import HIDDEN, is_open
from kozyr.agents.statistics.estimate import Estimate
from kozyr.agents.statistics.intervals import CONFIDENCE, METHOD, mean_interval
from kozyr.envs.core.capabilities import stake
from kozyr.envs.core.game import Game
from kozyr.envs.core.rng import spread
from kozyr.envs.core.state import OVER
from kozyr.envs.environments import argument_checks
from kozyr.envs.loops.tables import deal_one, look, step_one


class Responder(Protocol):
    """Responder to known players; it observes every action as its seat does, and nothing else."""

    def begin(self, view: NDArray[Any], seed: int) -> None:
        """Begin a game from the seat's first view, [view]; the seed fixes random choices."""

    def saw(self, seat: int, action: int, view: NDArray[Any]) -> None:
        """Note the actor (seats are counted from its own), its action or HIDDEN, and the seat's new view."""

    def act(self, view: NDArray[Any], mask: NDArray[np.int8]) -> int:
        """Return a legal action for a view [view] and a mask [actions]."""
        ...


@dataclass(frozen=True)
class Response:
    """Result of a responder in one seat against a known player in all others.

    Attributes:
        game: name and version; variant: its options; against: the known player; by: the responder's method.
        deals, seed: as in the call; games: deals × seats.
        mean: its mean return, −1 to 1; half: half the width of the mean's 95 % interval over deals.
        score: (1 + mean) / 2; low, high: ends of its interval.
        stochastic: True if the known player draws its actions from a network's probabilities.
        by_turn: score with its interval as the first to move, the second, …
        won: the mean in the game's own unit, as chips; None if it has none.
        returns: float64 [deals, seats] of the responder in each seat of each deal.
    """

    game: str
    variant: dict[str, Any]
    against: str
    by: str
    deals: int
    seed: int
    games: int
    mean: float
    half: float
    score: float
    low: float
    high: float
    stochastic: bool
    by_turn: list[Estimate]
    won: Won | None
    returns: NDArray[np.float64] = field(compare=False, repr=False)

    def to_json(self) -> dict[str, Any]:
        """Return the result for `json.dumps`, without the returns of each deal."""
        values = {name: x for name, x in asdict(self).items() if name != "returns"}
        return values | {"confidence": CONFIDENCE, "interval_method": METHOD, "independent_deals": self.deals}


def respond(
    game: Game,
    variant: Any,
    known: Agent,
    responder: Responder,
    deals: int,
    seed: int = 0,
    by: str = "search",
    progress: bool = False,
) -> Response:
    """Play each deal with a responder in every seat and a known player in all others; return the responder's result.

    Args:
        game: the game; variant: its options.
        known: the known player; responder: its opponent.
        deals: number of deals; each makes as many games as there are seats.
        seed: fixes the deals and all random choices.
        by: the responder's method, for the result.
        progress: show a bar on stderr.

    Raises:
        ValueError: for no number of deals.
    """
    deals, seats = argument_checks.count("deals", deals), game.seats(variant)
    returns, starters = np.zeros((deals, seats)), np.zeros(deals, np.int64)
    numbers = iter(range(deals))
    for i in with_bar(numbers, deals, by) if progress else numbers:
        for k in range(seats):
            returns[i, k], starters[i] = _game(game, variant, known, responder, k, int(spread(seed, i)))
    turns = np.take_along_axis(returns, (starters[:, None] + np.arange(seats)) % seats, 1)
    return _response(game, variant, known, by, seed, returns, turns)


def _response(
    game: Game, v: Any, known: Agent, by: str, seed: int, returns: NDArray[np.float64], turns: NDArray[np.float64]
) -> Response:
    """Return the result from returns by seat, and by turn: [deals, seats]."""
    means = returns.mean(1)
    mean = mean_interval(means)
    return Response(
        game=game.id,
        variant=game.options(v),
        against=str(getattr(known, "name", known)),
        by=by,
        deals=len(returns),
        seed=seed,
        games=returns.size,
        mean=mean.value,
        half=mean.half,
        score=mean.score.value,
        low=mean.score.low,
        high=mean.score.high,
        stochastic=not getattr(known, "greedy", True),
        by_turn=[mean_interval(one).score for one in turns.T],
        won=won(stake(v), mean),
        returns=returns,
    )


def _game(game: Game, v: Any, known: Agent, responder: Responder, seat: int, seed: int) -> tuple[float, int]:
    """Play a game and return the return of the responder in a seat, and the starter."""
    seats, state = game.seats(v), np.zeros(1, game.layout(v))
    view, mask = np.zeros(game.size(v), game.view_dtype), np.zeros(game.actions(v), np.int8)
    turn, own_view = deal_one(v, state, seed, -1, view, mask), np.zeros_like(view)
    look(v, state, seat, own_view)
    known.reset(-1, int(spread(seed, 1)))
    responder.begin(own_view, int(spread(seed, 2)))
    starter = int(state["starter"][0])
    while turn != OVER:
        action = int((responder if turn == seat else known).act(view, mask))
        if not mask[action]:
            raise ValueError(f"{responder if turn == seat else known} chose action {action}, which is not legal")
        shown_action = action if turn == seat or is_open(v, action) else HIDDEN
        actor = (turn - seat) % seats
        turn = step_one(v, state, action, view, mask)
        look(v, state, seat, own_view)
        responder.saw(actor, shown_action, own_view)
    return float(state["payoff"][0, seat]), starter
