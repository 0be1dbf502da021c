"""Opponents: people and agents that may take a seat in a game and a variant."""

import re
from importlib.util import find_spec
from pathlib import Path
from typing import Any, NamedTuple

from kozyr import agents
from kozyr.agents import search
from kozyr.agents.agent_names import CONDENSED, ONNX, POLICY
from kozyr.agents.arena.results.escape import plain
from kozyr.envs.core.game import Game
from kozyr.envs.core.labels import PhraseError
from kozyr.envs.core.quote import quote

ME, PERSON = "me", "person"
EXTRA = "given-"  # before the number of an agent of the command line
MILLISECONDS, SIMULATIONS = "milliseconds", "simulations"  # units of a budget
MOST_BUDGET = {MILLISECONDS: 60_000, SIMULATIONS: 10_000_000}  # a move
LEVELS = ("easy", "medium", "hard", "strongest")
FIRST_LEVEL = LEVELS[1]  # unless a person chooses
GUEST = "Guest"  # a person without a name
LONGEST_NAME = 30  # characters of a person's name
_SENTENCE = re.compile(r"(?s).*?\.(?=\s|$)|.*")
_LONGEST = 40  # and of an agent's
_LIBRARIES = {"openspiel-mcts": "pyspiel"}  # players that need a library of somebody else


class Occupant(NamedTuple):
    """A person or an agent that may take a seat.

    Attributes:
        value: in the form's data; label: on the page; about: the agent, in Markdown.
        budget: whether it takes one.
    """

    value: str
    label: str
    about: str = ""
    budget: bool = False

    @property
    def summary(self) -> str:
        """The first sentence about the agent, which catalogues of other languages have."""
        return _SENTENCE.match(self.about)[0]  # type: ignore[index]


class Group(NamedTuple):
    """Occupants of one kind, under a title."""

    title: str
    occupants: list[Occupant]


def occupant_groups(game: Game, variant: Any, extra_agents: tuple[str, ...] = ()) -> list[Group]:
    """Return the occupants that may take a seat, people first.

    Args:
        game: of the table; variant: its options.
        extra_agents: names of agents on the command line: policies in files, classes.
    """
    about = agents.about(game.name)
    scripted = [Occupant(name, name, about.get(name, "")) for name in agents.names(game.name)]
    groups = [
        Group("People", [Occupant(ME, "me"), Occupant(PERSON, "a person with a link")]),
        Group("Scripted players, weakest first", scripted),
        Group("Search players", _searchers(game, variant, about)),
    ]
    if not no_policy(game, variant):
        groups.append(Group("Trained", [Occupant(POLICY, "policy", "is the trained policy for these options.")]))
    if extra_agents:
        extra = [Occupant(f"{EXTRA}{i}", display_name(name)) for i, name in enumerate(extra_agents)]
        groups.append(Group("From the command line", extra))
    return groups


