"""A manager that plays many games through an engine of the Gomocup protocol and counts all that goes wrong.

    python -m tests.programs.manager --games 400 --agent search --boards 5,15,20,25 --rules 0,1,4,8,9
    python -m tests.programs.manager --games 40 --agent search --boards 15,20 --swap2

The engine is a process, ours unless `--engine COMMAND` names another. Its opponent is a plain player of this file: it
takes a five, hinders one, and plays at random near the stones otherwise. The referee is the slow oracle of the tests.
Positions come by TURN, by BOARD after RESTART, or by BOARD in a new process; lines end with CR LF, as the page says.
With --swap2 a game begins by SWAP2BOARD in all its forms; the plain player opens near the middle and chooses at random.
"""

import argparse
import contextlib
import queue
import random
import re
import shlex
import subprocess
import sys
import threading
import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field

from kozyr.agents.programs.gomocup import RULES
from tests.oracles.mnk import Mnk

FIVE = 5
RENJU = 4
CHOICES = ("SWAP", "O taken", "two more stones")
LONGER = (0, 8)  # rules of INFO by which more than five win
ANSWER = 3.0  # seconds for OK, as managers wait
STARTING = 60.0  # seconds for the first OK of a process, which may have to compile
COMMENTS = ("MESSAGE", "DEBUG")
TROUBLES = ("crashes", "hangs", "illegal moves", "late moves", "refusals")
Cell = tuple[int, int]


class Trouble(Exception):  # noqa: N818 - it is counted
    """Something that an engine must not do: the kind, one of TROUBLES, and words."""

    def __init__(self, kind: str, words: str) -> None:
        super().__init__(f"{kind}: {words}")
        self.kind = kind


class Engine:
    """A process that answers line by line."""

    def __init__(self, command: Sequence[str]) -> None:
        self._lines: queue.Queue[bytes] = queue.Queue()
        self._process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()

    def _read(self) -> None:
        assert self._process.stdout is not None
        for line in self._process.stdout:
            self._lines.put(line)
        self._lines.put(b"")

    def send(self, *lines: str) -> None:
        """Send lines."""
        assert self._process.stdin is not None
        try:
            self._process.stdin.write("".join(f"{line}\r\n" for line in lines).encode())
            self._process.stdin.flush()
        except OSError:
            raise Trouble("crashes", f"it is gone before {lines[-1]}") from None

    def answer(self, seconds: float) -> str:
        """Return its next line that is no comment."""
        until = time.monotonic() + seconds
        while True:
            try:
                line = self._lines.get(timeout=max(until - time.monotonic(), 0.001))
            except queue.Empty:
                raise Trouble("hangs", f"no answer in {seconds:g} s") from None
            if not line:
                raise Trouble("crashes", f"it has ended with code {self._process.wait(1)}")
            text = line.decode("utf-8", "replace").strip()
            if text and text.split()[0].upper() not in COMMENTS:
                return text

    def end(self) -> None:
        """Say END; a process that stays is killed, and that is a hang."""
        try:
            self.send("END")
            self._process.wait(ANSWER)
        except subprocess.TimeoutExpired:
            raise Trouble("hangs", "it goes on after END") from None
        finally:
            self._process.kill()
            self._process.wait()
            self._reader.join()
            for pipe in (self._process.stdin, self._process.stdout):
                assert pipe is not None
                with contextlib.suppress(OSError):
                    pipe.close()


