"""Agents made of a function from a prompt to an answer."""

import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kozyr import envs
from kozyr.agents.arena.matches.processes import Failures
from kozyr.agents.input_checks import Gate
from kozyr.agents.text.answer import Refused
from kozyr.agents.text.question import LONG, Question, QuestionWriter
from kozyr.agents.usage import Answer, Usage
from kozyr.envs.core.quote import quote
from kozyr.envs.environments import argument_checks
from kozyr.envs.environments.agent_protocol import Solo
from kozyr.envs.table.event import Event, Kind
from kozyr.envs.table.table import TableInfo

RETRIES = 2  # questions put again, if nobody says how many

Ask = Callable[..., str | Answer]


class TextError(RuntimeError):
    """A model has given no legal action, however often it was asked, or could not be asked at all."""


class TextAgent(Solo):
    r"""A function `prompt -> answer` as an agent of any game, and as a player at tables.

    The prompt holds the rules in short, what the seat knows as text, the legal actions in words and, at a table, what
    has happened since the seat was asked last, as far as it may know. How the action is found in the answer, see
    `kozyr.agents.text.answer`. An answer without a legal action is asked for again, saying why. If the last one is no
    better, the agent raises, which loses it the game in matches. Where only one action is legal it is played without
    asking. A function that fails five times in a row is asked no more.

    It is told events where it sits at one table, as in `kozyr.agents.player.play` and in matches: `new_player` makes a
    player for one seat. As an agent among many tables it is asked about each view by itself.

    Args:
        ask: the function. It returns the answer, or an `Answer` that counts tokens too. With `keeps_deadlines` set, it
            also takes the deadline, by `time.monotonic`, or None.
        game: the game's name.
        retries: questions put again after an answer that is no legal action.
        full_rules: write RULES.md in place of the rules in short.
        text: of the prompts: "long", or "short" for few characters.
        name: in reports.
        **variant: fields of the game's variant.

    Attributes:
        usage: of all decisions so far.

    Raises:
        ValueError: for an unknown game, an impossible variant, or something that is no function.

    Example:
        >>> from kozyr.agents.text import TextAgent
        >>> def pass_if_you_can(prompt):
        ...     return "I would rather wait.\npass"
        >>> TextAgent(pass_if_you_can, "durak")
        pass_if_you_can
    """

    def __init__(
        self,
        ask: Ask,
        game: str,
        *,
        retries: int = RETRIES,
        full_rules: bool = False,
        text: str = LONG,
        name: str | None = None,
        **variant: Any,
    ) -> None:
        if not callable(ask) or isinstance(ask, type):
            raise ValueError(f"{quote(ask)} is no function: give one that takes a prompt and returns the answer")
        self.game = envs.game(game)
        self.variant = self.game.make_variant(**variant)
        self.retries = argument_checks.count("retries", retries, 0)
        self.name = name or str(getattr(ask, "__name__", type(ask).__name__))
        self.usage = self.nothing = Usage(getattr(ask, "model", self.name), getattr(ask, "temperature", None))
        self._ask_model, self._failures, self._seat = ask, Failures(), -1
        self.writing, self._gate = (
            QuestionWriter(self.game, self.variant, full_rules, text),
            Gate(self.game, self.variant),
        )

    def __repr__(self) -> str:
        return self.name

    @property
    def keeps_deadlines(self) -> bool:
        """Whether the function takes a deadline."""
        return bool(getattr(self._ask_model, "keeps_deadlines", False))

    def new_player(self) -> "TextPlayer":
        """Return a player for one seat, which shares the function and counts for this agent too."""
        return TextPlayer(self)

    def reset(self, seat: int, seed: int) -> None:
        """Note the seat, −1 for several; what a model draws at random is not ours to seed."""
        self._seat = seat

    def act(self, view: NDArray[Any], mask: NDArray[np.int8]) -> int:
        """Return the function's action for one view, without a history.

        Raises:
            TextError: if it gives none.
            ValueError: for a view and a mask of another game or variant.
        """
        return self.decide(max(self._seat, 0), view, mask, (), None, self.count)

    def decide(
        self,
        seat: int,
        view: NDArray[Any],
        mask: NDArray[np.int8],
        events: Sequence[Event],
        deadline: float | None,
        count: Callable[[Usage], None],
        heading: str = "",
    ) -> int:
        """Return an action.

        Args:
            seat: to move; view: of the seat; mask: of legal actions.
            events: since its last question; deadline: by `time.monotonic`, or None.
            count: called with the usage of every answer.
            heading: of the prompt, where it was written before.

        Raises:
            TextError: if the function gives no legal action.
            ValueError: for a view and a mask of another game or variant.
        """
        view, mask = self._gate.one(view, mask)
        legal = np.flatnonzero(mask)
        if len(legal) == 1:
            return int(legal[0])
        if self._failures.too_many:
            raise TextError(self._failures.words(self))
        return self._action(self.writing.question(seat, view, mask, events, heading), deadline, count)

    def _action(self, question: Question, deadline: float | None, count: Callable[[Usage], None]) -> int:
        """Put a question as often as it takes, and return the action."""
        prompt, why, tried = question.prompt, "", 0
        while tried <= self.retries and (not tried or deadline is None or time.monotonic() < deadline):
            answer = self._answer(prompt, deadline, tried > 0, count)
            tried += 1
            try:
                return _read(question, answer)
            except Refused as refused:
                why = str(refused)
                count(replace(self.nothing, illegal=1))
                prompt = question.again(answer.text, why)
        raise TextError(f"no legal action in {tried} {'answers' if tried > 1 else 'answer'}; of the last one, {why}")

    def _answer(self, prompt: str, deadline: float | None, again: bool, count: Callable[[Usage], None]) -> Answer:
        """Ask once and count it."""
        began = time.monotonic()
        try:
            answer = self._put(prompt, deadline)
        except BaseException as error:
            resent, seconds = getattr(error, "resent", 0), time.monotonic() - began
            count(replace(self.nothing, retries=int(again), resent=resent, seconds=seconds))
            raise
        counts = {name: getattr(answer, name) for name in Answer._fields if name not in ("text", "cut")}
        count(replace(self.nothing, answers=1, retries=int(again), seconds=time.monotonic() - began, **counts))
        return answer

    def count(self, one: Usage) -> None:
        """Add the usage of an answer."""
        self.usage += one

    def _put(self, prompt: str, deadline: float | None) -> Answer:
        """Ask the function once.

        Raises:
            TextError: for an answer that is no text; and whatever the function raises.
        """
        try:
            reply = self._ask_model(prompt, deadline) if self.keeps_deadlines else self._ask_model(prompt)
        except Exception as error:
            self._failures.note(f"{type(error).__name__}: {error}")
            raise
        self._failures.row = 0
        answer = Answer(reply) if isinstance(reply, str) else reply
        if not isinstance(answer, Answer) or not isinstance(answer.text, str):  # pyright: ignore[reportUnnecessaryIsInstance]
            raise TextError(f"{self!r} returns {type(reply).__name__}: return the answer as a text")
        return answer

    def close(self) -> None:
        """Close the function, if it has something to close."""
        close = getattr(self._ask_model, "close", None)
        if close is not None:
            close()


