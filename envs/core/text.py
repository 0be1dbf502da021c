"""Text forms of a game: its own where people or language models read them, else derived from its declarations.

A derived position has a line for each field of the state, a derived view a line for each of its parts: the name, a
colon, the numbers in their order. The rows of a table of numbers are parted by " / ". A derived short view is the view
with short names of seats, without parts that are all zeros.
"""

import re
from collections.abc import Callable, Sequence
from functools import lru_cache
from importlib import import_module
from importlib.util import find_spec
from inspect import cleandoc
from types import ModuleType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kozyr.envs.core import dispatch, input_spec, labels
from kozyr.envs.core.game import Game
from kozyr.envs.core.labels import Phrase
from kozyr.envs.core.quote import quote
from kozyr.envs.core.state import OVER, is_gap
from kozyr.envs.core.text_lines import YOU, blank, content, finished, parts_of, seat_number, short_names

FORMS = ("say", "parse", "write", "read", "write_view", "read_view")
SHORT_FORMS = ("write_short", "short_rules", "short_actions", "short_event")
_ROWS = " / "
_HEAD = "seats are counted clockwise from you"
_SEAT = re.compile(rf"player_(\d{{1,9}}){re.escape(YOU)}: {_HEAD}", re.ASCII)
_WHOLE = re.compile(r"-?\d{1,20}", re.ASCII)
_FRACTION = re.compile(r"-?\d{1,400}(\.\d{1,400})?", re.ASCII)
_EMPTY = re.compile(r": [0 /.]+$")  # a part of a derived view that is all zeros
_LISTED = 12  # actions that a refusal lists; of more it names two
_VARIANTS = 16  # whose actions are remembered in words


