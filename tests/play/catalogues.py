"""The texts that catalogues of other languages must have, read from the code: calls, templates and declarations."""

import re
from collections import Counter
from collections.abc import Iterator
from functools import cache
from io import BytesIO
from itertools import chain
from pathlib import Path
from typing import Any

from babel.messages.extract import extract, extract_from_dir

from kozyr import envs
from kozyr.agents.play.pages import game_info, opponents
from kozyr.agents.play.pages.forms import SEES
from kozyr.agents.play.pages.languages import package_file
from kozyr.envs.core import labels
from kozyr.envs.core.game import Game

ROOT = Path(__file__).parents[2]
PLAY = ROOT / "agents" / "play"
KEYWORDS: dict[str, Any] = dict.fromkeys(("_", "gettext", "html", "noop", "phrase", "PhraseError", "translate"))
KEYWORDS["HTTPException"] = (2,)  # the first argument is a number
METHODS = [("**.py", "python"), ("**.js", "javascript"), ("**/templates/**.html", "jinja2.ext:babel_extract")]
OPTIONS = {"**.js": {"parse_template_string": "true"}}
SHARED = [ROOT / "envs" / "core" / "capabilities.py"]  # whose phrases any game may use
PLACE = re.compile(r"\{(\d(?::(?:seat|signed|milli))?)")


def page_texts() -> set[str]:
    """Return the texts of the page: those of its code and of its templates, and those that lists there hold."""
    found = {str(one) for _, _, one, _, _ in extract_from_dir(PLAY, METHODS, OPTIONS, KEYWORDS, directory_filter=shown)}
    shared = set(chain.from_iterable(map(phrases, SHARED)))
    levels = {level.capitalize() for level in opponents.LEVELS}
    drawn = {text for text in labels.SHARED.values() if labels.has_words(text)}
    return (found | shared | drawn | levels | set(SEES.values()) | seats() | shared_summaries()) - {""}


def shown(folder: Any) -> bool:
    """Return True if a folder has words of the page in it."""
    return Path(str(folder)).name not in ("terminal", "__pycache__")


def summaries(game: Game) -> set[str]:
    """Return the first sentences about the agents of a game."""
    groups = [opponents.occupant_groups(game, game.make_variant(**options)) for options in ({}, game.usual)]
    return {one.summary for group in chain.from_iterable(groups) for one in group.occupants if one.about}


@cache
def shared_summaries() -> set[str]:
    """Return the first sentences about agents of several games, which are texts of the page."""
    counts = Counter(chain.from_iterable(summaries(envs.game(name)) for name in envs.games()))
    return {text for text, count in counts.items() if count > 1}


def seats() -> set[str]:
    """Return the titles and labels of those who may take a seat, but for the names of agents."""
    texts = set[str]()
    for name in envs.games():
        game = envs.game(name)
        for group in opponents.occupant_groups(game, game.make_variant(**game.usual), ("bots:Mine",)):
            texts.add(group.title)
            texts |= {one.label for one in group.occupants if " " in one.label or group.title == "People"}
    return texts


def game_texts(game: Game) -> set[str]:
    """Return the texts of a game: titles, labels, words of actions, options, presets, and the phrases of its code."""
    names = {game.title, game.name_for_people, *map(game.name_of, variants(game))}
    actions = game.action_layout.declared.items()
    acts = {one.text(name) for name, one in actions if game.text.says_declared}  # type: ignore[attr-defined]
    options = {game_info.words(name) for name in game.fields} | {one.meaning for one in game.fields.values()}
    choices = {game_info.words(choice) for one in game.fields.values() for choice in one.choices}
    rules = {game_info.words(name).capitalize() for name in game.presets}
    drawn = set(game.labels.values()) - set(labels.SHARED.values())
    spoken = {text for text in chain(drawn, acts, code(game)) if labels.has_words(text)}
    about = summaries(game) - shared_summaries()
    return names | options | choices | rules | spoken | about | {game_info.summary(game)}


def variants(game: Game) -> Iterator[Any]:
    """Yield variants that may have names of their own."""
    yield game.make_variant(**game.usual)
    if game.called is not None:  # pages of games on a board
        for size in (3, 15):
            for k in range(3, 6):
                if k <= size:
                    yield game.make_variant(m=size, n=size, k=k)


def code(game: Game) -> Iterator[str]:
    """Yield the phrases in the code of a game's package."""
    for path in sorted(package_file(game, "__init__.py").parent.rglob("*.py")):
        yield from phrases(path)


def phrases(path: Path) -> Iterator[str]:
    """Yield the texts of the calls in a file of Python."""
    for _, text, _, _ in extract("python", BytesIO(path.read_bytes()), KEYWORDS):
        yield str(text)


def places(text: str) -> set[str]:
    """Return the numbers of the places in a text."""
    return set(PLACE.findall(text))
