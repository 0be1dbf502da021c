"""What people write: names of agents, options, settings, forms of a page."""

import json
from typing import Any

from kozyr import agents, envs
from kozyr.agents.agent_names import (
    AgentClass,
    AgentName,
    HubPolicy,
    LanguageModel,
    PolicyFile,
    Program,
    parse,
    refuse_code,
)
from kozyr.envs import registry
from tests.fuzz import mutate
from tests.fuzz.errors import require
from tests.fuzz.targets.target import Target, some_variants, written

_GUIDED = ("pimc@50+policy", "durak:pimc@50ms++policy", "low@", "pimc+pimc@9++runs/a/policy.onnx", "+", "a:b:c")
_OTHERS = (
    "runs/demo/policy.onnx",
    "C:\\a+b\\p.npz",
    "bots:Mine",
    "hf:alice/durak_36@v1",
    "a.b.c:D",
    "process:node 'a b.js'@100ms",
    "gomocup:./x",
    "llm:org/model-8b:free@temperature=0.2,retries=1,timeout=60,prices=0.15/0.6",
)


def _names() -> list[bytes]:
    """Return names of agents of every kind."""
    found: list[str] = []
    for game in envs.games():
        for name in (*agents.names(game), *(f"{one}@40" for one in agents.searchers(game)), "policy"):
            found += [name, f"{game}:{name}", f"{envs.game(game).id}:{name}"]
    return [name.encode() for name in [*found, *_GUIDED, *_OTHERS]]


def read_name(data: bytes) -> None:
    """Read the name of an agent, write it again, and load what runs no code of others."""
    text = mutate.text_of(data)
    name = parse(text)
    again = parse(str(name))
    require(str(again) == str(name), f"{text!r} is written as {str(name)!r}, which is written as {str(again)!r}")
    if isinstance(name, (AgentClass, HubPolicy, LanguageModel, Program)):
        _refused(text)
    guides = name
    while isinstance(guides, AgentName) and guides.guide is not None:
        guides = guides.guide
    if isinstance(name, AgentName) and isinstance(guides, AgentName):
        agents.load(text, None if name.game else "mnk", m=5, n=5, k=4)
    elif isinstance(name, PolicyFile):
        agents.load(text, "mnk")


def _refused(text: str) -> None:
    try:
        refuse_code([text], "a file")
    except ValueError:
        return
    require(False, f"code in a file is not refused: {text!r}")


def _set() -> list[bytes]:
    """Return values of --set, a line each."""
    found: list[str] = []
    for name in envs.games():
        game = envs.game(name)
        found += [
            "\n".join([name, *map("{0[0]}={0[1]}".format, game.options(v).items())]) for v in some_variants(game, 6)
        ]
    return [text.encode() for text in found]


def read_set(data: bytes) -> None:
    """Read values of --set and make a variant of them; it describes itself."""
    from kozyr.training.cli.terminal import options

    name, *settings = mutate.text_of(data).split("\n")
    game = envs.game(name) if name in envs.games() else envs.game("mnk")
    _described(game, options(settings))


def _described(game: Any, given: dict[str, Any]) -> None:
    if not set(given) <= {*game.fields, "rules"}:
        return
    v = game.make_variant(**given)
    require(game.make_variant(**game.options(v)) == v, f"{v} is not what its options make")


def _games() -> list[bytes]:
    return [name.encode() for one in envs.games() for name in (one, envs.game(one).id)]


def read_game(data: bytes) -> None:
    """Look a game up by its name."""
    game = envs.game(mutate.text_of(data))
    require(game.name in envs.games(), "a game that is not listed")


def _settings() -> list[bytes]:
    """Return the games' settings files; a comment in the first line names the game."""
    folders = {name: registry.folder(registry.SETTINGS, name) for name in envs.games()}
    return [
        f"# {name}\n".encode() + (folder / f"{name}.toml").read_bytes() for name, folder in folders.items() if folder
    ]


def read_settings(data: bytes) -> None:
    """Load the presets of a settings file."""
    from kozyr.training.settings import run_settings as settings

    path = written("settings.toml", data)
    for preset in ("default", "demo", "strong"):
        settings.load(envs.game(_game_of(data)), preset, path)


def _game_of(data: bytes) -> str:
    first = data.partition(b"\n")[0].removeprefix(b"# ").decode(errors="replace")
    return first if first in envs.games() else envs.games()[len(data) % len(envs.games())]


def _forms() -> list[bytes]:
    """Return forms as a browser sends them, with the game."""
    from kozyr.agents.play.pages import forms

    found: list[bytes] = []
    for name in envs.games():
        filled = forms.initial(envs.game(name), {"clock-move": "5", "seed": "1", "seat-1": "random", "budget-1": "10"})
        found.append(json.dumps({"game": name, **filled, "unit-1": "simulations"}).encode())
    return found


def read_form(data: bytes) -> None:
    """Read a form; it finds a setup or says what is wrong."""
    from kozyr.agents.play.pages import forms

    try:
        found = json.loads(data)
    except (ValueError, RecursionError):
        return
    if not isinstance(found, dict) or any(not isinstance(value, str) for value in found.values()):
        return
    game = envs.game(found["game"] if found.get("game") in envs.games() else "mnk")
    form = forms.read(game, found)
    require((form.parts is None) == bool(form.problems), "a form with problems finds a setup, or none without")
    if form.parts is not None:
        game.make_variant(**form.parts["options"])


def targets() -> list[Target]:
    """Return the targets."""
    variant = ("kozyr.envs.core.variant", "kozyr.envs.core.game", "kozyr.envs.registry")
    made = [
        ("agent-name", mutate.TEXT, _names, read_name, ("kozyr.agents.agent_names", "kozyr.agents")),
        ("set", mutate.TEXT, _set, read_set, ("kozyr.training.cli.terminal", *variant)),
        ("game-name", mutate.TEXT, _games, read_game, variant),
        ("form", mutate.JSON, _forms, read_form, ("kozyr.agents.play.pages.forms", *variant)),
    ]
    trained = [
        (
            "settings",
            mutate.TEXT,
            _settings,
            read_settings,
            ("kozyr.training.settings.run_settings",),
        )
    ]
    return [Target(name, form, seeds, call, modules=modules) for name, form, seeds, call, modules in made + trained]
