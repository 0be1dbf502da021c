"""Agents of ours as an engine of the Gomocup (Piskvork) protocol, for any manager that speaks it.

The manager writes commands to standard input and reads answers from standard output. There is no last reply here. A
command that is answered with ERROR has changed nothing, and no command ends the engine but END.
"""

import re
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
        self._variant: Any = None
        self._board = np.zeros((0, 0), np.int8)  # 1 ours, 2 theirs
        self._rows: list[str] | None = None  # of a BOARD or SWAP2BOARD that is being sent
        self._done: Callable[[list[str]], list[str]] = self._set_up  # for all of them
        self._swap2 = False  # whether the manager has asked for an opening
        self._agent: Any = None
        self._warming = Thread()  # which loads code that a game needs, then that of an opening
        self._warm = Event()  # set once there is nothing that a move would wait for
        self._warm.set()
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
        before = self._variant, self._agent, self._swap2, self._board.copy()
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
        self._variant, self._agent, self._swap2, self._board = before
        return ["ERROR " + " ".join(words.split())[:200]]

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
        self._seat(width, height)
        self._board = np.zeros((height, width), np.int8)
        if not self._warm.wait(_WAIT):
            return ["MESSAGE compiling, once; `kozyr warm mnk` does it ahead of time", "OK"]
        return ["OK"]

    def _seat(self, width: int, height: int) -> None:
        """Load the agent for a board and the manager's rule, unless it is there."""
        rules = RULES.get(self._number("rule", 0), RULES[0])  # others are refused when a move is wanted
        opening = "swap2" if self._swap2 else "free"
        variant = GAME.make_variant(m=height, n=width, k=LEAST, last_reply=False, opening_rule=opening, **rules)
        if variant != self._variant:
            self._warm.wait()
            agent = _player(str(self._name), variant)
            if self._variant is not None and variant == GAME.altered(self._variant, opening_rule=opening):
                agent.reset(-1, self._seed)  # its code is that of the agent before
            else:
                self._warm = Event()
                terms = agent, str(self._name), variant, self._seed, self._warm
                self._warming = Thread(target=_warm, args=terms, daemon=True)
                self._warming.start()
            self._agent = agent
        self._variant = variant

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
        self._swap2 = True
        self._require_rule()
        if self._warming.ident is not None:
            self._warming.join()
        self._seat(self._variant.n, self._variant.m)
        self._warm.wait()
        table = Table(GAME, v := self._variant, 0, 0)
        for number, (y, x, _) in enumerate(cells):
            if number == FIRST_STONES:
                table.play(Actions(v).two_more)
            if not table.mask[y * v.n + x]:
                raise Refusal(f"SWAP2BOARD has two stones on {x},{y}")
            table.play(y * v.n + x)
        me, answer = table.turn, list[str]()
        while table.turn == me:
            action = self._ask(table.view(me), table.mask, 2)  # to choose, and to move
            table.play(action)
            if action < v.m * v.n:
                answer.append(f"{action % v.n},{action // v.n}")
        owners = np.array(contents(v, table.states[0])).reshape(v.m, v.n)
        self._board[:] = np.where(owners == me, 1, np.where(owners == 1 - me, 2, 0))
        return [" ".join(answer) or SWAP]

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
        if self._variant is None:
            raise Refusal("START comes first")

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
        self._seat(self._variant.n, self._variant.m)  # the rule may have come since
        self._warm.wait()
        v, mine, theirs = self._variant, self._board == 1, self._board == 2
        if (mine | theirs).all():
            raise Refusal("the board is full")
        view, mask = _view_and_mask(v, mine, theirs)
        y, x = divmod(self._ask(view, mask), v.n)
        self._board[y, x] = 1
        return [f"{x},{y}"]

    def _ask(self, view: NDArray[Any], mask: NDArray[np.int8], questions: int = 1) -> int:
        """Return the agent's action, one of so many that share the time."""
        if isinstance(self._agent, Searcher) and isinstance(self._name, AgentName) and not self._name.budget:
            self._agent.seconds = self._seconds() / questions
        return int(self._agent.act(view, mask))

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


def _warm(agent: Any, name: str, variant: Any, seed: int, done: Event) -> None:
    """Compile or load all code of a player of ours, which may take longer than a turn, and seed its luck."""
    try:
        empty = np.zeros((variant.m, variant.n), np.bool_)
        view, mask = _view_and_mask(variant, empty, empty)
        if isinstance(agent, Searcher):
            agent.warm()
        elif isinstance(agent, (Scripted, Trained)):
            agent.act(view, mask)
        agent.reset(-1, seed)
    finally:
        done.set()
    if isinstance(agent, (Searcher, Scripted)) and not variant.bans:
        _rehearse(name, GAME.altered(variant, opening_rule="swap2"))


def _rehearse(name: str, swap2: Any) -> None:
    """Compile or load the code of swap2's opening, by one that is played as fast as can be."""
    agent, table = _player(name, swap2), Table(GAME, swap2, 0, 0)
    if isinstance(agent, Searcher):
        agent.budget, agent.seconds = 1, 0.0
    for _ in range(STONES):
        table.play(int(agent.act(table.view(table.turn), table.mask)))


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
