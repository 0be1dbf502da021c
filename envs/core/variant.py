"""Variants: the options of a game, checked field by field with sentences for errors.

Where a game has static fields, a variant in which all of them have their defaults is of a class of its own, a `Plain`
one. It is the same tuple, and compiled code of that class takes the defaults as constants.
"""

import difflib
from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

from kozyr.envs.compile import fixes, owns
from kozyr.envs.core.quote import quote

_plain = dict[type, Any]()  # classes of variants with static fields, and their plain ones
_general = dict[type, type]()  # the other way round


class Field(NamedTuple):
    """Allowed values of one field of a Variant: named choices, listed numbers, or a range.

    A `later` one came after the first records: one that lacks it was played with its default, which so never changes.
    A `static` one is for a rule that few variants have: where all static ones have their defaults, games are compiled
    without these rules, and so are as fast as if there were none.
    """

    meaning: str
    low: float = 0
    high: float = 1
    choices: tuple[str, ...] = ()
    numbers: tuple[int, ...] = ()
    later: bool = False
    static: bool = False

    def allowed(self, default: Any) -> str:
        """Return the allowed values of the field in words."""
        if self.choices:
            return "one of " + ", ".join(repr(choice) for choice in self.choices)
        if self.numbers:
            return "one of " + ", ".join(map(str, self.numbers))
        if isinstance(default, bool):
            return "True or False"
        return f"{'a number' if isinstance(default, float) else 'a whole number'} from {self.low} to {self.high}"


def make(variant_type: Any, fields: Mapping[str, Field], options: Mapping[str, Any]) -> Any:
    """Return a variant made from options, or raise ValueError naming the field, the value and the allowed ones."""
    defaults = variant_type._field_defaults
    values = dict(defaults)
    for name, value in options.items():
        if name not in fields:
            close = difflib.get_close_matches(name, fields, 1)
            hint = f"; did you mean {close[0]!r}?" if close else "."
            raise ValueError(f"unknown variant field {quote(name)}{hint} The fields are: {', '.join(fields)}")
        values[name] = _checked(name, value, fields[name], defaults[name])
    return plain(variant_type(**values))


class Plain:
    """What is added to the class of a variant whose static fields all have their defaults."""

    __slots__ = ()

    @classmethod
    def _make(cls, values: Iterable[Any]) -> Any:
        """Return a variant of other values, as `_replace` asks for: of the class that they have."""
        general: Any = _general[cls]
        return plain(general._make(values))

    def __reduce__(self) -> Any:
        this: Any = self
        return _remade, (_general[type(self)], *this)

    def __repr__(self) -> str:
        this: Any = self
        return repr(_general[type(self)](*this))


def _remade(variant_type: type, *values: Any) -> Any:
    return plain(variant_type(*values))


def declare_static(variant_type: Any, fields: Mapping[str, Field]) -> None:
    """Make the plain class of a game's variant, if it has static fields."""
    defaults = {name: variant_type._field_defaults[name] for name, field in fields.items() if field.static}
    if not defaults or variant_type in _plain:
        return
    body = {
        "__slots__": (),
        "__module__": variant_type.__module__,
        "__qualname__": f"{variant_type.__qualname__}.Plain",  # where it is found again, as in the cache of code
    }
    kind: Any = type(f"{variant_type.__name__}_plain", (Plain, variant_type), body)
    variant_type.Plain = kind
    owns(kind)
    fixes(kind, defaults)
    _plain[variant_type], _general[kind] = (kind, defaults), variant_type


def plain(variant: Any) -> Any:
    """Return a variant as one of its plain class, if all static fields have their defaults."""
    kind, defaults = _plain.get(variant.__class__, (None, {}))
    if kind is None or any(getattr(variant, name) != value for name, value in defaults.items()):
        return variant
    return tuple.__new__(kind, variant)


def general(variant_type: type) -> type:
    """Return the class that a game has declared for a class of variants."""
    return _general.get(variant_type, variant_type)


def describe(variant: Any, fields: Mapping[str, Field]) -> dict[str, Any]:
    """Return a variant as plain options, choices by their names; `make` takes them back."""
    return {
        name: fields[name].choices[value] if fields[name].choices else value
        for name, value in variant._asdict().items()
    }


def _checked(name: str, value: Any, field: Field, default: Any) -> Any:
    """Return `value` in the type of the default, or raise."""
    wrong = ValueError(f"{name}={quote(value)} is not allowed: {name} is {field.allowed(default)}")
    if field.choices:
        if not isinstance(value, str) or value not in field.choices:
            raise wrong
        return field.choices.index(value)
    try:
        number: float = float(value)
        fits = number == type(default)(value) and not isinstance(value, (str, bytes))
    except (TypeError, ValueError, OverflowError):
        raise wrong from None
    within = value in field.numbers if field.numbers else field.low <= number <= field.high
    if not fits or not within:
        raise wrong
    return type(default)(value)
