"""Questions to a model: the rules, the view of its seat, the events and the legal actions.

There are two forms. The long one explains each question by itself. The short one says rules and how to answer once, in
the heading, and then few characters a question; see `budget` for how many.

The rules in short come from what every game's package has already, so that a new game needs no text of its own for
them: the introduction and the rewards of its documentation page, the options with their meanings, and the docstring of
the module that writes views, which shows how to read them. Without a page the rules are those of RULES.md.
"""

import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from importlib.resources import files
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kozyr.agents.text.answer import RULE, Reader
from kozyr.envs import registry
from kozyr.envs.core.game import Game
from kozyr.envs.core.text_lines import PARAGRAPHS, departures, short_name
from kozyr.envs.environments import argument_checks
from kozyr.envs.loops import tables
from kozyr.envs.table.event import Event, Kind

LONG, SHORT = "long", "short"
FORMS = (LONG, SHORT)  # of all texts for a model

_MOST_EVENTS = 60  # of a question, the last ones
_LONGEST = 20_000  # characters of RULES.md
_EXAMPLE = "How a position is written (an example, not this game)"
_DERIVED = "The lines of what you know, and what they mean"
_AT_RULES = re.compile(r"\s*`RULES\.md`[^.]*(?:\.(?!\s|$)[^.]*)*\.(?=\s|$)")  # the sentence that leads to them
_TAIL = 600  # characters of an answer that are repeated
_SHORT_RULE = "Think first if you like; the last line is your action alone, in the words offered."


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


class Words(Mapping[str, int]):
    """The legal actions of one decision by their words in small letters, written when somebody looks for one.

    Args:
        write: returns the words of each.
        show: returns those of a table's buttons, which are understood, too.
    """

    def __init__(self, write: Callable[[], Mapping[int, str]], show: Callable[[], Mapping[int, str]]) -> None:
        self._write, self._show = write, show

    @cached_property
    def _actions(self) -> Mapping[int, str]:
        return self._write()

    @cached_property
    def _numbers(self) -> dict[str, int]:
        return {words.lower(): action for action, words in self._actions.items()}

    @cached_property
    def _buttons(self) -> dict[str, int]:
        words = self._show()
        each = Counter(words.values())
        return {one.lower(): action for action, one in words.items() if each[one] == 1}

    def spoken(self) -> list[str]:
        """Return their words as the game writes them."""
        return list(self._actions.values())

    def __getitem__(self, words: str) -> int:
        return self._numbers[words] if words in self._numbers else self._buttons[words]

    def __iter__(self) -> Iterator[str]:
        return iter(self._numbers)

    def __len__(self) -> int:
        return len(self._numbers)


