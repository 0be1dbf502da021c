"""Site without a server: a folder of files that any host serves, in which the games run in the browser.

index.html, table.html, rules/   pages; in other languages index.ru.html and so on
manifest.json, offline.js        what makes the site an app, see `offline`
games/                           output of `kozyr wasm`
words/                           of other languages, for the scripts
static/, viewer/, pictures/      scripts, styles and drawings, the same as the server's
"""

import json
import os
import shutil
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from itertools import repeat
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from kozyr import agents
from kozyr.agents.nets.trained import Trained
from kozyr.agents.play import site
from kozyr.agents.play.pages import game_info, how_to_play, opponents, pictures
from kozyr.agents.play.pages.languages import ENGLISH, LANGUAGES, Translator, catalogues
from kozyr.agents.play.pages.pages import PAGES, words_of
from kozyr.agents.play.server.app import STATIC, VIEWER, symbols
from kozyr.agents.play.site import offline
from kozyr.envs.core.game import Game
from kozyr.envs.core.quote import quote
from kozyr.envs.table import file_output
from kozyr.envs.table.table import Table

_LOCAL = ("*.js", "*.css", "*.svg")
_SERVED = ("lobby.js", "mine.js")  # what only the server's pages load
_GAMES, _PLIES = 3, 200  # of a test whether words depend on the position


class SiteGame(NamedTuple):
    """A game that a visitor may choose.

    Attributes:
        game: of the site; variant: its options.
        file: the name of its files; options: those that it was asked for with.
        policies: trained ones, loaded on demand.
    """

    game: Game
    variant: Any
    file: str
    options: dict[str, Any]
    policies: list[Trained]


class LobbyEntry(NamedTuple):
    """A game as the lobby's form shows it: policies with their sizes in kB; the name of a search may be ""."""

    file: str
    words: str
    seats: int
    players: list[str]
    policies: dict[str, int]
    search: str


def site_game(game: Game, options: dict[str, Any], extra: Sequence[Trained] = ()) -> SiteGame:
    """Return a game with some options, named after them.

    Args:
        game: of the site; options: of its variant.
        extra: policies that play there, if they are for these options, beside the bundled ones.

    Raises:
        ValueError: if the options are not possible, the page could not tell its moves in words, or names are taken.
    """
    variant = game.make_variant(**options)
    require_plain_words(game, variant)
    file = "-".join([game.name, *(f"{name}-{value}" for name, value in options.items())]).lower().replace(".", "-")
    site.check_name(file)
    return SiteGame(game, variant, file, options, site.for_variant(game, variant, extra))


def require_seats(games: Sequence[SiteGame], extra: Sequence[Trained]) -> None:
    """Raise ValueError, in words, unless each policy plays in one of the games."""
    for one in extra:
        if not any(one in it.policies for it in games):
            options = one.game.departures(one.variant)
            words = " ".join([one.game.name, *(f"{name}={value}" for name, value in options.items())])
            raise ValueError(f"nothing on the site is for the policy {one.path}: name its game too, as {quote(words)}")


def require_plain_words(game: Game, variant: Any) -> None:
    """Raise unless the words of an action are the same in every position: a page has one list of them.

    Raises:
        ValueError: naming the action.
    """
    own, public = site.words(game, variant)
    for seed in range(_GAMES):
        table, rng = Table(game, variant, seed), np.random.default_rng(seed)
        for _ in range(_PLIES):
            if table.over:
                break
            action = int(rng.choice(np.flatnonzero(table.mask)))
            s, others = table.state()[0], (seat for seat in range(game.seats(variant)) if seat != table.turn)
            words = {game.text.say(variant, s, action, seat) for seat in others}
            if words != {public[action]} or game.text.say(variant, s, action) != own[action]:
                raise ValueError(
                    f"{game.name} cannot be played without a server: {quote(own[action])} is not always called so"
                )
            table.play(action)


def write(entries: Sequence[SiteGame], folder: Path, done: Callable[[SiteGame], None] = lambda _: None) -> list[Path]:
    """Write the site and return the pages; the games are compiled at once, each by processes of its own.

    Args:
        entries: the games, in the order of the lobby.
        folder: of the site; files with the same names are replaced.
        done: called after each game, some of which take half a minute.
    """
    folder.mkdir(parents=True, exist_ok=True)
    _copy(folder)
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        for it, _ in zip(entries, pool.map(_write, entries, repeat(folder / "games")), strict=True):
            done(it)
    site.package(folder / "games")  # games that were written at once may have missed each other
    games = list({it.game.name: it.game for it in entries}.values())
    (folder / "rules").mkdir(exist_ok=True)
    (folder / "pictures").mkdir(exist_ok=True)
    for game in games:
        for language in LANGUAGES:
            file_output.write(folder / _picture_of(game.name, language), pictures.draw(game, language))
            for number, position in enumerate(how_to_play.positions(game), 1):
                drawing = how_to_play.draw(game, position, language)
                file_output.write(folder / _picture_of(f"{game.name}-{number}", language), drawing)
    pages = {name: text for language in LANGUAGES for name, text in _pages(language, games, entries).items()}
    (folder / "words").mkdir(exist_ok=True)
    for language in LANGUAGES:
        if language != ENGLISH:
            words = json.dumps(catalogues(language), ensure_ascii=False)
            file_output.write(folder / "words" / f"{language}.json", words)
    for name, text in pages.items():
        file_output.write(folder / name, text)
    offline.write(folder, pages)
    return [folder / name for name in pages]


