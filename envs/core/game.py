"""A game as the shared code sees it: its declarations and text forms under one name."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from importlib import import_module
from types import ModuleType
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from kozyr.envs.core import view
from kozyr.envs.core.compile import announce
from kozyr.envs.core.variant import Field, agree, describe
from kozyr.envs.core.view import Part


class Board(NamedTuple):
    """Where a view shows a board, for networks: its planes come first, row by row, and its cells are the actions."""

    planes: int
    rows: int
    columns: int
    reach: int  # how many cells to each side of a cell matter to it


class Symmetry(NamedTuple):
    """What may change names in a game, for networks: each of k namings is turned into the first by an exchange.

    Attributes:
        first, last: entries first … last − 1 of a view tell the naming, with a 1 in its place.
        views: int64 [k, view] entry i of the turned view is entry views[naming, i] of the view; twice is nothing.
        actions: int64 [k, actions] the same for masks and logits.
    """

    first: int
    last: int
    views: NDArray[np.int64]
    actions: NDArray[np.int64]


class Lineup(NamedTuple):
    """Where a view shows two lines of cards, for networks: cards in the same place meet and the higher takes both.

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


def _no_complaint(variant: Any) -> str:
    return ""


def _no_opening(variant: Any) -> int:
    return 0


def _game_of(package: str) -> "Game":
    return import_module(package).GAME


@dataclass(frozen=True)
class Game:
    """Everything about a game but its five functions, which `dispatch` finds by the variant's type."""

    name: str
    version: int
    title: str
    variant: Any  # the NamedTuple type
    fields: Mapping[str, Field]
    state: np.dtype[Any]
    seats: Callable[[Any], int]
    actions: Callable[[Any], int]
    parts: Callable[[Any], Any]  # offsets of the view's parts
    meaning: Mapping[str, Part]
    action_table: Callable[[Any], list[tuple[str, str]]]  # (numbers, meaning) for the documentation
    bound: Callable[[Any], int]  # plies within which random play is over
    payoff_sum: float = 0.0
    tallies: tuple[str, ...] = ()  # fields of the state whose last value a match averages
    tells: tuple[str, ...] = ()  # fields of the state, a number a seat, that every seat's info tells
    more: tuple[str, ...] = ()  # fields of the variant that do no more than add parts to the end of a view
    hidden: bool = True  # whether some seat may know less than another, or chance more than all
    opening: Callable[[Any], int] = _no_opening  # random plies that begin the games of a match
    board: Callable[[Any], Board] | None = None  # for games on a board
    symmetry: Callable[[Any], Symmetry] | None = None  # for games whose suits are but names
    plain: Callable[[Any, NDArray[Any]], None] | None = None  # makes deals equal that differ in nothing that matters
    lineup: Callable[[Any], Lineup] | None = None  # for games of two lines that meet place by place
    sums: Callable[[Any], NDArray[np.int64]] | None = None  # [k, n] entries of a view that count one thing in n places
    complaint: Callable[[Any], str] = _no_complaint  # what is impossible about a variant, or ""
    view_dtype: np.dtype[Any] = field(default_factory=lambda: np.dtype(np.int8))

    @property
    def id(self) -> str:
        """Return the name with its version, as "durak_v0"."""
        return f"{self.name}_v{self.version}"

    def agree(self, **options: Any) -> Any:
        """Return the variant that `options` describe.

        Raises:
            ValueError: naming the field, its value and what is allowed.
        """
        try:
            variant = agree(self.variant, self.fields, options)
            complaint = self.complaint(variant)
        except ValueError as error:
            raise ValueError(f"{self.name}: {error}") from None
        if complaint:
            raise ValueError(f"{self.name}: {complaint}")
        return variant

    def announce(self) -> None:
        """Tell the user once that the game is about to be compiled."""
        announce(self.name)

    def options(self, variant: Any) -> dict[str, Any]:
        """Return a variant as the options that `agree` takes."""
        return describe(variant, self.fields)

    def size(self, variant: Any) -> int:
        """Return the length of a view."""
        return self.parts(variant).size

    def high(self, variant: Any) -> NDArray[Any]:
        """Return the highest value of every entry of a view; the lowest is 0."""
        return view.high(self.parts(variant), self.meaning, variant, self.view_dtype)

    def declaration(self, variant: Any) -> list[list[Any]]:
        """Return the view's parts as (name, first, last + 1, high), but for empty ones: what a network relies on."""
        spans = view.spans(self.parts(variant)).items()
        return [[name, s.start, s.stop, self.meaning[name].top(variant)] for name, s in spans if s.stop > s.start]

    def changed(self, variant: Any, declared: list[list[Any]]) -> list[str]:
        """Return the names of the view's parts that are not as a declaration made earlier says."""
        now, then = self.declaration(variant), [list(part) for part in declared if part[2] > part[1]]
        return [part[0] for part in (*now, *then) if part not in now or part not in then]

    def longer(self, variant: Any) -> set[int]:
        """Return the lengths of views that begin as a variant's own and go on with parts that `more` adds."""
        return {self.size(variant._replace(**{name: True})) for name in self.more if not getattr(variant, name)}

    def without_more(self, variant: Any) -> Any:
        """Return the variant whose view has none of the parts that players of another variant can do without."""
        return variant._replace(**dict.fromkeys(self.more, False))

    @cached_property
    def text(self) -> ModuleType:
        """The game's text forms: write, read, say, parse."""
        return import_module(f"{self._package}.text")

    @cached_property
    def draw(self) -> Callable[..., str]:
        """The game's drawing; it takes variant, state and the seat that looks, or None, and returns SVG."""
        return import_module(f"{self._package}.draw").draw

    def seat_bots(self) -> None:
        """Register the game's scripted players, without which loops that play them do not compile.

        They are looked up by name, as a plug-in is: this package imports nothing from the agents'.
        """
        import_module(f"kozyr.agents.{self.name}.bots")

    def __reduce__(self) -> tuple[Any, tuple[str]]:
        return _game_of, (self._package,)

    def __deepcopy__(self, memo: Any) -> "Game":
        return self

    @property
    def _package(self) -> str:
        return self.variant.__module__.rpartition(".")[0]