class Texts:
    """Text forms of one game.

    Args:
        game: the game; its declared actions have texts, or `Game(say=…)` says them, and `parse` follows.
        own: the module with the game's own forms, which take the place of derived ones; None: all are derived.

    Attributes:
        says_declared: whether actions are said in the words of their declarations.
    """

    def __init__(self, game: Game, own: ModuleType | None = None) -> None:
        self._game, self._own = game, own
        self._words = lru_cache(_VARIANTS)(self._spoken)
        own_say = getattr(own, "say", None)
        self.says_declared = game.say is None and own_say in (None, game.action_layout.say)
        for name in (*FORMS, *SHORT_FORMS):
            if form := getattr(own, name, None):
                setattr(self, name, form)

    def say(self, v: Any, s: Any, action: int, seat: int | None = None) -> str:
        """Return an action in words, as `seat` may hear it; None: all of it."""
        own: Callable[..., str] | None = self._game.say
        return self._game.action_layout.say(v, s, action, seat) if own is None else own(v, s, action, seat)

    def table_words(
        self, v: Any, s: Any, action: int, seat: int | None = None, names: Sequence[str] | None = None
    ) -> str:
        """Return a legal action of the seat to move as a table shows it to `seat`: on a button, in the log, as advice.

        Args:
            v: the variant; s: the state before the action.
            action: its number; seat: who reads it, None: one who may know all.
            names: who plays, a seat each; None: player_0 and so on.
        """
        return labels.say(self.table_phrase(v, s, action, seat), names)

    def table_phrase(self, v: Any, s: Any, action: int, seat: int | None = None) -> Phrase:
        """Return a legal action as `table_words` has it, as a text and its arguments, which can be translated.

        The words are those of the game's `elements`; where it has none, and in what a seat may not hear, those of
        `say`. A game has its own `table_phrase(v, s, action, seat, button)` in place of the second half, which gets
        the phrase of the button.
        """
        row = np.zeros(input_spec.ENTRIES, np.int32)
        dispatch.elements(v, s, action, row)
        label = self._game.labels.get(int(row[input_spec.SAID]))
        if label is None:
            return self.say_phrase(v, s, action, seat)
        button = (label, *row[input_spec.SAID_A : input_spec.SAID_C + 1].tolist())
        if own := getattr(self._own, "table_phrase", None):
            return own(v, s, action, seat, button)
        return button if self._all_hear(v, s, action, seat) else self.say_phrase(v, s, action, seat)

    def say_phrase(self, v: Any, s: Any, action: int, seat: int | None = None) -> Phrase:
        """Return an action as `say` has it, as a phrase: the declared one, or all of it as an argument."""
        if self.says_declared:
            return self._game.action_layout.phrase(v, action)
        return "{0}", self.say(v, s, action, seat)

    def _all_hear(self, v: Any, s: Any, action: int, seat: int | None) -> bool:
        """Tell if a seat may hear as much of an action as the one that acts."""
        return seat in (None, s.turn) or self.say(v, s, action, seat) == self.say(v, s, action, int(s.turn))

    def parse(self, v: Any, text: str) -> int:
        """Return the action that is said so.

        Raises:
            ValueError: if none is.
        """
        if self._game.say is None:
            return self._game.action_layout.parse(v, text)
        words = self._words(v)
        action = words.get(text.strip().lower())
        if action is None:
            each = list(words)
            ways = " or ".join(each) if len(each) <= _LISTED else f"one as {each[0]!r} or {each[-1]!r}"
            raise ValueError(f"{quote(text)} is no action: write {ways}")
        return action

    def _spoken(self, v: Any) -> dict[str, int]:
        """Return all actions by their words."""
        s = np.zeros(1, self._game.layout(v))[0]
        return {self.say(v, s, action).lower(): action for action in range(self._game.actions(v))}

    def write(self, v: Any, s: Any, seat: int | None = None) -> str:
        """Return a position, or the view that a seat has of it."""
        if seat is not None:
            return self.write_view(v, self._game.view(v, s, seat), seat)
        return "\n".join(f"{name}: {_numbers(s[name])}" for name in _fields(self._game.layout(v)))

    def read(self, v: Any, text: str) -> NDArray[Any]:
        """Return the position in a text as an array of one state; the inverse of `write`.

        Raises:
            ValueError: if it is no position of this variant.
        """
        layout = self._game.layout(v)
        states: Any = np.zeros(1, layout)
        for name, numbers in zip(_fields(layout), _contents(text, _fields(layout), "a position"), strict=True):
            states[name][0] = _read_numbers(name, numbers, layout[name].base, layout[name].shape)
        self._check(v, states[0])
        return states

    def _check(self, v: Any, s: Any) -> None:
        """Raise ValueError for a position that cannot be."""
        seats = self._game.seats(v)
        if not (0 <= s.turn < seats or s.turn == OVER):
            raise ValueError(f"turn: {s.turn} is not allowed: a seat from 0 to {seats - 1}, or {OVER} after the end")
        if not 0 <= s.starter < seats:
            raise ValueError(f"starter: {s.starter} is not allowed: a seat from 0 to {seats - 1}")
        if not dispatch.sound(v, s):
            raise ValueError(f"no game of {self._game.name} comes to this position: it is not `sound`")

    def write_view(self, v: Any, view: NDArray[Any], seat: int) -> str:
        """Return a view as text; `seat` is its owner."""
        parts = parts_of(self._game, v, view)
        lines = [f"{name}: {_numbers(parts[name].reshape(shape))}" for name, shape in self._shapes(v)]
        return "\n".join([f"player_{seat}{YOU}: {_HEAD}", *lines])

    def read_view(self, v: Any, text: str) -> NDArray[Any]:
        """Return the view in a text; the inverse of `write_view`.

        Raises:
            ValueError: if it is no view of this variant.
        """
        head, _, rest = text.strip().partition("\n")
        seat = _SEAT.fullmatch(head.strip())
        if seat is None:
            raise ValueError(
                f"the text of a seat begins with the line 'player_0{YOU}: {_HEAD}', not with {quote(head)}"
            )
        seat_number(seat[1], self._game.seats(v))
        shapes = self._shapes(v)
        view, parts = blank(self._game, v)
        lines = _contents(rest, [name for name, _ in shapes], "a view, below its first line,")
        for (name, shape), numbers in zip(shapes, lines, strict=True):
            parts[name][:] = _read_numbers(name, numbers, view.dtype, shape).reshape(-1)
        return finished(self._game, v, view)

    def write_short(self, v: Any, view: NDArray[Any], seat: int) -> str:
        """Return a view as a short text: all that a decision of `seat` needs, in few characters."""
        text = short_names(self.write_view(v, view, seat), seat)
        if not self.derives("write_view"):
            return text
        return "\n".join(line for line in text.splitlines()[1:] if not _EMPTY.search(line))

    def short_rules(self, v: Any) -> str:
        """Return the rules of a variant in a few sentences, with rewards and how to read `write_short`; "": none."""
        return ""

    def short_actions(self, v: Any, mask: NDArray[np.int8], words: Callable[[], list[str]]) -> str:
        """Return all legal actions in one line; `words` returns the words of each."""
        each = words()
        return (", " if any(" " in one for one in each) else " ").join(each)

    def short_event(self, v: Any, words: str) -> str:
        """Return a move that was made in words; "": the short text of a view shows it."""
        return words

    def _shapes(self, v: Any) -> list[tuple[str, tuple[int, ...]]]:
        """Return the parts of a view that have entries, with their shapes."""
        declared = self._game.parts.declared
        return [(name, declared[name].shape(v)) for name, *_ in self._game.declaration(v)]

    def derives(self, form: str) -> bool:
        """Tell if a form, as "write_view", follows from the declarations."""
        return not hasattr(self._own, form)

    def explain_view(self, v: Any) -> str:
        """Return a reading aid for the text of a view: the docstring of its module, or the meaning of each part."""
        if not self.derives("write_view"):
            return cleandoc(getattr(import_module(self.write_view.__module__), "__doc__", None) or "")
        declared = self._game.parts.declared
        return "\n".join(f"- {name}: {declared[name].meaning}" for name, _ in self._shapes(v))


