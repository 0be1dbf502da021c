"""Claims: the result of a match that anybody can play again from its seed and compare, to the last digit."""

import hashlib
import platform
from collections.abc import Sequence
from enum import StrEnum
from importlib import import_module
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Annotated, Any, NamedTuple

import msgspec

from kozyr import agents, envs
from kozyr.agents.agent_names import AgentName, PolicyFile, parse
from kozyr.agents.arena.matches.match import match
from kozyr.agents.arena.matches.result import MatchResult
from kozyr.agents.arena.tournaments.store import trained_digest
from kozyr.envs import registry
from kozyr.envs.compile.sources import contents
from kozyr.envs.core.game import Game

FORMAT = 1
_LIBRARIES = ("kozyr", "numpy", "numba", "onnxruntime")
_SHARED = ("kozyr.envs.core", "kozyr.agents.search", "kozyr.agents.nets")  # packages that all games' players stand on
_ARENA = (
    "kozyr.agents.arena.matches.match",
    "kozyr.agents.arena.matches.batch",
    "kozyr.agents.arena.matches.result",
    "kozyr.agents.statistics.intervals",
)

Count = Annotated[int, msgspec.Meta(ge=0, le=2**63 - 1)]
Share = Annotated[float, msgspec.Meta(ge=0, le=1)]
Word = Annotated[str, msgspec.Meta(max_length=1000)]
Digest = Annotated[str, msgspec.Meta(pattern="^[0-9a-f]{64}$")]


class Score(msgspec.Struct, forbid_unknown_fields=True, frozen=True):
    """What an agent has scored: a draw counts half of a win.

    Attributes:
        agent: its name.
        score: the mean; low, high: ends of its 95 % interval over deals.
        wins, draws, losses: shares of its games; errors: games that it lost by an error.
        trained: SHA-256 of the file that it was trained to, or None.
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


class Claim(msgspec.Struct, forbid_unknown_fields=True, frozen=True):
    """The result of a match, and all that it takes to play it again.

    Attributes:
        leaderboard: the format of the line.
        game: name and version; variant: its options; opening: random plies first.
        seed: which fixes all deals and random choices; deals: each was played with all rotations of the seats.
        scores: of the agents, a seat each; the last one filled the seats that were left.
        plies: actions of all games; returns: SHA-256 of the returns of each deal, which sum up to the scores.
        code: SHA-256 of the sources: the game's, those of its players, and what all games share.
        made: versions of the libraries, and the machine, that it was played with.
    """

    leaderboard: int
    game: Word
    variant: dict[str, bool | int | float | Word]
    seed: Count
    deals: Annotated[int, msgspec.Meta(ge=1, le=10**9)]
    opening: Count
    scores: Annotated[list[Score], msgspec.Meta(min_length=1, max_length=64)]
    plies: Count
    returns: Digest
    code: dict[str, Digest]
    made: dict[str, Word]

    @property
    def agents(self) -> list[str]:
        """Return the names of the agents."""
        return [one.agent for one in self.scores]


class Verdict(StrEnum):
    """What a check has found."""

    HOLDS = "holds"
    DIFFERS = "differs"
    UNCHECKED = "cannot be checked here"


class Finding(NamedTuple):
    """A verdict with its reason, in words."""

    verdict: Verdict
    words: str = ""


def require_repeatable(names: Sequence[str]) -> None:
    """Raise ValueError for agents that another machine cannot play again: code, programs, budgets of time."""
    for text in names:
        name: Any = parse(text)
        while isinstance(name, AgentName):
            if name.milliseconds:
                raise ValueError(
                    f"{text!r} plays by the clock, and differently on another machine: give it a budget of "
                    f"simulations, as {name.player}@400"
                )
            name = name.guide
        if name is not None and not isinstance(name, PolicyFile):
            raise ValueError(
                f"{text!r} is code or lies elsewhere, which a leaderboard does not run: name scripted "
                "players, searches with a budget of simulations, or policies"
            )


def play(
    game: str,
    names: Sequence[str],
    deals: int,
    seed: int = 0,
    opening: int | None = None,
    workers: int = 1,
    progress: bool = False,
    **variant: Any,
) -> Claim:
    """Play a match and return what it claims; the arguments are those of `match`.

    Raises:
        ValueError: as `match`, and for agents that another machine cannot play again.
    """
    require_repeatable(names)
    found = match(game, names, deals, seed, workers, progress, opening=opening, **variant)
    it = envs.game(game)
    loaded = [agents.load(name, game=it.name, **variant) for name in names]
    return Claim(
        FORMAT,
        found.game,
        found.variant,
        found.seed,
        found.deals,
        found.opening,
        _scores(found, names, [trained_digest(one) or None for one in loaded]),
        found.plies,
        hashlib.sha256(found.returns.astype("<f8").tobytes()).hexdigest(),
        code(it),
        made(),
    )


def check(claim: Claim, workers: int = 1, progress: bool = False) -> Finding:
    """Play a claim again and compare.

    A claim that comes out the same holds, even if the code has changed since. One that does not, differs, if code and
    policies are the same; else nobody can tell here.
    """
    try:
        claim = _completed(claim)
        changed = _require_same_policies(claim)
        again = play(
            claim.game, claim.agents, claim.deals, claim.seed, claim.opening, workers, progress, **claim.variant
        )
    except (ValueError, ImportError, OSError) as error:
        return Finding(Verdict.UNCHECKED, str(error))
    found = _difference(claim, again)
    code = f"the code has changed since ({', '.join(changed)})" if changed else ""
    if not found:
        return Finding(Verdict.HOLDS, f"although {code}" if code else "")
    if code:
        return Finding(Verdict.UNCHECKED, f"{code}, and now {found}")
    return Finding(Verdict.DIFFERS, found + _elsewhere(claim))


def _elsewhere(claim: Claim) -> str:
    """Return in words with which other libraries a claim was made, or ""."""
    then = claim.made
    other = [f"{name} {then.get(name)}, here {now}" for name, now in made().items() if then.get(name) != now]
    return f"; it was made with {'; '.join(other)}" if other else ""


def _completed(claim: Claim) -> Claim:
    """Return a claim with the options that its game has got since, or raise ValueError for others than the game's."""
    game = envs.game(claim.game)
    options = game.options(game.kept_variant(claim.variant))
    if any(options[name] != value for name, value in claim.variant.items()):
        raise ValueError(f"the options of {game.id} are written {options}: the claim has {claim.variant}")
    return msgspec.structs.replace(claim, variant=options)


