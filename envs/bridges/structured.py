"""Views and actions as named JSON, by the game's own declarations, and the JSON Schemas of both.

Web pages, language models and other languages need no offsets then:

    {"hand": [0, 1, …], "trump": [0, 0, 1, 0], "stock": 24, …}
    {"action": 7, "text": "9C", "kind": "play", "card": "9C"}

An observation has the parts of the view under their names: a number, a list, or a list of rows. An action has its
number, its text, and the kind and argument that the game's `Actions` declare.
"""

import json
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple, TypeVar, cast

import numpy as np
from numpy.typing import NDArray

from kozyr.envs.core.game import Game
from kozyr.envs.core.quote import quote
from kozyr.envs.environments import argument_checks
from kozyr.envs.table.table import Table

__all__ = ["action_dict", "action_of", "action_schema", "observation_dict", "observation_of", "observation_schema"]

_DIALECT = "https://json-schema.org/draft/2020-12/schema"
_ACTION, _TEXT = "action", "text"
_KEPT = 64  # views and lists of actions that are remembered
_SHOWN = 5  # names in an error


def observation_dict(game: Game, variant: Any, view: NDArray[Any]) -> dict[str, Any]:
    """Return a view as its named parts; one that the variant does not have is left out.

    Args:
        game: the game; variant: its options.
        view: [view] what a seat knows.

    Raises:
        ValueError: for a view of another length.

    Example:
        >>> from kozyr import envs
        >>> game = envs.game("mnk")
        >>> table = Table(game, v := game.make_variant(m=2, n=2, k=2), seed=1, starter=0)
        >>> table.play(1)
        >>> observation_dict(game, v, table.view(0))["mine"]
        [[0, 1], [0, 0]]
    """
    if np.shape(view) != (game.size(variant),):
        raise ValueError(f"a view of {game.id} has {game.size(variant)} numbers here, not shape {np.shape(view)}")
    observation: dict[str, Any] = {}
    for name, span, shape in _parts(game, variant):
        part = np.asarray(view)[span].reshape(shape)
        observation[name] = part.tolist() if shape else int(part)
    return observation


def observation_of(game: Game, variant: Any, document: Mapping[str, Any]) -> NDArray[Any]:
    """Return the view that a document of named parts tells: the inverse of `observation_dict`.

    Raises:
        ValueError: naming the part that is missing, unknown, of another shape, or out of its range.
    """
    view, parts = np.zeros(game.size(variant), game.view_dtype), _parts(game, variant)
    _require_names(document, [name for name, _, _ in parts], f"a part of {game.id}'s view")
    for name, span, shape in parts:
        if name not in document:
            raise ValueError(f"the part {quote(name)} is missing")
        most = game.parts.declared[name].top(variant)
        view[span] = [_entry(name, one, most) for one in _flat(name, document[name], shape)]
    return view


def observation_schema(game: Game, variant: Any) -> dict[str, Any]:
    """Return the JSON Schema (2020-12) of a variant's observations."""
    properties: dict[str, Any] = {}
    for name, _, shape in _parts(game, variant):
        part = game.parts.declared[name]
        schema: dict[str, Any] = {"type": "integer", "minimum": 0, "maximum": part.top(variant)}
        for length in reversed(shape):
            schema = {"type": "array", "items": schema, "minItems": length, "maxItems": length}
        properties[name] = {"description": part.meaning, **schema}
    return _schema(game, "observation", properties) | {"required": list(properties)}


def action_dict(game: Game, variant: Any, action: int) -> dict[str, Any]:
    """Return an action as its number, its text, and the parts that the game names.

    Raises:
        ValueError: for no action of the variant.

    Example:
        >>> from kozyr import envs
        >>> game = envs.game("durak")
        >>> action_dict(game, game.make_variant(deck=36), 3)
        {'action': 3, 'text': '9C', 'kind': 'play', 'card': '9C'}
    """
    known = _known(game, variant)
    if not argument_checks.is_whole(action) or not 0 <= action < len(known.texts):
        raise ValueError(f"{quote(action)} is no action: actions run from 0 to {len(known.texts) - 1}")
    return {_ACTION: int(action), _TEXT: known.texts[action], **known.parts[action]}


def action_of(game: Game, variant: Any, document: Mapping[str, Any]) -> int:
    """Return the number of the action that a document tells, legal or not: the inverse of `action_dict`.

    The number, the text or all parts are enough; where more is given, it must be of the same action.

    Raises:
        ValueError: saying what is wrong.
    """
    known = _known(game, variant)
    _require_names(document, [_ACTION, _TEXT, *known.names], f"a part of an action of {game.id}")
    numbers = dict[str, int]()
    if _ACTION in document:
        numbers[_ACTION] = int(action_dict(game, variant, document[_ACTION])[_ACTION])
    if _TEXT in document:
        text: object = document[_TEXT]
        if not isinstance(text, str):
            raise ValueError(f"text={quote(text)} is not allowed: it is a string")
        numbers[_TEXT] = game.text.parse(variant, text)
    if parts := {name: value for name, value in document.items() if name not in (_ACTION, _TEXT)}:
        numbers["parts"] = _number_of(known, parts)
    if not numbers:
        ways = " or ".join(["action", "text", *([" and ".join(known.names)] if known.names else [])])
        raise ValueError(f"this is no action: give {ways}")
    if len(set(numbers.values())) > 1:
        answers = ", ".join(f"{how} tell{'' if how == 'parts' else 's'} {number}" for how, number in numbers.items())
        raise ValueError(f"this is more than one action: {answers}")
    return next(iter(numbers.values()))


