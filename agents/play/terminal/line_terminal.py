"""Line terminal: a person plays line by line, for pipes, screen readers and simple terminals."""

import sys
import time
from collections.abc import Callable, Sequence
from typing import Any, TextIO

from numpy.typing import NDArray

from kozyr.agents.play.host.advice import Hints
from kozyr.agents.play.host.choices import Choice, choices, find_choice, rows_of
from kozyr.agents.play.session.words import opening, outcome
from kozyr.agents.player import Resign, play
from kozyr.envs.table.event import Event, Kind
from kozyr.envs.table.table import Table, TableInfo

SHOWN = 40  # more moves than these are listed only if asked for
PROMPT = "> "
_TYPE = "Type a number of the list, a move, or ? for help."
HELP = """Answer with the number of a move, or with the move as the game writes it.
#3 is always number 3 of the list, =3 always the move that is written 3.
list   all legal moves
hint   what an agent would do; hint NAME asks another one
show   the position again
quit   resign
?      this help"""


class LinePlayer:
    """A person at a table who reads its events and answers with lines.

    Args:
        table: of the player, who sees the view of the seat.
        source: of answers; sink: of output. The terminal's own by default.
        people: the number of persons at the table; one alone may ask for hints.

    Raises:
        EOFError: from `act`, when there are no more lines.
        Resign: from `act`, when the person gives up.
    """

    def __init__(self, table: Table, source: TextIO | None = None, sink: TextIO | None = None, people: int = 1) -> None:
        self._table, self._people = table, people
        self._source, self._sink = source or sys.stdin, sink or sys.stdout
        self._seat: int | None = None

    def __repr__(self) -> str:
        return "the person"

    def begin(self, info: TableInfo) -> None:
        """Write the game and the players."""
        self._seat = info.seat
        self._say(opening(info), "Type ? for help.")

    def see(self, event: Event) -> None:
        """Write an event."""
        if event.kind == Kind.ENDED:
            self._say("", self._table.text(self._seat), "", outcome(self._table, self._seat))
        else:
            self._say(str(event))

    def act(self, view: NDArray[Any], mask: NDArray[Any], deadline: float | None) -> int:
        """Show the position and the legal moves, and return the one that is chosen."""
        moves = choices(self._table)
        self._say("", self._table.text(self._seat), "", f"Your move, player_{self._seat}.", *self._listed(moves))
        if deadline is not None:
            self._say(f"You have {max(0.0, deadline - time.monotonic()):.0f} seconds.")
        while True:
            line = self._read()
            if line in ("quit", "resign"):
                raise Resign
            action = self._action(line, moves)
            if action is not None:
                return action

    def end(self, payoffs: Sequence[float]) -> None:
        """Do nothing: the last event told it."""

    def _say(self, *lines: str) -> None:
        """Write lines at once, as somebody waits for them."""
        self._sink.write("".join(f"{line}\n" for line in lines))
        self._sink.flush()

    def _read(self) -> str:
        """Ask for a line and return it without white space around it.

        Raises:
            EOFError: if there is none.
        """
        self._sink.write(PROMPT)
        self._sink.flush()
        line = self._source.readline()
        if not line:
            self._say("")
            raise EOFError
        return line.strip()

    def _action(self, line: str, moves: list[Choice]) -> int | None:
        """Return the action of a line; None, after an answer, where it is a command or no move."""
        commands: dict[str, Callable[[], Sequence[str]]] = {
            "": lambda: ["Type a move, or ? for help."],
            "?": lambda: [HELP],
            "help": lambda: [HELP],
            "list": lambda: _lines(rows_of(moves)),
            "show": lambda: [self._table.text(self._seat)],
        }
        if line in commands:
            self._say(*commands[line]())
            return None
        try:
            if line.split()[0] == "hint":
                self._say(*Hints(self._table, self._people).lines(line.removeprefix("hint").strip()))
                return None
            return self._move(line, moves)
        except ValueError as error:
            self._say(f"{'No hint' if line.startswith('hint') else 'No move'}: {error}.", _TYPE)
            return None

    def _move(self, line: str, moves: list[Choice]) -> int | None:
        """Return the action of a number or of a text.

        Raises:
            ValueError: in a sentence, if it is none.
        """
        rows = rows_of(moves)
        sign, rest = (line[0], line[1:].strip()) if line[0] in "#=" else ("", line)
        number = int(rest) if rest.isascii() and rest.isdigit() and sign != "=" else 0
        if sign == "#" and not 1 <= number <= len(rows):
            raise ValueError(f"the list has numbers from 1 to {len(rows)}")
        if sign != "#":
            try:
                choice = find_choice(self._table, moves, rest)
            except ValueError:
                if not 1 <= number <= len(rows):
                    raise
            else:
                if 1 <= number <= len(rows) and rows[number - 1] != [choice]:
                    raise ValueError(f"{rest} is number {number} and a move too: type #{rest} or ={rest}")
                return choice.action
        return self._of(rows[number - 1])

    def _of(self, row: list[Choice]) -> int | None:
        """Return the action of a row of the list; one with several amounts asks which."""
        if len(row) == 1:
            return row[0].action
        amounts = {one.amount: one.action for one in row}
        self._say(f"How much? {min(a for a in amounts if a is not None)} to {max(a for a in amounts if a is not None)}")
        line = self._read()
        if line.isascii() and line.isdigit() and int(line) in amounts:
            return amounts[int(line)]
        raise ValueError(f"{line or 'nothing'} is not one of the amounts")

    def _listed(self, moves: list[Choice]) -> list[str]:
        """Return the numbered moves, or a hint to the list where they are many."""
        rows = rows_of(moves)
        if len(rows) <= SHOWN:
            return _lines(rows)
        return [f"{len(rows)} moves, from {moves[0].words} to {moves[-1].words}. Type list to see them all."]


def _lines(rows: list[list[Choice]]) -> list[str]:
    """Return the rows of the list with their numbers; # goes before them where moves are written as numbers too."""
    sign = "#" if any(row[0].text.isdigit() for row in rows) else ""
    return [
        f"{sign}{number}  {row[0].words}" + (f" … {row[-1].words}" if len(row) > 1 else "")
        for number, row in enumerate(rows, 1)
    ]


def run(
    table: Table, players: Sequence[Any | None], source: TextIO | None = None, sink: TextIO | None = None
) -> list[float] | None:
    """Play a game between people at this terminal and agents, and return the payoffs.

    Args:
        table: the game.
        players: one a seat: an agent, a player, or None for a person.
        source: of answers; sink: of output.

    Returns:
        A payoff a seat; None if the lines ended before the game.
    """
    people = sum(one is None for one in players)
    everybody = [LinePlayer(table, source, sink, people) if one is None else one for one in players]
    try:
        return play(table, everybody)
    except EOFError:
        (sink or sys.stdout).write("There are no more lines: the game stays unfinished.\n")
        return None
