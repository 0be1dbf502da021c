"""Duplicate deals of a responder against players that stay as they are."""

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
from kozyr.envs.environments import check
from kozyr.envs.loops.tables import deal_one, look, step_one


class Responder(Protocol):
    """Who answers players that it knows; it is told what its seat sees of every action, and nothing else."""

    def begin(self, view: NDArray[Any], seed: int) -> None:
        """Begin a game from the seat's first view, [view]; the seed fixes random choices."""

    def saw(self, seat: int, action: int, view: NDArray[Any]) -> None:
        """Be told who acted (seats are counted from its own), how if all see that, else HIDDEN, and the new view."""

    def act(self, view: NDArray[Any], mask: NDArray[np.int8]) -> int:
        """Return a legal action for what it sees, [view], and may do, [actions]."""
        ...


@dataclass(frozen=True)
class Response:
    """What a responder in one seat has won from a known player in all others.

    Attributes:
        game: name and version; variant: its options; against: the known player; by: how the responder answers.
        deals, seed: as they were given; games: deals × seats.
        mean: its mean return, −1 to 1; half: half the width of the mean's 95 % interval over deals.
        score: (1 + mean) / 2; low, high: ends of its interval.
        stochastic: whether the known player draws its actions from a network's probabilities.
        by_turn: score with its interval where the responder is the first to move, the second, …
        won: the mean in the unit that the game is played for, as chips; None where it has none.
        returns: float64 [deals, seats] what it won in each seat of each deal.
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
        """Return the result as what `json.dumps` takes, without the returns of each deal."""
        found = {name: x for name, x in asdict(self).items() if name != "returns"}
        return found | {"confidence": CONFIDENCE, "interval_method": METHOD, "independent_deals": self.deals}


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
    """Let a responder play each deal from every seat, a known player in all others, and return what it has won.

    Args:
        game: the game; variant: its options.
        known: the player that stays as it is; responder: who knows it.
        deals: how many; each makes as many games as there are seats.
        seed: fixes the deals and all random choices.
        by: what the result calls the responder's way.
        progress: show a bar on stderr.

    Raises:
        ValueError: for no number of deals.
    """
    deals, seats = check.count("deals", deals), game.seats(variant)
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
    """Play a game and return what the responder in a seat wins, and who began."""
    seats, state = game.seats(v), np.zeros(1, game.layout(v))
    view, mask = np.zeros(game.size(v), game.view_dtype), np.zeros(game.actions(v), np.int8)
    turn, mine = deal_one(v, state, seed, -1, view, mask), np.zeros_like(view)
    look(v, state, seat, mine)
    known.reset(-1, int(spread(seed, 1)))
    responder.begin(mine, int(spread(seed, 2)))
    starter = int(state["starter"][0])
    while turn != OVER:
        action = int((responder if turn == seat else known).act(view, mask))
        if not mask[action]:
            raise ValueError(f"{responder if turn == seat else known} chose action {action}, which is not legal")
        told = action if turn == seat or is_open(v, action) else HIDDEN
        actor = (turn - seat) % seats
        turn = step_one(v, state, action, view, mask)
        look(v, state, seat, mine)
        responder.saw(actor, told, mine)
    return float(state["payoff"][0, seat]), starter
