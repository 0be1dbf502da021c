"""Variants drawn at random from the fields that a game declares."""

import itertools
import math
import random
from collections.abc import Iterator
from typing import Any

from hypothesis import strategies as st

TRIES = 500  # draws for each variant that is looked for, after which all are listed
MOST = 100_000  # combinations of values that are listed
WIDE = 12  # of a wide range of whole numbers, this many above the lowest are drawn


def combined(game: Any, options: dict[str, Any]) -> Any:
    """Return the variant, or None if its fields do not go together."""
    try:
        return game.make_variant(**options)
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


def options(game: Any, rng: random.Random, base: str | None) -> dict[str, Any]:
    """Return options drawn at random: all of them, or those in which they depart from a preset.

    The fields of a preset often mean nothing without each other.
    """
    if base is None:
        some = 1 / 2 if game.presets else 1
        return {n: rng.choice(values(game, n)) for n in game.fields if some == 1 or rng.random() < some}
    few = {"rounds": rng.randint(1, 4)} if "rounds" in game.presets[base] else {}  # or an episode takes very long
    names = [name for name in game.fields if name not in few and rng.random() < 1 / 6]
    return {"rules": base, **few} | {name: rng.choice(values(game, name)) for name in names}


def one(game: Any, rng: random.Random) -> Any:
    """Return a variant drawn at random, or the default one where hardly any values go together."""
    base = rng.choice([None, *game.presets]) if game.presets else None
    for _ in range(TRIES):
        variant = combined(game, options(game, rng, base))
        if variant is not None:
            return variant
    return game.make_variant()


def drawn(game: Any, count: int, seed: int = 1, most: int = 10_000) -> list[Any]:
    """Return the default variant and others drawn at random, with at most so many actions; fewer if there are fewer."""
    rng, found = random.Random(f"{game.name} {seed}"), [game.make_variant()]
    if game.actions(found[0]) > most:
        found = []
    tries = itertools.chain((one(game, rng) for _ in range(TRIES * count)), every(game))
    while len(found) < count:
        variant = next(tries, None)
        if variant is None:
            break
        if variant not in found and game.actions(variant) <= most:
            found.append(variant)
    return found


def switched(game: Any) -> list[Any]:
    """Return the default variant with each of its yes-or-no options turned, one at a time."""
    defaults = game.variant._field_defaults.items()
    turned = (combined(game, {name: not default}) for name, default in defaults if isinstance(default, bool))
    return [variant for variant in turned if variant is not None]


def every(game: Any) -> Iterator[Any]:
    """Give all variants of a game that has few."""
    sensible = [list(dict.fromkeys(values(game, name))) for name in game.fields]
    if math.prod(map(len, sensible)) > MOST:
        return
    for chosen in itertools.product(*sensible):
        variant = combined(game, dict(zip(game.fields, chosen, strict=True)))
        if variant is not None:
            yield variant


def strategy(game: Any) -> st.SearchStrategy[Any]:
    """Return the strategy that draws a game's variants."""
    if game.presets:
        return st.integers(0, 2**32).map(lambda seed: one(game, random.Random(seed)))
    fields = {name: st.sampled_from(values(game, name)) for name in game.fields}
    options = st.fixed_dictionaries({}, optional=fields)
    return options.map(lambda given: combined(game, given)).filter(lambda variant: variant is not None)
