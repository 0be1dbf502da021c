"""Recorded games as ONE SVG that moves, by SMIL: it plays wherever a picture is shown, without a script.

The SVG is big, so it is made smaller: a shape that is drawn more than once is defined once and used, and names for
pages are left out.
"""

import math
import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from html import escape
from itertools import groupby

from kozyr.envs.pictures import card_art
from kozyr.envs.viewer.frames import Drawing, Part

GLIDE = 0.25  # seconds that a card takes at most
_SHARE = 0.6  # of a ply's time
_FINE = 0.01  # seconds that no time is wrong by
_STEPS = ' calcMode="discrete"'
_NAMES = re.compile(r' data-(?:el|key)="[^"]*"')
_PATH = re.compile(r'<path d="([^"]{16,})"([^>]*)/>')
_ALONG = re.compile(r'^ transform="translate\(([-\d.]+)\)"$')
_WORDS = re.compile(r'<g ([^>]*) stroke-linecap="round" stroke-linejoin="round">((?:(?!<g|</g>).)+)</g>')
_SHAPE = re.compile(r"<(?:rect|circle|ellipse)[^>]{44,}/>")
_HALF = re.compile(r'(?<=>)(<(?:(?!</symbol>).)+?)<g transform="rotate\(180\)">\1</g>')
_COLOUR = re.compile(r' color="[^"]*"')


class _Node:
    """An element of the document: one part in all the frames in which it keeps its place among the others."""

    def __init__(self, came_from: Part | None) -> None:
        self.came_from = came_from  # where the same part was in the frame before, as another element
        self.parts = dict[int, Part]()  # by frame


def svg(drawings: Sequence[Drawing], delay: float, hold: int, title: str) -> str:
    """Return a film of pictures as SVG that repeats for ever.

    Args:
        drawings: the pictures.
        delay: seconds that each of them stays.
        held: how many delays the last one stays.
        title: what screen readers say.
    """
    clock = _Clock(delay, len(drawings), hold)
    wide, high = max(one.wide for one in drawings), max(one.high for one in drawings)
    used = sorted(set[str]().union(*(one.symbols for one in drawings)))
    ground = f'<rect width="{wide}" height="{high}" fill="{drawings[0].ground or "#fff"}"/>'
    pieces = [piece for node in _nodes(drawings) for piece in clock.drawings_of(node)]
    together = groupby(pieces, lambda piece: piece[0])
    body = "".join(_within(gate, "".join(picture for _, picture in same)) for gate, same in together)
    size = f'width="{wide / 10:g}" height="{high / 10:g}" viewBox="0 0 {wide} {high}"'
    picture = shrunk("".join(map(card_art.symbol, used)), ground + body)
    return f'<svg xmlns="http://www.w3.org/2000/svg" role="img" {size}><title>{escape(title)}</title>{picture}</svg>'


def _within(gate: str, body: str) -> str:
    """Return a drawing that is there while a gate is open; an empty gate always is."""
    return f"{gate}{body}</g>" if gate else body


def _nodes(drawings: Sequence[Drawing]) -> list[_Node]:
    """Return elements in an order that is right in every frame: a part that would be out of it becomes a new one."""
    order, newest = list[_Node](), dict[str, _Node]()
    for i, drawing in enumerate(drawings):
        at = -1
        for part in drawing.parts:
            node = newest.get(part.name)
            place = -1 if node is None else order.index(node)
            if node is None or place <= at:
                node = _Node(None if node is None else node.parts.get(i - 1))
                newest[part.name], place = node, at + 1
                order.insert(place, node)
            node.parts[i] = part
            at = place
    return order


