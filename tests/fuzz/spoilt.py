"""Questions to agents that no table would put: real views and masks, spoilt within what each number may be.

A case is known by its game, a seed and a number, so that a process can put it that another one has died of.
"""

import random
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np

from kozyr import envs
from kozyr.envs.core.dispatch import observe
from kozyr.envs.core.rng import generators
from kozyr.envs.core.state import OVER
from kozyr.envs.loops import tables
from tests.contract import variants

POSITIONS = 60  # of a variant
EACH = 400  # cases of a variant
MOST_ACTIONS = 2500
BATCH = 3  # views of a batch


class Position(NamedTuple):
    """A moment of a random game."""

    views: Any  # [seats, view]
    turn: int
    mask: Any


class Case(NamedTuple):
    """A question to an agent."""

    variant: Any
    views: Any  # [n, view]; one alone is put to `act`
    masks: Any  # [n, actions]
    how: str  # it was spoilt
    real: bool  # whether it was not spoilt at all


@lru_cache(maxsize=4)
def variant(name: str, seed: int, number: int) -> Any:
    """Return a variant in which there is a choice: the default one first, then others drawn at random."""
    game, rng = envs.game(name), random.Random(f"{name} {seed} {number}")
    while True:
        v = variants.one(game, rng) if number else game.make_variant()
        if game.actions(v) <= MOST_ACTIONS and any(found.mask.sum() > 1 for found in positions(name, v, seed)):
            return v
        number = -1


@lru_cache(maxsize=4)
def positions(name: str, v: Any, seed: int) -> list[Position]:
    """Return positions of random games, some from the beginning, and some from the middle, of each."""
    game = envs.game(name)
    seats, found, rngs = game.seats(v), list[Position](), generators(seed, 1)
    rng, state = random.Random(f"{seed}"), np.zeros(1, game.layout(v))
    view, mask, action = np.zeros(game.size(v), game.view_dtype), np.zeros(game.actions(v), np.int8), np.zeros(1, int)
    for deal in range(5):
        tables.deal_one(v, state, seed + deal, -1, view, mask)
        skipped = 0
        while state["turn"][0] != OVER and len(found) < POSITIONS * (deal + 1) // 5:
            if skipped <= 0:
                seen = np.zeros((seats, len(view)), view.dtype)
                for seat in range(seats):
                    observe(v, state[0], seat, seen[seat])
                found.append(Position(seen, int(state["turn"][0]), mask.copy()))
                skipped = rng.choice((0, 1, 2, 20))
            tables.random_actions(mask[None], rngs, action)
            tables.step_one(v, state, int(action[0]), view, mask)
            skipped -= 1
    return found


