"""Exploitability in a report of a score: measured exactly in mini variants, and measured again by a check."""

from collections.abc import Callable, Mapping
from importlib.metadata import PackageNotFoundError, version

from kozyr import envs
from kozyr.agents.arena.scores.minis import MiniScore, by_name
from kozyr.agents.arena.scores.reproducible_result import (
    Finding,
    Verdict,
    code,
    other_versions,
    require_repeatable,
    versions,
)
from kozyr.agents.arena.tournaments.store import trained_digest
from kozyr.training.exploitability import Row, measure

_SOLVER = "open_spiel"  # does the arithmetic
_NUMBERS = ("nash_conv", "gains", "values")


def scores(lineup: Mapping[str, str], tell: Callable[[str], None] = lambda _: None) -> list[MiniScore]:
    """Return the exploitability of agents by the names of their mini variants; policies also draw their actions.

    Raises:
        ImportError: naming the extra to install.
        ValueError: for agents that do not play there.
    """
    result = list[MiniScore]()
    for name, agent in lineup.items():
        tell(f"{name}: {agent}")
        player = by_name(name).load(agent)
        for stochastic in (False, True) if hasattr(player, "probabilities") else (False,):
            row = _measured(name, agent, stochastic)
            numbers = row.nash_conv, row.gains, row.values
            libraries = {**versions(), _SOLVER: _installed()}
            trained = trained_digest(player) or None
            result.append(MiniScore(name, agent, stochastic, *numbers, trained, _code(name), libraries))
    return result


def check(claim: MiniScore, allow_code: bool = False, policies: Mapping[str, str] | None = None) -> Finding:
    """Measure exploitability again, and compare every digit.

    Args:
        claim: of a report; allow_code: load classes and programs that it names; policies: files by their SHA-256.
    """
    agent = (policies or {}).get(claim.trained or "", claim.agent)
    try:
        require_repeatable([agent], allow_code)
        if (trained_digest(by_name(claim.mini).load(agent)) or None) != claim.trained:
            raise ValueError(f"what {claim.agent} was trained to is not the same here")
        row = _measured(claim.mini, agent, claim.stochastic)
    except (ValueError, ImportError, OSError) as error:
        return Finding(Verdict.UNCHECKED, str(error))
    now = _code(claim.mini)
    changed = [name for name, digest in now.items() if claim.code.get(name) != digest]
    code = f"the code has changed since ({', '.join(changed)})" if changed else ""
    words = _difference(claim, row)
    if not words:
        return Finding(Verdict.HOLDS, f"although {code}" if code else "")
    if code:
        return Finding(Verdict.UNCHECKED, f"{code}, and now {words}")
    return Finding(Verdict.DIFFERS, words + other_versions(claim.libraries, {**versions(), _SOLVER: _installed()}))


def _measured(name: str, agent: str, stochastic: bool) -> Row:
    """Return the exploitability of an agent in a mini variant."""
    mini = by_name(name)
    (row,) = measure(mini.game, [agent], mini.first, stochastic=stochastic, **mini.variant).rows
    return row


def _difference(claim: MiniScore, row: Row) -> str:
    """Return the first difference in words, or ""."""
    for name in _NUMBERS:
        if (claimed := getattr(claim, name)) != (now := getattr(row, name)):
            return f"{name} is {now!r}, and the claim says {claimed!r}"
    return ""


def _code(name: str) -> dict[str, str]:
    """Return the SHA-256 of the sources that a number depends on."""
    return code(envs.game(by_name(name).game))


def _installed() -> str:
    """Return the version of OpenSpiel."""
    try:
        return version(_SOLVER)
    except PackageNotFoundError:
        return "not installed"
