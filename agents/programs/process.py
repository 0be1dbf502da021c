"""Programs in any language as agents of any game: JSON lines, protocol "kozyr" 1; see docs/howto/process.md."""

import time
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kozyr.agents.programs import messages
from kozyr.agents.programs.child import EngineError
from kozyr.agents.programs.program_agent import STARTING, Engine
from kozyr.envs.core.game import Game
from kozyr.envs.core.quote import quote
from kozyr.envs.environments import argument_checks
from kozyr.envs.table.event import Event
from kozyr.envs.table.table import TableInfo

_EXACT = 2**53  # above it languages with floating-point numbers only lose digits


class ProcessAgent(Engine):
    """A program that speaks JSON lines.

    It is asked about views, and remembers nothing between them unless it wants to: at a table it gets the events too,
    if it has asked for them.
    """

    def __init__(self, command: str, game: Game, variant: Any, milliseconds: int = 0) -> None:
        super().__init__("process", command, game, variant, milliseconds)
        self._writer = messages.MessageWriter(game, variant)
        self._seat, self._seed, self._question = -1, 0, 0

    def reset(self, seat: int, seed: int) -> None:
        """Tell the program its seat, −1 for several, and its luck."""
        self._seat, self._seed = seat, int(seed) % _EXACT
        if self.child.running:
            self._run(self._tell_reset)

    def warm_up(self, view: NDArray[Any], mask: NDArray[np.int8]) -> None:
        """Start the program and put a question in vain, so that no clock counts either in."""
        super().warm_up(view, mask)
        self._writer.act(0, self._seat, view, mask, None)

    # ------------------------------------------------------------------ at a table

    def begin(self, info: TableInfo) -> None:
        """Sit down where a game begins."""
        self._seat = -1 if info.seat is None else info.seat
        self._seed = int(np.random.default_rng().integers(_EXACT))
        self._run(self._started_for_game)

    def see(self, event: Event) -> None:
        """Pass an event on, if the program wants them."""
        if "events" in self._writer.wants and self.child.running:
            self._run(lambda: self._send(messages.event(event)))

    def end(self, payoffs: Sequence[float]) -> None:
        """Tell the program the payoffs of a game."""
        if self.child.running:
            self._run(lambda: self._send(messages.result(self._seat, payoffs)))

    # ------------------------------------------------------------------

    def _started_for_game(self) -> None:
        if self.child.running:
            self._tell_reset()
        else:
            self._started()

    def _greet(self) -> None:
        """Say hello with all that stays the same, and take the program's."""
        deadline = time.monotonic() + STARTING
        self._send(self._writer.hello(), deadline)
        answer = self._message(deadline)
        try:
            self._writer.wants = messages.wanted_parts(answer)
        except ValueError as error:
            raise EngineError(f"{self!r} answers to hello with {_cut(answer)}: {error}") from None
        self._tell_reset()

    def _tell_reset(self) -> None:
        self._send(messages.reset(self._seat, self._seed))

    def _ask(self, view: NDArray[Any], mask: NDArray[np.int8], deadline: float | None) -> int:
        """Send one question and take the answer to it."""
        self._started()
        left, until = self.limit(deadline)
        self._question += 1
        self._send(self._writer.act(self._question, self._seat, view, mask, left), until)
        answer = self._message(until)
        if answer.get("type") != "move" or answer.get("id") != self._question:
            right = f'{{"type":"move","id":{self._question},"action":A}}'
            raise EngineError(f"{self!r} answers with {_cut(answer)}: write {right}")
        action: Any = answer.get("action")
        complaint = argument_checks.complaint(action, mask) if type(action) is int else "it is no whole number"
        if complaint:
            raise EngineError(f"{self!r} plays {_cut(action)}: {complaint}")
        return action

    def _send(self, line: str, deadline: float | None = None) -> None:
        self.child.send(f"{line}\n".encode(), time.monotonic() + STARTING if deadline is None else deadline)

    def _message(self, deadline: float) -> dict[str, Any]:
        """Return the program's next message."""
        line = self.child.line(deadline)
        message = messages.read(line)
        if message is None:
            raise EngineError(
                f"{self!r} writes {_cut(line)}, which is no JSON object: write nothing else to standard output, and "
                f"what people are to read to standard error{self.child.tail}"
            )
        return message


def _cut(answer: Any) -> str:
    return quote(answer if isinstance(answer, str) else messages.encode(answer))


MAKE = ProcessAgent
