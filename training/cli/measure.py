"""The command that measures what was learned."""

import sys
from typing import Any

from kozyr.training.cli.terminal import Deals, Json, Opponents, Seed, TrainedPolicy, Workers, show_json, show_match


def evaluate(
    policy: TrainedPolicy,
    against: Opponents = None,
    deals: Deals = 1000,
    seed: Seed = 0,
    workers: Workers = 1,
    as_json: Json = False,
) -> None:
    """Play a trained policy against other agents.

    The policy file knows the game and the options it was trained for.
    """
    from kozyr import agents
    from kozyr.agents.arena import match

    trained = agents.trained(policy)
    game, variant = trained.game, trained.game.options(trained.variant)
    others = against or agents.names(game.name)
    for other in others:
        agents.load(other, game=game.name, **variant)  # bad names are told before anything is played
    results: list[Any] = []
    for other in others:
        result = match(game.name, [trained, other], deals, seed, workers, sys.stderr.isatty(), **variant)
        results.append(result.to_json())
        if not as_json:
            show_match(result)
    if as_json:
        show_json({"policy": policy, "matches": results})
