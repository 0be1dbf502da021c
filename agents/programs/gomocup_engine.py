"""Agents of ours as an engine of the Gomocup (Piskvork) protocol, for any manager that speaks it.

The manager writes commands to standard input and reads answers from standard output. There is no last reply here. A
command that is answered with ERROR has changed nothing, and no command ends the engine but END. Code that is compiled
for the first time is compiled behind the game: moves that would wait for it too long are the stopgap's.
"""

import re
import time
from collections.abc import Callable
from importlib.metadata import version
from threading import Event, Thread
from typing import IO, Any

import numpy as np
from numpy.typing import NDArray

from kozyr import agents, envs
from kozyr.agents.agent import Scripted
from kozyr.agents.agent_names import AgentName, parse
from kozyr.agents.nets.trained import Trained
from kozyr.agents.programs import gomocup_stopgap
from kozyr.agents.programs.child import lines_of
from kozyr.agents.programs.gomocup import RULES, SWAP
from kozyr.agents.search import Searcher
from kozyr.envs.core import dispatch
from kozyr.envs.core.quote import quote
from kozyr.envs.mnk.actions import Actions
from kozyr.envs.mnk.board import contents
from kozyr.envs.mnk.swap2 import FIRST_STONES, STONES
from kozyr.envs.table.table import Table

GAME = envs.game("mnk")
LEAST, MOST = 5, 25  # sides of a board
_RESERVE = 0.05, 0.1  # seconds and share of the turn's time that are left unused
_DEFAULT = 1.0  # seconds for a move before the manager sets a limit
_LONGEST = 60.0  # seconds that we ever take
_AT_ONCE = 0.001  # seconds for a move where none are left
_WAIT = 1.0  # seconds that OK waits for compiled code; a manager waits for about three
_MOST_INFO = 100  # keys of INFO that are kept
_CELL = re.compile(r"\s*([0-9]{1,2})\s*,\s*([0-9]{1,2})\s*(?:,\s*([123])\s*)?")


class Refusal(Exception):  # noqa: N818 - an answer
    """A command that is answered with ERROR."""


class Player:
    """The player of a board and a rule. A thread loads what a move needs, and another one what an opening needs.

    While a thread compiles, nothing else may call compiled code: it would wait until the compiler is done. So openings
    are loaded only where one is to be expected: with the board, before a move is asked for.

    Attributes:
        variant: the board and the rule.
        agent: who moves.
        opener: who opens by swap2, or None if it cannot, or not yet.
        error: why it does not play this, if it does not.
        ready: set once a move waits for nothing.
        ready_to_open: set once an opening waits for nothing.

    Args:
        name: of the agent.
        variant: the board and the rule.
        seed: fixes its luck.
    """

    def __init__(self, name: str, variant: Any, seed: int) -> None:
        self.variant, self.agent, self.opener = variant, None, None
        self.error: Exception | None = None
        self.ready, self.ready_to_open = Event(), Event()
        self._name, self._seed = name, seed
        self._opening: Thread | None = None
        Thread(target=self._load, daemon=True).start()

    @property
    def is_loading(self) -> bool:
        """Return True while a thread loads or compiles."""
        return not self.ready.is_set() or (self._opening is not None and self._opening.is_alive())

    def prepare_to_open(self) -> None:
        """Begin to load what an opening needs, if that has not begun."""
        if self._opening is None:
            self._opening = Thread(target=self._load_opener, daemon=True)
            self._opening.start()

    def is_ready(self, until: float | None) -> bool:
        """Wait until some moment of the monotonic clock, or as long as it takes; True if a move waits for nothing.

        Raises:
            Exception: if the agent does not play this.
        """
        ready = self.ready.wait(None if until is None else until - time.monotonic())
        if self.error is not None:
            raise self.error
        return ready

    def _load(self) -> None:
        try:
            self.agent = _player(self._name, self.variant)
            _warm(self.agent, self.variant)
            self.agent.reset(-1, self._seed)
        except Exception as error:
            self.error = error
        self.ready.set()

    def _load_opener(self) -> None:
        self.ready.wait()
        try:
            self.opener = _rehearsed(self._name, GAME.altered(self.variant, opening_rule="swap2"), self._seed)
        except ValueError:  # it opens no such game
            pass
        finally:
            self.ready_to_open.set()


