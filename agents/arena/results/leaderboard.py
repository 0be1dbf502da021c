"""Leaderboards: files of reproducible match results, a JSON line each, that anybody can play again and compare."""

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
from kozyr.agents.arena.results.escape import plain
from kozyr.agents.arena.tournaments.store import trained_digest
from kozyr.agents.statistics.estimate import Estimate
from kozyr.envs import registry
from kozyr.envs.compile.sources import OF_EVERY_GAME, contents
from kozyr.envs.core.capabilities import opening_plies
from kozyr.envs.core.game import Game
from kozyr.envs.core.quote import quote
from kozyr.envs.table import file_output, files
from kozyr.envs.table.lock import locked

FORMAT = 1
_LONGEST = 1 << 16  # bytes of a line
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
Digest = Annotated[str, msgspec.Meta(pattern="^[0-9a-f]{64}$")]


class Score(msgspec.Struct, forbid_unknown_fields=True, frozen=True):
    """Score of an agent: a draw counts half of a win.

    Attributes:
        agent: its name.
        score: the mean; low, high: ends of its 95 % interval over deals.
        wins, draws, losses: shares of its games; errors: games that it lost by an error.
        trained: SHA-256 of its trained weights, or None.
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


class ReproducibleResult(msgspec.Struct, forbid_unknown_fields=True, frozen=True):
    """Result of a match, with all that is needed to play it again.

    Attributes:
        leaderboard: the format of the line.
        game: name and version; variant: its options; opening: random plies first.
        seed: which fixes all deals and random choices; deals: each was played with all rotations of the seats.
        scores: of the agents, a seat each; the last one filled the remaining seats.
        plies: actions of all games; returns: SHA-256 of the returns of each deal, which sum up to the scores.
        code: SHA-256 of the sources: the game's, those of its players, and what all games share.
        made: versions of the libraries, and the machine, of the match.
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
    """Verdict of a check."""

    HOLDS = "holds"
    DIFFERS = "differs"
    UNCHECKED = "cannot be checked here"


class Finding(NamedTuple):
    """A verdict with its reason, in words."""

    verdict: Verdict
    words: str = ""


def require_repeatable(names: Sequence[str]) -> None:
    """Raise ValueError for agents that another machine cannot repeat: code, programs, budgets of time."""
    for text in names:
        name: Any = parse(text)
        while isinstance(name, AgentName):
            if name.milliseconds:
                raise ValueError(
                    f"{quote(text)} plays by the clock, and differently on another machine: give it a budget of "
                    f"simulations, as {name.player}@400"
                )
            name = name.guide
        if name is not None and not isinstance(name, PolicyFile):
            raise ValueError(
                f"{quote(text)} is code or lies elsewhere, which a leaderboard does not run: name scripted "
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
) -> ReproducibleResult:
    """Play a match and return its reproducible result; the arguments are those of `match`.

    Raises:
        ValueError: as `match`, and for agents that another machine cannot repeat.
    """
    require_repeatable(names)
    result = match(game, names, deals, seed, workers, progress, opening=opening, **variant)
    spec = envs.game(game)
    loaded = [agents.load(name, game=spec.name, **variant) for name in names]
    return ReproducibleResult(
        FORMAT,
        result.game,
        result.variant,
        result.seed,
        result.deals,
        result.opening,
        _scores(result, names, [trained_digest(one) or None for one in loaded]),
        result.plies,
        hashlib.sha256(result.returns.astype("<f8").tobytes()).hexdigest(),
        code(spec),
        versions(),
    )


def check(claim: ReproducibleResult, workers: int = 1, progress: bool = False) -> Finding:
    """Play a result again and compare.

    The same result holds, even if the code has changed since. Another result differs, if code and policies are the
    same; otherwise it cannot be checked here.
    """
    try:
        claim = _completed(claim)
        changed = _require_same_policies(claim)
        again = play(
            claim.game, claim.agents, claim.deals, claim.seed, claim.opening, workers, progress, **claim.variant
        )
    except (ValueError, ImportError, OSError) as error:
        return Finding(Verdict.UNCHECKED, str(error))
    difference = _difference(claim, again)
    code = f"the code has changed since ({', '.join(changed)})" if changed else ""
    if not difference:
        return Finding(Verdict.HOLDS, f"although {code}" if code else "")
    if code:
        return Finding(Verdict.UNCHECKED, f"{code}, and now {difference}")
    return Finding(Verdict.DIFFERS, difference + _other_versions(claim))


def _other_versions(claim: ReproducibleResult) -> str:
    """Return, in words, the versions that differ from those of a claim, or ""."""
    then = claim.made
    other = [f"{name} {then.get(name)}, here {now}" for name, now in versions().items() if then.get(name) != now]
    return f"; it was made with {'; '.join(other)}" if other else ""


def _completed(claim: ReproducibleResult) -> ReproducibleResult:
    """Return a claim with its game's newer options added, or raise ValueError for options that differ."""
    game = envs.game(claim.game)
    options = game.options(game.kept_variant(claim.variant))
    if any(options[name] != value for name, value in claim.variant.items()):
        raise ValueError(f"the options of {game.id} are written {options}: the claim has {claim.variant}")
    return msgspec.structs.replace(claim, variant=options)


