"""Texts of the games: actions, whole positions, and what a seat knows. An input is a line of options, then the text."""

import json
from collections.abc import Callable, Sequence
from functools import lru_cache, partial
from typing import Any

import numpy as np

from kozyr import envs
from kozyr.envs.core.state import OVER
from tests.contract.table import Table, content
from tests.fuzz import mutate
from tests.fuzz.errors import require
from tests.fuzz.targets.target import Target, some_variants, walk

PLIES = (0, 1, 3, 8, 20, 60, 200, 10**6)  # after which positions are written down
AFTER = 80  # plies that are played on from a position


def headed(game: Any, v: Any, text: str) -> bytes:
    """Return an input."""
    return mutate.bytes_of(f"{json.dumps(game.options(v))}\n{text}")


@lru_cache(maxsize=256)
def _variant(name: str, head: str) -> Any:
    """Return the variant that a line tells, or None where it tells none."""
    try:
        options = json.loads(head)
    except (ValueError, RecursionError):
        return None
    return envs.game(name).make_variant(**options) if isinstance(options, dict) else None


def parted(game: Any, data: bytes) -> tuple[Any, str]:
    """Return the variant, or None, and the text of an input."""
    head, _, text = mutate.text_of(data).partition("\n")
    return _variant(game.name, head), text


def _texts(game: Any, of: Callable[[Table], Sequence[str]]) -> list[bytes]:
    """Return inputs for all variants and moments of some games."""
    found: list[bytes] = []
    for number, v in enumerate(some_variants(game)):
        for plies in PLIES[: 8 if number < 4 else 4]:
            found += [headed(game, v, text) for text in of(walk(game, v, number, plies))]
    return list(dict.fromkeys(found))


def _positions(table: Table) -> list[str]:
    return [table.game.text.write(table.v, table.s)]


def _knowledge(table: Table) -> list[str]:
    return [table.game.text.write_view(table.v, table.view(seat), seat) for seat in range(table.seats)]


def _actions(table: Table) -> list[str]:
    legal = np.flatnonzero(table.mask()).tolist()[:6]
    return [table.game.text.say(table.v, table.s, a) for a in legal]


def read_action(game: Any, data: bytes) -> None:
    """Read the text of an action; it is one, and its own text names it again."""
    v, text = parted(game, data)
    if v is None:
        return
    action = game.text.parse(v, text)
    require(type(action) is int and 0 <= action < game.actions(v), f"{text!r} is read as action {action!r}")
    said = game.text.say(v, _begun(game.name, v).s, action)
    require(game.text.parse(v, said) == action, f"{text!r} is read as {action}, which is {said!r}, another action")


@lru_cache(maxsize=256)
def _begun(name: str, v: Any) -> Table:
    return Table(envs.game(name), v, 1)


def read_position(game: Any, data: bytes) -> None:
    """Read a position; it can be written, looked at from all seats, and played on.

    A diagram may be one that no game leads to, so nothing is asked of the states that come after it.
    """
    v, text = parted(game, data)
    if v is None:
        return
    states = game.text.read(v, text)
    table = Table.of(game, v, states)
    written = game.text.write(v, table.s)
    again = game.text.read(v, written)
    require(content(again) == content(game.text.read(v, game.text.write(v, again[0]))), "reads otherwise once written")
    rng = np.random.default_rng(len(text))
    for _ in range(AFTER):
        _look(table)
        if table.over:
            return
        table.play(int(rng.choice(np.flatnonzero(table.mask()))))


def _look(table: Table) -> None:
    """Look at a position from all seats; the mover has a legal action.

    A diagram that no game leads to may have views beyond their bounds, which agents refuse.
    """
    game, v, mask = table.game, table.v, table.mask()
    require(not (mask > 1).any() and not (mask < 0).any(), "a mask holds other numbers than 0 and 1")
    require(mask.any() != table.over, f"{int(mask.sum())} legal actions, turn {table.turn}")
    require(table.turn == OVER or 0 <= table.turn < table.seats, f"turn is {table.turn}")
    for seat in range(table.seats):
        game.text.write_view(v, table.view(seat), seat)
    for action in np.flatnonzero(mask).tolist()[:5]:
        require(game.text.parse(v, game.text.say(v, table.s, action)) == action, f"action {action} has another's text")


def read_knowledge(game: Any, data: bytes) -> None:
    """Read what a seat knows; the view keeps its bounds, and reads the same once written."""
    v, text = parted(game, data)
    if v is None:
        return
    view = game.text.read_view(v, text)
    require(view.shape == (game.size(v),) and view.dtype == game.view_dtype, "a view of another shape or type")
    require(not ((view < 0) | (view > game.high(v))).any(), "a view beyond its bounds")
    written = game.text.write_view(v, view, 0)
    again = game.text.read_view(v, written)
    require(game.text.write_view(v, again, 0) == written, "reads otherwise once written")


def _modules(game: Any) -> tuple[str, ...]:
    inner = ("text", "view_text", "words", "suited.text", "suited.view_text", "suited.words")
    return ("kozyr.envs.core.text_lines", "kozyr.envs.core.cards", *(f"{game.package}.{name}" for name in inner))


def of_game(name: str) -> list[Target]:
    """Return the targets of a game's texts."""
    game = envs.game(name)
    kinds = [
        ("action", partial(_texts, game, _actions), partial(read_action, game)),
        ("position", partial(_texts, game, _positions), partial(read_position, game)),
        ("knowledge", partial(_texts, game, _knowledge), partial(read_knowledge, game)),
    ]
    return [Target(f"{name}-{kind}", mutate.HEADED, seeds, call, modules=_modules(game)) for kind, seeds, call in kinds]
