"""Makes a big SVG smaller: what is drawn more than once is defined once and used, and names for pages are left out."""

import re
from collections import Counter
from collections.abc import Callable

_NAMES = re.compile(r' data-(?:el|key)="[^"]*"')
_PATH = re.compile(r'<path d="([^"]{16,})"([^>]*)/>')
_ALONG = re.compile(r'^ transform="translate\(([-\d.]+)\)"$')
_WORDS = re.compile(r'<g ([^>]*) stroke-linecap="round" stroke-linejoin="round">((?:(?!<g|</g>).)+)</g>')
_SHAPE = re.compile(r"<(?:rect|circle|ellipse)[^>]{44,}/>")
_HALF = re.compile(r'(?<=>)(<(?:(?!</symbol>).)+?)<g transform="rotate\(180\)">\1</g>')
_COLOUR = re.compile(r' color="[^"]*"')


class _Shelf:
    """Definitions, each under a short name."""

    def __init__(self) -> None:
        self._names, self._definitions = dict[str, str](), list[str]()

    def define(self, key: str, draw: Callable[[str], str]) -> str:
        """Return the name of what `draw` makes of it when it is not there yet."""
        if key not in self._names:
            self._names[key] = name = f"s{len(self._names)}"
            self._definitions.append(draw(f'id="{name}"'))
        return self._names[key]

    def __str__(self) -> str:
        return "".join(self._definitions)


def shrunk(symbols: str, body: str) -> str:
    """Return definitions and the body of an SVG that look the same.

    Args:
        symbols: the definitions; body: what is drawn. Neither has styles that tell elements apart by where they are.
    """
    shelf = _Shelf()
    symbols, body = _paths(symbols, body, shelf)
    symbols = _HALF.sub(lambda match: _twice(match[1], shelf), symbols)
    body = _words(_NAMES.sub("", body), shelf)
    body = _shapes(body, shelf)
    return f"<defs>{shelf}{symbols}</defs>{body}"


def _twice(half: str, shelf: _Shelf) -> str:
    """Return half a card and the same turned around."""
    name = shelf.define(half, lambda attributes: f"<g {attributes}>{half}</g>")
    return f'<use href="#{name}"/><use href="#{name}" transform="rotate(180)"/>'


def _paths(symbols: str, body: str, shelf: _Shelf) -> tuple[str, str]:
    """Draw each outline once; its colours and its place stay where it is used."""
    often = Counter(match[1] for match in _PATH.finditer(symbols + body))

    def used(match: re.Match[str]) -> str:
        outline, look = match.groups()
        if often[outline] == 1:
            return match[0]
        name = shelf.define(outline, lambda attributes: f'<path {attributes} d="{outline}"/>')
        place = _ALONG.sub(r' x="\1"', look)
        return f'<use href="#{name}"{place}/>'

    return _PATH.sub(used, symbols), _PATH.sub(used, body)


def _words(body: str, shelf: _Shelf) -> str:
    """Set each text once; its colour, size and place stay where it is used."""
    often = Counter(match[2] for match in _WORDS.finditer(body))

    def used(match: re.Match[str]) -> str:
        look, letters = match.groups()
        look = look if "currentColor" in letters else _COLOUR.sub("", look)
        pen = 'stroke-linecap="round" stroke-linejoin="round"'
        if often[letters] == 1:
            return f"<g {look} {pen}>{letters}</g>"
        name = shelf.define(letters, lambda attributes: f"<g {attributes} {pen}>{letters}</g>")
        return f'<use href="#{name}" {look}/>'

    return _WORDS.sub(used, body)


def _shapes(body: str, shelf: _Shelf) -> str:
    """Draw each frame, plate and chip once."""
    often = Counter(_SHAPE.findall(body))

    def used(match: re.Match[str]) -> str:
        shape = match[0]
        if often[shape] == 1:
            return shape
        name = shelf.define(shape, lambda attributes: shape.replace(" ", f" {attributes} ", 1))
        return f'<use href="#{name}"/>'

    return _SHAPE.sub(used, body)