def _require_same_policies(claim: ReproducibleResult) -> list[str]:
    """Return the sources that have changed since the claim, or raise ValueError if a policy has."""
    require_repeatable(claim.agents)
    game = envs.game(claim.game)
    options: dict[str, Any] = dict(claim.variant)
    for one in claim.scores:
        here = trained_digest(agents.load(one.agent, game=game.name, **options)) or None
        if here != one.trained:
            raise ValueError(f"what {one.agent} was trained to is not the same here")
    return [name for name, digest in code(game).items() if claim.code.get(name) != digest]


def _difference(claim: ReproducibleResult, again: ReproducibleResult) -> str:
    """Return the first difference of two results, in words, or ""."""
    if len(claim.scores) == len(again.scores):
        for one, other in zip(claim.scores, again.scores, strict=True):
            for name in Score.__struct_fields__:
                if (claimed := getattr(one, name)) != (actual := getattr(other, name)):
                    return f"{name} of {one.agent} is {actual!r}, and the claim says {claimed!r}"
    for name in ("variant", "opening", "plies", "returns"):
        if (claimed := getattr(claim, name)) != (actual := getattr(again, name)):
            return f"{name} is {actual!r}, and the claim says {claimed!r}"
    return ""


def _scores(result: MatchResult, names: Sequence[str], trained: Sequence[str | None]) -> list[Score]:
    """Return the scores of a match."""
    return [
        Score(name, one.score, *one.score_interval, one.wins, one.draws, one.losses, one.errors, digest)
        for name, one, digest in zip(names, result.agents, trained, strict=True)
    ]


def code(game: Game) -> dict[str, str]:
    """Return the SHA-256 of the sources that a result depends on: rules, players and shared code."""
    bots = getattr(registry.players(game.name), "bots", None)
    shared = [_hashed(name) for name in _SOURCES]
    hashes = {"rules": _hashed(game.package), "shared": hashlib.sha256("".join(shared).encode()).hexdigest()}
    return hashes | ({"players": _hashed(bots.rpartition(".")[0] or bots)} if bots else {})


def _hashed(module: str) -> str:
    """Return the hash of a module, or of all of its package."""
    return contents(Path(str(import_module(module).__file__)))


def versions() -> dict[str, str]:
    """Return the machine, and the versions of the libraries, that a result may depend on."""
    installed = {"machine": platform.machine()}
    for name in _LIBRARIES:
        try:
            installed[name] = version(name)
        except PackageNotFoundError:
            installed[name] = "not installed"
    return installed


def read(path: Path) -> list[ReproducibleResult]:
    """Return the results in a file.

    Raises:
        ValueError: naming file, line and reason for a line that is no claim.
        OSError: if the file cannot be read.
    """
    return [_claim(path, number, line) for number, line in enumerate(files.lines(path, _LONGEST), 1) if line.strip()]


def add(path: Path, claim: ReproducibleResult) -> int:
    """Append a result to a file, which is made if necessary, and return its number, from 1.

    Raises:
        ValueError: if the file has other content, or another process is adding to it.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    with locked(path, "leaderboard"):
        number = len(read(path)) + 1 if path.exists() else 1
        ended = number == 1 or path.read_bytes().endswith(b"\n")
        file_output.append(path, (b"" if ended else b"\n") + msgspec.json.encode(claim) + b"\n")
    return number


def find(
    claims: Sequence[ReproducibleResult],
    game: str,
    names: Sequence[str],
    deals: int,
    seed: int,
    opening: int | None,
    **variant: Any,
) -> int | None:
    """Return the number of the result of the same match with the same code, or None."""
    spec = envs.game(game)
    v = spec.make_variant(**variant)
    terms = (spec.id, spec.options(v), seed, deals, opening_plies(v) if opening is None else opening, list(names))
    hashes = code(spec)
    for number, one in enumerate(claims, 1):
        if (one.game, one.variant, one.seed, one.deals, one.opening, one.agents) == terms and one.code == hashes:
            return number
    return None


def _claim(path: Path, number: int, line: bytes) -> ReproducibleResult:
    """Return the result in a line."""
    try:
        claim = msgspec.convert(files.parsed(line), ReproducibleResult)
        if claim.leaderboard != FORMAT:
            raise ValueError(f"format {claim.leaderboard}, not {FORMAT}")
        msgspec.json.encode(claim)
    except UnicodeEncodeError:
        raise ValueError(f"{path}, line {number} is no claim of a leaderboard: half a character is in it") from None
    except ValueError as error:  # msgspec's are, too
        why = files.cut(str(error))
        raise ValueError(f"{path}, line {number} is no claim of a leaderboard ({why}): mend or remove it") from None
    return claim


def agent_text(score: Score) -> str:
    """Return the name of an agent in one printable line, whatever the file has."""
    return plain(score.agent)


def score_text(one: Score) -> str:
    """Return a score with its interval, as "56.2 ± 1.1 %"."""
    return Estimate(one.score, one.low, one.high).percent()


def title(claim: ReproducibleResult) -> str:
    """Return the game with its options that are not the default, as "durak_v0 deck=36"."""
    try:
        game = envs.game(claim.game)
        default = game.options(game.make_variant())
    except (ValueError, ImportError):  # the game is not installed
        default = dict[str, Any]()
    other = [f"{name}={value}" for name, value in claim.variant.items() if default.get(name) != value]
    return plain(" ".join([claim.game, *other]))
