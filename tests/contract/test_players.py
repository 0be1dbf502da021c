"""Players that a game's package names are there: in its `Players` and in its training settings."""

import tomllib
from collections.abc import Iterator
from importlib.metadata import entry_points
from typing import Any

import pytest

from kozyr import agents
from kozyr.agents import roster
from kozyr.agents.agent_names import POLICY, AgentName, parse
from kozyr.agents.roster import Players
from kozyr.envs import registry

ITSELF = ("self", "snapshots")  # opponents in settings that are the learner, as it is and as it was


def unknown(game: Any, name: str) -> bool:
    """Tell if a name is written like a player of the game, or of a guide of one, that is not there."""
    found: Any = parse(name)
    while isinstance(found, AgentName):
        there = [*agents.names(game.name), *agents.searchers(game.name)] + [POLICY] * bool(agents.policies(game.name))
        if found.player not in there or found.game not in ("", game.name, game.id):
            return True
        found = found.guide
    return False


def named_by(its: Players) -> Iterator[tuple[str, str]]:
    """Give the names of players in a game's `Players`, each after the field that has it."""
    for field in ("about", "rungs"):
        for name in getattr(its, field):
            yield field, name


def named_in(presets: dict[str, Any]) -> Iterator[tuple[str, str]]:
    """Give the names of agents in settings, each after the key that has it."""
    for preset, given in presets.items():
        for name in given.get("opponents", {}):
            if name not in ITSELF:
                yield f"[{preset}.opponents]", name
        for name in given.get("evaluation", {}).get("against", []):
            yield f"[{preset}.evaluation] against", name
        if teacher := given.get("imitation", {}).get("teacher"):
            yield f"[{preset}.imitation] teacher", teacher


def complaint(game: Any, file: str, names: Iterator[tuple[str, str]]) -> str:
    """Return a sentence on the names of a file that are no players of the game, with the players; "" if all are."""
    wrong = [f"{file}: {where} names {name!r}" for where, name in names if unknown(game, name)]
    if not wrong:
        return ""
    ladder, search = ", ".join(agents.names(game.name)), ", ".join(agents.searchers(game.name))
    return f"{'; '.join(wrong)}, which {game.name} has not: its ladder is {ladder}; search players: {search}"


def test_players_that_are_told_about_are_there(game: Any) -> None:
    points = [point.value for point in entry_points(group=f"kozyr.{registry.PLAYERS}", name=game.name)]
    said = complaint(game, " or ".join(points) or "its players", named_by(roster.of(game.name)))
    assert not said, said


def test_agents_that_the_settings_name_are_there(game: Any) -> None:
    folder = registry.folder(registry.SETTINGS, game.name)
    path = folder / f"{game.name}.toml" if folder else None
    if path is not None and path.is_file():
        said = complaint(game, str(path), named_in(tomllib.loads(path.read_text(encoding="utf-8"))))
        assert not said, said


@pytest.mark.parametrize(
    ("settings", "where"),
    [
        ("[default.opponents]\nself = 0.5\nrandom = 0.2\nnobody = 0.3", "[default.opponents]"),
        ('[demo.evaluation]\nagainst = ["random", "nobody"]', "[demo.evaluation] against"),
        ('[demo.imitation]\nteacher = "nobody"', "[demo.imitation] teacher"),
    ],
)
def test_the_file_and_the_key_that_name_nobody_are_told(game: Any, settings: str, where: str) -> None:
    said = complaint(game, "sea.toml", named_in(tomllib.loads(settings)))
    assert said.startswith(f"sea.toml: {where} names 'nobody', which {game.name} has not: its ladder is random")


def test_players_that_nobody_is_are_told(game: Any) -> None:
    its = Players(about={"random": "plays at random", "nobody": "plays"}, rungs=("pimc", "pimc@4+nobody"))
    said = complaint(game, "sea:PLAYERS", named_by(its))
    assert said.startswith("sea:PLAYERS: about names 'nobody'; sea:PLAYERS: rungs names 'pimc@4+nobody', which ")
    assert "random" not in said.partition(" has not: ")[0]