class Brain:
    """The engine: `answer` takes a line and returns lines.

    Args:
        agent: the name of the player; a search player without a budget gets the manager's time.
        seed: fixes its luck.

    Raises:
        ValueError: for an agent that does not play this game.
    """

    def __init__(self, agent: str, seed: int = 0) -> None:
        self._name, self._seed = parse(agent), seed
        self._info = dict[str, str]()
        self._player: Player | None = None
        self._luck = np.random.default_rng(seed)  # of stopgaps
        self._board = np.zeros((0, 0), np.int8)  # 1 ours, 2 theirs
        self._rows: list[str] | None = None  # of a BOARD or SWAP2BOARD that is being sent
        self._done: Callable[[list[str]], list[str]] = self._set_up  # for all of them
        self.over = False
        self._commands: dict[str, Callable[[str], list[str]]] = {
            "START": self._start,
            "RECTSTART": self._rectstart,
            "RESTART": self._restart,
            "BEGIN": self._begin,
            "TURN": self._turn,
            "TAKEBACK": self._takeback,
            "PLAY": self._play,
            "BOARD": lambda rest: self._read_rows(self._set_up),
            "SWAP2BOARD": lambda rest: self._read_rows(self._open),
            "INFO": self._read_info,
            "ABOUT": self._about,
            "END": self._end,
        }
        _player(agent, GAME.make_variant(k=LEAST, last_reply=False))  # a bad name fails at once

    def answer(self, line: str) -> list[str]:
        """Return the answers to a line of the manager; words may be in small letters, too."""
        before = self._player, self._board.copy()
        try:
            word, rest = cut(line)
            command = self._commands.get(word.upper())
            if self._rows is not None and command is None:
                return self._row(line.strip())
            if word.upper() != "INFO":
                self._rows = None  # a manager that says something else has given up its board
            return command(rest) if command else ["UNKNOWN command"] if word else []
        except Refusal as refusal:
            words = str(refusal)
        except Exception as error:
            words = f"{self._name} cannot answer: {type(error).__name__}: {error}"
        self._player, self._board = before
        return ["ERROR " + " ".join(words.split())[:200]]

    @property
    def is_loading(self) -> bool:
        """Return True while code is compiled or loaded in a thread, for which the end of Python would wait."""
        return self._player is not None and self._player.is_loading

    def _start(self, rest: str) -> list[str]:
        if not (rest.strip().isascii() and rest.strip().isdecimal() and len(rest) < 9):
            raise Refusal("START takes the size of the board")
        return self._begin_game(int(rest), int(rest))

    def _rectstart(self, rest: str) -> list[str]:
        match = re.fullmatch(r"\s*([0-9]{1,4})\s*,\s*([0-9]{1,4})\s*", rest)
        if match is None:
            raise Refusal("RECTSTART takes width,height")
        return self._begin_game(int(match[1]), int(match[2]))

    def _begin_game(self, width: int, height: int) -> list[str]:
        if min(width, height) < LEAST or max(width, height) > MOST:
            raise Refusal(f"unsupported size: sides are {LEAST} to {MOST}")
        player = self._seat(width, height)
        self._board = np.zeros((height, width), np.int8)
        player.prepare_to_open()
        until = time.monotonic() + _WAIT
        if not (player.is_ready(until) and player.ready_to_open.wait(until - time.monotonic())):
            return ["MESSAGE compiling, once; `kozyr warm mnk` does it ahead of time", "OK"]
        return ["OK"]

    def _seat(self, width: int, height: int) -> Player:
        """Return the player for a board and the manager's rule, loaded unless it is there."""
        rules = RULES.get(self._number("rule", 0), RULES[0])  # others are refused when a move is wanted
        variant = GAME.make_variant(m=height, n=width, k=LEAST, last_reply=False, **rules)
        if self._player is None or variant != self._player.variant:
            self._player = Player(str(self._name), variant, self._seed)
        return self._player

    def _restart(self, rest: str) -> list[str]:
        self._require_game()
        self._board[:] = 0
        return ["OK"]

    def _begin(self, rest: str) -> list[str]:
        self._require_game()
        return self._move()

    def _turn(self, rest: str) -> list[str]:
        self._put(rest, 2)
        return self._move()

    def _takeback(self, rest: str) -> list[str]:
        y, x, _ = self._cell(rest)
        self._board[y, x] = 0
        return ["OK"]

    def _play(self, rest: str) -> list[str]:
        self._put(rest, 1)
        y, x, _ = self._cell(rest)
        return [f"{x},{y}"]

    def _read_rows(self, done: Callable[[list[str]], list[str]]) -> list[str]:
        self._require_game()
        self._rows, self._done = [], done
        return []

    def _row(self, line: str) -> list[str]:
        """Take a line of BOARD or SWAP2BOARD; after DONE we answer."""
        rows = self._rows
        if rows is not None and line.upper() != "DONE":
            if line and len(rows) <= MOST * MOST:  # one more than there is room for
                rows.append(line)
            return []
        self._rows = None
        return self._done(rows or [])

    def _set_up(self, rows: list[str]) -> list[str]:
        """Take the stones of BOARD, and move."""
        self._board[:] = 0
        for row in rows:
            y, x, whose = self._cell(row)
            if whose not in (1, 2) or self._board[y, x]:
                raise Refusal(f"BOARD cannot hold {row}")
            self._board[y, x] = whose
        return self._move()

    def _open(self, rows: list[str]) -> list[str]:
        """Go on with the opening of swap2 by its rules, as long as it is our turn; SWAP if we take X."""
        cells = [self._cell(row) for row in rows]
        if len(cells) not in (0, FIRST_STONES, STONES) or any(whose for _, _, whose in cells):
            raise Refusal(f"SWAP2BOARD takes no stones, {FIRST_STONES} or {STONES}, as x,y")
        if len({*cells}) < len(cells):
            raise Refusal("SWAP2BOARD has two stones in a cell")
        self._require_rule()
        until = time.monotonic() + self._seconds()
        player = self._seat(self._variant.n, self._variant.m)
        if player.variant.bans:
            raise Refusal("swap2 and renju do not go together")
        player.prepare_to_open()
        stones = [(y, x) for y, x, _ in cells]
        if player.ready_to_open.wait(until - time.monotonic()) and player.opener is not None:
            answer = self._opening(player.opener, GAME.altered(player.variant, opening_rule="swap2"), stones, until)
        else:
            answer = self._stopgap_opening(stones)
        return [" ".join(f"{x},{y}" for y, x in answer) or SWAP]

    def _opening(self, opener: Any, v: Any, stones: list[tuple[int, int]], until: float) -> list[tuple[int, int]]:
        """Return the stones that a player lays in an opening, after those on the board; keep the board."""
        table = Table(GAME, v, 0, 0)
        for number, (y, x) in enumerate(stones):
            if number == FIRST_STONES:
                table.play(Actions(v).two_more)
            table.play(y * v.n + x)
        me, answer = table.turn, list[tuple[int, int]]()
        while table.turn == me:
            action = self._ask(opener, table.view(me), table.mask, (until - time.monotonic()) / 2)  # choose, and move
            table.play(action)
            if action < v.m * v.n:
                answer.append(divmod(action, v.n))
        owners = np.array(contents(v, table.states[0])).reshape(v.m, v.n)
        self._board[:] = np.where(owners == me, 1, np.where(owners == 1 - me, 2, 0))
        return answer

    def _stopgap_opening(self, stones: list[tuple[int, int]]) -> list[tuple[int, int]]:
        """Return the same, without compiled code."""
        answer = list[tuple[int, int]]()
        x_is_ours = not stones or gomocup_stopgap.takes_x(stones)  # who opens counts as X
        if not stones:
            stones = answer = gomocup_stopgap.open_game(self._board.shape, self._luck)
        self._board[:] = 0
        for number, cell in enumerate(stones):
            self._board[cell] = 1 if (number % 2 == 0) == x_is_ours else 2
        if not x_is_ours:
            stone = gomocup_stopgap.move(self._board == 1, self._board == 2, False, self._luck)
            assert stone is not None
            self._board[stone], answer = 1, [stone]
        return answer

    def _read_info(self, rest: str) -> list[str]:
        key, value = cut(rest)
        if len(self._info) < _MOST_INFO or key.lower() in self._info:
            self._info[key.lower()] = value
        return []

    def _about(self, rest: str) -> list[str]:
        return [f'name="kozyr-{self._name}", version="{version("kozyr")}", author="kozyr", country="-"']

    def _end(self, rest: str) -> list[str]:
        self.over = True
        return []

    # ------------------------------------------------------------------

    def _require_game(self) -> None:
        if self._player is None:
            raise Refusal("START comes first")

    @property
    def _variant(self) -> Any:
        return self._player and self._player.variant

    def _cell(self, text: str) -> tuple[int, int, int]:
        """Return row, column and owner of a stone in a text."""
        self._require_game()
        match = _CELL.fullmatch(text)
        if match is None or int(match[2]) >= self._variant.m or int(match[1]) >= self._variant.n:
            raise Refusal(f"{quote(text.strip())} is no cell of this board")
        return int(match[2]), int(match[1]), int(match[3] or 0)

    def _put(self, text: str, whose: int) -> None:
        y, x, _ = self._cell(text)
        if self._board[y, x]:
            raise Refusal(f"{text.strip()} is not free")
        self._board[y, x] = whose

    def _move(self) -> list[str]:
        """Let the agent move."""
        self._require_rule()
        until = time.monotonic() + self._seconds()
        player = self._seat(self._variant.n, self._variant.m)  # the rule may have come since
        v, mine, theirs = player.variant, self._board == 1, self._board == 2
        if (mine | theirs).all():
            raise Refusal("the board is full")
        stone = None
        if not player.is_ready(until):
            stone = gomocup_stopgap.move(mine, theirs, bool(v.bans), self._luck)
        if stone is None:
            player.is_ready(None)
            view, mask = _view_and_mask(v, mine, theirs)
            stone = divmod(self._ask(player.agent, view, mask, until - time.monotonic()), v.n)
        y, x = stone
        self._board[y, x] = 1
        return [f"{x},{y}"]

    def _ask(self, agent: Any, view: NDArray[Any], mask: NDArray[np.int8], seconds: float) -> int:
        """Return an agent's action; a search player without a budget has so many seconds."""
        if isinstance(agent, Searcher) and isinstance(self._name, AgentName) and not self._name.budget:
            agent.seconds = max(seconds, _AT_ONCE)
        return int(agent.act(view, mask))

    def _require_rule(self) -> None:
        if self._number("rule", 0) not in RULES:
            raise Refusal(f"rule is not supported: {', '.join(map(str, RULES))} are")

    def _number(self, key: str, default: int) -> int:
        """Return a number of the manager's INFO."""
        text = self._info.get(key, "")
        return int(text) if re.fullmatch(r"-?[0-9]{1,15}", text) else default

    def _seconds(self) -> float:
        """Return the seconds for a move."""
        turn = self._number("timeout_turn", int(1000 * _DEFAULT)) / 1000
        rest = self._number("time_left", 2**31 - 1) / 1000  # below 0 when the time is over
        turn = min(turn, rest / 10)
        return min(max(turn - max(_RESERVE[0], _RESERVE[1] * turn), _AT_ONCE), _LONGEST)


