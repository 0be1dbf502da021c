"""A view is a vector of named parts; a game declares each once, and where it begins is added up here."""

from collections import namedtuple
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import pairwise
from typing import Any, ClassVar, Self, overload

from kozyr.envs.compile import compilable, constructs
from kozyr.envs.core.quote import quote

VARIANTS = 64  # whose places are remembered, of each layout
Number = int | Callable[[Any], int]  # the same under every variant, or a function of it, plain or compiled


@dataclass(frozen=True)
class Part:
    """One part of a view.

    Attributes:
        meaning: what its entries tell, for the documentation.
        size: how many entries it has; 0 where a variant has no such part.
        high: the highest value of an entry; the lowest is 0.
        rows: how many equal rows it consists of, one after the other, where it is a list of lists; else None.
    """

    meaning: str
    size: Number = field(default=1, kw_only=True)
    high: Number = field(default=1, kw_only=True)
    rows: Number | None = field(default=None, kw_only=True)

    def entries(self, variant: Any) -> int:
        """Return the number of entries that the part has under a variant."""
        return self.size(variant) if callable(self.size) else self.size

    def top(self, variant: Any) -> int:
        """Return the highest value of an entry under a variant."""
        return self.high(variant) if callable(self.high) else self.high

    def shape(self, variant: Any) -> tuple[int, ...]:
        """Return (rows, entries of a row), (entries,), or () for a part that is one number."""
        entries = self.entries(variant)
        if self.rows is not None:
            rows = self.rows(variant) if callable(self.rows) else self.rows
            return rows, entries // max(rows, 1)
        return () if entries == 1 else (entries,)

    @overload
    def __get__(self, at: None, owner: Any) -> Self: ...
    @overload
    def __get__(self, at: object, owner: Any) -> int: ...
    def __get__(self, at: object, owner: Any) -> Any:
        """Return the declaration; the result of calling a layout has its own numbers under the names."""
        return self


class Layout:
    """The parts of a game's view in their order: a class to derive from, called with a variant to learn their places.

    The call tells where each part begins and, as `size`, how long the view is. What it returns is a named tuple of
    whole numbers, in Python and in compiled functions, which call the class the same way at no cost.

    Attributes:
        declared: the parts by name, in order.
        size: entries of the whole view.

    Raises:
        TypeError: when a class is declared whose parts cannot have their names.

    Example:
        >>> class Parts(Layout):
        ...     hand = Part("1 for each card in my hand", size=lambda v: v["deck"])
        ...     stock = Part("cards in the stock", high=lambda v: v["deck"])
        >>> at = Parts({"deck": 36})
        >>> at.hand, at.stock, at.size
        (0, 36, 37)
        >>> at.spans()
        {'hand': slice(0, 36, None), 'stock': slice(36, 37, None)}
        >>> Parts.stock.meaning
        'cards in the stock'
    """

    declared: ClassVar[Mapping[str, Part]] = {}
    size: int
    _Places: ClassVar[Any]
    _places: ClassVar[Callable[[Any], Any]]
    _remembered: ClassVar[Callable[[Any], Any]]

    def __init_subclass__(cls) -> None:
        own = {name: part for name, part in vars(cls).items() if isinstance(part, Part)}
        for name in own:
            clash = name in _TAKEN or (name not in cls.declared and any(name in vars(base) for base in cls.__mro__[1:]))
            if clash or name.startswith("_"):
                raise TypeError(f"a part of {cls.__qualname__} cannot be named {quote(name)}; give it another name")
        cls.declared = {**cls.declared, **own}
        cls._Places = _named_tuple(cls, [*cls.declared, "size"])
        cls._places = staticmethod(_adding_up(cls._Places, cls.declared))
        cls._remembered = staticmethod(lru_cache(VARIANTS, typed=True)(cls._places))
        constructs(cls, cls._places)

    def __new__(cls, variant: Any) -> Self:
        """Return the layout of a variant: the entry at which each part begins."""
        known = variant.__hash__ is not None  # else it is a dictionary, say
        return cls._remembered(variant) if known else cls._places(variant)

    def spans(self) -> dict[str, slice]:
        """Return the slice of each part by its name."""
        begins: Any = self
        return {name: slice(a, b) for name, (a, b) in zip(begins._fields, pairwise(begins), strict=False)}


_TAKEN = ("declared", "size", "spans")  # names of every layout's own


def _named_tuple(layout: type[Layout], names: list[str]) -> Any:
    """Return a class of named tuples, which can be pickled, with the methods of a layout."""
    places: Any = namedtuple("_Places", names, module=layout.__module__)  # pyright: ignore[reportUntypedNamedTuple]
    places.__qualname__ = f"{layout.__qualname__}._Places"
    places.spans = Layout.spans
    return places


def _adding_up(places: Any, parts: Mapping[str, Part]) -> Callable[[Any], Any]:
    """Write the function that adds up the sizes, in plain Python that can be compiled.

    Functions nested in one another, one a part, would do without `exec` but take seven times as long to compile. For a
    part of 52 entries and two of a size that depends on the variant:
        def places(_v):
            _size0 = _function0(_v)
            return _Places(0, 52, 52 + 1 * _size0, 52 + 2 * _size0)
    """
    lines, begins, known = sums(parts)
    source = ["def places(_v):", *lines, f"return _Places({', '.join(begins)})"]
    return compiled_source(source, {**known, "__name__": places.__module__, "_Places": places})


def sums(parts: Mapping[str, Part]) -> tuple[list[str], list[str], dict[str, Any]]:
    """Return lines that call the functions of sizes, a term for each begin and for the end, and the functions."""
    sizes = dict.fromkeys(part.size for part in parts.values() if callable(part.size))
    fixed, times, begins = 0, dict.fromkeys(sizes, 0), ["0"]
    for part in parts.values():
        if callable(part.size):
            times[part.size] += 1
        else:
            fixed += part.size
        terms = (f"{count} * _size{i}" for i, count in enumerate(times.values()) if count)
        begins.append(" + ".join((str(fixed), *terms)))
    known: dict[str, Any] = {f"_function{i}": compilable(size) for i, size in enumerate(sizes)}
    return [f"_size{i} = _function{i}(_v)" for i in range(len(sizes))], begins, known


def compiled_source(lines: Sequence[str], known: dict[str, Any]) -> Callable[..., Any]:
    """Return the function whose head and body these lines are, with the names that it may use."""
    exec("\n    ".join(lines), known)  # noqa: S102  sums of sizes, written out
    return known[lines[0].removeprefix("def ").partition("(")[0]]
