"""Records: one game as one JSON line that replays to equal bytes.

A line holds {"kozyr": 1, "game": "durak_v0", "package", "variant": {…}, "seed", "starter", "actions": […],
"payoffs": [a seat], "truncated"} and, where they apply, "agents": [a seat] and "forfeit": the seat whose agent
erred or played illegally, which ended the game there.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from kozyr import envs
from kozyr.envs.api import check
from kozyr.envs.api.illegal import forfeited, in_words
from kozyr.envs.core import tables
from kozyr.envs.core.game import Game
from kozyr.envs.core.rng import spread
from kozyr.envs.core.state import OVER

FORMAT = 1
_FIELDS = ("game", "variant", "seed", "starter", "actions", "payoffs", "truncated")
_CLOSE = 1e-5  # payoffs are written with six digits


@dataclass(frozen=True)
class Record:
    """One game from the deal to the payoffs.

    Attributes:
        game: what was played; variant: as agreed.
        seed: of the deal; starter: the seat that began.
        actions: all actions in order.
        payoffs: a seat's payoff each.
        truncated: whether a cap ended the game.
        agents: who sat in each seat, if that is known.
        forfeit: the seat that lost by an error or an illegal action in place of the next action, or None.
        package: the version of kozyr that wrote it.
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
    optional = {"agents": record.agents, "forfeit": record.forfeit}
    fields |= {name: value for name, value in optional.items() if value is not None}
    return json.dumps(fields, ensure_ascii=False, separators=(",", ":"))


def read(line: str | bytes, number: int | None = None, file: str | Path | None = None, verify: bool = True) -> Record:
    """Return the record in a line.

    Args:
        line: the text.
        number: its number, for errors; file: where it comes from, for errors.
        verify: replay the game: every action must be legal, and end and payoffs as the record says.

    Raises:
        ValueError: naming file, line and reason for a line that is damaged or foreign.
    """
    where = ", ".join(part for part in (str(file or ""), "" if number is None else f"line {number}") if part)
    try:
        record = _record(_fields(line))
        if verify:
            for _ in states(record):
                pass
    except ValueError as error:
        raise ValueError(f"{where or 'record'}: {error}") from None
    return record


def read_file(path: str | Path, verify: bool = True) -> Iterator[Record]:
    """Give the records of a file of JSON lines, one after the other; empty lines are skipped.

    Raises:
        ValueError: as `read`.
        OSError: if the file cannot be read.
    """
    with Path(path).open("rb") as file:
        for number, line in enumerate(file, 1):
            if line.strip():
                yield read(line, number, path, verify)


def replay(record: Record) -> NDArray[Any]:
    """Return the last state of a recorded game: an array of one.

    Raises:
        ValueError: if the actions, the end or the payoffs are not as the rules have it.
    """
    *_, last = states(record)
    return last


def states(record: Record) -> Iterator[NDArray[Any]]:
    """Give the states of a recorded game from the deal on, each a new array of one.

    Raises:
        ValueError: at the first thing that is not as the rules have it.
    """
    game, v = record.game, record.variant
    table, view, mask = empty_table(game, v)
    tables.deal_one(v, table, record.seed, record.starter, view, mask)
    yield _copied(table)
    for action in record.actions:
        _require_legal(record, table, mask, action)
        tables.step_one(v, table, action, view, mask)
        yield _copied(table)
    _require_end(record, table[0])


def _copied(table: NDArray[Any]) -> NDArray[Any]:
    """Return a copy with equal bytes; NumPy's own leaves what it finds in the gaps between aligned fields."""
    copy = np.zeros(1, table.dtype)
    copy[0] = table[0]
    return copy


def play(game: Game, variant: Any, seed: int, starter: int, agents: Sequence[Any]) -> Record:
    """Play one game and return its record.

    Args:
        game: the game; variant: as agreed.
        seed: fixes the deal and the agents' luck.
        starter: the seat that begins, or −1 to let the seed draw it.
        agents: one a seat; each is reset and asked by `act`.

    Raises:
        ValueError: for an illegal action, with the position in words.

    Example:
        >>> from kozyr import agents, envs
        >>> game = envs.game("war")
        >>> one = play(game, game.agree(), seed=1, starter=-1, agents=[agents.load("war:high_first")] * 2)
        >>> read(write(one)).actions == one.actions
        True
    """
    table, view, mask = empty_table(game, variant)
    for seat, agent in enumerate(agents):
        agent.reset(seat, spread(check.seed(seed), 1 + seat))
    tables.deal_one(variant, table, seed, starter, view, mask)
    s: Any = table[0]
    actions: list[int] = []
    while s.turn != OVER:
        action = agents[s.turn].act(view.copy(), mask.copy())
        complaint = check.complaint(action, mask)
        if complaint:
            raise ValueError(f"{agents[s.turn]!r} {in_words(game, variant, s, action, complaint)}")
        actions.append(int(action))
        tables.step_one(variant, table, int(action), view, mask)
    return Record(game, variant, seed, int(s.starter), actions, paid(game, variant, s), bool(s.truncated))