class QuestionWriter:
    """Questions of one game and variant.

    Args:
        game: of the questions; variant: its options.
        full: write RULES.md in place of the rules in short.
        text: "long", or "short" for few characters.
        rule: how to answer, in place of the usual words for an answer in text.

    Raises:
        ValueError: for another form of text.
    """

    def __init__(self, game: Game, variant: Any, full: bool = False, text: str = LONG, rule: str = "") -> None:
        self.game, self.variant, self._rule = game, variant, rule
        self.short = argument_checks.choice("text", text, FORMS) == SHORT
        self._rules = short_rules(game, variant, full) if self.short else rules_text(game, variant, full)
        self._states = np.zeros(1, game.layout(variant))

    def heading(self, seat: int) -> str:
        """Return the part of a seat's questions that stays the same during a game."""
        if self.short:
            return f"You are p{seat}. {self._rules}\n{self._rule or _SHORT_RULE}"
        seats = self.game.seats(self.variant)
        return f"You play {self.game.title} as player_{seat}, one of {seats} players. Play to win.\n\n{self._rules}"

    def words(self, view: NDArray[Any], mask: NDArray[np.int8]) -> dict[int, str]:
        """Return the legal actions in words, as the seat to move says them."""
        return self._legal("say", view, mask)

    def _legal(self, form: str, view: NDArray[Any], mask: NDArray[Any]) -> dict[int, str]:
        """Return the legal actions in words by a function of the game's text forms."""
        say: Callable[..., str] = getattr(self.game.text, form)
        tables.guess(self.variant, view, 0, self._states)  # any state that fits the view: the words tell no more
        return {a: say(self.variant, self._states[0], a, 0) for a in np.flatnonzero(mask).tolist()}

    def question(
        self,
        seat: int,
        view: NDArray[Any],
        mask: NDArray[np.int8],
        events: Sequence[Event],
        heading: str | None = "",
    ) -> Question:
        """Return the question for one decision.

        Args:
            seat: to move; view: of the seat; mask: of legal actions.
            events: since its last question, as the seat may know them.
            heading: of `heading`; "": write it; None: the seat has it already.
        """
        parts = [] if heading is None else [heading or self.heading(seat)]
        view, mask = view.copy(), mask.copy()
        legal = Words(*(partial(self._legal, form, view, mask) for form in ("say", "table_words")))
        if self.short:
            prompt = "\n".join([*parts, *self._short(seat, view, mask, legal, events)])
        else:
            prompt = "\n\n".join([*parts, *self._long(seat, view, legal, events)])
        return Question(prompt, Reader(legal, partial(self.game.text.parse, self.variant)))

    def _long(self, seat: int, view: NDArray[Any], legal: Words, events: Sequence[Event]) -> Iterator[str]:
        """Yield the paragraphs of a question, each with its heading."""
        if events:
            yield "## What happened since your last move\n\n" + _happened(events)
        yield f"## What you know\n\n{self.game.text.write_view(self.variant, view, seat)}"
        yield "## Your legal actions\n\n" + "\n".join(legal.spoken())
        yield f"## Your answer\n\nChoose one of them. {self._rule or RULE}\n"

    def _short(
        self, seat: int, view: NDArray[Any], mask: NDArray[np.int8], legal: Words, events: Sequence[Event]
    ) -> Iterator[str]:
        """Yield the lines of a short question."""
        text, v = self.game.text, self.variant
        if news := _news(events, seat, partial(text.short_event, v)):
            yield f"new: {news}"
        yield text.write_short(v, view, seat)
        yield f"legal: {text.short_actions(v, mask, legal.spoken)}"


def _happened(events: Sequence[Event]) -> str:
    """Return events, a line each; of many the last ones."""
    left = len(events) - _MOST_EVENTS
    more = [f"({left} earlier events are left out)"] if left > 0 else []
    return "\n".join([*more, *(str(event.as_text()) for event in events[-_MOST_EVENTS:])])


def _news(events: Sequence[Event], seat: int, words: Callable[[str], str]) -> str:
    """Return moves in one line, as "p0 9C; p1 p2 pass"."""
    moves = list[tuple[list[str], str]]()
    for event in events[-_MOST_EVENTS:]:
        if event.kind == Kind.MOVED and event.seat is not None and (move := words(event.text)):
            who = short_name(event.seat, seat)
            if moves and moves[-1][1] == move and who not in moves[-1][0]:
                moves[-1][0].append(who)
            else:
                moves.append(([who], move))
    return "; ".join(f"{' '.join(seats)} {move}" for seats, move in moves)


def short_rules(game: Game, variant: Any, full: bool = False) -> str:
    """Return the rules of a variant in few characters, and how to read short texts.

    A game without rules in short has the introduction of its page, or RULES.md, and the options that are not the usual
    ones.

    Args:
        game: of the rules; variant: its options.
        full: write RULES.md instead of the rules in short.
    """
    if short := game.text.short_rules(variant):
        return f"{_rules(game)}\n{short}" if full else short
    sections = dict(_sections(getattr(registry.page(game.name), "__doc__", None) or ""))
    rules = "" if full else _AT_RULES.sub("", sections.get("", ""))
    parts = [rules or _rules(game) or game.title, *departures(game, variant), game.text.explain_view(variant)]
    return "\n".join(part for part in parts if part)


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
    return "\n".join(f"- {name} = {value}: {PARAGRAPHS.sub('', game.fields[name].meaning)}" for name, value in options)
