"""The form of records: one game as one JSON line.

A line holds {"kozyr": 1, "game": "durak_v0", "package", "variant": {…}, "seed", "starter", "actions": […],
"payoffs": [a seat], "truncated"} and, where they apply, "agents": [a seat], "forfeit": the seat that lost by an error,
an illegal action or the clock, which ended the game there, "reason": why, "table": the table's id, "clock": {"move",
"game", "increment"}, "left": the seconds of "game" that each seat has left, "opening": how many plies, at random or
from a file, began the game, and "usage": [a seat], what a language model there has used ({"model", "temperature",
"answers", "prompt_tokens", "cost", …}), null for others. A game in progress has "payoffs": [].
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from math import isfinite
from typing import Any, cast

from kozyr.envs import registry
from kozyr.envs.core.game import Game
from kozyr.envs.core.quote import quote
from kozyr.envs.environments import argument_checks
from kozyr.envs.table import files
from kozyr.envs.table.clock import Clock

FORMAT = 1
LONGEST = 16 << 20  # bytes of a line: a game of War of a million turns, War's longest, has 4 MB
_FIELDS = ("game", "variant", "seed", "starter", "actions", "payoffs", "truncated")
_TIMES = ("move", "game", "increment")
_LARGEST = 1e9  # payoff or seconds


@dataclass(frozen=True)
class Record:
    """One game from the deal to the payoffs, or as far as it has been played.

    Attributes:
        game: what was played; variant: its options.
        seed: of the deal; starter: the seat that began.
        actions: all actions in order.
        payoffs: a seat's payoff each; none while the game is in progress.
        truncated: whether a cap ended the game.
        agents: who sat in each seat, if that is known.
        forfeit: the seat that lost by something else than an action after the last one, or None; reason: why.
        package: the version of kozyr that wrote it.
        id: of the table, if it has one.
        clock: how long the seats might think, or None; left: seconds of `clock.game` that each has left.
        opening: how many of the first actions were drawn at random, or came from a file, as in matches; None where that
            is not known.
        usage: what the language model in each seat has used, None for other players; or None if nobody asked one.
    """

    game: Game
    variant: Any
    seed: int
    starter: int
    actions: list[int]
    payoffs: list[float]
    truncated: bool
    agents: list[str] | None = None
    forfeit: int | None = None
    package: str = ""
    reason: str | None = None
    id: str | None = None
    clock: Clock | None = None
    left: list[float] | None = None
    opening: int | None = None
    usage: list[dict[str, Any] | None] | None = None


def write(record: Record) -> str:
    """Return a record as one line of JSON without the line's end."""
    fields: dict[str, Any] = {
        "kozyr": FORMAT,
        "game": record.game.id,
        "package": record.package or _package(),
        "variant": record.game.options(record.variant),
        "seed": record.seed,
        "starter": record.starter,
        "actions": record.actions,
        "payoffs": [round(payoff, 6) for payoff in record.payoffs],
        "truncated": record.truncated,
    }
    optional = {
        "agents": record.agents,
        "forfeit": record.forfeit,
        "reason": record.reason,
        "table": record.id,
        "clock": record.clock and {name: getattr(record.clock, name) for name in _TIMES},
        "left": record.left and [round(seconds, 3) for seconds in record.left],
        "opening": record.opening,
        "usage": record.usage and [one and {key: _rounded(x) for key, x in one.items()} for one in record.usage],
    }
    fields |= {name: value for name, value in optional.items() if value is not None}
    return json.dumps(fields, ensure_ascii=False, separators=(",", ":"))


def parse(line: str | bytes) -> Record:
    """Return the record in a line, its game not replayed.

    Raises:
        ValueError: for a line that is damaged or foreign.
    """
    return _record(_fields(line))


@cache
def _package() -> str:
    try:
        return version("kozyr")
    except PackageNotFoundError:  # run from a source tree
        return "0"


def _fields(line: str | bytes) -> Mapping[str, Any]:
    """Return the fields of a line of this format."""
    document: Any = files.parsed(line)
    if not isinstance(document, dict) or "kozyr" not in document:
        raise ValueError('this is no record of kozyr: a record is a JSON object with the field "kozyr"')
    fields = cast(dict[str, Any], document)
    if fields["kozyr"] != FORMAT:
        raise ValueError(f"records of format {quote(fields['kozyr'])} cannot be read here: the format is {FORMAT}")
    missing = [name for name in _FIELDS if name not in fields]
    if missing:
        raise ValueError(f"missing field {missing[0]!r}")
    return fields


