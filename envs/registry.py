"""Registry of games, and of the players, settings, policies and page of each.

Games come from installed packages, ours and other people's alike, by entry points: `kozyr.games` names a game with its
version, and groups beside it may name, under the game's name, what else the package brings:

- `kozyr.games`: the game, as `leduc_v0 = "leduc:GAME"`.
- `kozyr.players`: its players, a `kozyr.agents.roster.Players`, as `leduc = "leduc.players:PLAYERS"`.
- `kozyr.settings`: the package that holds its training settings, `leduc.toml`, as `leduc = "leduc"`.
- `kozyr.policies`: the package that holds its trained policies, `leduc_….onnx`, as `leduc = "leduc.policies"`.
- `kozyr.pages`: the module with its `env()`, `raw_env()` and documentation page, as `leduc = "leduc.leduc_v0"`.

`register` tells the same of a game that no installed package brings, for this process only. Importing this module
registers the games with PettingZoo and Gymnasium and loads neither games nor the compiler.
"""

import difflib
import pickle
import re
import warnings
from collections.abc import Iterator
from dataclasses import dataclass, field
from importlib import import_module
from importlib.metadata import EntryPoint, entry_points
from importlib.util import find_spec
from operator import attrgetter
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any, cast

import gymnasium
import pettingzoo

from kozyr.envs.core.quote import quote

if TYPE_CHECKING:
    from kozyr.envs.core.game import Game

PLAYERS, SETTINGS, POLICIES, PAGES = "players", "settings", "policies", "pages"  # groups beside `games`
_MODULE = attrgetter("module")  # of an entry point
_OURS = "kozyr"  # the package of ours, and what its groups begin with
_ID = re.compile(r"(?P<name>[a-z]\w*)_v(?P<version>0|[1-9]\d{0,8})", re.ASCII)


@dataclass
class _Entry:
    """Entry of one game: a package's entry point, or the game that `register` was called with."""

    version: int
    package: str
    point: EntryPoint | None = None
    game: Any = None  # once it is loaded
    beside: dict[Any, Any] = field(default_factory=dict[Any, Any])  # by group: what `register` was given


def games() -> list[str]:
    """Return the names of all games.

    Example:
        >>> "durak" in games()
        True
    """
    return list(_entries)


def game(name: str) -> "Game":
    """Return the `Game` of that name; "durak" and "durak_v0" are both understood.

    Raises:
        ValueError: for an unknown name or version, listing the right ones.
        ImportError: if the package that brings the game is broken, naming it.

    Example:
        >>> game("durak_v0").title
        'Durak'
    """
    base = known(name)
    entry = _entries[base]
    if entry.game is None:
        entry.game = _loaded(base, entry)
    return entry.game


def known(name: str) -> str:
    """Return the name of a game without its version, once both are checked; its package is not loaded.

    Raises:
        ValueError: for an unknown name or version, listing the right ones.
    """
    base, version = parsed(str(name))
    if base not in _entries:
        close = difflib.get_close_matches(base, _entries, 1)
        hint = f" Did you mean {close[0]!r}?" if close else ""
        raise ValueError(f"unknown game {quote(name)}.{hint} The games are: {', '.join(_entries)}")
    entry = _entries[base]
    if version not in (None, entry.version):
        raise ValueError(f"{quote(name)} is not here: the version of {base} is {base}_v{entry.version}")
    return base


def parsed(name: str) -> tuple[str, int | None]:
    """Return a game's name and its version, or None where the text says none."""
    match = _ID.fullmatch(name)
    return (match["name"], int(match["version"])) if match else (name, None)


