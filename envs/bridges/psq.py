"""Game files of Piskvork (.psq), as Gomocup publishes them: games of five in a row, written from records and read.

A file is one game, cells are counted from 1, and x is the column:

    Piskvorky 15x15, 11:11, 0      columns x rows, the two players' levels, which of them begins
    8,8,0                          a stone: x, y, milliseconds
    9,7,1250
    pbrain-first.exe               the players, in tournaments only
    pbrain-second.exe
    0                              how it ended: 0 by the rules, 15 time, 7 a bad move, …; -1: not told
    1,Freestyle                    Gomocup's line: the winner, 0 for none, and the group, whose name tells the rule

Source: `openPsq` and `savePsq` of Piskvork 8.9, and the archives of gomocup.org for the last line.
"""

import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

from kozyr.envs.core.game import Game
from kozyr.envs.core.quote import quote
from kozyr.envs.mnk import GAME
from kozyr.envs.mnk.board import EMPTY, content
from kozyr.envs.table import files
from kozyr.envs.table.record import Record, located, replay
from kozyr.envs.table.table import TIME, Table

__all__ = ["read", "read_file", "write"]

_LONGEST = 1 << 16  # bytes of a file: 625 stones have some 10 kB
_NAME = 200  # characters
_HEAD = re.compile(r"Piskvorky ([0-9]{1,3})x([0-9]{1,3}), ?(-?[0-9]{1,6}):(-?[0-9]{1,6}), ?([01])")
_STONE = re.compile(r"([0-9]{1,6}) ?, ?([0-9]{1,6})(?: ?, ?-?[0-9]{1,12})?")
_CODE = re.compile(r"-?[0-9]{1,6}")
_RESULT = re.compile(r"([012]),([^,]{1,100})")
_STONES = 5  # in a line
_GROUPS = {  # Gomocup's, by the options `line` and `bans`
    ("free", "none"): "Freestyle",
    ("exact", "none"): "Standard",
    ("free", "renju"): "Renju",
    ("caro", "none"): "Caro",
    ("exact_caro", "none"): "Exact caro",  # which Gomocup does not play
}
_PREFIXES = {name.lower(): rules for rules, name in _GROUPS.items()} | {"fastgame": ("free", "none")}
_BY_RULES, _BAD_MOVE, _LATE, _OTHER, _UNTOLD = 0, 7, 15, -2, -1
_REASONS = {_LATE: TIME, 16: "memory", _BAD_MOVE: "illegal action", 6: "no move", _OTHER: "an error"}
_LOST = "lost in the file"  # a game whose file names the winner and not the reason


class _End(NamedTuple):
    """Lines after the stones."""

    names: list[str] | None
    code: int
    winner: int | None  # 0: none
    group: str | None


def write(record: Record) -> str:
    """Return a recorded game as the text of a .psq file; `read` makes the same game of it.

    Times of moves are not recorded, so they are 0.

    Raises:
        ValueError: for another game, rules that Piskvork does not know, and names that such a file cannot hold.
    """
    v = record.variant
    _require_known(record.game, v)
    last = replay(record)[0]
    starter, over = int(last.starter), bool(record.payoffs)
    lines = [f"Piskvorky {v.n}x{v.m}, 11:11, {starter}"]
    lines += [f"{action % v.n + 1},{action // v.n + 1},0" for action in record.actions]
    for name in record.agents or ():
        _require_name(name)
        lines.append(name)
    codes = {reason: code for code, reason in _REASONS.items()} | {_LOST: _UNTOLD}
    code = _UNTOLD if not over else _BY_RULES if record.forfeit is None else codes.get(record.reason or "", _OTHER)
    winner = 1 + record.payoffs.index(1.0) if 1.0 in record.payoffs else 0
    return "\n".join([*lines, str(code), f"{winner},{_GROUPS[_rules(v)]}", ""])


def read_file(path: str | Path, **options: Any) -> Record:
    """Return the game in a .psq file; see `read`.

    Raises:
        ValueError: naming file, line and reason.
        OSError: if the file cannot be read.
    """
    with located(file=path):
        data = files.content(path, _LONGEST)
    return read(data, path, **options)


def read(data: bytes | str, file: str | Path | None = None, **options: Any) -> Record:
    """Return the game in the contents of a .psq file as a record, replayed by the rules without a last reply.

    Where the file names the winner of a game that the rules have not ended, the other player forfeits. A game that
    nobody has won and whose board is not full is in progress. Milliseconds are not kept.

    Args:
        data: the contents; bytes that are no UTF-8 are read as Latin-1, as old files have names in it.
        file: where they come from, for errors.
        options: the game's options where the file does not tell them, as line="exact". Without them the group in
            Gomocup's line tells the rule, and in a file without that line five or more win.

    Raises:
        ValueError: naming file, line and reason for a file that is damaged, an illegal stone, a result that is not the
            rules', and a rule that is not known here.
    """
    lines = _lines(data)
    if not lines or (match := _HEAD.fullmatch(lines[0][1])) is None:
        with located(1, file):
            raise ValueError("this is no .psq file: it begins as 'Piskvorky 15x15, 11:11, 0'")
    columns, rows, starter = int(match[1]), int(match[2]), int(match[5])
    stones = 1
    while stones < len(lines) and _STONE.fullmatch(lines[stones][1]):
        stones += 1
    end = _end(lines[stones:], file)
    with located(lines[-1][0] if end.group else 1, file):
        rule = options or dict(zip(("line", "bans"), _rules_of(end.group), strict=True))
        v = GAME.make_variant(**{"m": rows, "n": columns, "k": _STONES, "last_reply": False} | rule)
        _require_known(GAME, v)
    table = Table(GAME, v, 0, starter, names=end.names)
    for number, line in lines[1:stones]:
        with located(number, file):
            _play(table, line, number == lines[stones - 1][0])
    with located(lines[-1][0], file):
        _finish(table, end)
    return table.record


