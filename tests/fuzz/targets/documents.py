"""Documents of others: reports and suites of scores, views and actions by name, and what callers of tools say."""

import json
from pathlib import Path
from typing import Any, cast

import msgspec
import numpy as np

from kozyr import envs
from kozyr.agents.arena.scores import card, report, suite
from kozyr.agents.mcp.tables import ToolTables
from kozyr.envs.bridges import structured
from kozyr.envs.table import files
from kozyr.envs.table.table import Table
from tests.fuzz import mutate
from tests.fuzz.errors import require
from tests.fuzz.targets.lines import Maker
from tests.fuzz.targets.target import Target, folder, some_variants, written
from tests.reports import FOLDER

_DURAK: dict[str, Any] = {"players": 3, "deck": 24, "transfer": True}


def _reports() -> list[bytes]:
    """Return reports of one task each, as a whole one is too long to be changed in many places."""
    whole = report.read(FOLDER / "random.json")
    parts = [
        report.build(whole.name, suite.load(), whole.seed, False, {one.task: (one.agent, one.matches)})
        for one in whole.tasks
    ]
    return [msgspec.json.encode(one) for one in parts]


def read_report(data: bytes) -> None:
    """Read a report; it is written and read the same, its points are checked, and it can be shown."""
    made = report.read(written("report.json", data))
    report.write(folder() / "again.json", made)
    require(report.read(folder() / "again.json") == made, "a report reads otherwise once written")
    report.verify(made)
    page = card.page(made, suite.load())
    require("\n" not in made.title and "<script" not in page, "a name is no text")


def _suites() -> list[bytes]:
    """Return suites of one task each."""
    text = Path(suite.__file__).with_name(f"{suite.LATEST}.toml").read_text(encoding="utf-8")
    head, *tasks = text.split("[[tasks]]")
    return [f"{head}[[tasks]]{task}".encode() for task in tasks]


def read_suite(data: bytes) -> None:
    """Read a suite; each of its opponents has deals of its own."""
    made = suite.load(written("suite.toml", data))
    seeds = [seed for task in made.tasks for _, _, seed in made.matches(task, made.seed, True)]
    require(len(set(seeds)) == len(seeds), "two matches have the same deals")


def _views() -> list[bytes]:
    """Return views of some variants, each with the game and the number of the variant."""
    found: list[bytes] = []
    for name in envs.games():
        game = envs.game(name)
        for number, v in enumerate(some_variants(game, 3)):
            seen = structured.observation_dict(game, v, Table(game, v, 1).view(0))
            found.append(json.dumps({"game": name, "variant": number, "seen": seen}).encode())
    return found


def _asked(data: bytes) -> tuple[Any, Any, dict[str, Any]]:
    """Return the game, the variant and the document of an input."""
    found: Any = files.parsed(data)
    if not isinstance(found, dict):
        raise ValueError("this is no object")
    document = cast(dict[str, Any], found)
    game = envs.game(str(document.get("game")))
    number = document.get("variant")
    variants = some_variants(game, 3)
    return game, variants[number % len(variants) if type(number) is int else 0], document


def read_view(data: bytes) -> None:
    """Read a view; it is named the same again."""
    game, v, document = _asked(data)
    view = structured.observation_of(game, v, document.get("seen", {}))
    require(bool((view >= 0).all() and (view <= game.high(v)).all()), "a view is out of its bounds")
    again = structured.observation_of(game, v, structured.observation_dict(game, v, view))
    require(np.array_equal(again, view), "a view reads otherwise once written")


def _actions() -> list[bytes]:
    found: list[bytes] = []
    for name in envs.games():
        game = envs.game(name)
        for number, v in enumerate(some_variants(game, 3)):
            for action in (0, game.actions(v) // 2, game.actions(v) - 1):
                document = structured.action_dict(game, v, action)
                found.append(json.dumps({"game": name, "variant": number, "does": document}).encode())
    return found


def read_action(data: bytes) -> None:
    """Read an action; it is the same again, whole or by its number."""
    game, v, document = _asked(data)
    action = structured.action_of(game, v, document.get("does", {}))
    require(type(action) is int and 0 <= action < game.actions(v), f"a document is taken for action {action!r}")
    require(structured.action_of(game, v, structured.action_dict(game, v, action)) == action, "an action changes")


def _calls() -> list[bytes]:
    sat: dict[str, Any] = {"game": "durak", "options": _DURAK, "seat": 1, "opponents": ["low"], "seed": 3}
    first = ToolTables().sit_down("durak", _DURAK, 1, ["low"], 3)["legal"][0]
    said: list[Any] = [first["action"], first["words"], 7, "pass", "6C", {"kind": "pass"}, {"action": 3}]
    return [json.dumps({**sat, "act": one}).encode() for one in said]


def call_tools(data: bytes) -> None:
    """Sit down and act as a caller of tools says; what it gets is JSON."""
    found: Any = files.parsed(data)
    if not isinstance(found, dict):
        raise ValueError("this is no object")
    asked = cast(dict[str, Any], found)
    options, names, seed = asked.get("options"), asked.get("opponents"), asked.get("seed")
    if not isinstance(options, dict) or not isinstance(names, list) or not isinstance(seed, int):
        raise ValueError("the SDK refuses other types")
    opponents = [str(one) for one in cast(list[Any], names)]
    if any("@" in one or "openspiel" in one for one in opponents):
        raise ValueError("a search may take its time")
    desk = ToolTables()
    given = cast(dict[str, Any], options)
    seen = desk.sit_down(str(asked.get("game")), given, cast(Any, asked.get("seat")), opponents, seed)
    json.dumps(seen)
    json.dumps(desk.session(seen["table"]).act(asked.get("act"), observation=True))


def targets() -> list[Target]:
    """Return the targets."""
    structure = ("kozyr.envs.bridges.structured", "kozyr.envs.environments.argument_checks")
    made: list[Maker] = [
        (
            "report",
            _reports,
            read_report,
            {"modules": ("kozyr.agents.arena.scores.report", "kozyr.envs.table.files")},
        ),
        ("suite", _suites, read_suite, {"modules": ("kozyr.agents.arena.scores.suite",)}),
        ("observation", _views, read_view, {"modules": structure}),
        ("action", _actions, read_action, {"modules": structure}),
        (
            "tools",
            _calls,
            call_tools,
            {
                "allowed": (ValueError, ImportError),
                "modules": ("kozyr.agents.mcp.tables", "kozyr.agents.mcp.seat_session"),
            },
        ),
    ]
    folder()
    return [Target(name, mutate.JSON, seeds, call, **more) for name, seeds, call, more in made]
