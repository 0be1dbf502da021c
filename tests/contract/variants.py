"""Variants drawn at random from the fields that a game declares."""

import random
from typing import Any

from hypothesis import strategies as st

WIDE = 12  # of a wide range of whole numbers, this many above the lowest are drawn


def combined(game: Any, options: dict[str, Any]) -> Any:
    """Return the variant, or None if its fields do not go together."""
    try:
        return game.agree(**options)
    except ValueError:
        return None


def values(game: Any, name: str) -> list[Any]:
    """Return sensible values of a field."""
    field, default = game.fields[name], game.variant._field_defaults[name]
    if field.choices:
        return list(field.choices)
    if field.numbers:
        return [*field.numbers, *[default] * len(field.numbers)]  # sizes for small experiments are half of all
    if isinstance(default, bool):
        return [False, True]
    if isinstance(default, float):
        return [default, field.low, field.high, (field.low + 2 * field.high) / 3]
    low, high = int(field.low), int(field.high)
    return [*range(low, min(low + WIDE, high) + 1), *[default] * WIDE]  # caps often stay off, so that games end


def one(game: Any, rng: random.Random) -> Any:
    """Return a variant drawn at random."""
    while True:
        variant = combined(game, {name: rng.choice(values(game, name)) for name in game.fields})
        if variant is not None:
            return variant


def drawn(game: Any, count: int, seed: int = 1, most: int = 10_000) -> list[Any]:
    """Return the default variant and others drawn at random, with at most so many actions."""
    rng, found = random.Random(f"{game.name} {seed}"), [game.agree()]
    if game.actions(found[0]) > most:
        found = []
    while len(found) < count:
        variant = one(game, rng)
        if variant not in found and game.actions(variant) <= most:
            found.append(variant)
    return found


def strategy(game: Any) -> st.SearchStrategy[Any]:
    """Return the strategy that draws a game's variants."""
    fields = {name: st.sampled_from(values(game, name)) for name in game.fields}
    options = st.fixed_dictionaries({}, optional=fields)
    return options.map(lambda given: combined(game, given)).filter(lambda variant: variant is not None)