def _record(fields: Mapping[str, Any]) -> Record:
    """Return the record that the fields describe, each field checked by itself."""
    game: Game = registry.game(_typed(fields, "game", str))
    if fields["game"] != game.id:
        raise ValueError(f"game={quote(fields['game'])} does not say its version: write {game.id!r}")
    v = game.kept_variant(_typed(fields, "variant", dict))
    seats = game.seats(v)
    forfeit = fields.get("forfeit")
    return Record(
        game,
        v,
        argument_checks.seed(fields["seed"]),
        argument_checks.seat("starter", fields["starter"], seats),
        [int(action) for action in _each(fields, "actions", None, int)],
        _numbers(fields, "payoffs", seats if fields["payoffs"] else 0),
        _typed(fields, "truncated", bool),
        _each(fields, "agents", seats, str) if "agents" in fields else None,
        None if forfeit is None else argument_checks.seat("forfeit", forfeit, seats),
        str(fields.get("package", "")),
        _typed(fields, "reason", str) if "reason" in fields else None,
        _typed(fields, "table", str) if "table" in fields else None,
        _clock(_typed(fields, "clock", dict)) if "clock" in fields else None,
        _numbers(fields, "left", seats) if "left" in fields else None,
        _opening(fields["opening"]) if "opening" in fields else None,
        [_usage(one) for one in _each(fields, "usage", seats, dict, type(None))] if "usage" in fields else None,
    )


def _opening(plies: Any) -> int:
    """Return the number of random plies of a record, which may be more than the game had."""
    if not argument_checks.is_whole(plies) or not 0 <= plies <= _LARGEST:
        raise ValueError(f"opening={quote(plies)} is not allowed: it is a whole number of plies from 0")
    return int(plies)


def _usage(usage: dict[str, Any] | None) -> dict[str, Any] | None:
    """Return the usage of a seat's model; nothing computes with it, so names and values are but plain."""
    for name, value in (usage or {}).items():
        if not isinstance(value, (str, int, float, type(None))) or (isinstance(value, float) and not isfinite(value)):
            raise ValueError(f"usage: {name}={quote(value)} is not allowed: it is a text, a number or null")
    return usage


def _rounded(value: Any) -> Any:
    return round(value, 6) if isinstance(value, float) else value


def _clock(times: dict[str, Any]) -> Clock:
    """Return the clock of a record."""
    if set(times) != set(_TIMES):
        raise ValueError(f"clock has the fields {', '.join(times)}: it must have {', '.join(_TIMES)}")
    return Clock(**times)


def _numbers(fields: Mapping[str, Any], name: str, length: int) -> list[float]:
    """Return a field that must be a list of finite numbers, one a seat."""
    items = _each(fields, name, length, int, float)
    for i, item in enumerate(items):
        if not abs(item) <= _LARGEST:
            raise ValueError(f"{name}[{i}] is not allowed: it is a number from {-_LARGEST:g} to {_LARGEST:g}")
    return [float(item) for item in items]


def _typed(fields: Mapping[str, Any], name: str, kind: type) -> Any:
    """Return a field that must be of one type."""
    if isinstance(fields[name], kind):
        return fields[name]
    raise ValueError(f"{name}={quote(fields[name])} is not allowed: {name} is a {kind.__name__}")


def _each(fields: Mapping[str, Any], name: str, length: int | None, *kinds: type) -> list[Any]:
    """Return a field that must be a list of one type, with one item a seat where a length is given."""
    items: list[Any] = _typed(fields, name, list)
    if length is not None and len(items) != length:
        raise ValueError(f"{name} has {len(items)} items: there are {length} seats")
    for i, item in enumerate(items):
        if isinstance(item, bool) or not isinstance(item, kinds):
            raise ValueError(
                f"{name}[{i}]={quote(item)} is not allowed: it is a {' or '.join(t.__name__ for t in kinds)}"
            )
    return items
