"""Game information for pages: title, summary, seats and rules, all from the game's own package."""

import ast
import html
import re
from dataclasses import dataclass
from importlib.util import find_spec
from itertools import product
from pathlib import Path

from markdown_it import MarkdownIt
from markupsafe import Markup

from kozyr import envs
from kozyr.agents.play.pages import how_to_play, opponents
from kozyr.agents.play.pages.languages import ENGLISH, Translator, package_file
from kozyr.envs import registry
from kozyr.envs.core.game import Game

_CODE = re.compile(r"`([^`]+)`")
_CITED = re.compile(r"§(\d+)")
_UPKEEP = re.compile(r"Each paragraph has a number;.*?a test bears its name\.\s*", re.S)  # not for players


@dataclass(frozen=True)
class GameTile:
    """A game in the lobby, in the language of `_`.

    Attributes:
        name: the game's; title: for people; players: their number; summary: a sentence.
        levels: the players of `opponents.LEVELS`; how_to_play: whether there is a page that tells it.
    """

    name: str
    title: str
    players: str
    summary: str
    levels: dict[str, str]
    how_to_play: bool
    _: Translator


def games() -> tuple[list[Game], list[str]]:
    """Return the games that can be loaded, as people see them in turn, and a sentence about each that cannot."""
    loaded, broken = list[Game](), list[str]()
    for name in envs.games():
        try:
            loaded.append(envs.game(name))
        except ImportError as error:
            broken.append(str(error))
    return sorted(loaded, key=lambda game: game.lobby_place), broken


def tile(game: Game, language: str = ENGLISH) -> GameTile:
    """Return a game as the lobby shows it."""
    _, (low, high) = Translator(language, game), seats(game)
    levels = opponents.levels(game, game.make_variant(**game.usual))
    players = _("{0} players", low) if low == high else _("{0} to {1} players", low, high)
    guide = bool(how_to_play.source(game))
    return GameTile(game.name, _(game.name_for_people), players, summary(game), levels, guide, _)


def seats(game: Game) -> tuple[int, int]:
    """Return the fewest and the most seats that a single option makes."""
    counts = {game.seats(game.make_variant())}
    for name, end in product(game.fields, ("low", "high")):
        try:
            counts.add(game.seats(game.make_variant(**{name: int(getattr(game.fields[name], end))})))
        except ValueError:
            continue
    return min(counts), max(counts)


def summary(game: Game) -> str:
    """Return the first sentence of the game's documentation page, or ""."""
    paragraphs = [" ".join(part.split()) for part in _page(game).split("\n\n")]
    words = next((part for part in paragraphs if part[:1].isalpha()), "")
    return re.split(r"(?<=\.)\s", words, maxsplit=1)[0]


def _page(game: Game) -> str:
    """Return the documentation page of a game, or its variant's docstring; a broken package has none to show.

    A package's page is read and not run: running it fills in tables that are not shown, and loads half of PettingZoo.
    """
    page = registry.page_module(game.name)
    if not isinstance(page, str):
        return (page or game.variant).__doc__ or ""
    try:
        return ast.get_docstring(ast.parse(_source(page)), clean=False) or ""
    except (ImportError, SyntaxError, OSError):
        return ""


def _source(module: str) -> str:
    """Return a module's source, which is empty if there is none to read."""
    spec = find_spec(module)
    file = Path(spec.origin or "" if spec else "")
    return file.read_text(encoding="utf-8") if file.suffix == ".py" else ""


def rules_language(game: Game, language: str) -> str:
    """Return the language in which a game's rules are shown: English where they are not own in the other."""
    return language if package_file(game, f"RULES.{language}.md").is_file() else ENGLISH


def rules(game: Game, language: str = ENGLISH) -> Markup:
    """Return a game's rules as HTML for players, each paragraph with its number as its name; without any, its page.

    What RULES.md says to those who work on the code, about functions and tests, is left out.
    """
    own = rules_language(game, language)
    file = package_file(game, "RULES.md" if own == ENGLISH else f"RULES.{own}.md")
    text = file.read_text(encoding="utf-8") if file.is_file() else _page(game).partition("\n###")[0]
    rendered = (
        MarkdownIt("commonmark", {"html": False}).enable("table").render(_UPKEEP.sub("", text.replace("{summary}", "")))
    )
    return Markup(re.sub(r"<li>(\s*<p>)?<strong>§(\d+)", r'<li id="p\2">\1<strong>§\2', rendered))


def inline(text: str) -> Markup:
    """Return a line of Markdown as HTML; it knows code and nothing else."""
    return Markup(_CODE.sub(r"<code>\1</code>", html.escape(text)))


def cited(text: str, game: str) -> Markup:
    """Return the meaning of an option as HTML, with links to the paragraphs of the rules that it names."""
    name = html.escape(game)
    return Markup(_CITED.sub(rf'<a href="/games/{name}/rules#p\1">§\1</a>', html.escape(text)))


def words(name: str) -> str:
    """Return the name of an option or a choice as words, as "open trump" for "open_trump"."""
    return name.replace("_", " ")
