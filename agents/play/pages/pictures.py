"""Drawings of the lobby and of the pages that tell how to play, drawn once and cached.

The lobby has each game in the middle of a game under its usual rules; the pages have fixed positions.

A process of their own draws them, in which nothing is compiled, so that a server that has just started waits for
no compiler: `python -m kozyr.agents.play.pages.pictures FOLDER LANGUAGE DRAWING …`, where a drawing is
a game, or as "durak 2" the second picture of its page.
"""

import hashlib
import os
import subprocess
import sys
import threading
from collections.abc import Mapping
from functools import cache
from itertools import islice
from pathlib import Path
from typing import Any

from numpy.typing import NDArray

from kozyr import agents, envs
from kozyr.agents.play import pages
from kozyr.agents.play.pages import how_to_play
from kozyr.agents.play.pages.languages import ENGLISH
from kozyr.agents.player import play_game
from kozyr.envs import core
from kozyr.envs import pictures as scenes
from kozyr.envs.core.game import Game
from kozyr.envs.table import file_output

_SEED, _SHARE = 7, 0.4  # of a game's plies that are played
_PATIENCE = 120.0  # seconds
_drawing = threading.Lock()


def picture(game: Game, folder: Path, number: int = 0, language: str = ENGLISH) -> bytes | None:
    """Return a game's drawing as SVG, or None where it cannot be drawn.

    The first call for the lobby draws all games, and the first one for a page all its pictures.

    Args:
        game: to be drawn.
        folder: of the drawings.
        number: of a picture of the page that tells how to play, from 1; 0: the lobby's drawing.
        language: of the words.
    """
    if number and number > len(how_to_play.positions(game)):
        return None
    file = folder / _file(game, number, language)
    with _drawing:
        if not file.is_file():
            _make(folder, language, _files(language) if number == 0 else _pages_files(game, language))
    return file.read_bytes() if file.is_file() and file.stat().st_size else None


def _make(folder: Path, language: str, files: Mapping[str, str]) -> None:
    """Make the drawings that are not there; what cannot be drawn gets an empty file.

    Args:
        folder: of the drawings; language: of the words; files: by drawing.
    """
    folder.mkdir(parents=True, exist_ok=True)
    missing = {name: folder / file for name, file in files.items() if not (folder / file).is_file()}
    command = [sys.executable, "-m", __name__, str(folder), language, *missing]
    subprocess.run(command, env={**os.environ, "NUMBA_DISABLE_JIT": "1"}, timeout=_PATIENCE, check=False)
    for file in missing.values():
        file.touch()


def _files(language: str) -> dict[str, str]:
    """Return the lobby's file of each game that can be loaded."""
    files = dict[str, str]()
    for name in envs.games():
        try:
            files[name] = _file(envs.game(name), 0, language)
        except ImportError:
            continue
    return files


def _pages_files(game: Game, language: str) -> dict[str, str]:
    """Return the files of the pictures of a game's page."""
    numbers = range(1, 1 + len(how_to_play.positions(game)))
    return {f"{game.name} {number}": _file(game, number, language) for number in numbers}


def _file(game: Game, number: int, language: str) -> str:
    """Return the name of a drawing's file: another one whenever the sources that draw it are others."""
    return f"{game.id}{f'-{number}' if number else ''}-{language}-{_sources(game.package)}.svg"


@cache
def _sources(package: str) -> str:
    """Return the hash of the sources and of the words of a game's drawing."""
    sources = hashlib.sha256()
    for name in (package, core.__name__, scenes.__name__, pages.__name__):
        for pattern in ("*.py", "*.po", how_to_play.FILE):
            for path in sorted(_folder(name).glob(pattern)):
                sources.update(path.read_bytes())
    return sources.hexdigest()[:16]


def _folder(package: str) -> Path:
    return Path(str(sys.modules[package].__file__)).parent


def draw(game: Game, language: str = ENGLISH) -> str:
    """Return the drawing of seat 0's view in the middle of a game among the strongest scripted players."""
    v, states = _middle(game.name)
    return how_to_play.localised(game, v, states, 0, language)


@cache
def _middle(name: str) -> tuple[Any, NDArray[Any]]:
    """Return the variant of a game that the lobby draws, and the state, [1]."""
    from kozyr.envs.table import record

    game = envs.game(name)
    v = game.make_variant(**game.usual)
    players = [agents.load(agents.names(game.name)[-1], game.name, **game.options(v)) for _ in range(game.seats(v))]
    game_record = play_game(game, v, _SEED, 0, players)
    ply = int(len(game_record.actions) * _SHARE)
    return v, next(islice(record.states(game_record), ply, None)).copy()


def main(folder: str, language: str, *names: str) -> None:
    """Write the drawings of some games into a folder; errors go to stderr."""
    for wanted in names:
        name, _, number = wanted.partition(" ")
        try:
            game = envs.game(name)
            file = Path(folder) / _file(game, int(number or 0), language)
            position = how_to_play.positions(game)[int(number) - 1] if number else None
            drawing = draw(game, language) if position is None else how_to_play.draw(game, position, language)
            file_output.write(file, drawing)
        except Exception as error:  # a game of somebody else keeps no other drawing away
            print(f"there is no drawing {wanted!r}: {type(error).__name__}: {error}", file=sys.stderr)


if __name__ == "__main__":
    main(*sys.argv[1:])
