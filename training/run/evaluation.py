"""Evaluation of a policy: duplicate matches against agents by name."""

from typing import Any

from kozyr import agents
from kozyr.agents.arena.matches.match import match
from kozyr.agents.statistics.intervals import METHOD
from kozyr.envs.core.game import Game


def opponents(game: Game, variant: Any, names: list[str]) -> dict[str, Any]:
    """Return the named agents, or raise ValueError listing the right names."""
    return {name: agents.load(name, game=game.name, **game.options(variant)) for name in names}


def measure(
    game: Game,
    variant: Any,
    policy: Any,
    others: dict[str, Any],
    deals: int,
    seed: int,
    progress: bool = False,
) -> list[dict[str, Any]]:
    """Play `deals` duplicate deals against each of the others and return a row for each.

    A score is the share of points, a draw counting half; `low` and `high` are its 95 % interval over deals.
    With `progress` a bar for each match is shown on stderr.
    """
    return [_row(game, variant, policy, name, other, deals, seed, progress) for name, other in others.items()]


def _row(
    game: Game, variant: Any, policy: Any, name: str, other: Any, deals: int, seed: int, progress: bool
) -> dict[str, Any]:
    """Play one match, the other agent in all seats but one."""
    result = match(game.name, [policy, other], deals, seed, progress=progress, **game.options(variant))
    me = result.agents[0]
    low, high = me.score_interval
    return {
        "against": name,
        "deals": result.deals,
        "games": result.games,
        "mean": me.mean,
        "score": me.score,
        "low": low,
        "high": high,
        "wins": me.wins,
        "draws": me.draws,
        "losses": me.losses,
        "errors": me.errors,
        "seconds": round(result.seconds, 3),
        "interval_method": METHOD,
    }


def row_text(row: dict[str, Any]) -> str:
    """Return a row as a short piece of text."""
    return f"{row['against']} {100 * row['score']:.1f} % ({100 * row['low']:.1f} … {100 * row['high']:.1f})"