def register(
    game: "Game",
    *,
    players: Any = None,
    settings: str | Path | None = None,
    policies: str | Path | None = None,
    page: ModuleType | None = None,
) -> None:
    """Make a game known to this process, as the entry points of an installed package do.

    Again with the same name, as when a cell of a notebook is run twice, it takes the place of what was registered.

    Args:
        game: a `kozyr.envs.core.game.Game`.
        players: its `kozyr.agents.roster.Players`; None: it is played at random and by the general searches.
        settings: the folder that holds its training settings, `<name>.toml`.
        policies: the folder that holds its trained policies, `<name>_….onnx`.
        page: the module with its `env()`, `raw_env()` and documentation page.

    Raises:
        ValueError: if it is no game, its name cannot be one, or an installed package brings a game of that name.

    Example:
        >>> register(game("war"))
        Traceback (most recent call last):
        ...
        ValueError: the package kozyr brings a game 'war' already: give yours another name
    """
    from kozyr.envs.core.game import Game

    if not isinstance(game, Game):  # pyright: ignore[reportUnnecessaryIsInstance] - notebooks are not typed
        raise ValueError(f"{quote(game)} is no game: give a kozyr.envs.core.game.Game")
    name = game.name
    if not _ID.fullmatch(game.id):
        raise ValueError(f"{quote(name)} cannot be a game's name: write small letters, digits and _, a letter first")
    known = _entries.get(name)
    if known is not None and known.point is not None:
        raise ValueError(f"the package {known.package} brings a game {quote(name)} already: give yours another name")
    groups = {PLAYERS: players, SETTINGS: settings, POLICIES: policies, PAGES: page}
    beside = {group: value for group, value in groups.items() if value is not None}
    _entries[name] = _Entry(game.version, game.variant.__module__, None, game, beside)
    _tell_libraries(name, game.version)


def players(game: str) -> Any:
    """Return the `Players` that a game's package brings, or None."""
    return _beside(PLAYERS, game, EntryPoint.load)


def folder(group: str, game: str) -> Path | None:
    """Return the folder of a game's SETTINGS or POLICIES, or None; its package is found without being imported."""
    place = _beside(group, game, _place)
    return None if place is None else Path(place)


def page(game: str) -> ModuleType | None:
    """Return the module with a game's `env()`, `raw_env()` and documentation page, or None."""
    return _beside(PAGES, game, EntryPoint.load)


def page_module(game: str) -> ModuleType | str | None:
    """Return the same as `page`, but of an installed package only the module's name, so that nothing is loaded."""
    return _beside(PAGES, game, _MODULE)


def seat_bots(game: Any) -> None:
    """Load a game's scripted players, without which loops that play them do not compile.

    A game without any gets loops in which everybody plays at random.
    """
    from kozyr.envs.core import dispatch
    from kozyr.envs.loops import single_table

    its = players(game.name)
    if its is not None and its.bots:
        import_module(its.bots)
    else:
        dispatch.implement_if_missing(dispatch.decide, game.variant, single_table.decide_at_random)


def carried(game: str) -> bytes:
    """Return a game as bytes for `restore` in another process; nothing for one of an installed package.

    Raises:
        ValueError: if the game, or what was registered with it, cannot be imported there.
    """
    entry = _entries[parsed(game)[0]]
    if entry.point is not None:
        return b""
    beside = {group: value for group, value in entry.beside.items() if group != PAGES}
    try:
        return pickle.dumps((entry.game, beside))
    except (pickle.PicklingError, AttributeError, TypeError) as error:
        raise ValueError(f"the players of {quote(game)} cannot be sent to another process: {error}") from error


def restore(registered: bytes) -> None:
    """Make a game known as it is in the process that `carried` it here."""
    if registered:
        it, beside = pickle.loads(registered)
        if getattr(_entries.get(it.name), "point", None) is None:  # else a package that only this process finds has it
            register(it, **beside)


def gymnasium_id(game: str) -> str:
    """Return the name under which Gymnasium knows a game.

    Example:
        >>> gymnasium_id("draw_poker")
        'kozyr/DrawPoker-v0'
    """
    return f"kozyr/{game.title().replace('_', '')}-v{_entries[game].version}"


def pettingzoo_id(game: str) -> str:
    """Return the name under which PettingZoo knows a game, as kozyr/draw_poker-v0."""
    return f"kozyr/{game}-v{_entries[game].version}"


