"""Store of results: blocks of deals in a file of JSON lines.

A line is one block: players, deals and returns. If a process is killed, only the line that it was writing is lost; a
block that is there twice counts once.
"""

import hashlib
import json
import os
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Annotated, Any

import msgspec

from kozyr.agents.nets.condensed_loops import Net
from kozyr.envs.table import file_output, files
from kozyr.envs.table.lock import locked

_FORMAT = 3
_LONGEST = 1 << 20  # bytes of a line: 50 deals of five players have some 10 kB
_SEATS, _WORDS = 64, 2000  # players of a table, and characters of a reason, at most
_BEGIN = f'{{"format": {_FORMAT}, '.encode()  # of every line


@dataclass(frozen=True)
class Block:
    """Some deals of one table.

    Attributes:
        game: name and version; variant: its options as JSON; seed: of the league; opening: random plies first, None:
            the game's default.
        players: agents by name, each with a hash of its file if it has one, at most one a seat; the last one fills the
            remaining seats.
        number: of the block; deals: in it.
        openings: digest of the file of openings that the deals begin with, or None.
    """

    game: str
    variant: str
    seed: int
    opening: int | None
    players: tuple[str, ...]
    number: int
    deals: int
    openings: str | None = None


@dataclass(frozen=True)
class Outcome:
    """Results of a block, for each player in the block's order.

    Attributes:
        returns: of each player in each deal, a mean over the rotations and over its seats.
        errors: games lost by a mistake; why: the first of them in words, or None.
        ms: a decision, None for players inside the compiled loop.
        draws: share of the games; plies: actions played.
    """

    returns: tuple[tuple[float, ...], ...]
    errors: tuple[int, ...]
    why: tuple[str | None, ...]
    ms: tuple[float | None, ...]
    draws: float
    plies: int


class Store:
    """Results in a file, or in memory without one.

    Args:
        path: a file of JSON lines; it and its folder are made if necessary.

    Raises:
        ValueError: if the file has other content; it is not changed then.
    """

    def __init__(self, path: Path | None) -> None:
        self.path, self.known = path, dict[Block, Outcome]()
        self._read, self._lines, self._locked = 0, 0, False  # bytes and lines of the file that have been read
        if path is not None:
            path.parent.mkdir(parents=True, exist_ok=True)
            self._read_new(path)

    @contextmanager
    def exclusive(self) -> Generator[None]:
        """Lock the file against other processes while the block runs, after reading their new results.

        Raises:
            ValueError: naming the process that is adding results.
        """
        if self.path is None or self._locked:
            yield
            return
        with locked(self.path, "results"):
            unfinished = self._read_new(self.path)
            if unfinished:
                os.truncate(self.path, self._read)
            self._locked = True
            try:
                yield
            finally:
                self._locked = False

    def _read_new(self, path: Path) -> bool:
        """Read the new lines, and return True if an unfinished line of ours follows."""
        if not path.exists():
            return False
        if path.stat().st_size < self._read:  # it was truncated: all is read again
            self._read = self._lines = 0
        for line in files.lines(path, _LONGEST, self._read, self._lines + 1):
            if not line.endswith(b"\n"):
                if line[: len(_BEGIN)] != _BEGIN[: len(line)]:
                    raise _foreign(path, self._lines + 1, "it begins otherwise")
                return True
            self._learn(path, line)
        return False

    def _learn(self, path: Path, line: bytes) -> None:
        """Add one line of the file to the results."""
        try:
            block, outcome = _parsed(line)
        except ValueError as error:  # msgspec's are, too
            raise _foreign(path, self._lines + 1, error) from None
        self.known.setdefault(block, outcome)
        self._read, self._lines = self._read + len(line), self._lines + 1

    def add(self, block: Block, outcome: Outcome) -> None:
        """Store a result, unless it is there already.

        Raises:
            ValueError: naming another process that is adding results.
        """
        with self.exclusive():
            if block in self.known:
                return
            if self.path is not None:
                line = json.dumps({"format": _FORMAT, **_fields(block), **asdict(outcome)}) + "\n"
                file_output.append(self.path, line)
                self._read, self._lines = self._read + len(line.encode()), self._lines + 1
            self.known[block] = outcome


def _fields(block: Block) -> dict[str, Any]:
    """Return the fields of a block's line; one without a file of openings is written as ever."""
    return {name: value for name, value in asdict(block).items() if name != "openings" or value is not None}


def _foreign(path: Path, number: int, why: object) -> ValueError:
    """Return the error of a line in another format."""
    return ValueError(f"{path}, line {number} is no result of a league ({why}): choose another file, or mend the line")


Count = Annotated[int, msgspec.Meta(ge=0, le=2**63 - 1)]
Share = Annotated[float, msgspec.Meta(ge=0, le=1)]
Payoff = Annotated[float, msgspec.Meta(ge=-1e9, le=1e9)]
Milliseconds = Annotated[float, msgspec.Meta(ge=0, le=1e12)]


class _Line(msgspec.Struct, forbid_unknown_fields=True):
    """A line of the file: the fields of a block, then those of its outcome."""

    format: int
    game: str
    variant: str
    seed: Count
    opening: Count | None
    players: Annotated[tuple[str, ...], msgspec.Meta(min_length=2, max_length=_SEATS)]
    number: Count
    deals: Annotated[int, msgspec.Meta(ge=1, le=10**9)]
    returns: tuple[tuple[Payoff, ...], ...]
    errors: tuple[Count, ...]
    why: tuple[Annotated[str, msgspec.Meta(max_length=_WORDS)] | None, ...]
    ms: tuple[Milliseconds | None, ...]
    draws: Share
    plies: Count
    openings: Annotated[str, msgspec.Meta(pattern="^[0-9a-f]{16}$")] | None = None


def _parsed(line: bytes) -> tuple[Block, Outcome]:
    """Return the block and the outcome of a line."""
    fields = msgspec.convert(files.parsed(line), _Line)
    if fields.format != _FORMAT:
        raise ValueError(f"format {fields.format}, not {_FORMAT}")
    players = len(fields.players)
    if any(len(row) != fields.deals for row in fields.returns):
        raise ValueError(f"{[*map(len, fields.returns)]} returns of {fields.deals} deals")
    if any(len(one) != players for one in (fields.returns, fields.errors, fields.why, fields.ms)):
        raise ValueError(f"{len(fields.returns)} rows of returns of {players} players, or as few errors or times")
    block = Block(**{name: getattr(fields, name) for name in Block.__dataclass_fields__})
    return block, Outcome(**{name: getattr(fields, name) for name in Outcome.__dataclass_fields__})


def versioned_name(name: str, agent: Any) -> str:
    """Return an agent's name with a hash of its trained weights, if it has any."""
    digest = trained_digest(agent)
    return f"{name}#{digest[:12]}" if digest else name


def trained_digest(agent: Any) -> str:
    """Return the SHA-256 of an agent's trained weights, or "" if it has none.

    They are the file of the agent or of its guide, and the network of a search player.
    """
    path = getattr(agent, "path", None) or getattr(getattr(agent, "guide", None), "path", None)
    content, net = b"" if path is None else Path(path).read_bytes(), getattr(agent, "net", None)
    if isinstance(net, Net) and not hasattr(agent, "path"):
        content += b"".join(numbers.tobytes() for numbers in net)
    return hashlib.sha256(content).hexdigest() if content else ""
