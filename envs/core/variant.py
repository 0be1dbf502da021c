"""Variants: the options of a game, checked field by field with sentences for errors."""

import difflib
from collections.abc import Mapping
from typing import Any, NamedTuple

from kozyr.envs.core.quote import quote


class Field(NamedTuple):
    """Allowed values of one field of a Variant: named choices, listed numbers, or a range.

    A `later` one came after the first records: one that lacks it was played with its default, which so never changes.
    """

    meaning: str
    low: float = 0
    high: float = 1
    choices: tuple[str, ...] = ()
    numbers: tuple[int, ...] = ()
    later: bool = False

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
    return variant_type(**values)


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
