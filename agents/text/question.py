"""What a model is asked: the rules, what its seat knows, what has happened, what it may do."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kozyr.agents.text import rules
from kozyr.agents.text.answer import RULE, Reader
from kozyr.envs.core.game import Game
from kozyr.envs.loops import tables
from kozyr.envs.table.event import Event

_MOST_EVENTS = 60  # the last ones are told
_TAIL = 600  # characters of an answer that are repeated


@dataclass(frozen=True)
class Question:
    """One decision in words.

    Attributes:
        prompt: what is asked; reader: what tells the actions in the answer.
    """

    prompt: str
    reader: Reader

    def again(self, answer: str, why: str) -> str:
        """Return the question after an answer that does not count."""
        tail = answer if len(answer) <= _TAIL else "…" + answer[-_TAIL:]
        return f"{self.prompt}\n\n## Your answer\n\n{tail}\n\nThis answer does not count: {why}. Answer once more.\n"


class Writing:
    """Writes the questions of one game and variant.

    Args:
        game: what is played; variant: its options.
        full: tell RULES.md in place of the rules in short.
    """

    def __init__(self, game: Game, variant: Any, full: bool = False) -> None:
        self.game, self.variant = game, variant
        self._rules = rules.told(game, variant, full)
        self._states = np.zeros(1, game.layout(variant))

    def heading(self, seat: int) -> str:
        """Return what stays the same for a seat during a game."""
        seats = self.game.seats(self.variant)
        return f"You play {self.game.title} as player_{seat}, one of {seats} players. Play to win.\n\n{self._rules}"

    def words(self, view: NDArray[Any], mask: NDArray[np.int8]) -> dict[int, str]:
        """Return the legal actions in words, as the seat to move says them."""
        tables.guess(self.variant, view, 0, self._states)  # any state that fits the view: the words tell no more
        say, s = self.game.text.say, self._states[0]
        return {action: say(self.variant, s, action, 0) for action in np.flatnonzero(mask).tolist()}

    def question(
        self, seat: int, view: NDArray[Any], words: Mapping[int, str], events: Sequence[Event], heading: str | None = ""
    ) -> Question:
        """Return the question for one decision.

        Args:
            seat: who is asked; view: what it knows.
            words: the legal actions, as `words` gives them.
            events: what has happened since it was asked, as the seat may know it.
            heading: as `heading` gives it; "": write it; None: the seat has been told it before.
        """
        parts = [] if heading is None else [heading or self.heading(seat)]
        if events:
            parts.append("## What happened since your last move\n\n" + _happened(events))
        parts += [
            f"## What you know\n\n{self.game.text.write_view(self.variant, view, seat)}",
            "## Your legal actions\n\n" + "\n".join(words.values()),
            f"## Your answer\n\nChoose one of them. {RULE}\n",
        ]
        legal = {one.lower(): action for action, one in words.items()}
        return Question("\n\n".join(parts), Reader(legal, partial(self.game.text.parse, self.variant)))


def _happened(events: Sequence[Event]) -> str:
    """Return events, a line each; of many the last ones."""
    left = len(events) - _MOST_EVENTS
    more = [f"({left} earlier events are left out)"] if left > 0 else []
    return "\n".join([*more, *map(str, events[-_MOST_EVENTS:])])
