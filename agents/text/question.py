"""Questions to a model: the rules, the view of its seat, the events and the legal actions.

The rules in short come from what every game's package has already, so that a new game needs no text of its own for
them: the introduction and the rewards of its documentation page, the options with their meanings, and the docstring of
the module that writes views, which shows how to read them. Without a page the rules are those of RULES.md.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from importlib.resources import files
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kozyr.agents.text.answer import RULE, Reader
from kozyr.envs import registry
from kozyr.envs.core.game import Game
from kozyr.envs.loops import tables
from kozyr.envs.table.event import Event

_MOST_EVENTS = 60  # of a question, the last ones
_LONGEST = 20_000  # characters of RULES.md
_EXAMPLE = "How a position is written (an example, not this game)"
_DERIVED = "The lines of what you know, and what they mean"
_AT_RULES = re.compile(r"\s*`RULES\.md`[^.]*(?:\.(?!\s|$)[^.]*)*\.(?=\s|$)")  # the sentence that leads to them
_PARAGRAPHS = re.compile(r" ?\(§[^)]*\)")  # which no reader of a prompt can look up
_TAIL = 600  # characters of an answer that are repeated


@dataclass(frozen=True)
class Question:
    """One decision in words.

    Attributes:
        prompt: the text; reader: of the answer.
    """

    prompt: str
    reader: Reader

    def again(self, answer: str, why: str) -> str:
        """Return the question after an answer that does not count."""
        tail = answer if len(answer) <= _TAIL else "…" + answer[-_TAIL:]
        return f"{self.prompt}\n\n## Your answer\n\n{tail}\n\nThis answer does not count: {why}. Answer once more.\n"


class QuestionWriter:
    """Questions of one game and variant.

    Args:
        game: of the questions; variant: its options.
        full: write RULES.md in place of the rules in short.
    """

    def __init__(self, game: Game, variant: Any, full: bool = False) -> None:
        self.game, self.variant = game, variant
        self._rules = rules_text(game, variant, full)
        self._states = np.zeros(1, game.layout(variant))

    def heading(self, seat: int) -> str:
        """Return the part of a seat's questions that stays the same during a game."""
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
            seat: to move; view: of the seat.
            words: the legal actions, of `words`.
            events: since its last question, as the seat may know them.
            heading: of `heading`; "": write it; None: the seat has it already.
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


def rules_text(game: Game, variant: Any, full: bool = False) -> str:
    """Return the rules of a variant.

    Args:
        game: of the rules; variant: its options.
        full: write RULES.md instead of the introduction.
    """
    page = getattr(registry.page(game.name), "__doc__", None) or ""
    sections = dict(_sections(page))
    short = "" if full else _AT_RULES.sub("", sections.get("", ""))
    rewards = sections.get("Rewards", "")
    parts = [
        ("The rules", short or _rules(game) or game.title),
        ("Rewards", rewards),
        ("Options of this game", _options(game, variant)),
        (_DERIVED if game.text.derives("write_view") else _EXAMPLE, game.text.explain_view(variant)),
    ]
    return "\n\n".join(f"## {head}\n\n{body}" for head, body in parts if body)


def _sections(page: str) -> list[tuple[str, str]]:
    """Return the sections of a page by their headings, the first one as "" and without its table."""
    first, *others = page.split("\n### ")
    lines = [line for line in first.splitlines() if not line.startswith(("#", "|"))]
    rest = [(head, body.strip()) for head, _, body in (one.partition("\n") for one in others)]
    return [("", "\n".join(lines).strip()), *rest]


def _rules(game: Game) -> str:
    """Return RULES.md of a game's package, or ""."""
    try:
        return (files(game.package) / "RULES.md").read_text(encoding="utf-8")[:_LONGEST].strip()
    except (OSError, ModuleNotFoundError, TypeError):
        return ""


def _options(game: Game, variant: Any) -> str:
    """Return the options with their meanings, but for house rules that are not played."""
    options = [(name, value) for name, value in game.options(variant).items() if value is not False]
    return "\n".join(f"- {name} = {value}: {_PARAGRAPHS.sub('', game.fields[name].meaning)}" for name, value in options)
