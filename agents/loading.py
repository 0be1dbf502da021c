"""Loading of agents by name: scripted and search players, trained policies, programs, and a user's own classes."""

import difflib
import sys
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any

from kozyr import envs
from kozyr.agents import roster
from kozyr.agents.agent_names import (
    FORMS,
    ONNX,
    POLICY,
    POLICY_FORMS,
    AgentClass,
    AgentName,
    HubPolicy,
    LanguageModel,
    Name,
    PolicyFile,
    Program,
    hint_at_game,
    parse,
)
from kozyr.agents.nets.trained import Trained, bundled, fitting
from kozyr.envs import registry
from kozyr.envs.core.quote import quote
from kozyr.envs.environments.agent_protocol import as_agent

if TYPE_CHECKING:
    from kozyr.agents.agent import Agent


def names(game: str) -> list[str]:
    """Return the names of a game's scripted players, weakest first.

    Raises:
        ValueError: for an unknown game.

    Example:
        >>> names("mnk")[0]
        'random'
    """
    return list(roster.of(envs.game(game).name).ladder)


def searchers(game: str) -> list[str]:
    """Return the names of a game's search players; each takes a budget, as "pimc@400" or "pimc@50ms".

    Raises:
        ValueError: for an unknown game.
    """
    from kozyr.agents import search

    return list(search.makers(envs.game(game)))


def about(game: str) -> dict[str, str]:
    """Return a description of each player of a game, in Markdown, scripted players first; some may have none.

    Raises:
        ValueError: for an unknown game.

    Example:
        >>> about("war")["own_first"]
        'puts its own cards first. Against `random` it scores 54.2 %.'
    """
    from kozyr.agents import search

    texts = {roster.RANDOM: "plays every legal action with the same chance.", **search.ABOUT}
    texts |= roster.of(envs.game(game).name).about
    return {name: texts[name] for name in [*names(game), *searchers(game)] if name in texts}


def load(name: str, game: str | None = None, *, threads: int = 1, **variant: Any) -> "Agent":
    """Return a new agent.

    Args:
        name: "durak:low", or "low" with `game`; a search player, "durak:pimc@400"; the bundled policy, "durak:policy";
            a policy in a file, "path/to/policy.onnx", or .npz for a condensed one; a policy on the Hugging Face
            Hub, "hf:OWNER/NAME" or "hf:OWNER/NAME@REVISION"; a search player with a policy as its guide,
            "durak:pimc+policy"; a class of your own,
            "package.module:Class", made without arguments; a program that speaks a protocol,
            "process:./mybot" or "gomocup:./engine"; or a language model, "llm:MODEL".
        game: the game, if the name does not have it.
        threads: number of threads that share a batch of a scripted player, or of a search player without a guide; it
            changes no action, and other players ignore it.
        **variant: fields of the game's variant.

    Raises:
        ValueError: for an unknown name, with the known ones.

    Example:
        >>> load("durak:low")
        durak:low
        >>> load("low", game="durak", deck=36).variant.deck
        36
    """
    return _load(parse(name), game, variant, threads)


def trained(name: str) -> Trained:
    """Return a trained policy, which has its own game and variant.

    Args:
        name: of a file, a policy on the Hugging Face Hub, or a game's bundled policy, as for `load`.

    Raises:
        ValueError: for an unknown name, and for an agent that is no trained policy.
    """
    parsed, agent = parse(name), None
    if isinstance(parsed, (PolicyFile, HubPolicy)) or (isinstance(parsed, AgentName) and parsed.player == POLICY):
        agent = _load(parsed, None, {}, 1)
    if not isinstance(agent, Trained):
        raise ValueError(f"{quote(name)} is no trained policy: {POLICY_FORMS}")
    return agent


def _load(name: Name, game: str | None, variant: dict[str, Any], threads: int) -> Any:
    """Return the agent of a parsed name."""
    if isinstance(name, PolicyFile):
        return _policy(name.path, game, variant)
    if isinstance(name, HubPolicy):
        return _from_hub(name, game, variant)
    if isinstance(name, AgentClass):
        return _user_agent(name)
    if isinstance(name, Program):
        return _program(name, game, variant)
    if isinstance(name, LanguageModel):
        return _model(name, game, variant)
    where = name.game or game
    if where is None:
        raise ValueError(f"unknown agent {quote(str(name))}: {FORMS}")
    if game is not None and registry.known(where) != registry.known(game):  # no broken package is loaded for this
        players = ", ".join([*names(game), *searchers(game)])
        raise ValueError(f"agent {quote(str(name))} does not play {game}: its players are {players}")
    return _player(where, name, variant, threads)


def _program(name: Program, game: str | None, variant: dict[str, Any]) -> Any:
    """Return the agent of a program, which starts with its first decision."""
    if game is None:
        raise ValueError(f"{quote(str(name))} plays any game: say which, as load({quote(str(name))}, game='durak')")
    spec = envs.game(game)
    module = import_module(f"kozyr.agents.programs.{name.protocol}")
    try:
        return module.MAKE(name.command, spec, spec.make_variant(**variant), name.milliseconds)
    except ValueError as error:
        raise ValueError(f"agent {quote(str(name))}: {error}") from None


