"""Budget of a game: how much one seat reads in it, in characters or in the tokens of a model.

    python -m kozyr.agents.text.budget

prints a table of characters, in long and in short texts. In Python any game and any count will do:

    budget("durak", text="short", count=lambda text: len(tokenizer(text)["input_ids"]), players=4)
"""

from collections.abc import Callable
from dataclasses import dataclass
from statistics import fmean
from typing import Any

import numpy as np

from kozyr import envs
from kozyr.agents.text.dialogue import Dialogue
from kozyr.agents.text.question import FORMS, LONG

GAMES = 20
TABLE: list[tuple[str, dict[str, Any]]] = [
    ("mnk", {"m": 3, "n": 3, "k": 3}),
    ("durak", {"deck": 36}),
    ("mnk", {"m": 15, "n": 15, "k": 5}),
    ("war", {"pickup": "choice"}),
]


@dataclass(frozen=True)
class Budget:
    """What one seat reads in a game: the rules once, then a question for each of its decisions.

    Attributes:
        rules: their length; mean, most: of all that a seat reads in a game, on average and at most.
        questions: of a seat in a game, on average; most_questions: at most.
    """

    rules: int
    mean: float
    most: int
    questions: float
    most_questions: int


def budget(
    game: str, text: str = LONG, games: int = GAMES, seed: int = 0, count: Callable[[str], int] = len, **variant: Any
) -> Budget:
    """Return the length of all texts that a seat reads in a game whose seats all move at random.

    Args:
        game: its name; text: "long" or "short".
        games: to be played, from `seed` on.
        count: the length of a text, in characters if nothing else is said.
        **variant: fields of the game's variant.

    Raises:
        ValueError: for an unknown game, an impossible variant or another form of text.

    Example:
        >>> budget("mnk", text="short", m=3, n=3, k=3).mean < budget("mnk", m=3, n=3, k=3).mean / 4
        True
    """
    it = envs.game(game)
    v = it.make_variant(**variant)
    sums, answers, rules = list[int](), list[int](), 0
    for number in range(seed, seed + games):
        one = Dialogue(it, v, number, text=text)
        rules = count(one.rules(0))
        sums += [rules + length for length in _questions(one, np.random.default_rng(number), count)]
        answers += one.answers
    return Budget(rules, fmean(sums), max(sums), fmean(answers), max(answers))


def _questions(game: Dialogue, rng: np.random.Generator, count: Callable[[str], int]) -> list[int]:
    """Play a game at random and return the length of all questions to each seat."""
    lengths = [0] * game.table.seats
    while not game.over:
        seat = game.turn
        lengths[seat] += count(game.ask(game.news(seat)))
        words = game.legal()
        game.answer(words[rng.integers(len(words))])
    return lengths


def table(games: int = GAMES) -> str:
    """Return a table of characters in long and short texts."""
    lines = ["| Game | Questions | Long | Short | Short ÷ long |", "|---|---|---|---|---|"]
    for name, variant in TABLE:
        long, short = (budget(name, text, games, **variant) for text in FORMS)
        options = ", ".join(f"{key}={value}" for key, value in variant.items())
        lines.append(
            f"| {name}, {options} | {long.questions:.0f} | {long.mean:,.0f} | {short.mean:,.0f} "
            f"| {short.mean / long.mean:.2f} |"
        )
    return "\n".join(lines)


if __name__ == "__main__":
    print(table())