def _view_and_mask(v: Any, mine: NDArray[np.bool_], theirs: NDArray[np.bool_]) -> tuple[NDArray[Any], NDArray[np.int8]]:
    """Return view and mask of the side that is to move, from the cells [height, width] of its stones and the others."""
    marks = ("X", "O") if mine.sum() == theirs.sum() else ("O", "X")
    letters = np.where(mine, marks[0], np.where(theirs, marks[1], "."))
    text = [f"player_0 is X, {marks[0]} to move", *(" ".join(row) for row in letters.tolist())]
    state: Any = GAME.text.read(v, "\n".join(text))[0]
    view, mask = GAME.view(v, state, int(state.turn)), np.zeros(GAME.actions(v), np.int8)
    dispatch.legal(v, state, mask)
    return view, mask


def _warm(agent: Any, variant: Any) -> None:
    """Compile or load all code of a player of ours, which may take longer than a turn."""
    if isinstance(agent, Searcher):
        agent.warm()
    mine, theirs = np.zeros((2, variant.m, variant.n), np.bool_)
    for _ in range(2):  # the empty board, and one with stones
        view, mask = _view_and_mask(variant, mine, theirs)
        if isinstance(agent, (Searcher, Scripted, Trained)):
            agent.act(view, mask)
        mine[0, 0] = theirs[0, 1] = True