def _loaded(name: str, entry: _Entry) -> "Game":
    """Return the game of an entry point, or raise ImportError naming the package and what is wrong with it."""
    from kozyr.envs.core.game import Game

    point = cast(EntryPoint, entry.point)
    game = _load(point, name, EntryPoint.load)
    if not isinstance(game, Game):
        raise ImportError(f"the package {entry.package} calls {point.value!r} a game, but it is a {type(game)}")
    if game.id != point.name:
        raise ImportError(f"the package {entry.package} calls {game.id!r} {point.name!r}: mend its entry point")
    return game


def _load(point: EntryPoint, game: str, how: Any) -> Any:
    """Return the object of an entry point, or raise ImportError in a sentence: its package is not ours to mend."""
    try:
        return how(point)
    except Exception as error:  # whatever importing somebody's module raises
        dist = _package(point)
        raise ImportError(
            f"{point.value!r}, which the package {dist} names for {quote(game)} in {point.group!r}, cannot be loaded: "
            f"{type(error).__name__}: {error}. Update or uninstall {dist}"
        ) from error


def _beside(group: str, game: str, how: Any) -> Any:
    """Return the object that a game's package names in another group, or None."""
    entry = _entries.get(game)
    if entry is None or entry.point is None:  # of a game that nobody registered, None
        return entry and entry.beside.get(group)
    if (group, how) not in entry.beside:
        points = entry_points(group=f"{_OURS}.{group}", name=game)
        its = [point for point in points if _package(point) == entry.package]
        entry.beside[group, how] = _load(its[0], game, how) if its else None
    return entry.beside[group, how]


def _place(point: EntryPoint) -> str:
    """Return the folder of the package that an entry point names."""
    spec = find_spec(point.value)
    if spec is None or not spec.submodule_search_locations:
        raise ModuleNotFoundError(f"there is no package {point.value!r}")
    return next(iter(spec.submodule_search_locations))


def _package(point: EntryPoint) -> str:
    """Return the name of the installed package that an entry point is of."""
    return point.dist.name if point.dist is not None else "of an unknown name"


def _installed() -> Iterator[tuple[str, _Entry]]:
    """Give the games of installed packages by name, ours first; what cannot be one is named in a warning."""
    points = [(_package(point), point) for point in entry_points(group=f"{_OURS}.games")]
    packages = dict[str, str]()
    for package, point in sorted(points, key=lambda one: (one[0] != _OURS, one[1].name, one[0])):
        name, version = parsed(point.name)
        if version is None:
            _warn(f"{package} names a game {point.name!r}, which is ignored: write its version too, as leduc_v0")
        elif name in packages:
            _warn(f"{package} brings a game {name!r}, which is ignored: {packages[name]} does. Uninstall one of them")
        else:
            packages[name] = package
            yield name, _Entry(version, package, point)
    if _OURS not in packages.values():
        raise RuntimeError("this installation of kozyr does not know its games: reinstall it: pip install -e .")


def _warn(sentence: str) -> None:
    warnings.warn(f"the package {sentence}", RuntimeWarning, stacklevel=3)


def _tell_libraries(name: str, version: int) -> None:
    """Make a game known to PettingZoo (where it has a registry) and Gymnasium."""
    at, known = gymnasium_id(name), cast(Any, gymnasium)  # its own types are incomplete
    if at in known.registry:
        return
    if hasattr(pettingzoo, "register"):
        pettingzoo.register("aec", pettingzoo_id(name), "kozyr.envs:make", kwargs={"name": name})
        pettingzoo.register("parallel", pettingzoo_id(name), "kozyr.envs:make_parallel", kwargs={"name": name})
    known.register(
        at,
        "kozyr.envs:make_seat",
        vector_entry_point="kozyr.envs:make_seats",
        kwargs={"name": name},
        disable_env_checker=True,
    )


_entries = dict[str, _Entry](_installed())
for _name, _entry in _entries.items():
    _tell_libraries(_name, _entry.version)