def _model(name: LanguageModel, game: str | None, variant: dict[str, Any]) -> Any:
    """Return the agent of a language model."""
    if game is None:
        raise ValueError(f"{quote(str(name))} plays any game: say which, as load({quote(str(name))}, game='durak')")
    try:
        return import_module("kozyr.agents.text.model").make(name, game, variant)
    except ValueError as error:
        raise ValueError(f"agent {quote(str(name))}: {error}") from None


def _player(game: str, name: AgentName, variant: dict[str, Any], threads: int) -> Any:
    """Return a scripted player, a search player, or the bundled policy."""
    spec, ladder, player = envs.game(game), names(game), name.player
    v, searching = spec.make_variant(**variant), [] if player in ladder else searchers(game)
    if player in searching:
        from kozyr.agents import search

        guide = None if name.guide is None else _load(name.guide, game, variant, 1)
        return search.make(spec, v, len(ladder) - 1, name, guide, threads)
    if player not in ladder and player != POLICY:
        close = difflib.get_close_matches(player, [*ladder, *searching, POLICY], 1)
        hint = f" Did you mean {close[0]!r}?" if close else ""
        raise ValueError(
            f"unknown agent {player!r} of {spec.name}.{hint} Its players are: {', '.join(ladder)}; search players: "
            f"{', '.join(searching)}"
        )
    if more := name.budget + name.guided:
        raise ValueError(f"{quote(player + more)}: {player} does not search: leave out {more}")
    if player == POLICY:
        return _policy(str(bundled_policy(spec, v)), game, variant)
    from kozyr.agents.agent import Scripted

    return Scripted(spec, v, ladder.index(player), player, threads)


def policies(game: str) -> list[Path]:
    """Return the files of a game's bundled policies, one for each of some variants."""
    return bundled(envs.game(game).name, ONNX)


def bundled_policy(game: Any, variant: Any) -> Path:
    """Return the file of the bundled policy for a variant.

    Raises:
        ValueError: if there is none, with the variants that have one.
    """
    from kozyr.agents.nets.policy import OnnxPolicy

    candidates = [OnnxPolicy(path) for path in policies(game.name)]
    policy = fitting(candidates, game, variant)
    if policy is not None:
        return policy.path
    changes = [game.departures(one.variant).items() for one in candidates]
    words = [", ".join(f"{key}={x}" for key, x in one) or "the default" for one in changes]
    raise ValueError(
        f"no policy of {game.name} is bundled for this variant; those that are: {' / '.join(words) or 'none'}"
    )


def _policy(name: str, game: str | None, variant: dict[str, Any]) -> Any:
    """Return a trained policy that fits the game and the variant."""
    from kozyr.agents.nets import policy_files

    policy = policy_files.load(name)
    if game is not None:
        spec = envs.game(game)
        policy.require(spec, spec.make_variant(**variant))
    return policy


def _from_hub(name: HubPolicy, game: str | None, variant: dict[str, Any]) -> Any:
    """Return a trained policy from the Hub, which fits the game and the variant."""
    from kozyr.agents.nets import policy_files

    try:
        path = str(policy_files.download(name))
    except ValueError as error:
        raise ValueError(f"agent {quote(str(name))}: {error}") from None
    try:
        policy = _policy(path, game, variant)
    except ValueError as error:
        raise ValueError(str(error).replace(path, str(name))) from None
    policy.name = name.repository
    return policy


def _user_agent(name: AgentClass) -> Any:
    """Return a user's own agent: an instance of a class, or a function or an object."""
    module = _user_module(name)
    try:
        value = getattr(module, name.attribute)
        return as_agent(value() if isinstance(value, type) else value)
    except (AttributeError, TypeError, ValueError) as error:
        close = [] if hasattr(module, name.attribute) else difflib.get_close_matches(name.attribute, dir(module), 1)
        hint = f" (did you mean '{name.module}:{close[0]}'?)" if close else ""
        raise ValueError(f"agent {quote(str(name))}: {error}{hint}") from error


def _hint_at_file(name: AgentClass) -> str:
    """Return a hint at a Python file of the current folder with a similar name, or ""."""
    close = difflib.get_close_matches(name.module, [path.stem for path in Path.cwd().glob("*.py")], 1)
    return f" (did you mean '{close[0]}:{name.attribute}'?)" if close else ""


def _user_module(name: AgentClass) -> ModuleType:
    """Import a user's module, also from the current folder, which is not on the path of a command."""
    here = str(Path.cwd())
    extra = [] if "" in sys.path or here in sys.path else [here]
    sys.path[:0] = extra
    try:
        return import_module(name.module)
    except ModuleNotFoundError as error:
        if f"{name.module}.".startswith(f"{error.name}."):
            hint = hint_at_game(name.module, f":{name.attribute}") or _hint_at_file(name)
            where = f"there is no module {quote(error.name)} on the path or in {here}{hint}"
        else:
            where = f"{name.module} imports {quote(error.name)}, which is not installed"
        raise ValueError(f"agent {quote(str(name))}: {where}") from error
    finally:
        for path in extra:
            sys.path.remove(path)