@dataclass
class Game:
    """One game: the board, who has laid which stone, and the referee."""

    width: int
    height: int
    rule: int
    ours: int  # 0 if the engine begins, or plays X
    swap2: bool = False
    seat: int = field(init=False)  # the engine's at the referee
    referee: Mnk = field(init=False)
    moves: list[Cell] = field(default_factory=list[Cell])

    def __post_init__(self) -> None:
        rule = RULES[self.rule]
        opening = "swap2" if self.swap2 else "free"
        self.seat = self.ours
        self.referee = Mnk(
            self.height, self.width, FIVE, last_reply=False, line=rule["line"], bans=rule["bans"], opening=opening
        )

    @property
    def over(self) -> bool:
        """Whether the referee has ended the game."""
        return self.referee.turn < 0

    def free(self) -> list[Cell]:
        """Return the cells where the side to move may lay a stone: free ones, without a ban."""
        return [(cell % self.width, cell // self.width) for cell in self.referee.legal()]

    def play(self, cell: Cell) -> None:
        """Lay the stone of the side to move."""
        self.referee.play(cell[1] * self.width + cell[0])
        self.moves.append(cell)

    def choose(self, number: int) -> None:
        """Take O (0) or X (1), or let two more stones come (2)."""
        self.referee.play(self.height * self.width + number)
        self.ours = 0 if self.referee.x == self.seat else 1

    def rows(self) -> list[str]:
        """Return the lines of BOARD, in the order played."""
        return [f"{x},{y},{1 + (ply + self.ours) % 2}" for ply, (x, y) in enumerate(self.moves)]

    def makes_five(self, cell: Cell, side: int) -> bool:
        """Return True if a stone of a side ends a row of five there."""
        laid = set(self.moves[side::2])
        for dx, dy in ((1, 0), (0, 1), (1, 1), (1, -1)):
            length = 1
            for way in (1, -1):
                x, y = cell[0] + way * dx, cell[1] + way * dy
                while (x, y) in laid:
                    length, x, y = length + 1, x + way * dx, y + way * dy
            if length == FIVE or (length > FIVE and self.rule in LONGER):
                return True
        return False


def opponent(game: Game, rng: random.Random) -> Cell:
    """Return the move of the plain player."""
    free, side = game.free(), len(game.moves) % 2
    for who in (side, 1 - side):
        for cell in free:
            if game.makes_five(cell, who):
                return cell
    near = [(x, y) for x, y in free if any(max(abs(x - a), abs(y - b)) < 3 for a, b in game.moves)]
    return rng.choice(near or free)


class Manager:
    """Games of one engine, and what went wrong in them.

    Args:
        command: of the engine.
        milliseconds: for each move; tolerance: seconds that one may be late; seed: of all luck.
    """

    def __init__(self, command: Sequence[str], milliseconds: int, tolerance: float, seed: int) -> None:
        self.command, self.milliseconds, self.tolerance = command, milliseconds, tolerance
        self.rng = random.Random(seed)
        self.counts, self.slowest = Counter[str](), 0.0
        self._opened = False  # whether the position is to come by BOARD, after an opening
        self.engine: Engine | None = None
        self._size: tuple[int, int] | None = None

    def play(self, game: Game) -> None:
        """Play a game to its end or to the first trouble, after which the engine is started anew."""
        self.counts["games"] += 1
        try:
            self._begin(game)
            if game.swap2:
                self._open(game)
            while not game.over:
                if len(game.moves) % 2 == game.ours:
                    game.play(self._move(game))
                else:
                    game.play(opponent(game, self.rng))
            payoffs = game.referee.payoffs()
            self.counts["won" if payoffs[game.seat] > 0 else "lost" if payoffs[game.seat] < 0 else "drawn"] += 1
        except Trouble as trouble:
            self.counts[trouble.kind] += 1
            where = f"game {self.counts['games']}, {game.width}×{game.height}, rule {game.rule}, ply {len(game.moves)}"
            print(f"{where}: {trouble}", file=sys.stderr)
            self._drop()

    def close(self) -> None:
        """End the engine."""
        if self.engine is not None:
            try:
                self.engine.end()
            except Trouble as trouble:
                self.counts[trouble.kind] += 1
            self.engine = None

    def _drop(self) -> None:
        """End an engine after trouble, whatever it does then."""
        if self.engine is not None:
            with contextlib.suppress(Trouble):
                self.engine.end()
            self.engine = None

    def _begin(self, game: Game) -> None:
        """Let the engine begin with an empty board, now and then in a new process, and tell it the terms."""
        if self.rng.random() < 0.1:
            self.close()
        engine = self._cleared(game)
        settings = ("game_type 1", f"rule {game.rule}", f"timeout_turn {self.milliseconds}", "timeout_match 0")
        engine.send(*(f"INFO {one}" for one in settings))

    def _cleared(self, game: Game) -> Engine:
        """Return the engine with an empty board; one that knows no RESTART is ended and started anew."""
        wait, size = ANSWER, (game.width, game.height)
        if self.engine is not None and self._size == size:
            self.engine.send("RESTART")
            said = self.engine.answer(wait)
            if not said.upper().startswith("UNKNOWN"):
                self._require_ok(said)
                return self.engine
            self.close()
        if self.engine is None:
            self.engine, wait = Engine(self.command), STARTING
        square = game.width == game.height
        self.engine.send(f"START {game.width}" if square else f"RECTSTART {game.width},{game.height}")
        self._require_ok(self.engine.answer(wait))
        self._size = size
        return self.engine

    def _require_ok(self, said: str) -> None:
        if not said.upper().startswith("OK"):
            raise Trouble("refusals", said)

    def _open(self, game: Game) -> None:
        """Play the opening of swap2: who begins lays three stones, the other one chooses."""
        self._opened = True
        if game.seat == 0:
            for cell in self._said(game, (3,)):
                game.play(cell)
            option = self.rng.randrange(3)
            game.choose(option)
            if option == 2:
                for _ in range(2):
                    game.play(opponent(game, self.rng))
                self._choose(game, self._said(game, (0, 1)))
        else:
            for _ in range(3):
                game.play(self._near_the_middle(game))
            cells = self._said(game, (0, 1, 2))
            self._choose(game, cells)
            if len(cells) == 2:
                game.choose(self.rng.randrange(2))

    def _choose(self, game: Game, cells: list[Cell]) -> None:
        """Do what the engine has chosen: SWAP is X, a cell O and its stone, two are two more stones."""
        self.counts[CHOICES[len(cells)]] += 1
        game.choose((1, 0, 2)[len(cells)])
        for cell in cells:
            game.play(cell)

    def _near_the_middle(self, game: Game) -> Cell:
        """Return a free cell near the middle."""
        x, y = game.width // 2, game.height // 2
        return self.rng.choice([one for one in game.free() if max(abs(one[0] - x), abs(one[1] - y)) < 4])

    def _said(self, game: Game, allowed: tuple[int, ...]) -> list[Cell]:
        """Ask by SWAP2BOARD and return the cells of the answer, as many as may be; none for SWAP."""
        said = self._answer(["SWAP2BOARD", *(f"{x},{y}" for x, y in game.moves), "DONE"])
        words = [] if said.upper() == CHOICES[0] else said.split()
        found = [re.fullmatch(r"([0-9]+),([0-9]+)", word) for word in words]
        cells = [(int(match[1]), int(match[2])) for match in found if match is not None]
        free = [one for one in self._empty(game) if one in cells]
        if len(words) not in allowed or len(free) != len(words):
            raise Trouble("illegal moves", f"{said} to SWAP2BOARD of {len(game.moves)} stones")
        return cells

    @staticmethod
    def _empty(game: Game) -> list[Cell]:
        """Return the cells without a stone."""
        return [(x, y) for y in range(game.height) for x in range(game.width) if (x, y) not in game.moves]

    def _move(self, game: Game) -> Cell:
        """Ask the engine for a move: BEGIN, TURN, BOARD after an opening, or now and then BOARD after RESTART."""
        assert self.engine is not None
        if self._opened:
            self._opened, lines = False, ["BOARD", *game.rows(), "DONE"]
        elif game.moves and self.rng.random() < 0.1:
            self._begin(game)
            lines = ["BOARD", *game.rows(), "DONE"]
        elif not game.moves:
            lines = ["BEGIN"]
        else:
            lines = [f"TURN {game.moves[-1][0]},{game.moves[-1][1]}"]
        said = self._answer(lines)
        match = re.fullmatch(r"([0-9]+),([0-9]+)", said)
        if match is None or (cell := (int(match[1]), int(match[2]))) not in game.free():
            raise Trouble("illegal moves", said)
        return cell

    def _answer(self, lines: list[str]) -> str:
        """Return the engine's answer to lines that ask for stones, and look at its time."""
        assert self.engine is not None
        self.engine.send("INFO time_left 2147483647")
        began = time.monotonic()
        self.engine.send(*lines)
        said = self.engine.answer(self.milliseconds / 1000 + 10 * ANSWER)
        seconds = time.monotonic() - began
        self.slowest = max(self.slowest, seconds)
        self.counts["moves"] += 1
        if said.split()[0].upper() in ("ERROR", "UNKNOWN"):
            raise Trouble("refusals", said)
        if seconds > self.milliseconds / 1000 + self.tolerance:
            self.counts["late moves"] += 1
            where = f"game {self.counts['games']}, {self._size}, {lines[0]}"
            print(f"{where}: a move took {1000 * seconds:.0f} ms", file=sys.stderr)
        return said


def _numbers(text: str) -> list[int]:
    return [int(one) for one in text.split(",")]


def main(arguments: Sequence[str] | None = None) -> int:
    """Play the games and print the counts; return 1 if anything went wrong."""
    parser = argparse.ArgumentParser(prog="python -m tests.programs.manager", description=__doc__)
    parser.add_argument("--games", type=int, default=40)
    parser.add_argument("--agent", default="search", help="of `kozyr engine gomocup`")
    parser.add_argument("--engine", help="another engine: its command")
    parser.add_argument("--boards", type=_numbers, default=[5, 15, 20, 25], help="sides; two that follow are 15x20")
    parser.add_argument(
        "--rules",
        type=_numbers,
        default=list(RULES),
        help="of INFO: 0, 1, 4, 8, 9",
    )
    parser.add_argument("--swap2", action="store_true", help="begin by SWAP2BOARD; renju, rule 4, is left out")
    parser.add_argument("--milliseconds", type=int, default=50, help="for each move")
    parser.add_argument("--tolerance", type=float, default=0.1, help="seconds after which a move is late")
    parser.add_argument("--seed", type=int, default=0)
    chosen = parser.parse_args(arguments)
    ours = [sys.executable, "-m", "kozyr.training.cli", "engine", "gomocup", "--agent", chosen.agent]
    command = shlex.split(chosen.engine) if chosen.engine else ours
    rules = [rule for rule in chosen.rules if not (chosen.swap2 and rule == RENJU)]
    manager = Manager(command, chosen.milliseconds, chosen.tolerance, chosen.seed)
    for number in range(chosen.games):
        side = manager.rng.choice(chosen.boards)
        other = side if number % 4 else manager.rng.choice(chosen.boards)  # a quarter may be no squares
        manager.play(Game(side, other, manager.rng.choice(rules), number % 2, chosen.swap2))
    manager.close()
    counts = manager.counts
    print(f"{counts['games']} games, {counts['moves']} moves, the slowest {1000 * manager.slowest:.0f} ms")
    print(", ".join(f"{counts[name]} {name}" for name in ("won", "drawn", "lost")))
    if chosen.swap2:
        print(", ".join(f"{counts[name]} {name}" for name in CHOICES))
    print(", ".join(f"{counts[name]} {name}" for name in TROUBLES))
    return int(any(counts[name] for name in TROUBLES))


if __name__ == "__main__":
    sys.exit(main())
