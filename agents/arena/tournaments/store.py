"""Results of blocks of deals in a file of JSON lines, which may be added to and read again.

A line is one block: who played which deals, and the returns. What was played by a process that was killed is kept, but
for the line it was writing; a block that is there twice counts once.
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
from kozyr.envs.table import files
from kozyr.envs.table.lock import locked

_FORMAT = 3
_LONGEST = 1 << 20  # bytes of a line: 50 deals of five players have some 10 kB
_SEATS, _WORDS = 64, 2000  # players of a table, and characters of a reason, at most
_BEGIN = f'{{"format": {_FORMAT}, '.encode()  # of every line


@dataclass(frozen=True)
class Block:
    """Some deals of one table.

    Attributes:
        game: name and version; variant: its options as JSON; seed: of the league; opening: random plies first, None as
            the game has it.
        players: agents by name, each with a mark of the content if it was read from a file, at most one a seat; the
            last one fills the seats that are left.
        number: of the block; deals: in it.
    """

    game: str
    variant: str
    seed: int
    opening: int | None
    players: tuple[str, ...]
    number: int
    deals: int


@dataclass(frozen=True)
class Outcome:
    """What a block has brought, for each player in the block's order.

    Attributes:
        returns: for each player a mean over the rotations, and over its seats, of each deal.
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
    """The results in a file; without a file they are kept in memory.

    Args:
        path: a file of JSON lines; it and its folder are made if need be.

    Raises:
        ValueError: if the file holds something else; nothing of it is changed then.
    """

    def __init__(self, path: Path | None) -> None:
        self.path, self.known = path, dict[Block, Outcome]()
        self._read, self._lines, self._held = 0, 0, False  # bytes and lines of the file that are known
        if path is not None:
            path.parent.mkdir(parents=True, exist_ok=True)
            self._take_up(path)

    @contextmanager
    def held(self) -> Generator[None]:
        """Keep other processes from adding results while the block runs; what they have added before is taken up.

        Raises:
            ValueError: naming the process that is adding results.
        """
        if self.path is None or self._held:
            yield
            return
        with locked(self.path, "results"):
            unfinished = self._take_up(self.path)
            if unfinished:
                os.truncate(self.path, self._read)
            self._held = True
            try:
                yield
            finally:
                self._held = False

    def _take_up(self, path: Path) -> bool:
        """Read the lines that are not known yet, and tell whether a line of ours follows that was never finished."""
        if not path.exists():
            return False
        if path.stat().st_size < self._read:  # somebody has cut it: all is read again
            self._read = self._lines = 0
        for line in files.lines(path, _LONGEST, self._read, self._lines + 1):
            if not line.endswith(b"\n"):
                if line[: len(_BEGIN)] != _BEGIN[: len(line)]:
                    raise _foreign(path, self._lines + 1, "it begins otherwise")
                return True
            self._learn(path, line)
        return False

    def _learn(self, path: Path, line: bytes) -> None:
        """Take up one line of the file."""
        try:
            block, outcome = _parsed(line)
        except ValueError as error:  # msgspec's are, too
            raise _foreign(path, self._lines + 1, error) from None
        self.known.setdefault(block, outcome)
        self._read, self._lines = self._read + len(line), self._lines + 1

    def add(self, block: Block, outcome: Outcome) -> None:
        """Keep a result, unless it is known.

        Raises:
            ValueError: naming another process that is adding results.
        """
        with self.held():
            if block in self.known:
                return
            if self.path is not None:
                line = json.dumps({"format": _FORMAT, **asdict(block), **asdict(outcome)}) + "\n"
                with self.path.open("a", encoding="utf-8") as file:
                    file.write(line)
                self._read, self._lines = self._read + len(line.encode()), self._lines + 1
            self.known[block] = outcome


def _foreign(path: Path, number: int, why: object) -> ValueError:
    """Return the error of a line that is none of ours."""
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


def _parsed(line: bytes) -> tuple[Block, Outcome]:
    """Return what a line says."""
    found = msgspec.convert(files.parsed(line), _Line)
    if found.format != _FORMAT:
        raise ValueError(f"format {found.format}, not {_FORMAT}")
    players = len(found.players)
    if any(len(row) != found.deals for row in found.returns):
        raise ValueError(f"{[*map(len, found.returns)]} returns of {found.deals} deals")
    if any(len(one) != players for one in (found.returns, found.errors, found.why, found.ms)):
        raise ValueError(f"{len(found.returns)} rows of returns of {players} players, or as few errors or times")
    block = Block(**{name: getattr(found, name) for name in Block.__dataclass_fields__})
    return block, Outcome(**{name: getattr(found, name) for name in Outcome.__dataclass_fields__})


def marked(name: str, agent: Any) -> str:
    """Return an agent's name, marked by what it was trained to: other numbers, another agent."""
    digest = trained_digest(agent)
    return f"{name}#{digest[:12]}" if digest else name


def trained_digest(agent: Any) -> str:
    """Return the SHA-256 of what an agent was trained to, or "" if it was not trained.

    That is the file that it or its guide was read from, and the network that a search player has besides.
    """
    path = getattr(agent, "path", None) or getattr(getattr(agent, "guide", None), "path", None)
    content, net = b"" if path is None else Path(path).read_bytes(), getattr(agent, "net", None)
    if isinstance(net, Net) and not hasattr(agent, "path"):
        content += b"".join(numbers.tobytes() for numbers in net)
    return hashlib.sha256(content).hexdigest() if content else ""
