"""Languages of the table: which one a browser wants, and the catalogues of words in it.

The texts in the code are English, and are what a catalogue has translations of: `ru.po` and `ja.po`, gettext's files,
lie beside this module for the page, and in a game's package for the game. What is in no catalogue stays English.
"""

from collections.abc import Callable, Sequence
from functools import cache
from pathlib import Path
from sys import modules
from typing import Any

from babel import Locale, negotiate_locale
from babel.messages.pofile import read_po
from markupsafe import Markup, escape

from kozyr import envs
from kozyr.envs.core import labels
from kozyr.envs.core.game import Game

LANGUAGES = {"en": "English", "ru": "Русский", "ja": "日本語"}  # each by its own name
ENGLISH = "en"
Catalogue = dict[str, str]


def accepted(header: str) -> list[str]:
    """Return the languages of an Accept-Language header, the most wanted first; `q=0` refuses one.

    Example:
        >>> accepted("da, en-GB;q=0.8, ru;q=0.9, *;q=0")
        ['da', 'ru', 'en-GB']
    """
    weighted = list[tuple[float, str]]()
    for part in header.split(","):
        name, _, parameter = part.partition(";")
        try:
            weight = float(parameter.strip().removeprefix("q=") or 1)
        except ValueError:
            continue
        if name.strip() and weight > 0:
            weighted.append((weight, name.strip()))
    return [name for _, name in sorted(weighted, key=lambda one: -one[0])]


def negotiate(preferred: Sequence[str]) -> str:
    """Return the language of ours that suits somebody best, English if none does.

    Example:
        >>> negotiate(["de-AT", "ja-JP", "en"]), negotiate(["de"])
        ('ja', 'en')
    """
    return (negotiate_locale(preferred, list(LANGUAGES), sep="-") or ENGLISH).lower()


@cache
def page_catalogue(language: str) -> Catalogue:
    """Return the translations of the page's own texts."""
    return _read(Path(__file__).with_name(f"{language}.po"))


def game_catalogue(language: str, game: Game) -> Catalogue:
    """Return the translations of a game's texts; a game without a catalogue has none."""
    return _read(package_file(game, f"{language}.po"))


def package_file(game: Game, name: str) -> Path:
    """Return the path of a file in a game's package, which need not exist."""
    return Path(str(modules[game.package].__file__)).with_name(name)


@cache
def _read(file: Path) -> Catalogue:
    if not file.is_file():
        return {}
    with file.open("rb") as lines:
        return {str(one.id): str(one.string) for one in read_po(lines) if one.id and one.string and not one.fuzzy}


def catalogues(language: str) -> dict[str, Catalogue]:
    """Return the translations that scripts of a page need: the page's own as "", and each game's by its name."""
    every = {"": page_catalogue(language)}
    for name in envs.games():
        try:
            every[name] = game_catalogue(language, envs.game(name))
        except ImportError:  # the lobby tells of it
            continue
    return every


class Translator:
    """Texts in one language.

    Args:
        language: one of LANGUAGES.
        game: whose texts are known too; None: the page's alone.
    """

    def __init__(self, language: str = ENGLISH, game: Game | None = None) -> None:
        self.language = language
        self._catalogues = [game_catalogue(language, game)] if game is not None and language != ENGLISH else []
        if language != ENGLISH:
            self._catalogues.append(page_catalogue(language))
        self._category: Callable[[int], str] = Locale.parse(language).plural_form

    def find(self, text: str) -> str | None:
        """Return the translation of a text, None if there is none; English texts are their own."""
        if self.language == ENGLISH:
            return text
        return next((one[text] for one in self._catalogues if text in one), None)

    def __call__(self, text: str, *arguments: Any) -> str:
        """Return a text with its arguments, in English if there is no translation."""
        return self.fill(text, arguments)

    def fill(self, text: str, arguments: Sequence[Any], names: Sequence[str] | None = None) -> str:
        """Return a text with its arguments and the names of seats, in English if there is no translation."""
        translation = self.find(text)
        if translation is None:
            return labels.fill(text, arguments, names)
        return labels.fill(translation, arguments, names, self._category)

    def html(self, text: str, *arguments: Any) -> Markup:
        """Return a text of HTML with its arguments, which are escaped."""
        return Markup(self(text, *(escape(one) for one in arguments)))

    def marked(self, text: str, shape: Callable[[str], Markup] = escape) -> Markup:
        """Return a text as HTML; one that has no translation is marked as English.

        Args:
            text: the text; shape: makes HTML of it.
        """
        translation = self.find(text)
        return Markup('<span lang="en">{}</span>').format(shape(text)) if translation is None else shape(translation)

    def of(self, game: Game) -> "Translator":
        """Return the translator of the same language that knows a game's texts."""
        return Translator(self.language, game)
