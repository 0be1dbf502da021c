"""Output of `kozyr wasm`: the WebAssembly module, the ES module around it, and its types."""

import json
import re
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from importlib.metadata import version
from pathlib import Path
from typing import Any

from kozyr.agents import roster
from kozyr.agents.nets.condensed import CondensedPolicy
from kozyr.agents.nets.trained import Trained
from kozyr.agents.play.site import policy as trained
from kozyr.agents.play.site import search_module
from kozyr.agents.play.site.modules import FORWARD, compiled, forward
from kozyr.agents.search.pimc import Pimc
from kozyr.envs.core import input_spec, labels
from kozyr.envs.core.game import Game
from kozyr.envs.core.quote import quote
from kozyr.envs.pictures import scene
from kozyr.envs.table import file_output
from kozyr.envs.table.table import Table

FORMAT = 1  # of the facts of a module
_STATIC = Path(__file__).parent / "static"
_NAME = re.compile(r"[a-z][a-z0-9_-]{0,63}")
_HEADER = ("turn", "ply", "payoff", "truncated", "starter")
RUNTIME = (
    "kozyr.js",
    "given.js",
    "players.js",
    "search.js",
    "forward.js",
    "kozyr.d.ts",
)
_BINARIES = ("*.wasm", *trained.FILES)
_SEARCH = ".search.wasm"
_FORWARD = f"{FORWARD}.wasm"


def check_name(name: str) -> None:
    """Raise ValueError, in words, for a name that files of a module cannot have; "" stands for the game's own."""
    if name and not _NAME.fullmatch(name):
        raise ValueError(f"{quote(name)} cannot name files: write small letters, digits, - and _, a letter first")
    if f"{name}.js" in RUNTIME:
        raise ValueError(f"{quote(name)} cannot name files: {name}.js is what all games share")


def facts(game: Game, variant: Any) -> dict[str, Any]:
    """Return the facts of a game for the ES module: sizes, places and names."""
    places: Any = game.layout(variant).fields
    s, other = _beginning(game, variant)
    own, public = words(game, variant)
    hidden = [action for action, text in enumerate(public) if text != own[action]]
    words_of_others = {str(action): game.text.table_phrase(variant, s, action, other) for action in hidden}
    own_phrases = {str(a): game.text.say_phrase(variant, s, a) for a in range(game.actions(variant))}
    return {
        "format": FORMAT,
        "kozyr": version("kozyr"),
        "game": game.id,
        "title": game.name_of(variant),
        "options": game.options(variant),
        "seats": game.seats(variant),
        "actions": game.actions(variant),
        "view": {"size": game.size(variant), "bytes": game.view_dtype.itemsize, "parts": _parts(game, variant)},
        "state": {"size": game.layout(variant).itemsize, **{name: places[name][1] for name in _HEADER}},
        "scene": {"rows": scene.MOST, "columns": scene.COLUMNS, "choice": input_spec.ENTRIES},
        "ranks": game.ranks,
        "players": list(roster.of(game.name).ladder),
        "labels": {str(number): text for number, text in game.labels.items()},
        "words": own,
        "heard": {action: labels.say(phrase) for action, phrase in words_of_others.items()},
        "phrases": {action: phrase for action, phrase in own_phrases.items() if labels.has_words(phrase[0])},
        "heardPhrases": {action: phrase for action, phrase in words_of_others.items() if labels.has_words(phrase[0])},
    }


def words(game: Game, variant: Any) -> tuple[list[str], list[str]]:
    """Return the words of each action, for its own seat and for the others, at the beginning of a game."""
    s, other = _beginning(game, variant)
    actions = range(game.actions(variant))
    own, public = ([game.text.say(variant, s, a, seat) for a in actions] for seat in (None, other))
    return own, public


def _beginning(game: Game, variant: Any) -> tuple[Any, int]:
    """Return a state at the beginning of a game, and a seat that is not to move."""
    s = Table(game, variant, 0, 0).state()[0]
    return s, (int(s.turn) + 1) % game.seats(variant)


def _parts(game: Game, variant: Any) -> dict[str, list[int]]:
    """Return the view's parts by name: first, last + 1, highest value."""
    return {name: [first, end, high] for name, first, end, high in game.declaration(variant)}