def _lines(data: bytes | str) -> list[tuple[int, str]]:
    """Return the lines that are not empty, with their numbers."""
    if isinstance(data, bytes):
        try:
            data = data.decode("utf-8-sig")
        except UnicodeDecodeError:
            data = data.decode("latin-1")
    rows = re.split(r"\r\n|\r|\n", data)
    return [(number, line.strip()) for number, line in enumerate(rows, 1) if line.strip()]


def _end(lines: Sequence[tuple[int, str]], file: str | Path | None) -> _End:
    """Read the lines after the stones."""
    kinds = [not (_CODE.fullmatch(line) or _RESULT.fullmatch(line)) for _, line in lines]
    count = kinds.index(False) if False in kinds else len(kinds)
    for number, line in lines[:count]:
        with located(number, file):
            if count != 2:
                raise ValueError(f"{quote(line)} is no stone, as '8,8,0', and two names of players should follow them")
            _require_name(line)
    code, winner, group = _UNTOLD, None, None
    for place, (number, line) in enumerate(lines[count:]):
        with located(number, file):
            if place == 0 and _CODE.fullmatch(line):
                code = int(line)
            elif group is None and (match := _RESULT.fullmatch(line)):
                winner, group = int(match[1]), match[2]
            else:
                raise ValueError(f"{quote(line)} is not expected here: the game ends with a code and a result")
    return _End([line for _, line in lines[:count]] or None, code, winner, group)


def _rules(v: Any) -> tuple[str, str]:
    """Return the options of a variant that tell groups apart."""
    options = GAME.options(v)
    return options["line"], options["bans"]


def _rules_of(group: str | None) -> tuple[str, str]:
    """Return the options `line` and `bans` that a group of Gomocup plays."""
    rules = [rule for prefix, rule in _PREFIXES.items() if (group or "freestyle").lower().startswith(prefix)]
    if not rules:
        groups = ", ".join(_PREFIXES)
        raise ValueError(
            f"which rule group {quote(group)} plays is not known ({groups} are): say it with options, as "
            "--set line=exact"
        )
    return rules[0]


def _play(table: Table, line: str, is_last: bool) -> None:
    """Lay the stone of a line; where X may not play, and the game ends with it, X forfeits in its place."""
    match, v = _STONE.fullmatch(line), table.variant
    assert match is not None
    x, y = int(match[1]), int(match[2])
    if table.over:
        raise ValueError(f"the game is over after {table.ply} stones, and another one follows")
    if not (1 <= x <= v.n and 1 <= y <= v.m):
        raise ValueError(f"{line} is off the board: x is 1 to {v.n}, y 1 to {v.m}")
    action = (y - 1) * v.n + x - 1
    if table.mask[action]:
        table.play(action)
    elif content(v, table.states[0], action) != EMPTY:
        raise ValueError(f"{line} is not free")
    elif is_last:
        table.forfeit(table.turn, _REASONS[_BAD_MOVE])
    else:
        raise ValueError(f"{line} is banned in renju, and the game goes on: is the rule another one?")


def _finish(table: Table, end: _End) -> None:
    """Compare the result with that of the rules, and let a seat forfeit where only the file tells who has won."""
    if table.over:
        winner = 1 + table.payoffs.index(1.0) if 1.0 in table.payoffs else 0
        if end.winner is not None and end.winner != winner:
            words = "nobody has" if winner == 0 else f"player {winner} has"
            raise ValueError(f"the result is {end.winner}, but by the rules {words} won; is the rule another one?")
    elif end.winner:
        table.forfeit(2 - end.winner, _REASONS.get(end.code, _LOST))
    elif end.winner is None and end.code in _REASONS:  # the player to move was late, or worse
        table.forfeit(table.turn, _REASONS[end.code])


def _require_known(game: Game, v: Any) -> None:
    """Raise ValueError for rules that such a file cannot tell."""
    if game is not GAME:
        raise ValueError(f"{game.id} is not written as .psq: such files are games of {GAME.id}")
    usual, options = GAME.options(GAME.make_variant()), GAME.options(v)
    line, bans = _rules(v)
    fixed = {"m": v.m, "n": v.n, "k": _STONES, "last_reply": False, "line": line, "bans": bans}
    for name, value in options.items():
        if value != (due := fixed.get(name, usual[name])):
            raise ValueError(f"{name}={value} is not known to Piskvork: play with {name}={due}")


def _require_name(name: str) -> None:
    """Raise ValueError for a name that is read as something else."""
    other = _STONE.fullmatch(name) or _CODE.fullmatch(name) or _RESULT.fullmatch(name)
    if other or not name.isprintable() or not 0 < len(name.strip()) == len(name) <= _NAME:
        raise ValueError(f"{quote(name)} cannot be a player's name in a .psq file: it is a line of text")
