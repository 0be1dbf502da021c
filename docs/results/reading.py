"""A number with its interval, found in the JSON document of a command."""

from typing import Any, NamedTuple, cast

from .store import NORMAL, StoreError

_OF_INTERVALS = ("score", "value")  # numbers beside which "low" and "high" are the ends of an interval


class Reading(NamedTuple):
    """What a command says of one number.

    Attributes:
        value: in `unit`; low, high: ends of its interval, None without one; method: of the interval.
        unit: as the document names it; "" for fractions and what has none.
        deals: independent deals, None if the document does not say.
        libraries: versions that the document names beside the number.
    """

    value: float
    low: float | None
    high: float | None
    method: str | None
    unit: str
    deals: int | None
    libraries: dict[str, str]


def read(document: Any, path: str) -> Reading:
    """Return the number at a path such as "agents/0/score" or "rows/durak env()/median".

    In a list a part of the path is an index or the "name" of an object.

    Raises:
        StoreError: where the document has no number at the path.
    """
    *first, last = path.split("/")
    try:
        holder = document
        for part in first:
            holder = _step(holder, part)
        found: Any = _step(holder, last)
    except (LookupError, TypeError, StopIteration):
        raise StoreError(f"the output has no {path!r}") from None
    beside, top = _object(holder), _object(document)
    value, ends = _ends(found, beside, last)
    if value is None:
        raise StoreError(f"the output has no number at {path!r}")
    low, high = ends or (None, None)
    method = next((one["interval_method"] for one in (beside, top) if "interval_method" in one), NORMAL)
    deals = top.get("independent_deals", top.get("deals"))
    libraries = dict(one.split(" ", 1) for one in str(beside.get("library", "")).split(", ") if " " in one)
    return Reading(value, low, high, method if ends else None, str(beside.get("unit", "")), deals, libraries)


def _object(found: Any) -> dict[str, Any]:
    """Return a JSON object, an empty one for anything else."""
    return cast("dict[str, Any]", found) if isinstance(found, dict) else {}


def _step(holder: Any, part: str) -> Any:
    """Return what a part of a path leads to."""
    if not isinstance(holder, list):
        return holder[part]
    items = cast("list[Any]", holder)
    if part.isdecimal():
        return items[int(part)]
    return next(one for one in items if one.get("name") == part)


def _ends(found: Any, beside: dict[str, Any], name: str) -> tuple[float | None, tuple[float, float] | None]:
    """Return a number, which may come with its interval as [value, half] or [value, low, high], and its ends."""
    match found:
        case [value, half]:
            return value, (value - half, value + half)
        case [value, low, high]:
            return value, (low, high)
        case int() | float():
            pass
        case _:
            return None, None
    for key in (f"{name}_interval", f"interval_{name}"):
        if beside.get(key):
            low, high = beside[key]
            return found, (low, high)
    if name in _OF_INTERVALS and "low" in beside:
        return found, (beside["low"], beside["high"])
    return found, None