def levels(game: Game, variant: Any) -> dict[str, str]:
    """Return the player of each of LEVELS, weakest first.

    They are spread over the scripted players but for random play, the bundled policy, and the searches above them.
    """
    policy = [] if no_policy(game, variant) else [POLICY]
    rungs = [name for name in search.rungs(game) if _is_here(name)]
    players = [*(agents.names(game.name)[1:] or agents.names(game.name)), *policy, *rungs]
    last = len(LEVELS) - 1
    return {level: players[i * (len(players) - 1) // last] for i, level in enumerate(LEVELS)}


def _searchers(game: Game, variant: Any, about: dict[str, str]) -> list[Occupant]:
    """Return the search players whose libraries are here, each also with the policy as its guide where there is one."""
    occupants = list[Occupant]()
    trained = not no_policy(game, variant)
    for name, maker in search.makers(game).items():
        if not _is_here(name):
            continue
        occupants.append(Occupant(name, name, about.get(name, ""), True))
        if trained and getattr(maker, "guided", False):
            text = "is the same search, and starts from the trained policy's move."
            occupants.append(Occupant(f"{name}+{POLICY}", f"{name} with the policy", text, True))
    return occupants


def _is_here(name: str) -> bool:
    """Return True if the library of a search player is installed."""
    return find_spec(_LIBRARIES.get(name, "kozyr")) is not None


def no_policy(game: Game, variant: Any) -> str:
    """Return the reason why no bundled policy can play a variant, or ""."""
    key = (game.id, variant)
    if key not in _NO_POLICY:
        if len(_NO_POLICY) > 1000:
            _NO_POLICY.clear()
        _NO_POLICY[key] = _policy_problem(game, variant)
    return _NO_POLICY[key]


_NO_POLICY = dict[Any, str]()


def _policy_problem(game: Game, variant: Any) -> str:
    try:
        agents.bundled_policy(game, variant)
    except (ValueError, ImportError) as error:
        return str(error)
    return ""


def display_name(name: str) -> str:
    """Return an agent's name on pages, without the folders of a file, cut where it is too long."""
    return (Path(name).name if name.endswith((ONNX, CONDENSED)) else name)[:_LONGEST]


def occupant(value: str, budget: str, unit: str, game: Game, variant: Any, extra_agents: tuple[str, ...]) -> str:
    """Return the occupant of a seat as a table's configuration has it: ME, PERSON or an agent's name.

    Args:
        value: of the form; budget: digits or ""; unit: of the budget.
        game: of the table; variant: its options.
        extra_agents: as for `occupant_groups`.

    Raises:
        ValueError: in a sentence, for an occupant that cannot play here.
    """
    choices = {one.value: one for group in occupant_groups(game, variant, extra_agents) for one in group.occupants}
    if value not in choices:
        why = no_policy(game, variant) if POLICY in value else ""
        if why:
            raise ValueError(why)
        raise PhraseError("{0} cannot sit here: choose somebody from the list", quote(value))
    if value.startswith(EXTRA):
        return _fitting(extra_agents[int(value.removeprefix(EXTRA))], game, variant)
    return _with_budget(value, budget, unit) if choices[value].budget and budget else value


def _fitting(name: str, game: Game, variant: Any) -> str:
    """Return the name of an agent of the command line that can play, or raise ValueError."""
    try:
        agents.load(name, game.name, **game.options(variant))
    except ImportError as error:
        raise ValueError(str(error)) from error
    return name


def _with_budget(value: str, budget: str, unit: str) -> str:
    """Return a search player's name with its budget."""
    player, plus, guide = value.partition("+")
    most = MOST_BUDGET[unit]
    if not (budget.isascii() and budget.isdecimal() and 1 <= int(budget) <= most):
        words = (quote(budget), f"{most:,}")
        if unit == MILLISECONDS:
            raise PhraseError("a budget of {0} is not allowed: it is a number of milliseconds from 1 to {1}", *words)
        raise PhraseError("a budget of {0} is not allowed: it is a number of simulations from 1 to {1}", *words)
    return f"{player}@{int(budget)}{'ms' if unit == MILLISECONDS else ''}{plus}{guide}"


def default_name(seat: int) -> str:
    """Return the name of a person's seat whose person has none yet, as "Guest 2" for seat 1."""
    return f"{GUEST} {seat + 1}"


def is_guest(name: str, seat: int) -> bool:
    """Return True if a seat's name is that of a person who has chosen none."""
    return name in (GUEST, default_name(seat))


def tidy(name: str) -> str:
    """Return a person's name without invisible characters, cut where it is too long."""
    return plain(name, len(name))[:LONGEST_NAME].strip()


def advisers(game: Game, variant: Any) -> list[str]:
    """Return the agents that a person may ask for a hint: the policy, searches that run here, the best bot."""
    policy = [] if no_policy(game, variant) else [POLICY]
    return [*policy, *filter(_is_here, search.makers(game)), agents.names(game.name)[-1]]