def _require_same_policies(claim: Claim) -> list[str]:
    """Return which sources are not those of the claim, or raise ValueError if a policy is another one."""
    require_repeatable(claim.agents)
    game = envs.game(claim.game)
    options: dict[str, Any] = dict(claim.variant)
    for one in claim.scores:
        here = trained_digest(agents.load(one.agent, game=game.name, **options)) or None
        if here != one.trained:
            raise ValueError(f"what {one.agent} was trained to is not the same here")
    return [name for name, digest in code(game).items() if claim.code.get(name) != digest]


def _difference(claim: Claim, again: Claim) -> str:
    """Return the first thing that came out differently, in words, or ""."""
    if len(claim.scores) == len(again.scores):
        for one, other in zip(claim.scores, again.scores, strict=True):
            for name in Score.__struct_fields__:
                if (said := getattr(one, name)) != (found := getattr(other, name)):
                    return f"{name} of {one.agent} is {found!r}, and the claim says {said!r}"
    for name in ("variant", "opening", "plies", "returns"):
        if (said := getattr(claim, name)) != (found := getattr(again, name)):
            return f"{name} is {found!r}, and the claim says {said!r}"
    return ""


def _scores(found: MatchResult, names: Sequence[str], trained: Sequence[str | None]) -> list[Score]:
    """Return the scores of a match."""
    return [
        Score(name, one.score, *one.score_interval, one.wins, one.draws, one.losses, one.errors, digest)
        for name, one, digest in zip(names, found.agents, trained, strict=True)
    ]


def code(game: Game) -> dict[str, str]:
    """Return the SHA-256 of the sources that a result depends on: the rules, the players, and what is shared."""
    bots = getattr(registry.players(game.name), "bots", None)
    shared = [_hashed(name) for name in (*_SHARED, *_ARENA)]
    found = {"rules": _hashed(game.package), "shared": hashlib.sha256("".join(shared).encode()).hexdigest()}
    return found | ({"players": _hashed(bots.rpartition(".")[0] or bots)} if bots else {})


def _hashed(module: str) -> str:
    """Return the hash of a module, or of all of its package."""
    return contents(Path(str(import_module(module).__file__)))


def made() -> dict[str, str]:
    """Return the versions of the libraries, and the machine, that a result may depend on."""
    found = {"machine": platform.machine()}
    for name in _LIBRARIES:
        try:
            found[name] = version(name)
        except PackageNotFoundError:
            found[name] = "not installed"
    return found