def texts_of(game: Game) -> Texts:
    """Return the text forms of a game, with those of the module `text` in its package, if it has one.

    Raises:
        ImportError: if the module is there and cannot be loaded.
    """
    package = game.package
    own = import_module(".text", package) if package and find_spec(".text", package) else None
    return Texts(game, own)


def _fields(layout: np.dtype[Any]) -> list[str]:
    """Return the names of a state's fields; the generator comes last."""
    return [*(name for name in layout.names or () if name != "rng" and not is_gap(name)), "rng"]


def _numbers(values: Any) -> str:
    """Return numbers as text, the last axis in rows."""
    array = np.asarray(values)
    rows = array.reshape(-1, array.shape[-1]) if array.ndim > 1 else array.reshape(1, -1)
    return _ROWS.join(" ".join(map(_number, row)) for row in rows)


def _number(value: Any) -> str:
    return str(int(value)) if value.dtype.kind in "biu" else np.format_float_positional(value, trim="-")


def _contents(text: str, labels: Sequence[str], whole: str) -> list[str]:
    """Return the texts behind the labels of all lines."""
    lines = text.strip().splitlines()
    if len(lines) != len(labels):
        raise ValueError(f"{whole} has {len(labels)} lines here: {', '.join(labels)}; not {len(lines)}")
    return [content(line, label) for line, label in zip(lines, labels, strict=True)]


def _read_numbers(name: str, text: str, kind: np.dtype[Any], shape: tuple[int, ...]) -> NDArray[Any]:
    """Return the numbers of a line as an array of a type and a shape."""
    rows = [row.split() for row in text.split(_ROWS.strip())]
    wide = shape[-1] if shape else 1
    if len(rows) * wide != int(np.prod(shape)) or any(len(row) != wide for row in rows):
        due = f"{' × '.join(map(str, shape))} numbers, rows parted by '{_ROWS.strip()}'" if shape else "one number"
        raise ValueError(f"{name}: {quote(text)} is not allowed: it has {due}")
    numbers = [_read_number(name, word, kind) for row in rows for word in row]
    return np.array(numbers, kind).reshape(shape)


def _read_number(name: str, word: str, kind: np.dtype[Any]) -> float:
    """Return one number that its type can hold."""
    if kind.kind == "f":
        if _FRACTION.fullmatch(word):
            return float(word)
        raise ValueError(f"{name}: {quote(word)} is no number")
    low, high = (0, 1) if kind.kind == "b" else (np.iinfo(kind).min, np.iinfo(kind).max)
    if not _WHOLE.fullmatch(word) or not low <= int(word) <= high:
        raise ValueError(f"{name}: {quote(word)} is no whole number from {low} to {high}")
    return int(word)
