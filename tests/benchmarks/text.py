"""What it costs to put a decision into words: what a seat knows, its legal actions, the whole question to a model."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

from kozyr.agents.text.question import QuestionWriter

from .processes import GAMES, positions
from .timing import Row, measure


def rows(seconds: float) -> Iterator[Row]:
    """Give microseconds in positions of random games."""
    from kozyr import envs

    for name in GAMES:
        game = envs.game(name)
        writing, asked = QuestionWriter(game, game.make_variant()), positions(name)
        told = [(view, mask, writing.words(view, mask)) for view, mask in asked]
        heading = writing.heading(0)
        parts: dict[str, Callable[[Any, Any, Any], Any]] = {
            "what a seat knows": lambda view, mask, words, w=writing: w.game.text.write_view(w.variant, view, 0),
            "words of all legal actions": lambda view, mask, words, w=writing: w.words(view, mask),
            "the question": lambda view, mask, words, w=writing, h=heading: w.question(0, view, words, (), h),
        }
        for part, work in parts.items():
            yield _row(f"{name}, {part}", told, work, seconds)


def _row(name: str, told: list[Any], work: Callable[[Any, Any, Any], Any], seconds: float) -> Row:
    """Measure one part in all positions."""

    def run() -> float:
        for one in told:
            work(*one)
        return len(told)

    rate = measure(
        name, run, library="kozyr", counts="a decision", views=False, masks=False, unit="µs", seconds=seconds
    )
    return replace(rate, median=1e6 / rate.median, low=1e6 / rate.high, high=1e6 / rate.low)
