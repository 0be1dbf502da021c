"""Capabilities: facts about a game for networks, searches and reports, one function each, with a default.

A game answers for variants of its own type, in a file that its package imports, so that the answer is there whenever
one of its variants is:

    @capabilities.board.register(Variant)
    def board(v: Variant) -> Board: ...

A game that answers nothing works everywhere. Another capability is another function like these, declared where its
reader stands. What compiled code asks is a `dispatch.generic` with a default instead.
"""

from functools import singledispatch
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from kozyr.envs.core import labels
from kozyr.envs.core.labels import Phrase, phrase


class Board(NamedTuple):
    """Board in a view: its planes come first, row by row, and its cells are the first actions; there may be more."""

    planes: int
    rows: int
    columns: int
    reach: int  # how many cells to each side of a cell matter to it


class Symmetry(NamedTuple):
    """Symmetry of names in a game: an exchange turns each of k namings into the first.

    Attributes:
        first, last: entries first … last − 1 of a view tell the naming, with a 1 in its place.
        views: int64 [k, view] entry i of the turned view is entry views[naming, i] of the view; twice is nothing.
        actions: int64 [k, actions] the same for masks and logits.
    """

    first: int
    last: int
    views: NDArray[np.int64]
    actions: NDArray[np.int64]


class TwoLines(NamedTuple):
    """Two lines of cards in a view: cards in the same place meet and the higher takes both.

    Attributes:
        mine, theirs: where the parts begin that tell each card's place in a line, from 1; 0: it is not known there.
        laid, sizes: entries for each line: cards at its beginning that have been laid, and cards after those.
        turn: entries that tell whose turn it is; picking: the entry that tells that he is about to take the laid cards.
        ranks: int8 [deck] what the cards are compared by, from 1.
    """

    mine: int
    theirs: int
    laid: int
    sizes: int
    turn: int
    picking: int
    ranks: NDArray[np.int8]


class Stake(NamedTuple):
    """Stake of a game whose returns are a share of it.

    Attributes:
        unit: its name in the plural, as "chips"; game: what one game is called, as "hand".
        worth: how many units a return of 1 is.
    """

    unit: str
    game: str
    worth: float


@singledispatch
def board(variant: Any) -> Board | None:
    """Return the board in a view, or None; for networks that read boards."""
    return None


@singledispatch
def symmetry(variant: Any) -> Symmetry | None:
    """Return the symmetry of names, as of suits, or None; for networks that read turned views."""
    return None


@singledispatch
def two_lines(variant: Any) -> TwoLines | None:
    """Return the two lines of cards in a view that meet place by place, or None; for networks that read them."""
    return None


@singledispatch
def counted_parts(variant: Any) -> NDArray[np.int64]:
    """Return entries of a view that count one thing in n places, int64 [k, n]; networks read their sums too."""
    return np.zeros((0, 2), np.int64)


@singledispatch
def action_features(variant: Any) -> NDArray[np.int8] | None:
    """Return features that actions share, int8 [actions, features], or None; for networks."""
    return None


@singledispatch
def canonical_deal(variant: Any, states: NDArray[Any]) -> None:
    """Make deals equal that differ in nothing that matters; the exploitability of a player asks for fewer deals.

    Args:
        variant: the game's options.
        states: [n] records that were just dealt; they are changed in place.
    """


@singledispatch
def optional_parts(variant: Any) -> tuple[str, ...]:
    """Return the variant's yes-or-no fields that only add parts to a view's end; policies without them play on."""
    return ()


@singledispatch
def infos(variant: Any) -> tuple[str, ...]:
    """Return the state's fields, a number a seat, that environments put into every seat's `infos`."""
    return ()


@singledispatch
def episode_statistics(variant: Any) -> tuple[str, ...]:
    """Return the state's fields whose last values a match averages over its games."""
    return ()


@singledispatch
def stake(variant: Any) -> Stake | None:
    """Return the stake of the game, or None; matches give results in its unit too."""
    return None


@singledispatch
def stand_in(variant: Any) -> int | None:
    """Return the action that an illegal one counts as wherever it is legal itself; None: illegal ones are mistakes."""
    return None


@singledispatch
def opening_plies(variant: Any) -> int:
    """Return the number of random plies that begin the games of matches and of training."""
    return 0


@singledispatch
def opening_line(variant: Any, line: str) -> list[int]:
    """Return the actions of an opening that a line of a file tells, for matches that begin with them.

    Raises:
        ValueError: for a line that is no opening, and in games that have no notation for openings.
    """
    raise ValueError("this game has no openings in files: leave --openings out")


@singledispatch
def perfect_information(variant: Any) -> bool:
    """Return True if no seat knows less than another, nor chance more than all; searches and OpenSpiel ask."""
    return False


@singledispatch
def result(variant: Any, state: Any, seat: int) -> str:
    """Return the result of a finished game for a seat, after its name: "won", "lost", "drew" or its payoff.

    A game says it in its own words by `result_phrase`, as "is the fool" or "won 12 chips with two pairs".

    Args:
        variant: the game's options.
        state: the state in which the game is over, one record.
        seat: whose result.
    """
    return labels.say(result_phrase(variant, state, seat))


@singledispatch
def result_phrase(variant: Any, state: Any, seat: int) -> Phrase:
    """Return the result of `result` as a text and its arguments, which can be translated."""
    payoff = round(float(state.payoff[seat]), 3)
    if payoff in _OUTCOMES:
        return _OUTCOMES[payoff]
    return "{0}", f"{payoff:+g}".replace("-", "−")


_OUTCOMES = {1.0: phrase("won"), 0.0: phrase("drew"), -1.0: phrase("lost")}
