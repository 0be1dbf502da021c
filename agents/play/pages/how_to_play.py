"""Guide of a game for new players: a page of its package, whose pictures are scenes of fixed positions.

The page is `how_to_play.md` beside the game's rules; a game without it has none. A picture stands there as
`![CAPTION](?seed=1&seat=0&moves=6C,8C)`: the deal of the usual rules by a seed, after actions in the game's text, as a
seat sees it. Its caption tells the same to those who do not see it.
"""

import re
from collections.abc import Callable
from typing import Any, NamedTuple
from urllib.parse import parse_qsl

from markdown_it import MarkdownIt
from markupsafe import Markup
from numpy.typing import NDArray

from kozyr.agents.play.pages.languages import ENGLISH, Translator, package_file
from kozyr.envs.core.game import Game
from kozyr.envs.pictures import render_svg
from kozyr.envs.table.table import Table

FILE = "how_to_play.md"
_PICTURE = re.compile(r"^!\[([^\]]+)\]\(\?([^)]+)\)$", re.M)


class Position(NamedTuple):
    """A position of a page.

    Attributes:
        caption: of the picture; seed: of the deal; seat: that looks; moves: actions in the game's text.
    """

    caption: str
    seed: int
    seat: int
    moves: tuple[str, ...]


def source(game: Game, language: str = ENGLISH) -> str:
    """Return the page of a game as Markdown, in English if there is none in the language, or "" if it has none."""
    file = package_file(game, _name(language_of(game, language)))
    return file.read_text(encoding="utf-8") if file.is_file() else ""


def language_of(game: Game, language: str) -> str:
    """Return the language in which a game's page is shown."""
    return language if package_file(game, _name(language)).is_file() else ENGLISH


def _name(language: str) -> str:
    """Return the name of the file in a language, which has the same pictures as the English one."""
    return FILE if language == ENGLISH else FILE.replace(".md", f".{language}.md")


def positions(game: Game) -> list[Position]:
    """Return the positions of a game's page, in their order.

    Raises:
        ValueError: for a picture that names none.
    """
    return [_position(one[1], one[2]) for one in _PICTURE.finditer(source(game))]


def _position(caption: str, query: str) -> Position:
    """Return the position that a picture's address names."""
    fields = dict(parse_qsl(query))
    if not {"seed", "seat"} <= set(fields) <= {"seed", "seat", "moves"}:
        raise ValueError(f"a picture has seed, seat and moves, as ?seed=1&seat=0&moves=6C: not ?{query}")
    moves = tuple(fields["moves"].split(",")) if "moves" in fields else ()
    return Position(caption, int(fields["seed"]), int(fields["seat"]), moves)


def draw(game: Game, position: Position, language: str = ENGLISH) -> str:
    """Return the picture of a position as SVG.

    Args:
        game: the game; position: of its page; language: of the words.

    Raises:
        ValueError: for moves that are none of the game, or not legal.
    """
    table = Table(game, game.make_variant(**game.usual), position.seed)
    for move in position.moves:
        table.play(game.text.parse(table.variant, move))
    return localised(game, table.variant, table.state(), position.seat, language)


def localised(game: Game, v: Any, states: NDArray[Any], seat: int, language: str) -> str:
    """Return the drawing of a position as a seat knows it, in a language and with names of people.

    Args:
        game: the game; v: the variant; states: [1] records; seat: that looks.
        language: one of LANGUAGES; a text without translation stays English.
    """
    _ = Translator(language, game)
    me = _("Lena (you)")
    others = iter((_("Anna"), _("Ben"), _("Cleo"), _("Dan"), _("Eva"), _("Finn"), _("Gina")))
    names = [me if one == seat else next(others) for one in range(game.seats(v))]
    rows = render_svg.rows(game, v, states, seat)
    if not len(rows):
        return game.draw(v, states[0], seat, names, frame=False)
    title = _("{0} as {1} knows it", _(game.title), me)
    return render_svg.svg(rows, game.labels, names, title, fill=_.fill)


def html(game: Game, address: Callable[[int], str], language: str = ENGLISH) -> Markup:
    """Return the page of a game as HTML.

    Args:
        game: that has a page.
        address: returns the address of a picture from its number, which counts from 1.
        language: of the page, if there is one in it.
    """
    numbers = iter(range(1, 1 + len(positions(game))))
    text = _PICTURE.sub(lambda one: f"![{one[1]}]({address(next(numbers))})", source(game, language))
    rendered = MarkdownIt("commonmark", {"html": False}).render(text)
    return Markup(re.sub(r'<p><img src="([^"]*)" alt="([^"]*)" />\s*</p>', _figure, rendered))


def _figure(image: re.Match[str]) -> str:
    """Return an image with its caption, which is its description too."""
    return f'<figure><img src="{image[1]}" alt="" loading="lazy"><figcaption>{image[2]}</figcaption></figure>'
