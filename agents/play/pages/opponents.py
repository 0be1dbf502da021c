"""Who may take a seat: people, and the agents that a game and a variant have."""

from importlib.util import find_spec
from pathlib import Path
from typing import Any, NamedTuple

from kozyr import agents
from kozyr.agents import search
from kozyr.agents.agent_names import CONDENSED, ONNX, POLICY
from kozyr.envs.core.game import Game

ME, PERSON = "me", "person"
GIVEN = "given-"  # before the number of an agent that the command line named
MILLISECONDS, SIMULATIONS = "milliseconds", "simulations"  # units of a budget
MOST_BUDGET = {MILLISECONDS: 60_000, SIMULATIONS: 10_000_000}  # a move
GUEST = "Guest"  # who says no name
LONGEST_NAME = 30  # characters of what a person is called
_LONGEST = 40  # and an agent
_LIBRARIES = {"openspiel-mcts": "pyspiel"}  # players that need a library of somebody else


class Occupant(NamedTuple):
    """Somebody who may take a seat.

    Attributes:
        value: what the form sends; label: what it shows; about: what it does, in Markdown.
        budget: whether it takes one.
    """

    value: str
    label: str
    about: str = ""
    budget: bool = False


class Group(NamedTuple):
    """Occupants of one kind, under a title."""

    title: str
    occupants: list[Occupant]


def offered(game: Game, variant: Any, given: tuple[str, ...] = ()) -> list[Group]:
    """Return who may take a seat, people first.

    Args:
        game: what is played; variant: its options.
        given: names of agents that the command line told: policies in files, classes.
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
    if given:
        groups.append(Group("From the command line", [Occupant(f"{GIVEN}{i}", shown(x)) for i, x in enumerate(given)]))
    return groups


def _searchers(game: Game, variant: Any, about: dict[str, str]) -> list[Occupant]:
    """Return the search players whose libraries are here, each also with the policy as its guide where there is one."""
    found = list[Occupant]()
    trained = not no_policy(game, variant)
    for name, maker in search.makers(game).items():
        if not _is_here(name):
            continue
        found.append(Occupant(name, name, about.get(name, ""), True))
        if trained and getattr(maker, "guided", False):
            text = f"is `{name}`, and starts from the trained policy's move."
            found.append(Occupant(f"{name}+{POLICY}", f"{name} with the policy", text, True))
    return found


def _is_here(name: str) -> bool:
    """Tell whether the library of a search player is installed."""
    return find_spec(_LIBRARIES.get(name, "kozyr")) is not None


def no_policy(game: Game, variant: Any) -> str:
    """Return why no bundled policy can play a variant, or ""."""
    key = (game.id, variant)
    if key not in _NO_POLICY:
        if len(_NO_POLICY) > 1000:
            _NO_POLICY.clear()
        _NO_POLICY[key] = _searched_policy(game, variant)
    return _NO_POLICY[key]


_NO_POLICY = dict[Any, str]()


def _searched_policy(game: Game, variant: Any) -> str:
    try:
        agents.bundled_policy(game, variant)
    except (ValueError, ImportError) as error:
        return str(error)
    return ""


def shown(name: str) -> str:
    """Return what an agent is called, without the folders of a file, cut where it is too long."""
    return (Path(name).name if name.endswith((ONNX, CONDENSED)) else name)[:_LONGEST]


def named(value: str, budget: str, unit: str, game: Game, variant: Any, given: tuple[str, ...]) -> str:
    """Return the occupant of a seat as a table's setup has it: ME, PERSON or an agent's name.

    Args:
        value: what the form sent; budget: digits or ""; unit: of the budget.
        game: what is played; variant: its options.
        given: as for `offered`.

    Raises:
        ValueError: saying what is wrong.
    """
    found = {one.value: one for group in offered(game, variant, given) for one in group.occupants}
    if value not in found:
        why = no_policy(game, variant) if POLICY in value else ""
        raise ValueError(why or f"{value!r} cannot sit here: choose somebody from the list")
    if value.startswith(GIVEN):
        return _fitting(given[int(value.removeprefix(GIVEN))], game, variant)
    return _with_budget(value, budget, unit) if found[value].budget and budget else value


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
        raise ValueError(f"a budget of {budget!r} is not allowed: it is a number of {unit} from 1 to {most:,}")
    return f"{player}@{int(budget)}{'ms' if unit == MILLISECONDS else ''}{plus}{guide}"


def tidy(name: str) -> str:
    """Return what a person is called: without what cannot be seen, cut where it is too long."""
    return " ".join("".join(c if c.isprintable() else " " for c in name).split())[:LONGEST_NAME].strip()


def advisers(game: Game, variant: Any) -> list[str]:
    """Return the agents that a person may ask for a hint: the policy, searches that run here, the best bot."""
    policy = [] if no_policy(game, variant) else [POLICY]
    return [*policy, *filter(_is_here, search.makers(game)), agents.names(game.name)[-1]]