def case(name: str, seed: int, number: int) -> Case:
    """Return a case of a game."""
    v, rng = variant(name, seed, number // EACH), random.Random(f"{name} {seed} {number}")
    n = BATCH if rng.random() < 0.2 else 1
    made = [one(name, v, seed, rng) for _ in range(n)]
    views, masks, hows = (list(column) for column in zip(*made, strict=True))
    how = "; ".join(hows)
    return Case(v, np.stack(views), np.stack(masks), how, how.replace("; ", "").replace("real", "") == "")


def one(name: str, v: Any, seed: int, rng: random.Random) -> tuple[Any, Any, str]:
    """Return a view and a mask, and how they were spoilt."""
    found = positions(name, v, seed)
    choices = [at for at in found if at.mask.sum() > 1]
    at, other = rng.choice(choices), rng.choice(found)
    how = rng.choice(("real", *WAYS))
    view = at.views[at.turn].copy()
    if how != "real":
        WAYS[how](envs.game(name), v, view, at, other, rng)
    mask, masked = at.mask.copy(), rng.choice(("", "", "", *MASKS))
    if how == "real" and masked and rng.random() < 0.5:
        masked = ""
    if masked:
        MASKS[masked](mask, other, rng)
    if not masked and (view == at.views[at.turn]).all():
        how = "real"
    return view, mask, f"{how}, {masked}" if masked else how


def spans(game: Any, v: Any) -> list[slice]:
    """Return where the parts of a view lie."""
    return [span for span in game.parts(v).spans().values() if span.stop > span.start]


def fill(game: Any, v: Any, view: Any, places: Any, rng: random.Random) -> None:
    """Write numbers drawn within what each may be, often its least and its highest."""
    high = game.high(v)
    for i in places:
        view[i] = rng.choice((0, int(high[i]), rng.randint(0, int(high[i]))))


def numbers(game: Any, v: Any, view: Any, at: Position, other: Position, rng: random.Random) -> None:
    fill(game, v, view, rng.sample(range(len(view)), min(len(view), rng.choice((1, 1, 2, 3, 8)))), rng)


def part(game: Any, v: Any, view: Any, at: Position, other: Position, rng: random.Random) -> None:
    span = rng.choice(spans(game, v))
    fill(game, v, view, range(span.start, span.stop), rng)


def parts(game: Any, v: Any, view: Any, at: Position, other: Position, rng: random.Random) -> None:
    for _ in range(rng.randint(2, 5)):
        part(game, v, view, at, other, rng)


def all_numbers(game: Any, v: Any, view: Any, at: Position, other: Position, rng: random.Random) -> None:
    fill(game, v, view, range(len(view)), rng)


def shuffled(game: Any, v: Any, view: Any, at: Position, other: Position, rng: random.Random) -> None:
    span = rng.choice(spans(game, v))
    inside = view[span].tolist()
    rng.shuffle(inside)
    view[span] = inside


def moved(game: Any, v: Any, view: Any, at: Position, other: Position, rng: random.Random) -> None:
    for _ in range(rng.choice((1, 1, 2))):
        span = rng.choice(spans(game, v))
        i, j = rng.randrange(span.start, span.stop), rng.randrange(span.start, span.stop)
        view[i], view[j] = int(view[j]), int(view[i])


def extreme(game: Any, v: Any, view: Any, at: Position, other: Position, rng: random.Random) -> None:
    span = rng.choice(spans(game, v))
    view[span] = game.high(v)[span] if rng.random() < 0.5 else 0


def halves(game: Any, v: Any, view: Any, at: Position, other: Position, rng: random.Random) -> None:
    cut = rng.randrange(len(view) + 1)
    view[cut:] = other.views[other.turn][cut:]


def other_part(game: Any, v: Any, view: Any, at: Position, other: Position, rng: random.Random) -> None:
    span = rng.choice(spans(game, v))
    view[span] = rng.choice(other.views)[span]


def other_seat(game: Any, v: Any, view: Any, at: Position, other: Position, rng: random.Random) -> None:
    view[:] = rng.choice(at.views)


def other_view(game: Any, v: Any, view: Any, at: Position, other: Position, rng: random.Random) -> None:
    view[:] = rng.choice(other.views)


WAYS = {
    ways.__name__: ways
    for ways in (
        numbers, part, parts, all_numbers, shuffled, moved, extreme, halves, other_part, other_seat, other_view,
    )
}  # fmt: skip


def more_legal(mask: Any, other: Position, rng: random.Random) -> None:
    for _ in range(rng.choice((1, 2, 5))):
        mask[rng.randrange(len(mask))] = 1


def all_legal(mask: Any, other: Position, rng: random.Random) -> None:
    mask[:] = 1


def other_mask(mask: Any, other: Position, rng: random.Random) -> None:
    mask[:] = other.mask


def fewer_legal(mask: Any, other: Position, rng: random.Random) -> None:
    legal = np.flatnonzero(mask).tolist()
    mask[rng.sample(legal, rng.randrange(len(legal)))] = 0


def no_mark(mask: Any, other: Position, rng: random.Random) -> None:
    mask[rng.randrange(len(mask))] = rng.choice((2, 3, 127, -1, -128))


def random_mask(mask: Any, other: Position, rng: random.Random) -> None:
    share = rng.random()
    mask[:] = [rng.random() < share for _ in range(len(mask))]


MASKS = {ways.__name__: ways for ways in (more_legal, all_legal, other_mask, fewer_legal, no_mark, random_mask)}