class _Clock:
    """Turns frames into times of the film."""

    def __init__(self, delay: float, count: int, hold: int) -> None:
        self.delay, self.count = delay, count
        self.length = delay * (count - 1 + hold)
        self.glide = min(GLIDE, _SHARE * delay)
        self.digits = max(3, math.ceil(math.log10(self.length / _FINE)))  # of a share of the length

    def drawings_of(self, node: _Node) -> list[tuple[str, str]]:
        """Return an element with all that happens to it, in pieces with the gates that they stand behind."""
        pieces = [(self._gate(frames), _turned(part)) for part, frames in _runs(node)]
        moves = self._moves(node)
        if moves is None:
            return pieces
        x, y = next(iter(node.parts.values())).at()
        place = f'transform="translate({x:g} {y:g})"'
        if len(pieces) == 1:
            gate, body = pieces[0]
            return [(gate, f"<g {place}>{moves}{body}</g>")]
        return [("", f"<g {place}>{moves}{''.join(_within(*piece) for piece in pieces)}</g>")]

    def _gate(self, frames: list[int]) -> str:
        """Return the begin of a group that is shown in some frames, and in no other."""
        if len(frames) == self.count:
            return ""
        spans = list(_spans(frames))
        times = {0.0: "none"}
        for first, end in spans:
            times[first * self.delay] = "inline"
            if end < self.count:
                times[end * self.delay] = "none"
        hidden = "" if spans[0][0] == 0 else ' display="none"'
        return f"<g{hidden}>{self._animate('animate', 'display', times, _STEPS)}"

    def _moves(self, node: _Node) -> str | None:
        """Return the motion of an element; None for one that is drawn in its place."""
        if not next(iter(node.parts.values())).place:
            return None
        times, before = dict[float, str](), node.came_from
        for i, part in node.parts.items():
            x, y = part.at()
            if before is not None and before.place and before.at() != (x, y):
                a, b = before.at()
                times[i * self.delay] = f"{a:g} {b:g}"
                times[i * self.delay + self.glide] = f"{x:g} {y:g}"
            elif before is None:
                times[0.0] = f"{x:g} {y:g}"
            before = part
        if len(set(times.values())) < 2:
            return ""
        times.setdefault(0.0, times[min(times)])
        times = {time: times[time] for time in sorted(times)}
        return self._animate("animateTransform", "transform", self._still(times), ' type="translate"')

    def _still(self, times: dict[float, str]) -> dict[float, str]:
        """Hold every value until the next motion begins: a motion is a pair of times one glide apart."""
        values, last = dict[float, str](), ""
        for time, value in times.items():
            if last and value != last and not any(abs(time - self.glide - one) < 1e-6 for one in values):
                values[max(time - 1e-3, 0.0)] = last
            values[time] = last = value
        values[self.length] = last
        return values

    def _animate(self, kind: str, name: str, times: dict[float, str], more: str) -> str:
        keys = ";".join(_short(time / self.length, self.digits) for time in times)
        values = ";".join(times.values())
        clock = f'dur="{self.length:g}s" repeatCount="indefinite"'
        return f'<{kind} attributeName="{name}"{more} values="{values}" keyTimes="{keys}" {clock}/>'


def _short(share: float, digits: int) -> str:
    """Return a share of the film's length, without the zeros that say nothing."""
    return f"{share:.{digits}f}".rstrip("0").removesuffix(".").removeprefix("0") or "0"


def _turned(part: Part) -> str:
    """Return a part's drawing as it lies, from its own corner."""
    _, rotate, angle = part.place.partition("rotate")
    return f'<g transform="{rotate}{angle}">{part.body}</g>' if rotate else part.body


def _runs(node: _Node) -> Iterator[tuple[Part, list[int]]]:
    """Yield the looks of an element, each once, with the frames in which it has them."""
    looks = dict[tuple[str, str], tuple[Part, list[int]]]()
    for i, part in node.parts.items():
        turn = part.place.partition("rotate")[2]
        looks.setdefault((part.body, turn), (part, []))[1].append(i)
    yield from looks.values()


def _spans(frames: list[int]) -> Iterator[tuple[int, int]]:
    """Give runs of frames that follow each other, as [first, end)."""
    for _, run in groupby(enumerate(frames), lambda pair: pair[1] - pair[0]):
        places = [frame for _, frame in run]
        yield places[0], places[-1] + 1


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