def _write(it: SiteGame, folder: Path) -> None:
    """Write a game."""
    search = site.find_search(it.game, it.variant)
    site.write(it.game, it.variant, folder, it.file, it.policies, search)


def _copy(folder: Path) -> None:
    """Copy scripts, styles and drawings."""
    for source, target in ((STATIC, folder / "static"), (VIEWER, folder / "viewer")):
        target.mkdir(exist_ok=True)
        for path in _files(source):
            shutil.copyfile(path, target / path.name)
    file_output.write(folder / "viewer" / "cards.svg", symbols())


def _files(source: Path) -> Iterable[Path]:
    paths = (path for pattern in _LOCAL for path in sorted(source.glob(pattern)))
    return (path for path in paths if path.name not in _SERVED)


def _pages(language: str, games: Sequence[Game], entries: Sequence[SiteGame]) -> dict[str, str]:
    """Return the pages in one language by their files."""
    how = " ".join(game.name for game in games if how_to_play.source(game))
    pages = {
        "index": _lobby(language, games, entries),
        "table": _page("table.html", "", language, "table", local="games", how=how, practice=False),
    }
    pages |= {f"rules/{game.name}": _rules(language, game) for game in games}
    guides = [game for game in games if how_to_play.source(game)]
    pages |= {f"rules/how_to_play_{game.name}": _how_to_play(language, game, entries) for game in guides}
    return {_file_of(name, language): text for name, text in pages.items()}


def _file_of(name: str, language: str) -> str:
    """Return the file of a page in a language.

    Example:
        >>> _file_of("index", "en"), _file_of("index", "ru")
        ('index.html', 'index.ru.html')
    """
    return f"{name}.html" if language == ENGLISH else f"{name}.{language}.html"


def _picture_of(name: str, language: str) -> str:
    """Return the file of a drawing in a language."""
    return f"pictures/{_file_of(name, language).removesuffix('html')}svg"


def _page(template: str, root: str, language: str, name: str, **context: Any) -> str:
    """Return a page; `name` is its file without the language."""
    names = {"file_of": partial(_file_of, language=language), "address": partial(_file_of, name)}
    return PAGES.get_template(template).render(root=root, **words_of(language), **names, **context)


def _lobby(language: str, games: Sequence[Game], entries: Sequence[SiteGame]) -> str:
    tiles = list[dict[str, Any]]()
    for game in games:
        tile = game_info.tile(game, language)
        its = [_entry(it, tile._) for it in entries if it.game.name == game.name]
        tiles.append({**vars(tile), "variants": its, "picture": _picture_of(game.name, language)})
    return _page("site.html", "", language, "index", tiles=tiles)


def _entry(it: SiteGame, translate: Translator) -> LobbyEntry:
    trained = {one.name: site.size(one) // 1000 for one in it.policies}
    search = site.find_search(it.game, it.variant)
    seats, players = it.game.seats(it.variant), agents.names(it.game.name)
    words = ", ".join(
        f"{translate(game_info.words(name))} {_value(one, translate)}" for name, one in it.options.items()
    )
    return LobbyEntry(
        it.file, words or translate("the usual ones"), seats, players, trained, "" if search is None else site.PIMC
    )


def _value(value: Any, translate: Translator) -> str:
    """Return the value of an option in words."""
    if isinstance(value, bool):
        return translate("True") if value else translate("False")
    return translate(str(value))


def _how_to_play(language: str, game: Game, entries: Sequence[SiteGame]) -> str:
    """Return the page that tells how to play a game; its practice game is the first of the game's tables."""
    text = how_to_play.html(game, lambda number: f"../{_picture_of(f'{game.name}-{number}', language)}", language)
    first = next(it for it in entries if it.game.name == game.name)
    against = opponents.levels(game, first.variant)[opponents.LEVELS[0]]
    title, own = Translator(language, game)(game.name_for_people), how_to_play.language_of(game, language)
    context = {"game": game.name, "title": title, "file": first.file, "against": against, "text_language": own}
    return _page("site_how_to_play.html", "../", language, f"how_to_play_{game.name}", text=text, **context)


def _rules(language: str, game: Game) -> str:
    title = Translator(language, game)(game.name_for_people)
    words = {"rules": game_info.rules(game, language), "rules_language": game_info.rules_language(game, language)}
    return _page("site_rules.html", "../", language, game.name, game=game.name, title=title, **words)
