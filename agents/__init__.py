"""Agents by name: scripted players, trained policies, and a user's own classes."""

import difflib
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

from kozyr import envs
from kozyr.agents.nets.trained import CONDENSED, ONNX, bundled, fitting

if TYPE_CHECKING:
    from kozyr.agents.base import Agent

POLICY = "policy"  # the name of a policy that comes along


def names(game: str) -> list[str]:
    """Return the names of a game's scripted players, weakest first.

    Raises:
        ValueError: for an unknown game.

    Example:
        >>> names("mnk")[0]
        'random'
    """
    return list(import_module(f"kozyr.agents.{envs.game(game).name}.bots").LADDER)


def searchers(game: str) -> list[str]:
    """Return the names of a game's players that look ahead; each takes a budget, as "pimc@400" or "pimc@50ms".

    Raises:
        ValueError: for an unknown game.
    """
    from kozyr.agents import search

    return list(search.makers(envs.game(game)))


def load(name: str, game: str | None = None, *, threads: int = 1, **variant: Any) -> "Agent":
    """Return a new agent.

    Args:
        name: "durak:low", or "low" with `game`; a player that looks ahead, as "durak:pimc@400"; a trained policy as
            "path/to/policy.onnx", or .npz where it was condensed, or one that comes along as "durak:policy"; a player
            that looks ahead guided by such a policy, as "durak:pimc+policy"; or a class of your own as
            "package.module:Class", made without arguments.
        game: the game, where the name does not say it.
        threads: how many threads share a batch that a scripted player decides, or one that looks ahead without a
            guide; it changes no action, and no other player takes notice.
        **variant: fields of the game's variant.

    Raises:
        ValueError: for an unknown name, listing the right ones.

    Example:
        >>> load("durak:low")
        durak:low
        >>> load("low", game="durak", deck=36).variant.deck
        36
    """
    if name.endswith((ONNX, CONDENSED)) and ("+" not in name or Path(name).is_file()):
        return _policy(name, game, variant)
    before, colon, after = name.partition(":")
    if not colon and game is not None:
        return _known(game, name, variant, threads)
    if colon and before.partition("_v")[0] in envs.games():
        if game is not None and envs.game(before) is not envs.game(game):
            known = ", ".join([*names(game), *searchers(game)])
            raise ValueError(f"agent {name!r} does not play {game}: its players are {known}")
        return _known(before, after, variant, threads)
    if colon:
        return _own(name, before, after)
    raise ValueError(f"unknown agent {name!r}: write game:player, as durak:low, package.module:Class, or a file.onnx")


def _known(game: str, player: str, variant: dict[str, Any], threads: int) -> Any:
    """Return a player of a game's ladder, or one that looks ahead."""
    it, ladder = envs.game(game), names(game)
    v, ahead = it.agree(**variant), searchers(game)
    if player in ladder:
        from kozyr.agents.base import Scripted

        return Scripted(it, v, ladder.index(player), player, threads)
    if player == POLICY:
        return _policy(str(bundled_policy(it, v)), game, variant)
    searching, plus, guide = player.partition("+")
    if searching.partition("@")[0] in ahead:
        from kozyr.agents import search

        guided = load(guide.removeprefix("+"), game, **variant) if plus else None
        return search.make(it, v, len(ladder) - 1, player, guided, threads)
    close = difflib.get_close_matches(player, [*ladder, *ahead], 1)
    hint = f" Did you mean {close[0]!r}?" if close else ""
    raise ValueError(
        f"unknown agent {player!r} of {it.name}.{hint} Its players are: {', '.join(ladder)}; looking ahead: "
        f"{', '.join(ahead)}"
    )


def policies(game: str) -> list[Path]:
    """Return the trained policies of a game that come along, one for each of some variants."""
    return bundled(envs.game(game).name, ONNX)


def bundled_policy(game: Any, variant: Any) -> Path:
    """Return the policy that comes along for a variant.

    Raises:
        ValueError: if there is none, naming the variants that there are policies for.
    """
    from kozyr.agents.nets.policy import OnnxPolicy

    known = [OnnxPolicy(path) for path in policies(game.name)]
    policy, usual = fitting(known, game, variant), game.options(game.agree())
    if policy is not None:
        return policy.path
    changes = [{key: x for key, x in game.options(one.variant).items() if x != usual[key]} for one in known]
    words = [", ".join(f"{key}={x}" for key, x in one.items()) or "the default" for one in changes]
    raise ValueError(f"no policy of {game.name} comes along for this variant, but for: {' / '.join(words) or 'none'}")


def _policy(name: str, game: str | None, variant: dict[str, Any]) -> Any:
    """Return a trained policy that fits the game and the variant."""
    from kozyr.agents.nets.condensed import CondensedPolicy
    from kozyr.agents.nets.policy import OnnxPolicy

    policy = CondensedPolicy(name) if name.endswith(CONDENSED) else OnnxPolicy(name)
    if game is not None:
        it = envs.game(game)
        policy.require(it, it.agree(**variant))
    return policy


def _own(name: str, module: str, attribute: str) -> Any:
    """Return an agent made by a user's class."""
    try:
        made = getattr(import_module(module), attribute)()
    except ModuleNotFoundError as error:
        raise ValueError(f"agent {name!r}: there is no module {error.name!r} on the path") from error
    except (AttributeError, TypeError) as error:
        raise ValueError(f"agent {name!r}: {error}") from error
    missing = [method for method in ("reset", "act", "act_batch") if not callable(getattr(made, method, None))]
    if missing:
        raise ValueError(
            f"agent {name!r} has no method {missing[0]!r}: see kozyr.agents.base.Agent, or derive from Solo"
        )
    return made
