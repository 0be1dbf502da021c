"""Choices of a person: the legal actions of the seat to move, in words, and the action of an answer."""

from collections import Counter
from typing import Any, NamedTuple

import numpy as np

from kozyr.envs.core import dispatch, input_spec
from kozyr.envs.table.table import Table


class Choice(NamedTuple):
    """A legal action as a person sees it.

    Attributes:
        action: its number; words: for people; text: the game's text for it, which `parse` reads.
        amount: the number of an action with one, as the 4 of "raise 4"; None for all others.
    """

    action: int
    words: str
    text: str
    amount: int | None = None


def choices(table: Table) -> list[Choice]:
    """Return the legal actions of the seat to move, lowest number first; no two have the same words."""
    s = table.state()[0]
    legal = [_choice(table, s, int(action)) for action in np.flatnonzero(table.mask)]
    counts = Counter(one.words for one in legal)
    return [one._replace(words=one.text) if counts[one.words] > 1 else one for one in legal]


def _choice(table: Table, s: Any, action: int) -> Choice:
    """Return one legal action in words."""
    game, v = table.game, table.variant
    row = np.zeros(input_spec.ENTRIES, np.int32)
    dispatch.elements(v, s, action, row)
    text = game.text.say(v, s, action, table.turn)
    numbers = [int(number) for number in row[input_spec.SAID_A : input_spec.SAID_C + 1]]
    words = game.text.table_words(v, s, action, table.turn, table.names)
    return Choice(action, words, text, numbers[0] if row[input_spec.HOW] == input_spec.AMOUNT else None)


def rows_of(choices: list[Choice]) -> list[list[Choice]]:
    """Return the rows of the list: a move each, but all amounts of one in a row."""
    rows: list[list[Choice]] = []
    for one in choices:
        if one.amount is not None and rows and rows[-1][0].amount is not None:
            rows[-1].append(one)
        else:
            rows.append([one])
    return rows


def plain(text: str) -> str:
    """Return typed text without case and surplus spaces, which do not matter."""
    return " ".join(text.lower().split())


def find_choice(table: Table, choices: list[Choice], text: str) -> Choice:
    """Return the choice that a text names: its words, or the game's own text.

    Args:
        table: of the move; choices: of `choices`.
        text: of a person.

    Raises:
        ValueError: in a sentence, if it is no move.
    """
    for one in choices:
        if plain(text) in (plain(one.words), plain(one.text)):
            return one
    action = table.game.text.parse(table.variant, text)
    for one in choices:
        if one.action == action:
            return one
    raise ValueError(f"{text} is not legal now")
