"""A view is a vector of named parts; a game declares each once, and where it begins is added up here."""

from collections import namedtuple
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar, Self, overload

from kozyr.envs.core.compile import compilable, constructs

Number = int | Callable[[Any], int]  # the same under every variant, or a function of it, plain or compiled


@dataclass(frozen=True)
class Part:
    """One part of a view.

    Attributes:
        meaning: what its entries tell, for the documentation.
        size: how many entries it has; 0 where a variant has no such part.
        high: the highest value of an entry; the lowest is 0.
    """

    meaning: str
    size: Number = field(default=1, kw_only=True)
    high: Number = field(default=1, kw_only=True)

    def entries(self, variant: Any) -> int:
        """Return how many entries the part has under a variant."""
        return self.size(variant) if callable(self.size) else self.size

    def top(self, variant: Any) -> int:
        """Return the highest value of an entry under a variant."""
        return self.high(variant) if callable(self.high) else self.high

    @overload
    def __get__(self, at: None, owner: Any) -> Self: ...
    @overload
    def __get__(self, at: object, owner: Any) -> int: ...
    def __get__(self, at: object, owner: Any) -> Any:
        """Return the declaration; an instance of a layout has the part's place of its own under the name."""
        return self


class Layout:
    """The parts of a game's view in their order: a class to derive from, called with a variant to learn their places.

    The instance tells where each part begins and, as `size`, how long the view is. Compiled functions call the class
    the same way and get a NamedTuple of whole numbers, which costs them nothing.

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

    def __init_subclass__(cls) -> None:
        own = {name: part for name, part in vars(cls).items() if isinstance(part, Part)}
        for name in own:
            if name in _TAKEN or name.startswith("_"):
                raise TypeError(f"a part of {cls.__qualname__} cannot be named {name!r}; give it another name")
        cls.declared = {**cls.declared, **own}
        constructs(cls, _places(cls.__module__, cls.declared))

    def __init__(self, variant: Any) -> None:
        begin = 0
        for name, part in self.declared.items():
            vars(self)[name] = begin
            begin += part.entries(variant)
        self.size = begin

    def spans(self) -> dict[str, slice]:
        """Return where each part lies."""
        begins = vars(self)
        ends = [*begins.values()][1:]
        return {name: slice(begins[name], end) for name, end in zip(self.declared, ends, strict=True)}


_TAKEN = ("declared", "size", "spans")  # names of every layout's own


def _places(module: str, parts: Mapping[str, Part]) -> Callable[[Any], Any]:
    """Write the function that adds up the sizes, in plain code that can be compiled.

    Functions nested in one another, one a part, would do without `exec` but take seven times as long to compile.
    For two parts, of which one has a size that depends on the variant:
        def places(_v):
            hand = 0
            stock = hand + _size_of_hand(_v)
            size = stock + 1
            return _Places(hand, stock, size)
    """
    names = [*parts, "size"]
    known: dict[str, Any] = {"__name__": module, "_Places": namedtuple("_Places", names)}  # pyright: ignore[reportUntypedNamedTuple]
    lines = [f"{names[0]} = 0"]
    for (name, part), after in zip(parts.items(), names[1:], strict=True):
        size = str(part.size)
        if callable(part.size):
            known[f"_size_of_{name}"], size = compilable(part.size), f"_size_of_{name}(_v)"
        lines.append(f"{after} = {name} + {size}")
    lines.append(f"return _Places({', '.join(names)})")
    exec("def places(_v):\n    " + "\n    ".join(lines), known)  # noqa: S102  as namedtuple does: the names are code
    return known["places"]
