"""Drawings of the lobby: each game in the middle of a game under its usual rules, drawn once and cached.

A process of their own draws them, in which nothing is compiled, so that a server that has just started waits for
no compiler: `python -m kozyr.agents.play.pages.pictures FOLDER GAME …`.
"""

import hashlib
import os
import subprocess
import sys
import threading
from functools import cache
from itertools import islice
from pathlib import Path

from kozyr import agents, envs
from kozyr.agents.player import play_game
from kozyr.envs import core
from kozyr.envs.core.game import Game
from kozyr.envs.table import file_output

_SEED, _MIDDLE = 7, 0.4  # of a game's plies
_PATIENCE = 120.0  # seconds
_drawing = threading.Lock()


def picture(game: Game, folder: Path) -> bytes | None:
    """Return a game's drawing as SVG, or None where it cannot be drawn; the first call draws all games.

    Args:
        game: to be drawn.
        folder: of the drawings.
    """
    file = folder / _file(game)
    with _drawing:
        if not file.is_file():
            _make(folder)
    return file.read_bytes() if file.is_file() and file.stat().st_size else None


def _make(folder: Path) -> None:
    """Make all drawings that are not there; a game that cannot be drawn gets an empty file."""
    folder.mkdir(parents=True, exist_ok=True)
    missing = {name: folder / file for name, file in _files().items() if not (folder / file).is_file()}
    command = [sys.executable, "-m", __name__, str(folder), *missing]
    subprocess.run(command, env={**os.environ, "NUMBA_DISABLE_JIT": "1"}, timeout=_PATIENCE, check=False)
    for file in missing.values():
        file.touch()


def _files() -> dict[str, str]:
    """Return the file of each game that can be loaded."""
    files = dict[str, str]()
    for name in envs.games():
        try:
            files[name] = _file(envs.game(name))
        except ImportError:
            continue
    return files


def _file(game: Game) -> str:
    """Return the name of a game's drawing: another one whenever the sources that draw it are others."""
    return f"{game.id}-{_sources(game.package)}.svg"


@cache
def _sources(package: str) -> str:
    """Return the hash of the sources of a game's drawing."""
    sources = hashlib.sha256()
    for name in (package, core.__name__):
        for path in sorted(_folder(name).glob("*.py")):
            sources.update(path.read_bytes())
    return sources.hexdigest()[:16]


def _folder(package: str) -> Path:
    return Path(str(sys.modules[package].__file__)).parent


def draw(game: Game) -> str:
    """Return the drawing of seat 0's view in the middle of a game among the strongest scripted players."""
    from kozyr.envs.table import record

    v = game.make_variant(**game.usual)
    players = [agents.load(agents.names(game.name)[-1], game.name, **game.options(v)) for _ in range(game.seats(v))]
    game_record = play_game(game, v, _SEED, 0, players)
    ply = int(len(game_record.actions) * _MIDDLE)
    return game.draw(v, next(islice(record.states(game_record), ply, None))[0], 0)


def main(folder: str, *names: str) -> None:
    """Write the drawings of some games into a folder; errors go to stderr."""
    for name in names:
        try:
            game = envs.game(name)
            file = Path(folder) / _file(game)
            file_output.write(file, draw(game))
        except Exception as error:  # a game of somebody else keeps no other drawing away
            print(f"{name} has no drawing in the lobby: {type(error).__name__}: {error}", file=sys.stderr)


if __name__ == "__main__":
    main(*sys.argv[1:])
