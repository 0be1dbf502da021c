"""A leaderboard: a file of claims, a JSON line each, that is added to and checked."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import msgspec

from kozyr import envs
from kozyr.agents.arena.results.escape import plain
from kozyr.agents.arena.results.reproducible_result import FORMAT, Claim, Score, code
from kozyr.agents.statistics.estimate import Estimate
from kozyr.envs.core.capabilities import opening_plies
from kozyr.envs.table import files
from kozyr.envs.table.lock import locked

_LONGEST = 1 << 16  # bytes of a line


def read(path: Path) -> list[Claim]:
    """Return the claims of a file.

    Raises:
        ValueError: naming file, line and reason for a line that is no claim.
        OSError: if the file cannot be read.
    """
    return [_claim(path, number, line) for number, line in enumerate(files.lines(path, _LONGEST), 1) if line.strip()]


def add(path: Path, claim: Claim) -> int:
    """Write a claim at the end of a file, which is made if need be, and return its number, from 1.

    Raises:
        ValueError: if the file holds something else, or another process is adding to it.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    with locked(path, "leaderboard"):
        number = len(read(path)) + 1 if path.exists() else 1
        ended = number == 1 or path.read_bytes().endswith(b"\n")
        with path.open("ab") as file:
            file.write((b"" if ended else b"\n") + msgspec.json.encode(claim) + b"\n")
    return number


def known(
    claims: Sequence[Claim], game: str, names: Sequence[str], deals: int, seed: int, opening: int | None, **variant: Any
) -> int | None:
    """Return the number of the claim of the same match that was played with the same code, or None."""
    it = envs.game(game)
    v = it.make_variant(**variant)
    asked = (it.id, it.options(v), seed, deals, opening_plies(v) if opening is None else opening, list(names))
    its = code(it)
    for number, one in enumerate(claims, 1):
        if (one.game, one.variant, one.seed, one.deals, one.opening, one.agents) == asked and one.code == its:
            return number
    return None


def _claim(path: Path, number: int, line: bytes) -> Claim:
    """Return what a line claims."""
    try:
        found = msgspec.convert(files.parsed(line), Claim)
        if found.leaderboard != FORMAT:
            raise ValueError(f"format {found.leaderboard}, not {FORMAT}")
        msgspec.json.encode(found)
    except UnicodeEncodeError:
        raise ValueError(f"{path}, line {number} is no claim of a leaderboard: half a character is in it") from None
    except ValueError as error:  # msgspec's are, too
        why = files.cut(str(error))
        raise ValueError(f"{path}, line {number} is no claim of a leaderboard ({why}): mend or remove it") from None
    return found


def named(score: Score) -> str:
    """Return the name of an agent, which somebody's file may have, as a line shows it."""
    return plain(score.agent)


def score(one: Score) -> str:
    """Return a score with its interval, as "56.2 ± 1.1 %"."""
    return Estimate(one.score, one.low, one.high).percent()


def titled(claim: Claim) -> str:
    """Return the game with the options that are not its usual ones, as "durak_v0 deck=36"."""
    try:
        game = envs.game(claim.game)
        usual = game.options(game.make_variant())
    except (ValueError, ImportError):  # it is not here
        usual = dict[str, Any]()
    other = [f"{name}={value}" for name, value in claim.variant.items() if usual.get(name) != value]
    return plain(" ".join([claim.game, *other]))
