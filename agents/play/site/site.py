"""The page without a server: a folder of files that any host serves, in which the games run in the browser.

index.html, table.html, rules/   pages
games/                           what `kozyr wasm` writes
static/, viewer/, pictures/      scripts, styles and drawings, the same as the server's
"""

import os
import shutil
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from itertools import repeat
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from kozyr import agents
from kozyr.agents.nets.trained import Trained
from kozyr.agents.play import site
from kozyr.agents.play.pages import game_info, pictures
from kozyr.agents.play.pages.pages import PAGES
from kozyr.agents.play.server.app import STATIC, VIEWER, symbols
from kozyr.envs.core.game import Game
from kozyr.envs.table.table import Table

_LOCAL = ("*.js", "*.css", "*.svg")
_SERVED = ("lobby.js", "mine.js")  # what only the server's pages load
_GAMES, _PLIES = 3, 200  # that are played to see whether words depend on the position


class Sort(NamedTuple):
    """A game that a visitor may choose.

    Attributes:
        game: what is played; variant: its options.
        file: the name of its files; words: what its options are called.
        policies: trained ones, loaded when they are chosen.
    """

    game: Game
    variant: Any
    file: str
    words: str
    policies: list[Trained]


class Offered(NamedTuple):
    """A sort as the lobby's form shows it: policies with their sizes in kB; the name of a search may be ""."""

    file: str
    words: str
    seats: int
    players: list[str]
    policies: dict[str, int]
    search: str


def sort(game: Game, options: dict[str, Any], given: Sequence[Trained] = ()) -> Sort:
    """Return a game with some options, named after them.

    Args:
        game: what is played; options: its options.
        given: policies that play there, if they are for these options, beside the bundled ones.

    Raises:
        ValueError: if the options are not possible, the page could not tell its moves in words, or names are taken.
    """
    variant = game.make_variant(**options)
    require_plain_words(game, variant)
    parts = [f"{game_info.words(name)} {value}" for name, value in options.items()]
    file = "-".join([game.name, *(f"{name}-{value}" for name, value in options.items())]).lower().replace(".", "-")
    site.check_name(file)
    return Sort(game, variant, file, ", ".join(parts) or "the usual ones", site.chosen(game, variant, given))


def require_seats(sorts: Sequence[Sort], given: Sequence[Trained]) -> None:
    """Raise ValueError, in words, unless each policy plays in one of the sorts."""
    for one in given:
        if not any(one in it.policies for it in sorts):
            options = one.game.departures(one.variant)
            asked = " ".join([one.game.name, *(f"{name}={value}" for name, value in options.items())])
            raise ValueError(f"nothing on the site is for the policy {one.path}: name its game too, as {asked!r}")


def require_plain_words(game: Game, variant: Any) -> None:
    """Raise unless what others hear of an action is the same in every position: a page has one list of words.

    Raises:
        ValueError: naming the action.
    """
    spoken, heard = site.words(game, variant)
    for seed in range(_GAMES):
        table, rng = Table(game, variant, seed), np.random.default_rng(seed)
        for _ in range(_PLIES):
            if table.over:
                break
            action = int(rng.choice(np.flatnonzero(table.mask)))
            s, others = table.state()[0], (seat for seat in range(game.seats(variant)) if seat != table.turn)
            said = {game.text.say(variant, s, action, seat) for seat in others}
            if said != {heard[action]} or game.text.say(variant, s, action) != spoken[action]:
                raise ValueError(
                    f"{game.name} cannot be played without a server: {spoken[action]!r} is not always called so"
                )
            table.play(action)


def write(sorts: Sequence[Sort], folder: Path, done: Callable[[Sort], None] = lambda _: None) -> list[Path]:
    """Write the site and return the pages; the games are compiled at once, each by processes of its own.

    Args:
        sorts: the games, in the order of the lobby.
        folder: where it goes; what is there under the same names is replaced.
        done: called after each game, some of which take half a minute.
    """
    folder.mkdir(parents=True, exist_ok=True)
    _copy(folder)
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        for it, _ in zip(sorts, pool.map(_write, sorts, repeat(folder / "games")), strict=True):
            done(it)
    site.package(folder / "games")  # games that were written at once may have missed each other
    games = list({it.game.name: it.game for it in sorts}.values())
    (folder / "rules").mkdir(exist_ok=True)
    (folder / "pictures").mkdir(exist_ok=True)
    pages = {"index.html": _lobby(games, sorts), "table.html": _page("table.html", "", local="games")}
    for game in games:
        (folder / "pictures" / f"{game.name}.svg").write_text(pictures.draw(game), encoding="utf-8")
        pages[f"rules/{game.name}.html"] = _rules(game)
    for name, text in pages.items():
        (folder / name).write_text(text, encoding="utf-8")
    return [folder / name for name in pages]


def _write(it: Sort, folder: Path) -> None:
    """Write a game."""
    search = site.searching_player(it.game, it.variant)
    site.write(it.game, it.variant, folder, it.file, it.policies, search)


def _copy(folder: Path) -> None:
    """Copy scripts, styles and drawings."""
    for source, target in ((STATIC, folder / "static"), (VIEWER, folder / "viewer")):
        target.mkdir(exist_ok=True)
        for path in _files(source):
            shutil.copyfile(path, target / path.name)
    (folder / "viewer" / "cards.svg").write_text(symbols(), encoding="utf-8")


def _files(source: Path) -> Iterable[Path]:
    found = (path for pattern in _LOCAL for path in sorted(source.glob(pattern)))
    return (path for path in found if path.name not in _SERVED)


def _page(template: str, root: str, **given: Any) -> str:
    return PAGES.get_template(template).render(root=root, **given)


def _lobby(games: Sequence[Game], sorts: Sequence[Sort]) -> str:
    tiles = [
        {**vars(game_info.tile(game)), "variants": [_offered(it) for it in sorts if it.game.name == game.name]}
        for game in games
    ]
    return _page("site.html", "", tiles=tiles)


def _offered(it: Sort) -> Offered:
    trained = {one.name: site.size(one) // 1000 for one in it.policies}
    search = site.searching_player(it.game, it.variant)
    seats, players = it.game.seats(it.variant), agents.names(it.game.name)
    return Offered(it.file, it.words, seats, players, trained, "" if search is None else site.PIMC)


def _rules(game: Game) -> str:
    text = game_info.rules(game)
    return _page("site_rules.html", "../", name=game.name, title=game.title, rules=text)
