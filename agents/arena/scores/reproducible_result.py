"""Results of matches with all that is needed to play them again, and to compare every digit."""

import hashlib
import platform
from collections.abc import Mapping, Sequence
from enum import StrEnum
from functools import cache
from importlib import import_module
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from types import MappingProxyType
from typing import Annotated, Any, NamedTuple

import msgspec

from kozyr import agents, envs
from kozyr.agents.agent import Act, Agent
from kozyr.agents.agent_names import AgentName, PolicyFile, parse
from kozyr.agents.arena.matches.match import match
from kozyr.agents.arena.matches.result import AgentResult
from kozyr.agents.arena.tournaments.store import trained_digest
from kozyr.agents.statistics.estimate import Estimate
from kozyr.envs import registry
from kozyr.envs.compile.sources import OF_EVERY_GAME, contents
from kozyr.envs.core.game import Game
from kozyr.envs.core.quote import quote

_NOT_REPEATED = ("agent", "ms")  # a policy may lie elsewhere, and times differ
_LIBRARIES = ("kozyr", "numpy", "numba", "onnxruntime")
_SOURCES = (  # of every game's players, and of the match
    *OF_EVERY_GAME,
    "kozyr.agents.search",
    "kozyr.agents.nets",
    "kozyr.agents.arena.matches.match",
    "kozyr.agents.arena.matches.batch",
    "kozyr.agents.arena.matches.result",
    "kozyr.agents.statistics.intervals",
)

Count = Annotated[int, msgspec.Meta(ge=0, le=2**63 - 1)]
Share = Annotated[float, msgspec.Meta(ge=0, le=1)]
Word = Annotated[str, msgspec.Meta(max_length=1000)]
Milliseconds = Annotated[float, msgspec.Meta(ge=0, le=1e12)]
Digest = Annotated[str, msgspec.Meta(pattern="^[0-9a-f]{64}$")]


class AgentScore(msgspec.Struct, forbid_unknown_fields=True, frozen=True):
    """Score of an agent: a draw counts half of a win.

    Attributes:
        agent: its name.
        score: the mean; low, high: ends of its 95 % interval over deals.
        wins, draws, losses: shares of its games; errors: games that it lost by an error.
        trained: SHA-256 of its trained weights, or None.
        ms: milliseconds of a decision, which no other machine repeats; None for a player inside the compiled loop.
    """

    agent: Word
    score: Share
    low: Share
    high: Share
    wins: Share
    draws: Share
    losses: Share
    errors: Count
    trained: Digest | None = None
    ms: Milliseconds | None = None

    @property
    def estimate(self) -> Estimate:
        """Return the score, 0 to 1, with its interval."""
        return Estimate(self.score, self.low, self.high)


class ReproducibleResult(msgspec.Struct, forbid_unknown_fields=True, frozen=True):
    """Result of a match, with all that is needed to play it again.

    Attributes:
        game: name and version; variant: its options; opening: random plies first.
        seed: which fixes all deals and random choices; deals: each was played with all rotations of the seats.
        scores: of the agents, a seat each; the last one filled the remaining seats.
        plies: actions of all games; returns: SHA-256 of the returns of each deal, which sum up to the scores.
        code: SHA-256 of the sources: the game's, those of its players, and what all games share.
        made: versions of the libraries, and the machine, of the match.
    """

    game: Word
    variant: dict[str, bool | int | float | Word]
    seed: Count
    deals: Annotated[int, msgspec.Meta(ge=1, le=10**9)]
    opening: Count
    scores: Annotated[list[AgentScore], msgspec.Meta(min_length=1, max_length=64)]
    plies: Count
    returns: Digest
    code: dict[str, Digest]
    made: dict[str, Word]

    @property
    def agents(self) -> list[str]:
        """Return the names of the agents."""
        return [one.agent for one in self.scores]


class Verdict(StrEnum):
    """Verdict of a check."""

    HOLDS = "holds"
    DIFFERS = "differs"
    UNCHECKED = "cannot be checked here"


class Finding(NamedTuple):
    """A verdict with its reason, in words."""

    verdict: Verdict
    words: str = ""


def require_repeatable(names: Sequence[str], allow_code: bool = False) -> None:
    """Raise ValueError for agents that no other machine repeats: by the clock, and code unless it is allowed."""
    for text in names:
        name: Any = parse(text)
        while isinstance(name, AgentName):
            if name.milliseconds:
                raise ValueError(
                    f"{quote(text)} plays by the clock, and differently on another machine: give it a budget of "
                    f"simulations, as {name.player}@400"
                )
            name = name.guide
        if name is not None and not isinstance(name, PolicyFile) and not allow_code:
            raise ValueError(f"{quote(text)} is code or lies elsewhere: to run it, allow code")


