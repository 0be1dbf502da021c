"""A game as the shared code sees it: its declarations and text forms under one name."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property, lru_cache, partial
from importlib import import_module
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from kozyr.envs.core import labels
from kozyr.envs.core.actions import ActionLayout
from kozyr.envs.core.cards import RANKS
from kozyr.envs.core.layout import VARIANTS, Layout
from kozyr.envs.core.quote import quote
from kozyr.envs.core.variant import Field, declare_static, describe, make
from kozyr.envs.loops import tables

if TYPE_CHECKING:
    from kozyr.envs.core.text import Texts


class NoParts(Layout):
    """View of a game in the making, which shows nothing yet."""


def _no_complaint(variant: Any) -> str:
    return ""


@lru_cache(VARIANTS, typed=True)
def _high(parts: type[Layout], variant: Any, dtype: np.dtype[Any]) -> NDArray[Any]:
    """Return the highest values of a view, which are not to be changed."""
    bound = np.zeros(parts(variant).size, dtype)
    for name, span in parts(variant).spans().items():
        bound[span] = parts.declared[name].top(variant)
    return bound


def _game_of(package: str) -> "Game":
    return import_module(package).GAME


def _importable(game: "Game") -> str:
    """Return the package that a game can be imported from, in any process, or raise ValueError."""
    try:
        if import_module(game.package).GAME is game:
            return game.package
    except (ImportError, ValueError, AttributeError):
        pass
    raise ValueError(
        f"the game {game.name!r} cannot be sent to another process: put its rules into a package that can be imported "
        "and has it as GAME"
    )


@dataclass(frozen=True, kw_only=True)
class Game:
    """Declarations of a game. Its functions are found by the variant's type, see `dispatch`.

    Declarations for networks, searches and reports alone are the `capabilities`.
    """

    name: str
    version: int
    title: str
    variant: Any  # the NamedTuple type
    fields: Mapping[str, Field]
    state: np.dtype[Any]
    seats: Callable[[Any], int]
    action_layout: type[ActionLayout]
    parts: type[Layout] = NoParts  # of the view
    bound: Callable[[Any], int]  # plies within which random play is over
    payoff_sum: float = 0.0
    complaint: Callable[[Any], str] = _no_complaint  # what is impossible about a variant, or ""
    view_dtype: np.dtype[Any] = field(default_factory=lambda: np.dtype(np.int8))
    presets: Mapping[str, Mapping[str, Any]] = field(default_factory=dict[str, Mapping[str, Any]])  # options by `rules`
    usual: Mapping[str, Any] = field(default_factory=dict[str, Any])  # options that people are offered first
    ranks: str = RANKS  # of its cards, weakest first, by which a person sorts a hand; "": their order means something
    layouts: Callable[[Any], np.dtype[Any]] | None = None  # of smaller states, where some variants do with less
    compiled_apart: Sequence[Mapping[str, Any]] = ()  # options that lead to each of `layouts` and to its code
    say: Callable[[Any, Any, int, int | None], str] | None = None  # (v, s, action, seat): an action in words
    called: Callable[[Any], str] | None = None  # what players call a variant, if not by the title
    lobby_place: int = 10  # where people see it among the games: those with less come first

    def __post_init__(self) -> None:
        declare_static(self.variant, self.fields)

    @property
    def id(self) -> str:
        """Return the name with its version, as "durak_v0"."""
        return f"{self.name}_v{self.version}"

    def make_variant(self, /, **options: Any) -> Any:
        """Return the variant that `options` describe; `rules` names a preset, from which the others depart.

        Raises:
            ValueError: naming the field, its value and what is allowed.
        """
        try:
            variant = make(self.variant, self.fields, self._preset(options))
            complaint = self.complaint(variant)
        except ValueError as error:
            raise ValueError(f"{self.name}: {error}") from None
        if complaint:
            raise ValueError(f"{self.name}: {complaint}")
        return variant

    def altered(self, variant: Any, /, **options: Any) -> Any:
        """Return a variant with some options changed; where `rules` names a preset, the options depart from that one.

        Raises:
            ValueError: as `make_variant`.
        """
        return self.make_variant(**(options if "rules" in options else {**self.options(variant), **options}))

    def kept_variant(self, options: Mapping[str, Any]) -> Any:
        """Return the variant that a file keeps: every option must be there but `later` ones, lest a default changes it.

        Raises:
            ValueError: for options that are missing or unknown, and as `make_variant`.
        """
        needed = [name for name, field in self.fields.items() if not field.later]
        if not set(needed) <= set(options) <= set(self.fields):
            raise ValueError(f"variant has the fields {', '.join(options)}: it must have {', '.join(needed)}")
        return self.make_variant(**options)

    def _preset(self, options: Mapping[str, Any]) -> Mapping[str, Any]:
        """Return options with those of their preset, if they name one."""
        if not self.presets or "rules" not in options:
            return options
        own = {name: value for name, value in options.items() if name != "rules"}
        if (rules := options["rules"]) not in self.presets:
            raise ValueError(
                f"rules={quote(rules)} is not allowed: rules is one of {', '.join(map(repr, self.presets))}"
            )
        return {**self.presets[rules], **own}

    def options(self, variant: Any) -> dict[str, Any]:
        """Return a variant as the options that `make_variant` takes."""
        return describe(variant, self.fields)

    def departures(self, variant: Any) -> dict[str, Any]:
        """Return the fewest options from which `make_variant` makes a variant; with `rules` where that is shorter."""
        its, ways = self.options(variant), list[dict[str, Any]]()
        for base in ({}, *({"rules": name} for name in self.presets)):
            usual = self.options(self.make_variant(**base))
            ways.append({**base, **{key: value for key, value in its.items() if value != usual[key]}})
        return min(ways, key=len)

    def option_facts(self) -> dict[str, dict[str, Any]]:
        """Return the usual value, the allowed ones and the meaning of every option."""
        usual = self.make_variant()
        defaults = self.options(usual)
        return {
            name: {"default": defaults[name], "allowed": one.allowed(getattr(usual, name)), "meaning": one.meaning}
            for name, one in self.fields.items()
        }

    def name_of(self, variant: Any) -> str:
        """Return the players' name of a variant, as "Five in a row"; mostly the title."""
        return self.called(variant) if self.called else self.title

    @property
    def name_for_people(self) -> str:
        """The players' name of the variant that they are offered first."""
        return self.name_of(self.make_variant(**self.usual))

    def layout(self, variant: Any) -> np.dtype[Any]:
        """Return the record type of a variant's states."""
        return self.state if self.layouts is None else self.layouts(variant)

    def actions(self, variant: Any) -> int:
        """Return the number of actions."""
        return self.action_layout(variant).size

    def action_table(self, variant: Any) -> list[tuple[str, str]]:
        """Return the documentation's rows of actions: numbers and meaning."""
        return self.action_layout.table(variant)

    def action_parts(self, variant: Any, action: int) -> dict[str, Any]:
        """Return the parts of an action by name, as in JSON; unless there are none, no two actions have the same."""
        return self.action_layout.parts(variant, action)

    def size(self, variant: Any) -> int:
        """Return the length of a view."""
        return self.parts(variant).size

    def high(self, variant: Any) -> NDArray[Any]:
        """Return the highest value of every entry of a view; the lowest is 0."""
        return _high(self.parts, variant, self.view_dtype).copy()

    def view(self, variant: Any, state: Any, seat: int) -> NDArray[Any]:
        """Return the view that a seat has of a state, one record: [view]."""
        record, states = np.zeros(self.size(variant), self.view_dtype), np.zeros(1, self.layout(variant))
        states[0] = state
        tables.look(variant, states, seat, record)
        return record

    def declaration(self, variant: Any) -> list[list[Any]]:
        """Return the view's parts that are not empty as (name, first, last + 1, high); networks rely on them."""
        spans, parts = self.parts(variant).spans().items(), self.parts.declared
        return [[name, s.start, s.stop, parts[name].top(variant)] for name, s in spans if s.stop > s.start]

    def changed(self, variant: Any, declared: list[list[Any]]) -> list[str]:
        """Return the names of the view's parts that are not as a declaration made earlier says."""
        now, then = self.declaration(variant), [list(part) for part in declared if part[2] > part[1]]
        return [part[0] for part in (*now, *then) if part not in now or part not in then]

    @cached_property
    def text(self) -> "Texts":
        """The game's text forms: those of its module `text`, the others derived from its declarations."""
        from kozyr.envs.core.text import texts_of

        game: Any = self
        return texts_of(game)

    @cached_property
    def labels(self) -> Mapping[int, str]:
        """The words of the game's scenes and actions by their numbers, see `labels`; none where it has no scene."""
        if find_spec(".scene", self.package) is None:
            return {}
        return {**labels.SHARED, **import_module(".scene", self.package).LABELS}

    @cached_property
    def draw(self) -> Callable[..., str]:
        """The game's drawing; it takes variant, state, the seat that looks, or None, and names, and returns SVG."""
        from kozyr.envs.pictures import render_svg

        game: Any = self
        return partial(render_svg.draw, game)

    def __reduce__(self) -> tuple[Any, tuple[str]]:
        return _game_of, (_importable(self),)

    def __deepcopy__(self, memo: Any) -> "Game":
        return self

    @property
    def package(self) -> str:
        """The name of the package that holds the game: its rules, its texts and its drawing."""
        return self.variant.__module__.rpartition(".")[0]