def action_schema(game: Game, variant: Any, mask: NDArray[Any] | None = None) -> dict[str, Any]:
    """Return the JSON Schema (2020-12) of a variant's actions.

    Args:
        game: the game; variant: its options.
        mask: [actions] what is legal; the schema then lists these actions alone. None: all.
    """
    known = _known(game, variant)
    numbers: list[int] = list(range(len(known.texts))) if mask is None else np.flatnonzero(mask).tolist()
    properties: dict[str, Any] = {_ACTION: {"description": "its number", **_values(numbers, listed=mask is not None)}}
    texts = [known.texts[number] for number in numbers]
    text = {"description": "its text", "type": "string"}
    properties[_TEXT] = {**text, "examples": texts[:_SHOWN]} if mask is None else {**text, "enum": texts}
    for name in known.names:
        values = [known.parts[number][name] for number in numbers if name in known.parts[number]]
        if values:
            properties[name] = _values(_once(values))
    ways = [[_ACTION], [_TEXT], *_once([list(known.parts[number]) for number in numbers if known.parts[number]])]
    return _schema(game, "action", properties) | {"anyOf": [{"required": way} for way in ways]}


class _Part(NamedTuple):
    """A part of a view: its name, its place and its shape."""

    name: str
    span: slice
    shape: tuple[int, ...]


class _Known(NamedTuple):
    """A variant's actions by their numbers.

    Attributes:
        said: their texts; parts: what they consist of; names: of all parts; numbers: by their parts as JSON.
    """

    texts: list[str]
    parts: list[dict[str, Any]]
    names: list[str]
    numbers: dict[str, int]


def _known(game: Game, variant: Any) -> _Known:
    return _remembered(_listed, game, variant)


Made = TypeVar("Made")
_cache = dict[tuple[Any, int, Any], tuple[Game, Any]]()  # by its maker, the game (which has no hash) and the variant


def _remembered(make: Callable[[Game, Any], Made], game: Game, variant: Any) -> Made:
    """Return a value that depends on a game and a variant, and remember it for some variants."""
    key = make, id(game), variant
    entry = _cache.get(key)
    if entry is None:
        if len(_cache) >= _KEPT:
            _cache.pop(next(iter(_cache)), None)
        entry = _cache[key] = game, make(game, variant)
    return entry[1]


def _listed(game: Game, variant: Any) -> _Known:
    """List a variant's actions; without a seat that hears them, texts do not depend on the position."""
    state, numbers = Table(game, variant, seed=0).states[0], range(game.actions(variant))
    parts = [game.action_parts(variant, action) for action in numbers]
    names = list(dict.fromkeys(name for one in parts for name in one))
    by_parts = {_key(one): action for action, one in enumerate(parts) if one}
    return _Known([game.text.say(variant, state, action) for action in numbers], parts, names, by_parts)


def _number_of(known: _Known, parts: Mapping[str, Any]) -> int:
    """Return the action that consists of these parts."""
    number = known.numbers.get(_key(parts))
    if number is None:
        listed = ", ".join(f"{name}={value!r}"[:100] for name, value in parts.items())
        raise ValueError(f"no action consists of {listed}: give all parts of one, as {json.dumps(known.parts[0])}")
    return number


def _key(parts: Mapping[str, Any]) -> str:
    return json.dumps(dict(parts), sort_keys=True, default=str)


def _parts(game: Game, variant: Any) -> list[_Part]:
    return _remembered(_laid_out, game, variant)


def _laid_out(game: Game, variant: Any) -> list[_Part]:
    """Return the parts that a variant's view has."""
    spans, declared = game.parts(variant).spans(), game.parts.declared
    present = [(name, span) for name, span in spans.items() if span.stop > span.start]
    return [_Part(name, span, declared[name].shape(variant)) for name, span in present]


def _flat(name: str, value: Any, shape: Sequence[int]) -> list[Any]:
    """Return the numbers of a part, or raise ValueError if they do not have its shape."""
    if not shape:
        return [value]
    items = cast(list[Any], value)
    if not isinstance(value, list) or len(items) != shape[0]:
        has = f"{len(items)} items" if isinstance(value, list) else "none"
        raise ValueError(f"{name} is a list of {' × '.join(map(str, shape))} numbers: there is {has}")
    return [number for item in items for number in _flat(name, item, shape[1:])]


def _entry(name: str, value: Any, most: int) -> int:
    """Return one number of a part."""
    if not argument_checks.is_whole(value) or not 0 <= value <= most:
        raise ValueError(f"{name} holds {quote(value)}: its numbers run from 0 to {most}")
    return int(value)


def _require_names(document: Any, names: Sequence[str], what: str) -> None:
    """Raise ValueError for what is no dictionary, and for unknown names in it."""
    if not isinstance(document, Mapping):
        raise ValueError(f"{quote(document)} is no object with names and values")
    for name in cast(Mapping[Any, Any], document):
        if name not in names:
            raise ValueError(f"{quote(name)} is not {what}: there are {', '.join(names)}")


def _values(values: Sequence[Any], listed: bool = False) -> dict[str, Any]:
    """Return the schema of some values: a range for whole numbers, if they are not to be listed, else a list."""
    if listed or not all(argument_checks.is_whole(one) for one in values):
        return {"enum": list(values)}
    return {"type": "integer", "minimum": min(values), "maximum": max(values)}


def _once(values: Sequence[Any]) -> list[Any]:
    """Return values without repetitions, in order; they may be lists."""
    return list({json.dumps(one): one for one in values}.values())


def _schema(game: Game, what: str, properties: dict[str, Any]) -> dict[str, Any]:
    head = {"$schema": _DIALECT, "title": f"{game.id} {what}", "type": "object"}
    return {**head, "properties": properties, "additionalProperties": False}