def empty_table(game: Game, v: Any) -> tuple[NDArray[Any], NDArray[Any], NDArray[np.int8]]:
    """Return one table with its view and mask, all zero: state [1], view [view], mask [actions]."""
    view = np.zeros(game.size(v), game.view_dtype)
    return np.zeros(1, game.state), view, np.zeros(game.actions(v), np.int8)


def paid(game: Game, v: Any, s: Any) -> list[float]:
    """Return the payoffs of a state, a seat each."""
    return [float(payoff) for payoff in s.payoff[: game.seats(v)]]


def _package() -> str:
    try:
        return version("kozyr")
    except PackageNotFoundError:  # run from a source tree
        return "0"


def _fields(line: str | bytes) -> Mapping[str, Any]:
    """Return the fields of a line of this format."""
    try:
        found: Any = json.loads(line)
    except UnicodeDecodeError as error:
        raise ValueError(f"this is not UTF-8 text: {error.reason} at byte {error.start}") from None
    except (ValueError, RecursionError) as error:
        raise ValueError(f"this is not JSON: {error}") from None
    if not isinstance(found, dict) or "kozyr" not in found:
        raise ValueError('this is no record of kozyr: a record is a JSON object with the field "kozyr"')
    fields = cast(dict[str, Any], found)
    if fields["kozyr"] != FORMAT:
        raise ValueError(f"records of format {fields['kozyr']!r} cannot be read here: the format is {FORMAT}")
    missing = [name for name in _FIELDS if name not in fields]
    if missing:
        raise ValueError(f"missing field {missing[0]!r}")
    return fields


def _record(fields: Mapping[str, Any]) -> Record:
    """Return the record that the fields describe, each field checked by itself."""
    game: Game = envs.game(_typed(fields, "game", str))
    if fields["game"] != game.id:
        raise ValueError(f"game={fields['game']!r} does not say its version: write {game.id!r}")
    v = _agreed(game, _typed(fields, "variant", dict))
    seats = game.seats(v)
    agents, forfeit = fields.get("agents"), fields.get("forfeit")
    if agents is not None:
        _each(fields, "agents", seats, str)
    return Record(
        game,
        v,
        check.seed(fields["seed"]),
        check.seat("starter", fields["starter"], seats),
        [int(action) for action in _each(fields, "actions", None, int)],
        [float(payoff) for payoff in _each(fields, "payoffs", seats, int, float)],
        _typed(fields, "truncated", bool),
        agents,
        None if forfeit is None else check.seat("forfeit", forfeit, seats),
        str(fields.get("package", "")),
    )


def _agreed(game: Game, options: dict[str, Any]) -> Any:
    """Return the variant of a record; every field must be there, lest a new default changes an old game."""
    if set(options) != set(game.fields):
        raise ValueError(f"variant has the fields {', '.join(options)}: it must have {', '.join(game.fields)}")
    return game.agree(**options)


def _typed(fields: Mapping[str, Any], name: str, wanted: type) -> Any:
    """Return a field that must be of one type."""
    if isinstance(fields[name], wanted):
        return fields[name]
    raise ValueError(f"{name}={fields[name]!r} is not allowed: {name} is a {wanted.__name__}")


def _each(fields: Mapping[str, Any], name: str, length: int | None, *wanted: type) -> list[Any]:
    """Return a field that must be a list of one type, with one item a seat where a length is given."""
    items: list[Any] = _typed(fields, name, list)
    if length is not None and len(items) != length:
        raise ValueError(f"{name} has {len(items)} items: there are {length} seats")
    for i, item in enumerate(items):
        if isinstance(item, bool) or not isinstance(item, wanted):
            raise ValueError(f"{name}[{i}]={item!r} is not allowed: it is a {' or '.join(t.__name__ for t in wanted)}")
    return items


def _require_legal(record: Record, table: NDArray[Any], mask: NDArray[np.int8], action: int) -> None:
    """Raise in words unless the next recorded action is legal."""
    s: Any = table[0]
    if s.turn == OVER:
        raise ValueError(f"the game is over after {int(s.ply)} actions, but {len(record.actions)} are listed")
    complaint = check.complaint(action, mask)
    if complaint:
        raise ValueError(in_words(record.game, record.variant, s, action, complaint))


def _require_end(record: Record, s: Any) -> None:
    """Raise unless the game ended as the record says."""
    plies, turn = len(record.actions), int(s.turn)
    if record.forfeit is None and turn != OVER:
        raise ValueError(f"the game is not finished: after its {plies} actions player_{turn} is to move")
    if record.forfeit is not None and turn != record.forfeit:
        whose = "it is over" if turn == OVER else f"player_{turn} is to move"
        raise ValueError(f"player_{record.forfeit} cannot forfeit after {plies} actions: {whose}")
    seats = record.game.seats(record.variant)
    due = paid(record.game, record.variant, s) if record.forfeit is None else forfeited(seats, record.forfeit)
    if not np.allclose(record.payoffs, due, rtol=0, atol=_CLOSE):
        raise ValueError(f"payoffs {record.payoffs} do not agree with the game, which pays {due}")
    if record.truncated != bool(s.truncated):
        raise ValueError(f"truncated={record.truncated} does not agree with the game")