def play(
    game: str,
    players: Sequence[str | Agent | Act],
    deals: int,
    seed: int = 0,
    opening: int | None = None,
    /,
    **variant: Any,
) -> ReproducibleResult:
    """Play a match in this process and return its reproducible result; the arguments are those of `match`.

    Raises:
        ValueError: as `match`.
    """
    result = match(game, players, deals, seed, opening=opening, **variant)
    spec = envs.game(game)
    loaded = [agents.load(one, game=spec.name, **variant) if isinstance(one, str) else one for one in players]
    digests = [trained_digest(one) or None for one in loaded]
    return ReproducibleResult(
        result.game,
        result.variant,
        result.seed,
        result.deals,
        result.opening,
        [
            _score(one, player if isinstance(player, str) else one.name, digest)
            for one, player, digest in zip(result.agents, players, digests, strict=True)
        ],
        result.plies,
        hashlib.sha256(result.returns.astype("<f8").tobytes()).hexdigest(),
        code(spec),
        versions(),
    )


def check(
    claim: ReproducibleResult,
    allow_code: bool = False,
    policies: Mapping[str, str] = MappingProxyType({}),
) -> Finding:
    """Play a result again and compare.

    The same result holds, even if the code has changed since. Another result differs, if code and policies are the
    same; otherwise it cannot be checked here.

    Args:
        claim: the result.
        allow_code: load classes, programs and models that the result names; else nothing that it names is run.
        policies: files of trained policies by their SHA-256, which play in place of those named.
    """
    try:
        claim = _completed(claim)
        names = [policies.get(one.trained or "", one.agent) for one in claim.scores]
        require_repeatable(names, allow_code)
        changed = _require_same_policies(claim, names)
        again = play(claim.game, names, claim.deals, claim.seed, claim.opening, **claim.variant)
    except (ValueError, ImportError, OSError) as error:
        return Finding(Verdict.UNCHECKED, str(error))
    difference = _difference(claim, again)
    code = f"the code has changed since ({', '.join(changed)})" if changed else ""
    if not difference:
        return Finding(Verdict.HOLDS, f"although {code}" if code else "")
    if code:
        return Finding(Verdict.UNCHECKED, f"{code}, and now {difference}")
    return Finding(Verdict.DIFFERS, difference + other_versions(claim.made, versions()))


def other_versions(then: Mapping[str, str], now: Mapping[str, str]) -> str:
    """Return, in words, the versions that differ from those of a claim, or ""."""
    other = [f"{name} {then.get(name)}, here {here}" for name, here in now.items() if then.get(name) != here]
    return f"; it was made with {'; '.join(other)}" if other else ""


def _completed(claim: ReproducibleResult) -> ReproducibleResult:
    """Return a claim with its game's newer options added, or raise ValueError for options that differ."""
    game = envs.game(claim.game)
    options = game.options(game.kept_variant(claim.variant))
    if any(options[name] != value for name, value in claim.variant.items()):
        raise ValueError(f"the options of {game.id} are written {options}: the claim has {claim.variant}")
    return msgspec.structs.replace(claim, variant=options)


def _require_same_policies(claim: ReproducibleResult, names: Sequence[str]) -> list[str]:
    """Return the sources that have changed since the claim, or raise ValueError if a policy has."""
    game = envs.game(claim.game)
    options: dict[str, Any] = dict(claim.variant)
    for one, name in zip(claim.scores, names, strict=True):
        here = trained_digest(agents.load(name, game=game.name, **options)) or None
        if here != one.trained:
            raise ValueError(f"what {one.agent} was trained to is not the same here")
    return [name for name, digest in code(game).items() if claim.code.get(name) != digest]


def _difference(claim: ReproducibleResult, again: ReproducibleResult) -> str:
    """Return the first difference of two results, in words, or ""."""
    for one, other in zip(claim.scores, again.scores, strict=True):
        for name in AgentScore.__struct_fields__:
            if name not in _NOT_REPEATED and (claimed := getattr(one, name)) != (actual := getattr(other, name)):
                return f"{name} of {one.agent} is {actual!r}, and the claim says {claimed!r}"
    for name in ("variant", "opening", "plies", "returns"):
        if (claimed := getattr(claim, name)) != (actual := getattr(again, name)):
            return f"{name} is {actual!r}, and the claim says {claimed!r}"
    return ""


def _score(one: AgentResult, name: str, trained: str | None) -> AgentScore:
    """Return the score of an agent in a match."""
    shares = one.wins, one.draws, one.losses
    return AgentScore(name, one.score, *one.score_interval, *shares, one.errors, trained, one.ms_per_move)


def code(game: Game) -> dict[str, str]:
    """Return the SHA-256 of the sources that a result depends on: rules, players and shared code."""
    bots = getattr(registry.players(game.name), "bots", None)
    shared = [_hashed(name) for name in _SOURCES]
    hashes = {"rules": _hashed(game.package), "shared": hashlib.sha256("".join(shared).encode()).hexdigest()}
    return hashes | ({"players": _hashed(bots.rpartition(".")[0] or bots)} if bots else {})


@cache
def _hashed(module: str) -> str:
    """Return the hash of a module, or of all of its package; what has been imported stays as it is."""
    return contents(Path(str(import_module(module).__file__)))


def versions() -> dict[str, str]:
    """Return the machine, and the versions of the libraries, that a result may depend on."""
    installed = {"machine": platform.machine()}
    return installed | {name: _version(name) for name in _LIBRARIES}


@cache
def _version(library: str) -> str:
    """Return the installed version of a library, or that it is not installed."""
    try:
        return version(library)
    except PackageNotFoundError:
        return "not installed"