def _read(question: Question, answer: Answer) -> int:
    """Return the legal action in an answer.

    Raises:
        Refused: if there is none, or the answer was cut.
    """
    if answer.cut:
        raise Refused("it was cut before its end, as it had too many tokens: think less")
    return question.reader.read(answer.text)


class TextPlayer:
    """A seat at one table for which a text agent decides; it remembers the events since its last question.

    Args:
        agent: whose function is asked.

    Attributes:
        usage: of the decisions of this game.
    """

    def __init__(self, agent: TextAgent) -> None:
        self.agent, self.usage = agent, agent.nothing
        self._seat, self._events, self._acted, self._heading = 0, list[Event](), False, ""

    def __repr__(self) -> str:
        return repr(self.agent)

    def begin(self, info: TableInfo) -> None:
        """Sit down where a game begins."""
        self._seat, self.usage = info.seat or 0, self.agent.nothing
        self._events.clear()
        self._acted, self._heading = False, self.agent.writing.heading(self._seat)

    def see(self, event: Event) -> None:
        """Remember an event, but for the player's own last answer."""
        if self._acted and event.kind == Kind.MOVED and event.seat == self._seat:
            self._acted = False
            return
        self._events.append(event)

    def act(self, view: NDArray[Any], mask: NDArray[np.int8], deadline: float | None) -> int:
        """Return the function's action.

        Raises:
            TextError: if it gives none.
        """
        events = self._events
        if np.count_nonzero(mask) > 1:
            self._events, self._acted = [], True
        return self.agent.decide(self._seat, view, mask, events, deadline, self._count, self._heading)

    def _count(self, one: Usage) -> None:
        self.usage += one
        self.agent.count(one)

    def end(self, payoffs: Sequence[float]) -> None:
        """Leave."""
