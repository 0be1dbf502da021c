"""What a person may choose from: the legal actions of the seat to move, in words, and why an answer is none of them."""

from collections import Counter
from typing import Any, NamedTuple

import numpy as np

from kozyr.envs.core import dispatch, input_spec
from kozyr.envs.core import labels as words
from kozyr.envs.table.table import Table


class Choice(NamedTuple):
    """A legal action as a person sees it.

    Attributes:
        action: its number; words: what the action is called; text: the game's text for it, which `parse` reads.
        amount: what an action with a number says, as the 4 of "raise 4"; None for all others.
    """

    action: int
    words: str
    text: str
    amount: int | None = None


def choices(table: Table) -> list[Choice]:
    """Return the legal actions of the seat to move, lowest number first; no two have the same words."""
    s = table.state()[0]
    given = [_choice(table, s, int(action)) for action in np.flatnonzero(table.mask)]
    often = Counter(one.words for one in given)
    return [one._replace(words=one.text) if often[one.words] > 1 else one for one in given]


def _choice(table: Table, s: Any, action: int) -> Choice:
    """Return one legal action in words."""
    game, v = table.game, table.variant
    row = np.zeros(input_spec.ENTRIES, np.int32)
    dispatch.elements(v, s, action, row)
    text = game.text.say(v, s, action, table.turn)
    said = [int(number) for number in row[input_spec.SAID_A : input_spec.SAID_C + 1]]
    label = int(row[input_spec.SAID])
    named = text if label == input_spec.AS_TEXT else words.fill(game.labels[label], said, table.names)
    return Choice(action, named, text, said[0] if row[input_spec.HOW] == input_spec.AMOUNT else None)


def rows_of(given: list[Choice]) -> list[list[Choice]]:
    """Return the rows of the list: a move each, but all amounts of one in a row."""
    rows: list[list[Choice]] = []
    for one in given:
        if one.amount is not None and rows and rows[-1][0].amount is not None:
            rows[-1].append(one)
        else:
            rows.append([one])
    return rows


def plain(text: str) -> str:
    """Return what somebody typed without what does not matter: case and spaces."""
    return " ".join(text.lower().split())


def meant(table: Table, given: list[Choice], text: str) -> Choice:
    """Return the choice that a text names: its words, or the game's own text.

    Args:
        table: where it is to be played; given: what `choices` returned.
        text: what a person wrote.

    Raises:
        ValueError: saying why it is no move.
    """
    for one in given:
        if plain(text) in (plain(one.words), plain(one.text)):
            return one
    action = table.game.text.parse(table.variant, text)
    for one in given:
        if one.action == action:
            return one
    raise ValueError(f"{text} is not legal now")
