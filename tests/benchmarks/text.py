"""Cost of putting a decision into words: a seat's view, its legal actions, the whole question to a model."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

from kozyr.agents.text.question import FORMS, LONG, QuestionWriter

from .processes import GAMES, positions
from .timing import Row, measure


def rows(seconds: float) -> Iterator[Row]:
    """Give microseconds in positions of random games."""
    from kozyr import envs

    for name in GAMES:
        game = envs.game(name)
        asked = positions(name)
        for form in FORMS:
            writing = QuestionWriter(game, game.make_variant(), text=form)
            write = game.text.write_view if form == LONG else game.text.write_short
            parts: dict[str, Callable[[Any, Any], Any]] = {
                "a view": lambda view, mask, w=writing, write=write: write(w.variant, view, 0),
                "words of all legal actions": lambda view, mask, w=writing: w.words(view, mask),
                "a question": lambda view, mask, w=writing: w.question(0, view, mask, (), None),
            }
            for part, work in parts.items():
                yield _row(f"{name}, {form}, {part}", asked, work, seconds)


def _row(name: str, asked: list[Any], work: Callable[[Any, Any], Any], seconds: float) -> Row:
    """Measure one part in all positions."""

    def run() -> float:
        for one in asked:
            work(*one)
        return len(asked)

    rate = measure(
        name, run, library="kozyr", counts="a decision", views=False, masks=False, unit="µs", seconds=seconds
    )
    return replace(rate, median=1e6 / rate.median, low=1e6 / rate.high, high=1e6 / rate.low)