def _rehearsed(name: str, swap2: Any, seed: int) -> Any:
    """Return a player of swap2 that has played an opening as fast as can be, so that all code of it is loaded.

    Raises:
        ValueError: if it does not play swap2.
    """
    agent, table = _player(name, swap2), Table(GAME, swap2, 0, 0)
    budget, seconds = getattr(agent, "budget", 0), getattr(agent, "seconds", 0.0)
    if isinstance(agent, Searcher):
        agent.budget, agent.seconds = 1, 0.0
    for _ in range(STONES):
        table.play(int(agent.act(table.view(table.turn), table.mask)))
    if isinstance(agent, Searcher):
        agent.budget, agent.seconds = budget, seconds
    agent.reset(-1, seed)
    return agent


def _player(name: str, variant: Any) -> Any:
    """Return a player of a variant. Where no policy is bundled for it, one for other lines on the same board plays.

    Raises:
        ValueError: if there is none.
    """
    try:
        return agents.load(name, GAME.name, **GAME.options(variant))
    except ValueError:
        its, other = parse(name), GAME.make_variant(m=variant.m, n=variant.n, last_reply=False)
        same = (GAME.size(other), GAME.actions(other)) == (GAME.size(variant), GAME.actions(variant))
        if not isinstance(its, AgentName) or its.player != agents.POLICY or not same:
            raise
        return agents.load(name, GAME.name, **GAME.options(other))


def cut(line: str) -> tuple[str, str]:
    """Return the first word of a line and what follows it, without spaces around them; a mark of UTF-8 is left out."""
    word, _, rest = line.replace("\t", " ").strip("\ufeff \0\r\n").partition(" ")
    return word, rest.strip()


def run(brain: Brain, stream: IO[bytes], write: Callable[[str], None]) -> None:
    """Answer a manager until it says END or goes. CR, LF and both end a line."""
    for line in lines_of(stream):
        for answer in brain.answer(line.decode("utf-8", "replace")):
            write(answer)
        if brain.over:
            return