def write(
    game: Game,
    variant: Any,
    folder: Path,
    name: str = "",
    policies: Sequence[Trained] = (),
    search: Pimc | None = None,
) -> list[Path]:
    """Write a game of one variant for JavaScript, and return the files.

    Args:
        game: the game; variant: its options.
        folder: where the files go; it is made if it is missing.
        name: of the files; the game's own by default.
        policies: trained policies that play in JavaScript, too, one of them condensed at most.
        search: a search player that plays in JavaScript, see `search_module.find_search`.

    Returns:
        `name.wasm`, `name.js`, `name.d.ts`, and the files that games of a folder share: scripts, types, `package.json`;
        a file for each policy, `forward.wasm` if one is not condensed, and with a search `name.search.wasm`.

    Raises:
        ValueError: if the game cannot be compiled, or a policy is for another one or has no name of its own.
        RuntimeError: if something of it cannot be compiled.
    """
    check_name(name)
    name = name or game.name
    for policy in policies:
        policy.require(game, variant)
    trained.require_names(game, policies)
    numbers = {trained.file(one, name): trained.content(one) for one in policies}
    modules = _modules(game, variant, name, trained.find_condensed(policies), search is not None)
    if _any_network(policies):
        numbers[_FORWARD] = forward()
    folder.mkdir(parents=True, exist_ok=True)
    texts = {**_scripts(game, variant, name, policies, search), **{one: _static(one) for one in RUNTIME}}
    files = {**modules, **{file: text.encode() for file, text in texts.items()}, **numbers}
    for file, content in files.items():
        file_output.write(folder / file, content)
    return [*(folder / file for file in files), package(folder)]


def _modules(game: Game, variant: Any, name: str, policy: CondensedPolicy | None, search: bool) -> dict[str, bytes]:
    """Return the modules of a game by their files; two compilers run at once."""
    with ThreadPoolExecutor() as pool:
        jobs = {f"{name}.wasm": pool.submit(compiled, game, variant, policy)}
        if search:
            jobs[f"{name}{_SEARCH}"] = pool.submit(compiled, game, variant, only=[search_module.ENTRY])
        return {file: one.result() for file, one in jobs.items()}


def _scripts(game: Game, variant: Any, name: str, policies: Sequence[Trained], search: Pimc | None) -> dict[str, str]:
    """Return the ES module of a game and its types."""
    more = {
        "policies": [trained.facts(one, name) for one in policies],
        "search": None if search is None else search_module.facts(search, f"{name}{_SEARCH}"),
    }
    about = json.dumps({**facts(game, variant), **more}, indent=2)
    files = "".join(f"\n  {json.dumps(one)}: () => {_url(one)}," for one in _loaded_later(name, policies, search))
    return {
        f"{name}.js": f"""// {game.title} as WebAssembly; written by `kozyr wasm`.
import {{ open }} from "./kozyr.js";

export const about = {about};

// Written out one by one: bundlers follow a URL only so.
const files = {{{files}
}};

export default (source = {_url(f"{name}.wasm")}) => open(source, about, files);
""",
        f"{name}.d.ts": f"""import type {{ About, Game, Source }} from "./kozyr.js";

export declare const about: About;
/** Open the game; `source` is "{name}.wasm" beside this file unless it is given. */
export default function open(source?: Source): Promise<Game>;
""",
    }


def _loaded_later(name: str, policies: Sequence[Trained], search: Pimc | None) -> list[str]:
    """Return the files that a game loads when somebody asks for them."""
    files = [trained.file(one, name) for one in policies]
    return [*files, *([_FORWARD] if _any_network(policies) else []), *([] if search is None else [f"{name}{_SEARCH}"])]


def _any_network(policies: Sequence[Trained]) -> bool:
    """Return True if the module that runs networks is needed: for all policies but condensed ones."""
    return any(not isinstance(one, CondensedPolicy) for one in policies)


def _url(file: str) -> str:
    """Return the JavaScript for the URL of a file beside the module."""
    return f"new URL({json.dumps(f'./{file}')}, import.meta.url)"


def _static(name: str) -> str:
    return (_STATIC / name).read_text(encoding="utf-8")


def package(folder: Path) -> Path:
    """Write the `package.json` of all games in a folder, so that `npm pack` makes a package of them."""
    games = sorted(path.stem for path in folder.glob("*.wasm") if not path.name.endswith((_SEARCH, _FORWARD)))
    one = {
        "name": "@kozyr/games",
        "version": version("kozyr"),
        "description": "Card and board games with scripted players, compiled to WebAssembly",
        "type": "module",
        "exports": {
            ".": {"types": "./kozyr.d.ts", "default": "./kozyr.js"},
            **{f"./{name}": {"types": f"./{name}.d.ts", "default": f"./{name}.js"} for name in games},
            **{f"./{pattern}": f"./{pattern}" for pattern in _BINARIES},
            "./package.json": "./package.json",
        },
        "files": ["*.js", "*.d.ts", *_BINARIES],
        "sideEffects": False,
    }
    path = folder / "package.json"
    file_output.write(path, json.dumps(one, indent=2) + "\n")
    return path
